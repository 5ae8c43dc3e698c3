import { z } from 'zod';
import type { Tx } from '../../../platform/db/scope.ts';
import { defineJob, type Jobs } from '../../../platform/jobs.ts';

/**
 * Judges what happened to leads of one company. In jobs from before companies had jobs of their own, of several of a
 * root.
 */
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
    /** The company, if it has new leads. */
    companies: z.array(z.uuid()),
  }),
);

/** Looks which companies have something waiting: of a root, or at a schedule of all. */
export const dueJob = defineJob('alerts.tell', z.object({ rootId: z.uuid().optional() }));

/** Tells what is waiting of one company. */
export const tellJob = defineJob('alerts.company', z.object({ rootId: z.uuid(), companyId: z.uuid() }));

/** Sends a message. `attempt`: how many attempts were made before; another number means that it is done. */
export const messageJob = defineJob(
  'alerts.message',
  z.object({
    rootId: z.uuid(),
    id: z.uuid(),
    attempt: z.int().min(0),
    /** Missing in jobs from before there were lanes. */
    lane: z.string().optional(),
  }),
  // Failures of the other side are not failures of the job.
  { retryLimit: 100, retryDelay: 5, retryBackoff: true, retryDelayMax: 300, expireInSeconds: 120 },
);

/**
 * Enqueues messages, at once or at a time. A company has a lane for each way, which takes one at a time: however many
 * alerts it has, and however their webhooks hang, the messages of others and its own by email and chat go on.
 */
export const enqueueMessages = (
  jobs: Jobs,
  tx: Tx,
  rows: readonly { id: string; root_id: string; company_id: string; way: string }[],
  attempt: number,
  startAfter?: Date,
): Promise<void> =>
  jobs.send(
    tx,
    messageJob,
    rows.map((row) => ({ rootId: row.root_id, id: row.id, attempt, lane: `${row.company_id}:${row.way}` })),
    { group: ({ lane, id }) => lane ?? id, ...(startAfter ? { startAfter } : {}) },
  );
