import type { Jobs } from '../../../platform/jobs.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import { reportJob, reportSweepJob } from './queue.ts';
import type { Taxes } from './service.ts';

/**
 * Starts the feature's background work: reporting issued and credited documents to the tax service, and retrying those
 * it missed.
 */
export async function startTaxes(taxes: Taxes, tenants: Tenants, jobs: Jobs): Promise<void> {
  await jobs.work(reportJob, {}, ({ rootId, quoteId }) => taxes.report(rootId, quoteId));
  await jobs.work(reportSweepJob, {}, () => tenants.eachRoot((rootId) => taxes.reportAll(rootId)));
  await jobs.schedule(reportSweepJob, '11 * * * *', {});
}
