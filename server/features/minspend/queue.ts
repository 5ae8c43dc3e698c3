import { z } from 'zod';
import { defineJob } from '../../platform/jobs.ts';

/** Announces what a root asks by default to the agencies that it is for. */
export const announceJob = defineJob('minspend.announce', z.object({ rootId: z.uuid() }));
