import { z } from 'zod';
import { defineJob } from '../../platform/jobs.ts';

/** Tells the tax service of a document that was issued, and of what was credited of it since. */
export const reportJob = defineJob('taxes.report', z.object({ rootId: z.uuid(), quoteId: z.uuid() }));
/** The same for all that the service has not been told. */
export const reportSweepJob = defineJob('taxes.sweep', z.object({}));
