import { peopleImport } from './import.service.ts';
import type { Identity } from './service.ts';

/** Does the feature's jobs in this process: one import at a time. */
export async function startIdentityJobs(identity: Identity): Promise<void> {
  await identity.jobs.work(
    peopleImport,
    { pollingIntervalSeconds: 2 },
    async ({ rootId, importId }, signal) => {
      await identity.files.run(rootId, importId, { signal });
    },
  );
}
