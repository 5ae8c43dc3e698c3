import type { TransferKind } from '../../../../contract/money/ledger.ts';

/** What counts as spent: leads, ads, and fees that the root charged, less refunded leads. */
export const SPEND_KINDS: readonly TransferKind[] = [
  'lead',
  'lead_return',
  'ad_spend',
  'wallet_charge',
  'platform_fee',
  'monthly_fee',
];

/** The amounts of a plan, in micro-dollars. */
export interface Amounts {
  /** Of an agency's first, second, … month. */
  months: readonly bigint[];
  /** Of every month after those. */
  flat: bigint;
}

/** The first day of the month that contains an instant, in the root's time zone. */
export const monthOf = (at: Date, timeZone: string): Temporal.PlainDate =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDate()
    .with({ day: 1 });

const monthsOf = (...plans: Amounts[]): number[] =>
  Array.from({ length: Math.max(...plans.map((plan) => plan.months.length)) + 1 }, (_, at) => at + 1);

/**
 * Whether a plan asks for more than another in any month of an agency's life, or for anything at all if nothing was
 * agreed.
 */
export const raises = (agreed: Amounts | null, next: Amounts): boolean =>
  monthsOf(agreed ?? next, next).some((life) => askedOf(next, life)! > (askedOf(agreed, life) ?? 0n));

/** Whether two plans ask for the same in every month of an agency's life. */
export const isSame = (one: Amounts, other: Amounts): boolean => !raises(one, other) && !raises(other, one);

/** What is asked for when one plan was agreed and another applies now: the lower one, month by month. */
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

/** The instants at which a month begins and ends; `to` is the start of the next one. */
export const spanOf = (month: Temporal.PlainDate, timeZone: string): { from: Date; to: Date } => ({
  from: midnight(month, timeZone),
  to: midnight(month.add({ months: 1 }), timeZone),
});

/**
 * Which month of an agency's life a month is: 1 is the first full one after it began (as the agreements say), 0 the one
 * in which it began; below 0 it did not exist yet.
 */
export function lifeOf(month: Temporal.PlainDate, began: Date, timeZone: string): number {
  const { years, months } = monthOf(began, timeZone).until(month, { largestUnit: 'years' });
  return years * 12 + months;
}

/**
 * What is asked for in a month of an agency's life; null if nothing, because there is no plan or the month does not
 * count.
 */
export function askedOf(plan: Amounts | null, life: number | null): bigint | null {
  if (!plan || life === null || life < 1) return null;
  return plan.months[life - 1] ?? plan.flat;
}

/** The charge for a month: its shortfall, rounded down to whole cents. */
export function shortfallOf(asked: bigint | null, spent: bigint): bigint {
  const lacks = (asked ?? 0n) - spent;
  return lacks > 0n ? lacks - (lacks % 10_000n) : 0n;
}

/** Days until a month is over, including the current one. */
export const daysLeft = (at: Date, timeZone: string): number => {
  const today = Temporal.Instant.fromEpochMilliseconds(at.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDate();
  return today.daysInMonth - today.day + 1;
};
