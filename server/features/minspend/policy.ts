import type { TransferKind } from '../../../contract/ledger.ts';

/** What counts as spent: leads and fees that the root charged, less leads that were given back. */
export const SPEND_KINDS: readonly TransferKind[] = [
  'lead',
  'lead_return',
  'wallet_charge',
  'platform_fee',
  'monthly_fee',
];

/** A plan as far as its amounts go, micro-dollars. */
export interface Amounts {
  /** Of an agency's first, second, … month. */
  months: readonly bigint[];
  /** Of every month after those. */
  flat: bigint;
}

/** The first day of the month in which an instant lies, where the root is. */
export const monthOf = (at: Date, timeZone: string): Temporal.PlainDate =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDate()
    .with({ day: 1 });

const monthsOf = (...plans: Amounts[]): number[] =>
  Array.from({ length: Math.max(...plans.map((plan) => plan.months.length)) + 1 }, (_, at) => at + 1);

/** Whether a plan asks more than another in any month of life, or anything at all where nothing was agreed. */
export const raises = (agreed: Amounts | null, next: Amounts): boolean =>
  monthsOf(agreed ?? next, next).some((life) => askedOf(next, life)! > (askedOf(agreed, life) ?? 0n));

/** Whether two plans ask the same of every month of life. */
export const isSame = (one: Amounts, other: Amounts): boolean => !raises(one, other) && !raises(other, one);

/** What is asked where one was agreed and another holds now: month by month the lower one. */
export const lowerOf = (agreed: Amounts | null, now: Amounts): Amounts | null => {
  if (!agreed) return null;
  const least = (life: number): bigint => {
    const [a, b] = [askedOf(agreed, life)!, askedOf(now, life)!];
    if (a < b) return a;
    return b;
  };
  const lives = monthsOf(agreed, now);
  return { months: lives.slice(0, -1).map(least), flat: least(lives.length) };
};

const midnight = (day: Temporal.PlainDate, timeZone: string): Date =>
  new Date(day.toZonedDateTime({ timeZone }).epochMilliseconds);

/** The instants between which a month lies; `to` is the first of the next one. */
export const spanOf = (month: Temporal.PlainDate, timeZone: string): { from: Date; to: Date } => ({
  from: midnight(month, timeZone),
  to: midnight(month.add({ months: 1 }), timeZone),
});

/**
 * Which month of an agency's life a month is: 1 is the first whole one after it began (as the agreements say), 0 the one in
 * which it began; below 0 it was not there.
 */
export function lifeOf(month: Temporal.PlainDate, began: Date, timeZone: string): number {
  const { years, months } = monthOf(began, timeZone).until(month, { largestUnit: 'years' });
  return years * 12 + months;
}

/** What is asked of a month of life; null: nothing, since there is no plan or the month does not count. */
export function askedOf(plan: Amounts | null, life: number | null): bigint | null {
  if (!plan || life === null || life < 1) return null;
  return plan.months[life - 1] ?? plan.flat;
}

/** What is charged of a month: what it lacks, down to whole cents. */
export function shortfallOf(asked: bigint | null, spent: bigint): bigint {
  const lacks = (asked ?? 0n) - spent;
  return lacks > 0n ? lacks - (lacks % 10_000n) : 0n;
}

/** Days until a month is over, the present one included. */
export const daysLeft = (at: Date, timeZone: string): number => {
  const today = Temporal.Instant.fromEpochMilliseconds(at.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDate();
  return today.daysInMonth - today.day + 1;
};
