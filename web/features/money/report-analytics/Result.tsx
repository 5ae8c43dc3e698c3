import { SegmentedControl } from '@mantine/core';
import { IconChartBar } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, useState } from 'react';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { ChartOrTable } from '../../../ui/ChartOrTable.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { dayWords, money } from '../../../ui/format.ts';
import { StatTile } from '../../../ui/StatTile.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Money } from '../../../ui/Values.tsx';
import { type Asked, monthLabel } from './period.ts';
import classes from './report-analytics.module.css';

const DayChart = lazy(() => import('../../../ui/DayChart.tsx'));

type Report = Awaited<ReturnType<Client['reportAnalytics']['revenue']>>;
type Row = Report['data'][number];
type Field = 'revenue_micros' | 'cost_micros' | 'margin_micros';

const FIELDS: Record<Field, string> = {
  revenue_micros: 'Revenue',
  cost_micros: 'Supplier cost',
  margin_micros: 'Margin',
};

/** What a root earned and what remained, with everything that its statement has; each row leads to its lines there. */
export function Result({ asked }: { asked: Asked }) {
  const [field, setField] = useState<Field>('revenue_micros');
  const navigate = useNavigate();
  const input = { start: asked.starts_on, end: asked.ends_on, compare: asked.compare };
  const query = useQuery({
    queryKey: ['reports', 'revenue', input],
    queryFn: ({ signal }) => api.reportAnalytics.revenue(input, { signal }),
    placeholderData: keepPreviousData,
  });
  const report = query.data;
  const total = report?.total;
  const openRow = (row: Row) =>
    void navigate({
      to: '/configuration/statement' as '/',
      search: { from: row.starts_on, to: row.ends_on } as never,
    });
  const tile = (
    label: string,
    of: (sums: Report['total'] | Report['total']['before']) => number,
    better?: 'up' | 'down',
  ) => (
    <StatTile
      label={label}
      value={total && money(of(total))}
      {...(total ? { now: of(total), before: of(total.before), beforeText: money(of(total.before)) } : {})}
      {...(better ? { better } : {})}
    />
  );
  const label = (key: string) => (key.length > 7 ? dayWords(key) : monthLabel(key));
  return (
    <ChartOrTable
      title="Revenue of the platform"
      query={query}
      actions={
        <SegmentedControl
          aria-label="Amount"
          value={field}
          data={Object.entries(FIELDS).map(([value, label]) => ({ value, label }))}
          onChange={(next) => setField(next as Field)}
        />
      }
      chart={() => (
        <DayChart
          days={report!.data.map((row) => ({ label: label(row.key), now: row[field], before: null }))}
          name={FIELDS[field]}
          format={(micros) => money(micros)}
          axis={88}
          whole={false}
          onPick={(at) => openRow(report!.data[at]!)}
        />
      )}
      table={
        <>
          <div className={classes.tiles}>
            {tile('Revenue', (sums) => sums.revenue_micros, 'up')}
            {tile('Supplier cost', (sums) => sums.cost_micros)}
            {tile('Card fees', (sums) => sums.fee_micros)}
            {tile('Margin', (sums) => sums.margin_micros, 'up')}
          </div>
          <DataTable
            label="Revenue of the platform"
            name="root-revenue"
            download={{ list: 'root-revenue', of: 'reportAnalytics.revenue', query: input }}
            columns={columnsFor(total, label)}
            query={{ ...query, data: report && { data: report.data } }}
            rowKey={(row) => row.key}
            onRow={openRow}
            empty={
              <EmptyState
                icon={<IconChartBar size={32} stroke={1.4} />}
                title="Nothing in this period"
                text="Everything that agencies are charged is totaled here."
              />
            }
          />
        </>
      }
    />
  );
}

function columnsFor(total: Report['total'] | undefined, label: (key: string) => string): Column<Row>[] {
  const amount = (key: Exclude<keyof Report['total'], 'before'>, title: string): Column<Row> => ({
    key,
    title,
    align: 'right',
    render: (row) => <Money micros={row[key]} />,
    foot: total && <Money micros={total[key]} />,
  });
  return [
    { key: 'key', title: 'Period', render: (row) => label(row.key), foot: 'Total' },
    { ...amount('revenue_micros', 'Revenue'), phone: 'line' },
    amount('cost_micros', 'Supplier cost'),
    amount('fee_micros', 'Card fees'),
    amount('other_micros', 'Other'),
    { ...amount('margin_micros', 'Margin'), phone: 'end' },
  ];
}
