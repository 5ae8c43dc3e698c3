import { z } from 'zod';
import { defineJob } from '../../../platform/jobs.ts';

/** Charges due invoices again. */
export const collectJob = defineJob('collection.collect', z.object({}), { retryLimit: 0 });
/** Pauses a company's campaigns for lack of a payment, or resumes them. */
export const followJob = defineJob('collection.follow', z.object({ rootId: z.uuid(), companyId: z.uuid() }));
/** Emails that a charge has failed, for that attempt. */
export const tellJob = defineJob(
  'collection.tell',
  // `isFirst`: the invoice's issuer is notified as well. Jobs from an older version do not include it.
  z.object({ rootId: z.uuid(), invoiceId: z.uuid(), attempts: z.int(), isFirst: z.boolean().optional() }),
);
/**
 * Bills what an agency's clients (and, `withAgency`, the agency itself) owe up to an instant, a page of clients with an id
 * above `after` at a time; with `payerId`, only that one.
 */
export const billJob = defineJob(
  'collection.bill',
  z.object({
    rootId: z.uuid(),
    agencyId: z.uuid(),
    at: z.iso.datetime(),
    withAgency: z.boolean(),
    after: z.uuid().nullable(),
    payerId: z.uuid().optional(),
  }),
  // Stripe Tax may be away for a while. What is still not billed then is on the invoice of its week or month.
  { retryLimit: 8, retryDelay: 30 },
);
/** Refunds what was paid although it was no longer due. */
export const giveBackJob = defineJob(
  'collection.give_back',
  z.object({ rootId: z.uuid(), chargeId: z.uuid(), micros: z.string().regex(/^\d+$/), key: z.string() }),
);
/** Emails an invoice, its receipt, or a dispute. */
export const mailJob = defineJob(
  'collection.mail',
  z.discriminatedUnion('what', [
    z.object({ what: z.enum(['issued', 'paid']), rootId: z.uuid(), invoiceId: z.uuid() }),
    z.object({
      what: z.literal('disputed'),
      rootId: z.uuid(),
      agencyId: z.uuid(),
      companyId: z.uuid(),
      micros: z.string().regex(/^\d+$/),
      reason: z.string(),
      dueBy: z.iso.datetime().nullable(),
    }),
  ]),
);
/** Charges the month's packages. */
export const packageJob = defineJob('collection.packages', z.object({}));
