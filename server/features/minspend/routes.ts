import type { contract } from '../../../contract/index.ts';
import { messages } from '../../../contract/messages.ts';
import type { Handlers } from '../../platform/http/routes.ts';
import type { MinimumSpend } from './service.ts';

/** The calls of the feature. */
export function minspendRoutes(minimumSpend: MinimumSpend): Handlers<typeof contract.minspend> {
  return {
    progress: (ctx, { company_id }) => minimumSpend.progress(ctx, company_id),
    user: (ctx, { company_id }) => minimumSpend.progress(ctx, company_id),
    exclude: async (ctx, { CompanyID }) => ({
      result: 'success',
      message: messages.minSpendToggled,
      exclude_minimum_spend: (await minimumSpend.exclude(ctx, CompanyID)) ? 1 : 0,
    }),
  };
}
