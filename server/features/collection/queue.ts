import { z } from 'zod';
import { defineJob } from '../../platform/jobs.ts';

/** Charges what is due again. */
export const collectJob = defineJob('collection.collect', z.object({}), { retryLimit: 0 });
/** Pauses a company's campaigns for want of a payment, or lets them go on. */
export const followJob = defineJob('collection.follow', z.object({ rootId: z.uuid(), companyId: z.uuid() }));
/** Mails that a charge has failed, for that attempt. */
export const tellJob = defineJob(
  'collection.tell',
  // `isFirst`: whoever issued the invoice is told as well. Jobs of an older version do not say.
  z.object({ rootId: z.uuid(), invoiceId: z.uuid(), attempts: z.int(), isFirst: z.boolean().optional() }),
);
/** Gives back what was paid although it was not due any more. */
export const giveBackJob = defineJob(
  'collection.give_back',
  z.object({ rootId: z.uuid(), chargeId: z.uuid(), micros: z.string().regex(/^\d+$/), key: z.string() }),
);
/** Mails an invoice, its receipt, or a dispute. */
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
/** Charges the packages of the month. */
export const packageJob = defineJob('collection.packages', z.object({}));
