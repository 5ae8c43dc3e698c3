/** How a wallet should be topped up automatically. */
export interface Wish {
  /** The amount to top up, in micro-dollars; 0 if none has been chosen. */
  amount: bigint;
  continual: boolean;
}

/**
 * The state of the automatic top-up.
 * - `idle`: off, or not armed: the balance has not been above the threshold since it was turned on;
 * - `armed`: the next fall to the threshold makes it due;
 * - `due`: a job will handle it; `charging`: one charge is in progress;
 * - `waiting`: refused by a ceiling, or declined, and tried again at `retryAt`; `stopped`: a person must look at it.
 */
export interface Auto {
  state: 'idle' | 'armed' | 'due' | 'charging' | 'waiting' | 'stopped';
  /** Consecutive declines. */
  declines: number;
  retryAt: Date | null;
  /** Why it is waiting or stopped, in user-facing words. */
  reason: string;
  /** A payment was refunded or disputed: it stays stopped until a person buys again or turns it on. */
  gaveBack: boolean;
}

const HOUR_MS = 3_600_000;
/** Pauses after the first, second and third consecutive decline; after the next one it stops (BEY-03). */
export const BACK_OFF_MS = [HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS] as const;
/** How long it waits for another charge for the same wallet to finish. */
export const BUSY_MS = 60_000;

/** The balance at which a wallet is topped up: 10 % of the amount (spec calls 9). */
export const thresholdOf = (wish: Wish): bigint => wish.amount / 10n;
const isOn = (wish: Wish): boolean => wish.continual && wish.amount > 0n;
const rest = (state: 'idle' | 'armed' | 'due'): Auto => ({
  state,
  declines: 0,
  retryAt: null,
  reason: '',
  gaveBack: false,
});

/**
 * Returns the state after a payment was refunded or disputed: what fell because of that would be charged again at once.
 */
export const onGaveBack = (reason: string): Auto => ({
  ...rest('idle'),
  state: 'stopped',
  reason,
  gaveBack: true,
});
/** Returns the state as it counts for a person who buys, or turns it on or off. */
export const byHand = (before: Auto): Auto => ({ ...before, gaveBack: false });

/** Resets the state after money came in or a user changed the settings. A charge in progress stays in progress. */
export function rearm(before: Auto, wish: Wish, available: bigint): Auto {
  if (before.state === 'charging' || before.gaveBack) return before;
  return rest(isOn(wish) && available > thresholdOf(wish) ? 'armed' : 'idle');
}

/**
 * Returns the state after a draw: due when an armed wallet has fallen to its threshold. Null if nothing changes, so
 * each crossing counts once.
 */
export function onDrawn(before: Auto, wish: Wish, available: bigint): Auto | null {
  return before.state === 'armed' && isOn(wish) && available <= thresholdOf(wish) ? rest('due') : null;
}

/**
 * Returns the notification an agency gets about a balance that is not topped up automatically: once at 10 % of the
 * amount, once at 1 %. Null if there is nothing new.
 */
export function newsOf(told: '' | 'low' | 'empty', wish: Wish, available: bigint): 'low' | 'empty' | null {
  if (isOn(wish) || wish.amount === 0n || available > thresholdOf(wish)) return null;
  if (available <= wish.amount / 100n) return told === 'empty' ? null : 'empty';
  return told === '' ? 'low' : null;
}

/** The facts by which an attempt is judged. */
export interface Facts {
  available: bigint;
  now: Date;
  /** Why this agency may not top up (no card, no agreement); null if it may. */
  refusal: string | null;
  /** Automatic top-ups of the current day and month in micro-dollars, and their ceilings; null for no ceiling. */
  day: { spent: bigint; ceiling: bigint | null; ends: Date };
  month: { spent: bigint; ceiling: bigint | null; ends: Date };
}

export type Plan =
  | { act: 'nothing'; next: Auto }
  | { act: 'refuse'; next: Auto; why: 'missing' | 'day' | 'month'; words: string }
  | { act: 'charge'; next: Auto };

/** Decides what to do with a top-up that is due or whose pause is over. */
export function decide(before: Auto, wish: Wish, facts: Facts): Plan {
  const { now, available } = facts;
  const isDue = before.state === 'due' || (before.state === 'waiting' && before.retryAt! <= now);
  if (!isDue) return { act: 'nothing', next: before };
  if (!isOn(wish)) return { act: 'nothing', next: rest('idle') };
  // Someone topped it up manually in the meantime.
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

/** Returns the state after a decline of the charge in progress. */
export function onDeclined(before: Auto, now: Date, words: string): Auto {
  if (before.state !== 'charging') return before;
  const pause = BACK_OFF_MS[before.declines];
  const declines = before.declines + 1;
  return pause === undefined
    ? { ...before, state: 'stopped', declines, retryAt: null, reason: words }
    : { ...before, state: 'waiting', declines, retryAt: new Date(now.getTime() + pause), reason: words };
}

/** Returns the state after the charge in progress succeeded. */
export const onSucceeded = (before: Auto, wish: Wish, available: bigint): Auto =>
  rearm(before.gaveBack ? before : rest('idle'), wish, available);

/** Returns midnight at the start of the current day or month, and of the next, in the agency's time zone. */
export function periodOf(now: Date, timeZone: string, period: 'day' | 'month'): { from: Date; ends: Date } {
  const today = Temporal.Instant.fromEpochMilliseconds(now.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDate();
  const first = period === 'day' ? today : today.with({ day: 1 });
  const at = (day: Temporal.PlainDate) => new Date(day.toZonedDateTime({ timeZone }).epochMilliseconds);
  return { from: at(first), ends: at(first.add(period === 'day' ? { days: 1 } : { months: 1 })) };
}
