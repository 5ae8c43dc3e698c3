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
  // A root that fails does not hold up the others.
  const ofRoots = async (rootId: string | undefined, work: (id: string) => Promise<unknown>) =>
    void (await (rootId ? work(rootId) : tenants.eachRoot(work)));
  await jobs.work(feeSweepJob, {}, ({ rootId }) => ofRoots(rootId, invoices.fees.sweep));
  await jobs.work(closeJob, {}, ({ rootId }) => ofRoots(rootId, invoices.close));
  await jobs.work(receiptJob, {}, ({ rootId }) => ofRoots(rootId, invoices.writeReceipts));
  await jobs.schedule(closeJob, '1 * * * *', {});
  await jobs.schedule(receiptJob, '2 * * * *', {});
  await jobs.schedule(feeSweepJob, '3 * * * *', {});
}
