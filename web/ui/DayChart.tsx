import './desk.css';
import { type KeyboardEvent, type PointerEvent, useId, useLayoutEffect, useRef, useState } from 'react';
import { axisSteps, type ChartDay, labelsThatFit } from './chart.ts';
import classes from './DayChart.module.css';

const TOP = 8;
const BOTTOM = 28;
const RIGHT = 12;

/** Returns an element's size, from the first paint on. */
function useSize() {
  const ref = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = () => {
      const { clientWidth: width, clientHeight: height } = element;
      setSize((was) => (was.width === width && was.height === height ? was : { width, height }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, ...size };
}

/**
 * A metric by day, with the previous period as a dashed line if there is one. Zero is always visible; the chart fills
 * its box. Arrow keys, Home, and End move between days; the selected day is announced to screen readers.
 */
export default function DayChart(props: {
  days: ChartDay[];
  name: string;
  format: (value: number) => string;
  /** Space for the numbers on the left, in px. */
  axis: number;
  /** Whether the values are counts, so that the axis has no fractions. */
  whole: boolean;
  /** Narrows the page to the day of an index: by a click, or Enter on the selected day. */
  onPick?: ((index: number) => void) | undefined;
}) {
  const { days, axis } = props;
  const { ref, width, height } = useSize();
  const [at, setAt] = useState<number>();
  const help = useId();
  const chosen = at === undefined ? undefined : days[Math.min(at, days.length - 1)];
  const values = days.flatMap(({ now, before }) => [now, before ?? 0]);
  const steps = axisSteps(Math.max(0, ...values), 4, props.whole, Math.min(0, ...values));
  const most = steps.at(-1) ?? 1;
  const least = steps[0] ?? 0;
  const inner = { width: Math.max(width - axis - RIGHT, 1), height: Math.max(height - TOP - BOTTOM, 1) };
  const x = (i: number) => axis + (days.length > 1 ? (i / (days.length - 1)) * inner.width : inner.width / 2);
  const y = (value: number) => TOP + ((most - value) / (most - least)) * inner.height;
  const line = (points: [number, number][]) =>
    points.map(([px, py], i) => `${i ? 'L' : 'M'}${px.toFixed(1)} ${py.toFixed(1)}`).join('');
  const now = days.map(({ now }, i): [number, number] => [x(i), y(now)]);
  const before = days.flatMap(({ before }, i): [number, number][] =>
    before === null ? [] : [[x(i), y(before)]],
  );
  const floor = y(0);
  const area = now.length ? `${line(now)}L${now.at(-1)![0]} ${floor}L${now[0]![0]} ${floor}Z` : '';

  const point = (event: PointerEvent<HTMLDivElement>) => {
    const place = event.clientX - event.currentTarget.getBoundingClientRect().left - axis;
    const share = days.length > 1 ? place / inner.width : 0;
    setAt(Math.max(0, Math.min(days.length - 1, Math.round(share * (days.length - 1)))));
  };
  const pick = () => {
    if (at !== undefined) props.onPick?.(Math.min(at, days.length - 1));
  };
  const walk = (event: KeyboardEvent) => {
    if (event.key === 'Enter') pick();
    const last = days.length - 1;
    const from = at ?? -1;
    const to: Record<string, number | undefined> = {
      ArrowRight: Math.min(from + 1, last),
      ArrowLeft: Math.max(from < 0 ? last : from - 1, 0),
      Home: 0,
      End: last,
      Escape: undefined,
    };
    if (!(event.key in to)) return;
    event.preventDefault();
    setAt(to[event.key]);
  };
  const words = (day: ChartDay) =>
    `${day.label}: ${props.format(day.now)}${day.before === null ? '' : `, previous period ${props.format(day.before)}`}`;

  return (
    <div className={classes.chart}>
      <div
        ref={ref}
        className={classes.plot}
        role="slider"
        tabIndex={0}
        aria-label={`${props.name} over time`}
        aria-describedby={help}
        aria-valuemin={0}
        aria-valuemax={Math.max(days.length - 1, 0)}
        aria-valuenow={at ?? 0}
        aria-valuetext={chosen ? words(chosen) : 'No day selected'}
        data-picks={props.onPick && true}
        onKeyDown={walk}
        onClick={pick}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => setAt(undefined)}
        onBlur={() => setAt(undefined)}
      >
        {width > 0 && height > 0 && (
          <svg width={width} height={height} aria-hidden="true">
            {steps.map((step) => (
              <g key={step}>
                <line className={classes.grid} x1={axis} x2={width - RIGHT} y1={y(step)} y2={y(step)} />
                <text className={classes.figure} x={axis - 8} y={y(step)} dy="0.32em" textAnchor="end">
                  {props.format(step)}
                </text>
              </g>
            ))}
            {labelsThatFit(days.length, inner.width).map((i) => (
              <text
                key={i}
                className={classes.figure}
                x={x(i)}
                y={height - 8}
                textAnchor={
                  days.length > 1 && i === 0
                    ? 'start'
                    : days.length > 1 && x(i) > width - 48
                      ? 'end'
                      : 'middle'
                }
              >
                {days[i]?.label}
              </text>
            ))}
            <path className={classes.area} d={area} />
            {before.length > 1 && <path className={classes.before} d={line(before)} />}
            <path className={classes.now} d={line(now)} />
            {(days.length === 1
              ? [0]
              : at !== undefined && chosen
                ? [Math.min(at, days.length - 1)]
                : []
            ).map((i) => (
              <g key={i}>
                {days.length > 1 && (
                  <line className={classes.cursor} x1={x(i)} x2={x(i)} y1={TOP} y2={floor} />
                )}
                {days[i]?.before != null && (
                  <circle className={classes.dotBefore} cx={x(i)} cy={y(days[i].before)} r={3.5} />
                )}
                <circle className={classes.dotNow} cx={x(i)} cy={y(days[i]!.now)} r={4} />
              </g>
            ))}
          </svg>
        )}
        {chosen && at !== undefined && (
          <div
            className={classes.tip}
            data-side={x(at) > width / 2 ? 'left' : 'right'}
            style={{ left: x(Math.min(at, days.length - 1)) }}
            aria-hidden="true"
          >
            <div className={classes.day}>{chosen.label}</div>
            <div className={classes.row} data-series="now">
              <span>{props.name}</span>
              <b className="num">{props.format(chosen.now)}</b>
            </div>
            {chosen.before !== null && (
              <div className={classes.row} data-series="before">
                <span>Previous period</span>
                <b className="num">{props.format(chosen.before)}</b>
              </div>
            )}
          </div>
        )}
      </div>
      <div className={classes.legend} id={help}>
        <span className={classes.key} data-series="now">
          {props.name}
        </span>
        {before.length > 0 && (
          <span className={classes.key} data-series="before">
            Previous period
          </span>
        )}
        <span className="sr-only">
          Use the arrow keys to move between days.
          {props.onPick && ' Press Enter to see only the selected one.'}
        </span>
      </div>
    </div>
  );
}
