import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import type { Payments } from '../payments/index.ts';
import { exports } from './exports.ts';
import { dunningRoutes } from './routes.ts';
import { createDunning, type Dunning } from './service.ts';

export const feature = defineFeature({
  name: 'money/dunning',
  about: 'Collecting what is due: charging invoices, retries after a failure, settlement, packages.',
  tables: [],
  reads: ['company', 'company_billing', 'entry', 'invoice', 'package_choice', 'prepaid_auto', 'transfer'],
  create: (platform, below: Parameters<typeof createDunning>[1]) => ({
    dunning: createDunning(platform, below),
  }),
  http: ({ dunning, payments }: { dunning: Dunning; payments: Payments }) => ({
    calls: [serve(contract.dunning, dunningRoutes(dunning, payments))],
  }),
  work: async ({ dunning }: { dunning: Dunning }) => void (await dunning.start()),
  exports,
});
