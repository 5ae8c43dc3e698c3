import { prepaidMessages } from '../../../../contract/money/prepaid-messages.ts';
import { usd } from '../../../../contract/primitives.ts';
import { type Auto, BUSY_MS } from '../data-wallet/index.ts';

const CENT = 10_000n;
/** The minimum card charge, micro-dollars. */
export const MINIMUM = 500_000n;
/** The maximum. */
export const MAXIMUM = 999_999_990_000n;
const HOUR_MS = 3_600_000;

/** What a campaign buys at a time, and whether it does so repeatedly. */
export interface Wish {
  leads: number;
  /** Per lead, micro-dollars. */
  price: bigint;
  continual: boolean;
}

/** What leads cost when they are bought, micro-dollars: whole cents, rounded up. */
export const amountOf = (leads: number, price: bigint): bigint =>
  ((BigInt(leads) * price + CENT - 1n) / CENT) * CENT;

/** The smaller of two amounts. */
export function least(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}

/** Why a card can't be charged for this number of leads, as the rule that the number violates; null if it can. */
export function leadsFault(leads: number, price: bigint): string | null {
  const amount = amountOf(leads, price);
  if (amount < MINIMUM)
    return `must be at least ${(MINIMUM - CENT) / price + 1n} because the minimum card charge is ${usd(MINIMUM)}`;
  return amount > MAXIMUM ? `must not cost more than ${usd(MAXIMUM)} per purchase` : null;
}

const isOn = (wish: Wish): boolean => wish.continual && wish.leads > 0 && wish.price > 0n;

/**
 * A balance below this triggers another purchase: 10 % of what is bought at a time, and never less than the next lead.
 */
export function floorOf(wish: Wish): bigint {
  const tenth = amountOf(wish.leads, wish.price) / 10n;
  if (tenth > wish.price) return tenth;
  return wish.price;
}
const isLow = (wish: Wish, left: bigint): boolean => left < floorOf(wish);

/** The floor that a draw can fall below while the campaign renews automatically; null if it does not. */
export const watchedFloor = (wish: Wish): bigint | null => (isOn(wish) ? floorOf(wish) : null);

/**
 * The floor that a draw can fall below, whether the campaign then buys again automatically or someone has to; null if
 * there is none.
 */
export const noticedFloor = (wish: Wish, term: string): bigint | null =>
  term === 'Prepaid' && wish.price > 0n ? floorOf(wish) : null;

/** Whether a draw means that someone has to buy again: each fall below the floor counts once. */
export const asksAnew = (wish: Wish, before: bigint, left: bigint): boolean =>
  !isOn(wish) && !isLow(wish, before) && isLow(wish, left);

const rest = (state: 'idle' | 'armed' | 'due'): Auto => ({
  state,
  declines: 0,
  retryAt: null,
  reason: '',
  gaveBack: false,
});
export const IDLE: Auto = rest('idle');

/** After money came in or a user changed something: starts over. A charge in progress stays in progress. */
export function rearm(before: Auto, wish: Wish, left: bigint): Auto {
  if (before.state === 'charging' || before.gaveBack) return before;
  return rest(isOn(wish) && !isLow(wish, left) ? 'armed' : 'idle');
}

/**
 * After a draw: due if the balance has fallen below its floor. An idle campaign counts as armed if its balance was
 * above the floor before. Returns null if nothing changes, so each fall counts once.
 */
export function onDrawn(auto: Auto, wish: Wish, before: bigint, left: bigint): Auto | null {
  if (!isOn(wish)) return null;
  const isArmed = auto.state === 'armed' || (auto.state === 'idle' && !isLow(wish, before));
  return isArmed && isLow(wish, left) ? rest('due') : null;
}

/** The facts that an attempt is judged by. */
export interface Facts {
  available: bigint;
  /** Whether the campaign is running, or is stopped only for lack of balance. */
  runs: boolean;
  now: Date;
  /** Why the card can't be charged; `retries`: the client can't fix it, so it is retried. */
  refusal: { words: string; retries: boolean } | null;
  /** Hard spending limits, with the renewals of their period so far, micro-dollars. */
  limits: { of: string; period: 'day' | 'month'; spent: bigint; most: bigint; ends: Date }[];
}

export type Plan =
  | { act: 'nothing'; next: Auto }
  /** `isRepeat`: refused for the same reason as before, within the day. */
  | { act: 'refuse'; next: Auto; words: string; isFailure: boolean; isRepeat: boolean }
  | { act: 'charge'; next: Auto; amount: bigint };

/**
 * Decides what to do now. A charge in progress is left alone, and so is what a refund or dispute stopped; a balance above its floor arms the top-up, whatever its
 * state was.
 */
export function decide(before: Auto, wish: Wish, facts: Facts): Plan {
  const { now, available } = facts;
  const nothing = (next: Auto): Plan => ({ act: 'nothing', next });
  if (before.state === 'charging' || before.gaveBack) return nothing(before);
  if (!isOn(wish)) return nothing(before.state === 'idle' ? before : IDLE);
  if (!isLow(wish, available)) return nothing(before.state === 'armed' ? before : rest('armed'));
  if (before.state === 'idle' || before.state === 'stopped') return nothing(before);
  if (before.state === 'waiting' && before.retryAt! > now) return nothing(before);
  // It will be bought again when a user starts the campaign.
  if (!facts.runs) return nothing(before.state === 'due' ? rest('armed') : before);
  const amount = amountOf(wish.leads, wish.price);
  const stop = (words: string, isFailure: boolean): Plan => ({
    act: 'refuse',
    next: { ...before, state: 'stopped', retryAt: null, reason: words },
    words,
    isFailure,
    isRepeat: false,
  });
  const wait = (words: string, retryAt: Date, isRepeat: boolean): Plan => ({
    act: 'refuse',
    next: { ...before, state: 'waiting', retryAt, reason: words },
    words,
    isFailure: false,
    isRepeat,
  });
  const fault = leadsFault(wish.leads, wish.price);
  if (fault) return stop(`The number of leads per purchase ${fault}.`, false);
  if (facts.refusal) {
    const { words, retries } = facts.refusal;
    if (!retries) return stop(words, true);
    return wait(words, new Date(now.getTime() + HOUR_MS), before.reason === words);
  }
  for (const { of, period, spent, most, ends } of facts.limits)
    if (spent + amount > most)
      return wait(prepaidMessages.pastLimit(usd(amount), usd(most), of, period), ends, false);
  return { act: 'charge', next: { ...before, state: 'charging', retryAt: null, reason: '' }, amount };
}

/** After it turned out that another charge for the same campaign is in progress. */
export const afterBusy = (before: Auto, now: Date): Auto => ({
  ...before,
  state: 'waiting',
  retryAt: new Date(now.getTime() + BUSY_MS),
  reason: 'Another top-up is in progress.',
});

/** How much a refund takes from which purchases: newest first, in cents. `charges` are newest first. */
export function refundParts(
  charges: { id: string; left: bigint }[],
  amount: bigint,
): { charge: string; cents: number }[] {
  const parts: { charge: string; cents: number }[] = [];
  let open = amount;
  for (const { id, left } of charges) {
    const part = least(left, open);
    if (part <= 0n) continue;
    parts.push({ charge: id, cents: Number(part / CENT) });
    open -= part;
  }
  return parts;
}
