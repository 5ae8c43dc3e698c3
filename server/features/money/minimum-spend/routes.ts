import type { contract } from '../../../../contract/index.ts';
import { messages } from '../../../../contract/messages.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import { page } from '../../../platform/page.ts';
import type { MinimumSpend } from './service.ts';

/** The routes of the feature. */
export function minimumSpendRoutes(minimumSpend: MinimumSpend): Handlers<typeof contract.minimumSpend> {
  return {
    progress: (ctx, { company_id }) => minimumSpend.progress(ctx, company_id),
    user: (ctx, { company_id }) => minimumSpend.progress(ctx, company_id),
    async accept(ctx, { id }) {
      await minimumSpend.offers.accept(ctx, id);
      return { result: 'success', message: 'The minimum spend was accepted.' };
    },
    async offers(ctx, input) {
      const { rows, total } = await minimumSpend.offers.list(
        ctx,
        input.search ?? '',
        input.per_page,
        (input.page - 1) * input.per_page,
      );
      return page(rows, total, input);
    },
    async remind(ctx, { id }) {
      await minimumSpend.offers.remind(ctx, id);
      return { result: 'success', message: 'The reminder was sent.' };
    },
    exclude: async (ctx, { company_id }) => ({
      result: 'success',
      message: messages.minSpendToggled,
      excluded_minimum_spend: (await minimumSpend.exclude(ctx, company_id)) ? 1 : 0,
    }),
  };
}
