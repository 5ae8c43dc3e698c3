import { z } from 'zod';
import { defineJob } from '../../../platform/jobs.ts';

/** Sends an intent that was written with its cause. */
export const sendJob = defineJob('payments.send', z.object({ rootId: z.uuid(), chargeId: z.uuid() }));
/** Refunds what came in for something that is not there anymore. */
export const giveBackJob = defineJob(
  'payments.give_back',
  z.object({ rootId: z.uuid(), chargeId: z.uuid(), micros: z.string().regex(/^\d+$/), key: z.string() }),
);
/** Asks for unknown outcomes. */
export const askJob = defineJob('payments.ask', z.object({}), { retryLimit: 0 });
/** Delivers the sandbox's notices, and handles notices that could not be handled when they arrived. */
export const noticesJob = defineJob('payments.notices', z.object({}), { retryLimit: 0 });
/** Compares the provider's list with ours. */
export const compareJob = defineJob('payments.compare', z.object({}));
/** Disconnects an account whose change was not stopped in time. */
export const accountJob = defineJob('payments.account', z.object({ rootId: z.uuid(), id: z.uuid() }));
