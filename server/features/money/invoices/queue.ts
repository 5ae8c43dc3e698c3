import { z } from 'zod';
import { defineJob } from '../../../platform/jobs.ts';

/** Charges the fees of a campaign that has been started. */
export const feeJob = defineJob(
  'invoices.fees',
  z.object({ rootId: z.uuid(), campaignId: z.uuid(), at: z.iso.datetime() }),
);
/** Charges the fees of all active campaigns that have not been charged yet: of one root, or of all. */
export const feeSweepJob = defineJob('invoices.feesweep', z.object({ rootId: z.uuid().optional() }));
/** Closes the weeks and months that have ended: of one root, or of all. */
export const closeJob = defineJob('invoices.close', z.object({ rootId: z.uuid().optional() }));
/** Writes receipts, and credit notes for receipts, that are waiting for their tax: of one root, or of all. */
export const receiptJob = defineJob('invoices.receipts', z.object({ rootId: z.uuid().optional() }));
