import { intentMessages } from '../../../../contract/audience/signals-messages.ts';
import { rulesStored } from '../../../../contract/campaigns/campaign-rules.ts';
import { Refusal } from '../../../../contract/errors.ts';
import type { contract } from '../../../../contract/index.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import { page } from '../../../platform/page.ts';
import type { Signals } from './service.ts';

/** The calls of the feature. */
export function signalsRoutes({ counts }: Signals): Handlers<typeof contract.signals> {
  const done = (message: string) => ({ result: 'success' as const, message });
  return {
    async queueCount(ctx, input) {
      if (input.id) return { ...done(intentMessages.queued), data: await counts.retry(ctx, input.id) };
      if (!input.location)
        throw new Refusal('invalid', 'location: is required', {
          errors: { location: ['is required'] },
        });
      const search = {
        location: input.location,
        states: input.states,
        cities: input.cities,
        zips: input.zips,
        keywords: input.keyword ?? '',
      };
      const data = await counts.queue(ctx, {
        search,
        audience: input,
        module: input.module,
        rules: rulesStored(input, input.module ?? 'locator'),
        isTold: input.tell === 'T',
        companyId: input.company_id,
        campaignId: input.campaign_id,
      });
      return { ...done(intentMessages.queued), data };
    },
    getCount: (ctx, { id }) => counts.get(ctx, id),
    async history(ctx, input) {
      const { rows, total, pending } = await counts.list(ctx, {
        companyId: input.company_id,
        campaignId: input.campaign_id,
        search: input.search,
        sort: input.sort ?? 'created_at',
        order: input.order ?? 'desc',
        limit: input.per_page,
        offset: (input.page - 1) * input.per_page,
      });
      return { ...page(rows, total, input), processing: pending };
    },
    applyCount: async (ctx, { id, campaign_id }) => ({
      ...done(intentMessages.applied),
      data: await counts.apply(ctx, id, campaign_id),
    }),
    forecast: (ctx, { campaign_id }) => counts.forecast(ctx, campaign_id),
  };
}
