import { z } from 'zod';
import { defineJob } from '../../../platform/jobs.ts';

/** Announces a root's default minimum to the agencies that it applies to. */
export const announceJob = defineJob('minspend.announce', z.object({ rootId: z.uuid() }));
