import type { Clock } from '../../../platform/clock.ts';
import type { Outcome } from './policy.ts';

/** An attempt that takes longer than this is slow. */
const SLOW_MS = 3_000;
/** How long a destination counts as slow after a slow attempt. */
const REMEMBERED_MS = 60_000;
const MOST = 10_000;

/** Which destinations were slow a moment ago, in this process. */
export function createSlowness(clock: Clock) {
  const until = new Map<string, number>();
  return {
    isSlow: (target: string): boolean => (until.get(target) ?? 0) > clock.now().getTime(),
    note(target: string, { durationMs }: Outcome): void {
      until.delete(target);
      if (durationMs < SLOW_MS) return;
      until.set(target, clock.now().getTime() + REMEMBERED_MS);
      const [oldest] = until.keys();
      if (until.size > MOST && oldest !== undefined) until.delete(oldest);
    },
  };
}
