import { Skeleton, Text, Tooltip } from '@mantine/core';
import { IconArrowDownRight, IconArrowUpRight, IconMinus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { MINUS } from '../../contract/dollars.ts';
import { percent } from './format.ts';
import classes from './StatTile.module.css';

interface StatTileProps {
  label: string;
  /** The formatted value; absent while loading. */
  value: ReactNode | undefined;
  now?: number;
  /** The value in the previous period; absent: no comparison. */
  before?: number | undefined;
  /** The previous value as text, shown on hover. */
  beforeText?: string | undefined;
  /** Whether a higher value is good ('up'), bad ('down'), or neither. */
  better?: 'up' | 'down';
  /** Never compared, so no line is reserved for it. */
  plain?: boolean;
  /** Both are shares (0 to 1): the change is in percentage points. */
  points?: boolean;
  /** The page that lists what is counted: the whole tile leads there. */
  to?: string | undefined;
}

/** One figure against the period before; an arrow and a sign carry the direction, not the color alone. */
export function StatTile(props: StatTileProps) {
  const { now, before } = props;
  const compares = now !== undefined && before !== undefined;
  const change = compares
    ? props.points
      ? (now - before) * 100
      : before === 0
        ? undefined
        : (now - before) / before
    : undefined;
  const isFlat = change !== undefined && Math.abs(change) < (props.points ? 0.05 : 0.0005);
  const Arrow =
    isFlat || change === undefined ? IconMinus : change > 0 ? IconArrowUpRight : IconArrowDownRight;
  const good =
    change === undefined || isFlat || !props.better ? undefined : change > 0 === (props.better === 'up');
  const words =
    change === undefined
      ? now === 0
        ? 'none in either period'
        : 'none previously'
      : isFlat
        ? 'no change'
        : props.points
          ? `${change > 0 ? '+' : MINUS}${Math.abs(change).toFixed(1)} pts`
          : `${change > 0 ? '+' : MINUS}${percent(Math.abs(change))}`;
  return (
    <div className={`card ${classes.tile}`}>
      <Text size="sm" c="dimmed">
        {props.to ? (
          <Link to={props.to as '/'} className={classes.link}>
            {props.label}
          </Link>
        ) : (
          props.label
        )}
      </Text>
      {props.value === undefined ? (
        <>
          <Skeleton height={24} width="60%" my={4} />
          {!props.plain && <Skeleton height={12} width="40%" my={4} />}
        </>
      ) : (
        <>
          <div className="num" style={{ fontSize: 24, lineHeight: '32px', fontWeight: 600 }}>
            {props.value}
          </div>
          {!props.plain && (
            <Tooltip
              label={`Previous period: ${props.beforeText ?? before ?? 'unknown'}`}
              disabled={!compares}
            >
              <span
                className={`num ${classes.above}`}
                style={{
                  display: 'flex',
                  width: 'fit-content',
                  minHeight: 20,
                  alignItems: 'center',
                  gap: 4,
                  fontSize: 12,
                  lineHeight: '20px',
                  whiteSpace: 'nowrap',
                  color:
                    good === undefined ? 'var(--mantine-color-dimmed)' : good ? 'var(--good)' : 'var(--bad)',
                }}
              >
                {compares && (
                  <>
                    <Arrow size={14} aria-hidden="true" /> {words}
                    {change !== undefined && <span className="dim not-on-phone">vs. previous</span>}
                  </>
                )}
              </span>
            </Tooltip>
          )}
        </>
      )}
    </div>
  );
}
