import { z } from 'zod';
import { defineJob } from '../../../platform/jobs.ts';

/**
 * How many times a count is started before it is called failed without a known reason: its worker was killed each time.
 */
export const MOST_STARTS = 21;

/** Makes one count; tried once more than it may start, so that the last attempt reports the failure. */
export const countJob = defineJob('intent.count', z.object({ rootId: z.uuid(), countId: z.uuid() }), {
  retryLimit: MOST_STARTS + 1,
  retryDelay: 5,
  retryDelayMax: 120,
  expireInSeconds: 2 * 60 * 60,
});

/**
 * Matches what is new among a root's signals and judges waiting candidates; without a root, for all roots that have
 * work.
 */
export const matchJob = defineJob('intent.match', z.object({ rootId: z.uuid().optional() }), {
  expireInSeconds: 2 * 60 * 60,
});

/** Searches for a campaign's people in the last seven days, because it has started or its search has changed. */
export const catchUpJob = defineJob('intent.catch_up', z.object({ rootId: z.uuid(), campaignId: z.uuid() }), {
  expireInSeconds: 2 * 60 * 60,
});
