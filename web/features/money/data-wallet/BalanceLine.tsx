import type { DataWallet } from '../../../../contract/money/data-wallet.ts';
import { dayWords } from '../../../ui/format.ts';
import classes from './data-wallet.module.css';
import { signed } from './model.ts';

const WIDTH = 640;
const HEIGHT = 110;
const TOP = 8;
const BOTTOM = 2;

/** The balance over a month as steps, each top-up marked with its amount. The history below says the same in words. */
export function BalanceLine({ days }: { days: DataWallet['days'] }) {
  const values = days.map(({ balance }) => Number(balance));
  const most = Math.max(1, ...values);
  const x = (i: number) => (i / Math.max(days.length, 1)) * WIDTH;
  const y = (value: number) => TOP + (1 - Math.max(value, 0) / most) * (HEIGHT - TOP - BOTTOM);
  const steps = values.map((value, i) => `${i ? 'V' : 'M0 '}${y(value)}H${x(i + 1)}`).join('');
  const floor = HEIGHT - BOTTOM;
  const topUps = days.flatMap(({ topup }, i) => (Number(topup) > 0 ? [i] : []));
  const last = days.at(-1);
  return (
    <div>
      <div className={`${classes.axis} ${classes.small} num`}>
        <span>Balance by day, from $0.00 to {signed(String(most))}</span>
        {topUps.length > 0 && (
          <span>
            <span className={classes.mark} aria-hidden="true" />
            Top-up
          </span>
        )}
      </div>
      <div className={classes.chart}>
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          width="100%"
          height="100%"
          role="img"
          aria-label={`Balance by day, ${signed(String(values.at(-1) ?? 0))} at the end${
            topUps.length ? `; topped up on ${topUps.map((i) => dayWords(days[i]!.day)).join(', ')}` : ''
          }`}
          preserveAspectRatio="none"
          style={{ display: 'block' }}
        >
          <path d={`${steps}V${floor}H0Z`} fill="var(--accent-line)" opacity={0.14} />
          <path
            d={steps}
            fill="none"
            stroke="var(--accent-line)"
            strokeWidth={2}
            vectorEffect="non-scaling-stroke"
          />
          <path d={`M0 ${floor}H${WIDTH}`} stroke="var(--hairline)" vectorEffect="non-scaling-stroke" />
          {topUps.map((i) => (
            <path
              key={days[i]!.day}
              d={`M${x(i)} ${TOP - 6}V${floor}`}
              stroke="var(--good)"
              strokeDasharray="3 3"
              vectorEffect="non-scaling-stroke"
            />
          ))}
        </svg>
      </div>
      <div className={`${classes.axis} ${classes.small}`} aria-hidden="true">
        <span>{dayWords(days[0]!.day)}</span>
        {last && <span>{dayWords(last.day)}</span>}
      </div>
    </div>
  );
}
