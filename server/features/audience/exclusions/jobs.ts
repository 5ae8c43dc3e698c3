import { clearJob, loadJob } from './load.ts';
import type { Exclusions } from './service.ts';

/** Runs the feature's jobs in this process: a few lists at a time, so that a long one does not hold up the others. */
export async function startExclusions({ loads, jobs }: Exclusions): Promise<void> {
  await jobs.work(
    loadJob,
    { pollingIntervalSeconds: 2, localConcurrency: 3 },
    async (which, { signal, advanced }) => {
      await loads.load(which, { signal, progress: advanced });
    },
  );
  await jobs.work(clearJob, { pollingIntervalSeconds: 5 }, (which, { signal }) => loads.clear(which, signal));
}
