import { z } from 'zod';
import { defineJob } from '../../platform/jobs.ts';

/**
 * One attempt to send one delivery. `attempt` is the number of attempts made before: a job that comes late, or twice,
 * finds another number and does nothing.
 */
export const sendJob = defineJob(
  'delivery.send',
  z.object({
    rootId: z.uuid(),
    deliveryId: z.uuid(),
    integrationId: z.uuid(),
    attempt: z.int().min(0),
    /** When a lead that waits for its data is due: the job does nothing where it was sent on its way before. */
    dueAt: z.iso.datetime().optional(),
  }),
  // Failures of the endpoint are not failures of the job; these retries are for our own (the database is away).
  { retryLimit: 100, retryDelay: 5, retryBackoff: true, retryDelayMax: 300, expireInSeconds: 120 },
);
export type SendPayload = z.output<typeof sendJob.payload>;
