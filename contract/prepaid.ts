import { z } from 'zod';
import { call } from './base.ts';
import { PAYMENT_TERMS } from './choices.ts';
import { Paid } from './invoices.ts';
import { Done, Flag, given, Id, Instant, Micros } from './primitives.ts';
import { AUTO_STATES } from './wallet.ts';

/** How many leads are bought: a whole number, as one or as its digits. */
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
  .refine((count) => count <= 1_000_000, 'must be at most 1000000');

/** US dollars in whole cents, above 0, without a sign or separators: at most what one charge may be. */
const Amount = given(
  z
    .string('must be an amount in US dollars such as 250.00')
    .regex(
      /^\d{1,6}(\.\d{1,2})?$/,
      'must be an amount in US dollars such as 250.00, with at most 2 decimal places',
    )
    .refine((text) => !/^[0.]*$/.test(text), 'must be above 0'),
);

const Key = z.string().trim().min(8).max(100).describe('One for each click: the same key counts once');
const Which = z.object({ leadspeekID: Id });
const LeadsBuy = Leads.optional().describe(
  'How many leads; left out: as many as the campaign buys at a time',
);

/** What buying leads would cost. Nothing is stored. */
export const TopUpEstimate = z.object({
  leadsbuy: z.int(),
  price_micros: Micros.describe('Of a lead, now'),
  amount_micros: Micros.describe('What the card is charged: whole cents, rounded up'),
  fees: z
    .array(z.object({ kind: z.enum(['platform_fee', 'monthly_fee']), amount_micros: Micros }))
    .describe('Fees that fall due besides; they come by invoice and are not part of the charge'),
  fees_micros: Micros,
  balance_micros: Micros,
  balance_after_micros: Micros,
  leads_after: z.int().describe('Leads that the balance pays for afterwards'),
  minimum_micros: Micros.describe('The least that a card is charged'),
  PaymentTerm: z.enum(PAYMENT_TERMS),
  card: z.string().describe("The client's card on file, such as 'visa 4242'; empty: none"),
  blocked: z.string().describe('Why it cannot be bought at present; empty: it can'),
});
export type TopUpEstimate = z.output<typeof TopUpEstimate>;

export const Purchase = z.object({
  id: Id,
  created_at: Instant,
  leads: z.int(),
  amount_micros: Micros,
  refunded_micros: Micros,
  automatic: z.boolean(),
  status: z.enum(['charging', 'succeeded', 'declined', 'refused', 'refunded', 'disputed']),
  reason: z.string().describe('Why it was declined or refused; empty otherwise'),
  card: z.string(),
});

/** How the balance of a campaign is bought, and the last purchases. */
export const CurrentTopUp = z.object({
  topupoptions: z.enum(['onetime', 'continual']),
  leadsbuy: z.int().nullable().describe('Leads that are bought at a time'),
  amount_micros: Micros.nullable().describe('What they cost at the present price'),
  renews_below_micros: Micros.nullable().describe(
    'A continual top-up buys again when the balance is below this',
  ),
  status: z
    .enum(AUTO_STATES)
    .describe(
      'idle: off, or it begins with the next purchase; armed: on; due, charging: under way; waiting: tried again at next_try; stopped: needs a person',
    ),
  next_try: Instant.nullable(),
  declines: z.int().describe('Declined renewals in a row'),
  reason: z.string(),
  data: z.array(Purchase).describe('Purchases by card, tried or refused ones too, newest first, 20 at most'),
});
export type CurrentTopUp = z.output<typeof CurrentTopUp>;

export const RemainingBalance = z.object({
  balance_micros: Micros,
  price_micros: Micros,
  leads_left: z.int().nullable().describe('Leads that the balance pays for; null: they cost nothing'),
  bought_micros: Micros.describe('By card'),
  outside_micros: Micros.describe('Paid to the agency outside the system'),
  granted_micros: Micros.describe('Credit from the agency'),
  spent_micros: Micros.describe('On leads, less those refunded'),
  refunded_micros: Micros.describe('Given back to the card'),
  disputed_micros: Micros.describe('Taken back by the holder of the card'),
  refundable_micros: Micros.describe('What of the balance can be given back to the card'),
});
export type RemainingBalance = z.output<typeof RemainingBalance>;

const tags = ['Campaigns'];

/** Prepaid balances of campaigns, bought by the client's card (spec product 3 and 4, calls 7). */
export const prepaid = {
  estimate: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/topup-estimate',
      tags,
      summary: 'What buying leads for a prepaid or One Time campaign costs',
    })
    .meta({ access: 'campaign.read', notInView: true })
    .input(Which.extend({ leadsbuy: LeadsBuy }))
    .output(TopUpEstimate),
  topUp: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/topup-card',
      tags,
      summary: "Buy leads for a campaign by the client's card on file",
      description:
        'amount: what the estimate said, so that nobody is charged what they have not seen. A declined card is no error of the call.',
    })
    .meta({ access: 'prepaid.buy', notInView: true, fresh: true })
    .input(Which.extend({ leadsbuy: LeadsBuy, amount: Amount, idempotencyKey: Key }))
    .output(Paid.extend({ balance_micros: Micros })),
  current: call
    .route({
      method: 'GET',
      path: '/leadspeek/client/current-topup/{leadspeekID}',
      tags,
      summary: 'How the balance of a campaign is bought, and the last purchases',
    })
    .meta({ access: 'campaign.read' })
    .input(Which)
    .output(CurrentTopUp),
  stopContinual: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/stop-continual-topup',
      tags,
      summary: 'Stop the continual top-up of a campaign, or begin it',
    })
    .meta({ access: 'prepaid.buy', notInView: true })
    .input(Which.extend({ stop_continual: Flag.default('T').describe('As it shall be: T stops') }))
    .output(Done.extend({ topupoptions: z.enum(['onetime', 'continual']) })),
  remaining: call
    .route({
      method: 'GET',
      path: '/leadspeek/client/remaining-balance/{leadspeekID}',
      tags,
      summary: 'What is left of the balance of a campaign, and what became of the rest',
    })
    .meta({ access: 'campaign.read' })
    .input(Which)
    .output(RemainingBalance),
  refund: call
    .route({
      method: 'POST',
      path: '/leadspeek/client/refund',
      tags,
      summary: 'Give unused balance back to the card that bought it',
      description:
        'Newest purchases first. result pending: the provider has taken it, and has yet to answer.',
    })
    .meta({ access: 'prepaid.refund', notInView: true, fresh: true })
    .input(
      Which.extend({
        amount: Amount.optional().describe('Left out: all that can be given back'),
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
