import '@mantine/charts/styles.css';
import { CompositeChart } from '@mantine/charts';

/** One day of the chart: the value, and that of the same day of the period before. */
export interface ChartDay {
  label: string;
  now: number;
  before: number | null;
}

/** A measure over days with its ghost: the period before, dashed. Zero-based; fills its box. */
export default function LeadsChart(props: {
  days: ChartDay[];
  name: string;
  format: (value: number) => string;
  /** Room for the figures at the left, px. */
  axis: number;
}) {
  return (
    <CompositeChart
      h="100%"
      data={props.days}
      dataKey="label"
      withDots={props.days.length < 2}
      curveType="linear"
      tickLine="none"
      gridAxis="x"
      strokeWidth={2}
      valueFormatter={props.format}
      xAxisProps={{ minTickGap: 32 }}
      yAxisProps={{ width: props.axis, allowDecimals: false, domain: [0, 'auto'] }}
      areaProps={{ fillOpacity: 0.14, isAnimationActive: false }}
      lineProps={{ isAnimationActive: false }}
      series={[
        {
          name: 'before',
          label: 'Period before',
          color: 'var(--ghost)',
          type: 'line',
          strokeDasharray: '4 4',
        },
        { name: 'now', label: props.name, color: 'var(--accent-line)', type: 'area' },
      ]}
      withLegend
      legendProps={{ verticalAlign: 'bottom', height: 36 }}
    />
  );
}
