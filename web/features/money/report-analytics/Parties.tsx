import { IconBuilding } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Client } from '../../../../contract/index.ts';
import type { Standing } from '../../../../contract/money/report-analytics.ts';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { Bars, ChartOrTable } from '../../../ui/ChartOrTable.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { DetailDrawer, useDrawer } from '../../../ui/DetailDrawer.tsx';
import { money, num, percent } from '../../../ui/format.ts';
import { StatTile } from '../../../ui/StatTile.tsx';
import { StatusBadge, type Tone } from '../../../ui/StatusBadge.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Clip, Money, None } from '../../../ui/Values.tsx';
import { SaleLines } from '../ledger/SaleLines.tsx';
import { type Asked, monthLabel } from './period.ts';
import classes from './report-analytics.module.css';
import { Change } from './Sales.tsx';

type Report = Awaited<ReturnType<Client['reportAnalytics']['agencies']>>;
type Row = Report['data'][number];

const STANDING: Record<Standing, [words: string, tone: Tone]> = {
  new: ['New', 'info'],
  active: ['Active', 'good'],
  lost: ['Lost', 'bad'],
  idle: ['Idle', 'warn'],
  never: ['No sales yet', 'plain'],
};
const MOST_BARS = 12;

/** Each agency of a root, or client of an agency: sales, growth, value of all time, and what it owes. */
export function Parties({ asked }: { asked: Asked }) {
  const isRoot = useUser().company_kind === 'root';
  const rows = useDrawer('row');
  const query = useQuery({
    queryKey: ['reports', 'parties', isRoot, asked],
    queryFn: ({ signal }) =>
      isRoot
        ? api.reportAnalytics.agencies(asked, { signal })
        : api.reportAnalytics.clients(asked, { signal }),
    placeholderData: keepPreviousData,
  });
  const report = query.data;
  const total = report?.total;
  const who = isRoot ? 'Agencies' : 'Clients';
  const sold = report?.data.filter((row) => row.revenue_micros !== 0) ?? [];
  const empty = (
    <EmptyState
      icon={<IconBuilding size={32} stroke={1.4} />}
      title={`No ${who.toLowerCase()} with sales`}
      text="Choose a longer period to see earlier sales."
    />
  );
  return (
    <>
      <div className={classes.tiles}>
        <StatTile
          plain
          label="With sales"
          value={total && `${num(total.active)} (${num(total.fresh)} new)`}
        />
        <StatTile
          plain
          label="Lost"
          value={total && `${num(total.lost)}${total.churn === null ? '' : ` (${percent(total.churn)})`}`}
        />
        <StatTile plain label="Average lifetime revenue" value={total && money(total.lifetime_micros)} />
        <StatTile
          plain
          label="Unpaid"
          value={total && money(total.unpaid_micros)}
          to="/configuration/invoices"
        />
      </div>
      <ChartOrTable
        title={who}
        query={query}
        grows
        chart={() =>
          sold.length === 0 ? (
            empty
          ) : (
            <Bars
              rows={sold
                .toSorted((a, b) => b.revenue_micros - a.revenue_micros)
                .slice(0, MOST_BARS)
                .map((row) => ({ key: row.id, name: row.company_name, value: row.revenue_micros }))}
              format={(micros) => money(micros)}
              onPick={rows.open}
            />
          )
        }
        table={
          <DataTable
            label={who}
            name={isRoot ? 'agencies-report' : 'clients-report'}
            download={
              isRoot
                ? { list: 'agencies-report', of: 'reportAnalytics.agencies', query: asked }
                : { list: 'clients-report', of: 'reportAnalytics.clients', query: asked }
            }
            columns={columnsFor(isRoot, total)}
            query={{ ...query, data: report && { data: report.data } }}
            rowKey={(row) => row.id}
            onRow={(row) => rows.open(row.id)}
            empty={empty}
          />
        }
      />
      <DetailDrawer
        param="row"
        size={640}
        title={report?.data.find((row) => row.id === rows.id)?.company_name ?? 'Lines'}
      >
        {(id) => (
          <SaleLines filter={{ company_id: id, starts_on: asked.starts_on, ends_on: asked.ends_on }} />
        )}
      </DetailDrawer>
    </>
  );
}

function columnsFor(isRoot: boolean, total: Report['total'] | undefined): Column<Row>[] {
  const amount = (
    key: 'revenue_micros' | 'margin_micros' | 'before_micros' | 'unpaid_micros',
    title: string,
  ): Column<Row> => ({
    key,
    title,
    align: 'right',
    render: (row) => <Money micros={row[key]} />,
    foot: total && <Money micros={total[key]} />,
  });
  return [
    {
      key: 'company_name',
      title: isRoot ? 'Agency' : 'Client',
      render: (row) => <Clip text={row.company_name} max={220} />,
      foot: 'Total',
    },
    {
      key: 'standing',
      title: 'Standing',
      phone: 'state',
      render: (row) => (
        <StatusBadge status={row.standing} tone={STANDING[row.standing][1]}>
          {STANDING[row.standing][0]}
        </StatusBadge>
      ),
    },
    { ...amount('revenue_micros', 'Revenue'), phone: 'line' },
    { ...amount('before_micros', 'Before'), hidden: true },
    {
      key: 'change',
      title: 'Change',
      align: 'right',
      render: (row) => <Change now={row.revenue_micros} before={row.before_micros} />,
      foot: total && <Change now={total.revenue_micros} before={total.before_micros} />,
    },
    { ...amount('margin_micros', 'Margin'), phone: 'end' },
    {
      key: 'lifetime_revenue_micros',
      title: 'Lifetime revenue',
      align: 'right',
      render: (row) => <Money micros={row.lifetime_revenue_micros} />,
    },
    {
      key: 'unpaid',
      title: 'Unpaid',
      align: 'right',
      render: (row) =>
        row.unpaid_micros === 0 ? (
          <None />
        ) : (
          <span>
            <Money micros={row.unpaid_micros} />
            {row.overdue > 0 && ` (${num(row.overdue)} overdue)`}
          </span>
        ),
      foot: total && <Money micros={total.unpaid_micros} />,
    },
    {
      key: 'first_month',
      title: 'First sale',
      render: (row) => (row.first_month ? monthLabel(row.first_month) : <None />),
    },
    {
      key: 'campaigns',
      title: 'Active campaigns',
      align: 'right',
      hidden: true,
      render: (row) => <span className="num">{num(row.campaigns)}</span>,
    },
    ...(isRoot
      ? [
          {
            key: 'clients',
            title: 'Clients',
            align: 'right' as const,
            hidden: true,
            render: (row: Row) => <span className="num">{num(row.clients)}</span>,
          },
        ]
      : []),
  ];
}
