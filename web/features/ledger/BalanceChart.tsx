import '@mantine/charts/styles.css';
import { AreaChart } from '@mantine/charts';
import { dayWords, money } from '../../ui/format.ts';

/** The balance at the end of each day. Fills its box. */
export default function BalanceChart(props: { days: { day: string; balance_micros: number }[] }) {
  return (
    <AreaChart
      h="100%"
      data={props.days.map(({ day, balance_micros }) => ({
        label: dayWords(day),
        balance: balance_micros / 1e6,
      }))}
      dataKey="label"
      series={[{ name: 'balance', label: 'Balance', color: 'var(--accent-line)' }]}
      withDots={props.days.length < 2}
      curveType="stepAfter"
      tickLine="none"
      gridAxis="x"
      strokeWidth={2}
      valueFormatter={(value) => money(value * 1e6)}
      xAxisProps={{ minTickGap: 32 }}
      yAxisProps={{ width: 88, tickFormatter: (value: number) => money(value * 1e6, { whole: true }) }}
      areaProps={{ fillOpacity: 0.14, isAnimationActive: false }}
    />
  );
}
