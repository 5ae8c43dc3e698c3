import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import { exports } from './exports.ts';
import { startSignals } from './jobs.ts';
import { signalsRoutes } from './routes.ts';
import { createSignals, type Signals } from './service.ts';

export const feature = defineFeature({
  name: 'audience/signals',
  about: 'Signals: keyword counts, and the people who become candidates of campaigns.',
  tables: ['intent_candidate', 'intent_count', 'intent_match'],
  reads: [
    'campaign',
    'campaign_keyword',
    'campaign_place',
    'campaign_target',
    'company',
    'intent_phrase',
    'intent_term',
    'keyword_allowance',
    'person',
    'person_merge',
    'person_profile',
    'signal',
    'signal_batch',
  ],
  create: (platform, below: Parameters<typeof createSignals>[1]) => ({
    signals: createSignals(platform, below),
  }),
  http: ({ signals }: { signals: Signals }) => ({ calls: [serve(contract.signals, signalsRoutes(signals))] }),
  work: async ({ signals, tenants }: { signals: Signals; tenants: Tenants }, platform) =>
    void (await startSignals(signals, tenants, platform)),
  exports,
});
