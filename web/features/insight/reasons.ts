import { prettyCode } from '../../ui/format.ts';

const words: Record<string, [title: string, meaning: string]> = {
  unmatched: ['Not recognized', 'Nobody in the people data matches this visit.'],
  held: [
    'Held for review',
    'The sign-up looks automated. It becomes no lead and costs nothing unless the agency releases it.',
  ],
  discarded: ['Discarded', 'The sign-up looked automated and was discarded after review.'],
  privacy_signal: ['Privacy signal', 'The browser or the consent switch asked not to be tracked.'],
  bot: ['Bot', 'The visitor is a known crawler or another program.'],
  excluded: ['On an exclusion list', 'The person is on a list of people who must not become leads.'],
  cannot_compare: ['Could not be checked', 'The person could not be compared with the exclusion lists.'],
  converted: [
    'Customer already',
    'The person has reached the thank-you page of the campaign, so is no lead of it any more.',
  ],
  email_missing: ['No e-mail address', 'The campaign needs an e-mail address and none is known.'],
  phone_missing: ['No phone number', 'The campaign needs a phone number and none is known.'],
  address_missing: ['No postal address', 'The campaign needs a postal address and none is known.'],
  low_confidence: ['Match too uncertain', "The match was below the campaign's lowest confidence."],
  below_threshold: [
    'Below what is billed',
    'The match was below the lowest confidence that the agency bills.',
  ],
  seen_recently: [
    'Already a lead',
    'The person became a lead of this campaign within its re-identification window.',
  ],
  duplicate: [
    'Lead of another campaign',
    'The person is a recent lead of another campaign of the same client.',
  ],
  outside_dates: ['Outside the dates', 'The visit came before the start or after the end of the campaign.'],
  inactive: ['Campaign not active', 'The campaign was paused or archived.'],
  paused: ['Campaign paused', 'The campaign was paused.'],
  daily_cap: ['Limit of leads reached', 'The campaign had its leads of the day, week or month.'],
  balance_empty: ['Balance empty', 'The prepaid balance did not cover another lead.'],
  below_cost: ['Price update needed', 'The campaign was on hold until its price per lead was updated.'],
  cap_campaign: ['Limit of the campaign', 'The spending limit of the campaign was reached.'],
  cap_client: ['Limit of the client', 'The spending limit of the client was reached.'],
  cap_wallet: ['Limit of the agency', 'A spending limit of the agency was reached.'],
  foreign_origin: [
    'From another site',
    "The visit did not come from one of the campaign's sites. If the site is yours, add it in the campaign's set-up.",
  ],
  foreign_page: [
    'Page of another site',
    "The page is not on one of the campaign's sites. If the site is yours, add it in the campaign's set-up.",
  ],
  bad_event: ['Malformed event', 'The event did not have the form that the pixel sends.'],
  bad_time: ['Wrong clock', "The event's time was more than a day off."],
  too_many: [
    'Too many at once',
    'More events came from one browser, address or network, or for the whole site, than people make. Browsers send theirs again a little later.',
  ],
  too_large: ['Too large', 'The event was larger than allowed.'],
};

/** Plain words for the code of a refusal: a title and what it means (empty for a code without words yet). */
export function reasonWords(code: string): { title: string; meaning: string } {
  const [title, meaning] = words[code] ?? [prettyCode(code), ''];
  return { title, meaning };
}
