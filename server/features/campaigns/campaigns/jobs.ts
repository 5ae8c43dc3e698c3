import type { Platform } from '../../../platform/platform.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import { judgeJob, resumeJob } from './queue.ts';
import type { Campaigns } from './service.ts';

/** Starts the feature's background work: every minute, so that a day's limit ends with the day. */
export async function startCampaigns(
  campaigns: Campaigns,
  tenants: Tenants,
  { jobs }: Platform,
): Promise<void> {
  await jobs.work(resumeJob, { pollingIntervalSeconds: 10 }, ({ rootId }) =>
    tenants.eachRoot(campaigns.resumeCapped, rootId),
  );
  await jobs.schedule(resumeJob, '* * * * *', {});
  await jobs.work(judgeJob, { pollingIntervalSeconds: 60 }, () =>
    tenants.eachRoot((rootId) => campaigns.judgeKeywords(rootId)),
  );
  await jobs.schedule(judgeJob, '23 * * * *', {});
}
