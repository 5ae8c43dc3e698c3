import { RULE_REASONS } from '../../../../contract/campaigns/rule-reasons.ts';
import { prettyCode } from '../../../ui/format.ts';

const words: Record<string, [title: string, meaning: string]> = {
  unmatched: ['Not recognized', 'No one in the people data matches this visit.'],
  held: [
    'Held for review',
    'The sign-up looks automated. It does not become a lead or cost anything unless the agency releases it.',
  ],
  discarded: ['Discarded', 'The sign-up looked automated and was discarded after review.'],
  privacy_signal: [
    'Privacy signal',
    'The browser (Global Privacy Control) or the site’s consent manager (GPP) sent an opt-out.',
  ],
  bot: ['Bot', 'The visitor is a known crawler or another automated program.'],
  excluded: ['On an exclusion list', 'The person is on a list of people who must not become leads.'],
  cannot_compare: ['Could not be checked', 'The person could not be checked against the exclusion lists.'],
  unnamed_country: [
    'Visitor from Europe',
    'People in the EU, the European Economic Area, and the UK are never looked up. A campaign can include companies instead.',
  ],
  customer: [
    'Known customer',
    'The person is on a list of your known customers. You are never charged for them. Alerts can notify you when they are back.',
  ],
  converted: [
    'Converted',
    'The person reached the campaign’s thank-you page and is no longer a lead for it.',
  ],
  ...RULE_REASONS,
  below_threshold: [
    'Below billable confidence',
    'The match was below the agency’s minimum billable confidence.',
  ],
  seen_recently: [
    'Already a lead',
    'The person became a lead of this campaign within its re-identification window.',
  ],
  duplicate: [
    'Lead in another campaign',
    'The person is a recent lead in another campaign of the same client.',
  ],
  outside_dates: [
    'Outside campaign dates',
    'The visit came before the start or after the end of the campaign.',
  ],
  inactive: ['Campaign not active', 'The campaign was paused or archived.'],
  paused: ['Campaign paused', 'The campaign was paused.'],
  daily_cap: ['Lead limit reached', 'The campaign reached its daily, weekly, or monthly lead limit.'],
  balance_empty: ['Balance empty', 'The prepaid balance did not cover another lead.'],
  below_cost: ['Price update needed', 'The campaign was on hold until its price per lead was updated.'],
  cap_campaign: ['Campaign limit reached', 'The spending limit of the campaign was reached.'],
  cap_client: ['Client limit reached', 'The spending limit of the client was reached.'],
  cap_wallet: ['Agency limit reached', 'A spending limit of the agency was reached.'],
  foreign_origin: [
    'From another site',
    'The visit did not come from one of the campaign’s sites. If the site is yours, add it in the campaign’s setup.',
  ],
  foreign_page: [
    'Page of another site',
    'The page is not on one of the campaign’s sites. If the site is yours, add it in the campaign’s setup.',
  ],
  failed: [
    'Could not be processed',
    'Something went wrong on our side. The visit is tried again for three days.',
  ],
  bad_event: ['Malformed event', 'The event did not match the format the pixel sends.'],
  bad_time: ['Incorrect time', 'The event’s time was more than a day off.'],
  too_many: [
    'Too many at once',
    'One browser, address, or network, or the whole site, sent more events than people generate. Browsers resend theirs a little later.',
  ],
  too_much: [
    'Too much in a day',
    'One address or network, or the whole site, sent more in a day than people generate. Browsers resend theirs later.',
  ],
  too_large: ['Too large', 'The event was larger than allowed.'],
};

/** Describes a refusal code in plain words: a title and what it means (empty for a code without a description yet). */
export function reasonWords(code: string): { title: string; meaning: string } {
  const [title, meaning] = words[code] ?? [prettyCode(code), ''];
  return { title, meaning };
}
