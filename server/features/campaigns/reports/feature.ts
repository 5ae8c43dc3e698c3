import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { addUnsubscribeRoute, reportsRoutes, unsubscribeRoute } from './routes.ts';
import { createReports } from './service.ts';

type Reports = ReturnType<typeof createReports>;

export const feature = defineFeature({
  name: 'campaigns/reports',
  about: 'Reports and lead notices by email, with one-click unsubscribe.',
  tables: [],
  reads: [],
  create: (platform, below: Parameters<typeof createReports>[1]) => ({
    reports: createReports(platform, below),
  }),
  http: ({ reports }: { reports: Reports }, { clock }) => ({
    calls: [serve(contract.reports, reportsRoutes(reports))],
    documented: [unsubscribeRoute],
    mount: (server, doors) => addUnsubscribeRoute(server, clock, doors, reports),
  }),
  work: async ({ reports }: { reports: Reports }) => void (await reports.start()),
});
