import { Select } from '@mantine/core';
import { IconMoodSmile } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { Bars, ChartOrTable } from '../../../ui/ChartOrTable.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { DetailDrawer, useDrawer } from '../../../ui/DetailDrawer.tsx';
import { num } from '../../../ui/format.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { Clip, Money } from '../../../ui/Values.tsx';
import { SaleLines } from '../ledger/SaleLines.tsx';
import classes from './report-analytics.module.css';

type Report = Awaited<ReturnType<Client['reportAnalytics']['underPerform']>>;
type Row = Report['data'][number];

const REASONS: Record<Row['reasons'][number]['code'], string> = {
  below_cost: 'Below cost',
  no_balance: 'No balance',
  silent: 'Site is silent',
  no_leads: 'No leads',
  falling: 'Falling leads',
  low_match: 'Few visits recognized',
  returned: 'Leads returned',
  undelivered: 'Leads not delivered',
};

/** Campaigns that perform worse than they should, with the reasons; each opens to its sales. */
export function Under() {
  const isRoot = useUser().company_kind === 'root';
  const rows = useDrawer('row');
  const [params, set] = useSearchParams();
  const days = [7, 30, 90].find((one) => String(one) === params.days) ?? 30;
  const query = useQuery({
    queryKey: ['reports', 'under', days],
    queryFn: ({ signal }) => api.reportAnalytics.underPerform({ days }, { signal }),
    placeholderData: keepPreviousData,
  });
  const all = query.data?.data;
  const reason = params.reason;
  const shown = all?.filter((row) => !reason || row.reasons.some(({ code }) => code === reason));
  const counts = Object.entries(REASONS)
    .map(([key, name]) => ({
      key,
      name,
      value: all?.filter((row) => row.reasons.some(({ code }) => code === key)).length ?? 0,
    }))
    .filter(({ value }) => value > 0);
  const empty = (
    <EmptyState
      icon={<IconMoodSmile size={32} stroke={1.4} />}
      title="No campaign under-performs"
      text="Campaigns without leads, with falling numbers, or with losses appear here."
    />
  );
  return (
    <>
      <ChartOrTable
        title="Under-performing campaigns"
        first="table"
        query={query}
        grows
        actions={
          <Select
            aria-label="Days"
            w={140}
            allowDeselect={false}
            value={String(days)}
            data={[7, 30, 90].map((one) => ({ value: String(one), label: `${one} days` }))}
            onChange={(next) => set({ days: next === '30' ? undefined : (next ?? undefined) })}
          />
        }
        chart={() =>
          counts.length === 0 ? (
            empty
          ) : (
            <Bars
              rows={counts}
              format={num}
              onPick={(key) => set({ reason: key === reason ? undefined : key })}
            />
          )
        }
        table={
          <DataTable
            label="Campaigns"
            name="under-perform-campaigns"
            download={{
              list: 'under-perform-campaigns',
              of: 'reportAnalytics.underPerform',
              query: { days },
            }}
            columns={columnsFor(isRoot)}
            query={{ ...query, data: shown && { data: shown } }}
            rowKey={(row) => row.campaign_id}
            onRow={(row) => rows.open(row.campaign_id)}
            filters={
              reason && reason in REASONS
                ? [
                    {
                      label: REASONS[reason as keyof typeof REASONS],
                      onRemove: () => set({ reason: undefined }),
                    },
                  ]
                : []
            }
            empty={empty}
            emptyFiltered={empty}
          />
        }
      />
      <DetailDrawer
        param="row"
        size={640}
        title={all?.find((row) => row.campaign_id === rows.id)?.campaign_name ?? 'Lines'}
      >
        {(id) => <SaleLines filter={{ campaign_id: id }} />}
      </DetailDrawer>
    </>
  );
}

function columnsFor(isRoot: boolean): Column<Row>[] {
  return [
    {
      key: 'campaign_name',
      title: 'Campaign',
      render: (row) => <Clip text={`#${row.campaign_number} ${row.campaign_name}`} max={240} />,
    },
    {
      key: 'client',
      title: 'Client',
      phone: 'line',
      render: (row) => <Clip text={row.company_name} max={180} />,
    },
    ...(isRoot
      ? [{ key: 'agency', title: 'Agency', render: (row: Row) => <Clip text={row.agency_name} max={180} /> }]
      : []),
    { key: 'status', title: 'Status', phone: 'state', render: (row) => <StatusBadge status={row.status} /> },
    {
      key: 'reasons',
      title: 'Reasons',
      phone: 'line',
      render: (row) => (
        <ul className={classes.reasons}>
          {row.reasons.map(({ code, text }) => (
            <li key={code}>{text}</li>
          ))}
        </ul>
      ),
    },
    {
      key: 'leads',
      title: 'Leads',
      align: 'right',
      render: (row) => <span className="num">{num(row.leads)}</span>,
    },
    {
      key: 'leads_before',
      title: 'Before',
      align: 'right',
      render: (row) => <span className="num">{num(row.leads_before)}</span>,
    },
    {
      key: 'revenue',
      title: 'Revenue',
      align: 'right',
      render: (row) => <Money micros={row.revenue_micros} />,
    },
    {
      key: 'margin',
      title: 'Margin',
      align: 'right',
      phone: 'end',
      render: (row) => <Money micros={row.margin_micros} />,
    },
  ];
}
