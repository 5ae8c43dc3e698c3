import { z } from 'zod';
import { defineJob } from '../../../platform/jobs.ts';

/** Resumes campaigns that are no longer stopped by a limit: those of one root, or of all. */
export const resumeJob = defineJob('campaigns.resume', z.object({ rootId: z.uuid().optional() }));
