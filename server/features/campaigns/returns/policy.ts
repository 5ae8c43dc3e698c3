import {
  AUTOMATIC_RETURNS,
  type Proof,
  type ReturnReason,
} from '../../../../contract/campaigns/return-rules.ts';
import type { Blocked } from '../../money/credits/index.ts';
import { windowStart } from '../leads/index.ts';
import { words } from './words.ts';

const DAY_MS = 86_400_000;
/** Whatever a campaign asks for, no one becomes its lead twice within this time. */
const SHORTEST = '1_week';

/** What is known about a lead when it is returned. */
export interface Facts {
  soldAt: Date;
  confidence: number;
  /** What the agency has billed from on. */
  leastBilled: number;
  /** After what time a person can become a lead of the campaign again, as it is set now. */
  reidentify: string;
  /** Whether the campaign was changed after it found the lead. */
  isChanged: boolean;
  /** Services that refused the lead's email address for good, without the client's doing. */
  refusedBy: string[];
  /** The last lead of the same person or address before it that was not refunded. */
  earlier: { id: string; campaignName: string; at: Date } | null;
  /** When the person bought on one of the client's sites for the first time. */
  boughtAt: Date | null;
  /** Since when the person is on an exclusion list. */
  listedAt: Date | null;
  /** When a do-not-call mark was read for one of the lead's numbers. */
  markedAt: Date | null;
  /** Whether the campaign's filter would keep the person out now. */
  isOutside: boolean;
}

const DAY = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });
const day = (at: Date): string => DAY.format(at);

/**
 * The facts about a returned lead as sentences, and which reason each proves. What a client could bring about after the
 * sale, such as a list, a stricter filter, or an answer of its own webhook, proves nothing.
 */
export function proofsOf(facts: Facts): Proof[] {
  const proofs: Proof[] = [];
  const add = (
    kind: Proof['kind'],
    proves: ReturnReason | null,
    text: string,
    leadId: string | null = null,
  ) => proofs.push({ kind, proves, words: text, lead_id: leadId });

  for (const service of new Set(facts.refusedBy))
    add('address_refused', 'invalid_contact', `${service} permanently rejected the email address.`);

  const { earlier, soldAt } = facts;
  if (earlier) {
    const isWithin = (setting: string): boolean => {
      const since = windowStart(setting, soldAt);
      return since === null || earlier.at > since;
    };
    const days = Math.floor((soldAt.getTime() - earlier.at.getTime()) / DAY_MS);
    const proves = isWithin(SHORTEST) || (isWithin(facts.reidentify) && !facts.isChanged);
    add(
      'earlier_lead',
      proves ? 'duplicate' : null,
      `The same person or address was a lead of ${earlier.campaignName} ${days === 0 ? 'on the same day' : days === 1 ? 'a day before' : `${days} days before`}${proves ? '' : ', outside the campaign’s window for repeat leads'}.`,
      earlier.id,
    );
  }
  if (facts.boughtAt && facts.boughtAt < soldAt)
    add(
      'bought_before',
      'customer',
      `The person reached a thank-you page of the client on ${day(facts.boughtAt)}, before they became a lead.`,
    );
  if (facts.listedAt) {
    const isBefore = facts.listedAt < soldAt;
    add(
      'on_list',
      isBefore ? 'excluded' : null,
      `The person has been on an exclusion list since ${day(facts.listedAt)}, ${isBefore ? 'before' : 'after'} they became a lead.`,
    );
  }
  if (facts.markedAt)
    add(
      'do_not_call',
      null,
      `A phone number was marked do not call on ${day(facts.markedAt)}, ${facts.markedAt < soldAt ? 'before' : 'after'} the person became a lead.`,
    );
  if (facts.isOutside)
    add(
      'outside_filter',
      facts.isChanged ? null : 'outside_target',
      facts.isChanged
        ? 'The campaign’s filter now excludes the person, but the campaign was changed after it found them.'
        : 'Based on what is known about the person now, the campaign’s filter excludes them.',
    );
  if (facts.confidence < facts.leastBilled)
    add(
      'below_threshold',
      'outside_target',
      `The match has a confidence of ${facts.confidence}%, below your minimum billable confidence of ${facts.leastBilled}%.`,
    );
  return proofs;
}

/** Whether facts prove a reason. */
export const proves = (proofs: readonly Proof[], reason: ReturnReason): boolean =>
  proofs.some((proof) => proof.proves === reason);

/** How many more returns of a client are approved by themselves, given those of the last days. */
export const automaticLeft = ({ sold, approved }: { sold: number; approved: number }): number =>
  Math.max(
    0,
    Math.max(AUTOMATIC_RETURNS.least, Math.floor((sold * AUTOMATIC_RETURNS.percent) / 100)) - approved,
  );

/** Until when a lead can be returned. */
export const returnableUntil = (soldAt: Date, windowDays: number): Date =>
  new Date(soldAt.getTime() + windowDays * DAY_MS);

/** Why a lead cannot be returned; empty if it can. `blocked`: why it cannot be refunded. */
export function unreturnable(
  lead: { soldAt: Date; state: 'open' | 'approved' | 'declined' | null; blocked: Blocked | null },
  windowDays: number,
  now: Date,
): string {
  if (lead.state) return lead.state === 'open' ? words.returned : words.decided;
  if (lead.blocked) return words.blocked[lead.blocked];
  if (windowDays === 0) return words.closed;
  return now > returnableUntil(lead.soldAt, windowDays) ? words.late(windowDays) : '';
}
