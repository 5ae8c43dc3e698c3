import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Ledger } from '../ledger/index.ts';
import { exports } from './exports.ts';
import { reportAnalyticsRoutes } from './service.ts';

export const feature = defineFeature({
  name: 'money/report-analytics',
  about:
    'Revenue, growth, and value of a root’s agencies and of an agency’s clients, and what under-performs.',
  tables: [],
  reads: ['campaign', 'campaign_hour', 'company', 'delivery', 'invoice', 'return_request', 'user_account'],
  create: () => ({}),
  http: ({ tenants, ledger }: { tenants: Tenants; ledger: Ledger }, platform) => ({
    calls: [serve(contract.reportAnalytics, reportAnalyticsRoutes(platform, tenants, ledger))],
  }),
  exports,
});
