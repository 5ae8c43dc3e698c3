import type { contract } from '../../../../contract/index.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import type { AdAttribution } from './service.ts';

/** The calls of ads' reports. */
export function adReportRoutes(ads: AdAttribution): Handlers<typeof contract.adReports> {
  return {
    stats: async (ctx, input) => ({ data: await ads.stats(ctx, input) }),
    report: (ctx, input) => ads.report(ctx, input),
  };
}
