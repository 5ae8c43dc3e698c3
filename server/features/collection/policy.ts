import type { Purpose } from '../payments/index.ts';

/** Cards are charged for no less (platform/payments.ts), and for no more at once. */
export const LEAST = 500_000n;
const MOST = 999_999_990_000n;

/** The smaller of two amounts. */
export function least(one: bigint, other: bigint): bigint {
  if (one < other) return one;
  return other;
}

/** What is charged at once of a due amount: all of it, or so much that the rest can be charged, too. */
export function chargeOf(due: bigint): bigint {
  if (due <= MOST) return due;
  return due - MOST >= LEAST ? MOST : MOST - LEAST;
}

/**
 * When a charge is tried again after a failure: the next of the root's days after the first one, at its hour in the payer's time
 * zone; null: no more. By the calendar and not by counting, so that neither a person's own tries nor a platform that stood
 * still bring tries closer together.
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

/** What an invoice is charged as. */
export const purposeOf = (invoice: { side: string; kind: string }): Purpose =>
  invoice.side === 'retail'
    ? 'invoice'
    : invoice.kind === 'onboarding' || invoice.kind === 'minimum_spend'
      ? invoice.kind
      : 'wholesale';

/** The part of an application fee that goes back with a part of its charge, in whole cents: the provider takes its share. */
export const feeShare = (fee: bigint, refunded: bigint, amount: bigint): bigint =>
  amount > 0n ? ((fee * refunded) / amount / 10_000n) * 10_000n : 0n;

/** Refunds under this key do not open their invoice again: it was paid twice. */
export const OVER = 'over:';

/** The month that a day of a time zone is in, 'YYYY-MM', and when it began. */
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

/** The first day of the month after the present one of a time zone, 'YYYY-MM-DD'. */
export const monthAfter = (now: Date, timeZone: string): string =>
  Temporal.PlainYearMonth.from(monthOf(now, timeZone).month)
    .add({ months: 1 })
    .toPlainDate({ day: 1 })
    .toString();
