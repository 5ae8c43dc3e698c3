import { z } from 'zod';
import { call } from './base.ts';
import { InformationFields, InformationView, MoreFields, MoreOfCampaign } from './campaign-fields.ts';
import { PlannedRetail, RetailCosts, RetailFields } from './costs.ts';
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
} from './primitives.ts';
import { SiteHosts } from './site-hosts.ts';
import { AudienceFields, AudienceView, KeywordText, TargetFields, TargetView } from './target.ts';

/** When a person may become a lead of the same campaign again (reidentificationtype). */
export const REIDENTIFY = ['never', '1_week', '1_month', '3_months', '6_months', '12_months'] as const;

export const CAMPAIGN_STATES = ['active', 'paused', 'archived', 'removed'] as const;

/** Why a paused campaign is paused, as a code; the screen has words for each. */
export const STATE_REASONS = [
  'balance_empty',
  // The agency pays more for a lead than the client does, and has not chosen to.
  'below_cost',
  'cap_campaign',
  'cap_client',
  'cap_wallet',
  // The client has not paid; it goes on by itself when everything that is due has been paid.
  'payment_failed',
  // The agency has not paid, as it and those above it are told; its client, who owes nothing itself, reads agency_paused.
  'agency_unpaid',
  'agency_paused',
  // The agency's subscription has ended.
  'cancelled',
  // The agency has ended manual billing.
  'billing_changed',
  'person',
] as const;

const Optional = <T extends z.ZodType>(type: T) =>
  z.union([z.literal('').transform(() => null), z.null(), type]).optional();

/** The modules whose campaigns can be made. */
export const CAMPAIGN_MODULES = ['local', 'locator', 'enhance', 'b2b'] as const;

/** What a person sets on a campaign, whatever its module. */
export const CampaignFields = z
  .object({
    campaignName: Line,
    urlCode: WebUrl.optional().describe(
      'The site that carries the pixel; Site ID needs it, the others have none',
    ),
    urlCodeThankyou: Optional(WebUrl).describe('The page people reach after they bought or signed up'),
    siteHosts: SiteHosts.optional().describe(
      'Other hosts that carry the tag: shop.example.com, or *.example.com for a domain and all its subdomains. Visits from elsewhere are refused. Left out of a change, they stay as they are',
    ),
    phoneenabled: Flag.default('F').describe('T: a lead needs a phone number'),
    dncphoneenabled: Flag.default('F').describe(
      'T: phone numbers on do-not-call lists are delivered, marked as such; else they are left out',
    ),
    homeaddressenabled: Flag.default('F').describe('T: a lead needs a postal address'),
    requireemailaddress: Flag.default('T').describe('T: a lead needs an e-mail address'),
    reidentificationtype: z.enum(REIDENTIFY).default('never'),
    minConfidence: Whole(0, 100).default(50).describe('Matches below this are not leads'),
    LimitLead: Optional(Whole(1, 1_000_000)).describe('Leads a day at most; empty: no cap'),
    startDate: Optional(GivenDay),
    endDate: Optional(GivenDay),
  })
  .extend(MoreFields.shape)
  .extend(RetailFields.shape)
  .extend(TargetFields.shape)
  .extend(InformationFields.shape)
  .extend(AudienceFields.shape);

export const Campaign = z.object({
  leadspeekID: Id,
  leadspeek_api_id: z.int().describe('The number that people see'),
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
  phoneenabled: Flag,
  dncphoneenabled: Flag,
  homeaddressenabled: Flag,
  requireemailaddress: Flag,
  reidentificationtype: z.enum(REIDENTIFY),
  minConfidence: z.int(),
  LimitLead: z.int().nullable(),
  startDate: Day.nullable(),
  endDate: Day.nullable(),
  ...TargetView.shape,
  ...InformationView.shape,
  ...AudienceView.shape,
  ...MoreOfCampaign.shape,
  ...RetailCosts.shape,
  planned_costs: z.array(PlannedRetail).describe('Costs that begin later'),
  margin_micros: Micros.nullable().describe(
    'What is left to the agency of the price of a lead, below 0 when it pays more itself; null for clients',
  ),
  balance_micros: Micros.describe('Prepaid balance left'),
  leads_30d: z
    .int()
    .describe('Of the last 30 calendar days, today among them, in the time zone of the own company'),
  visits_30d: z.int().describe('Of the same days'),
  pixel_check: z.enum(['found', 'not_found', 'blocked']).nullable(),
  pixel_checked_at: Instant.nullable(),
  last_visit_at: Instant.nullable(),
  version: z.int().describe('Raised by each change; an update names the version it was made on'),
  created_at: Instant,
});

const Which = z.object({ leadspeekID: Id });
/** A change of a campaign: what it leaves out stays as it is. */
export const CampaignUpdate = CampaignFields.extend({
  campaignName: Line.optional(),
  phoneenabled: CampaignFields.shape.phoneenabled.unwrap().optional(),
  homeaddressenabled: CampaignFields.shape.homeaddressenabled.unwrap().optional(),
  requireemailaddress: CampaignFields.shape.requireemailaddress.unwrap().optional(),
  reidentificationtype: CampaignFields.shape.reidentificationtype.unwrap().optional(),
  minConfidence: CampaignFields.shape.minConfidence.unwrap().optional(),
  leadspeekID: Id,
  version: z
    .int()
    .min(1)
    .max(2_147_483_647)
    .optional()
    .describe('The version that was edited; left out: whatever it is'),
  effective_from: GivenDay.optional().describe(
    "The costs hold from the start of this day on, in the client's time zone; left out: from now on",
  ),
});

export const campaigns = {
  create: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/create',
      tags: ['Campaigns'],
      summary: 'Create a campaign',
    })
    .meta({ access: 'campaign.create' })
    .input(
      CampaignFields.extend({
        leadspeekType: z.enum(CAMPAIGN_MODULES).default('local'),
        companyID: Id.optional().describe('The client; needed from an agency'),
        draft: Flag.default('F').describe('T: it begins paused, to be activated by a person'),
      }),
    )
    .output(Done.extend({ data: Campaign })),
  update: call
    .route({
      method: 'PUT',
      path: '/leadspeek/client/update',
      tags: ['Campaigns'],
      summary: 'Change a campaign',
    })
    .meta({ access: 'campaign.write' })
    .input(CampaignUpdate)
    .output(Done.extend({ data: Campaign })),
  updateLocator: call
    .route({
      method: 'PUT',
      path: '/leadspeek/client/locator/update',
      tags: ['Campaigns'],
      summary: 'Change a Search ID campaign: its keywords and places, and what every campaign has',
    })
    .meta({ access: 'campaign.write' })
    .input(CampaignUpdate)
    .output(Done.extend({ data: Campaign })),
  keywordTags: call
    .route({
      method: 'POST',
      path: '/leadspeek/keyword-to-tags',
      tags: ['Campaigns'],
      summary: 'The keywords that a pasted text holds, each once however it is written',
    })
    .meta({ access: 'campaign.read' })
    .input(z.object({ keyword: KeywordText }))
    .output(
      z.object({
        tags: z.array(z.string()),
        repeated: z.int().describe('Keywords left out since another one has the same form'),
        empty: z.int().describe('What was left out since it holds no letter or digit'),
      }),
    ),
  activePause: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/activepause',
      tags: ['Campaigns'],
      summary: 'Activate or pause',
    })
    .meta({ access: 'campaign.write' })
    .input(Which.extend({ status: z.enum(['active', 'paused']) }))
    .output(Done.extend({ data: Campaign })),
  archive: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/archive',
      tags: ['Campaigns'],
      summary: 'Archive (status archived) or bring back (status paused)',
    })
    .meta({ access: 'campaign.write' })
    .input(Which.extend({ status: z.enum(['archived', 'paused']).default('archived') }))
    .output(Done.extend({ data: Campaign })),
  remove: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/remove',
      tags: ['Campaigns'],
      summary: 'Remove; its leads stay',
    })
    .meta({ access: 'campaign.remove' })
    .input(Which)
    .output(Done),
  list: call
    .route({
      method: 'GET',
      path: '/leadspeek/client/list',
      tags: ['Campaigns'],
      summary: 'Campaigns, paged',
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
          .describe("One or several: 'local|locator'"),
        companyGroupID: z
          .union([z.literal(''), Id])
          .optional()
          .describe("Of this group; empty: 'View All'"),
      }),
    )
    .output(Page(Campaign)),
  get: call
    .route({
      method: 'GET',
      path: '/leadspeek/getcampaign/{leadspeekID}',
      tags: ['Campaigns'],
      summary: 'One campaign',
    })
    .meta({ access: 'campaign.read' })
    .input(Which)
    .output(Campaign),
  snippet: call
    .route({
      method: 'GET',
      path: '/leadspeek/client/embedded-code/{leadspeekID}',
      tags: ['Campaigns'],
      summary: 'The tag for the site, and the content policy lines it needs',
    })
    .meta({ access: 'campaign.read' })
    .input(Which)
    .output(z.object({ tag: z.string(), script_url: z.string(), csp: z.array(z.string()) })),
  checkPixel: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/check-embedded-code',
      tags: ['Campaigns'],
      summary: 'Fetch the site and look for the tag',
    })
    .meta({ access: 'campaign.write' })
    .input(Which)
    .output(
      z.object({
        result: z.literal('success'),
        message: z.string(),
        found: z.boolean(),
        via: z.enum(['page', 'visit', 'none']),
      }),
    ),
  foreignHosts: call
    .route({
      method: 'GET',
      path: '/leadspeek/client/foreign-hosts/{leadspeekID}',
      tags: ['Campaigns'],
      summary: "Hosts that are none of the campaign's sites and whose visits were refused, last 7 days",
    })
    .meta({ access: 'campaign.read' })
    .input(Which)
    .output(z.object({ data: z.array(z.object({ host: z.string(), count: z.int(), last_at: Instant })) })),
  topUp: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/topup',
      tags: ['Campaigns'],
      summary: 'Record prepaid balance that the client paid the agency for',
    })
    .meta({ access: 'campaign.topup', notInView: true, fresh: true })
    .input(Which.extend({ amount: given(Dollars), idempotencyKey: z.string().min(8).max(100) }))
    .output(Done.extend({ balance_micros: Micros })),
  refusals: call
    .route({
      method: 'GET',
      path: '/leadspeek/client/refusals/{leadspeekID}',
      tags: ['Campaigns'],
      summary: 'Why events and visits did not become leads, counted, newest 30 days',
    })
    .meta({ access: 'campaign.read' })
    .input(Which)
    .output(z.object({ data: z.array(z.object({ reason: z.string(), count: z.int(), last_at: Instant })) })),
};
