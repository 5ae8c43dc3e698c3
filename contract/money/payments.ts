import { z } from 'zod';
import { AccountState } from '../accounts/users.ts';
import { call } from '../base.ts';
import { Done, Flag, Id, Instant, Line, Micros, Page, PageQuery } from '../primitives.ts';
import type { Inside } from '../wire.ts';

/** A card as its owner would recognize it; its number is never here. */
export const Card = z.object({
  id: Id,
  provider: z.enum(['stripe', 'sandbox']),
  brand: z.string(),
  last4: z.string(),
  exp_month: z.int(),
  exp_year: z.int(),
});

const Gateway = z.enum(['stripe', 'sandbox']);
const Secret = z.string().min(1).max(500);
const Saved = Done.extend({ customer_card_id: Id, card: Card });
const Form = z.object({ setup: z.string().min(1).max(500).describe('As returned by payment/card/start') });

/** An account at the card provider: the agency's, or a sales person's own (spec product 3 and 4). */
export const ConnectedAccount = z.object({
  status_acc: AccountState,
  charges_enabled: z.boolean(),
  payouts_enabled: z.boolean(),
  account_requirements: z
    .array(z.string())
    .describe('What the owner still needs to provide, in the provider’s words'),
});

const Entered = z.object({
  status: z.enum(['saved', 'authenticate', 'failed']),
  message: z.string().describe('Why it failed. Empty otherwise'),
});

export const PROBLEM_KINDS = ['unknown', 'mismatch', 'refund', 'dispute', 'declined'] as const;

export const Problem = z.object({
  kind: z.enum(PROBLEM_KINDS),
  id: Id.describe('The charge ID, if there is a charge'),
  row: z.string().describe('The ID of the charge, refund, dispute, or difference'),
  company_name: z.string(),
  company_kind: z.enum(['agency', 'client']),
  purpose: z.string(),
  amount_micros: Micros,
  refunded_micros: Micros,
  state: z.string(),
  card: z.string().describe("For example, 'visa 4242'"),
  what: z.string().describe('A description of the problem'),
  attempts: z.int(),
  next_ask_at: Instant.nullable(),
  provider_reference: z.string().nullable(),
  created_at: Instant,
  may: z.array(z.enum(['ask', 'settle', 'refund', 'resolve'])).describe('The available actions'),
});

/** What the provider paid out to the bank from an account. */
export const Payout = z.object({
  id: z.string().describe("The provider's ID"),
  amount_micros: Micros,
  status: z
    .enum(['pending', 'paid', 'failed', 'canceled'])
    .describe('pending: in transit. failed: the bank did not accept it, so it is back in the account'),
  created_at: Instant,
  arrives_at: Instant.describe('When it arrives, or arrived, at the bank'),
});
export type Payout = Inside<z.output<typeof Payout>>;

/** A transaction included in a payout. */
export const PayoutPart = z.object({
  kind: z.enum(['charge', 'refund', 'other']),
  company_name: z.string().describe('Who paid or was refunded. Empty if it is not for a known charge'),
  description: z.string(),
  amount_micros: Micros.describe('Below zero if deducted'),
  fee_micros: Micros.describe("The provider's and the platform's share"),
  net_micros: Micros,
  created_at: Instant,
});

/** How far back payouts are listed. */
export const PAYOUT_DAYS = 180;

const ofCharge = z.object({ id: Id });
const Reason = Line.describe('The reason, kept in the user log');

export const payments = {
  card: call
    .route({
      method: 'GET',
      path: '/payment/card',
      tags: ['Payments'],
      summary: "Returns your company's card on file",
    })
    .meta({ access: 'card.read', notInView: true })
    .output(
      z.object({
        card: Card.nullable(),
        customer_card_id: z.string().describe('Empty if there is no card'),
        usable: z.boolean().describe('Whether it can be charged now'),
        paymentgateway: Gateway,
      }),
    ),
  startCard: call
    .route({
      method: 'POST',
      path: '/payment/card/start',
      tags: ['Payments'],
      summary: 'Starts saving a card and returns what the card form in the browser needs',
    })
    .meta({ access: 'card.write', notInView: true })
    .output(
      z.object({
        setup: z.string().describe('Send it back when the card has been entered'),
        client_secret: Secret,
        publishable_key: z.string(),
        stripe_account: z.string().describe('The connected account of the form. Empty for the platform'),
        paymentgateway: Gateway,
        test_cards: z.array(z.object({ number: z.string(), name: z.string() })).describe('Sandbox only'),
      }),
    ),
  putCard: call
    .route({
      method: 'PUT',
      path: '/payment/card',
      tags: ['Payments'],
      summary: 'Saves the entered card on file, replacing the previous one',
      description:
        'Replacing a card requires a confirmation within the last 15 minutes. A first card does not.',
    })
    .meta({ access: 'card.write', notInView: true })
    .input(Form)
    .output(Saved),
  customer: call
    .route({
      method: 'POST',
      path: '/payment/customer',
      tags: ['Payments'],
      summary: "Saves your agency's card on file with the platform",
    })
    .meta({ access: 'account.write', notInView: true, fresh: true })
    .input(Form)
    .output(Saved),
  customerDirect: call
    .route({
      method: 'POST',
      path: '/payment/customer-direct',
      tags: ['Payments'],
      summary: "Saves your client company's card on file with its agency's connected account",
      description:
        'Replacing a card requires a confirmation within the last 15 minutes. A first card does not.',
    })
    .meta({ access: 'card.direct', notInView: true })
    .input(Form)
    .output(Saved),
  removeCard: call
    .route({
      method: 'DELETE',
      path: '/payment/card',
      tags: ['Payments'],
      summary: 'Removes the card on file',
    })
    .meta({ access: 'card.write', notInView: true, fresh: true })
    .output(Done),
  authentication: call
    .route({
      method: 'POST',
      path: '/payment/charge/{id}/authentication',
      tags: ['Payments'],
      summary:
        'Returns what the browser needs for the cardholder to confirm a declined charge with their bank',
    })
    .meta({ access: 'card.write', notInView: true })
    .input(ofCharge)
    .output(
      z.object({
        client_secret: Secret,
        publishable_key: z.string(),
        stripe_account: z.string(),
        paymentgateway: Gateway,
      }),
    ),
  checkCharge: call
    .route({
      method: 'POST',
      path: '/payment/charge/{id}/check',
      tags: ['Payments'],
      summary: 'Returns the status of a charge of your company',
    })
    .meta({ access: 'card.write', notInView: true })
    .input(ofCharge)
    .output(z.object({ status: z.enum(['succeeded', 'declined', 'unknown']), message: z.string() })),
  createAccount: call
    .route({
      method: 'POST',
      path: '/general/connected-account/create',
      tags: ['Payments'],
      summary: "Opens the agency's account with the card provider, or a salesperson's own",
    })
    .meta({ access: 'account.connect', notInView: true, fresh: true })
    .output(Done.extend(ConnectedAccount.shape)),
  linkAccount: call
    .route({
      method: 'POST',
      path: '/general/connected-account/link',
      tags: ['Payments'],
      summary:
        "Returns a one-time link to the provider's page where the account owner enters the required details",
    })
    .meta({ access: 'account.connect', notInView: true, fresh: true })
    .input(
      z.object({
        from: z
          .enum(['setup', 'settings'])
          .default('setup')
          .describe('Where the form returns to: profile setup or general settings'),
      }),
    )
    .output(z.object({ url: z.string(), expires_at: Instant })),
  checkAccount: call
    .route({
      method: 'GET',
      path: '/general/connected-account/check',
      tags: ['Payments'],
      summary: "Returns the current status of the agency's account, or a salesperson's own",
    })
    .meta({ access: 'account.connect', notInView: true })
    .output(
      ConnectedAccount.extend({
        change: z
          .object({ asked_by: z.string(), at: Instant })
          .nullable()
          .describe('When the account will be disconnected and who requested it. null if it will not be'),
      }),
    ),
  keepAccount: call
    .route({
      method: 'POST',
      path: '/general/connected-account/keep',
      tags: ['Payments'],
      summary: 'Keeps an account that someone requested to disconnect',
    })
    .meta({ access: 'account.connect', notInView: true })
    .output(Done),
  resetAccount: call
    .route({
      method: 'POST',
      path: '/general/reset-payment-connection',
      tags: ['Payments'],
      summary: "Disconnects the agency's account, or a salesperson's own, so that another one can be opened",
      description:
        "The cards of an agency's clients are on its account, so clients must enter them again. An administrator's request waits 72 hours, or until an owner decides.",
    })
    .meta({ access: 'account.connect', notInView: true, fresh: true })
    .output(Done.extend(ConnectedAccount.shape)),
  payouts: call
    .route({
      method: 'GET',
      path: '/payment/payouts',
      tags: ['Payments'],
      summary: 'Lists the payouts from the provider to your account’s bank, newest first',
      description:
        'For an agency, from its connected account. For a root, from its own. Fetched from the provider each time, for the last 180 days.',
    })
    .meta({ access: 'payout.read', notInView: true })
    .output(z.object({ data: z.array(Payout), paymentgateway: Gateway })),
  payout: call
    .route({
      method: 'GET',
      path: '/payment/payouts/{id}',
      tags: ['Payments'],
      summary: 'Lists the parts of a payout from your account',
    })
    .meta({ access: 'payout.read', notInView: true })
    .input(z.object({ id: z.string().regex(/^[\w-]{1,200}$/, 'is not a payout ID') }))
    .output(z.object({ data: z.array(PayoutPart) })),
  problems: call
    .route({
      method: 'GET',
      path: '/payment/problems',
      tags: ['Payments'],
      summary: 'Lists payments that are unknown, failed, or differ between provider and ledger, newest first',
    })
    .meta({ access: 'payment.read' })
    .input(PageQuery.extend({ kind: z.enum(PROBLEM_KINDS).optional() }))
    .output(
      Page(Problem).extend({ counts: z.record(z.enum(PROBLEM_KINDS), z.int()), paymentgateway: Gateway }),
    ),
  askCharge: call
    .route({
      method: 'POST',
      path: '/payment/problems/{id}/ask',
      tags: ['Payments'],
      summary: 'Asks the provider again for the status of a charge and its refunds',
    })
    .meta({ access: 'payment.mend', notInView: true })
    .input(ofCharge)
    .output(Done.extend({ state: z.string() })),
  settleCharge: call
    .route({
      method: 'POST',
      path: '/payment/problems/{id}/settle',
      tags: ['Payments'],
      summary: 'Settles a charge manually, based on what the provider reported outside the system',
    })
    .meta({ access: 'payment.mend', notInView: true, fresh: true })
    .input(ofCharge.extend({ state: z.enum(['succeeded', 'declined']), reason: Reason }))
    .output(Done.extend({ state: z.string() })),
  refundCharge: call
    .route({
      method: 'POST',
      path: '/payment/problems/{id}/refund',
      tags: ['Payments'],
      summary: 'Refunds a charge in full or in part',
    })
    .meta({ access: 'payment.mend', notInView: true, fresh: true })
    .input(
      ofCharge.extend({
        amount: z
          .string()
          .regex(/^\d{1,6}(\.\d{1,2})?$/, 'must be an amount in US dollars such as 2.50')
          .optional()
          .describe('If omitted, the full remaining amount'),
        reason: Reason,
        idempotencyKey: z.uuid(),
      }),
    )
    .output(Done.extend({ status: z.enum(['succeeded', 'pending', 'failed', 'unknown']) })),
  resolve: call
    .route({
      method: 'POST',
      path: '/payment/problems/difference/{id}/resolve',
      tags: ['Payments'],
      summary: 'Marks a difference between provider and ledger as resolved',
    })
    .meta({ access: 'payment.mend', notInView: true, fresh: true })
    .input(ofCharge.extend({ reason: Reason }))
    .output(Done),
  compare: call
    .route({
      method: 'POST',
      path: '/payment/problems/compare',
      tags: ['Payments'],
      summary: "Compares the provider's recent charges with ours now",
    })
    .meta({ access: 'payment.mend', notInView: true })
    .output(Done.extend({ compared: z.int(), differences: z.int() })),

  sandboxEnter: call
    .route({
      method: 'POST',
      path: '/payment/sandbox/card',
      tags: ['Sandbox'],
      summary: "Submits the sandbox's card form. Accepts only test cards",
    })
    .meta({ access: 'card.write', notInView: true })
    .input(
      z.object({
        client_secret: Secret,
        number: z.string().max(40),
        exp_month: z.int(),
        exp_year: z.int(),
        cvc: z.string().max(4),
      }),
    )
    .output(Entered),
  sandboxAuthenticate: call
    .route({
      method: 'POST',
      path: '/payment/sandbox/authentication',
      tags: ['Sandbox'],
      summary: "Submits the cardholder's response to their bank, for a card or a charge",
    })
    .meta({ access: 'card.write', notInView: true })
    .input(z.object({ client_secret: Secret, passed: Flag }))
    .output(Entered),
  sandboxOpen: call
    .route({
      method: 'POST',
      path: '/payment/sandbox/account/open',
      tags: ['Sandbox'],
      summary: "Opens the sandbox's account form with the token from its link",
    })
    .meta({ access: 'account.connect', notInView: true })
    .input(z.object({ token: z.string().min(1).max(100) }))
    .output(z.object({ status: z.enum(['open', 'expired']), back: z.string(), again: z.string() })),
  sandboxSubmit: call
    .route({
      method: 'POST',
      path: '/payment/sandbox/account/submit',
      tags: ['Sandbox'],
      summary: "Submits the sandbox's form for your account. The result arrives half a minute later",
    })
    .meta({ access: 'account.connect', notInView: true })
    .input(z.object({ verdict: z.enum(['approve', 'reject']) }))
    .output(Done.extend(ConnectedAccount.shape)),
};
