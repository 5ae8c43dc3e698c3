import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { reportSchedulePlain } from './routes.ts';
import { createReportSchedules, type ReportSchedules } from './service.ts';

export const feature = defineFeature({
  name: 'money/report-schedules',
  about: 'Reports by email: a report as a PDF, weekly or monthly, to users of its company.',
  tables: ['report_schedule'],
  reads: ['company', 'user_account'],
  create: (platform, below: Parameters<typeof createReportSchedules>[1]) => ({
    reportSchedules: createReportSchedules(platform, below),
  }),
  http: ({ reportSchedules }: { reportSchedules: ReportSchedules }) => ({
    calls: [serve(contract.reportSchedules, reportSchedules.routes)],
    plain: reportSchedulePlain(reportSchedules),
  }),
  work: async ({ reportSchedules }: { reportSchedules: ReportSchedules }) =>
    void (await reportSchedules.start()),
});
