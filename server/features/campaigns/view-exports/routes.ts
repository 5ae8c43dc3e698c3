import type { contract } from '../../../../contract/index.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import type { ViewExports } from './service.ts';

/** The calls of scheduled exports. */
export function viewExportsRoutes(exports: ViewExports): Handlers<typeof contract.viewExports> {
  const done = (message: string) => ({ result: 'success' as const, message });
  return {
    async mine(ctx) {
      const { to, exports: rows } = await exports.mine(ctx);
      return {
        email: to.email,
        is_blocked: to.is_blocked,
        time_zone: to.time_zone,
        exports: rows.map((row) => ({
          ...row,
          every: row.every as 'day',
          form: row.form as 'CSV',
          next_at: row.next_at.toISOString(),
          sent_at: row.sent_at?.toISOString() ?? null,
        })),
      };
    },
    async set(ctx, { id, ...schedule }) {
      await exports.set(ctx, id, schedule);
      return done(ownMessages.viewScheduled);
    },
    async stop(ctx, { id }) {
      await exports.stop(ctx, id);
      return done(ownMessages.viewStopped);
    },
    send: async (ctx, { id, form }) => done(ownMessages.viewSent(await exports.send(ctx, id, form))),
  };
}
