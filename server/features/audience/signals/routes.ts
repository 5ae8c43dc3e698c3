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
      if (!input.target_location)
        throw new Refusal('invalid', 'target_location: is required', {
          errors: { target_location: ['is required'] },
        });
      const search = {
        location: input.target_location,
        states: input.states,
        cities: input.cities,
        zips: input.zip_code,
        keywords: input.keyword ?? '',
      };
      const data = await counts.queue(ctx, {
        search,
        audience: input,
        module: input.leadspeekType,
        rules: rulesStored(input, input.leadspeekType ?? 'locator'),
        isTold: input.tell === 'T',
        companyId: input.companyID,
        campaignId: input.leadspeekID,
      });
      return { ...done(intentMessages.queued), data };
    },
    getCount: (ctx, { id }) => counts.get(ctx, id),
    async history(ctx, input) {
      const { rows, total, pending } = await counts.list(ctx, {
        companyId: input.companyID,
        campaignId: input.leadspeekID,
        search: input.searchQuery,
        sort: input.sortby ?? 'created_at',
        order: input.order ?? 'desc',
        limit: input.PerPage,
        offset: (input.Page - 1) * input.PerPage,
      });
      return { ...page(rows, total, input), processing: pending };
    },
    applyCount: async (ctx, { id, leadspeekID }) => ({
      ...done(intentMessages.applied),
      data: await counts.apply(ctx, id, leadspeekID),
    }),
    forecast: (ctx, { leadspeekID }) => counts.forecast(ctx, leadspeekID),
  };
}
