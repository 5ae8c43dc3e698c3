import { z } from 'zod';
import { call } from '../base.ts';
import { Instant } from '../primitives.ts';

/** Visits that a process has accepted and keeps on its disk until they are in the database. */
export const VisitSpool = z.object({
  place: z.string().describe('The machine, and the folder on it'),
  records: z.int().describe('Requests. Each has one to twenty visits'),
  bytes: z.int(),
  oldest_at: Instant.nullable(),
  damaged: z.int().describe('Places that could not be read or stored. Their bytes are in the folder damaged'),
  reported_at: Instant,
});

export const visitLog = {
  spools: call
    .route({
      method: 'GET',
      path: '/background/spools',
      tags: ['Background jobs'],
      summary:
        'Lists the visits that wait on disk, by process, as each process last reported. Empty for all but the master root',
    })
    .meta({ access: 'job.read' })
    .input(z.object({}))
    .output(z.object({ data: z.array(VisitSpool) })),
};
