import { z } from 'zod';
import { defineJob } from '../../platform/jobs.ts';

/** So often a count is begun before it is called failed though nothing said why: its worker was killed each time. */
export const MOST_STARTS = 21;

/** Makes one count; tried once more than it may begin, so that the last one says that it failed. */
export const countJob = defineJob('intent.count', z.object({ rootId: z.uuid(), countId: z.uuid() }), {
  retryLimit: MOST_STARTS + 1,
  retryDelay: 5,
  retryDelayMax: 120,
  expireInSeconds: 2 * 60 * 60,
});

/** Matches what is new of a root's signals and judges whoever waits; without a root: of all that have work. */
export const matchJob = defineJob('intent.match', z.object({ rootId: z.uuid().optional() }), {
  expireInSeconds: 2 * 60 * 60,
});

/** Looks for a campaign's people in the last seven days: it has started, or looks for something else. */
export const catchUpJob = defineJob('intent.catch_up', z.object({ rootId: z.uuid(), campaignId: z.uuid() }), {
  expireInSeconds: 2 * 60 * 60,
});
