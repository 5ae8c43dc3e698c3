import { defineFeature } from '../../../platform/feature.ts';
import { createBilling } from './service.ts';

export const feature = defineFeature({
  name: 'money/billing',
  about: 'Selling a lead: who pays what from where, and how a company is billed.',
  tables: ['company_billing', 'package_choice'],
  reads: [],
  create: (platform, below: Omit<Parameters<typeof createBilling>[0], 'events'>) => ({
    billing: createBilling({ ...below, events: platform.events }),
  }),
});
