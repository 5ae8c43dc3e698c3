import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { silenceRoutes } from './routes.ts';
import { createSilences, type Silences } from './service.ts';

export const feature = defineFeature({
  name: 'campaigns/silence',
  about: 'Emails to clients, once, when a site goes silent.',
  tables: ['silence_choice', 'silence_told'],
  reads: ['campaign', 'campaign_hour', 'campaign_refusal', 'company', 'user_account'],
  create: (platform, below: Parameters<typeof createSilences>[1]) => ({
    silences: createSilences(platform, below),
  }),
  http: ({ silences }: { silences: Silences }) => ({
    calls: [serve(contract.silence, silenceRoutes(silences))],
  }),
  work: async ({ silences }: { silences: Silences }) => void (await silences.start()),
});
