const DAY_MS = 86_400_000;
/** How old a comparison may be: calls are only safe by lists read at most this many days ago (47 CFR 64.1200). */
const FRESH_DAYS = 31;

export interface ScrubDays {
  /** null: nobody said when the number was compared. */
  days: number | null;
  isStale: boolean;
}

/** How long ago a number was compared with do-not-call lists. */
export function scrubDays(at: string | null, now: number): ScrubDays {
  if (!at) return { days: null, isStale: false };
  const ms = Math.max(0, now - Date.parse(at));
  return { days: Math.floor(ms / DAY_MS), isStale: ms > FRESH_DAYS * DAY_MS };
}

/** The same in words. */
export function scrubWords({ days, isStale }: ScrubDays): string {
  if (days === null) return 'Not known whether it is on a do-not-call list';
  const ago = days === 0 ? 'today' : days === 1 ? 'yesterday' : `${days} days ago`;
  return `Do-not-call lists checked ${ago}${isStale ? ', too long ago to rely on' : ''}`;
}
