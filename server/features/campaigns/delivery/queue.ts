import { z } from 'zod';
import type { Tx } from '../../../platform/db/scope.ts';
import { defineJob, type Jobs } from '../../../platform/jobs.ts';

/**
 * Makes one attempt to send one delivery. `attempt` is the number of attempts made before: a job that runs late, or
 * twice, finds a different number and does nothing.
 */
export const sendJob = defineJob(
  'delivery.send',
  z.object({
    rootId: z.uuid(),
    deliveryId: z.uuid(),
    integrationId: z.uuid(),
    /** The connection that it goes through; none for a webhook. */
    connectionId: z.uuid().optional(),
    /** Whose lane it takes, and which; missing in jobs from before there were lanes. */
    companyId: z.uuid().optional(),
    lane: z.int().optional(),
    /** Its destination was slow a moment ago: it goes on the company's slow lane. */
    isSlow: z.literal(true).optional(),
    attempt: z.int().min(0),
    /** When a lead waiting for its data is due; the job does nothing if the lead was already sent. */
    dueAt: z.iso.datetime().optional(),
  }),
  // Failures of the endpoint are not failures of the job; these retries are for our own failures (such as the database
  // being down).
  { retryLimit: 100, retryDelay: 5, retryBackoff: true, retryDelayMax: 300, expireInSeconds: 120 },
);
export type SendPayload = z.output<typeof sendJob.payload>;

/**
 * The lane of an attempt; each takes one at a time. A webhook, or a connection, always has the same one of its company's
 * 16, so that a vendor gets one request at a time. However many destinations a company has, and however they hang, it
 * occupies 17 of the slots of all tenants: those that are slow share one more.
 */
export const laneOf = ({ companyId, lane, connectionId, integrationId, isSlow }: SendPayload): string =>
  companyId ? `${companyId}:${isSlow ? 'slow' : lane}` : (connectionId ?? integrationId);

/** Enqueues attempts on their lanes, at once or at a time. */
export const enqueueSends = (
  jobs: Jobs,
  tx: Tx,
  payloads: SendPayload[],
  startAfter?: Date | ((payload: SendPayload) => Date | undefined),
): Promise<void> =>
  jobs.send(tx, sendJob, payloads, { group: laneOf, ...(startAfter ? { startAfter } : {}) });

/** Lets the deliveries that waited for a connection go on. */
export const resumeJob = defineJob(
  'delivery.resume',
  z.object({ rootId: z.uuid(), connectionId: z.uuid() }),
  { retryLimit: 100, retryDelay: 5, retryBackoff: true, retryDelayMax: 300 },
);
