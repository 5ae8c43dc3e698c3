import { citiesOf } from '../../../platform/places.ts';

/** Hundredths of a percent in a whole. */
const WHOLE = 10_000n;
/** How far a campaign may be ahead of even spending, so that small budgets spend at all. */
const AHEAD_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** What is added to the price of media: the platform's share, then the agency's markup (hundredths of a percent). */
export interface Rates {
  share_bp: number;
  markup_bp: number;
  /** The media is the agency's own (house ads): no one is paid for it, so the agency pays the share only. */
  is_own: boolean;
}

const up = (amount: bigint, by: bigint): bigint => (amount + by - 1n) / by;

/** What an impression costs everyone, micro-dollars, by the price of its media. Parts of a micro-dollar round up. */
export function costsOf(media: bigint, { share_bp, markup_bp, is_own }: Rates) {
  const share = up(media * BigInt(share_bp), WHOLE);
  return {
    media,
    supplier: is_own ? 0n : media,
    wholesale: is_own ? share : media + share,
    price: up((media + share) * (WHOLE + BigInt(markup_bp)), WHOLE),
  };
}

/** The most that can be bid for an impression's media, so that the client pays at most `most` for it. */
export function bidOf(most: bigint, rates: Rates): bigint {
  let bid = (most * WHOLE * WHOLE) / ((WHOLE + BigInt(rates.share_bp)) * (WHOLE + BigInt(rates.markup_bp)));
  while (bid > 0n && costsOf(bid, rates).price > most) bid--;
  return bid;
}

/** Budgets in what the client pays, micro-dollars. */
export interface Budgets {
  daily_micros: bigint;
  monthly_micros: bigint;
  total_micros: bigint | null;
}
/** What is spent or promised: on the day, in its month, and in all; and what the balance has left for more. */
export interface Used {
  day: bigint;
  month: bigint;
  total: bigint;
  funds: bigint;
}

/** What an outside platform is told of a campaign: budgets in what the client pays, and what is added to its media. */
export type Told = Budgets & Pick<Rates, 'share_bp' | 'markup_bp'>;

/** What two of them allow together: the larger budgets, and the lesser part of them that is not media. */
export const mostOf = (a: Told, b: Told): Told => ({
  daily_micros: most(a.daily_micros, b.daily_micros),
  monthly_micros: most(a.monthly_micros, b.monthly_micros),
  total_micros:
    a.total_micros === null || b.total_micros === null ? null : most(a.total_micros, b.total_micros),
  markup_bp: Math.min(a.markup_bp, b.markup_bp),
  share_bp: Math.min(a.share_bp, b.share_bp),
});
const most = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** The least of amounts. */
export function least(amounts: readonly bigint[]): bigint {
  let found = amounts[0]!;
  for (const amount of amounts) if (amount < found) found = amount;
  return found;
}

/** What may still be spent of each budget, never below 0, and the least of them. */
export function roomOf(budgets: Budgets, used: Used) {
  const left = (amount: bigint): bigint => (amount > 0n ? amount : 0n);
  const day = left(budgets.daily_micros - used.day);
  const month = left(budgets.monthly_micros - used.month);
  const total = budgets.total_micros === null ? null : left(budgets.total_micros - used.total);
  const funds = left(used.funds);
  return { day, month, total, funds, all: least([day, month, funds, ...(total === null ? [] : [total])]) };
}

/** How much of a daily budget may be spent by a moment: evenly over the day, a little ahead. */
export function pacedTo(daily: bigint, at: Date, day: { from: Date; ends: Date }): bigint {
  const length = day.ends.getTime() - day.from.getTime();
  const passed = Math.min(length, at.getTime() - day.from.getTime() + AHEAD_MS);
  return (daily * BigInt(passed)) / BigInt(length);
}

/** How many days back reports of outside platforms are read again: they come late, and correct the last days. */
export const REPORT_DAYS = 3;

/**
 * Whether an outside platform may still spend for a campaign, or report what it has spent: until it has been told to stop,
 * and its reports have been read until the last days that it ran on can no longer change. `readUntil`: until when the
 * campaign has been told and read without a fault.
 */
export function mayStillReport(
  row: {
    platform: string;
    state: string;
    external_id: string | null;
    ran_until: Date | null;
    campaign_updated_at: Date;
  },
  readUntil: Date | null,
): boolean {
  if (row.platform !== 'simplifi') return false;
  if (row.state === 'active') return true;
  const ranUntil = row.ran_until ?? (row.external_id === null ? null : row.campaign_updated_at);
  return (
    ranUntil !== null &&
    (readUntil === null || readUntil.getTime() < ranUntil.getTime() + REPORT_DAYS * DAY_MS)
  );
}

/** The calendar day of an instant in a time zone, YYYY-MM-DD. */
export const dayIn = (at: Date, zone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone).toPlainDate().toString();

/** On how many days, today included, a campaign can still run in the month of `today`. */
export function remainingDays(
  today: string,
  flight: { starts_on: string | null; ends_on: string | null },
): number {
  const begin = flight.starts_on && flight.starts_on > today ? flight.starts_on : today;
  const first = Temporal.PlainDate.from(today);
  const last = first.with({ day: first.daysInMonth }).toString();
  const end = flight.ends_on && flight.ends_on < last ? flight.ends_on : last;
  return begin > end
    ? 0
    : Temporal.PlainDate.from(begin).until(Temporal.PlainDate.from(end), { largestUnit: 'day' }).days + 1;
}

/** What the balance lacks for the rest of the month: the daily budget on its remaining days, within the other budgets. */
export function dueOf(budgets: Budgets, used: Used, days: number): bigint {
  if (days === 0) return 0n;
  const room = roomOf(budgets, used);
  const wanted = least([
    room.day + budgets.daily_micros * BigInt(days - 1),
    room.month,
    ...(room.total === null ? [] : [room.total]),
  ]);
  const lacks = wanted - room.funds;
  return lacks > 0n ? lacks : 0n;
}

/** The first of some cities, such as 'Austin, TX', that is not one; undefined: all are. */
export const unknownCity = (cities: readonly string[]): string | undefined => {
  const known = new Map<string, Set<string>>();
  return cities.find((city) => {
    const state = city.slice(-2);
    return !known.getOrInsertComputed(state, () => new Set(citiesOf(state))).has(city.slice(0, -4));
  });
};
