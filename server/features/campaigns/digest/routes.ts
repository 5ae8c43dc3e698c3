import type { contract } from '../../../../contract/index.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import type { Digests } from './service.ts';

/** The calls of the digest. */
export function digestRoutes(digests: Digests): Handlers<typeof contract.digest> {
  const done = (message: string) => ({ result: 'success' as const, message });
  return {
    async get(ctx) {
      const { wants, is_blocked, email, next, time_zone } = await digests.get(ctx);
      return { is_on: wants, is_blocked, email, next_at: next.toISOString(), time_zone };
    },
    async choose(ctx, { is_on: isOn }) {
      await digests.choose(ctx, isOn);
      return done(isOn ? ownMessages.digestOn : ownMessages.digestOff);
    },
    async preview(ctx) {
      const { week, told } = await digests.preview(ctx);
      return {
        starts_on: week.first,
        ends_on: week.last,
        subject: told?.subject ?? null,
        sentences: told?.sentences ?? [],
      };
    },
    send: async (ctx) => done(ownMessages.digestSent(await digests.send(ctx))),
  };
}
