import type { Platform } from '../../../platform/platform.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import { closeJob, feeJob, feeSweepJob, receiptJob } from './queue.ts';
import type { Invoices } from './service.ts';

/**
 * Starts the feature's background work: fees of starting campaigns, and an hourly run for each new day, week or month.
 */
export async function startInvoices(invoices: Invoices, tenants: Tenants, { jobs }: Platform): Promise<void> {
  await jobs.work(feeJob, {}, ({ rootId, campaignId, at }) =>
    invoices.fees.charge(rootId, campaignId, new Date(at)),
  );
  await jobs.work(feeSweepJob, {}, ({ rootId }) => tenants.eachRoot(invoices.fees.sweep, rootId));
  await jobs.work(closeJob, {}, ({ rootId }) => tenants.eachRoot(invoices.close, rootId));
  await jobs.work(receiptJob, {}, ({ rootId }) => tenants.eachRoot(invoices.writeReceipts, rootId));
  await jobs.schedule(closeJob, '1 * * * *', {});
  await jobs.schedule(receiptJob, '2 * * * *', {});
  await jobs.schedule(feeSweepJob, '3 * * * *', {});
}
