import { z } from 'zod';
import { call } from '../base.ts';
import { Day, GivenDay, Id, Micros } from '../primitives.ts';
import { AD_GROUPS, AD_PLATFORMS, AD_WITHIN } from './ad-rules.ts';

const tags = ['Ads'];

/** What ads did and what came of it. */
const Counts = {
  impressions: z.int(),
  viewable: z.int().describe('Half of the ad was in view for a second'),
  clicks: z.int(),
  visits: z.int().describe('Clicks that arrived on the client’s site'),
  leads: z.int().describe('Leads after a click'),
  view_leads: z.int().describe('Leads after a viewable impression, without a click'),
  spend_micros: Micros.describe('What the client paid'),
  cost_micros: Micros.nullable().describe('What the agency paid. null for clients'),
  ctr: z.number().nullable().describe('Clicks per 100 impressions'),
  cpm_micros: Micros.nullable(),
  cpc_micros: Micros.nullable(),
  cost_per_lead_micros: Micros.nullable(),
};

export const AdReportRow = z.object({
  key: z.string(),
  name: z.string(),
  platform: z.enum(AD_PLATFORMS).nullable().describe('Of a campaign. The sandbox shows ads to no one'),
  ...Counts,
});

const Range = {
  startDate: GivenDay.optional().describe(
    'First day, in the time zone of your company. Defaults to 29 days before the last one',
  ),
  endDate: GivenDay.optional().describe('Last day. Defaults to today, up to 400 days after the first day'),
};

export const adReports = {
  stats: call
    .route({
      method: 'GET',
      path: '/leadspeek/simplifi/stats',
      tags,
      summary: 'Returns what ad campaigns did, by campaign and day',
    })
    .meta({ access: 'campaign.read' })
    .input(
      z.object({
        campaign_ids: z
          .string()
          .max(4000, 'must not exceed 4000 characters')
          .transform((text) => text.split('|'))
          .pipe(z.array(Id).min(1, 'is required').max(100, 'must not exceed 100 campaigns'))
          .describe('One or more, separated by |'),
        ...Range,
      }),
    )
    .output(
      z.object({
        data: z.array(
          z.object({
            leadspeekID: Id,
            day: Day,
            platform: z.enum(AD_PLATFORMS),
            ...Counts,
          }),
        ),
      }),
    ),
  report: call
    .route({
      method: 'GET',
      path: '/ads/report',
      tags,
      summary: 'Sums ads by campaign, creative, place, state, audience, day, or hour of the day',
      description:
        'A place is the site of an ad, a state that of its viewer. A viewer can be in several audiences, so audiences can add up to more than the total.',
    })
    .meta({ access: 'campaign.read' })
    .input(
      z.object({
        by: z.enum(AD_GROUPS).default('campaign'),
        leadspeekID: Id.optional().describe('Only of a campaign'),
        within: z
          .enum(AD_WITHIN)
          .optional()
          .describe(
            'Only of one creative, place, state, or audience: that of the given key. A state or an audience can be summed by campaign, day, or hour',
          ),
        key: z
          .string()
          .max(253, 'must not exceed 253 characters')
          .optional()
          .describe('Its key in the report by creative, place, state, or audience. May be empty'),
        ...Range,
      }),
    )
    .output(
      z.object({
        startDate: Day,
        endDate: Day,
        total: z.object(Counts),
        data: z.array(AdReportRow).describe('Up to 1,000 rows; days and hours in order, the others by spend'),
      }),
    ),
};
