import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { exports } from './exports.ts';
import { startExclusions } from './jobs.ts';
import { exclusionsRoutes } from './routes.ts';
import { createExclusions, type Exclusions } from './service.ts';

export const feature = defineFeature({
  name: 'audience/exclusions',
  about: 'Exclusion lists at every level, and whether someone is on one.',
  tables: ['exclusion', 'exclusion_error', 'exclusion_list'],
  reads: ['campaign'],
  create: (platform, below: Parameters<typeof createExclusions>[1]) => ({
    exclusions: createExclusions(platform, below),
  }),
  http({ exclusions }: { exclusions: Exclusions }) {
    const { handlers, plain } = exclusionsRoutes(exclusions);
    return { calls: [serve(contract.exclusions, handlers)], plain };
  },
  work: async ({ exclusions }: { exclusions: Exclusions }) => void (await startExclusions(exclusions)),
  exports,
});
