import { z } from 'zod';
import { ofLeadDetails } from '../audience/person-texts.ts';
import { call } from '../base.ts';
import { MAX_CHOSEN, MODULES, type ModuleType } from '../choices.ts';
import { Done, GivenDay, Id, Instant, Micros, Page, PageQuery, Whole } from '../primitives.ts';
import { RuleChanges } from './campaigns.ts';
import { DELIVERY_STATES, LEAD_DELIVERY } from './destinations.ts';
import { AD_WAYS, MATCH_TYPES } from './lead-view.ts';
import { RETURN_REASONS, RETURN_STATES } from './return-rules.ts';
import { SCORED_LEADS, scoreReasonNames } from './scores.ts';

/** How a visitor was recognized, strongest first; the number is the kind of the identity key. */
export const MATCH_KINDS = {
  1: 'email_sha256',
  2: 'email_sha1',
  3: 'email_md5',
  4: 'visitor',
  5: 'device',
  6: 'phone',
  7: 'ip',
  // 8 is the domain of an exclusion; a lead found by intent signals has no visit key.
  9: 'intent',
  // The network of a company, without a person.
  10: 'company',
} as const;
export const MatchType = z.enum(MATCH_TYPES);

/** The kind of the identity key behind a type of match. */
export const matchKindOf = (type: z.output<typeof MatchType>): number =>
  Number(Object.entries(MATCH_KINDS).find(([, name]) => name === type)![0]);

const Text = z.string().nullable();

/** Why a lead has its score; the points of all reasons add up to it. */
export const ScoreReason = z.object({
  reason: z.enum(scoreReasonNames),
  points: z.int(),
  most: z.int().describe('The maximum points for the reason'),
  words: z.string(),
});
/** A lead's score in messages and for programs. */
export const LeadScore = z
  .object({ points: z.int().describe('From 0 to 100'), reasons: z.array(ScoreReason) })
  .nullable()
  .describe('null: test leads, excluded people, and campaigns without score weights');

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
    .describe(
      'Whether the phone number is on a do-not-call list, even if it was listed after the lead was delivered',
    ),
  phone_dnc_at: Instant.nullable().describe('When the do-not-call list was read'),
  phone_scrubbed_at: Instant.nullable().describe(
    'When the phone number was last compared with do-not-call lists, as far as a source says. null: not known',
  ),
  phones_withheld: z.int().describe('Phone numbers left out because they are on a do-not-call list'),
  city: Text,
  state: Text,
  page_url: Text,
  match_type: MatchType,
  confidence: z.int(),
  company: Text.describe('The company, if the lead is one without a person'),
  company_domain: Text.describe('The domain of its site'),
  score: z.int().nullable().describe('From 0 to 100. null: test leads and campaigns without score weights'),
  price_micros: Micros,
  is_test: z.boolean(),
  converted_at: Instant.nullable().describe('When the person reached the campaign’s thank-you page'),
  created_at: Instant,
  delivery: z.enum(LEAD_DELIVERY),
});

/** One step of the reasoning behind a match. */
export const Evidence = z.object({
  key: MatchType,
  source: z.string().describe('Where the key came from: the import or the visit'),
  seen_at: Instant,
  people: z.int().describe('Number of people who share this key'),
  confidence: z.int(),
});

/**
 * Another person the visitor might have been. Never identifies them: they are not a lead here, and only the keys that
 * pointed to them are shown.
 */
export const Alternative = z.object({
  confidence: z.int().describe('The confidence that it was this person instead'),
  keys: z.array(Evidence),
});

/** One intent signal behind a Search ID lead. */
export const LeadSignal = z.object({
  keyword: z.string(),
  url: z.string().nullable(),
  place: z.string().nullable().describe("State and ZIP code, such as 'TX 78701'"),
  at: Instant,
  key: MatchType.nullable().describe(
    'The key that identified the person. null if it was their ID in the source',
  ),
  confidence: z.int(),
});

export const Lead = LeadRow.extend({
  phone2: Text,
  phone2_dnc: z.boolean(),
  phone2_dnc_at: Instant.nullable(),
  phone2_scrubbed_at: Instant.nullable(),
  phone_scrub_source: Text.describe('What compared the phone number with do-not-call lists'),
  phone2_scrub_source: Text,
  ...ofLeadDetails(() => Text),
  information: z
    .array(
      z.object({
        id: z.int(),
        key: z.string(),
        name: z.string(),
        type: z.enum(['advanced', 'b2b']),
        value: Text.describe('null if not known'),
      }),
    )
    .describe('The data fields that the campaign requested when the lead arrived'),
  referrer: Text,
  ip: Text,
  score_reasons: z.array(ScoreReason).describe('Their points add up to the score'),
  evidence: z.array(Evidence),
  alternatives: z.int().describe('Number of other people the evidence pointed to'),
  others: z
    .array(Alternative)
    .describe('The most likely of them. Empty for leads from before these were stored'),
  signals: z.array(LeadSignal).describe('Newest first. Search ID only'),
  signal_count: z.int(),
  visited_at: Instant.nullable(),
  deliveries: z.array(
    z.object({
      id: Id,
      url: z.string(),
      state: z.enum(DELIVERY_STATES),
      attempts: z.int(),
      last_status: z.int().nullable(),
    }),
  ),
});

/** A step of a lead's journey. What its kind does not have is null. */
const Step = z.object({
  kind: z
    .enum([
      'view',
      'identify',
      'thanks',
      'ad_click',
      'ad_view',
      'signal',
      'lead',
      'delivery',
      'return',
      'decision',
      'merge',
      'unmerge',
    ])
    .describe(
      'A page view, a sign-up, the thank-you page, the click on an ad or its view, an intent signal, the lead itself, a delivery of it, its return, the decision about that, a merge of two records of the person, or the undo of one',
    ),
  id: Id,
  at: Instant,
  title: Text.describe('Title of the page, or name of the creative'),
  page_url: Text,
  referrer: Text,
  seconds: z.int().nullable().describe('Time on the page, until the next one in the same browser'),
  is_recognized: z.boolean().describe('False for a page view before the person was recognized'),
  came_by: z
    .object({
      source: Text,
      medium: Text,
      campaign: Text,
      term: Text,
      content: Text,
      click_id: Text.describe('Name and value of an ad network’s click id'),
    })
    .nullable()
    .describe('The source of the visit, from the page’s address'),
  destination: Text.describe('Of a delivery. Of an ad, the site that showed it'),
  state: z.enum(DELIVERY_STATES).nullable(),
  error: Text,
  reason: z.enum(RETURN_REASONS).nullable().describe('Why the lead was returned'),
  decision: z.enum(RETURN_STATES).nullable().describe('Whether the return was approved or declined'),
  note: Text.describe('The note on the return or the decision. Of an ad, its campaign'),
  match_type: MatchType.nullable().describe('What identified the person'),
  confidence: z.int().nullable(),
  price_micros: Micros.nullable(),
  keyword: Text.describe('The keyword'),
  shared: z.array(MatchType).describe('What the merged records have in common. Never who the other one is'),
});

/** A product that campaigns belong to. */
export const ModuleName = z.enum(
  MODULES.map(({ module }) => module) as [ModuleType, ...ModuleType[]],
  'is not a product',
);

export const LeadFilter = z.object({
  leadspeekID: Id.optional(),
  companyID: Id.optional(),
  moduleType: ModuleName.optional().describe('Only leads of campaigns of this module'),
  startDate: GivenDay.optional(),
  endDate: GivenDay.optional(),
  searchQuery: z.string().trim().max(200).optional(),
  minScore: Whole(0, 100).optional().describe('Only leads with at least this score'),
  match: MatchType.optional().describe('Only leads that were recognized by this'),
  kind: z.enum(['person', 'company']).optional().describe('Only people, or only companies without a person'),
  ad_campaign_id: Id.optional().describe('Only leads that are credited to this ad campaign'),
  ad_creative_id: Id.optional().describe('Only leads that are credited to this creative'),
  ad_place: z.string().trim().min(1).max(253).optional().describe('Only leads of ads shown on this site'),
  ad_way: z.enum(AD_WAYS).optional().describe('Only leads that came after a click, or after a view'),
  ad_from: GivenDay.optional().describe('Only leads of ads shown on or after this day'),
  ad_to: GivenDay.optional().describe('Only leads of ads shown up to this day'),
});

/** Weights to be tried on a campaign's leads. */
export const ScorePreview = RuleChanges.pick({
  scoreRecency: true,
  scoreDepth: true,
  scoreHot: true,
  scoreFit: true,
  scorePages: true,
}).extend({ leadspeekID: Id });

export const LEAD_SORTS = ['created_at', 'last_name', 'email', 'score'] as const;
const LeadSort = z.enum(LEAD_SORTS).optional();
/** The parameters for downloading a list of leads as a file. */
export const LeadFile = LeadFilter.extend({
  sortby: LeadSort,
  order: PageQuery.shape.order,
  ids: z
    .string()
    .max(37 * MAX_CHOSEN, `must not name more than ${MAX_CHOSEN} leads`)
    .transform((text) => text.split(','))
    .pipe(z.array(Id).max(MAX_CHOSEN, `must not name more than ${MAX_CHOSEN} leads`))
    .optional()
    .describe('Only these leads, as ids separated by commas, in this order'),
});

export const leads = {
  list: call
    .route({
      method: 'GET',
      path: '/leadspeek/report/lead',
      tags: ['Leads'],
      summary: 'Lists leads, paginated',
    })
    .meta({ access: 'lead.read' })
    .input(
      PageQuery.extend(LeadFilter.shape).extend({
        sortby: LeadSort,
      }),
    )
    .output(Page(LeadRow)),
  get: call
    .route({
      method: 'GET',
      path: '/leadspeek/report/lead/{id}',
      tags: ['Leads'],
      summary: 'Returns one lead with the full person and the reason it matched',
    })
    .meta({ access: 'lead.read' })
    .input(z.object({ id: Id }))
    .output(Lead),
  journey: call
    .route({
      method: 'GET',
      path: '/leadspeek/report/lead/{id}/journey',
      tags: ['Leads'],
      summary:
        "Lists what happened around a lead, newest first: the person's visits to the campaign's sites, signals, merges of their records, deliveries, and its return",
    })
    .meta({ access: 'lead.read' })
    .input(PageQuery.extend({ id: Id }))
    .output(Page(Step)),
  previewScores: call
    .route({
      method: 'POST',
      path: '/leadspeek/report/lead/score-preview',
      tags: ['Leads'],
      summary: `Returns the scores that other weights would give a campaign's last ${SCORED_LEADS} leads`,
      description: 'Changes nothing. Omitted weights stay as they are.',
    })
    .meta({ access: 'lead.read' })
    .input(ScorePreview)
    .output(
      z.object({
        leads: z.int().describe('Number of leads checked'),
        bands: z.array(
          z.object({
            from: z.int().describe('The lowest score of the band'),
            before: z.int().describe('Leads in it now'),
            after: z.int(),
          }),
        ),
        examples: z
          .array(
            z.object({
              id: Id,
              before: z.int().nullable(),
              score: z.int(),
              score_reasons: z.array(ScoreReason),
            }),
          )
          .describe('Those with the highest scores'),
      }),
    ),
  least: call
    .route({
      method: 'GET',
      path: '/leadspeek/report/least-confidence',
      tags: ['Leads'],
      summary: "Returns the confidence below which matches of a company's campaigns are not billed",
    })
    .meta({ access: 'campaign.read' })
    .input(z.object({ companyID: Id.optional().describe('Defaults to your company') }))
    .output(z.object({ least_confidence: z.int() })),
  sendTestLead: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/send-test-lead',
      tags: ['Leads'],
      summary:
        'Creates a lead that is marked as a test and fully delivered. Limited to one per minute for each campaign',
      description: 'It is free and does not count toward limits, figures, notices, or reports.',
    })
    .meta({ access: 'campaign.write' })
    .input(z.object({ leadspeekID: Id }))
    .output(
      Done.extend({ lead_id: Id, webhooks: z.int().describe('Number of webhooks it is being sent to') }),
    ),
};
