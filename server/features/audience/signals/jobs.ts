import type { Platform } from '../../../platform/platform.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import { catchUpJob, countJob, matchJob } from './queue.ts';
import type { Signals } from './service.ts';

/** Runs the feature's jobs in this process; waiting work is checked every ten minutes. */
export async function startSignals(
  { counts, delivery }: Signals,
  tenants: Tenants,
  { jobs }: Platform,
): Promise<void> {
  const often = { pollingIntervalSeconds: 2 };
  await jobs.work(countJob, often, ({ rootId, countId }) => counts.run(rootId, countId));
  await jobs.work(catchUpJob, often, ({ rootId, campaignId }) => delivery.catchUp(rootId, campaignId));
  await jobs.work(matchJob, often, ({ rootId }) =>
    rootId
      ? delivery.run(rootId)
      : tenants.eachRoot(async (id) => {
          if (await delivery.hasWork(id)) await delivery.run(id);
        }),
  );
  await jobs.schedule(matchJob, '*/10 * * * *', {});
}
