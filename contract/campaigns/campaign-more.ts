import { z } from 'zod';
import { call } from '../base.ts';
import { RetailCosts } from '../money/pricing.ts';
import { Dollars, Done, FREQUENCIES, Id, Micros } from '../primitives.ts';
import { CAMPAIGN_MODULES, Campaign, CampaignUpdate } from './campaigns.ts';

const tags = ['Campaigns'];
const Which = z.object({ leadspeekID: Id });

/** Further calls about campaigns (spec calls 7). */
export const campaignMore = {
  updateLocal: call
    .route({
      method: 'PUT',
      path: '/leadspeek/client/local/update',
      tags,
      summary: 'Updates a Site ID campaign. Campaigns of other modules are not found',
    })
    .meta({ access: 'campaign.write' })
    .input(CampaignUpdate)
    .output(Done.extend({ data: Campaign })),
  duplicate: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/duplicate',
      tags,
      summary:
        'Creates a paused copy. Leads, balance, and lead notification recipients stay with the original',
    })
    .meta({ access: 'campaign.create' })
    .input(Which)
    .output(Done.extend({ data: Campaign })),
  getCampaignResource: call
    .route({
      method: 'GET',
      path: '/leadspeek/getcampaignresource',
      tags,
      summary: 'Returns the defaults for a new campaign of a client',
    })
    .meta({ access: 'campaign.create' })
    .input(
      z.object({
        companyID: Id.optional().describe('The client. Defaults to your company'),
        leadspeekType: z.enum(CAMPAIGN_MODULES).default('local'),
      }),
    )
    .output(
      z.object({
        company_id: Id,
        company_name: z.string(),
        time_zone: z.string(),
        leadspeekType: z.enum(CAMPAIGN_MODULES),
        modules: z
          .array(z.enum(CAMPAIGN_MODULES))
          .describe('The modules the client can create campaigns for'),
        ...RetailCosts.shape,
        is_priced: z
          .boolean()
          .describe(
            'False for a client whose agency has not set a price for the module: its campaign starts once the agency has',
          ),
        information: z
          .array(
            z.object({ id: z.int(), key: z.string(), name: z.string(), type: z.enum(['advanced', 'b2b']) }),
          )
          .describe('The data fields that its campaigns can request'),
        cost_minimums: z.record(z.string(), Dollars).describe('The minimum price of a lead, by payment term'),
        minleaddayenhance: z.int().nullable().describe('For Enhance ID: the minimum daily lead limit'),
        LimitLead: z.int().nullable(),
        LimitLeadFreq: z.enum(FREQUENCIES),
        startDate: z.string().nullable(),
        endDate: z.string().nullable(),
        first_balance_micros: Micros.describe(
          'The balance required before the campaign can start. 0 if none',
        ),
      }),
    ),
};
