import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { createDrop as connectDrop } from '../../../providers/drop/index.ts';
import { createSimulatedDrop } from '../../../providers/drop/simulated.ts';
import { exports } from './exports.ts';
import { dropRoutes } from './routes.ts';
import { createDrop, type Drop } from './service.ts';

export const feature = defineFeature({
  name: 'audience/drop',
  about: 'California’s deletion lists: downloaded, kept as exclusions, fulfilled, and answered.',
  tables: ['drop_account', 'drop_batch', 'drop_entry', 'drop_event', 'drop_match'],
  reads: ['identity_key', 'person_merge', 'user_account'],
  create: (platform, below: Omit<Parameters<typeof createDrop>[1], 'platforms'>) => ({
    drop: createDrop(platform, {
      ...below,
      platforms: {
        simulated: createSimulatedDrop,
        real: (mode, apiKey) =>
          connectDrop({
            base: `${platform.config.dropApiBase}${mode === 'sandbox' ? '/sandbox' : ''}`,
            apiKey,
          }),
      },
    }),
  }),
  http: ({ drop }: { drop: Drop }) => ({ calls: [serve(contract.drop, dropRoutes(drop))] }),
  work: async ({ drop }: { drop: Drop }) => void (await drop.work()),
  exports,
});
