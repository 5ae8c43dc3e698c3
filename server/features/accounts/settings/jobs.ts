import type { Jobs } from '../../../platform/jobs.ts';
import { domainsJob } from './domain.service.ts';
import type { Settings } from './service.ts';

/** Starts the feature's background work: checking the DNS records of tenants' domains that are due, every minute. */
export async function startSettings(settings: Settings, jobs: Jobs): Promise<void> {
  await jobs.work(domainsJob, { pollingIntervalSeconds: 10, notifyPollingIntervalSeconds: 10 }, () =>
    settings.domains.lookAtDue(),
  );
  await jobs.schedule(domainsJob, '* * * * *', {});
}
