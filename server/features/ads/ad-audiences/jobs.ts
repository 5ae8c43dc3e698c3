import type { Platform } from '../../../platform/platform.ts';
import { buildJob, clearJob, dueJob } from './load.ts';
import type { AdAudiences } from './service.ts';

/** Runs the feature's jobs in this process. */
export async function startAudiences(audiences: AdAudiences, { jobs }: Platform): Promise<void> {
  const often = { pollingIntervalSeconds: 2, localConcurrency: 2 };
  await jobs.work(buildJob, often, (which, { signal, advanced }) =>
    audiences.loads.build(which, { signal, advanced }),
  );
  await jobs.work(clearJob, { pollingIntervalSeconds: 5 }, (which, { signal }) =>
    audiences.loads.clear(which, signal),
  );
  await jobs.work(dueJob, { pollingIntervalSeconds: 10 }, () => audiences.queueDue());
  await jobs.schedule(dueJob, '* * * * *', {});
}
