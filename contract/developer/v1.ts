import { z } from 'zod';
import { type CompanyFieldsOfApi, companyFields } from '../accounts/company-fields.ts';
import { LEVELS } from '../audience/exclusions.ts';
import { ofLeadTexts } from '../audience/person-texts.ts';
import { ApiRules, STATE_REASONS } from '../campaigns/campaigns.ts';
import { LEAD_DELIVERY } from '../campaigns/destinations.ts';
import { MATCH_TYPES } from '../campaigns/lead-view.ts';
import { LeadFilter, LeadScore, MatchType } from '../campaigns/leads.ts';
import { PAYLOAD_FORMATS } from '../campaigns/payloads.ts';
import { type LEAD_MODULES, PAYMENT_TERMS } from '../choices.ts';
import { AUTO_STATES } from '../money/data-wallet.ts';
import { TRANSFER_KINDS } from '../money/ledger.ts';
import { Day, GivenDay, Id, Instant, shapeOf } from '../primitives.ts';
import { KEY_MODES, SCOPE_NAMES } from './developer-rules.ts';
import { HOOK_EVENT_NAMES, HOOK_STATES, MESSAGE_STATES } from './hook-events.ts';
import { VERSIONS } from './versions.ts';

// The shapes of the developer API (docs/decisions/0197-v1-reads.md). Names are plain English, not those of the screens.

/** How the developer API names the products; the values are those of the screens. */
export const PRODUCTS = {
  site_id: 'local',
  search_id: 'locator',
  enhance_id: 'enhance',
  b2b_id: 'b2b',
} as const satisfies Record<string, (typeof LEAD_MODULES)[number]>;
export type Product = keyof typeof PRODUCTS;
export const Product = z.enum(
  Object.keys(PRODUCTS) as [Product, ...Product[]],
  `must be one of ${Object.keys(PRODUCTS).join(', ')}`,
);

const Money = z.string().describe('US dollars as a decimal, with 2 to 6 decimal places: 12.50');
const Text = z.string().nullable();

// Parameters of lists.

const WHOLE = 'must be a whole number from 1 to 100';
/** The number of items on a page. */
const Limit = z
  .string()
  .regex(/^\d{1,3}$/, WHOLE)
  .transform(Number)
  .pipe(z.int().min(1, WHOLE).max(100, WHOLE))
  .default(25)
  .describe('Maximum number of items on a page');
const Cursor = z.string().max(300).optional().describe('The next_cursor of the previous page');

/** The years that a given instant may have: every store and calendar can hold these. */
const [FIRST, LAST] = [Date.UTC(1900), Date.UTC(9999)];
export const GivenInstant = z.iso
  .datetime({ offset: true, error: 'must be a timestamp such as 2026-12-01T00:00:00Z' })
  .refine(
    (text) => Date.parse(text) >= FIRST && Date.parse(text) < LAST,
    'must be in a year from 1900 to 9998',
  );
const Search = z.string().trim().min(1, 'must not be empty').max(200, 'must not exceed 200 characters');

const page = { limit: Limit, cursor: Cursor };
/** What changed, for programs that keep a copy. */
const UpdatedSince = GivenInstant.optional();
const COPY =
  'the oldest change first. To keep a copy up to date, send the newest updated_at that you have and replace what you have by its id. Changes of the minute before are returned again, because one can become visible shortly after newer ones';

const GivenProduct = Product.optional();
const OfClient = Id.optional().describe('Only those of this client');
const OfCampaign = Id.optional().describe('Only those of this campaign');

/** The path of one item. */
export const ItemPath = z.strictObject({ id: Id });
/** The query of a request that has no parameters. */
export const NoQuery = z.strictObject({});

/** The views of an agency's statement. */
const VIEWS = ['balance', 'wallet', 'earnings', 'card', 'tax'] as const;

/** How to correct each parameter, returned with the rule that it broke. */
export const FIXES: Readonly<Record<string, string>> = {
  'Lead-Version': `Send one of ${VERSIONS.join(', ')}, or leave the header out for the version of your key.`,
  limit: 'Send a whole number from 1 to 100, or leave it out for 25.',
  cursor:
    'Send the next_cursor of the previous page unchanged, with the same parameters, or leave it out to start over.',
  id: 'Send the id exactly as it was returned, such as 018f2b7c-3c5a-7d1e-8a4b-2f6d9e0c1a35.',
  client_id: 'Send the id of a client as returned by GET /v1/clients.',
  campaign_id: 'Send the id of a campaign as returned by GET /v1/campaigns.',
  product: `Send one of ${Object.keys(PRODUCTS).join(', ')}.`,
  search: 'Send 1 to 200 characters.',
  status: 'Send one of the statuses in the API reference.',
  kind: 'Send one of the kinds in the API reference.',
  view: `Send one of ${VIEWS.join(', ')}, or leave it out for balance.`,
  start_date: 'Send a day such as 2026-12-01.',
  end_date: 'Send a day such as 2026-12-31.',
  updated_since: 'Send an ISO 8601 timestamp in UTC, such as 2026-12-01T00:00:00Z.',
  min_score: 'Send a whole number from 0 to 100.',
  max_score: 'Send a whole number from 0 to 100.',
  match: `Send one of ${MATCH_TYPES.join(', ')}.`,
  created_since: 'Send an ISO 8601 timestamp in UTC, such as 2026-12-01T00:00:00Z.',
  created_before: 'Send an ISO 8601 timestamp in UTC, such as 2026-12-01T00:00:00Z.',
};

/** A page of a list. */
const ListOf = <T extends z.ZodType>(item: T) =>
  z.object({
    data: z.array(item),
    next_cursor: z
      .string()
      .nullable()
      .describe('Send it as cursor to get the next page. null on the last page'),
  });

const Targeting = z.object({
  keywords: z.array(z.string()),
  location: z.enum(['national', 'state', 'zip']),
  states: z.array(z.string()),
  cities: z.array(z.string()),
  zips: z.array(z.string()),
  job_titles: z.array(z.string()).describe('B2B ID only, like the next four'),
  seniorities: z.array(z.string()),
  departments: z.array(z.string()),
  industries: z.array(z.string()),
  company_sizes: z.array(z.string()).describe('Numbers of employees: 11 to 50'),
});

/** The key that makes a request. */
export const ApiMe = z.object({
  key: z.object({
    id: Id,
    client_id: z.string(),
    name: z.string(),
    expires_at: Instant.nullable(),
    version: z
      .string()
      .describe('The version of the API that it was created with, unless Lead-Version asks for another'),
  }),
  company: z.object({ id: Id, name: z.string(), time_zone: z.string() }).nullable(),
  scopes: z.array(z.enum(SCOPE_NAMES)),
  mode: z.enum(KEY_MODES),
});

// Clients.

export const ClientQuery = z.strictObject({
  ...page,
  search: Search.optional().describe(
    'In the names of the client and its owner, and in the owner’s email and phone',
  ),
  product: GivenProduct.describe('Only clients that can use this product'),
  updated_since: UpdatedSince.describe(`Only clients that changed at or after this instant, ${COPY}`),
});
/** The fields of a client's own row (company-fields.ts) that programs get. */
const clientFields = shapeOf<{
  [Name in keyof CompanyFieldsOfApi]: z.ZodType<CompanyFieldsOfApi[Name], CompanyFieldsOfApi[Name]>;
}>(
  companyFields.flatMap(([, { kind, api }]) => {
    const field = kind === 'text' ? z.string().nullable() : z.boolean();
    return api ? [[api.name, field.describe(api.about)]] : [];
  }),
);
export const ApiClient = z.object({
  id: Id,
  name: z.string(),
  owner: z
    .object({
      name: z.string(),
      email: z.string(),
      phone: Text.describe('With the country code: +15045550100'),
    })
    .nullable()
    .describe('The person who signs in for the client. null if there is none'),
  can_add_campaigns: z.boolean().describe('Whether the client’s own people can add campaigns'),
  ...clientFields,
  active_campaigns: z.int(),
  created_at: Instant,
  updated_at: Instant.describe('When the client, its owner, or one of its campaigns last changed'),
});
export const ApiClients = ListOf(ApiClient);

// Campaigns.

const CAMPAIGN_STATUS = ['active', 'paused', 'archived'] as const;
export const CampaignQuery = z.strictObject({
  ...page,
  client_id: OfClient,
  product: GivenProduct.describe('Only campaigns of this product'),
  status: z
    .enum(CAMPAIGN_STATUS, `must be one of ${CAMPAIGN_STATUS.join(', ')}`)
    .optional()
    .describe('Defaults to all, including archived ones'),
  search: Search.optional().describe('In the campaign’s name, number, and site, and in the client’s name'),
  updated_since: UpdatedSince.describe(`Only campaigns that changed at or after this instant, ${COPY}`),
});
export const ApiCampaign = z.object({
  id: Id,
  number: z.int().describe('The campaign number that people see'),
  client_id: Id,
  name: z.string(),
  product: Product,
  status: z.enum(CAMPAIGN_STATUS),
  status_reason: z.enum(STATE_REASONS).nullable().describe('Why it is paused'),
  site_url: Text.describe('The site with the pixel. Site ID only'),
  site_hosts: z.array(z.string()).describe('Other hosts with the pixel'),
  thank_you_url: Text.describe('The page people reach after they buy or sign up'),
  ...ApiRules.shape,
  lead_limit: z.int().nullable().describe('Maximum number of leads a day, week, or month. null for no limit'),
  lead_limit_period: z.enum(['day', 'week', 'month']),
  starts_on: Day.nullable(),
  ends_on: Day.nullable(),
  price_per_lead: Money,
  price_per_lead_advanced: Money.describe('With advanced information, in US dollars'),
  price_per_lead_b2b: Money.describe('With B2B information, in US dollars'),
  price_per_company: Money.describe('For a company without a person, in US dollars. Site ID only'),
  max_price_per_lead: Money.describe('Maximum price per lead in US dollars. 0.00 for no maximum'),
  monthly_fee: Money,
  one_time_fee: Money.describe('Paid at the start, in US dollars'),
  payment_term: z.enum(PAYMENT_TERMS),
  created_at: Instant,
  updated_at: Instant,
});
export const ApiCampaigns = ListOf(ApiCampaign);
// Not in lists: a campaign can have 40,000 ZIP codes.
export const ApiCampaignDetail = ApiCampaign.extend({
  targeting: Targeting.nullable().describe('The target audience. null for Site ID'),
});

// Leads.

const SCORE = 'must be a whole number from 0 to 100';
/** A bound of scores. */
const Score = z
  .string()
  .regex(/^\d{1,3}$/, SCORE)
  .transform(Number)
  .pipe(z.int().max(100, SCORE));
/** What a lead can be. */
const LEAD_KINDS = LeadFilter.shape.kind.unwrap().options;

export const LeadQuery = z.strictObject({
  ...page,
  client_id: OfClient,
  campaign_id: OfCampaign,
  product: GivenProduct.describe('Only leads of this product'),
  kind: z
    .enum(LEAD_KINDS, `must be one of ${LEAD_KINDS.join(', ')}`)
    .optional()
    .describe('Only people, or only companies without a person'),
  search: Search.optional().describe(
    'In names, email addresses, phone numbers, companies, and places, as the list on screen searches. Finds the newest 1,000 leads',
  ),
  min_score: Score.optional().describe('Only leads with at least this score'),
  max_score: Score.optional().describe('Only leads that have a score, of at most this'),
  match: z
    .enum(MATCH_TYPES, `must be one of ${MATCH_TYPES.join(', ')}`)
    .optional()
    .describe('Only leads that were recognized by this'),
  updated_since: UpdatedSince.describe(
    `Only leads that were found or changed at or after this instant, ${COPY}. Changes are of the score, the data fields, the deliveries, the conversion, and that the person returned. That a person was put on an exclusion list is not one: the exclusion lists tell of it`,
  ),
  created_since: GivenInstant.optional().describe(
    'Only leads since this time, oldest first. To keep a copy up to date, start each run a few minutes before the newest lead you have and skip the ids you know: a lead can appear shortly after newer ones',
  ),
  created_before: GivenInstant.optional().describe('Only leads before this time'),
});
export const ApiLead = z.object({
  id: Id,
  client_id: Id,
  campaign_id: Id,
  product: Product,
  test: z.boolean().describe('Made by the test button, free of charge'),
  kind: z.enum(LEAD_KINDS).describe('company: a company without a person, by the network of the visitor'),
  price: Money,
  match: z.object({ type: MatchType, confidence: z.int().describe('Percent') }),
  score: LeadScore,
  excluded: z
    .boolean()
    .describe(
      'The person was added to an exclusion list later. Only the sale is returned: person, company, and visit are null, and data is empty',
    ),
  person: z
    .object({
      ...ofLeadTexts(() => Text),
      email: Text,
      phone: Text,
      phone_do_not_call: z.boolean().describe('Whether the number is on a do-not-call list'),
      phone_scrubbed_at: Instant.nullable().describe(
        'When the number was last compared with do-not-call lists, as far as a source says. null: not known',
      ),
      phone_scrub_source: z.string().nullable().describe('What compared it: import'),
      phone2: Text,
      phone2_do_not_call: z.boolean(),
      phone2_scrubbed_at: Instant.nullable(),
      phone2_scrub_source: z.string().nullable(),
    })
    .nullable()
    .describe('null for a company'),
  company: z
    .object({
      name: Text,
      domain: z.string().describe('Of its site: example.com'),
    })
    .nullable()
    .describe('The company, of a lead of that kind. Its person is null'),
  data: z
    .record(z.string(), Text)
    .describe('The data fields that the campaign requested when the lead arrived, by key. null if not known'),
  visit: z.object({ page_url: Text, referrer: Text }).nullable(),
  delivery: z
    .enum(LEAD_DELIVERY)
    .describe(
      'none: the campaign had no webhook. skipped: the rules of each of its destinations left the lead out',
    ),
  converted_at: Instant.nullable().describe('When the person reached the campaign’s thank-you page'),
  created_at: Instant,
  updated_at: Instant.describe('When it was found, or last changed'),
});
export const ApiLeads = ListOf(ApiLead);

// Keyword counts.

export const KeywordCountQuery = z.strictObject({
  ...page,
  client_id: OfClient,
  campaign_id: OfCampaign.describe('Only those requested for this campaign'),
  product: z
    .enum(['search_id', 'enhance_id', 'b2b_id'], 'must be one of search_id, enhance_id, b2b_id')
    .optional()
    .describe('Only counts of this product'),
});
export const ApiKeywordCount = z.object({
  id: Id,
  client_id: Id,
  campaign_id: Id.nullable().describe('The campaign the count was requested for'),
  product: Product,
  status: z.enum(['pending', 'failed', 'done']),
  keyword_total: z.int().describe('Number of keywords'),
  location: z.enum(['national', 'state', 'zip']),
  people: z
    .int()
    .nullable()
    .describe(
      'People who showed the intent in the 7 days before counted_at, in full tens. 0: fewer than 20. null until the count is done',
    ),
  people_in_location: z.int().nullable().describe('Of these, people in the location'),
  forecast: z
    .object({
      not_excluded: z.int(),
      not_customers: z.int().describe('Of these, people who are not known customers of the client'),
      contactable: z.int().describe('People with the contact details that leads must have'),
      fitting: z.int().describe("Of these, people who fit the campaign's filter"),
      confident: z.int().describe('People matched with enough confidence'),
      not_delivered: z.int(),
      deliverable: z.int().describe('People who would become leads, ignoring limits and balances'),
    })
    .nullable()
    .describe('How many people are left after each step, in this order, in full tens. 0: fewer than 20'),
  counted_at: Instant.nullable(),
  finished_at: Instant.nullable(),
  applied_to: Id.nullable().describe('The campaign that uses the keywords now'),
  applied_at: Instant.nullable(),
  created_at: Instant,
});
export const ApiKeywordCounts = ListOf(ApiKeywordCount);
export const ApiKeywordCountDetail = ApiKeywordCount.extend({ targeting: Targeting });

// Exclusion lists.

export const ExclusionListQuery = z.strictObject({
  ...page,
  client_id: Id.optional().describe('The lists of this client'),
  campaign_id: Id.optional().describe('The lists of this campaign'),
});
export const ApiExclusionList = z.object({
  id: Id,
  level: z.enum(LEVELS).describe('What the list applies to'),
  client_id: Id.nullable(),
  campaign_id: Id.nullable(),
  name: z.string().describe('The name of the file'),
  status: z.enum(['queued', 'loading', 'held', 'active', 'failed', 'removed']),
  error: Text,
  rows_read: z.int(),
  rows_invalid: z.int(),
  entries_added: z.int(),
  entries_duplicate: z.int(),
  emails: z.int(),
  phones: z.int(),
  domains: z.int(),
  created_at: Instant,
  finished_at: Instant.nullable(),
  removed_at: Instant.nullable(),
});
export const ApiExclusionLists = ListOf(ApiExclusionList);

// Deliveries.

const DELIVERY_STATUS = ['pending', 'delivered', 'failed', 'skipped'] as const;
export const DeliveryQuery = z.strictObject({
  ...page,
  campaign_id: Id.describe('The campaign whose deliveries to list'),
  status: z.enum(DELIVERY_STATUS, `must be one of ${DELIVERY_STATUS.join(', ')}`).optional(),
});
export const ApiDelivery = z.object({
  id: Id,
  campaign_id: Id,
  lead_id: Id.nullable().describe('null for a test message'),
  message_id: z.string().describe('The webhook-id that was sent'),
  webhook_id: Id,
  url: z.string(),
  test: z.boolean(),
  status: z.enum(DELIVERY_STATUS).describe('skipped: the rules of the destination left the lead out'),
  attempts: z.int(),
  last_attempt_at: Instant.nullable(),
  last_status: z.int().nullable().describe('The HTTP status of the last response'),
  last_error: Text,
  next_attempt_at: Instant.nullable(),
  delivered_at: Instant.nullable(),
  created_at: Instant,
});
export const ApiDeliveries = ListOf(ApiDelivery);

// Webhooks.

export const WebhookQuery = z.strictObject({
  campaign_id: Id.describe('The campaign that sends leads there'),
});
export const ApiWebhook = z.object({
  id: Id,
  campaign_id: Id,
  url: z.string(),
  format: z.enum(PAYLOAD_FORMATS).describe('What it sends of a lead. The app has more choices than the API'),
  status: z.enum(['enabled', 'disabled', 'removed']),
  status_reason: Text.describe('gone: the address returned 410. person: someone disabled it'),
  created_at: Instant,
});
export const ApiWebhooks = z.object({ data: z.array(ApiWebhook) });
export const ApiNewWebhook = ApiWebhook.extend({
  secret: z.string().describe('Signs what is sent (Standard Webhooks). Shown only once'),
});
export const ApiWebhookSamples = z.object({
  data: z
    .array(z.record(z.string(), Text))
    .describe('The newest leads as a flat webhook sends them. A made-up one if there is none'),
});

// Money.

export const ApiWallet = z.object({
  balance: Money.describe('Available balance in US dollars'),
  total_added: Money.describe('Topped up or credited to date, in US dollars'),
  automatic_top_up: z.object({
    enabled: z.boolean(),
    status: z.enum(AUTO_STATES),
    amount: Money,
    threshold: Money.describe('Balance that triggers a top-up, in US dollars'),
  }),
});

export const StatementQuery = z.strictObject({
  ...page,
  view: z
    .enum(VIEWS, `must be one of ${VIEWS.join(', ')}`)
    .default('balance')
    .describe(
      'balance: the Data Wallet, less what you owe. wallet: the Data Wallet. earnings: what clients were charged. card: money that came in. tax: tax to be passed on',
    ),
  kind: z.enum(TRANSFER_KINDS, 'is not a kind of line').optional(),
  client_id: OfClient,
  campaign_id: OfCampaign,
  start_date: GivenDay.optional().describe('First day, in your time zone'),
  end_date: GivenDay.optional().describe('Last day'),
});
export const ApiStatementLine = z.object({
  id: Id,
  kind: z.enum(TRANSFER_KINDS),
  amount: Money.describe('Change in balance in US dollars, with a minus sign if it went down'),
  balance: Money.describe('Balance after the change'),
  price: Money.nullable().describe('Amount charged to the client. null if not applicable'),
  cost: Money.nullable().describe('Amount charged to you. null if not applicable'),
  campaign_id: Id.nullable(),
  reference_id: Id.nullable().describe('The ID of the lead, invoice, or other item it is about'),
  company_name: z.string().describe('The company it concerns'),
  memo: Text,
  created_at: Instant,
});
export const ApiStatement = ListOf(ApiStatementLine);

// Usage.

export const UsageQuery = z.strictObject({
  start_date: GivenDay.optional().describe('First day (UTC). Defaults to 30 days in total'),
  end_date: GivenDay.optional().describe('Last day (UTC). Defaults to today. Up to 366 days in total'),
});
export const ApiUsageDay = z.object({
  date: Day,
  requests: z.int().describe('Requests with your API keys'),
  requests_refused: z.int().describe('Of these, requests that were refused or failed'),
  leads: z.int().describe('Leads of your clients'),
  spend: Money.describe('What your clients were charged for leads, in US dollars'),
});
export const ApiUsage = z.object({ data: z.array(ApiUsageDay).describe('Newest first') });

// Webhooks.

const EventType = z.enum(HOOK_EVENT_NAMES, 'is not an event type');
export const ApiEndpoint = z.object({
  id: Id,
  url: z.string(),
  description: z.string(),
  types: z.array(z.string()).describe('The events it receives. * for all, including future ones'),
  client_ids: z.array(Id).nullable().describe('Only events that concern these clients. null for all'),
  status: z.enum(HOOK_STATES),
  status_reason: z
    .enum(['person', 'gone', 'failing'])
    .nullable()
    .describe(
      'Why it is disabled. gone: it returned 410. failing: an event could not be sent in ten attempts',
    ),
  previous_secret_until: Instant.nullable().describe('When the previous secret stops signing messages too'),
  version: z.string().describe('The API version of the events it receives'),
  messages_7d: z.int().describe('Messages of the last 7 days'),
  failed_7d: z.int().describe('Of these, messages that failed'),
  created_at: Instant,
  updated_at: Instant,
});
export const ApiEndpoints = ListOf(ApiEndpoint);
/** With the secret, which is shown once. */
export const ApiEndpointSecret = ApiEndpoint.extend({
  secret: z.string().describe('whsec_..., which signs messages (Standard Webhooks). Shown only once'),
});

export const MessageQuery = z.strictObject({
  ...page,
  endpoint_id: Id.describe('The endpoint whose messages to list'),
  status: z.enum(MESSAGE_STATES, `must be one of ${MESSAGE_STATES.join(', ')}`).optional(),
  type: EventType.optional(),
});
export const ApiMessage = z.object({
  id: Id,
  endpoint_id: Id,
  message_id: z.string().describe('The webhook-id that was sent, the same on every attempt'),
  type: z.string(),
  object_id: Id.nullable().describe('The ID of what it is about. null for a test'),
  test: z.boolean(),
  status: z.enum(MESSAGE_STATES),
  attempts: z.int(),
  next_attempt_at: Instant.nullable(),
  delivered_at: Instant.nullable(),
  created_at: Instant,
});
export const ApiMessages = ListOf(ApiMessage);
export const ApiMessageDetail = ApiMessage.extend({
  tries: z
    .array(
      z.object({
        number: z.int(),
        started_at: Instant,
        duration_ms: z.int(),
        status: z.int().nullable().describe('The HTTP status of the response'),
        answer: Text.describe('The beginning of the response'),
        error: Text,
      }),
    )
    .describe('Newest first'),
});

export const ApiEventTypes = z.object({
  data: z.array(
    z.object({
      type: z.string(),
      title: z.string(),
      data: z.string().describe('What data is'),
      scope: z.enum(SCOPE_NAMES).describe('What a key needs to receive it'),
      example: z.record(z.string(), z.unknown()).describe('A message'),
    }),
  ),
});
/** What the data of events is, by its name. */
export const EVENT_DATA = {
  lead: ApiLead,
  campaign: ApiCampaignDetail,
  client: ApiClient,
  exclusion_list: ApiExclusionList,
  keyword_count: ApiKeywordCountDetail,
  wallet: ApiWallet,
} as const;
