import { z } from 'zod';
import { defineJob } from '../../../platform/jobs.ts';

/** Runs the sandbox exchange and keeps outside ad platforms in step: for one root, or for all. Safe to run twice. */
export const deliverJob = defineJob('ads.deliver', z.object({ rootId: z.uuid().optional() }));
