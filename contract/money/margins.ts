import { z } from 'zod';
import { call } from '../base.ts';
import { Dollars, Done, Id, Instant } from '../primitives.ts';

/** What becomes of an agency's campaigns when its cost for a lead rises above their price. */
export const MARGIN_RULES = ['hold', 'raise', 'sell'] as const;
export const MarginRule = z.enum(MARGIN_RULES, 'must be hold, raise, or sell');

/** A campaign whose price for a lead is below what the agency pays, now or after a planned change. */
export const BelowCost = z.object({
  id: Id,
  number: z.int(),
  name: z.string(),
  company_id: Id,
  company_name: z.string(),
  module: z.string(),
  status: z.enum(['active', 'paused']),
  held: z.boolean().describe('On hold because of its cost'),
  sells: z.boolean().describe('Whether leads are sold at a loss because the agency chose to'),
  price: Dollars.describe('Price per lead for the client'),
  cost: Dollars.describe('Cost per lead for the agency'),
  from: Instant.nullable().describe('When the cost takes effect. null if it already has'),
});

const Margins = z.object({ rule: MarginRule, campaigns: z.array(BelowCost) });

export const margins = {
  margins: call
    .route({
      method: 'GET',
      path: '/configuration/margins',
      tags: ['Costs'],
      summary:
        'Lists your agency’s campaigns that sell below cost or are on hold for it, and the option chosen for each',
    })
    .meta({ access: 'campaign.price' })
    .output(Margins),
  setMarginRule: call
    .route({
      method: 'PUT',
      path: '/configuration/margins',
      tags: ['Costs'],
      summary:
        'Sets what happens when the cost rises above a campaign’s price: hold the campaign, raise its price to the cost, or keep selling at a loss',
      description: 'Selling at a loss has to be chosen by someone who has just confirmed their identity.',
    })
    .meta({ access: 'campaign.price', notInView: true })
    .input(z.object({ rule: MarginRule }))
    .output(Done.extend({ data: Margins })),
};
