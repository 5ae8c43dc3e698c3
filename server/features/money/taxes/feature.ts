import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { createStripeTax } from '../../../providers/stripe/tax.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import { exports } from './exports.ts';
import { startTaxes } from './jobs.ts';
import { taxesRoutes } from './routes.ts';
import { createTaxes, type Taxes } from './service.ts';

export const feature = defineFeature({
  name: 'money/taxes',
  about: 'Sales tax on invoices, from the root’s own rates or from Stripe Tax.',
  tables: ['tax_profile', 'tax_quote', 'tax_rate', 'tax_reversal', 'tax_setting'],
  reads: ['company'],
  create(platform, below: Omit<Parameters<typeof createTaxes>[1], 'service'>) {
    const { stripe } = platform.config;
    return { taxes: createTaxes(platform, { ...below, service: stripe && createStripeTax(stripe) }) };
  },
  http: ({ taxes }: { taxes: Taxes }) => ({ calls: [serve(contract.taxes, taxesRoutes(taxes))] }),
  work: async ({ taxes, tenants }: { taxes: Taxes; tenants: Tenants }, { jobs }) =>
    void (await startTaxes(taxes, tenants, jobs)),
  exports,
});
