import { z } from 'zod';
import { defineJob } from '../../../platform/jobs.ts';
import { peopleImport } from './import.service.ts';
import type { Identity } from './service.ts';

const signalDaysJob = defineJob('identity.signal_days', z.object({}));

/** Runs the feature's jobs in this process: one import at a time, and each night the days of the signal log. */
export async function startIdentityJobs(identity: Identity): Promise<void> {
  await identity.jobs.work(
    peopleImport,
    { pollingIntervalSeconds: 2 },
    async ({ rootId, importId }, { signal, advanced }) => {
      await identity.files.run(rootId, importId, { signal, progress: advanced });
    },
  );
  await identity.keepSignals();
  await identity.jobs.work(signalDaysJob, { pollingIntervalSeconds: 60 }, () => identity.keepSignals());
  await identity.jobs.schedule(signalDaysJob, '15 0 * * *', {});
}
