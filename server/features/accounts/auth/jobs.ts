import { z } from 'zod';
import { defineJob, type Jobs } from '../../../platform/jobs.ts';
import { alertJob } from './alerts.service.ts';
import { resetJob } from './entry.service.ts';
import type { Access } from './service.ts';

/** Deletes tokens, codes and attempt counters that are days old. */
const sweepJob = defineJob('access.sweep', z.object({}));

/** Notifies owners of what happened to their users' accounts. */
const newsJob = defineJob('access.news', z.object({}));

/** Starts the feature's background work. */
export async function startAccess(access: Access, jobs: Jobs): Promise<void> {
  await jobs.work(resetJob, { pollingIntervalSeconds: 2, notifyPollingIntervalSeconds: 2 }, (payload) =>
    access.entry.sendReset(payload),
  );
  await jobs.work(alertJob, { pollingIntervalSeconds: 10 }, (payload) => access.alerts.tell(payload));
  await jobs.work(newsJob, { pollingIntervalSeconds: 60 }, () => access.tellOwners());
  await jobs.work(sweepJob, { pollingIntervalSeconds: 60 }, () => access.sweep());
  await jobs.schedule(newsJob, '*/15 * * * *', {});
  await jobs.schedule(sweepJob, '17 * * * *', {});
}
