import { Anchor, Badge, CloseButton, Group, SegmentedControl, Select, Skeleton, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, type MouseEvent, Suspense } from 'react';
import {
  AD_GROUPS,
  AD_PLATFORM_NAMES,
  AD_WITHIN,
  type AdGroup,
  type AdWithin,
  canGroup,
} from '../../../../contract/ads/ad-rules.ts';
import { US_STATES } from '../../../../contract/choices.ts';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { Bars, ChartOrTable } from '../../../ui/ChartOrTable.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { DayInput } from '../../../ui/DayInput.tsx';
import { dayWords, isDay, money, num, percent } from '../../../ui/format.ts';
import { StatTile } from '../../../ui/StatTile.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { Clip, Money, None } from '../../../ui/Values.tsx';
import classes from './StateMap.module.css';

const DayChart = lazy(() => import('../../../ui/DayChart.tsx'));
const StateMap = lazy(() => import('./StateMap.tsx'));

type Report = Awaited<ReturnType<Client['adReports']['report']>>;
type Row = Report['data'][number];

const TILES = {
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fit, minmax(104px, 1fr))',
  gap: 'var(--mantine-spacing-sm)',
  marginBottom: 'var(--mantine-spacing-md)',
} as const;

const WORDS: Record<AdGroup, string> = {
  campaign: 'Campaign',
  creative: 'Creative',
  place: 'Site',
  state: 'State',
  audience: 'Audience',
  day: 'Day',
  hour: 'Hour',
};
const isGroup = (text: string): text is AdGroup => AD_GROUPS.some((one) => one === text);

/** What a chart shows. */
const METRICS = {
  impressions: { label: 'Impressions', of: (row: Row) => row.impressions, isMoney: false },
  clicks: { label: 'Clicks', of: (row: Row) => row.clicks, isMoney: false },
  leads: { label: 'Leads', of: (row: Row) => row.leads + row.view_leads, isMoney: false },
  spend: { label: 'Spend', of: (row: Row) => row.spend_micros, isMoney: true },
} as const;
type Metric = keyof typeof METRICS;
const isMetric = (text: string | undefined): text is Metric => text !== undefined && text in METRICS;

/** The most bars of a chart: the table has all. */
const MOST_BARS = 20;

const DAY_MS = 86_400_000;
/** Every day of a span, so that one without ads is a zero. */
function daysFrom(first: string, last: string): string[] {
  const days: string[] = [];
  for (let at = Date.parse(first); at <= Date.parse(last); at += DAY_MS)
    days.push(new Date(at).toISOString().slice(0, 10));
  return days;
}
const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));

/**
 * What ads did, and what came of it: by campaign, creative, site, state, audience, day, or hour of the day, as a chart or
 * a table. Each row opens what it is made of.
 */
export function AdReport() {
  const user = useUser();
  const [params, set] = useSearchParams();
  const within = AD_WITHIN.find((one) => one === params.within);
  const asked = AD_GROUPS.find((one) => one === params.by) ?? 'campaign';
  const by = canGroup(asked, within) ? asked : 'campaign';
  const metric: Metric = isMetric(params.metric) ? params.metric : 'impressions';
  const { label: metricName, of: amountOf, isMoney } = METRICS[metric];
  const format = (value: number) => (isMoney ? money(value) : num(value));
  const input = {
    by,
    ...(params.of ? { campaign_id: params.of } : {}),
    ...(within ? { within, key: params.key ?? '' } : {}),
    ...(isDay(params.from) ? { starts_on: params.from } : {}),
    ...(isDay(params.to) ? { ends_on: params.to } : {}),
  };
  const query = useQuery({
    queryKey: ['ads', 'report', input],
    queryFn: ({ signal }) => api.adReports.report(input, { signal }),
    placeholderData: keepPreviousData,
  });
  const campaigns = useQuery({
    queryKey: ['ads', 'list', 'choice'],
    queryFn: ({ signal }) => api.adCampaigns.list({ page: 1, per_page: 100 }, { signal }),
  }).data;
  const report = query.data;
  const total = report?.total;
  const share = (part: number, all: number) => (all > 0 ? percent(part / all) : undefined);
  const groups = AD_GROUPS.filter((one) => canGroup(one, within) && one !== within);

  /** Opens what a row is made of: its campaign's creatives, its day's hours, its state's or audience's campaigns. */
  const open = (key: string, name: string) => {
    if (by === 'campaign') return set({ of: key, by: within ? 'day' : 'creative' }, { push: true });
    if (by === 'day') return set({ from: key, to: key, by: 'hour' }, { push: true });
    if (by === 'hour') return set({ by: 'campaign' }, { push: true });
    const next: Record<AdWithin, AdGroup> = {
      creative: 'place',
      place: 'creative',
      state: 'campaign',
      audience: 'campaign',
    };
    set({ within: by, key, name, by: within ? 'day' : next[by] }, { push: true });
  };
  const rows = report?.data ?? [];
  const openRow = (row: Row) => open(row.key, row.name);
  /** A number of leads, which opens them. States, audiences, and hours are kept in sums only. */
  const leadsLink = (row: Row, way: 'click' | 'view', count: number) => {
    const isListed = by !== 'state' && by !== 'audience' && by !== 'hour';
    if (count === 0 || !report || !isListed || within === 'state' || within === 'audience') return num(count);
    const search = {
      ad: by === 'campaign' ? row.key : params.of,
      creative: by === 'creative' ? row.key : within === 'creative' ? params.key : undefined,
      site: by === 'place' ? row.key : within === 'place' ? params.key : undefined,
      way,
      shown: by === 'day' ? row.key : report.starts_on,
      until: by === 'day' ? row.key : report.ends_on,
    };
    return (
      <Anchor
        component={Link}
        {...{ to: '/leads', search: search as never }}
        inherit
        underline="always"
        aria-label={`${num(count)} leads of ${row.name} after a ${way}`}
        onClick={(event: MouseEvent) => event.stopPropagation()}
      >
        {num(count)}
      </Anchor>
    );
  };
  const columns: Column<Row>[] = [
    {
      key: 'name',
      title: WORDS[by],
      phone: 'title',
      fluid: 26,
      render: (row) => <Clip text={row.name} max="cell" />,
    },
    ...(by !== 'campaign' && by !== 'creative' && by !== 'place'
      ? []
      : [
          {
            key: 'platform',
            title: 'Shown by',
            from: 1000,
            render: (row: Row) => (row.platform ? AD_PLATFORM_NAMES[row.platform] : <None />),
          },
        ]),
    {
      key: 'impressions',
      title: 'Impressions',
      align: 'right',
      phone: 'line',
      render: (row) => num(row.impressions),
    },
    { key: 'viewable', title: 'Viewable', align: 'right', from: 800, render: (row) => num(row.viewable) },
    { key: 'clicks', title: 'Clicks', align: 'right', phone: 'line', render: (row) => num(row.clicks) },
    { key: 'visits', title: 'Visits', align: 'right', from: 700, render: (row) => num(row.visits) },
    {
      key: 'leads',
      title: 'Leads',
      align: 'right',
      phone: 'line',
      render: (row) => leadsLink(row, 'click', row.leads),
    },
    {
      key: 'view_leads',
      title: 'After a view',
      align: 'right',
      from: 900,
      render: (row) => leadsLink(row, 'view', row.view_leads),
    },
    {
      key: 'spend',
      title: 'Spend',
      align: 'right',
      phone: 'end',
      render: (row) => <Money micros={row.spend_micros} />,
    },
    ...(user.company_kind === 'client'
      ? []
      : [
          {
            key: 'cost',
            title: 'Cost',
            align: 'right' as const,
            from: 1100,
            render: (row: Row) => <Money micros={row.cost_micros ?? 0} />,
          },
        ]),
    {
      key: 'cost_per_lead',
      title: 'Cost per lead',
      align: 'right',
      from: 620,
      render: (row) =>
        row.cost_per_lead_micros === null ? <None /> : <Money micros={row.cost_per_lead_micros} />,
    },
  ];

  /** The chart of what is grouped by; values add up to the total, except those of audiences. */
  const chart = (data: Report) => {
    const values = new Map(data.data.map((row) => [row.key, amountOf(row)]));
    if (by === 'day' || by === 'hour') {
      const keys = by === 'hour' ? HOURS : daysFrom(data.starts_on, data.ends_on);
      return (
        <DayChart
          days={keys.map((key) => ({
            label: by === 'hour' ? `${key}:00` : dayWords(key),
            now: values.get(key) ?? 0,
            before: null,
          }))}
          name={metricName}
          format={format}
          axis={isMoney ? 80 : 56}
          whole={!isMoney}
          {...(by === 'day' ? { onPick: (at: number) => open(keys[at]!, keys[at]!) } : {})}
        />
      );
    }
    const bars = data.data
      .map((row) => ({ key: row.key, name: row.name, value: amountOf(row) }))
      .sort((a, b) => b.value - a.value);
    const list = (most: number) => (
      <Bars
        rows={bars.slice(0, most)}
        format={format}
        onPick={(key) => open(key, bars.find((one) => one.key === key)!.name)}
      />
    );
    if (by !== 'state')
      return (
        <>
          {list(MOST_BARS)}
          {bars.length > MOST_BARS && (
            <Text size="sm" c="dimmed" p="xs">
              The {MOST_BARS} largest of {num(bars.length)}. The table has all.
            </Text>
          )}
        </>
      );
    return (
      <div className={classes.split}>
        <Suspense fallback={<Skeleton height={320} />}>
          <StateMap
            label={`${metricName} by state`}
            values={values}
            format={format}
            onPick={(state) => open(state, US_STATES[state] ?? state)}
          />
        </Suspense>
        <div className={classes.scroll}>{list(bars.length)}</div>
      </div>
    );
  };

  return (
    <>
      <div className={classes.filters}>
        <Select
          aria-label="Campaign"
          placeholder="All campaigns"
          clearable
          data={(campaigns?.data ?? []).map((one) => ({
            value: one.campaign_id,
            label: one.campaign_name,
          }))}
          value={params.of ?? null}
          onChange={(of) => set({ of: of ?? undefined })}
        />
        <DayInput
          label="From"
          value={params.from ?? ''}
          onChange={(from) => set({ from: from || undefined })}
        />
        <DayInput label="To" value={params.to ?? ''} onChange={(to) => set({ to: to || undefined })} />
        {within && (
          <Badge
            variant="default"
            size="lg"
            tt="none"
            rightSection={
              <CloseButton
                size="xs"
                aria-label={`Show all, not only ${params.name ?? WORDS[within]}`}
                onClick={() => set({ within: undefined, key: undefined, name: undefined })}
              />
            }
          >
            {WORDS[within]}: {params.name || params.key || 'Not known'}
          </Badge>
        )}
      </div>
      <div style={TILES}>
        <StatTile plain label="Impressions" value={total && num(total.impressions)} />
        <StatTile plain label="Clicks" value={total && num(total.clicks)} />
        <StatTile plain label="Visits" value={total && num(total.visits)} />
        <StatTile plain label="Leads" value={total && num(total.leads + total.view_leads)} />
        <StatTile plain label="Spend" value={total && money(total.spend_micros)} />
        <StatTile
          plain
          label="Cost per lead"
          value={total && (total.cost_per_lead_micros === null ? '–' : money(total.cost_per_lead_micros))}
        />
      </div>
      {total && total.impressions > 0 && (
        <Text size="sm" c="dimmed" mb="md">
          {share(total.viewable, total.impressions)} of impressions were viewable
          {total.clicks > 0 && `, and ${share(total.visits, total.clicks)} of clicks arrived on the site`}.
          {by === 'audience' &&
            ' Someone in several audiences counts in each, so they can add up to more than the total.'}
        </Text>
      )}
      <Group gap="xs" mb="md" className={classes.groups}>
        <SegmentedControl
          aria-label="Group by"
          value={by}
          data={groups.map((value) => ({ value, label: WORDS[value] }))}
          onChange={(next) => isGroup(next) && set({ by: next })}
        />
      </Group>
      <ChartOrTable
        title={`${metricName} by ${WORDS[by].toLowerCase()}`}
        query={query}
        grows={by !== 'day' && by !== 'hour'}
        actions={
          <Select
            aria-label="Show"
            w={140}
            allowDeselect={false}
            data={Object.entries(METRICS).map(([value, { label }]) => ({ value, label }))}
            value={metric}
            onChange={(next) => set({ metric: next ?? undefined })}
          />
        }
        chart={() =>
          rows.length === 0 ? (
            <EmptyState
              title="Nothing was shown in this time"
              text="Impressions appear here soon after an ad was shown."
            />
          ) : (
            chart(report!)
          )
        }
        table={
          <DataTable
            label="Ads"
            name={`ads.report.${by}`}
            download={{ list: 'ads-report', of: 'adReports.report', query: input }}
            columns={columns}
            query={{ ...query, data: report && { data: rows } }}
            rowKey={(row) => row.key || 'none'}
            onRow={openRow}
            empty={
              <EmptyState
                title="Nothing was shown in this time"
                text="Impressions appear here soon after an ad was shown."
              />
            }
          />
        }
      />
    </>
  );
}
