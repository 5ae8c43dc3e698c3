import { z } from 'zod';
import { defineJob } from '../../../platform/jobs.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { AdCampaigns } from './service.ts';

/** Gives back what was promised to impressions whose notice never came, and posts what was billed. Safe to run twice. */
const spendJob = defineJob('ads.spend', z.object({}));

/** Starts the feature's background work. */
export async function startSpending({ settle }: AdCampaigns, { jobs }: Platform): Promise<void> {
  await jobs.work(spendJob, { pollingIntervalSeconds: 10 }, settle);
  await jobs.schedule(spendJob, '* * * * *', {});
}
