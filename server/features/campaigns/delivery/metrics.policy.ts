/** Attempts are counted by how long they took, up to these milliseconds each, and a last group for what took longer. */
export const TOOK_UP_TO = [100, 250, 500, 1_000, 2_500, 5_000, 10_000] as const;

/** The group of an attempt, counted from 0. */
export function tookGroup(ms: number): number {
  const group = TOOK_UP_TO.findIndex((most) => ms <= most);
  return group < 0 ? TOOK_UP_TO.length : group;
}

/**
 * How long a share (0 to 1) of the attempts took at most, in milliseconds; the longest group has no end and counts as
 * 15 seconds, after which an attempt is given up. null without attempts.
 */
export function quantile(took: readonly number[], share: number): number | null {
  const all = took.reduce((sum, count) => sum + count, 0);
  if (all === 0) return null;
  let seen = 0;
  const group = took.findIndex((count) => {
    seen += count;
    return seen >= all * share;
  });
  return TOOK_UP_TO[group] ?? 15_000;
}
