import { Chip, Group, SegmentedControl, Skeleton } from '@mantine/core';
import { IconFileInvoice } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import type { INVOICE_SIDES } from '../../../../contract/money/invoices.ts';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { useDrawer } from '../../../ui/DetailDrawer.tsx';
import { isDay, money, num } from '../../../ui/format.ts';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { StatTile } from '../../../ui/StatTile.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useListState } from '../../../ui/useListState.ts';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { Clip, Money, When } from '../../../ui/Values.tsx';
import { PageZone, zoneWords } from '../../../ui/zone.ts';
import { dayIn } from '../../campaigns/analytics/range.ts';
import { InvoiceDrawer } from './InvoiceDrawer.tsx';
import classes from './invoices.module.css';
import { Past } from './Past.tsx';
import { Upcoming } from './Upcoming.tsx';
import { Waiting } from './Waiting.tsx';
import { FILTERS, kindWords, periodWords, type Row, standing } from './words.ts';

const DateRange = lazy(() => import('./DateRange.tsx'));

type Side = (typeof INVOICE_SIDES)[number];
type Kind = 'root' | 'agency' | 'client';

const LINES: Record<Kind, string> = {
  root: 'Charges to agencies and their payment status.',
  agency: 'Charges to your clients and your agency, and their payment status.',
  client: 'Your charges and how they were paid.',
};

/** Invoices that the user's own company issues or pays (PAY-04). */
export default function InvoicesPage() {
  const user = useUser();
  const drawer = useDrawer('invoice');
  const [params, set] = useSearchParams();
  const state = useListState({ sort: 'finalised_at', dir: 'desc', perPage: 25 });
  const company = user.company_kind as Kind;
  const side: Side =
    company === 'root' || (company === 'agency' && params.side === 'wholesale') ? 'wholesale' : 'retail';
  const isPayer = company === 'client' || (company === 'agency' && side === 'wholesale');
  const status = FILTERS.find(([code]) => code === params.status)?.[0];
  const span = isDay(params.from) && isDay(params.to) && params.from <= params.to ? params : undefined;
  const filter = {
    ...state.input,
    side,
    ...(status ? { status } : {}),
    ...(span ? { starts_on: span.from, ends_on: span.to } : {}),
  };
  const query = useQuery({
    queryKey: ['invoices', 'list', filter],
    queryFn: ({ signal }) => api.invoices.list(filter, { signal }),
    placeholderData: keepPreviousData,
  });
  const isFiltered = Boolean(status || span || state.q);
  const narrow = (patch: Parameters<typeof set>[0]) => set({ ...patch, page: undefined });
  return (
    <PageZone value={user.time_zone}>
      <PageHeader title="Invoices" line={`${LINES[company]} Times are in ${zoneWords(user.time_zone)}.`} />
      {company === 'agency' && (
        <SegmentedControl
          mb="md"
          aria-label="Invoices for"
          value={side}
          data={[
            { value: 'retail', label: 'Clients’ invoices' },
            { value: 'wholesale', label: 'Your invoices' },
          ]}
          onChange={(next) => narrow({ side: next === 'retail' ? undefined : next })}
        />
      )}
      <div className={classes.tiles}>
        <StatTile
          plain
          label={isPayer ? 'Left to pay' : 'Amount due'}
          value={query.data && money(query.data.due_micros)}
        />
        <StatTile plain label="Invoiced" value={query.data && money(query.data.total_micros)} />
        <StatTile plain label="Invoices" value={query.data && num(query.data.total)} />
      </div>
      {isPayer ? <Upcoming /> : <Waiting />}
      <Group gap="xs" mb="md">
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would bring its own layout */}
        <div role="group" aria-label="Status" className={classes.pills}>
          {FILTERS.map(([code, word]) => (
            <Chip
              key={code}
              size="sm"
              checked={status === code}
              onChange={(checked) => narrow({ status: checked ? code : undefined })}
            >
              {word}
            </Chip>
          ))}
        </div>
        <Suspense fallback={<Skeleton height={36} width={280} />}>
          <DateRange
            label="Issued"
            from={span?.from}
            to={span?.to}
            today={dayIn(new Date(), user.time_zone)}
            onChange={(from, to) => narrow({ from, to })}
          />
        </Suspense>
      </Group>
      <DataTable
        label="Invoices"
        download={{ list: 'invoices', of: 'invoices.list', query: filter }}
        name="invoices"
        columns={columnsFor(company, isPayer, user.time_zone, query.data)}
        query={query}
        state={state}
        rowKey={(row) => row.id}
        phoneRow={(row) => ({
          state: <Standing row={row} />,
          line: (
            <>
              {isPayer ? kindWords(row) : row.company_name}
              {row.finalised_at && (
                <>
                  {' · '}
                  <When at={row.finalised_at} />
                </>
              )}
            </>
          ),
          end: <Money micros={row.total_micros} />,
        })}
        onRow={(row) => drawer.open(row.id)}
        search={isPayer ? 'Search by number' : 'Search by number or name'}
        empty={
          isFiltered ? (
            <EmptyState
              icon={<IconFileInvoice size={32} stroke={1.4} />}
              title="No matching invoices"
              text="Choose another status or a longer date range."
            />
          ) : (
            <EmptyState
              icon={<IconFileInvoice size={32} stroke={1.4} />}
              title="No invoices yet"
              text="Weekly campaigns are invoiced every Monday, and everything else on the first of the month. Card top-ups get a receipt right away."
            />
          )
        }
      />
      <Past companyId={params.before} onAll={() => set({ before: undefined, 'past-page': undefined })} />
      <InvoiceDrawer />
    </PageZone>
  );
}

function Standing({ row }: { row: Row }) {
  const { word, tone } = standing(row);
  return (
    <StatusBadge status={row.status} tone={tone}>
      {word}
    </StatusBadge>
  );
}

function columnsFor(
  company: Kind,
  isPayer: boolean,
  timeZone: string,
  sums: { total_micros: number; due_micros: number } | undefined,
): Column<Row>[] {
  return [
    {
      key: 'number',
      title: 'Number',
      sortable: true,
      render: (row) => <Clip text={row.number} max={160} />,
      foot: 'Total',
    },
    {
      key: 'status',
      title: 'Status',
      render: (row) => <Standing row={row} />,
    },
    ...(isPayer
      ? []
      : [
          {
            key: 'company',
            title: company === 'root' ? 'Agency' : 'Client',
            render: (row: Row) => <Clip text={row.company_name} max={200} />,
          },
        ]),
    {
      key: 'what',
      title: 'For',
      render: (row) => {
        const period = periodWords(row.period_from, row.period_to, row.time_zone ?? timeZone);
        return <Clip text={period ? `${kindWords(row)}, ${period}` : kindWords(row)} max={280} />;
      },
    },
    { key: 'finalised_at', title: 'Issued', sortable: true, render: (row) => <When at={row.finalised_at} /> },
    { key: 'due_at', title: 'Due by', hidden: true, render: (row) => <When at={row.due_at} /> },
    { key: 'paid_at', title: 'Paid on', hidden: true, render: (row) => <When at={row.paid_at} /> },
    {
      key: 'total',
      title: 'Total',
      sortable: true,
      align: 'right',
      render: (row) => <Money micros={row.total_micros} />,
      foot: sums && <Money micros={sums.total_micros} />,
    },
    {
      key: 'due',
      title: 'Due',
      align: 'right',
      render: (row) => <Money micros={row.due_micros} />,
      foot: sums && <Money micros={sums.due_micros} />,
    },
  ];
}
