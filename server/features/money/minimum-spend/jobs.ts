import { z } from 'zod';
import { defineJob, type Jobs } from '../../../platform/jobs.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import { announceJob } from './queue.ts';
import type { MinimumSpend } from './service.ts';

/** Decides the months that are over; runs hourly, since the roots' months end at different hours. */
const closeJob = defineJob('minspend.close', z.object({}));

/** Starts the feature's background work. */
export async function startMinimumSpend(
  minimumSpend: MinimumSpend,
  tenants: Tenants,
  jobs: Jobs,
): Promise<void> {
  await jobs.work(closeJob, { pollingIntervalSeconds: 60 }, () =>
    tenants.eachRoot(async (rootId) => {
      try {
        await minimumSpend.closeMonths(rootId);
      } finally {
        // For agencies that have begun since, and for anything a lost job failed to announce.
        await minimumSpend.offers.announce(rootId);
      }
    }),
  );
  await jobs.work(announceJob, { pollingIntervalSeconds: 5 }, async ({ rootId }) => {
    await minimumSpend.offers.announce(rootId);
  });
  await jobs.schedule(closeJob, '4 * * * *', {});
}
