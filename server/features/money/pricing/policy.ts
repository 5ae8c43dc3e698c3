import {
  COST_FIELDS,
  COST_TERMS,
  type CostPart,
  type CostTerm,
  type ModuleType,
  type PaymentTermName,
} from '../../../../contract/choices.ts';
import { refusalOf } from '../../../../contract/errors.ts';
import { dollarsOf, microsOf } from '../../../../contract/primitives.ts';

/** Fees of a module and term by purpose, in micro-dollars. */
export type Fees = Record<CostPart, bigint>;
/** Fees as sent over the wire: dollar amounts by module, term and the spec's name of the fee. */
export type FeesByName = Record<string, Record<string, Record<string, string>>>;

export const NO_FEES: Fees = { setup: 0n, month: 0n, lead: 0n, advanced: 0n, company: 0n };

/** An amount in the cost setting: '0' for zero (spec product 3), otherwise dollars with at least two decimal places. */
export const amountText = (micros: bigint): string => (micros === 0n ? '0' : dollarsOf(micros));

/** The names of a module's fees with what each is for. */
export const feesOf = (module: string): [name: string, part: CostPart][] =>
  Object.entries(COST_FIELDS[module as ModuleType] ?? {});

/**
 * Returns the fees of modules and terms under the spec's names; `of` returns what a module costs at a term (its full
 * name).
 */
export function namedFees(
  modules: readonly string[],
  of: (module: string, term: string) => Fees,
): FeesByName {
  return Object.fromEntries(
    modules.map((module) => [
      module,
      Object.fromEntries(
        Object.entries(COST_TERMS).map(([key, term]) => {
          const fees = of(module, term);
          return [
            key,
            Object.fromEntries(feesOf(module).map(([name, part]) => [name, amountText(fees[part])])),
          ];
        }),
      ),
    ]),
  );
}

/** Applies a given set of named fees to the fees of a module and term. */
export function withGiven(before: Fees, module: string, given: Record<string, string | undefined>): Fees {
  const fees = { ...before };
  for (const [name, part] of feesOf(module)) {
    const amount = given[name];
    if (amount !== undefined) fees[part] = microsOf(amount);
  }
  return fees;
}

/** The modules, terms and fees that were given, one at a time. */
export function* givenTerms(value: Record<string, unknown>): Generator<{
  module: ModuleType;
  key: CostTerm;
  term: PaymentTermName;
  given: Record<string, string | undefined>;
}> {
  for (const module of Object.keys(COST_FIELDS) as ModuleType[]) {
    const terms = (value[module] ?? {}) as Partial<Record<CostTerm, Record<string, string>>>;
    for (const key of Object.keys(COST_TERMS) as CostTerm[])
      if (terms[key]) yield { module, key, term: COST_TERMS[key], given: terms[key] };
  }
}

/** How far ahead a change can be planned. */
const MOST_YEARS = 2;
/** From how many days changes of the same costs can be planned: all of them are gone through at each change. */
const MOST_PLANNED = 20;

/**
 * Returns when a change takes effect: now, or at the start of a given day in a time zone; today means now.
 * @throws Refusal 422 when the day is over, or more than two years ahead
 */
export function beginOf(day: string | undefined, timeZone: string, now: Date): Date {
  if (day === undefined) return now;
  const today = Temporal.Instant.fromEpochMilliseconds(now.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDate();
  const asked = Temporal.PlainDate.from(day);
  const order = Temporal.PlainDate.compare(asked, today);
  if (order < 0) throw refusalOf('effective_from', 'must not be in the past');
  if (Temporal.PlainDate.compare(asked, today.add({ years: MOST_YEARS })) > 0)
    throw refusalOf('effective_from', 'must be within the next two years');
  return order === 0 ? now : new Date(asked.toZonedDateTime(timeZone).epochMilliseconds);
}

/**
 * Makes sure that a change of costs can be planned, given those that are.
 * @throws Refusal 422 when there are changes on too many other days
 */
export function boundPlanned(planned: readonly { valid_from: Date }[], from: Date): void {
  const days = new Set(planned.map((row) => row.valid_from.getTime()));
  if (!days.has(from.getTime()) && days.size >= MOST_PLANNED)
    throw refusalOf(
      'effective_from',
      `would exceed the limit of ${MOST_PLANNED} days with planned changes. Choose one of those days, or wait for the first`,
    );
}

/** Returns what a coupon takes off a charge in micro-dollars: whole cents, and never more than the charge. */
export function discountOf(
  coupon: { percent: string | null; amount_micros: bigint | null },
  charge: bigint,
): bigint {
  const cent = 10_000n;
  // A percentage has two decimal places, so 100 % is ten thousand parts.
  const [whole = '0', part = ''] = (coupon.percent ?? '0').split('.');
  const parts = BigInt(whole) * 100n + BigInt(part.padEnd(2, '0'));
  const off = coupon.amount_micros ?? (charge * parts) / 10_000n;
  return off >= charge ? charge : off - (off % cent);
}
