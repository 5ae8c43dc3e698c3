import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Invoices } from '../../money/invoices/index.ts';
import { exports } from './exports.ts';
import { analyticsRoutes } from './service.ts';

export const feature = defineFeature({
  name: 'campaigns/analytics',
  about: 'The numbers of the home page and the dashboards.',
  tables: [],
  reads: [
    'account',
    'account_balance',
    'campaign',
    'campaign_hour',
    'campaign_refusal',
    'client_transfer',
    'company',
    'delivery',
    'invoice',
    'invoice_wait',
  ],
  create: () => ({}),
  http: ({ tenants, invoices }: { tenants: Tenants; invoices: Invoices }, platform) => ({
    calls: [serve(contract.analytics, analyticsRoutes(platform, tenants, invoices))],
  }),
  exports,
});
