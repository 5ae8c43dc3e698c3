import { z } from 'zod';
import { defineJob, type Jobs } from '../../../platform/jobs.ts';
import type { LogChain } from './chain.service.ts';

/** Seals new log rows. */
const sealJob = defineJob('audit.seal', z.object({}));

/** Starts the feature's background work: a seal every minute. */
export async function startAudit(chain: LogChain, jobs: Jobs): Promise<void> {
  await jobs.work(sealJob, { pollingIntervalSeconds: 30 }, async () => {
    await chain.seal();
  });
  await jobs.schedule(sealJob, '* * * * *', {});
}
