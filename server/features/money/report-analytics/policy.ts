import type { Comparison, Standing, UnderReason } from '../../../../contract/money/report-analytics.ts';

/** Days, both included. */
export interface Days {
  first: Temporal.PlainDate;
  last: Temporal.PlainDate;
}

const monthsOf = ({ first, last }: Days): number =>
  (last.year - first.year) * 12 + last.month - first.month + 1;

/**
 * The days that a period is compared with, and how many months they are apart; null if they are apart by days. A period
 * from the first of a month is compared with as many months before it, and otherwise with as many days.
 */
export function comparedWith(days: Days, compare: Comparison): Days & { months: number | null } {
  const { first, last } = days;
  const months = compare === 'year' ? 12 : first.day === 1 ? monthsOf(days) : null;
  if (months === null) {
    const length = first.until(last, { largestUnit: 'days' }).days + 1;
    return { first: first.subtract({ days: length }), last: first.subtract({ days: 1 }), months };
  }
  const isWhole = last.day === last.daysInMonth;
  const end = last.subtract({ months });
  return {
    first: first.subtract({ months }),
    last: isWhole ? end.with({ day: end.daysInMonth }) : end,
    months,
  };
}

/** The months that days touch, as YYYY-MM, in order. */
export function monthKeys({ first, last }: Days): string[] {
  const start = first.toPlainYearMonth();
  return Array.from({ length: monthsOf({ first, last }) }, (_, i) => start.add({ months: i }).toString());
}

/** A month that is some months before another. */
export const monthBefore = (key: string, months: number): string =>
  Temporal.PlainYearMonth.from(key).subtract({ months }).toString();

/** Where a party stands in a period. */
export function standingOf(
  has: { now: boolean; before: boolean; earlier: boolean },
  isFirst: boolean,
): Standing {
  if (has.now) return isFirst ? 'new' : 'active';
  if (has.before) return 'lost';
  return has.earlier ? 'idle' : 'never';
}

/** The revenue of each party by month. */
export type Revenues = Map<string, Map<string, bigint>>;

/** How parties and their revenue grew and churned in each month. A month has sales if they are not zero. */
export function movements(revenues: Revenues, months: readonly string[]) {
  const firsts = firstMonths(revenues);
  return months.map((key) => {
    const sums = { active: 0, fresh: 0, back: 0, lost: 0, stayed: 0 };
    const micros = { revenue: 0n, fresh: 0n, grown: 0n, shrunk: 0n, lost: 0n };
    const last = monthBefore(key, 1);
    for (const [party, byMonth] of revenues) {
      const now = byMonth.get(key) ?? 0n;
      const before = byMonth.get(last) ?? 0n;
      micros.revenue += now;
      if (now !== 0n) sums.active++;
      if (now !== 0n && before === 0n) {
        if (firsts.get(party) === key) sums.fresh++;
        else sums.back++;
        micros.fresh += now;
      } else if (now === 0n && before !== 0n) {
        sums.lost++;
        micros.lost -= before;
      } else if (before !== 0n) {
        sums.stayed++;
        if (now > before) micros.grown += now - before;
        else micros.shrunk += now - before;
      }
    }
    const { stayed, ...counts } = sums;
    const prior = stayed + counts.lost;
    return { key, ...counts, churn: prior > 0 ? counts.lost / prior : null, micros };
  });
}

/** The month of each party's first sale. */
export const firstMonths = (revenues: Revenues): Map<string, string> =>
  new Map(
    [...revenues].flatMap(([party, byMonth]): [string, string][] => {
      const first = [...byMonth.entries()]
        .filter(([, micros]) => micros !== 0n)
        .map(([month]) => month)
        .sort()[0];
      return first ? [[party, first]] : [];
    }),
  );

/** Parties by the month of their first sale: how many had sales in each month from then to the last, and for how much. */
export function cohorts(revenues: Revenues, months: readonly string[]) {
  const firsts = firstMonths(revenues);
  return months.flatMap((key, at) => {
    const members = [...revenues].filter(([party]) => firsts.get(party) === key);
    if (members.length === 0) return [];
    const later = months.slice(at);
    return [
      {
        key,
        size: members.length,
        active: later.map(
          (month) => members.filter(([, byMonth]) => (byMonth.get(month) ?? 0n) !== 0n).length,
        ),
        revenue: later.map((month) =>
          members.reduce((sum, [, byMonth]) => sum + (byMonth.get(month) ?? 0n), 0n),
        ),
      },
    ];
  });
}

/** What is known about a campaign over some days. */
export interface CampaignFacts {
  module: string;
  state: string;
  state_reason: string | null;
  created_at: Date;
  visits: bigint;
  matched: bigint;
  leads: bigint;
  leads_before: bigint;
  price: bigint;
  cost: bigint;
  returned: number;
  undelivered: number;
  silent_since: Date | null;
}

/** A campaign without leads is judged once it has run for this long. */
const MIN_RUN_MS = 7 * 86_400_000;
/** Leads of the days before, from which on a fall is judged; and what is left of them then. */
const MIN_BEFORE = 10n;
const FALLEN_TO = 0.5;
/** Visits from which on the share of recognized ones is judged; and the least of it. */
const MIN_VISITS = 100n;
const MIN_MATCHED = 0.05;
/** Leads from which on the share of returned ones is judged; and the most of it. */
const MIN_LEADS = 5n;
const MOST_RETURNED = 0.2;

const count = (n: number | bigint, one: string, many = `${one}s`): string =>
  `${n.toLocaleString('en-US')} ${Number(n) === 1 ? one : many}`;
const percent = (share: number): string => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)}%`;

/** Why a campaign is under-performing, the most pressing first; none if it is not. */
export function reasonsOf(
  facts: CampaignFacts,
  days: number,
  now: Date,
  zone: string,
): { code: UnderReason; text: string }[] {
  const { leads, leads_before, visits, matched } = facts;
  const found: { code: UnderReason; text: string }[] = [];
  const add = (is: boolean, code: UnderReason, text: () => string) => {
    if (is) found.push({ code, text: text() });
  };
  const ran = now.getTime() - facts.created_at.getTime();
  const isActive = facts.state === 'active';
  add(facts.state_reason === 'below_cost' || facts.cost > facts.price, 'below_cost', () =>
    facts.state_reason === 'below_cost'
      ? 'On hold because leads cost more than their price'
      : 'Its leads cost more than their price',
  );
  add(facts.state_reason === 'balance_empty', 'no_balance', () => 'Paused because its balance is used up');
  add(
    facts.silent_since !== null,
    'silent',
    () =>
      `Its site has sent no visits since ${facts.silent_since!.toLocaleDateString('en-US', { dateStyle: 'medium', timeZone: zone })}`,
  );
  add(isActive && leads <= 0n && ran >= MIN_RUN_MS, 'no_leads', () =>
    visits > 0n && facts.module === 'local'
      ? `No leads in ${days} days, from ${count(visits, 'visit')}`
      : `No leads in ${days} days`,
  );
  add(
    isActive && leads > 0n && leads_before >= MIN_BEFORE && Number(leads) <= Number(leads_before) * FALLEN_TO,
    'falling',
    () => `${count(leads, 'lead')}, after ${leads_before.toLocaleString('en-US')} in the ${days} days before`,
  );
  const share = visits > 0n ? Number(matched) / Number(visits) : 1;
  add(
    isActive && facts.module === 'local' && visits >= MIN_VISITS && share < MIN_MATCHED,
    'low_match',
    () => `Only ${percent(share)} of ${count(visits, 'visit')} were recognized`,
  );
  add(leads >= MIN_LEADS && facts.returned / Number(leads) >= MOST_RETURNED, 'returned', () =>
    facts.returned === 1 ? '1 lead was returned' : `${count(facts.returned, 'lead')} were returned`,
  );
  add(facts.undelivered > 0, 'undelivered', () =>
    facts.undelivered === 1
      ? '1 lead was not delivered'
      : `${count(facts.undelivered, 'lead')} were not delivered`,
  );
  return found;
}
