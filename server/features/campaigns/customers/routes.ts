import type { contract } from '../../../../contract/index.ts';
import { messages } from '../../../../contract/messages.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import { page } from '../../../platform/page.ts';
import type { Customers } from './service.ts';

/** The calls of known customers. */
export function customersRoutes(customers: Customers): Handlers<typeof contract.customers> {
  return {
    sources: async (ctx, input) => ({ data: await customers.sources(ctx, input) }),
    connect: async (ctx, input) => ({
      result: 'success',
      message: messages.added,
      data: await customers.connect(ctx, input),
    }),
    async refresh(ctx, { id }) {
      await customers.refreshSoon(ctx, id);
      return { result: 'success', message: 'The list is being refreshed.' };
    },
    async visits(ctx, { level, owner_id, ...asked }) {
      const { rows, total } = await customers.visits(
        ctx,
        { level, owner_id },
        { limit: asked.per_page, offset: (asked.page - 1) * asked.per_page },
      );
      return page(
        rows.map(({ label, first_at, at, ...row }) => ({
          ...row,
          customer: label,
          first_at: first_at.toISOString(),
          at: at.toISOString(),
        })),
        total,
        asked,
      );
    },
  };
}
