import { z } from 'zod';
import { HOOK_EVENT_NAMES } from '../../../../contract/developer/hook-events.ts';
import { defineJob } from '../../../platform/jobs.ts';

/** Makes the messages of events of one agency: one for each endpoint that receives them. */
export const fanJob = defineJob(
  'developer.event',
  z.object({
    rootId: z.uuid(),
    agencyId: z.uuid(),
    type: z.enum(HOOK_EVENT_NAMES),
    at: z.iso.datetime(),
    /** What they are about, the client concerned, and what tells the event from others. */
    events: z.array(z.object({ objectId: z.uuid(), clientId: z.uuid().nullable(), key: z.string() })),
  }),
  { retryLimit: 100, retryDelay: 5, retryBackoff: true, retryDelayMax: 300 },
);
export type FanPayload = z.output<typeof fanJob.payload>;

/**
 * Makes one attempt to send one message. `attempt` is the number of attempts made before: a job that runs late, or twice,
 * finds a different number and does nothing.
 */
export const messageJob = defineJob(
  'developer.message',
  z.object({
    rootId: z.uuid(),
    agencyId: z.uuid(),
    hookId: z.uuid(),
    id: z.uuid(),
    /** Its endpoint was slow a moment ago: it goes on the agency's slow lane. */
    isSlow: z.literal(true).optional(),
    attempt: z.int().min(0),
  }),
  // Failures of the endpoint are not failures of the job; these retries are for our own failures.
  { retryLimit: 100, retryDelay: 5, retryBackoff: true, retryDelayMax: 300, expireInSeconds: 120 },
);
export type MessagePayload = z.output<typeof messageJob.payload>;

/** Each endpoint has its own lane, except those that are slow: they share one of their agency. */
export const laneOf = ({ agencyId, hookId, isSlow }: MessagePayload): string =>
  isSlow ? `${agencyId}:slow` : hookId;
