import { z } from 'zod';
import { defineJob } from '../../../platform/jobs.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { AdCampaigns } from './service.ts';

const DAY_MS = 86_400_000;
/** How long single impressions are kept; their sums by hour stay. */
const KEPT_DAYS = 100;
const FORGET_STEP = 10_000;

/** Gives back what was promised to impressions whose notice never came, and posts what was billed. Safe to run twice. */
const spendJob = defineJob('ads.spend', z.object({}));

/** Starts the feature's background work. */
export async function startSpending(
  { spending, roots }: AdCampaigns,
  { jobs, clock }: Platform,
): Promise<void> {
  await jobs.work(spendJob, { pollingIntervalSeconds: 10 }, async () => {
    for (const rootId of await roots()) {
      await spending.expire(rootId);
      await spending.endLeases(rootId);
      await spending.postAll(rootId);
      const before = new Date(clock.now().getTime() - KEPT_DAYS * DAY_MS);
      await spending.forget(rootId, before, FORGET_STEP);
    }
  });
  await jobs.schedule(spendJob, '* * * * *', {});
}
