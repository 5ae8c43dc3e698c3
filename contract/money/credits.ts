import { z } from 'zod';
import { call } from '../base.ts';
import { Done, given, Id, Instant, Micros, Page, PageQuery } from '../primitives.ts';
import type { Inside } from '../wire.ts';

/** Why money is refunded or credit is granted. */
export const CREDIT_REASONS = [
  'wrong_person',
  'duplicate',
  'invalid_contact',
  'customer',
  'excluded',
  'outside_target',
  'goodwill',
  'promotion',
  'other',
] as const;
export type CreditReason = (typeof CREDIT_REASONS)[number];

/** The label of a reason, on screens and in emails. */
export const REASON_WORDS: Record<CreditReason, string> = {
  wrong_person: 'Wrong person',
  duplicate: 'Duplicate lead',
  invalid_contact: 'Invalid contact details',
  customer: 'Known customer',
  excluded: 'On an exclusion list',
  outside_target: 'Outside target audience',
  goodwill: 'Goodwill',
  promotion: 'Promotion',
  other: 'Other',
};
/** The reasons a lead can be refunded for, and the reasons credit is granted for. */
export const LEAD_REASONS = CREDIT_REASONS.filter((one) => one !== 'promotion');
export const GRANT_REASONS: readonly CreditReason[] = ['goodwill', 'promotion', 'other'];

/** The maximum credit per grant, US dollars, so that a typo cannot give away a fortune. */
export const GRANT_MOST = 10_000;

const Amount = given(
  z
    .string('must be an amount in US dollars such as 25.00')
    .regex(
      /^\d{1,6}(\.\d{1,2})?$/,
      'must be an amount in US dollars such as 25.00, with up to 2 decimal places',
    )
    .refine((text) => !/^[0.]*$/.test(text), 'must be above 0')
    .refine((text) => Number(text) <= GRANT_MOST, `must not exceed ${GRANT_MOST}`),
);

/** The note sent to the recipient along with the reason. 'other' says nothing by itself, so it requires one. */
const Why = z.object({
  reason: z.enum(CREDIT_REASONS),
  note: z.string().trim().max(255, 'must not exceed 255 characters').default(''),
});
const isSaid = ({ reason, note }: { reason: CreditReason; note: string }) =>
  reason !== 'other' || note !== '';
const UNSAID = { path: ['note'], message: 'is required when the reason is other' };

/** A refund for a lead, or a granted credit. */
export const Credit = z.object({
  id: Id,
  company_id: Id,
  company_name: z.string().describe('The recipient'),
  lead_id: Id.nullable().describe('The refunded lead. null for granted credit'),
  campaignName: z.string().nullable(),
  amount_micros: Micros,
  reason: z.enum(CREDIT_REASONS),
  note: z.string(),
  created_at: Instant,
});
export type Credit = Inside<z.output<typeof Credit>>;

const tags = ['Credits'];

/** Refunds of leads, and credit that is granted without a payment (docs/decisions/0160-credits.md). */
export const credits = {
  ofLead: call
    .route({
      method: 'GET',
      path: '/credits/lead/{id}',
      tags,
      summary: 'Returns what was refunded for a lead and what you can still refund',
    })
    .meta({ access: 'lead.read' })
    .input(z.object({ id: Id }))
    .output(
      z.object({
        data: z.array(Credit).describe('Limited to the refunds you can see'),
        refundable_micros: Micros.describe('What your company charged for the lead and has not refunded'),
        blocked: z.string().describe('Why it cannot be refunded now. Empty if it can'),
      }),
    ),
  refundLead: call
    .route({
      method: 'POST',
      path: '/credits/lead/{id}',
      tags,
      summary: 'Refunds what your company charged for a lead',
      description:
        'An agency refunds the price to its client. A root refunds the cost to the agency. Each can refund a lead once. The refund goes to the balance or wallet that paid, and the amount due decreases.',
    })
    .meta({ access: 'lead.refund', notInView: true, fresh: true })
    .input(Why.extend({ id: Id }).refine(isSaid, UNSAID))
    .output(Done.extend({ amount_micros: Micros })),
  grant: call
    .route({
      method: 'POST',
      path: '/credits',
      tags,
      summary: 'Grants credit from a root to an agency, or from an agency to a client’s campaign',
      description:
        "Agencies receive the credit in their Data Wallet, where it is valid for 12 months. Clients receive it in the campaign's prepaid balance or, if billed by invoice, off the next invoice.",
    })
    .meta({ access: 'credit.grant', notInView: true, fresh: true })
    .input(
      Why.extend({
        companyID: Id,
        leadspeekID: Id.optional().describe(
          "The client's campaign. Not used for agencies, whose credit goes to their wallet",
        ),
        amount: Amount,
        idempotencyKey: z
          .string()
          .trim()
          .min(8)
          .max(100)
          .describe('One key per click. Requests with the same key count once'),
      }).refine(isSaid, UNSAID),
    )
    .output(Done),
  list: call
    .route({
      method: 'GET',
      path: '/credits',
      tags,
      summary: 'Lists the refunds and credits of a company, newest first',
    })
    .meta({ access: 'credit.grant' })
    .input(PageQuery.pick({ Page: true, PerPage: true }).extend({ companyID: Id }))
    .output(Page(Credit)),
};
