import { z } from 'zod';
import { defineJob } from '../../../platform/jobs.ts';

const Payload = z.object({ rootId: z.uuid().optional(), campaignId: z.uuid().optional() });
export type DeliverJob = z.output<typeof Payload>;

/**
 * Runs the sandbox exchange and keeps outside ad platforms in step: for one campaign, which changed, for one root, or for
 * all. Safe to run twice.
 */
export const deliverJob = defineJob('ads.deliver', Payload);
