import { Button, Group, Menu, SegmentedControl, Select, Skeleton, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconDownload, IconReceipt } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { Client } from '../../../../contract/index.ts';
import {
  STATEMENT_VIEWS,
  type StatementView,
  TRANSFER_KINDS,
  type TransferKind,
} from '../../../../contract/money/ledger.ts';
import { api } from '../../../api/client.ts';
import { download } from '../../../api/download.ts';
import { useMayDownload, useUser } from '../../../api/user.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { useDrawer } from '../../../ui/DetailDrawer.tsx';
import { dayWords, money, num } from '../../../ui/format.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { StatTile } from '../../../ui/StatTile.tsx';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { Clip, Money, None, When } from '../../../ui/Values.tsx';
import { PageZone, zoneWords } from '../../../ui/zone.ts';
import { AddressRange } from '../../campaigns/analytics/AddressRange.tsx';
import { CampaignSelect } from '../../campaigns/analytics/CampaignSelect.tsx';
import { dayIn, rangeOf } from '../../campaigns/analytics/range.ts';
import { LineDrawer } from './LineDrawer.tsx';
import classes from './StatementPage.module.css';
import { kindWords, viewWords } from './words.ts';

const DayChart = lazy(() => import('../../../ui/DayChart.tsx'));

type Line = Awaited<ReturnType<Client['ledger']['statement']>>['data'][number];

/** The company's money: the balance over time, and every statement line. */
export default function StatementPage() {
  const user = useUser();
  const drawer = useDrawer('line');
  const [params, set] = useSearchParams();
  const today = dayIn(new Date(), user.time_zone);
  const { from, to, days } = params;
  const range = useMemo(() => rangeOf({ from, to, days } as never, today), [from, to, days, today]);
  const view: StatementView = STATEMENT_VIEWS.find((one) => one === params.view) ?? 'balance';
  const kind: TransferKind | undefined = TRANSFER_KINDS.find((one) => one === params.kind);
  const [text, setText] = useState(params.q ?? '');
  const [search] = useDebouncedValue(text.trim(), 300);
  const span = { view, starts_on: range.start, ends_on: range.end };
  const filter = {
    ...span,
    ...(kind ? { kind } : {}),
    ...(params.campaign ? { campaign_id: params.campaign } : {}),
    ...(search ? { search: search } : {}),
  };
  const isFiltered = Boolean(kind || params.campaign || search);

  const series = useQuery({
    queryKey: ['statement', 'series', span],
    queryFn: ({ signal }) => api.ledger.series(span, { signal }),
    placeholderData: keepPreviousData,
  });
  const query = useInfiniteQuery({
    queryKey: ['statement', 'lines', filter],
    queryFn: ({ signal, pageParam }) =>
      api.ledger.statement({ ...filter, ...(pageParam ? { cursor: pageParam } : {}) }, { signal }),
    initialPageParam: '',
    getNextPageParam: (last) => last.next_cursor,
    placeholderData: keepPreviousData,
  });
  const first = query.data?.pages[0];
  const company = user.company_kind as 'client' | 'agency' | 'root';
  const views = first?.views ?? [view];
  const lines = query.data?.pages.flatMap((page) => page.data);
  // Invoices move debt from one account to another, so most change nothing here. Filtering by kind shows all of them.
  const [isUnfolded, setUnfolded] = useState(false);
  const folded = kind || isUnfolded ? 0 : (lines?.filter((line) => line.amount_micros === 0).length ?? 0);
  const rows = folded > 0 ? lines?.filter((line) => line.amount_micros !== 0) : lines;
  const end = first?.balance_micros ?? 0;
  const change = first && first.opening_micros !== null ? end - first.opening_micros : null;

  return (
    <PageZone value={user.time_zone}>
      <PageHeader
        title="Statement"
        line={`Every charge, top-up, and refund. Times are in ${zoneWords(user.time_zone)}.`}
        primary={<MonthMenu today={today} />}
      />
      <Group mb="md" gap="sm" justify="space-between">
        {views.length > 1 ? (
          <SegmentedControl
            aria-label="Account"
            value={view}
            data={views.map((one) => ({ value: one, label: viewWords(company, one).title }))}
            onChange={(next) => set({ view: next === 'balance' ? undefined : next })}
            style={{ maxWidth: '100%', overflowX: 'auto' }}
          />
        ) : (
          <span />
        )}
        <AddressRange range={range} today={today} />
      </Group>
      <div className={classes.top}>
        <div className={classes.tiles}>
          <StatTile plain label="Closing balance" value={first && money(end)} />
          <StatTile plain label="Opening balance" value={first && money(first.opening_micros ?? 0)} />
          <StatTile
            plain
            label="Change"
            value={first && (change === null ? '' : `${change > 0 ? '+' : ''}${money(change)}`)}
          />
        </div>
        <section className="card" aria-label="Balance over time">
          <Text size="sm" c="dimmed" px={16} pt={12}>
            {viewWords(company, view).meaning}, at the end of each day
          </Text>
          <div className={classes.chart}>
            {series.error ? (
              <ErrorState
                error={series.error}
                what="The balances could not be loaded"
                onRetry={() => void series.refetch()}
              />
            ) : (
              <Suspense fallback={<Skeleton height="100%" />}>
                {series.data ? (
                  <DayChart
                    days={series.data.days.map(({ day, balance_micros }) => ({
                      label: dayWords(day),
                      now: balance_micros,
                      before: null,
                    }))}
                    name="Balance"
                    format={(micros) => money(micros)}
                    axis={88}
                    whole={false}
                  />
                ) : (
                  <Skeleton height="100%" />
                )}
              </Suspense>
            )}
          </div>
        </section>
      </div>
      <div className={classes.filters}>
        <Select
          aria-label="Kind"
          placeholder="All kinds"
          clearable
          clearButtonProps={{ 'aria-label': 'All kinds' }}
          searchable
          w={{ base: '100%', xs: 200 }}
          data={TRANSFER_KINDS.map((value) => ({ value, label: kindWords(value) }))}
          value={kind ?? null}
          onChange={(value) => set({ kind: value ?? undefined })}
        />
        <CampaignSelect value={params.campaign} onChange={(id) => set({ campaign: id })} />
        <TextInput
          aria-label="Find by ID"
          placeholder="Find by line or lead ID"
          w={{ base: '100%', xs: 280 }}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            set({ q: event.currentTarget.value || undefined });
          }}
        />
      </div>
      <DataTable
        label="Lines"
        download={{ list: '/ledger/statement/export', of: 'ledger.statement', query: filter }}
        name="statement"
        columns={columnsFor(company)}
        query={{
          data: rows && { data: rows },
          error: query.error,
          isPending: query.isPending,
          isFetching: query.isFetching,
          refetch: () => query.refetch(),
        }}
        rowKey={(row) => row.id}
        phoneRow={(row) => ({
          state: <Money micros={row.amount_micros} unit />,
          line: row.campaign_name ?? (company === 'client' ? '' : row.company_name),
          end: <When at={row.created_at} />,
        })}
        onRow={(row) => drawer.open(row.id)}
        empty={
          <EmptyState
            icon={<IconReceipt size={32} stroke={1.4} />}
            title={isFiltered ? 'No matching lines' : 'Nothing happened in this period'}
            text={
              isFiltered
                ? 'Choose another kind or campaign, or a longer period.'
                : 'Every lead, top-up, charge, and refund appears here as a line. Choose a longer period to see earlier ones.'
            }
          />
        }
      />
      {folded > 0 && (
        <Group justify="center" mt="md" gap="xs">
          <Text size="sm" c="dimmed">
            {folded === 1 ? '1 line of $0.00 is hidden.' : `${num(folded)} lines of $0.00 are hidden.`}
          </Text>
          <Button variant="subtle" size="compact-sm" onClick={() => setUnfolded(true)}>
            Show
          </Button>
        </Group>
      )}
      {query.hasNextPage && (
        <Group justify="center" mt="md">
          <Button
            variant="default"
            loading={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            Show older lines
          </Button>
        </Group>
      )}
      <LineDrawer />
    </PageZone>
  );
}

/** The last twelve monthly statements as PDFs, the current month first. */
function MonthMenu({ today }: { today: string }) {
  const mayDownload = useMayDownload();
  const [year, month] = today.split('-').map(Number);
  const months = Array.from({ length: 12 }, (_, at) =>
    new Date(Date.UTC(year!, month! - 1 - at)).toISOString().slice(0, 10),
  );
  if (!mayDownload) return null;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={16} aria-hidden="true" />}>
          Monthly PDF
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {months.map((day) => (
          <Menu.Item
            key={day}
            onClick={() => void download('/ledger/statement/pdf', { month: day.slice(0, 7) })}
          >
            {dayWords(day, { month: 'long', year: 'numeric' })}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

const amount = (micros: number | null) => (micros === null ? <None /> : <Money micros={micros} unit />);

function columnsFor(company: 'client' | 'agency' | 'root'): Column<Line>[] {
  return [
    { key: 'kind', title: 'What', render: (row) => kindWords(row.kind) },
    { key: 'created_at', title: 'When', render: (row) => <When at={row.created_at} /> },
    ...(company === 'client'
      ? []
      : [
          {
            key: 'company',
            title: 'Company',
            render: (row: Line) => <Clip text={row.company_name} max={160} />,
          },
        ]),
    {
      key: 'campaign',
      title: 'Campaign',
      render: (row) => <Clip text={row.campaign_name} max={180} />,
    },
    ...(company === 'client'
      ? []
      : [
          {
            key: 'price',
            title: company === 'root' ? 'Paid by client' : 'Price',
            align: 'right' as const,
            render: (row: Line) => amount(row.price_micros),
          },
          {
            key: 'cost',
            title: company === 'root' ? 'Paid by agency' : 'Cost',
            align: 'right' as const,
            render: (row: Line) => amount(row.cost_micros),
          },
          {
            key: 'margin',
            title: 'Margin',
            align: 'right' as const,
            render: (row: Line) => amount(row.margin_micros),
          },
        ]),
    ...(company === 'root'
      ? [
          {
            key: 'supplier',
            title: 'Supplier cost',
            align: 'right' as const,
            hidden: true,
            render: (row: Line) => amount(row.supplier_micros),
          },
        ]
      : []),
    {
      key: 'amount',
      title: 'Amount',
      align: 'right',
      render: (row) => <Money micros={row.amount_micros} unit />,
    },
    {
      key: 'balance',
      title: 'Balance',
      align: 'right',
      render: (row) => <Money micros={row.balance_micros} unit />,
    },
  ];
}
