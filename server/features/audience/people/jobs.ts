import { z } from 'zod';
import { defineJob } from '../../../platform/jobs.ts';
import { peopleImport } from './import.service.ts';
import type { People } from './service.ts';

const signalDaysJob = defineJob('identity.signal_days', z.object({}));

/** Runs the feature's jobs in this process: one import at a time, and each night the days of the signal log. */
export async function startPeople(people: People): Promise<void> {
  await people.jobs.work(
    peopleImport,
    { pollingIntervalSeconds: 2 },
    async ({ rootId, importId }, { signal, advanced }) => {
      await people.files.run(rootId, importId, { signal, progress: advanced });
    },
  );
  await people.keepSignals();
  await people.jobs.work(signalDaysJob, { pollingIntervalSeconds: 60 }, () => people.keepSignals());
  await people.jobs.schedule(signalDaysJob, '15 0 * * *', {});
}
