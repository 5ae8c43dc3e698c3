// No schema here, because screens use it as well.
import { leadTextLabels } from '../audience/person-texts.ts';

/**
 * What is known about a lead when it is delivered: the sources of field mappings, by key, with the words of the
 * screens. `data_…` fields that a campaign requests are added to these (contract/audience/enrichment-fields.ts).
 */
export const LEAD_FIELDS = {
  lead_id: 'Lead ID',
  ...leadTextLabels('name'),
  full_name: 'Full name',
  email: 'Email',
  phone: 'Phone number',
  phone_dnc: 'On a do-not-call list (yes, no, or unknown)',
  phone_dnc_checked_at: 'Do-not-call lists checked',
  phone_dnc_source: 'Do-not-call lists checked by',
  phone2: 'Second phone number',
  phone2_dnc: 'Second phone on a do-not-call list',
  phone2_dnc_checked_at: 'Do-not-call lists checked, second phone',
  phone2_dnc_source: 'Do-not-call lists checked by, second phone',
  ...leadTextLabels('rest'),
  campaign_id: 'Campaign ID',
  campaign_name: 'Campaign name',
  campaign_type: 'Campaign type',
  page_url: 'Page visited',
  referrer: 'Referrer',
  match_type: 'Match type',
  confidence: 'Match confidence',
  score: 'Score',
  score_reasons: 'Reasons of the score',
  created_at: 'Time of the lead',
  is_test: 'Test lead (true or false)',
} as const;
export type LeadField = keyof typeof LEAD_FIELDS;

/** Before the key of a data field that the campaign requests. */
export const DATA_PREFIX = 'data_';

/** Before text that fills a target field the same way for every lead. */
export const TEXT_PREFIX = 'text:';

/**
 * What a connection can be in. `expiring`: it works, and its sign-in ends within a week. `broken`: the vendor refused
 * the credentials; deliveries wait for new ones.
 */
export const CONNECTION_STATES = ['connected', 'expiring', 'broken', 'paused'] as const;
export type ConnectionState = (typeof CONNECTION_STATES)[number];

/**
 * States of a delivery. `unknown`: an attempt may have arrived, but its response was lost, so the vendor is asked
 * before anything is sent again. `skipped`: the rules of the destination left the lead out.
 */
export const DELIVERY_STATES = ['pending', 'unknown', 'delivered', 'failed', 'skipped'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** What the delivery desk lists; `waiting` is what is pending or unknown. */
export const DESK_STATES = ['failed', 'waiting', 'delivered', 'skipped'] as const;
export type DeskState = (typeof DESK_STATES)[number];

/**
 * One request of an attempt and its response, as they are stored and shown: credentials are masked, and what is known
 * about the person stands as {{field}}.
 */
export interface Exchange {
  method: string;
  url: string;
  headers: [name: string, value: string][];
  body: string | null;
  /** null: no response came. */
  status: number | null;
  answer: string | null;
  ms: number;
}

/** What became of a lead at all of its destinations. `skipped`: the rules of each left it out. */
export const LEAD_DELIVERY = ['none', 'pending', 'delivered', 'failed', 'skipped'] as const;
export type LeadDelivery = (typeof LEAD_DELIVERY)[number];
