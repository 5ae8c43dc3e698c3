import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { marginsRoutes } from './routes.ts';
import { createMargins, type Margins } from './service.ts';

export const feature = defineFeature({
  name: 'money/margins',
  about: 'What an agency keeps of each price, and what happens when it would lose.',
  tables: [],
  reads: ['campaign', 'company', 'wholesale_cost'],
  create: (platform, below: Parameters<typeof createMargins>[1]) => ({
    margins: createMargins(platform, below),
  }),
  http: ({ margins }: { margins: Margins }) => ({ calls: [serve(contract.margins, marginsRoutes(margins))] }),
  work: async ({ margins }: { margins: Margins }) => void (await margins.start()),
});
