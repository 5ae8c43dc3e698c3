import type { CampaignRules } from '../../../../contract/campaigns/campaign-rules.ts';
import type { RuleRefusal } from '../../../../contract/campaigns/rule-reasons.ts';
import { stripEnd } from '../../../../contract/text.ts';
import type { Fit, FitFacts } from './fit.policy.ts';

/** A recognized visit that may become a lead, with all that the rules look at. */
export interface Candidate {
  campaignId: string;
  companyId: string;
  personId: string;
  confidence: number;
  excluded: 'clear' | 'excluded' | 'cannot_compare';
  /** Whether the client has them on a list of known customers. */
  isCustomer?: boolean;
  email: string | null;
  phone: string | null;
  address: string | null;
  /** What the campaign's filter looks at; undefined where it has none. */
  facts?: FitFacts | undefined;
  /** How many pages of the site their browser has viewed; undefined where no one asks. */
  pages?: number | undefined;
  /** Whether the person has already reached the campaign's goal, or does so now. */
  converted?: boolean;
}

/** The rules of a campaign, and its current counts. Updated as candidates of a batch are accepted. */
export interface Standing {
  state: 'active' | 'paused' | 'archived' | 'removed';
  rules: CampaignRules;
  /** Its filter; null if it lets everyone through. */
  fit: Fit | null;
  /** The confidence below which the campaign's agency has nothing billed. */
  leastBilled: number;
  startsOn: string | null;
  endsOn: string | null;
  /** The maximum number of leads in the current day, week or month; null if unlimited. */
  leadLimit: number | null;
  leadsCounted: number;
  priceMicros: bigint;
  /** Null: the client owes its leads, so no balance is needed. */
  balanceMicros: bigint | null;
}

export type Refused =
  | RuleRefusal
  | 'excluded'
  | 'cannot_compare'
  | 'customer'
  | 'unnamed_country'
  | 'converted'
  | 'below_threshold'
  | 'seen_recently'
  | 'duplicate'
  | 'outside_dates'
  | 'inactive'
  | 'daily_cap'
  | 'balance_empty'
  | 'below_cost'
  | 'cap_campaign'
  | 'cap_client'
  | 'cap_wallet';

const DAY_MS = 86_400_000;

/** The instant from which an earlier lead of the same person blocks a new one; null if it always does. */
export function windowStart(reidentify: string, now: Date): Date | null {
  if (reidentify === '1_week') return new Date(now.getTime() - 7 * DAY_MS);
  const months = { '1_month': 1, '3_months': 3, '6_months': 6, '12_months': 12 }[reidentify];
  if (!months) return null;
  const start = Temporal.Instant.fromEpochMilliseconds(now.getTime())
    .toZonedDateTimeISO('UTC')
    .subtract({ months });
  return new Date(start.epochMilliseconds);
}

/** Where data comes from, for everyone but the root: they just see that it was an import. */
export const sourceShown = (source: string | null): string | null =>
  source?.replace(/^import: .*/s, 'import') ?? null;

/** A person's numbers as a lead gets them. */
export interface LeadPhones {
  phone: string | null;
  phone2: string | null;
  /** Whether they are on a do-not-call list: only if the campaign asks for such numbers. */
  phone_dnc: boolean;
  phone2_dnc: boolean;
  /** How many were left out because they are on a do-not-call list. */
  phones_withheld: number;
}

/**
 * The phone numbers that a lead gets: those on do-not-call lists only if the campaign asks for them; the others move
 * up.
 */
export function leadPhones(
  person: { phone: string | null; phone2: string | null },
  marked: ReadonlySet<string>,
  asksForMarked: boolean,
): LeadPhones {
  const known = [person.phone, person.phone2].flatMap((phone) => phone ?? []);
  const given = asksForMarked ? known : known.filter((phone) => !marked.has(phone));
  const [phone = null, phone2 = null] = given;
  return {
    phone,
    phone2,
    phone_dnc: phone !== null && marked.has(phone),
    phone2_dnc: phone2 !== null && marked.has(phone2),
    phones_withheld: known.length - given.length,
  };
}

/**
 * A URL without the parts that don't distinguish pages: scheme, `www.`, trailing slash, fragment; null if it is not a
 * URL.
 */
function pageOf(text: string): { page: string; query: URLSearchParams } | null {
  const url = URL.parse(text);
  if (!url) return null;
  const host = url.host.replace(/^www\./, '');
  return { page: `${host}${stripEnd(url.pathname, '/')}`, query: url.searchParams };
}

/**
 * Whether a visit reached a campaign's goal: either the page said so (`thanks`), or it is the thank-you page
 * (thank_you_url). The visit's URL must contain all query parameters of that page's URL, in any order and among any
 * others.
 */
export function reachesGoal(visit: { event?: string; url: string | null }, thankYou: string | null): boolean {
  if (visit.event === 'thanks') return true;
  const goal = thankYou ? pageOf(thankYou) : null;
  const here = goal && visit.url ? pageOf(visit.url) : null;
  return (
    goal !== null &&
    here !== null &&
    here.page === goal.page &&
    [...goal.query].every(([name, value]) => here.query.getAll(name).includes(value))
  );
}

/** The calendar day in a time zone, YYYY-MM-DD. */
export function dayIn(now: Date, timeZone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(now.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDate()
    .toString();
}

/** Whether a refusal says something about the person, so that it is only shown where they would have been paid for. */
export const isAboutPerson = (refused: Refused): boolean =>
  refused === 'excluded' || refused === 'cannot_compare' || refused === 'customer' || refused === 'misfit';

/**
 * Checks the rules in the order of the domain's "life of a lead" (privacy and bots have already been handled at
 * intake); the first that refuses is the reason. Returns null if it is a lead. `sameCampaign` and `otherCampaign` are
 * when this person last became a lead here and in the client's other campaigns.
 */
export function refusal(
  candidate: Candidate,
  campaign: Standing,
  last: { sameCampaign: Date | undefined; otherCampaign: Date | undefined },
  now: Date,
  today: string,
): Refused | null {
  const { rules } = campaign;
  const isOutside =
    (campaign.startsOn && today < campaign.startsOn) || (campaign.endsOn && today > campaign.endsOn);
  const isShort = campaign.balanceMicros !== null && campaign.balanceMicros < campaign.priceMicros;
  // A known customer is none of the lead rules' business: they may have been a lead, or have bought, and no limit of
  // leads is used up. But whoever is named was recognized as surely as a lead, by a campaign that buys leads.
  if (
    candidate.isCustomer &&
    candidate.excluded === 'clear' &&
    candidate.confidence >= Math.max(campaign.leastBilled, rules.min_confidence) &&
    campaign.state === 'active' &&
    !isOutside &&
    !isShort
  )
    return 'customer';
  if (candidate.converted) return 'converted';
  if (rules.email_required && !candidate.email) return 'email_missing';
  if (rules.phone_required && !candidate.phone) return 'phone_missing';
  if (rules.address_required && !candidate.address) return 'address_missing';
  if (candidate.confidence < campaign.leastBilled) return 'below_threshold';
  if (candidate.confidence < rules.min_confidence) return 'low_confidence';
  if (candidate.pages !== undefined && candidate.pages < rules.min_pages) return 'few_pages';
  const since = windowStart(rules.reidentify, now);
  const within = (at: Date | undefined): boolean => at !== undefined && (since === null || at > since);
  if (within(last.sameCampaign)) return 'seen_recently';
  if (within(last.otherCampaign)) return 'duplicate';
  if (isOutside) return 'outside_dates';
  if (campaign.state !== 'active') return 'inactive';
  if (campaign.leadLimit !== null && campaign.leadsCounted >= campaign.leadLimit) return 'daily_cap';
  if (isShort) return 'balance_empty';
  // After all others: an answer about someone who could not become a lead anyway would tell who they are, by a list made
  // for the question, or what is known about them, for free and as often as the list or the filter is changed.
  // A filter that leaves people out answers together with the lists: one that fits no one would make the question about
  // lists free, and a list of one's own the question about the filter.
  if (candidate.excluded !== 'clear') return campaign.fit?.canRefuse ? 'misfit' : candidate.excluded;
  if (candidate.facts && campaign.fit?.refuses(candidate.facts)) return 'misfit';
  return null;
}
