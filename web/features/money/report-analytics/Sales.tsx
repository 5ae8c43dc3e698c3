import { Select } from '@mantine/core';
import { IconChartBar } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { lazy } from 'react';
import type { Client } from '../../../../contract/index.ts';
import { SALE_TERMS } from '../../../../contract/money/ledger.ts';
import { REPORT_GROUPS, type ReportGroup } from '../../../../contract/money/report-analytics.ts';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { Bars, ChartOrTable } from '../../../ui/ChartOrTable.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { DetailDrawer, useDrawer } from '../../../ui/DetailDrawer.tsx';
import { money, num, percent } from '../../../ui/format.ts';
import { StatTile } from '../../../ui/StatTile.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { Clip, Money, None } from '../../../ui/Values.tsx';
import { SaleLines } from '../ledger/SaleLines.tsx';
import { type Asked, daysOf, monthLabel } from './period.ts';
import classes from './report-analytics.module.css';

const DayChart = lazy(() => import('../../../ui/DayChart.tsx'));

type Report = Awaited<ReturnType<Client['reportAnalytics']['report']>>;
type Row = Report['data'][number];

const GROUPS: Record<ReportGroup, string> = {
  month: 'Month',
  product: 'Product',
  term: 'Payment term',
  agency: 'Agency',
  client: 'Client',
  campaign: 'Campaign',
};
const MOST_BARS = 12;

/** Sales by month, product, term, agency, client, or campaign; each number opens to its lines in the ledger. */
export function Sales({ asked }: { asked: Asked }) {
  const isRoot = useUser().company_kind === 'root';
  const rows = useDrawer('row');
  const [params, set] = useSearchParams();
  const groups = REPORT_GROUPS.filter((one) => isRoot || one !== 'agency');
  const by = groups.find((one) => one === params.by) ?? 'month';
  const input = { ...asked, by };
  const query = useQuery({
    queryKey: ['reports', 'sales', input],
    queryFn: ({ signal }) => api.reportAnalytics.report(input, { signal }),
    placeholderData: keepPreviousData,
  });
  const report = query.data;
  const total = report?.total;
  const tile = (label: string, of: 'revenue_micros' | 'cost_micros' | 'margin_micros' | 'leads') => {
    const words = of === 'leads' ? num : money;
    return (
      <StatTile
        label={label}
        value={total && words(total[of])}
        {...(of === 'cost_micros' ? {} : { better: 'up' as const })}
        {...(total ? { now: total[of], before: total.before[of], beforeText: words(total.before[of]) } : {})}
      />
    );
  };
  return (
    <>
      <div className={classes.tiles}>
        {tile('Leads', 'leads')}
        {tile(isRoot ? 'Paid by agencies' : 'Paid by clients', 'revenue_micros')}
        {tile(isRoot ? 'Supplier cost' : 'Your cost', 'cost_micros')}
        {tile('Margin', 'margin_micros')}
      </div>
      <ChartOrTable
        title="Sales"
        query={query}
        grows={by !== 'month'}
        actions={
          <Select
            aria-label="Group by"
            w={160}
            allowDeselect={false}
            value={by}
            data={groups.map((value) => ({ value, label: `By ${GROUPS[value].toLowerCase()}` }))}
            onChange={(next) => set({ by: !next || next === 'month' ? undefined : next, row: undefined })}
          />
        }
        chart={() =>
          report!.data.length === 0 ? (
            NOTHING
          ) : by === 'month' ? (
            <DayChart
              days={report!.data.map((row) => ({
                label: /^\d{4}-\d\d$/.test(row.key) ? monthLabel(row.key) : row.name,
                now: row.revenue_micros,
                before: row.before?.revenue_micros ?? null,
              }))}
              name={isRoot ? 'Paid by agencies' : 'Paid by clients'}
              format={(micros) => money(micros)}
              axis={88}
              whole={false}
              onPick={(at) => rows.open(report!.data[at]!.key)}
            />
          ) : (
            <Bars
              rows={report!.data
                .slice(0, MOST_BARS)
                .map((row) => ({ key: row.key, name: row.name, value: row.revenue_micros }))}
              format={(micros) => money(micros)}
              onPick={rows.open}
            />
          )
        }
        table={
          <DataTable
            label="Sales"
            name={`report-${by}`}
            download={{ list: 'report-analytics', of: 'reportAnalytics.report', query: input }}
            columns={columnsFor(by, isRoot, total)}
            query={{ ...query, data: report && { data: report.data } }}
            rowKey={(row) => row.key}
            onRow={(row) => rows.open(row.key)}
            empty={NOTHING}
          />
        }
      />
      <DetailDrawer
        param="row"
        size={640}
        title={report?.data.find((row) => row.key === rows.id)?.name ?? 'Lines'}
      >
        {(key) => <SaleLines filter={{ ...filterOf(by, key, asked) }} />}
      </DetailDrawer>
    </>
  );
}

const NOTHING = (
  <EmptyState
    icon={<IconChartBar size={32} stroke={1.4} />}
    title="Nothing was sold in this period"
    text="Leads and campaign fees are totaled here. Choose a longer period to see earlier ones."
  />
);

/** The lines of the ledger behind a row. */
function filterOf(
  by: ReportGroup,
  key: string,
  { starts_on, ends_on }: Asked,
): Parameters<Client['ledger']['marginLines']>[0] {
  const days = { starts_on, ends_on };
  if (by === 'month') return daysOf(key, days);
  if (by === 'product') return { ...days, module: key as 'local' };
  if (by === 'campaign') return { ...days, campaign_id: key };
  if (by === 'term') {
    const term = SALE_TERMS.find((one) => one === key);
    return { ...days, ...(term ? { term } : {}) };
  }
  return { ...days, company_id: key };
}

function columnsFor(by: ReportGroup, isRoot: boolean, total: Report['total'] | undefined): Column<Row>[] {
  const amount = (
    key: 'price_micros' | 'revenue_micros' | 'cost_micros' | 'margin_micros',
    title: string,
  ): Column<Row> => ({
    key,
    title,
    align: 'right',
    render: (row) => <Money micros={row[key]} />,
    foot: total && <Money micros={total[key]} />,
  });
  return [
    { key: 'name', title: GROUPS[by], render: (row) => <Clip text={row.name} max={320} />, foot: 'Total' },
    ...(by === 'campaign' || (by === 'client' && isRoot)
      ? [
          {
            key: 'company',
            title: by === 'campaign' ? 'Client' : 'Agency',
            phone: 'line' as const,
            render: (row: Row) => <Clip text={row.company_name} max={200} />,
          },
        ]
      : []),
    {
      key: 'leads',
      title: 'Leads',
      align: 'right',
      phone: 'line',
      render: (row) => <span className="num">{num(row.leads)}</span>,
      foot: total && <span className="num">{num(total.leads)}</span>,
    },
    ...(isRoot ? [{ ...amount('price_micros', 'Paid by clients'), hidden: true }] : []),
    { ...amount('revenue_micros', isRoot ? 'Paid by agencies' : 'Paid by clients'), phone: 'state' },
    amount('cost_micros', isRoot ? 'Supplier cost' : 'Your cost'),
    { ...amount('margin_micros', 'Margin'), phone: 'end' },
    {
      key: 'before',
      title: 'Before',
      align: 'right',
      render: (row) => (row.before ? <Money micros={row.before.revenue_micros} /> : <None />),
      foot: total && <Money micros={total.before.revenue_micros} />,
    },
    {
      key: 'change',
      title: 'Change',
      align: 'right',
      render: (row) => <Change now={row.revenue_micros} before={row.before?.revenue_micros ?? 0} />,
      foot: total && <Change now={total.revenue_micros} before={total.before.revenue_micros} />,
    },
  ];
}

/** How an amount changed, as a share of what it was. */
export function Change({ now, before }: { now: number; before: number }) {
  if (before <= 0) return <None />;
  const share = (now - before) / before;
  return (
    <span className="num">
      {share > 0 ? '+' : ''}
      {percent(share)}
    </span>
  );
}
