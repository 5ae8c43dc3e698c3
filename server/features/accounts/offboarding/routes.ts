import type { contract } from '../../../../contract/index.ts';
import { messages } from '../../../../contract/messages.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import { page } from '../../../platform/page.ts';
import type { Offboarding } from './service.ts';

/** The calls of the feature. */
export function offboardingRoutes(offboarding: Offboarding): Handlers<typeof contract.offboarding> {
  const done = (message: string) => ({ result: 'success' as const, message });
  return {
    async list(ctx, { search, ...asked }) {
      const { rows, total } = await offboarding.list(
        ctx,
        search,
        asked.per_page,
        (asked.page - 1) * asked.per_page,
      );
      return page(rows, total, asked);
    },
    one: (ctx, { id }) => offboarding.one(ctx, id),
    async start(ctx, { id, ...given }) {
      await offboarding.start(ctx, id, given);
      return done('The offboarding has started.');
    },
    async change(ctx, { id, ...given }) {
      await offboarding.change(ctx, id, given);
      return done(messages.updated);
    },
    async exported(ctx, { id }) {
      await offboarding.exported(ctx, id);
      return done('Confirmed.');
    },
    async resume(ctx, { id }) {
      await offboarding.resume(ctx, id);
      return done('The offboarding goes on.');
    },
    async cancel(ctx, { id }) {
      await offboarding.cancel(ctx, id);
      return done('The offboarding was canceled.');
    },
  };
}
