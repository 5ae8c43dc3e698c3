import { z } from 'zod';
import { call } from './base.ts';
import { CAMPAIGN_MODULES, Campaign, CampaignUpdate } from './campaigns.ts';
import { RetailCosts } from './costs.ts';
import { Dollars, Done, FREQUENCIES, Id, Micros } from './primitives.ts';

const tags = ['Campaigns'];
const Which = z.object({ leadspeekID: Id });

/** Further calls about campaigns (spec calls 7). */
export const campaignMore = {
  updateLocal: call
    .route({
      method: 'PUT',
      path: '/leadspeek/client/local/update',
      tags,
      summary: 'Change a Site ID campaign; a campaign of another module is not found',
    })
    .meta({ access: 'campaign.write' })
    .input(CampaignUpdate)
    .output(Done.extend({ data: Campaign })),
  duplicate: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/duplicate',
      tags,
      summary: 'Make a paused copy; leads, balance and who is told of leads stay with the original',
    })
    .meta({ access: 'campaign.create' })
    .input(Which)
    .output(Done.extend({ data: Campaign })),
  getCampaignResource: call
    .route({
      method: 'GET',
      path: '/leadspeek/getcampaignresource',
      tags,
      summary: 'What a new campaign of a client would begin with',
    })
    .meta({ access: 'campaign.create' })
    .input(
      z.object({
        companyID: Id.optional().describe('The client; the own company when left out'),
        leadspeekType: z.enum(CAMPAIGN_MODULES).default('local'),
      }),
    )
    .output(
      z.object({
        company_id: Id,
        company_name: z.string(),
        time_zone: z.string(),
        leadspeekType: z.enum(CAMPAIGN_MODULES),
        modules: z.array(z.enum(CAMPAIGN_MODULES)).describe('Whose campaigns the client may have'),
        ...RetailCosts.shape,
        information: z
          .array(
            z.object({ id: z.int(), key: z.string(), name: z.string(), type: z.enum(['advanced', 'b2b']) }),
          )
          .describe('The data fields that its campaigns may ask for'),
        cost_minimums: z
          .record(z.string(), Dollars)
          .describe('The least that a lead may cost, by payment term'),
        minleaddayenhance: z
          .int()
          .nullable()
          .describe('Of Enhance ID: the least leads a day that may be set'),
        LimitLead: z.int().nullable(),
        LimitLeadFreq: z.enum(FREQUENCIES),
        startDate: z.string().nullable(),
        endDate: z.string().nullable(),
        first_balance_micros: Micros.describe(
          'What has to be in its balance before it can begin; 0: nothing',
        ),
      }),
    ),
};
