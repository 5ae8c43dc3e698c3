import { z } from 'zod';
import { call } from './base.ts';
import { Done, Flag, Id, Instant, Page, PageQuery } from './primitives.ts';
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

/** One step of a waterfall: how many people are left after it. */
export const Waterfall = z.object({
  signals: z.int().describe('People with the signals, whoever and wherever they are'),
  in_audience: z.int().describe('Of these whom the audience wants; of products without one all of them'),
  placed: z.int().describe('Of these with the signals in the place'),
  not_excluded: z.int(),
  contactable: z.int(),
  sure_enough: z.int(),
  not_delivered: z.int(),
  deliverable: z.int().describe('Who would become a lead now, caps and money apart'),
});

/** A row of the keyword lead-count table (spec product 3, Keyword row). */
export const KeywordRow = z.object({
  id: Id,
  company_id: Id,
  company_name: z.string(),
  leadspeekID: Id.nullable().describe('The campaign it was asked of'),
  leadspeek_api_id: z.int().nullable(),
  leadspeekType: SearchModule,
  ...AudienceView.shape,
  target_location: TargetLocation,
  states: z.array(z.string()),
  cities: z.array(z.string()),
  zip_code: z.string().describe('One a line'),
  keyword: z.string().describe('One a line'),
  count_without_geo: z.int().nullable(),
  count: z.int().nullable(),
  status: z.enum(['pending', 'error', 'done']),
  api_version: z.literal('1'),
  created_at: Instant,
  finished_at: Instant.nullable(),
  counted_at: Instant.nullable().describe('The end of the seven days that were looked at'),
  waterfall: Waterfall.nullable(),
  applied_at: Instant.nullable(),
  applied_to: z.object({ leadspeekID: Id, leadspeek_api_id: z.int(), campaignName: z.string() }).nullable(),
});

const Which = z.object({ id: Id });

export const intent = {
  queueCount: call
    .route({
      method: 'POST',
      path: '/bigdbm/services/queuecount',
      tags: ['Keyword counts'],
      summary: 'Ask how many people showed an intent in the last seven days; with id: try that one again',
    })
    .meta({ access: 'campaign.write' })
    .input(
      z.object({
        id: Id.optional().describe('A count that failed'),
        companyID: Id.optional().describe('The client; needed from an agency where no campaign is named'),
        leadspeekID: Id.optional().describe('A campaign with keywords, whose rules the forecast goes by'),
        leadspeekType: SearchModule.optional().describe('Where no campaign is named; locator when left out'),
        ...AudienceFields.shape,
        requireemailaddress: Flag.optional(),
        phoneenabled: Flag.optional(),
        homeaddressenabled: Flag.optional(),
        minConfidence: z.coerce
          .number()
          .int()
          .min(0)
          .max(100)
          .optional()
          .describe('As of a campaign; where one is named its own rules hold'),
        tell: Flag.default('T').describe('F: no e-mail when it is done'),
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
      summary: 'One count, with its waterfall',
    })
    .meta({ access: 'campaign.read' })
    .input(Which)
    .output(KeywordRow),
  history: call
    .route({
      method: 'GET',
      path: '/bigdbm/services/getcountcampaignhistory',
      tags: ['Keyword counts'],
      summary: 'Counts that were asked for, paged; of a campaign also those of its client that named none',
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
      Page(KeywordRow).extend({ processing: z.int().describe('How many of these counts are pending') }),
    ),
  applyCount: call
    .route({
      method: 'POST',
      path: '/bigdbm/services/applycampaign',
      tags: ['Keyword counts'],
      summary: 'Let a campaign of the same product look for what was counted',
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
        'What was forecast for a campaign with keywords, and what became of whom it found in the last seven days',
    })
    .meta({ access: 'campaign.read' })
    .input(z.object({ leadspeekID: Id }))
    .output(
      z.object({
        forecast: KeywordRow.nullable().describe(
          'The newest count of what the campaign looks for, asked of it or applied to it',
        ),
        found: z.int().describe('People found in the last seven days'),
        leads: z.int(),
        waiting: z.int(),
        refused: z.array(z.object({ reason: z.string(), count: z.int() })),
      }),
    ),
};
