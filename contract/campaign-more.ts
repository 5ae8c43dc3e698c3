import { z } from 'zod';
import { call } from './base.ts';
import { Campaign, CampaignUpdate } from './campaigns.ts';
import { RetailCosts } from './costs.ts';
import { Done, Id, Micros } from './primitives.ts';

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
    .input(z.object({ companyID: Id.optional().describe('The client; the own company when left out') }))
    .output(
      z.object({
        company_id: Id,
        company_name: z.string(),
        time_zone: z.string(),
        ...RetailCosts.shape,
        LimitLead: z.int().nullable(),
        startDate: z.string().nullable(),
        endDate: z.string().nullable(),
        first_balance_micros: Micros.describe(
          'What has to be in its balance before it can begin; 0: nothing',
        ),
      }),
    ),
};
