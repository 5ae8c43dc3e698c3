import { contract } from '../../../../contract/index.ts';
import { pixelFile } from '../../../platform/dist.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { heldRoutes } from './held.routes.ts';
import { addVisitRoutes, visitRoute } from './routes.ts';
import { createVisits, type Visits } from './service.ts';

export const feature = defineFeature({
  name: 'campaigns/visits',
  about: 'The visit log: what pixels report, what is refused, and what is held.',
  tables: [
    'campaign_foreign_host',
    'held_notice',
    'held_visit',
    'signup',
    'signup_hour',
    'trusted_address',
    'visit',
    'visit_spool',
  ],
  reads: ['campaign', 'company'],
  create: (platform, below: Parameters<typeof createVisits>[1]) => ({
    visits: createVisits(platform, below),
  }),
  prepare: ({ visits }: { visits: Visits }) => visits.keepPartitions(),
  http: ({ visits }: { visits: Visits }) => ({
    calls: [
      serve(contract.held, heldRoutes(visits)),
      serve(contract.visitLog, {
        spools: async (ctx) => ({
          data: (await visits.spools(ctx)).map((row) => ({
            ...row,
            records: Number(row.records),
            bytes: Number(row.bytes),
            oldest_at: row.oldest_at?.toISOString() ?? null,
            reported_at: row.reported_at.toISOString(),
          })),
        }),
      }),
    ],
    documented: [visitRoute],
  }),
  ingest: ({ visits }: { visits: Visits }, server) => addVisitRoutes(server, visits.ingest, pixelFile),
  receive: async ({ visits }: { visits: Visits }) => ({ stop: await visits.startIngest() }),
  work: async ({ visits }: { visits: Visits }) => void (await visits.start()),
});
