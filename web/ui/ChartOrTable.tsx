import { Group, SegmentedControl, Skeleton, Title } from '@mantine/core';
import { type ReactNode, Suspense, useState } from 'react';
import classes from './ChartOrTable.module.css';
import { ErrorState } from './states.tsx';

/** A chart with the table of its numbers one click away. */
export function ChartOrTable(props: {
  title: string;
  query: { error: unknown; isPending: boolean; refetch: () => unknown };
  chart: () => ReactNode;
  table: ReactNode;
  /** Beside the switch. */
  actions?: ReactNode;
  /** The chart is as high as its contents. */
  grows?: boolean;
  /** What is shown first. */
  first?: 'chart' | 'table';
}) {
  const [shown, setShown] = useState(props.first ?? 'chart');
  const { query } = props;
  return (
    <section aria-label={props.title} className={classes.section}>
      <Group justify="space-between" mb="sm" gap="sm">
        <Title order={2} size="h3">
          {props.title}
        </Title>
        <Group gap="sm">
          {props.actions}
          <SegmentedControl
            aria-label={`Show ${props.title} as`}
            value={shown}
            data={[
              { value: 'chart', label: 'Chart' },
              { value: 'table', label: 'Table' },
            ]}
            onChange={(next) => setShown(next as 'chart' | 'table')}
          />
        </Group>
      </Group>
      {shown === 'table' ? (
        props.table
      ) : (
        <div className={`card ${classes.chart}`} data-grows={props.grows || undefined}>
          {query.error ? (
            <ErrorState
              error={query.error}
              what="The report could not be loaded"
              onRetry={() => void query.refetch()}
            />
          ) : query.isPending ? (
            <Skeleton height={200} />
          ) : (
            <Suspense fallback={<Skeleton height={200} />}>{props.chart()}</Suspense>
          )}
        </div>
      )}
    </section>
  );
}

/** Amounts by name as bars, the largest first; each opens what it is made of. */
export function Bars(props: {
  rows: { key: string; name: string; value: number }[];
  format: (value: number) => string;
  onPick: (key: string) => void;
}) {
  const most = Math.max(1, ...props.rows.map(({ value }) => Math.abs(value)));
  return (
    <ul className={classes.bars}>
      {props.rows.map((row) => (
        <li key={row.key}>
          <button type="button" className={classes.bar} onClick={() => props.onPick(row.key)}>
            <span className={classes.name}>{row.name}</span>
            <span className={classes.track} aria-hidden="true">
              <span
                className={classes.fill}
                data-below={row.value < 0 || undefined}
                style={{ width: `${(Math.abs(row.value) / most) * 100}%` }}
              />
            </span>
            <span className={`num ${classes.amount}`}>{props.format(row.value)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
