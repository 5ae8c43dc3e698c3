import type { PrivacyKind, Urgency } from '../../../../contract/audience/privacy-rules.ts';
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

/** How long an unproven request is kept, and how long a decided one names the person (CCPA regulations, 7101). */
export const UNPROVEN_MS = DAY_MS;
export const KEPT_MONTHS = 24;

/** A deadline this close is soon. */
const SOON_MS = 5 * DAY_MS;

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

/** How near the deadline of a request is. */
export function urgencyOf(row: { state: string; due_at: Date }, now: Date): Urgency {
  if (row.state !== 'open') return 'done';
  const left = row.due_at.getTime() - now.getTime();
  return left <= 0 ? 'late' : left <= SOON_MS ? 'soon' : 'fine';
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
