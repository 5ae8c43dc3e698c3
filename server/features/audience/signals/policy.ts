import { LEAST_TOLD, TOLD_STEP } from '../../../../contract/audience/signals-messages.ts';
import { campaignRules } from '../../../../contract/campaigns/campaign-rules.ts';

/** How far counts and first deliveries look back (spec calls 9). */
export const LOOK_BACK_MS = 7 * 86_400_000;
const DAY_MS = 86_400_000;
const PER_DAY = 3;
const PER_MORE = 2;
const MOST_MORE = 6;

/**
 * Returns how sure it is, 1 to 99, that someone wants what the signals say: as sure as the best of them is about who it
 * was, minus three for each whole day since the last, plus two for each further signal, at most six.
 */
export function confidenceOf(found: { strength: number; signals: number; lastAt: Date }, now: Date): number {
  const days = Math.max(0, Math.floor((now.getTime() - found.lastAt.getTime()) / DAY_MS));
  const more = Math.min(MOST_MORE, PER_MORE * (found.signals - 1));
  return Math.max(1, Math.min(99, found.strength - PER_DAY * days + more));
}

/** From how many people on a count is told, and how finely. Tests lower both, and put `WHOLE` back. */
export const TOLD = { least: LEAST_TOLD, step: TOLD_STEP };
export const WHOLE = Object.freeze({ ...TOLD });

/**
 * A count of people as it is told: in full tens, and 0 if there are fewer than 20. Whoever asks chooses the place, the
 * audience, the filter, and the lists, so that an exact one could say what a single person searched for, or is.
 */
export const toldPeople = (count: number): number =>
  count < TOLD.least ? 0 : Math.floor(count / TOLD.step) * TOLD.step;

/** Refusals that may no longer apply later, while the signals are still new enough: the candidate waits. */
const PASSING = new Set([
  'daily_cap',
  'outside_dates',
  'inactive',
  'balance_empty',
  'below_cost',
  'cap_campaign',
  'cap_client',
  'cap_wallet',
]);
export const mayPass = (refused: string): boolean => PASSING.has(refused);
/** How long a candidate waits before it is judged again; a newly started campaign does not wait. */
export const WAIT_MS = 30 * 60_000;

const misfits: readonly string[] = campaignRules.flatMap(([, rule]) =>
  rule.in === 'fits' && rule.refuses ? [rule.refuses] : [],
);

/** The steps of a waterfall, from the people in the place to those who would become leads, in the order of the rules. */
export const STEPS = {
  not_excluded: ['excluded', 'cannot_compare'],
  not_customers: ['customer'],
  contactable: ['email_missing', 'phone_missing', 'address_missing'],
  fitting: misfits,
  sure_enough: ['low_confidence', 'below_threshold'],
  not_delivered: ['seen_recently', 'duplicate'],
} as const;
export type Step = keyof typeof STEPS;

/** Returns how many are left after each step, out of `placed` people, given how many were refused for each reason. */
export function waterfallOf(
  placed: number,
  refused: Readonly<Record<string, number>>,
): Record<Step | 'deliverable', number> {
  let left = placed;
  const steps = Object.entries(STEPS).map(([step, reasons]) => {
    for (const reason of reasons) left -= refused[reason] ?? 0;
    return [step, left];
  });
  // People removed from the people data between two queries are not leads either.
  return {
    ...(Object.fromEntries(steps) as Record<Step, number>),
    deliverable: left - (refused.inactive ?? 0),
  };
}
