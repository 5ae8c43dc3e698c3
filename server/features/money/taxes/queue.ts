import { z } from 'zod';
import { defineJob } from '../../../platform/jobs.ts';

/** Reports an issued document, and what has been credited on it since, to the tax service. */
export const reportJob = defineJob('taxes.report', z.object({ rootId: z.uuid(), quoteId: z.uuid() }));
/** Does the same for everything that has not been reported to the service. */
export const reportSweepJob = defineJob('taxes.sweep', z.object({}));
