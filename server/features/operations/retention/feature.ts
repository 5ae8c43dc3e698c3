import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { exports } from './exports.ts';
import { createRetention, type Retention } from './service.ts';

export const feature = defineFeature({
  name: 'operations/retention',
  about: 'How long each kind of data is kept, and the job that deletes what is older.',
  tables: ['retention'],
  reads: [],
  create: (platform, below: Parameters<typeof createRetention>[1]) => ({
    retention: createRetention(platform, below),
  }),
  http: ({ retention }: { retention: Retention }) => ({
    calls: [
      serve(contract.retention, {
        list: (ctx, input) => retention.list(ctx, input),
        preview: (ctx, input) => retention.preview(ctx, input),
        change: (ctx, input) => retention.change(ctx, input),
        horizons: () => retention.horizons(),
      }),
    ],
  }),
  work: async ({ retention }: { retention: Retention }) => void (await retention.start()),
  exports,
});
