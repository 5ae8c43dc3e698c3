import { z } from 'zod';
import { defineJob } from '../../platform/jobs.ts';

/** Sets campaigns going that no limit stops any more: of one root, or of all. */
export const resumeJob = defineJob('campaigns.resume', z.object({ rootId: z.uuid().optional() }));
