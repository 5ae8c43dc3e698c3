import { z } from 'zod';
import { AudienceFields, AudienceView, KeywordText, TargetFields, TargetView } from '../audience/target.ts';
import { call } from '../base.ts';
import { PlannedRetail, RetailCosts, RetailFields } from '../money/pricing.ts';
import {
  Day,
  Dollars,
  Done,
  Flag,
  GivenDay,
  given,
  Id,
  Instant,
  Line,
  Micros,
  Page,
  PageQuery,
  PipeList,
  WebUrl,
  Whole,
} from '../primitives.ts';
import { InformationFields, InformationView, MoreFields, MoreOfCampaign } from './campaign-fields.ts';
import {
  campaignRules,
  isOpen,
  NEW_RULES,
  type RulesOfApi,
  type RulesOnWire,
  rulesShown,
} from './campaign-rules.ts';
import { SiteHosts } from './site-hosts.ts';

export const CAMPAIGN_STATES = ['active', 'paused', 'archived', 'removed'] as const;

/** Why a campaign is paused, as a code; the screen has the wording for each. */
export const STATE_REASONS = [
  'balance_empty',
  // The agency pays more for a lead than the client does, and has not chosen to.
  'below_cost',
  'cap_campaign',
  'cap_client',
  'cap_wallet',
  // The client has not paid; the campaign resumes automatically once everything due has been paid.
  'payment_failed',
  // The agency has not paid, as shown to it and the companies above it; its client, who owes nothing, sees
  // agency_paused.
  'agency_unpaid',
  'agency_paused',
  // The agency's subscription has ended.
  'cancelled',
  // The agency has ended manual billing.
  'billing_changed',
  // The company, or the agency above it, was removed.
  'company_removed',
  'person',
] as const;

const Optional = <T extends z.ZodType>(type: T) =>
  z.union([z.literal('').transform(() => null), z.null(), type]).optional();

/** The modules whose campaigns bring leads. Ad campaigns have calls of their own (contract/ads/ad-campaigns.ts). */
export const CAMPAIGN_MODULES = ['local', 'locator', 'enhance', 'b2b'] as const;

type Rule = (typeof campaignRules)[number][1];
type Entries = Extract<Rule, { kind: 'list' }>['entries'];
/** The entries of a list, each once; named ones in their order. */
export const entriesType = (entries: Entries) => {
  if (isOpen(entries)) {
    const { most, longest, form, fault } = entries;
    const Entry = z
      .string()
      .max(longest, `must not exceed ${longest} characters`)
      .transform((text) => text.replace(/\s+/gu, ' ').trim());
    return z
      .array(form ? Entry.refine((text) => form.test(text), fault) : Entry)
      .max(most, `must not exceed ${most} entries`)
      .transform((all) => [
        ...new Map(
          all.filter((text) => /[\p{L}\p{N}]/u.test(text)).map((text) => [text.toLowerCase(), text]),
        ).values(),
      ]);
  }
  const names = Object.keys(entries);
  return z
    .array(z.enum(names, 'cannot be selected'))
    .max(names.length, 'must list each entry only once')
    .transform((chosen) => names.filter((name) => chosen.includes(name)));
};
const ruleType = (rule: Rule) =>
  rule.kind === 'flag'
    ? Flag
    : rule.kind === 'whole'
      ? Whole(rule.least, rule.most)
      : rule.kind === 'list'
        ? entriesType(rule.entries)
        : z.enum(Object.keys(rule.choices));
const describe = (type: z.ZodType, about: string | undefined) => (about ? type.describe(about) : type);
const STARTS = rulesShown(NEW_RULES);
type RuleType<T> = z.ZodType<T, T extends number ? T | string : T>;
/** A campaign's rules (contract/campaigns/campaign-rules.ts) as a new campaign takes them, as a change does, and as shown. */
const RuleFields = z.object(
  Object.fromEntries(
    campaignRules.map(([name, rule]) => [
      rule.wire,
      describe((ruleType(rule) as z.ZodType).default(STARTS[name]), rule.about),
    ]),
  ) as { [W in keyof RulesOnWire]: z.ZodDefault<RuleType<RulesOnWire[W]>> },
);
export const RuleChanges = z.object(
  Object.fromEntries(
    campaignRules.map(([, rule]) => [
      rule.wire,
      describe((ruleType(rule) as z.ZodType).optional(), rule.about),
    ]),
  ) as { [W in keyof RulesOnWire]: z.ZodOptional<RuleType<RulesOnWire[W]>> },
);
const shownType = (rule: Rule) =>
  rule.kind === 'flag'
    ? Flag
    : rule.kind === 'whole'
      ? z.int()
      : rule.kind === 'list'
        ? z.array(z.string())
        : z.enum(Object.keys(rule.choices));
const RulesShown = z.object(
  Object.fromEntries(campaignRules.map(([, rule]) => [rule.wire, shownType(rule)])) as unknown as {
    [W in keyof RulesOnWire]: z.ZodType<RulesOnWire[W], RulesOnWire[W]>;
  },
);
/** The rules as programs get them. */
export const ApiRules = z.object(
  Object.fromEntries(
    campaignRules.map(([, rule]) => [
      rule.api.name,
      describe(rule.kind === 'flag' ? z.boolean() : shownType(rule), rule.api.about),
    ]),
  ) as { [A in keyof RulesOfApi]: z.ZodType<RulesOfApi[A], RulesOfApi[A]> },
);

/** What a person sets on a campaign, whatever its module. */
export const CampaignFields = z
  .object({
    campaignName: Line,
    urlCode: WebUrl.optional().describe(
      'The site with the pixel. Required for Site ID, not used by other modules',
    ),
    urlCodeThankyou: Optional(WebUrl).describe('The page people reach after they buy or sign up'),
    siteHosts: SiteHosts.optional().describe(
      'Other hosts with the pixel: shop.example.com, or *.example.com for a domain and all its subdomains. Visits from other hosts are refused. If omitted in an update, the hosts do not change',
    ),
    LimitLead: Optional(Whole(1, 1_000_000)).describe('Daily lead limit. Leave blank for no limit'),
    startDate: Optional(GivenDay),
    endDate: Optional(GivenDay),
  })
  .extend(RuleFields.shape)
  .extend(MoreFields.shape)
  .extend(RetailFields.shape)
  .extend(TargetFields.shape)
  .extend(InformationFields.shape)
  .extend(AudienceFields.shape);

export const Campaign = z.object({
  leadspeekID: Id,
  leadspeek_api_id: z.int().describe('The campaign number shown to users'),
  leadspeekType: z.enum(CAMPAIGN_MODULES),
  company_id: Id,
  company_name: z.string(),
  agency_name: z.string(),
  campaignName: z.string(),
  status: z.enum(CAMPAIGN_STATES),
  statusReason: z.enum(STATE_REASONS).nullable(),
  urlCode: z.string(),
  urlCodeThankyou: z.string().nullable(),
  siteHosts: z.array(z.string()),
  ...RulesShown.shape,
  LimitLead: z.int().nullable(),
  startDate: Day.nullable(),
  endDate: Day.nullable(),
  ...TargetView.shape,
  ...InformationView.shape,
  ...AudienceView.shape,
  ...MoreOfCampaign.shape,
  ...RetailCosts.shape,
  planned_costs: z.array(PlannedRetail).describe('Costs that take effect later'),
  margin_micros: Micros.nullable().describe(
    'The agency’s margin on the lead price. Below 0 if the agency pays more than the price. null for clients',
  ),
  balance_micros: Micros.nullable().describe('Remaining prepaid balance; null for those who may not see it'),
  keyword_preview: z.string().describe('The first keywords in one line, up to 200 characters'),
  leads_30d: z
    .int()
    .describe('For the last 30 calendar days including today, in the time zone of your company'),
  visits_30d: z.int().describe('For the same days'),
  pixel_check: z.enum(['found', 'not_found', 'blocked']).nullable(),
  pixel_checked_at: Instant.nullable(),
  last_visit_at: Instant.nullable(),
  silent_since: Instant.nullable().describe(
    'Since when an active site has sent nothing for longer than usual; null while it sends',
  ),
  version: z.int().describe('Increases with each change. Updates name the version they are based on'),
  created_at: Instant,
});

/** A campaign of any module, also of ads, whose states change by the same calls. */
const AnyCampaign = Campaign.extend({ leadspeekType: z.enum([...CAMPAIGN_MODULES, 'simplifi']) });

/** A campaign in a list: without what may be too long to be in one, which `get` returns. */
export const CampaignRow = Campaign.omit({
  locatorkeyword: true,
  locatorcity: true,
  locatorzip: true,
  jobTitles: true,
  seniority: true,
  department: true,
  industry: true,
  companySize: true,
  fitJobTitles: true,
  fitIndustry: true,
  fitZip: true,
});

/** A campaign as it is created. */
export const NewCampaign = CampaignFields.extend({
  leadspeekType: z.enum(CAMPAIGN_MODULES).default('local'),
  companyID: Id.optional().describe('The client. Required when an agency calls'),
  draft: Flag.default('F').describe('T: the campaign starts paused and must be activated by a user'),
});

const Which = z.object({ leadspeekID: Id });
/** A change to a campaign; fields left out stay as they are. */
export const CampaignUpdate = CampaignFields.extend({
  campaignName: Line.optional(),
  ...RuleChanges.shape,
  leadspeekID: Id,
  version: z
    .int()
    .min(1)
    .max(2_147_483_647)
    .optional()
    .describe('The version that was edited. If omitted, the current version'),
  effective_from: GivenDay.optional().describe(
    "The costs apply from the start of this day, in the client's time zone, up to two years ahead; changes can be planned for up to 20 days. If omitted, from now on",
  ),
});

export const campaigns = {
  create: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/create',
      tags: ['Campaigns'],
      summary: 'Creates a campaign',
    })
    .meta({ access: 'campaign.create' })
    .input(NewCampaign)
    .output(Done.extend({ data: Campaign })),
  update: call
    .route({
      method: 'PUT',
      path: '/leadspeek/client/update',
      tags: ['Campaigns'],
      summary: 'Updates a campaign',
    })
    .meta({ access: 'campaign.write' })
    .input(CampaignUpdate)
    .output(Done.extend({ data: Campaign })),
  updateLocator: call
    .route({
      method: 'PUT',
      path: '/leadspeek/client/locator/update',
      tags: ['Campaigns'],
      summary: 'Updates a Search ID campaign, including its keywords, locations, and general settings',
    })
    .meta({ access: 'campaign.write' })
    .input(CampaignUpdate)
    .output(Done.extend({ data: Campaign })),
  keywordTags: call
    .route({
      method: 'POST',
      path: '/leadspeek/keyword-to-tags',
      tags: ['Campaigns'],
      summary: 'Extracts the keywords from pasted text, each only once regardless of spelling',
    })
    .meta({ access: 'campaign.read' })
    .input(z.object({ keyword: KeywordText }))
    .output(
      z.object({
        tags: z.array(z.string()),
        repeated: z.int().describe('Keywords left out as duplicates of another keyword'),
        empty: z.int().describe('Entries left out because they have no letters or digits'),
      }),
    ),
  activePause: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/activepause',
      tags: ['Campaigns'],
      summary: 'Activates or pauses a campaign',
    })
    .meta({ access: 'campaign.write' })
    .input(Which.extend({ status: z.enum(['active', 'paused']) }))
    .output(Done.extend({ data: AnyCampaign })),
  archive: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/archive',
      tags: ['Campaigns'],
      summary: 'Archives (status archived) or restores (status paused) a campaign',
    })
    .meta({ access: 'campaign.write' })
    .input(Which.extend({ status: z.enum(['archived', 'paused']).default('archived') }))
    .output(Done.extend({ data: AnyCampaign })),
  remove: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/remove',
      tags: ['Campaigns'],
      summary: 'Removes a campaign and keeps its leads',
      description:
        'A campaign whose ads are not all billed yet is refused (409). Pause it first: what is shown by an ad exchange is billed up to four days later.',
    })
    .meta({ access: 'campaign.remove' })
    .input(Which)
    .output(Done),
  list: call
    .route({
      method: 'GET',
      path: '/leadspeek/client/list',
      tags: ['Campaigns'],
      summary: 'Lists campaigns that bring leads, paginated',
    })
    .meta({ access: 'campaign.read' })
    .input(
      PageQuery.extend({
        sortby: z
          .enum(['campaignName', 'company_name', 'status', 'created_at', 'leads_30d', 'leadspeek_api_id'])
          .optional(),
        status: z.enum(['active', 'paused', 'archived']).optional(),
        companyID: Id.optional(),
        leadspeekType: PipeList(CAMPAIGN_MODULES, 'is not a product')
          .optional()
          .describe("One or more: 'local|locator'"),
        companyGroupID: z
          .union([z.literal(''), Id])
          .optional()
          .describe("Only campaigns in this group. Empty for 'View All'"),
      }),
    )
    .output(Page(CampaignRow)),
  get: call
    .route({
      method: 'GET',
      path: '/leadspeek/getcampaign/{leadspeekID}',
      tags: ['Campaigns'],
      summary: 'Returns one campaign',
    })
    .meta({ access: 'campaign.read' })
    .input(Which)
    .output(Campaign),
  foreignHosts: call
    .route({
      method: 'GET',
      path: '/leadspeek/client/foreign-hosts/{leadspeekID}',
      tags: ['Campaigns'],
      summary: "Lists hosts outside the campaign's sites whose visits were refused in the last 7 days",
    })
    .meta({ access: 'campaign.read' })
    .input(Which)
    .output(z.object({ data: z.array(z.object({ host: z.string(), count: z.int(), last_at: Instant })) })),
  topUp: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/topup',
      tags: ['Campaigns'],
      summary: 'Records a prepaid balance that the client paid to the agency',
    })
    .meta({ access: 'campaign.topup', notInView: true, fresh: true })
    .input(Which.extend({ amount: given(Dollars), idempotencyKey: z.string().min(8).max(100) }))
    .output(Done.extend({ balance_micros: Micros })),
  refusals: call
    .route({
      method: 'GET',
      path: '/leadspeek/client/refusals/{leadspeekID}',
      tags: ['Campaigns'],
      summary: 'Returns counts of why events and visits did not become leads, for the last 30 days',
    })
    .meta({ access: 'campaign.read' })
    .input(Which)
    .output(z.object({ data: z.array(z.object({ reason: z.string(), count: z.int(), last_at: Instant })) })),
};
