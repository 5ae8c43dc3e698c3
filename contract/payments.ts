import { z } from 'zod';
import { call } from './base.ts';
import { AccountState } from './people.ts';
import { Done, Flag, Id, Instant, Line, Micros, Page, PageQuery } from './primitives.ts';

/** A card as people know it; its number is never here. */
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
const Form = z.object({ setup: z.string().min(1).max(500).describe('As payment/card/start answered it') });

/** An account at the card provider: the agency's, or a sales person's own (spec product 3 and 4). */
export const ConnectedAccount = z.object({
  status_acc: AccountState,
  charges_enabled: z.boolean(),
  payouts_enabled: z.boolean(),
  account_requirements: z
    .array(z.string())
    .describe('What its owner has still to bring, in the words of the provider'),
});

const Entered = z.object({
  status: z.enum(['saved', 'authenticate', 'failed']),
  message: z.string().describe('Why it failed; empty otherwise'),
});

export const PROBLEM_KINDS = ['unknown', 'mismatch', 'refund', 'dispute', 'declined'] as const;

export const Problem = z.object({
  kind: z.enum(PROBLEM_KINDS),
  id: Id.describe('Of the charge, where there is one'),
  row: z.string().describe('Of the charge, refund, dispute or difference'),
  company_name: z.string(),
  company_kind: z.enum(['agency', 'client']),
  purpose: z.string(),
  amount_micros: Micros,
  refunded_micros: Micros,
  state: z.string(),
  card: z.string().describe("Such as 'visa 4242'"),
  what: z.string().describe('What is wrong, in words'),
  attempts: z.int(),
  next_ask_at: Instant.nullable(),
  provider_reference: z.string().nullable(),
  created_at: Instant,
  may: z.array(z.enum(['ask', 'settle', 'refund', 'resolve'])).describe('What can be done about it'),
});

/** What the provider sent to the bank of an account. */
export const Payout = z.object({
  id: z.string().describe("The provider's id"),
  amount_micros: Micros,
  status: z
    .enum(['pending', 'paid', 'failed', 'canceled'])
    .describe('pending: on its way; failed: the bank did not take it, so it is back on the account'),
  created_at: Instant,
  arrives_at: Instant.describe('When it is, or was, to be at the bank'),
});
export type Payout = z.output<typeof Payout>;

/** A movement that a payout took along. */
export const PayoutPart = z.object({
  kind: z.enum(['charge', 'refund', 'other']),
  company_name: z.string().describe('Who paid, or got it back; empty where it is about no charge known here'),
  description: z.string(),
  amount_micros: Micros.describe('Below zero: taken off'),
  fee_micros: Micros.describe("The provider's and the platform's part of it"),
  net_micros: Micros,
  created_at: Instant,
});

/** So far back payouts are listed. */
export const PAYOUT_DAYS = 180;

const ofCharge = z.object({ id: Id });
const Reason = Line.describe('Why; kept in the user log');

export const payments = {
  card: call
    .route({
      method: 'GET',
      path: '/payment/card',
      tags: ['Payments'],
      summary: "The own company's card on file",
    })
    .meta({ access: 'card.read', notInView: true })
    .output(
      z.object({
        card: Card.nullable(),
        customer_card_id: z.string().describe('Empty without a card'),
        usable: z.boolean().describe('Whether it could be charged now'),
        paymentgateway: Gateway,
      }),
    ),
  startCard: call
    .route({
      method: 'POST',
      path: '/payment/card/start',
      tags: ['Payments'],
      summary: 'Begin to put a card on file: what the card form in the browser needs',
    })
    .meta({ access: 'card.write', notInView: true })
    .output(
      z.object({
        setup: z.string().describe('To be sent back when the card has been entered'),
        client_secret: Secret,
        publishable_key: z.string(),
        stripe_account: z
          .string()
          .describe('The connected account on which the form is; empty: the platform'),
        paymentgateway: Gateway,
        test_cards: z
          .array(z.object({ number: z.string(), name: z.string() }))
          .describe('Of the sandbox only'),
      }),
    ),
  putCard: call
    .route({
      method: 'PUT',
      path: '/payment/card',
      tags: ['Payments'],
      summary: 'Put the card that was entered on file, in place of the one before',
    })
    .meta({ access: 'card.write', notInView: true })
    .input(Form)
    .output(Saved),
  customer: call
    .route({
      method: 'POST',
      path: '/payment/customer',
      tags: ['Payments'],
      summary: "Put the own agency's card on file with the platform",
    })
    .meta({ access: 'account.write', notInView: true, fresh: true })
    .input(Form)
    .output(Saved),
  customerDirect: call
    .route({
      method: 'POST',
      path: '/payment/customer-direct',
      tags: ['Payments'],
      summary: "Put the own client's card on file with its agency's connected account",
    })
    .meta({ access: 'card.direct', notInView: true })
    .input(Form)
    .output(Saved),
  removeCard: call
    .route({ method: 'DELETE', path: '/payment/card', tags: ['Payments'], summary: 'Take the card off file' })
    .meta({ access: 'card.write', notInView: true, fresh: true })
    .output(Done),
  authentication: call
    .route({
      method: 'POST',
      path: '/payment/charge/{id}/authentication',
      tags: ['Payments'],
      summary: 'What the browser needs so that the card holder can confirm a declined charge with their bank',
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
      summary: 'What has become of a charge of the own company',
    })
    .meta({ access: 'card.write', notInView: true })
    .input(ofCharge)
    .output(z.object({ status: z.enum(['succeeded', 'declined', 'unknown']), message: z.string() })),
  createAccount: call
    .route({
      method: 'POST',
      path: '/general/connected-account/create',
      tags: ['Payments'],
      summary: "Open the agency's account at the card provider; a sales person's own",
    })
    .meta({ access: 'account.connect', notInView: true, fresh: true })
    .output(Done.extend(ConnectedAccount.shape)),
  linkAccount: call
    .route({
      method: 'POST',
      path: '/general/connected-account/link',
      tags: ['Payments'],
      summary:
        "A page of the provider on which the account's owner fills in what is required; to be used once",
    })
    .meta({ access: 'account.connect', notInView: true, fresh: true })
    .input(
      z.object({
        from: z
          .enum(['setup', 'settings'])
          .default('setup')
          .describe('Where the form leads back to: the profile set-up, or the general settings'),
      }),
    )
    .output(z.object({ url: z.string(), expires_at: Instant })),
  checkAccount: call
    .route({
      method: 'GET',
      path: '/general/connected-account/check',
      tags: ['Payments'],
      summary: "How the agency's account stands now; a sales person's own",
    })
    .meta({ access: 'account.connect', notInView: true })
    .output(
      ConnectedAccount.extend({
        change: z
          .object({ asked_by: z.string(), at: Instant })
          .nullable()
          .describe('When the account is to be disconnected, and who asked for it; null: it is not'),
      }),
    ),
  keepAccount: call
    .route({
      method: 'POST',
      path: '/general/connected-account/keep',
      tags: ['Payments'],
      summary: 'Keep the account that somebody asked to disconnect',
    })
    .meta({ access: 'account.connect', notInView: true })
    .output(Done),
  resetAccount: call
    .route({
      method: 'POST',
      path: '/general/reset-payment-connection',
      tags: ['Payments'],
      summary: "Let go of the agency's account, or a sales person's own, so that another can be opened",
      description:
        "The cards of an agency's clients are on its account: they must be entered anew. An administrator's wish waits for 72 hours, or an owner's word.",
    })
    .meta({ access: 'account.connect', notInView: true, fresh: true })
    .output(Done.extend(ConnectedAccount.shape)),
  payouts: call
    .route({
      method: 'GET',
      path: '/payment/payouts',
      tags: ['Payments'],
      summary: 'What the provider sent to the bank of the own account, newest first',
      description:
        "An agency's of its connected account, a root's of its own. Asked of the provider each time; the last 180 days.",
    })
    .meta({ access: 'payout.read', notInView: true })
    .output(z.object({ data: z.array(Payout), paymentgateway: Gateway })),
  payout: call
    .route({
      method: 'GET',
      path: '/payment/payouts/{id}',
      tags: ['Payments'],
      summary: 'What a payout of the own account is made of',
    })
    .meta({ access: 'payout.read', notInView: true })
    .input(z.object({ id: z.string().regex(/^[\w-]{1,200}$/, 'is not the id of a payout') }))
    .output(z.object({ data: z.array(PayoutPart) })),
  problems: call
    .route({
      method: 'GET',
      path: '/payment/problems',
      tags: ['Payments'],
      summary:
        'What of the payments is unknown, failed, or differs between provider and ledger; newest first',
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
      summary: 'Ask the provider again what has become of a charge and its refunds',
    })
    .meta({ access: 'payment.mend', notInView: true })
    .input(ofCharge)
    .output(Done.extend({ state: z.string() })),
  settleCharge: call
    .route({
      method: 'POST',
      path: '/payment/problems/{id}/settle',
      tags: ['Payments'],
      summary: 'Settle a charge by hand, when the provider has told so outside the system',
    })
    .meta({ access: 'payment.mend', notInView: true, fresh: true })
    .input(ofCharge.extend({ state: z.enum(['succeeded', 'declined']), reason: Reason }))
    .output(Done.extend({ state: z.string() })),
  refundCharge: call
    .route({
      method: 'POST',
      path: '/payment/problems/{id}/refund',
      tags: ['Payments'],
      summary: 'Give a charge back, in whole or in part',
    })
    .meta({ access: 'payment.mend', notInView: true, fresh: true })
    .input(
      ofCharge.extend({
        amount: z
          .string()
          .regex(/^\d{1,6}(\.\d{1,2})?$/, 'must be an amount in US dollars such as 2.50')
          .optional()
          .describe('Without it: all that is left'),
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
      summary: 'Mark a difference between provider and ledger as dealt with',
    })
    .meta({ access: 'payment.mend', notInView: true, fresh: true })
    .input(ofCharge.extend({ reason: Reason }))
    .output(Done),
  compare: call
    .route({
      method: 'POST',
      path: '/payment/problems/compare',
      tags: ['Payments'],
      summary: "Compare the provider's charges of the last days with ours now",
    })
    .meta({ access: 'payment.mend', notInView: true })
    .output(Done.extend({ compared: z.int(), differences: z.int() })),

  sandboxEnter: call
    .route({
      method: 'POST',
      path: '/payment/sandbox/card',
      tags: ['Sandbox'],
      summary: "Send the sandbox's card form; only test cards are taken",
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
      summary: "The card holder's answer to their bank, about a card or a charge",
    })
    .meta({ access: 'card.write', notInView: true })
    .input(z.object({ client_secret: Secret, passed: Flag }))
    .output(Entered),
  sandboxOpen: call
    .route({
      method: 'POST',
      path: '/payment/sandbox/account/open',
      tags: ['Sandbox'],
      summary: "Open the sandbox's form of an account, by the token of its link",
    })
    .meta({ access: 'account.connect', notInView: true })
    .input(z.object({ token: z.string().min(1).max(100) }))
    .output(z.object({ status: z.enum(['open', 'expired']), back: z.string(), again: z.string() })),
  sandboxSubmit: call
    .route({
      method: 'POST',
      path: '/payment/sandbox/account/submit',
      tags: ['Sandbox'],
      summary: "Send the sandbox's form of the own account; the verdict comes half a minute later",
    })
    .meta({ access: 'account.connect', notInView: true })
    .input(z.object({ verdict: z.enum(['approve', 'reject']) }))
    .output(Done.extend(ConnectedAccount.shape)),
};
