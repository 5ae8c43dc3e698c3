import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { viewExportsRoutes } from './routes.ts';
import { createViewExports, type ViewExports } from './service.ts';

export const feature = defineFeature({
  name: 'campaigns/view-exports',
  about: 'Scheduled exports: saved views of leads by email.',
  tables: ['view_export'],
  reads: ['company', 'list_view', 'user_account'],
  create: (platform, below: Parameters<typeof createViewExports>[1]) => ({
    viewExports: createViewExports(platform, below),
  }),
  http: ({ viewExports }: { viewExports: ViewExports }) => ({
    calls: [serve(contract.viewExports, viewExportsRoutes(viewExports))],
  }),
  work: async ({ viewExports }: { viewExports: ViewExports }) => void (await viewExports.start()),
});
