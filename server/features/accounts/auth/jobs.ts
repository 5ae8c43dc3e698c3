import { z } from 'zod';
import { defineJob, type Jobs } from '../../../platform/jobs.ts';
import { alertJob, ownersJob } from './alerts.service.ts';
import { resetJob } from './entry.service.ts';
import type { Auth } from './service.ts';

/** Deletes tokens, codes and attempt counters that are days old. */
const sweepJob = defineJob('access.sweep', z.object({}));

/** Looks which owners are to be notified of what happened to their users' accounts. */
const newsJob = defineJob('access.news', z.object({}));

/** Starts the feature's background work. */
export async function startAuth(auth: Auth, jobs: Jobs): Promise<void> {
  await jobs.work(resetJob, { pollingIntervalSeconds: 2, notifyPollingIntervalSeconds: 2 }, (payload) =>
    auth.entry.sendReset(payload),
  );
  await jobs.work(alertJob, { pollingIntervalSeconds: 10 }, (payload) => auth.alerts.tell(payload));
  await jobs.work(newsJob, { pollingIntervalSeconds: 60 }, () => auth.enqueueNews());
  await jobs.work(ownersJob, { pollingIntervalSeconds: 10, localConcurrency: 2 }, (payload) =>
    auth.alerts.tellOwners(payload),
  );
  await jobs.work(sweepJob, { pollingIntervalSeconds: 60 }, () => auth.sweep());
  await jobs.schedule(newsJob, '*/15 * * * *', {});
  await jobs.schedule(sweepJob, '17 * * * *', {});
}
