import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { searchRoutes } from './service.ts';

export const feature = defineFeature({
  name: 'accounts/search',
  about: 'The search over agencies, clients, campaigns, and leads.',
  tables: [],
  reads: ['campaign', 'company'],
  create: () => ({}),
  http: (all: Parameters<typeof searchRoutes>[1], platform) => ({
    calls: [serve(contract.search, searchRoutes(platform, all))],
  }),
});
