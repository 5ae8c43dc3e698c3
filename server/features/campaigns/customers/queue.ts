import { z } from 'zod';
import { defineJob } from '../../../platform/jobs.ts';

/** Reads a list of customers again from its connection. Safe to run twice. */
export const refreshJob = defineJob('customers.refresh', z.object({ rootId: z.uuid(), listId: z.uuid() }), {
  retryLimit: 5,
  retryDelay: 60,
  retryBackoff: true,
  retryDelayMax: 3600,
  expireInSeconds: 60 * 60,
});

/** Has every list of customers that comes from a connection refreshed. */
export const dailyJob = defineJob('customers.daily', z.object({}));
