import { z } from 'zod';
import { defineJob } from '../../../platform/jobs.ts';

/** Judges keywords of campaigns by the current lists of themes, where that was done by earlier ones. */
export const judgeJob = defineJob('keywords.judge', z.object({}));
/** Resumes campaigns that are no longer stopped by a limit: those of one root, or of all. */
export const resumeJob = defineJob('campaigns.resume', z.object({ rootId: z.uuid().optional() }));
