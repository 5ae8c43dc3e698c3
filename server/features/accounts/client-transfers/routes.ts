import type { contract } from '../../../../contract/index.ts';
import { messages } from '../../../../contract/messages.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import { page } from '../../../platform/page.ts';
import type { ClientTransfers } from './service.ts';

/** The calls of the feature. */
export function clientTransferRoutes(transfers: ClientTransfers): Handlers<typeof contract.clientTransfers> {
  const done = (message: string) => ({ result: 'success' as const, message });
  return {
    async list(ctx, { search, ...asked }) {
      const { rows, total } = await transfers.list(
        ctx,
        search,
        asked.per_page,
        (asked.page - 1) * asked.per_page,
      );
      return page(rows, total, asked);
    },
    one: (ctx, { id }) => transfers.one(ctx, id),
    // Says the same whether or not there is an agency with that address.
    start: async (ctx, given) => ({
      ...done('The transfer has started. It waits until everyone agrees.'),
      data: { id: await transfers.start(ctx, given) },
    }),
    async agree(ctx, { id, keep_balance }) {
      await transfers.agree(ctx, id, keep_balance);
      return done('You agreed.');
    },
    async end(ctx, { id }) {
      await transfers.end(ctx, id);
      return done(messages.updated);
    },
    async resume(ctx, { id, keep_balance }) {
      await transfers.resume(ctx, id, keep_balance);
      return done('The transfer goes on.');
    },
  };
}
