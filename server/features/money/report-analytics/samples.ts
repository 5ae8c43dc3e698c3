import { app, type Principal, type Samples } from '../../../test/samples.ts';

/** A call that a root's administrators need a permission of their own for, which this one is given. */
const reporting = (path: string) => ({
  named: false,
  request: async (_: unknown, who: Principal | undefined) => {
    if (who?.grade === 'root.administrator')
      await app.admin.query(
        `update user_account set permission_active = true, permissions = '[{"name": "report_analytics", "active": true}]' where id = $1`,
        [who.userId],
      );
    return { url: `/api/configuration/${path}` };
  },
});

export const samples: Samples = {
  'GET /api/configuration/report-analytics': reporting('report-analytics'),
  'GET /api/configuration/root-revenue/:start/:end': reporting('root-revenue/2026-03-01/2026-03-31'),
  'GET /api/configuration/agencies-report': reporting('agencies-report'),
  'GET /api/configuration/clients-report': reporting('clients-report'),
  'GET /api/configuration/report-growth': reporting('report-growth'),
  'GET /api/configuration/get-under-perform-campaigns': reporting('get-under-perform-campaigns'),
};
