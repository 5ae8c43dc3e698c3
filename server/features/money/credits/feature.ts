import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { creditsRoutes } from './routes.ts';
import { type Credits, createCredits } from './service.ts';

export const feature = defineFeature({
  name: 'money/credits',
  about: 'Refunds of single leads and credit granted by hand.',
  tables: ['credit'],
  reads: ['campaign', 'company', 'lead'],
  create: (platform, below: Parameters<typeof createCredits>[1]) => ({
    credits: createCredits(platform, below),
  }),
  http: ({ credits }: { credits: Credits }) => ({ calls: [serve(contract.credits, creditsRoutes(credits))] }),
});
