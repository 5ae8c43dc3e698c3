import '../../../ui/desk.css';
import { Button, Group, SegmentedControl, Skeleton, Table, Text, Title } from '@mantine/core';
import { IconChartLine, IconTable, IconTargetArrow } from '@tabler/icons-react';
import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useMemo } from 'react';
import type { Client } from '../../../../contract/index.ts';
import { modulesOf } from '../../../../contract/routing/routing-facts.ts';
import { api } from '../../../api/client.ts';
import { useFacts, useMay, useUser } from '../../../api/user.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { dayWords, LOCALE, money, num, percent } from '../../../ui/format.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { StatTile } from '../../../ui/StatTile.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { Clip, None } from '../../../ui/Values.tsx';
import { PageZone, zoneWords } from '../../../ui/zone.ts';
import { HeldNotice, heldQuery } from '../campaigns/Held.tsx';
import { LeadTable } from '../leads/LeadTable.tsx';
import { CampaignSelect } from './CampaignSelect.tsx';
import classes from './DashboardPage.module.css';
import { Attention, FirstSteps, homeQuery } from './Home.tsx';
import { before, dayIn, rangeOf } from './range.ts';
import { Waterfall } from './Waterfall.tsx';

const SalesHome = lazy(() => import('./SalesHome.tsx'));
const DayChart = lazy(() => import('../../../ui/DayChart.tsx'));
const RangePicker = lazy(() => import('./RangePicker.tsx'));

type Answer = Awaited<ReturnType<Client['analytics']['dashboard']>>;
type Days = Awaited<ReturnType<Client['analytics']['chart']>>;
type Apart = Answer['totals'];
type Totals = Days['totals'];
type CampaignTotals = Answer['campaigns'][number];

/** Returns the share of visits that were recognized; people found by keywords are not counted. */
const rate = ({ visits, matched, found = 0 }: { visits: number; matched: number; found?: number }) =>
  visits > 0 ? (matched - found) / visits : 0;

const ALL_MEASURES = {
  leads: { label: 'Leads', of: (day: Totals) => day.leads, format: num },
  visits: { label: 'Visits', of: (day: Totals) => day.visits, format: num },
  spend: {
    label: 'Spend',
    of: (day: Totals) => day.spend_micros / 1e6,
    format: (value: number) => money(value * 1e6),
  },
} as const;
/** What is shown instead of visits if there are none. */
const FOUND = { label: 'People found', of: (day: Totals) => day.matched, format: num } as const;

/** An address with those of the parameters that are given. */
const withQuery = (path: string, query: Record<string, string | undefined>): string =>
  `${path}?${new URLSearchParams(Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : [])))}`;

/** What the campaigns bring in: figures, leads over time, by campaign, why visits were lost, and the leads. */
export default function DashboardPage() {
  const user = useUser();
  if (!useMay('insight.read')) {
    return (
      <>
        <PageHeader title="Dashboard" line={`Assigned to you by ${user.company_name}.`} />
        <Suspense fallback={<Skeleton height={320} />}>
          <SalesHome />
        </Suspense>
      </>
    );
  }
  return <Dashboard />;
}

function Dashboard() {
  const user = useUser();
  const [params, set] = useSearchParams();
  const today = dayIn(new Date(), user.time_zone);
  const { from, to, days } = params;
  const range = useMemo(() => rangeOf({ from, to, days } as never, today), [from, to, days, today]);
  const campaign = params.campaign;
  const slug = decodeURIComponent(useLocation({ select: ({ pathname }) => pathname.split('/')[1] ?? '' }));
  // A product's own dashboard shows only its campaigns.
  const product = modulesOf(useFacts()).find((one) => one.slug === slug);
  const isSearch = product !== undefined && product.module !== 'local';
  const filter = {
    ...(campaign ? { campaign_id: campaign } : {}),
    ...(product ? { module: product.module } : {}),
  };
  const asked = { ...filter, starts_on: range.start, ends_on: range.end };
  const query = useQuery({
    queryKey: ['dashboard', asked],
    queryFn: ({ signal }) => api.analytics.dashboard(asked, { signal }),
    placeholderData: keepPreviousData,
  });
  const fetchDays = (span: { start: string; end: string }) => ({
    queryKey: ['dashboard', 'chart', filter, span.start, span.end],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      api.analytics.chart({ ...filter, starts_on: span.start, ends_on: span.end }, { signal }),
    placeholderData: keepPreviousData,
  });
  const chart = useQuery(fetchDays(range));
  const ghost = useQuery(fetchDays(before(range)));
  const held = useQuery({ ...heldQuery(campaign), enabled: !isSearch, placeholderData: keepPreviousData });
  const home = useQuery(homeQuery);
  const steps = home.data?.steps;
  // Before the first visit there is nothing to show but the way there.
  const isEmpty = steps?.some(({ step, is_done }) => step === 'pixel' && !is_done) ?? false;
  const mayKnowMargin = useMay('cost.read') && user.company_kind === 'agency' && !product && !campaign;
  const margins = useQuery({
    queryKey: ['margins', 'home', range.start, range.end],
    queryFn: ({ signal }) =>
      api.ledger.margins({ by: 'month', starts_on: range.start, ends_on: range.end }, { signal }),
    enabled: mayKnowMargin,
    placeholderData: keepPreviousData,
  });
  const data = query.data;
  const span = { ...asked, campaign_id: campaign };
  const resetPage = { page: undefined };
  const zone = data?.time_zone ?? user.time_zone;

  return (
    // The leads below stand in the same days as the chart.
    <PageZone value={zone}>
      <PageHeader
        title={product ? `${product.name} Dashboard` : 'Dashboard'}
        line={`${isSearch ? 'People found' : 'Visits recognized'}, leads delivered, and what they cost. Times are in ${zoneWords(zone)}.`}
      />
      <Group gap="xs" mb="md" mih={36} justify="space-between">
        <Suspense fallback={<Skeleton height={36} width={420} maw="100%" />}>
          <RangePicker
            range={range}
            today={today}
            onDays={(count) =>
              set({ days: count === 30 ? undefined : count, from: undefined, to: undefined, ...resetPage })
            }
            onRange={(next) => set({ days: undefined, from: next.start, to: next.end, ...resetPage })}
          />
        </Suspense>
        <CampaignSelect
          value={campaign}
          module={product?.module}
          onChange={(id) => set({ campaign: id, ...resetPage })}
        />
      </Group>

      {/* How many tiles there are, and whether something is held, is known with the answers: nothing jumps when they come. */}
      {held.isLoading || query.isLoading || home.isLoading ? (
        <Skeleton height={560} />
      ) : (
        <>
          <Attention items={home.data?.attention ?? []} />
          {steps && <FirstSteps steps={steps} />}
          {!isSearch && (
            <HeldNotice campaignId={campaign} onOpen={(id) => set({ campaign: id, ...resetPage })} />
          )}

          {query.error && !data ? (
            <div className="card" style={{ marginBottom: 24 }}>
              <ErrorState
                error={query.error}
                what="The figures could not be loaded"
                onRetry={() => void query.refetch()}
              />
            </div>
          ) : isEmpty ? null : (
            <>
              <Tiles
                data={data}
                isSearch={isSearch}
                leadsAt={withQuery('/leads', {
                  from: range.start,
                  to: range.end,
                  product: product?.module,
                  campaign,
                })}
                {...(mayKnowMargin
                  ? {
                      margin: margins.data?.total.margin_micros ?? null,
                      marginAt: withQuery('/configuration/margins', { from: range.start, to: range.end }),
                    }
                  : {})}
              />
              <div className={classes.two}>
                <OverTime
                  query={chart}
                  ghost={ghost.data}
                  isSearch={isSearch}
                  zone={zone}
                  onRange={(start, end) => set({ days: undefined, from: start, to: end, ...resetPage })}
                />
                <Losses data={data} isSearch={isSearch} />
              </div>
              <ByCampaign
                query={query}
                asked={asked}
                isSearch={isSearch}
                onPick={(id) => set({ campaign: id, ...resetPage })}
              />
            </>
          )}
          {!steps && (
            <>
              <Title order={2} size="h3" mb="xs">
                Leads
              </Title>
              <LeadTable
                filter={span}
                campaignName={data?.campaigns.find((one) => one.campaign_id === campaign)?.campaign_name}
                onClearCampaign={() => set({ campaign: undefined, ...resetPage })}
              />
            </>
          )}
        </>
      )}
    </PageZone>
  );
}

/** Why visits did not become leads, and optionally the same for people found by keywords; each adds up separately. */
function Losses({ data, isSearch }: { data: Answer | undefined; isSearch: boolean }) {
  const [params, set] = useSearchParams();
  const hasBoth = !isSearch && data !== undefined && data.totals.found > 0;
  const ofPeople = isSearch || (hasBoth && (params.way === 'people' || data.totals.visits === 0));
  const title = ofPeople ? 'From people found to leads' : 'From visits to leads';
  return (
    <section className="card" aria-label={title} style={{ padding: 16, minWidth: 0 }}>
      <Group justify="space-between" gap="xs" mb={4}>
        <Title order={2} size="h3">
          {title}
        </Title>
        {hasBoth && data.totals.visits > 0 && (
          <SegmentedControl
            aria-label="Source"
            size="xs"
            value={ofPeople ? 'people' : 'visits'}
            data={[
              { value: 'visits', label: 'Visits' },
              { value: 'people', label: 'People found' },
            ]}
            onChange={(value) => set({ way: value === 'people' ? value : undefined })}
          />
        )}
      </Group>
      <Text size="sm" c="dimmed" mb="sm">
        Why {ofPeople ? 'people' : 'visits'} did not become leads.
      </Text>
      {data ? (
        <Waterfall
          isSearch={ofPeople}
          visits={ofPeople ? data.totals.found : data.totals.visits}
          leads={ofPeople ? data.totals.found_leads : data.totals.leads - data.totals.found_leads}
          reasons={data.waterfall.filter((one) => one.of === (ofPeople ? 'people' : 'visits'))}
        />
      ) : (
        <Skeleton height={240} />
      )}
    </section>
  );
}

/** On the page of a module without visits, the people its campaigns found take their place. */
function Tiles({
  data,
  isSearch,
  leadsAt,
  margin,
  marginAt,
}: {
  data: Answer | undefined;
  isSearch: boolean;
  leadsAt: string;
  /** What the agency keeps, in micro-dollars; null while it loads, absent for those who may not know. */
  margin?: number | null;
  marginAt?: string;
}) {
  const now = data?.totals;
  const was = data?.previous;
  const tile = (
    label: string,
    of: (totals: Apart) => number,
    words: (value: number) => string,
    more = {},
  ) => (
    <StatTile
      label={label}
      value={now && words(of(now))}
      {...(now ? { now: of(now) } : {})}
      {...(was ? { before: of(was), beforeText: words(of(was)) } : {})}
      {...more}
    />
  );
  // People found by keywords get their own figure if there are any.
  const hasBoth = !isSearch && ((now?.found ?? 0) > 0 || (was?.found ?? 0) > 0);
  return (
    <div
      className={classes.tiles}
      data-count={4 - (isSearch ? 1 : 0) + (hasBoth ? 1 : 0) + (margin === undefined ? 0 : 1)}
    >
      {isSearch ? (
        tile('People found', (one) => one.matched, num, { better: 'up' })
      ) : (
        <>
          {tile('Visits', (one) => one.visits, num, { better: 'up' })}
          {tile('Match rate', rate, percent, {
            better: 'up',
            points: true,
            // Without visits there was no rate to compare with.
            ...(was?.visits === 0 ? { before: undefined } : {}),
          })}
          {hasBoth && tile('People found', (one) => one.found, num, { better: 'up' })}
        </>
      )}
      {tile('Leads', (one) => one.leads, num, { better: 'up', to: leadsAt })}
      {tile(
        'Spend',
        (one) => one.spend_micros,
        (micros) => money(micros),
      )}
      {margin !== undefined && (
        <StatTile plain label="Margin" value={margin === null ? undefined : money(margin)} to={marginAt} />
      )}
    </div>
  );
}

/** A figure of an hour, a day, or a week, and the days that a click narrows the page to. */
interface Point {
  key: string;
  label: string;
  /** The same, as it stands in the table. */
  words: string;
  totals: Totals;
  span: [string, string] | undefined;
}

const sumOf = (all: Totals[]): Totals =>
  all.reduce((sum, one) => ({
    visits: sum.visits + one.visits,
    matched: sum.matched + one.matched,
    leads: sum.leads + one.leads,
    spend_micros: sum.spend_micros + one.spend_micros,
  }));

/** The points of a period: a single day by hour, others by day or by week from their first day on. */
function pointsOf(data: Days, zone: string, byWeek: boolean): Point[] {
  if (data.hours.length > 0)
    return data.hours.map((hour) => {
      const label = new Intl.DateTimeFormat(LOCALE, { hour: 'numeric', timeZone: zone }).format(
        new Date(hour.at),
      );
      return { key: hour.at, label, words: label, totals: hour, span: undefined };
    });
  const length = byWeek ? 7 : 1;
  return Array.from({ length: Math.ceil(data.days.length / length) }, (_, i) => {
    const days = data.days.slice(i * length, (i + 1) * length);
    const [first, last] = [days[0]!.day, days.at(-1)!.day];
    return {
      key: first,
      label: dayWords(first),
      words: byWeek
        ? `${dayWords(first)} – ${dayWords(last)}`
        : dayWords(first, { weekday: 'short', month: 'short', day: 'numeric' }),
      totals: sumOf(days),
      span: [first, last],
    };
  });
}

/** Weeks are offered from this many days on. */
const LEAST_FOR_WEEKS = 28;

/** Figures by hour, day, or week, with those of the previous period (the report's chart call). */
function OverTime(props: {
  query: UseQueryResult<Days>;
  ghost: Days | undefined;
  isSearch: boolean;
  zone: string;
  onRange: (start: string, end: string) => void;
}) {
  const { query, ghost, isSearch, zone } = props;
  const { data } = query;
  const measures = isSearch ? { ...ALL_MEASURES, visits: FOUND } : ALL_MEASURES;
  const [params, set] = useSearchParams();
  const key =
    (params.measure as keyof typeof measures) in measures
      ? (params.measure as keyof typeof measures)
      : 'leads';
  const measure = measures[key];
  const asTable = params.view === 'table';
  const mayWeek = (data?.days.length ?? 0) >= LEAST_FOR_WEEKS;
  const byWeek = mayWeek && params.by === 'week';
  const former = ghost && pointsOf(ghost, zone, byWeek);
  const points = data && pointsOf(data, zone, byWeek);
  const days = points?.map((point, at) => {
    const same = former?.[at];
    return { ...point, now: measure.of(point.totals), before: same ? measure.of(same.totals) : null };
  });
  const title = `${measure.label} over time`;
  return (
    <section className={`card ${classes.chartCard}`} aria-label={title}>
      <Group justify="space-between" gap="xs" mb="md">
        <Title order={2} size="h3">
          {title}
        </Title>
        <Group gap="xs">
          {mayWeek && (
            <SegmentedControl
              aria-label="Figures by"
              size="xs"
              value={byWeek ? 'week' : 'day'}
              data={[
                { value: 'day', label: 'Daily' },
                { value: 'week', label: 'Weekly' },
              ]}
              onChange={(value) => set({ by: value === 'day' ? undefined : value })}
            />
          )}
          <SegmentedControl
            aria-label="Measure"
            size="xs"
            value={key}
            data={Object.entries(measures).map(([value, { label }]) => ({ value, label }))}
            onChange={(value) => set({ measure: value === 'leads' ? undefined : value })}
          />
          <Button
            size="compact-sm"
            variant="default"
            leftSection={asTable ? <IconChartLine size={14} /> : <IconTable size={14} />}
            onClick={() => set({ view: asTable ? undefined : 'table' })}
          >
            {asTable ? 'View as chart' : 'View as table'}
          </Button>
        </Group>
      </Group>
      {query.error && !data ? (
        <ErrorState
          error={query.error}
          what="The chart could not be loaded"
          onRetry={() => void query.refetch()}
        />
      ) : !days ? (
        <Skeleton height={280} style={{ flex: 1 }} />
      ) : asTable ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box has to be reachable by keyboard
        <section className={classes.dayTable} tabIndex={0} aria-label={`${title}, table`}>
          <Table stickyHeader fz={13}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{data?.hours.length ? 'Hour' : byWeek ? 'Week' : 'Day'}</Table.Th>
                <Table.Th ta="right">{measure.label}</Table.Th>
                <Table.Th ta="right">Previous period</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody className="num">
              {days.toReversed().map((day) => (
                <Table.Tr key={day.key}>
                  <Table.Td>{day.words}</Table.Td>
                  <Table.Td ta="right">{measure.format(day.now)}</Table.Td>
                  <Table.Td ta="right">{day.before === null ? '' : measure.format(day.before)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </section>
      ) : (
        <Suspense fallback={<Skeleton height={280} style={{ flex: 1 }} />}>
          <div className={classes.chart}>
            <DayChart
              days={days}
              name={measure.label}
              format={measure.format}
              axis={key === 'spend' ? 72 : 44}
              whole={key !== 'spend'}
              onPick={
                data?.hours.length
                  ? undefined
                  : (index) => {
                      const span = points?.[index]?.span;
                      if (span) props.onRange(...span);
                    }
              }
            />
          </div>
        </Suspense>
      )}
    </section>
  );
}

function ByCampaign({
  query,
  asked,
  isSearch,
  onPick,
}: {
  asked: object;
  isSearch: boolean;
  query: {
    data: Answer | undefined;
    error: unknown;
    isPending: boolean;
    isFetching: boolean;
    refetch: () => unknown;
  };
  onPick: (id: string) => void;
}) {
  const user = useUser();
  const rows = query.data?.campaigns;
  const sum = (of: (row: CampaignTotals) => number) =>
    (rows ?? []).reduce((total, row) => total + of(row), 0);
  const visits = sum((row) => row.visits);
  const hasVisits = (row: CampaignTotals) => row.modules === 'local';
  const columns: Column<CampaignTotals>[] = [
    { key: 'campaign', title: 'Campaign', render: (row) => <Clip text={row.campaign_name} />, foot: 'Total' },
    ...(user.company_kind === 'client'
      ? []
      : [
          {
            key: 'company',
            title: 'Client',
            from: 900,
            render: (row: CampaignTotals) => <Clip text={row.company_name} max={180} />,
          },
        ]),
    { key: 'status', title: 'Status', render: (row) => <StatusBadge status={row.status} /> },
    ...(isSearch
      ? [
          {
            key: 'found',
            title: 'People found',
            align: 'right' as const,
            render: (row: CampaignTotals) => num(row.matched),
            foot: num(sum((row) => row.matched)),
          },
        ]
      : [
          {
            key: 'visits',
            title: 'Visits',
            align: 'right' as const,
            render: (row: CampaignTotals) => (hasVisits(row) ? num(row.visits) : <None />),
            foot: num(visits),
          },
          {
            key: 'rate',
            title: 'Match rate',
            from: 780,
            align: 'right' as const,
            render: (row: CampaignTotals) => (hasVisits(row) ? percent(rate(row)) : <None />),
            foot: percent(rate({ visits, matched: sum((row) => (hasVisits(row) ? row.matched : 0)) })),
          },
        ]),
    {
      key: 'leads',
      title: 'Leads',
      align: 'right',
      render: (row) => num(row.leads),
      foot: num(sum((row) => row.leads)),
    },
    {
      key: 'spend',
      title: 'Spend',
      align: 'right',
      render: (row) => money(row.spend_micros),
      foot: money(sum((row) => row.spend_micros)),
    },
    {
      key: 'balance',
      title: 'Remaining balance',
      from: 840,
      align: 'right',
      render: (row) => row.balance_micros !== null && money(row.balance_micros),
    },
  ];
  return (
    <>
      <Title order={2} size="h3" mb="xs">
        By campaign
      </Title>
      <div style={{ marginBottom: 24 }}>
        <DataTable
          label="Campaigns"
          download={{ list: 'dashboard-campaigns', of: 'analytics.dashboard', query: asked }}
          name="dashboard.campaigns"
          columns={columns}
          query={{ ...query, data: rows && { data: rows } }}
          rowKey={(row) => row.campaign_id}
          phoneRow={(row) => ({
            title: row.campaign_name,
            state: <StatusBadge status={row.status} />,
            line: [
              `${num(row.leads)} ${row.leads === 1 ? 'lead' : 'leads'}`,
              `${money(row.spend_micros)} spent`,
              ...(row.balance_micros === null ? [] : [`${money(row.balance_micros)} left`]),
            ].join(' · '),
          })}
          onRow={(row) => onPick(row.campaign_id)}
          empty={
            <EmptyState
              icon={<IconTargetArrow size={32} stroke={1.4} />}
              title="No campaigns ran in this period"
              text={
                isSearch
                  ? 'Campaigns look for keywords. The people they find and their leads are counted here.'
                  : 'Campaigns put a pixel on a site. Their visits and leads are counted here.'
              }
            />
          }
        />
      </div>
    </>
  );
}
