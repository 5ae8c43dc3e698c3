import type { contract } from '../../../../contract/index.ts';
import { messages } from '../../../../contract/messages.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import { page } from '../../../platform/page.ts';
import type { Banners } from './service.ts';

/** The calls of banners. */
export function bannerRoutes(banners: Banners): Handlers<typeof contract.banners> {
  return {
    async list(ctx, input) {
      const { rows, total } = await banners.list(ctx, {
        companyId: input.company_id,
        search: input.search,
        limit: input.per_page,
        offset: (input.page - 1) * input.per_page,
      });
      return page(rows, total, input);
    },
    details: (ctx, { id }) => banners.details(ctx, id),
    create: async (ctx, input) => ({
      result: 'success',
      message: messages.added,
      data: await banners.create(ctx, input),
    }),
    update: async (ctx, input) => ({
      result: 'success',
      message: messages.updated,
      data: await banners.update(ctx, input),
    }),
    async remove(ctx, { id }) {
      await banners.remove(ctx, id);
      return { result: 'success', message: messages.updated };
    },
  };
}
