import type { ReactNode } from 'react';
import { prettyCode } from './format.ts';
import classes from './StatusBadge.module.css';

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'plain';

const tones: Record<string, Tone> = {
  active: 'good',
  enabled: 'good',
  delivered: 'good',
  done: 'good',
  found: 'good',
  success: 'good',
  paused: 'warn',
  pending: 'info',
  queued: 'info',
  running: 'info',
  mapping: 'info',
  blocked: 'warn',
  held: 'warn',
  failed: 'bad',
  disabled: 'bad',
  not_found: 'bad',
};

/** A state as a word with a dot; its color follows the code unless `tone` says otherwise. */
export function StatusBadge(props: { status: string; tone?: Tone; children?: ReactNode }) {
  const tone = props.tone ?? tones[props.status] ?? 'plain';
  return (
    <span className={classes.badge} data-tone={tone}>
      <span className={classes.dot} aria-hidden="true" />
      {props.children ?? prettyCode(props.status)}
    </span>
  );
}
