import { z } from 'zod';
import { call } from '../base.ts';
import { RuleChanges } from '../campaigns/campaigns.ts';
import { Done, Flag, Id, Instant, Page, PageQuery } from '../primitives.ts';
import {
  AudienceFields,
  AudienceView,
  CityNames,
  KeywordText,
  StateCodes,
  TargetLocation,
  ZipText,
} from './target.ts';

/** The modules whose campaigns have keywords; each matches its own way (docs/decisions/0075-enhance-and-b2b.md). */
const SearchModule = z.enum(['locator', 'enhance', 'b2b']);

/** One step of a waterfall: how many people are left after it, in full tens. 0: fewer than 20. */
export const Waterfall = z.object({
  signals: z.int().describe('People with the signals, before any other filter'),
  in_audience: z
    .int()
    .describe('Of these, people in the audience. For products without an audience, all of them'),
  placed: z.int().describe('Of these, people with signals in the location'),
  not_excluded: z.int(),
  not_customers: z.int().describe('Of these, people who are not known customers of the client'),
  contactable: z.int(),
  fitting: z.int().describe('Of these, people who fit the campaign’s filter'),
  sure_enough: z.int(),
  not_delivered: z.int(),
  deliverable: z.int().describe('People who would become leads now, ignoring limits and balances'),
});

/** A row of the keyword lead-count table (spec product 3, Keyword row). */
export const KeywordRow = z.object({
  id: Id,
  company_id: Id,
  company_name: z.string(),
  leadspeekID: Id.nullable().describe('The campaign the count was requested for'),
  leadspeek_api_id: z.int().nullable(),
  leadspeekType: SearchModule,
  ...AudienceView.shape,
  target_location: TargetLocation,
  states: z.array(z.string()),
  cities: z.array(z.string()),
  zip_count: z.int(),
  city_count: z.int(),
  keyword_count: z.int(),
  zip_code: z.string().describe('One per line'),
  keyword: z.string().describe('One per line'),
  count_without_geo: z.int().nullable().describe('Full tens. 0: fewer than 20'),
  count: z.int().nullable().describe('Full tens. 0: fewer than 20'),
  status: z.enum(['pending', 'error', 'done']),
  api_version: z.literal('1'),
  created_at: Instant,
  finished_at: Instant.nullable(),
  counted_at: Instant.nullable().describe('The end of the 7 days that were counted'),
  waterfall: Waterfall.nullable(),
  applied_at: Instant.nullable(),
  applied_to: z.object({ leadspeekID: Id, leadspeek_api_id: z.int(), campaignName: z.string() }).nullable(),
});

const Which = z.object({ id: Id });

export const signals = {
  queueCount: call
    .route({
      method: 'POST',
      path: '/bigdbm/services/queuecount',
      tags: ['Keyword counts'],
      summary: 'Requests a count of people who showed intent in the last 7 days. With id, retries that count',
    })
    .meta({ access: 'campaign.write' })
    .input(
      z.object({
        id: Id.optional().describe('The failed count to retry'),
        companyID: Id.optional().describe('The client. Required from an agency if no campaign is given'),
        leadspeekID: Id.optional().describe('A campaign with keywords whose rules apply to the forecast'),
        leadspeekType: SearchModule.optional().describe('Used if no campaign is given. Defaults to locator'),
        ...AudienceFields.shape,
        // If a campaign is given, its own rules apply.
        ...RuleChanges.shape,
        tell: Flag.default('T').describe('F: no email when the count is done'),
        target_location: TargetLocation.optional(),
        states: StateCodes.optional(),
        cities: CityNames.optional(),
        zip_code: ZipText.optional(),
        keyword: KeywordText.optional(),
      }),
    )
    .output(Done.extend({ data: KeywordRow })),
  getCount: call
    .route({
      method: 'GET',
      path: '/bigdbm/services/getcountcampaign/{id}',
      tags: ['Keyword counts'],
      summary: 'Returns one count with its waterfall',
    })
    .meta({ access: 'campaign.read' })
    .input(Which)
    .output(KeywordRow),
  history: call
    .route({
      method: 'GET',
      path: '/bigdbm/services/getcountcampaignhistory',
      tags: ['Keyword counts'],
      summary:
        'Lists requested counts, paginated. For a campaign, includes its client’s counts without a campaign',
    })
    .meta({ access: 'campaign.read' })
    .input(
      PageQuery.extend({
        sortby: z
          .enum(['created_at', 'count', 'count_without_geo', 'keyword', 'target_location', 'status'])
          .optional(),
        companyID: Id.optional(),
        leadspeekID: Id.optional(),
      }),
    )
    .output(
      Page(KeywordRow).extend({ processing: z.int().describe('Number of these counts that are pending') }),
    ),
  applyCount: call
    .route({
      method: 'POST',
      path: '/bigdbm/services/applycampaign',
      tags: ['Keyword counts'],
      summary: 'Applies the counted keywords to a campaign of the same product',
    })
    .meta({ access: 'campaign.write' })
    .input(Which.extend({ leadspeekID: Id }))
    .output(Done.extend({ data: KeywordRow })),
  forecast: call
    .route({
      method: 'GET',
      path: '/leadspeek/client/forecast/{leadspeekID}',
      tags: ['Keyword counts'],
      summary:
        'Returns the forecast for a campaign with keywords, and what happened to the people it found in the last 7 days',
    })
    .meta({ access: 'campaign.read' })
    .input(z.object({ leadspeekID: Id }))
    .output(
      z.object({
        forecast: KeywordRow.nullable().describe(
          'The newest count of what the campaign searches for, either requested for it or applied to it',
        ),
        found: z.int().describe('People found in the last 7 days'),
        leads: z.int(),
        waiting: z.int(),
        refused: z.array(z.object({ reason: z.string(), count: z.int() })),
      }),
    ),
};
