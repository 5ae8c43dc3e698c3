/** How a wallet shall be topped up by itself. */
export interface Wish {
  /** What is topped up, micro-dollars; 0: nothing has been chosen. */
  amount: bigint;
  continual: boolean;
}

/**
 * Where the automatic top-up stands.
 * - `idle`: off, or not armed: the balance has not been above the threshold since it was turned on;
 * - `armed`: the next fall to the threshold makes it due;
 * - `due`: a job will see to it; `charging`: one charge is under way;
 * - `waiting`: refused by a ceiling, or declined, and tried again at `retryAt`; `stopped`: a person must look at it.
 */
export interface Auto {
  state: 'idle' | 'armed' | 'due' | 'charging' | 'waiting' | 'stopped';
  /** Declines in a row. */
  declines: number;
  retryAt: Date | null;
  /** Why it waits or stopped, for people. */
  reason: string;
}

const HOUR_MS = 3_600_000;
/** Pauses after the first, second and third decline in a row; after the next one it stops (BEY-03). */
export const BACK_OFF_MS = [HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS] as const;
/** So long it waits for another charge for the same wallet to end. */
export const BUSY_MS = 60_000;

/** The balance at which a wallet is topped up: 10 % of the amount (spec calls 9). */
export const thresholdOf = (wish: Wish): bigint => wish.amount / 10n;
const isOn = (wish: Wish): boolean => wish.continual && wish.amount > 0n;
const rest = (state: 'idle' | 'armed' | 'due'): Auto => ({ state, declines: 0, retryAt: null, reason: '' });

/** After money came in or a person changed the settings: it begins anew. A charge under way stays under way. */
export function rearm(before: Auto, wish: Wish, available: bigint): Auto {
  if (before.state === 'charging') return before;
  return rest(isOn(wish) && available > thresholdOf(wish) ? 'armed' : 'idle');
}

/** After a draw: due when an armed one has fallen to its threshold. Null: nothing changes, so each crossing counts once. */
export function onDrawn(before: Auto, wish: Wish, available: bigint): Auto | null {
  return before.state === 'armed' && isOn(wish) && available <= thresholdOf(wish) ? rest('due') : null;
}

/** What an agency is told of a balance that is not topped up by itself: once at 10 % of the amount, once at 1 %. Null: nothing new. */
export function newsOf(told: '' | 'low' | 'empty', wish: Wish, available: bigint): 'low' | 'empty' | null {
  if (isOn(wish) || wish.amount === 0n || available > thresholdOf(wish)) return null;
  if (available <= wish.amount / 100n) return told === 'empty' ? null : 'empty';
  return told === '' ? 'low' : null;
}

/** What a try is judged by. */
export interface Facts {
  available: bigint;
  now: Date;
  /** Why this agency may not top up (no card, no agreement); null: it may. */
  refusal: string | null;
  /** Automatic top-ups of the present day and month, micro-dollars, and the ceilings; null: none. */
  day: { spent: bigint; ceiling: bigint | null; ends: Date };
  month: { spent: bigint; ceiling: bigint | null; ends: Date };
}

export type Plan =
  | { act: 'nothing'; next: Auto }
  | { act: 'refuse'; next: Auto; why: 'missing' | 'day' | 'month'; words: string }
  | { act: 'charge'; next: Auto };

/** What is to be done with one that is due, or whose pause is over. */
export function decide(before: Auto, wish: Wish, facts: Facts): Plan {
  const { now, available } = facts;
  const isDue = before.state === 'due' || (before.state === 'waiting' && before.retryAt! <= now);
  if (!isDue) return { act: 'nothing', next: before };
  if (!isOn(wish)) return { act: 'nothing', next: rest('idle') };
  // Somebody topped it up by hand meanwhile.
  if (available > thresholdOf(wish)) return { act: 'nothing', next: rest('armed') };
  if (facts.refusal !== null) {
    const next: Auto = { ...before, state: 'stopped', retryAt: null, reason: facts.refusal };
    return { act: 'refuse', next, why: 'missing', words: facts.refusal };
  }
  for (const why of ['month', 'day'] as const) {
    const { spent, ceiling, ends } = facts[why];
    if (ceiling === null || spent + wish.amount <= ceiling) continue;
    const words = `This would exceed your automatic top-up limit for the ${why}.`;
    return { act: 'refuse', next: { ...before, state: 'waiting', retryAt: ends, reason: words }, why, words };
  }
  return { act: 'charge', next: { ...before, state: 'charging', retryAt: null, reason: '' } };
}

/** After a decline of the charge under way. */
export function onDeclined(before: Auto, now: Date, words: string): Auto {
  if (before.state !== 'charging') return before;
  const pause = BACK_OFF_MS[before.declines];
  const declines = before.declines + 1;
  return pause === undefined
    ? { state: 'stopped', declines, retryAt: null, reason: words }
    : { state: 'waiting', declines, retryAt: new Date(now.getTime() + pause), reason: words };
}

/** After the charge under way succeeded. */
export const onSucceeded = (wish: Wish, available: bigint): Auto => rearm(rest('idle'), wish, available);

/** Midnight of the present day or month, and of the next, where the agency is. */
export function periodOf(now: Date, timeZone: string, period: 'day' | 'month'): { from: Date; ends: Date } {
  const today = Temporal.Instant.fromEpochMilliseconds(now.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDate();
  const first = period === 'day' ? today : today.with({ day: 1 });
  const at = (day: Temporal.PlainDate) => new Date(day.toZonedDateTime({ timeZone }).epochMilliseconds);
  return { from: at(first), ends: at(first.add(period === 'day' ? { days: 1 } : { months: 1 })) };
}
