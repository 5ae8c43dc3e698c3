import { z } from 'zod';
import { call } from './base.ts';
import { Dollars, Done, Id, Instant } from './primitives.ts';

/** What becomes of an agency's campaigns when its cost for a lead rises above their price. */
export const MARGIN_RULES = ['hold', 'raise', 'sell'] as const;
export const MarginRule = z.enum(MARGIN_RULES, 'must be hold, raise or sell');

/** A campaign whose price for a lead is below what the agency pays, now or from a planned change on. */
export const BelowCost = z.object({
  id: Id,
  number: z.int(),
  name: z.string(),
  company_id: Id,
  company_name: z.string(),
  module: z.string(),
  status: z.enum(['active', 'paused']),
  held: z.boolean().describe('On hold for it'),
  sells: z.boolean().describe('Whether leads are sold at a loss, since the agency has chosen it'),
  price: Dollars.describe('What the client pays for a lead'),
  cost: Dollars.describe('What the agency pays for it'),
  from: Instant.nullable().describe('When the cost takes effect; null: it already has'),
});

const Margins = z.object({ rule: MarginRule, campaigns: z.array(BelowCost) });

export const margins = {
  margins: call
    .route({
      method: 'GET',
      path: '/configuration/margins',
      tags: ['Costs'],
      summary:
        'The campaigns of the own agency that sell below cost or are held for it, and what was chosen for them',
    })
    .meta({ access: 'campaign.price' })
    .output(Margins),
  setMarginRule: call
    .route({
      method: 'PUT',
      path: '/configuration/margins',
      tags: ['Costs'],
      summary:
        'Choose what happens when the cost rises above the price of a campaign: hold it, raise its price to the cost, or keep selling at a loss',
    })
    .meta({ access: 'campaign.price', notInView: true })
    .input(z.object({ rule: MarginRule }))
    .output(Done.extend({ data: Margins })),
};
