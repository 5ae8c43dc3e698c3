import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { exports } from './exports.ts';
import { rootsRoutes } from './service.ts';

export const feature = defineFeature({
  name: 'accounts/roots',
  about: 'More roots, created by the master root.',
  tables: [],
  reads: [],
  create: () => ({}),
  http: (all: Parameters<typeof rootsRoutes>[1], platform) => ({
    calls: [serve(contract.roots, rootsRoutes(platform, all))],
  }),
  exports,
});
