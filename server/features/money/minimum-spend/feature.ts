import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Invoices } from '../invoices/index.ts';
import { exports } from './exports.ts';
import { startMinimumSpend } from './jobs.ts';
import { minimumSpendRoutes } from './routes.ts';
import { createMinimumSpend, type MinimumSpend } from './service.ts';

export const feature = defineFeature({
  name: 'money/minimum-spend',
  about: 'The minimum that an agency spends in a month, offered, accepted, and charged at its end.',
  tables: ['minspend_close', 'minspend_month', 'minspend_offer'],
  reads: ['company', 'company_billing', 'entry', 'minspend_choice', 'transfer'],
  create: (
    platform,
    below: Omit<Parameters<typeof createMinimumSpend>[1], 'bill' | 'invoices'> & { invoices: Invoices },
  ) => ({
    minimumSpend: createMinimumSpend(platform, { ...below, bill: below.invoices.bill }),
  }),
  http: ({ minimumSpend }: { minimumSpend: MinimumSpend }) => ({
    calls: [serve(contract.minimumSpend, minimumSpendRoutes(minimumSpend))],
  }),
  work: async ({ minimumSpend, tenants }: { minimumSpend: MinimumSpend; tenants: Tenants }, { jobs }) =>
    void (await startMinimumSpend(minimumSpend, tenants, jobs)),
  exports,
});
