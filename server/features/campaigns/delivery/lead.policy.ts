import { INFORMATION_FIELDS } from '../../../../contract/audience/enrichment-fields.ts';
import { leadTextsOf } from '../../../../contract/audience/person-texts.ts';
import { DATA_PREFIX, LEAD_FIELDS } from '../../../../contract/campaigns/destinations.ts';
import { reasonsWords } from '../../../../contract/campaigns/scores.ts';
import type { Lead } from '../../../integrations/index.ts';
import type { LeadData } from './policy.ts';

/** The keys of everything that can be known about a lead. */
export const SOURCES: ReadonlySet<string> = new Set([
  ...Object.keys(LEAD_FIELDS),
  ...INFORMATION_FIELDS.map(({ key }) => DATA_PREFIX + key),
]);

/** Whether a number is on a do-not-call list, as far as anybody said; null without a number. */
const callable = (phone: string | null, isMarked: boolean, scrubbedAt: string | null): string | null =>
  phone === null ? null : isMarked ? 'yes' : scrubbedAt === null ? 'unknown' : 'no';

/** A lead as text by the keys of LEAD_FIELDS and of the data fields that its campaign requests; no empty values. */
export function leadOf(data: LeadData): Lead {
  const { person, campaign, visit, match } = data;
  const known: Record<string, string | number | null> = {
    lead_id: data.id,
    ...leadTextsOf(person),
    full_name: [person.first_name, person.last_name].filter(Boolean).join(' '),
    email: person.email,
    phone: person.phone,
    phone_dnc: callable(person.phone, person.phone_dnc, person.phone_scrubbed_at),
    phone_dnc_checked_at: person.phone_scrubbed_at,
    phone_dnc_source: person.phone_scrub_source,
    phone2: person.phone2,
    phone2_dnc: callable(person.phone2, person.phone2_dnc, person.phone2_scrubbed_at),
    phone2_dnc_checked_at: person.phone2_scrubbed_at,
    phone2_dnc_source: person.phone2_scrub_source,
    campaign_id: campaign.id,
    campaign_name: campaign.name,
    campaign_type: campaign.type,
    page_url: visit.page_url,
    referrer: visit.referrer,
    match_type: match.type,
    confidence: match.confidence,
    score: data.score?.points ?? null,
    score_reasons: data.score ? reasonsWords(data.score.reasons) : null,
    created_at: data.created_at,
    is_test: String(data.test),
  };
  for (const [key, value] of Object.entries(data.information)) known[DATA_PREFIX + key] = value;
  return Object.fromEntries(
    Object.entries(known).flatMap(([key, value]) =>
      value === null || value === '' ? [] : [[key, String(value)]],
    ),
  );
}
