import { z } from 'zod';
import { call } from './base.ts';
import { Day, GivenDay, Id, Micros } from './primitives.ts';

const Totals = z.object({ visits: z.int(), matched: z.int(), leads: z.int(), spend_micros: Micros });

export const insight = {
  dashboard: call
    .route({
      method: 'GET',
      path: '/dashboard',
      tags: ['Insight'],
      summary: 'Leads over time, totals and by campaign',
    })
    .meta({ access: 'insight.read' })
    .input(
      z.object({
        startDate: GivenDay.optional().describe(
          'First day, in the time zone of the company; default 29 days before the last',
        ),
        endDate: GivenDay.optional().describe('Last day; default today'),
        companyID: Id.optional(),
        leadspeekID: Id.optional(),
      }),
    )
    .output(
      z.object({
        time_zone: z.string(),
        start: Day,
        end: Day,
        totals: Totals,
        previous: Totals.describe('The same number of days before'),
        days: z.array(Totals.extend({ day: Day })),
        campaigns: z.array(
          Totals.extend({
            leadspeekID: Id,
            leadspeek_api_id: z.int(),
            campaignName: z.string(),
            company_name: z.string(),
            balance_micros: Micros,
            status: z.string(),
          }),
        ),
        waterfall: z
          .array(z.object({ reason: z.string(), count: z.int() }))
          .describe('Why visits did not become leads'),
      }),
    ),
};
