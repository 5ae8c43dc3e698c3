import type { PrivacyKind, Step, Urgency } from '../../../../contract/audience/privacy-rules.ts';
import type { LimitRule } from '../../../platform/limits.ts';

const DAY_MS = 86_400_000;
const hour = 3600;

/** Requests for one address at one tenant, from one network there, and from its neighborhood at all hosts. */
export const ASK: LimitRule = { name: 'privacy', max: 3, base: 60, cap: 3600, window: 6 * hour };
export const ASK_NETWORK: LimitRule = { name: 'privacy.network', max: 10, base: 60, cap: 3600, window: hour };
export const ASK_RANGE: LimitRule = {
  name: 'privacy.range',
  max: 40,
  base: hour,
  cap: 24 * hour,
  window: 24 * hour,
};
/** Wrong codes for one request. Its code is void long before the pause ends. */
export const CODE: LimitRule = {
  name: 'privacy.code',
  max: 5,
  base: 6 * hour,
  cap: 6 * hour,
  window: 6 * hour,
};
export const CODE_NETWORK: LimitRule = {
  name: 'privacy.code.network',
  max: 50,
  base: 60,
  cap: 900,
  window: hour,
};

/** How long an unproven request is kept. */
export const UNPROVEN_MS = DAY_MS;

/** A deadline this close is soon. */
export const SOON_MS = 5 * DAY_MS;

/**
 * The instant that many business days later. Only weekends are left out: without holidays, a deadline is never later than
 * the law's.
 */
export function businessDaysAfter(from: Date, days: number): Date {
  let at = from.getTime();
  for (let left = days; left > 0; ) {
    at += DAY_MS;
    const day = new Date(at).getUTCDay();
    if (day !== 0 && day !== 6) left--;
  }
  return new Date(at);
}

/** Until when receipt must be confirmed. */
export const acknowledgeBy = (received: Date): Date => businessDaysAfter(received, 10);

/** Until when a request must be answered: an opt-out within 15 business days, all others within 45 days. */
export const dueAt = (kind: PrivacyKind, received: Date): Date =>
  kind === 'opt_out' ? businessDaysAfter(received, 15) : new Date(received.getTime() + 45 * DAY_MS);

/** The deadline after its only extension: 90 days in all. */
export const extendedDueAt = (received: Date): Date => new Date(received.getTime() + 90 * DAY_MS);

interface Timed {
  state: string;
  received_at: Date;
  acknowledged_at: Date | null;
  due_at: Date;
}

/** What an open request waits for, and until when; the first is what comes next. */
export function stepsOf(row: Timed): { step: Step; due: Date }[] {
  if (row.state !== 'open') return [];
  return [
    ...(row.acknowledged_at ? [] : [{ step: 'acknowledge' as const, due: acknowledgeBy(row.received_at) }]),
    { step: 'answer' as const, due: row.due_at },
  ];
}

const nearness = (due: Date, now: Date): 'late' | 'soon' | 'fine' => {
  const left = due.getTime() - now.getTime();
  return left <= 0 ? 'late' : left <= SOON_MS ? 'soon' : 'fine';
};

/** How near the deadlines of a request are: the nearest counts. */
export function urgencyOf(row: Timed, now: Date): Urgency {
  const near = stepsOf(row).map(({ due }) => nearness(due, now));
  if (near.length === 0) return 'done';
  return near.includes('late') ? 'late' : near.includes('soon') ? 'soon' : 'fine';
}

/** A deadline that is near or past. */
export interface Warning {
  step: Step;
  due: Date;
  isLate: boolean;
}

/**
 * The deadlines of a request that are near or past. Not that of a duplicate's answer: it is decided with the earlier
 * request, whose deadline comes first.
 */
export const warningsOf = (row: Timed & { duplicate_of: string | null }, now: Date): Warning[] =>
  stepsOf(row).flatMap(({ step, due }) => {
    const near = nearness(due, now);
    return near === 'fine' || (step === 'answer' && row.duplicate_of)
      ? []
      : [{ step, due, isLate: near === 'late' }];
  });

/** No deadline is near before a request is this old: that of confirming receipt comes first. */
export const WARNED_FROM_MS = 7 * DAY_MS;
/** How long ago a request that is entered by hand may have been received. */
const ENTERED_WITHIN_DAYS = 366;

/**
 * When a request was received that came on a day (YYYY-MM-DD): its beginning there, so that no deadline is later than the
 * law's. Returns a rule instead if that cannot be.
 */
export function receivedAt(day: string, timeZone: string, now: Date): Date | string {
  const at = Temporal.PlainDate.from(day).toZonedDateTime({ timeZone }).epochMilliseconds;
  if (at > now.getTime()) return 'is in the future';
  if (at < now.getTime() - ENTERED_WITHIN_DAYS * DAY_MS) return 'is more than a year ago';
  return new Date(at);
}

const plain = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** Whether a person's first name fits the name that a request gives. Without a first name, nothing speaks against it. */
export function fitsName(firstName: string | null, name: string): boolean {
  const first = plain(firstName ?? '')
    .split(/[^\p{L}]+/u)
    .filter(Boolean)[0];
  return (
    !first ||
    plain(name)
      .split(/[^\p{L}]+/u)
      .includes(first)
  );
}

/**
 * Which of the people who have a proven address the request is about: the only one, or those whose first name fits. Null:
 * several have it and none fits, so that it is a household's.
 */
export function whoseRequest<Person extends { first_name: string | null }>(
  people: readonly Person[],
  name: string,
): { own: Person[]; others: Person[] } | null {
  if (people.length <= 1) return { own: [...people], others: [] };
  const own = people.filter((one) => fitsName(one.first_name, name));
  return own.length === 0 ? null : { own, others: people.filter((one) => !own.includes(one)) };
}
