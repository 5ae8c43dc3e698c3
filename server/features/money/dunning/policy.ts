import type { Purpose } from '../payments/index.ts';

/** The minimum (platform/payments.ts) and maximum of a single card charge. */
export const LEAST = 500_000n;
const MOST = 999_999_990_000n;

/** The smaller of two amounts. */
export function least(one: bigint, other: bigint): bigint {
  if (one < other) return one;
  return other;
}

/**
 * How much of a due amount is charged at once: all of it, or as much as leaves a remainder that can be charged, too.
 */
export function chargeOf(due: bigint): bigint {
  if (due <= MOST) return due;
  return due - MOST >= LEAST ? MOST : MOST - LEAST;
}

/**
 * When a failed charge is retried: on the next of the root's days after the first failure, at the same hour in the
 * payer's time zone; null if there are no more retries. Based on the calendar and not on a count, so that neither a
 * user's own attempts nor platform downtime bring retries closer together.
 */
export function nextAttempt(
  firstFailed: Date,
  now: Date,
  timeZone: string,
  retryDays: readonly number[],
): Date | null {
  const first = Temporal.Instant.fromEpochMilliseconds(firstFailed.getTime()).toZonedDateTimeISO(timeZone);
  for (const days of retryDays) {
    const at = first.add({ days }).epochMilliseconds;
    if (at > now.getTime()) return new Date(at);
  }
  return null;
}

/** The purpose for which an invoice is charged. */
export const purposeOf = (invoice: { side: string; kind: string }): Purpose =>
  invoice.side === 'retail'
    ? 'invoice'
    : invoice.kind === 'onboarding' || invoice.kind === 'minimum_spend'
      ? invoice.kind
      : 'wholesale';

/**
 * The part of an application fee that is returned when part of its charge is refunded, in whole cents: the provider
 * takes its share.
 */
export const feeShare = (fee: bigint, refunded: bigint, amount: bigint): bigint =>
  amount > 0n ? ((fee * refunded) / amount / 10_000n) * 10_000n : 0n;

/** Refunds under this key do not open their invoice again: it was paid twice. */
export const OVER = 'over:';

/** The month that the current day in a time zone falls in, 'YYYY-MM', and when it began. */
export function monthOf(now: Date, timeZone: string): { month: string; began: Date } {
  const day = Temporal.Instant.fromEpochMilliseconds(now.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDate();
  const first = day.with({ day: 1 });
  return {
    month: first.toPlainYearMonth().toString(),
    began: new Date(first.toZonedDateTime(timeZone).epochMilliseconds),
  };
}

/** The first day of the month after the current one in a time zone, 'YYYY-MM-DD'. */
export const monthAfter = (now: Date, timeZone: string): string =>
  Temporal.PlainYearMonth.from(monthOf(now, timeZone).month)
    .add({ months: 1 })
    .toPlainDate({ day: 1 })
    .toString();

/**
 * What choosing a package adds to the current month: nothing, unless the agency had one in the month before that it
 * dropped before this month began. Otherwise, by dropping its package only across the turn of each month, it would
 * never pay for it.
 * @param had the packages since the month before began, with their prices (0: none), oldest first
 * @param price the monthly price of the package that is chosen
 */
export function returnFee(
  had: readonly { at: Date; price: bigint }[],
  months: { last: Date; current: Date },
  price: bigint,
): bigint {
  const highest = (prices: bigint[]): bigint => -prices.reduce((low, one) => least(low, -one), 0n);
  const isLast = ({ at }: { at: Date }, i: number): boolean =>
    at < months.current && !(had[i + 1] && had[i + 1]!.at <= months.last);
  const before = highest(had.filter(isLast).map((one) => one.price));
  const atTurn = had.filter(({ at }) => at <= months.current).at(-1)?.price ?? 0n;
  const returns = had.filter(({ at }) => at > months.current).map((one) => least(one.price, before));
  const charged = highest([atTurn, ...returns]);
  return highest([least(price, before) - charged]);
}
