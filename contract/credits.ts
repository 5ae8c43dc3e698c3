import { z } from 'zod';
import { call } from './base.ts';
import { Done, given, Id, Instant, Micros, Page, PageQuery } from './primitives.ts';

/** Why money is given back or granted. */
export const CREDIT_REASONS = [
  'wrong_person',
  'duplicate',
  'invalid_contact',
  'outside_target',
  'goodwill',
  'promotion',
  'other',
] as const;
export type CreditReason = (typeof CREDIT_REASONS)[number];

/** What a reason is called, on screens and in mails. */
export const REASON_WORDS: Record<CreditReason, string> = {
  wrong_person: 'Wrong person',
  duplicate: 'Duplicate lead',
  invalid_contact: 'Contact details do not work',
  outside_target: 'Outside the target',
  goodwill: 'Goodwill',
  promotion: 'Promotion',
  other: 'Other',
};
/** Those that a lead can be refunded for, and those that credit is granted for. */
export const LEAD_REASONS = CREDIT_REASONS.filter((one) => one !== 'promotion');
export const GRANT_REASONS: readonly CreditReason[] = ['goodwill', 'promotion', 'other'];

/** The most that is granted at a time, US dollars: a slip of the keyboard gives nobody a fortune. */
export const GRANT_MOST = 10_000;

const Amount = given(
  z
    .string('must be an amount in US dollars such as 25.00')
    .regex(
      /^\d{1,6}(\.\d{1,2})?$/,
      'must be an amount in US dollars such as 25.00, with at most 2 decimal places',
    )
    .refine((text) => !/^[0.]*$/.test(text), 'must be above 0')
    .refine((text) => Number(text) <= GRANT_MOST, `must be at most ${GRANT_MOST}`),
);

/** What whoever got it is told beside the reason. 'other' says nothing by itself, so it needs one. */
const Why = z.object({
  reason: z.enum(CREDIT_REASONS),
  note: z.string().trim().max(255, 'must not exceed 255 characters').default(''),
});
const isSaid = ({ reason, note }: { reason: CreditReason; note: string }) =>
  reason !== 'other' || note !== '';
const UNSAID = { path: ['note'], message: 'is required when the reason is other' };

/** Money that was given back for a lead, or granted. */
export const Credit = z.object({
  id: Id,
  company_id: Id,
  company_name: z.string().describe('Who got it'),
  lead_id: Id.nullable().describe('A refund of this lead; null: granted credit'),
  campaignName: z.string().nullable(),
  amount_micros: Micros,
  reason: z.enum(CREDIT_REASONS),
  note: z.string(),
  created_at: Instant,
});
export type Credit = z.output<typeof Credit>;

const tags = ['Credits'];

/** Refunds of leads, and credit that is granted without a payment (docs/decisions/0160-credits.md). */
export const credits = {
  ofLead: call
    .route({
      method: 'GET',
      path: '/credits/lead/{id}',
      tags,
      summary: 'What was refunded of a lead, and what the reader can refund of it',
    })
    .meta({ access: 'lead.read' })
    .input(z.object({ id: Id }))
    .output(
      z.object({
        data: z.array(Credit).describe('As far as the reader may know them'),
        refundable_micros: Micros.describe('What the own company charged for it and has not refunded'),
        blocked: z.string().describe('Why it cannot be refunded at present; empty: it can'),
      }),
    ),
  refundLead: call
    .route({
      method: 'POST',
      path: '/credits/lead/{id}',
      tags,
      summary: 'Refund what the own company charged for a lead',
      description:
        'An agency refunds its client the price, a root refunds the agency the cost. Once for each; the balance or wallet that paid gets it back, and what is owed falls.',
    })
    .meta({ access: 'lead.refund', notInView: true, fresh: true })
    .input(Why.extend({ id: Id }).refine(isSaid, UNSAID))
    .output(Done.extend({ amount_micros: Micros })),
  grant: call
    .route({
      method: 'POST',
      path: '/credits',
      tags,
      summary: 'Grant credit: a root to an agency, an agency to a campaign of a client',
      description:
        "An agency gets it in its Data Wallet, where it can be used for twelve months. A client gets it in the campaign's prepaid balance or, billed by invoice, off the next one.",
    })
    .meta({ access: 'credit.grant', notInView: true, fresh: true })
    .input(
      Why.extend({
        companyID: Id,
        leadspeekID: Id.optional().describe("The client's campaign; an agency's credit is in its wallet"),
        amount: Amount,
        idempotencyKey: z
          .string()
          .trim()
          .min(8)
          .max(100)
          .describe('One for each click: the same key counts once'),
      }).refine(isSaid, UNSAID),
    )
    .output(Done),
  list: call
    .route({
      method: 'GET',
      path: '/credits',
      tags,
      summary: 'Refunds and credit that a company got, newest first',
    })
    .meta({ access: 'credit.grant' })
    .input(PageQuery.pick({ Page: true, PerPage: true }).extend({ companyID: Id }))
    .output(Page(Credit)),
};
