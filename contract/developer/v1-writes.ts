import { z } from 'zod';
import { type CompanyFieldsOfApi, companyFields } from '../accounts/company-fields.ts';
import { lengthOf, NAME_MAX } from '../accounts/company-rules.ts';
import { MOST_CITIES, MOST_KEYWORDS, MOST_ZIPS } from '../audience/target.ts';
import { campaignRules, type RulesOfApi } from '../campaigns/campaign-rules.ts';
import { ApiRules, entriesType } from '../campaigns/campaigns.ts';
import { PAYMENT_TERMS } from '../choices.ts';
import {
  Country,
  Dollars,
  Email,
  FREQUENCIES,
  GivenDay,
  hasControls,
  Id,
  Line,
  shapeOf,
  WebUrl,
} from '../primitives.ts';
import { ALL_EVENTS, HOOK_EVENT_NAMES } from './hook-events.ts';
import { GivenInstant, Product } from './v1.ts';
import { VERSIONS } from './versions.ts';

// The bodies of the developer API's writes (docs/decisions/0250-v1-writes.md). Fields left out of a change stay as they are.

const Price = Dollars.describe('US dollars as a decimal: 2.50');
const Cents = Dollars.regex(/^\d+(\.\d{0,2}0*)?$/, 'must be in whole cents').describe(
  'US dollars and cents: 49.00',
);
const Text = (most: number) =>
  z
    .string()
    .max(most, `must not exceed ${most} characters`)
    .refine((text) => !hasControls(text), 'must not contain control characters');
const Texts = (most: number, length: number) =>
  z.array(Text(length)).max(most, `must not exceed ${most} entries`);

/** Whom a campaign or a count looks for. */
const TargetBody = z.strictObject({
  keywords: z
    .array(Text(200).refine((text) => !text.includes(','), 'must not contain commas'))
    .max(MOST_KEYWORDS, `must not exceed ${MOST_KEYWORDS} entries`),
  location: z.enum(['national', 'state', 'zip'], 'must be one of national, state, zip'),
  states: Texts(60, 40).optional().describe('State codes, such as TX'),
  cities: Texts(MOST_CITIES, 120)
    .optional()
    .describe('Cities, such as Austin, TX. If a state has cities listed, only those count'),
  zips: Texts(MOST_ZIPS, 10).optional().describe('Five-digit ZIP codes'),
  job_titles: Texts(500, 300).optional().describe('B2B ID only, like the next four'),
  seniorities: Texts(500, 300).optional(),
  departments: Texts(500, 300).optional(),
  industries: Texts(500, 300).optional(),
  company_sizes: Texts(500, 300).optional().describe('Numbers of employees: 11 to 50'),
});

/** A campaign's rules (campaign-rules.ts) as programs send them. */
const RuleBody = shapeOf<{
  [A in keyof RulesOfApi]: z.ZodOptional<z.ZodType<RulesOfApi[A], RulesOfApi[A]>>;
}>(
  campaignRules.map(([, rule]) => {
    const type =
      rule.kind === 'flag'
        ? z.boolean()
        : rule.kind === 'whole'
          ? z
              .int('must be a whole number')
              .min(rule.least, `must be at least ${rule.least}`)
              .max(rule.most, `must not exceed ${rule.most}`)
          : rule.kind === 'list'
            ? entriesType(rule.entries)
            : z.enum(Object.keys(rule.choices));
    const { description } = ApiRules.shape[rule.api.name as keyof RulesOfApi];
    return [rule.api.name, (description ? type.describe(description) : type).optional()];
  }),
);

const changes = {
  site_url: WebUrl.optional().describe(
    'The site with the pixel. Required for Site ID. Other products have no site',
  ),
  site_hosts: Texts(20, 255).optional().describe('Other hosts with the pixel'),
  thank_you_url: WebUrl.nullable().optional().describe('The page people reach after they buy or sign up'),
  ...RuleBody,
  lead_limit: z
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(1_000_000, 'must not exceed 1000000')
    .nullable()
    .optional()
    .describe('Maximum number of leads a day, week, or month. null for no limit'),
  lead_limit_period: z.enum(FREQUENCIES, `must be one of ${FREQUENCIES.join(', ')}`).optional(),
  starts_on: GivenDay.nullable().optional(),
  ends_on: GivenDay.nullable().optional(),
  price_per_lead: Price.optional(),
  price_per_lead_advanced: Price.optional(),
  price_per_lead_b2b: Price.optional(),
  price_per_company: Price.optional(),
  max_price_per_lead: Price.optional().describe('Maximum price per lead in US dollars. 0 for no maximum'),
  monthly_fee: Cents.optional(),
  one_time_fee: Cents.optional().describe('Paid at the start, in US dollars'),
  payment_term: z.enum(PAYMENT_TERMS, `must be one of ${PAYMENT_TERMS.join(', ')}`).optional(),
};

export const CampaignBody = z.strictObject({
  client_id: Id,
  product: Product,
  name: Line,
  ...changes,
  targeting: TargetBody.optional().describe('The target audience. Required for all products except Site ID'),
  paused: z
    .boolean()
    .default(false)
    .describe('true: it starts paused. A prepaid campaign starts paused until it has a balance'),
});
export const CampaignChange = z.strictObject({
  name: Line.optional(),
  ...changes,
  targeting: TargetBody.partial().optional(),
});
export const CampaignStatusBody = z.strictObject({
  status: z
    .enum(['active', 'paused', 'archived'], 'must be one of active, paused, archived')
    .describe('An archived campaign must be paused before it can be activated'),
});
export const ApiTestLead = z.object({
  lead_id: Id,
  destinations: z.int().describe('Number of destinations it was sent to'),
});

const name = z
  .string()
  .trim()
  .min(1, 'is required')
  .refine((text) => lengthOf(text) <= NAME_MAX, `must not exceed ${NAME_MAX} characters`)
  .refine((text) => !hasControls(text), 'must not contain control characters')
  .meta({ maxLength: NAME_MAX });
const phone = Text(40).describe('With the country code: +15045550100');
/** The fields of a client's own row (company-fields.ts) that programs may set. */
const ClientFieldsBody = shapeOf<{
  [Name in keyof CompanyFieldsOfApi]: z.ZodOptional<
    z.ZodType<CompanyFieldsOfApi[Name], CompanyFieldsOfApi[Name]>
  >;
}>(
  companyFields.flatMap(([, { kind, api }]) =>
    api
      ? [
          [
            api.name,
            (kind === 'text' ? Text(NAME_MAX).nullable() : z.boolean()).describe(api.about).optional(),
          ],
        ]
      : [],
  ),
);
export const ClientBody = z.strictObject({
  name,
  owner: z
    .strictObject({ name, email: Email, phone })
    .describe('The person who signs in for the client. They are invited by email'),
  can_add_campaigns: z.boolean().optional(),
  ...ClientFieldsBody,
});
export const ClientChange = z.strictObject({
  name: name.optional(),
  owner: z
    .strictObject({ name: name.optional(), phone: phone.optional() })
    .optional()
    .describe('The email address can be changed in the app only'),
  can_add_campaigns: z.boolean().optional(),
  ...ClientFieldsBody,
});

export const SandboxLeadBody = z.strictObject({
  campaign_id: Id.describe('A campaign in test mode'),
});

export const WebhookBody = z.strictObject({
  campaign_id: Id.describe('The campaign whose leads are sent'),
  url: WebUrl.describe('Reachable from the internet over HTTPS'),
  format: z
    .enum(['standard', 'flat'], 'must be one of standard, flat')
    .default('standard')
    .describe(
      'standard: the signed message with everything about a lead. flat: one JSON object, also signed',
    ),
});

/** Entries of a list that is sent in one request. */
const MOST_ENTRIES = 10_000;
export const ExclusionListBody = z.strictObject({
  client_id: Id.optional().describe(
    'The client it applies to. Without client_id and campaign_id: all your clients',
  ),
  campaign_id: Id.optional().describe('The campaign it applies to'),
  name: Text(200).min(1, 'is required'),
  entries: z
    .array(Text(320).min(1, 'must not be empty'))
    .min(1, 'must have at least one entry')
    .max(MOST_ENTRIES, `must not exceed ${MOST_ENTRIES} entries`)
    .describe(
      'Email addresses (plain, MD5, or SHA-256), phone numbers, and domains. Loaded shortly after; read the list to see when',
    ),
  ignore_gmail_aliases: z
    .boolean()
    .default(false)
    .describe('Ignores dots and anything after a plus sign in Gmail addresses'),
  country: Country.default('US').describe('The country of phone numbers without a country code'),
});

export const KeywordCountBody = z.strictObject({
  client_id: Id.optional().describe('Required without campaign_id'),
  campaign_id: Id.optional().describe('A campaign with keywords, whose product and rules then apply'),
  product: z
    .enum(['search_id', 'enhance_id', 'b2b_id'], 'must be one of search_id, enhance_id, b2b_id')
    .optional()
    .describe('Defaults to search_id'),
  targeting: TargetBody,
});
export const KeywordCountApply = z.strictObject({ campaign_id: Id });

export const SsoTokenBody = z.strictObject({
  client_id: Id.describe('The client whose owner signs in'),
});
export const ApiSsoToken = z.object({
  url: z.string().describe('Opens the app signed in. Send the person there within 60 seconds; it works once'),
  token: z.string(),
  expires_at: z.iso.datetime(),
});

/** The body of a request that has none. */
export const NoBody = z.strictObject({});

// Webhooks.

const EventTypes = z
  .array(z.enum([ALL_EVENTS, ...HOOK_EVENT_NAMES], 'is not an event type'))
  .min(1, 'must list at least one')
  .max(HOOK_EVENT_NAMES.length + 1)
  .refine((all) => new Set(all).size === all.length, 'must list each only once')
  .describe('The events it receives. * for all, including future ones');
const ClientIds = z
  .array(Id)
  .min(1, 'must list at least one')
  .max(100, 'must not exceed 100 entries')
  .nullable()
  .describe('Only events that concern these clients. null for all');
/** What people and programs enter of an endpoint. */
export const HookFields = z.object({
  url: WebUrl.describe('An https address'),
  description: Text(200).default(''),
  types: EventTypes,
  client_ids: ClientIds.default(null),
});
export const HookChanges = z.object({
  url: WebUrl.optional(),
  description: Text(200).optional(),
  types: EventTypes.optional(),
  client_ids: ClientIds.optional(),
  disabled: z.boolean().optional(),
});
export const EndpointBody = z.strictObject(HookFields.shape);
export const EndpointChange = z.strictObject({
  ...HookChanges.shape,
  version: z
    .enum(VERSIONS, `must be one of ${VERSIONS.join(', ')}`)
    .optional()
    .describe('The API version of the events it receives'),
});
export const EndpointTest = z.strictObject({
  type: z.enum(HOOK_EVENT_NAMES, 'is not an event type').describe('The event whose example is sent'),
});
export const EndpointRecover = z.strictObject({
  since: GivenInstant.describe('Failed messages since this time are resent, up to 10,000'),
});
export const ApiRemoved = z.object({ id: Id, removed: z.literal(true) });
export const ApiRecovered = z.object({
  messages: z.int().describe('Number of messages that are resent'),
});
