import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { exports } from './exports.ts';
import { spendingLimitsRoutes } from './routes.ts';
import { createSpendingLimits, type SpendingLimits } from './service.ts';

export const feature = defineFeature({
  name: 'money/spending-limits',
  about: 'Hard and soft limits on what a company, client, or campaign spends in a day or month.',
  tables: ['cap', 'cap_event', 'spend_day'],
  reads: ['account', 'account_balance', 'campaign', 'company'],
  create: (platform, below: Parameters<typeof createSpendingLimits>[1]) => ({
    spendingLimits: createSpendingLimits(platform, below),
  }),
  http: ({ spendingLimits }: { spendingLimits: SpendingLimits }) => ({
    calls: [serve(contract.spendingLimits, spendingLimitsRoutes(spendingLimits))],
  }),
  work: async ({ spendingLimits }: { spendingLimits: SpendingLimits }) => void (await spendingLimits.start()),
  exports,
});
