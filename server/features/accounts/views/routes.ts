import type { contract } from '../../../../contract/index.ts';
import { messages } from '../../../../contract/messages.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import type { ViewData, Views } from './service.ts';

/** The calls for looks and saved views. */
export function viewsRoutes(views: Views): Handlers<typeof contract.views> {
  const saved = { result: 'success' as const };
  return {
    mine: (ctx) => views.mine(ctx),
    async setLook(ctx, look) {
      await views.setLook(ctx, look);
      return { ...saved, message: messages.updated };
    },
    create: async (ctx, view) => ({
      ...saved,
      message: messages.added,
      id: await views.create(ctx, view),
    }),
    async update(ctx, { id, ...given }) {
      const change = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
      await views.update(ctx, id, change as Partial<ViewData>);
      return { ...saved, message: messages.updated };
    },
    async remove(ctx, { id }) {
      await views.remove(ctx, id);
      return { ...saved, message: messages.deleted };
    },
  };
}
