// No schema here, because screens use it as well.
import { LEAD_FIELDS } from './destinations.ts';

/** What a webhook sends: our message, one flat JSON object, a form, or the client's own JSON. */
export const PAYLOAD_FORMATS = ['standard', 'flat', 'form', 'template'] as const;
export type PayloadFormat = (typeof PAYLOAD_FORMATS)[number];

/** One field of a flat payload: its name, and what fills it, as in field mappings. */
export interface PayloadField {
  name: string;
  source: string;
}

/** What a webhook sends. `fields` count for `flat` and `form`, `template` for `template`. */
export interface Payload {
  format: PayloadFormat;
  fields: PayloadField[];
  template: string;
}

/** A header that a webhook sends with every request. */
export interface PayloadHeader {
  name: string;
  value: string;
}

export const MOST_FIELDS = 100;
export const MOST_HEADERS = 10;
export const LONGEST_TEMPLATE = 20_000;
export const LONGEST_HEADER_VALUE = 1000;

/** Around the key of a lead's field in a template. */
export const OPEN = '{{';
export const CLOSE = '}}';

/** Every field of a lead under its own key. */
export const DEFAULT_FIELDS: readonly PayloadField[] = Object.keys(LEAD_FIELDS).map((key) => ({
  name: key,
  source: key,
}));

/** The keys that webhooks of RB2B send. null: what leads here do not have. */
export const RB2B_TEMPLATE = JSON.stringify(
  {
    'LinkedIn URL': '{{data_linkedin}}',
    'First Name': '{{first_name}}',
    'Last Name': '{{last_name}}',
    Title: '{{job_title}}',
    'Company Name': '{{company_name}}',
    'Business Email': '{{data_business_email}}',
    Website: '{{website}}',
    Industry: '{{data_industry}}',
    'Employee Count': '{{data_company_size}}',
    'Estimate Revenue': '{{data_company_revenue}}',
    City: '{{city}}',
    State: '{{state}}',
    Zipcode: '{{zip}}',
    'Seen At': '{{created_at}}',
    Referrer: '{{referrer}}',
    'Captured URL': '{{page_url}}',
    Tags: null,
  },
  null,
  2,
);
