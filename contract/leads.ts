import { z } from 'zod';
import { call } from './base.ts';
import { MODULES, type ModuleType } from './choices.ts';
import { Done, GivenDay, Id, Instant, Micros, Page, PageQuery } from './primitives.ts';

/** How a visitor was recognised, strongest first; the number is the kind of the identity key. */
export const MATCH_KINDS = {
  1: 'email_sha256',
  2: 'email_sha1',
  3: 'email_md5',
  4: 'visitor',
  5: 'device',
  6: 'phone',
  7: 'ip',
  // 8 is an exclusion's domain; a lead found by intent signals has no key of a visit.
  9: 'intent',
} as const;
export const MatchType = z.enum([
  'email_sha256',
  'email_sha1',
  'email_md5',
  'visitor',
  'device',
  'phone',
  'ip',
  'intent',
]);

const Text = z.string().nullable();

export const LeadRow = z.object({
  id: Id,
  leadspeekID: Id,
  leadspeek_api_id: z.int(),
  campaignName: z.string(),
  company_name: z.string(),
  first_name: Text,
  last_name: Text,
  email: Text,
  phone: Text,
  phone_dnc: z
    .boolean()
    .describe('The phone number is on a do-not-call list, perhaps only since the lead was delivered'),
  phone_dnc_at: Instant.nullable().describe('When the list that says so was read'),
  phones_withheld: z.int().describe('Phone numbers that were left out, since they are on a do-not-call list'),
  city: Text,
  state: Text,
  page_url: Text,
  match_type: MatchType,
  confidence: z.int(),
  price_micros: Micros,
  is_test: z.boolean(),
  converted_at: Instant.nullable().describe('When the person reached the thank-you page of the campaign'),
  created_at: Instant,
  delivery: z.enum(['none', 'pending', 'delivered', 'failed']),
});

/** One step of the reasoning behind a match. */
export const Evidence = z.object({
  key: MatchType,
  source: z.string().describe('Where the key was learned: the import or the visit'),
  seen_at: Instant,
  people: z.int().describe('How many people share this key'),
  confidence: z.int(),
});

/**
 * Somebody else whom it might have been. Never who: they are nobody's lead here, and nothing of them is told but the keys that
 * spoke for them.
 */
export const Alternative = z.object({
  confidence: z.int().describe('How sure it would have been that it was they'),
  keys: z.array(Evidence),
});

/** One intent signal behind a Search ID lead. */
export const LeadSignal = z.object({
  keyword: z.string(),
  url: z.string().nullable(),
  place: z.string().nullable().describe("State and zip code, such as 'TX 78701'"),
  at: Instant,
  key: MatchType.nullable().describe('What told that it was this person; null: their id in the source'),
  confidence: z.int(),
});

export const Lead = LeadRow.extend({
  phone2: Text,
  phone2_dnc: z.boolean(),
  phone2_dnc_at: Instant.nullable(),
  address: Text,
  zip: Text,
  contact_company: Text,
  website: Text,
  job_title: Text,
  information: z
    .array(
      z.object({
        id: z.int(),
        key: z.string(),
        name: z.string(),
        type: z.enum(['advanced', 'b2b']),
        value: Text.describe('null: not known'),
      }),
    )
    .describe('The data fields that the campaign asked for when the lead came'),
  referrer: Text,
  ip: Text,
  evidence: z.array(Evidence),
  alternatives: z.int().describe('How many other people the evidence led to'),
  others: z.array(Alternative).describe('The likeliest of them; none of leads of before they were kept'),
  signals: z.array(LeadSignal).describe('Newest first; Search ID only'),
  signal_count: z.int(),
  visited_at: Instant.nullable(),
  deliveries: z.array(
    z.object({
      id: Id,
      url: z.string(),
      state: z.enum(['pending', 'delivered', 'failed']),
      attempts: z.int(),
      last_status: z.int().nullable(),
    }),
  ),
});

/** A product that campaigns belong to. */
export const ModuleName = z.enum(
  MODULES.map(({ module }) => module) as [ModuleType, ...ModuleType[]],
  'is not a product',
);

export const LeadFilter = z.object({
  leadspeekID: Id.optional(),
  companyID: Id.optional(),
  moduleType: ModuleName.optional().describe('Leads of the campaigns of this module'),
  startDate: GivenDay.optional(),
  endDate: GivenDay.optional(),
  searchQuery: z.string().trim().max(200).optional(),
});

const LEAD_SORTS = z.enum(['created_at', 'last_name', 'email']).optional();
/** What the file of a list of leads is asked with. */
export const LeadFile = LeadFilter.extend({ sortby: LEAD_SORTS, order: PageQuery.shape.order });

export const leads = {
  list: call
    .route({ method: 'GET', path: '/leadspeek/report/lead', tags: ['Leads'], summary: 'Leads, paged' })
    .meta({ access: 'lead.read' })
    .input(
      PageQuery.extend(LeadFilter.shape).extend({
        sortby: LEAD_SORTS,
      }),
    )
    .output(Page(LeadRow)),
  get: call
    .route({
      method: 'GET',
      path: '/leadspeek/report/lead/{id}',
      tags: ['Leads'],
      summary: 'One lead: the whole person and why it matched',
    })
    .meta({ access: 'lead.read' })
    .input(z.object({ id: Id }))
    .output(Lead),
  least: call
    .route({
      method: 'GET',
      path: '/leadspeek/report/least-confidence',
      tags: ['Leads'],
      summary: "The confidence below which matches of a company's campaigns are not billed",
    })
    .meta({ access: 'campaign.read' })
    .input(z.object({ companyID: Id.optional().describe('The own company when left out') }))
    .output(z.object({ least_confidence: z.int() })),
  sendTestLead: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/send-test-lead',
      tags: ['Leads'],
      summary:
        'Make a lead that is marked as a test and goes the whole way of delivery; once a minute a campaign',
      description: 'It costs nothing and counts for nothing: no limit, no figure, no notice, no report.',
    })
    .meta({ access: 'campaign.write' })
    .input(z.object({ leadspeekID: Id }))
    .output(
      Done.extend({ lead_id: Id, webhooks: z.int().describe('To how many webhooks it is on its way') }),
    ),
};
