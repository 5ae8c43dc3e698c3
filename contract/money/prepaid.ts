import { z } from 'zod';
import { call } from '../base.ts';
import { PAYMENT_TERMS } from '../choices.ts';
import { Done, Flag, given, Id, Instant, Micros } from '../primitives.ts';
import type { Inside } from '../wire.ts';
import { AUTO_STATES } from './data-wallet.ts';
import { Paid } from './invoices.ts';

/** How many leads are bought: a whole number, as a number or as its digits. */
const Leads = z
  .union(
    [
      z.int(),
      z
        .string()
        .regex(/^\d{1,7}$/)
        .transform(Number),
    ],
    'must be a whole number of leads',
  )
  .refine((count) => count >= 1, 'must be at least 1')
  .refine((count) => count <= 1_000_000, 'must not exceed 1000000');

/** US dollars in whole cents, above 0, without a sign or separators; at most the maximum of one charge. */
const Amount = given(
  z
    .string('must be an amount in US dollars such as 250.00')
    .regex(
      /^\d{1,6}(\.\d{1,2})?$/,
      'must be an amount in US dollars such as 250.00, with up to 2 decimal places',
    )
    .refine((text) => !/^[0.]*$/.test(text), 'must be above 0'),
);

const Key = z
  .string()
  .trim()
  .min(8)
  .max(100)
  .describe('One key per click. Requests with the same key count once');
const Which = z.object({ leadspeekID: Id });
const LeadsBuy = Leads.optional().describe(
  'Number of leads. Defaults to the campaign’s number of leads per purchase',
);

/** The cost of buying leads. Nothing is stored. */
export const TopUpEstimate = z.object({
  leadsbuy: z.int(),
  price_micros: Micros.describe('Current price per lead'),
  amount_micros: Micros.describe('Card charge in whole cents, rounded up'),
  fees: z
    .array(z.object({ kind: z.enum(['platform_fee', 'monthly_fee']), amount_micros: Micros }))
    .describe('Other fees due. They are invoiced separately and are not part of the charge'),
  fees_micros: Micros,
  balance_micros: Micros,
  balance_after_micros: Micros,
  leads_after: z.int().describe('Leads that the balance covers afterward'),
  minimum_micros: Micros.describe('Minimum card charge'),
  PaymentTerm: z.enum(PAYMENT_TERMS),
  card: z.string().describe("The client's card on file, such as 'visa 4242'. Empty if none"),
  blocked: z.string().describe('Why leads cannot be bought now. Empty if they can'),
});
export type TopUpEstimate = Inside<z.output<typeof TopUpEstimate>>;

export const Purchase = z.object({
  id: Id,
  created_at: Instant,
  leads: z.int(),
  amount_micros: Micros,
  refunded_micros: Micros,
  automatic: z.boolean(),
  status: z.enum(['charging', 'succeeded', 'declined', 'refused', 'refunded', 'disputed']),
  reason: z.string().describe('Why it was declined or refused. Empty otherwise'),
  card: z.string(),
});

/** How a campaign's balance is bought, and the latest purchases. */
export const CurrentTopUp = z.object({
  topupoptions: z.enum(['onetime', 'continual']),
  leadsbuy: z.int().nullable().describe('Number of leads per purchase'),
  amount_micros: Micros.nullable().describe('Their cost at the current price'),
  renews_below_micros: Micros.nullable().describe(
    'The automatic top-up buys again when the balance falls below this',
  ),
  status: z
    .enum(AUTO_STATES)
    .describe(
      'idle: off, or starts with the next purchase. armed: on. due, charging: in progress. waiting: retried at next_try. stopped: needs attention',
    ),
  next_try: Instant.nullable(),
  declines: z.int().describe('Number of consecutive declined renewals'),
  reason: z.string(),
  data: z
    .array(Purchase)
    .describe('Card purchases including attempted and refused ones, newest first, up to 20'),
});
export type CurrentTopUp = Inside<z.output<typeof CurrentTopUp>>;

export const RemainingBalance = z.object({
  balance_micros: Micros,
  price_micros: Micros,
  leads_left: z.int().nullable().describe('Leads that the balance covers. null if leads are free'),
  bought_micros: Micros.describe('Bought by card'),
  outside_micros: Micros.describe('Paid to the agency outside the system'),
  granted_micros: Micros.describe('Credit granted by the agency'),
  spent_micros: Micros.describe('Spent on leads, minus refunded leads'),
  refunded_micros: Micros.describe('Refunded to the card'),
  disputed_micros: Micros.describe('Disputed by the cardholder'),
  refundable_micros: Micros.describe('The part of the balance that can be refunded to the card now'),
  kept_micros: Micros.describe(
    'The part that can only be refunded once the ads of the last days are billed, as far as it is not spent on them',
  ),
});
export type RemainingBalance = Inside<z.output<typeof RemainingBalance>>;

const tags = ['Campaigns'];

/** Prepaid balances of campaigns, paid with the client's card (spec product 3 and 4, calls 7). */
export const prepaid = {
  estimate: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/topup-estimate',
      tags,
      summary: 'Returns the cost of buying leads for a Prepaid or One Time campaign',
    })
    .meta({ access: 'prepaid.read', notInView: true })
    .input(Which.extend({ leadsbuy: LeadsBuy }))
    .output(TopUpEstimate),
  topUp: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/topup-card',
      tags,
      summary: "Buys leads for a campaign with the client's card on file",
      description:
        'amount: the amount from the estimate, so that no one is charged an amount they have not seen. A declined card is not an error of the call.',
    })
    .meta({ access: 'prepaid.buy', notInView: true, fresh: true })
    .input(Which.extend({ leadsbuy: LeadsBuy, amount: Amount, idempotencyKey: Key }))
    .output(Paid.extend({ balance_micros: Micros })),
  current: call
    .route({
      method: 'GET',
      path: '/leadspeek/client/current-topup/{leadspeekID}',
      tags,
      summary: 'Returns how the balance of a campaign is bought, and the latest purchases',
    })
    .meta({ access: 'prepaid.read' })
    .input(Which)
    .output(CurrentTopUp),
  stopContinual: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/stop-continual-topup',
      tags,
      summary: 'Stops or starts the automatic top-up of a campaign',
    })
    .meta({ access: 'prepaid.buy', notInView: true })
    .input(
      Which.extend({ stop_continual: Flag.default('T').describe('The new setting. T stops the top-up') }),
    )
    .output(Done.extend({ topupoptions: z.enum(['onetime', 'continual']) })),
  remaining: call
    .route({
      method: 'GET',
      path: '/leadspeek/client/remaining-balance/{leadspeekID}',
      tags,
      summary: 'Returns the remaining balance of a campaign and what happened to the rest',
    })
    .meta({ access: 'prepaid.read' })
    .input(Which)
    .output(RemainingBalance),
  refund: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/refund',
      tags,
      summary: 'Refunds unused balance to the card that bought it',
      description:
        'Newest purchases are refunded first. result pending: the provider accepted the refund but has not responded yet.',
    })
    .meta({ access: 'prepaid.refund', notInView: true, fresh: true })
    .input(
      Which.extend({
        amount: Amount.optional().describe('If omitted, everything that can be refunded'),
        idempotencyKey: Key,
      }),
    )
    .output(
      z.object({
        result: z.enum(['success', 'pending', 'failed']),
        message: z.string(),
        refunded_micros: Micros,
        balance_micros: Micros,
      }),
    ),
};
