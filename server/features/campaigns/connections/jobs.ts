import { z } from 'zod';
import { defineJob, type Jobs } from '../../../platform/jobs.ts';
import type { Connections } from './service.ts';

/** Tells companies of sign-ins that are about to end. */
const endingJob = defineJob('connections.ending', z.object({}));

/** Starts the feature's background work. */
export async function startConnections(connections: Connections, jobs: Jobs): Promise<void> {
  await jobs.work(endingJob, { pollingIntervalSeconds: 60 }, () => connections.tellEnding());
  await jobs.schedule(endingJob, '37 * * * *', {});
}
