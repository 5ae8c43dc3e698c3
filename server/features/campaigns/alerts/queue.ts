import { z } from 'zod';
import { defineJob } from '../../../platform/jobs.ts';

/** Judges what happened to leads of a root. */
export const judgeJob = defineJob(
  'alerts.judge',
  z.object({
    rootId: z.uuid(),
    happened: z.array(
      z.object({
        leadId: z.uuid(),
        kind: z.enum(['new', 'returned', 'seen']),
        at: z.iso.datetime(),
      }),
    ),
    /** Visits of known customers. */
    customers: z.array(z.object({ visitId: z.uuid(), at: z.iso.datetime() })).default([]),
    /** Companies that have new leads. */
    companies: z.array(z.uuid()),
  }),
);

/** Tells what is waiting: of a root, or at a schedule of all. */
export const tellJob = defineJob('alerts.tell', z.object({ rootId: z.uuid().optional() }));

/** Sends a message. `attempt`: how many attempts were made before; another number means that it is done. */
export const messageJob = defineJob(
  'alerts.message',
  z.object({ rootId: z.uuid(), id: z.uuid(), attempt: z.int().min(0) }),
  // Failures of the other side are not failures of the job.
  { retryLimit: 100, retryDelay: 5, retryBackoff: true, retryDelayMax: 300, expireInSeconds: 120 },
);

/** Deletes what is kept no longer. */
export const forgetJob = defineJob('alerts.forget', z.object({}));
