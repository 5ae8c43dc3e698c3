import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { exports } from './exports.ts';
import { createReportAnalytics, type ReportAnalytics } from './service.ts';

export const feature = defineFeature({
  name: 'money/report-analytics',
  about:
    'Revenue, growth, and value of a root’s agencies and of an agency’s clients, and what under-performs.',
  tables: [],
  reads: ['campaign', 'campaign_hour', 'company', 'delivery', 'invoice', 'return_request', 'user_account'],
  create: (platform, below: Parameters<typeof createReportAnalytics>[1]) => ({
    reportAnalytics: createReportAnalytics(platform, below),
  }),
  http: ({ reportAnalytics }: { reportAnalytics: ReportAnalytics }) => ({
    calls: [serve(contract.reportAnalytics, reportAnalytics.calls)],
  }),
  exports,
});
