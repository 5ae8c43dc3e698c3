import { z } from 'zod';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Vault } from '../../../platform/crypto.ts';
import type { Leads } from '../leads/index.ts';

/** The purpose that the tokens of these emails are sealed for. */
export const SEAL = 'reports.subscription';
/** The maximum number of leads whose details are in an email; the others are behind its link. */
export const MOST_DETAILS = 20;

const Subscription = z.object({
  campaignId: z.uuid(),
  which: z.enum(['report', 'notice']),
  address: z.string(),
});
/** Which emails of a campaign go to an address. */
export type Subscription = z.output<typeof Subscription>;

/** @throws Refusal 410 for a token that is altered, or sealed with a key that is no longer known */
export function readToken(vault: Vault, token: string): Subscription {
  try {
    return Subscription.parse(JSON.parse(vault.open(token, SEAL)));
  } catch {
    throw new Refusal('gone', ownMessages.unsubscribeInvalid, { errors: { token: ['is not valid'] } });
  }
}

/** What to know before calling a lead's number; the day is that of the last comparison. */
function callNote({
  phone_dnc,
  phone_scrubbed_at,
}: {
  phone_dnc: boolean;
  phone_scrubbed_at: string | null;
}) {
  if (phone_dnc) return ' (on a do-not-call list)';
  return phone_scrubbed_at ? ` (do-not-call lists checked ${phone_scrubbed_at.slice(0, 10)})` : '';
}

type Messages = Awaited<ReturnType<Leads['message']>>;

/** One line with the details of each lead, and how many are not among them. `count`: how many leads there are. */
export function linesOf(leads: Messages, count: number): string[] {
  const lines = [...leads.values()].map(({ person, visit }) =>
    [
      [person.first_name, person.last_name].filter(Boolean).join(' '),
      person.email,
      person.phone && `${person.phone}${callNote(person)}`,
      [person.job_title, person.company_name].filter(Boolean).join(', '),
      [person.address, person.city, [person.state, person.zip].filter(Boolean).join(' ')]
        .filter(Boolean)
        .join(', '),
      visit.page_url,
    ]
      .filter(Boolean)
      .join(' · '),
  );
  const more = count - lines.length;
  return more > 0 ? [...lines, `${more} more ${more === 1 ? 'is' : 'are'} behind the link.`] : lines;
}
