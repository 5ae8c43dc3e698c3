import { Select, Text } from '@mantine/core';
import { IconTrendingUp } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { lazy } from 'react';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { useUser } from '../../../api/user.ts';
import { ChartOrTable } from '../../../ui/ChartOrTable.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { DownloadData } from '../../../ui/DownloadData.tsx';
import { money, num, percent } from '../../../ui/format.ts';
import { EmptyState } from '../../../ui/states.tsx';
import { useSearchParams } from '../../../ui/useSearchParams.ts';
import { Money, None } from '../../../ui/Values.tsx';
import { monthLabel } from './period.ts';
import classes from './report-analytics.module.css';

const DayChart = lazy(() => import('../../../ui/DayChart.tsx'));

type Report = Awaited<ReturnType<Client['reportAnalytics']['growth']>>;
type Row = Report['data'][number];

/** How a root's agencies, or an agency's clients, come and go, with what that is worth; and cohorts by first month. */
export function Growth() {
  const isRoot = useUser().company_kind === 'root';
  const [params, set] = useSearchParams();
  const months = [6, 12, 24, 36].find((one) => String(one) === params.months) ?? 12;
  const query = useQuery({
    queryKey: ['reports', 'growth', months],
    queryFn: ({ signal }) => api.reportAnalytics.growth({ months }, { signal }),
    placeholderData: keepPreviousData,
  });
  const report = query.data;
  const who = isRoot ? 'agencies' : 'clients';
  const empty = (
    <EmptyState
      icon={<IconTrendingUp size={32} stroke={1.4} />}
      title="No sales yet"
      text={`The months of your ${who} appear here, from their first sale on.`}
    />
  );
  return (
    <>
      <ChartOrTable
        title={`Growth and churn of ${who}`}
        query={query}
        actions={
          <Select
            aria-label="Months"
            w={160}
            allowDeselect={false}
            value={String(months)}
            data={[6, 12, 24, 36].map((one) => ({ value: String(one), label: `${one} months` }))}
            onChange={(next) => set({ months: next === '12' ? undefined : (next ?? undefined) })}
          />
        }
        chart={() => (
          <DayChart
            days={report!.data.map((row) => ({ label: monthLabel(row.key), now: row.active, before: null }))}
            name={isRoot ? 'Agencies with sales' : 'Clients with sales'}
            format={num}
            axis={48}
            whole
          />
        )}
        table={
          <DataTable
            label="Growth"
            name="report-growth"
            download={{ list: 'report-growth', of: 'reportAnalytics.growth', query: { months } }}
            columns={COLUMNS}
            query={{ ...query, data: report && { data: report.data.toReversed() } }}
            rowKey={(row) => row.key}
            empty={empty}
          />
        }
      />
      <ChartOrTable
        title="Cohorts by month of the first sale"
        query={query}
        grows
        actions={
          <DownloadData list="report-cohorts" of="reportAnalytics.growth" query={{ months }} compact />
        }
        chart={() => (report!.cohorts.length === 0 ? empty : <Cohorts report={report!} of="share" />)}
        table={report && report.cohorts.length > 0 ? <Cohorts report={report} of="revenue" /> : empty}
      />
    </>
  );
}

/** How many of each cohort still had sales in the months after, or what they were worth. */
function Cohorts({ report, of }: { report: Report; of: 'share' | 'revenue' }) {
  const most = Math.max(...report.cohorts.map((one) => one.active.length));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard
    <section className={classes.cohorts} tabIndex={0} aria-label="Cohorts">
      <Text size="sm" c="dimmed" p={8}>
        {of === 'share'
          ? 'Share with sales, by months since the first sale'
          : 'Revenue, by months since the first sale'}
      </Text>
      <table>
        <thead>
          <tr>
            <th scope="col">First sale</th>
            <th scope="col">Size</th>
            {Array.from({ length: most }, (_, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: months have no other name
              <th key={at} scope="col" className="num">
                {at}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {report.cohorts.map((cohort) => (
            <tr key={cohort.key}>
              <th scope="row">{monthLabel(cohort.key)}</th>
              <td className="num">{num(cohort.size)}</td>
              {cohort.active.map((active, at) => (
                <td
                  // biome-ignore lint/suspicious/noArrayIndexKey: months have no other name
                  key={at}
                  className="num"
                  data-share
                  style={{ '--share': active / cohort.size } as object}
                >
                  {of === 'share' ? percent(active / cohort.size) : money(cohort.revenue_micros[at]!)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const count = (key: 'active' | 'fresh' | 'back' | 'lost', title: string): Column<Row> => ({
  key,
  title,
  align: 'right',
  render: (row) => <span className="num">{num(row[key])}</span>,
});
const amount = (
  key: 'revenue_micros' | 'fresh_micros' | 'grown_micros' | 'shrunk_micros' | 'lost_micros',
  title: string,
): Column<Row> => ({ key, title, align: 'right', render: (row) => <Money micros={row[key]} /> });
const COLUMNS: Column<Row>[] = [
  { key: 'key', title: 'Month', render: (row) => monthLabel(row.key) },
  { ...count('active', 'With sales'), phone: 'line' },
  count('fresh', 'New'),
  count('back', 'Back'),
  count('lost', 'Lost'),
  {
    key: 'churn',
    title: 'Churn',
    align: 'right',
    phone: 'state',
    render: (row) => (row.churn === null ? <None /> : <span className="num">{percent(row.churn)}</span>),
  },
  { ...amount('revenue_micros', 'Revenue'), phone: 'end' },
  amount('fresh_micros', 'From new'),
  amount('grown_micros', 'Growth'),
  amount('shrunk_micros', 'Decline'),
  amount('lost_micros', 'From lost'),
];
