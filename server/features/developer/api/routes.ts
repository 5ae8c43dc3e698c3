import type { contract } from '../../../../contract/index.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import { page } from '../../../platform/page.ts';
import type { Developer } from './service.ts';
import type { Api } from './v1.api.ts';
import { replay } from './v1.replay.ts';

/** The calls of the developer page. */
export function developerRoutes(developer: Developer, api: Api): Handlers<typeof contract.developer> {
  const done = (message: string) => ({ result: 'success' as const, message });
  return {
    async getAuthenticateOpenApi(ctx, { company_id }) {
      const key = await developer.newest(ctx, company_id);
      return {
        data: { status: key ? 'success' : 'empty' },
        user: { client_id: key?.client_id ?? '', secret_key: key?.secret_hint ?? '' },
        base_url: developer.urls(ctx).base_url,
      };
    },
    async generateAuthenticateOpenApi(ctx, { company_id, email }) {
      const { clientId, secret } = await developer.generate(ctx, company_id, email);
      return {
        message: messages.keyGenerated,
        data: { status: 'success' },
        user: { client_id: clientId, secret_key: secret },
        base_url: developer.urls(ctx).base_url,
      };
    },
    keys: async (ctx) => ({ ...(await developer.list(ctx)), ...developer.urls(ctx) }),
    async makeKey(ctx, given) {
      const { key, secret } = await developer.make(ctx, given);
      return { ...done(ownMessages.keyMade), data: key, secret_key: secret };
    },
    async rotateKey(ctx, { id, overlap_minutes }) {
      const { key, secret } = await developer.rotate(ctx, id, overlap_minutes);
      return { ...done(ownMessages.keyRotated), data: key, secret_key: secret };
    },
    async disableKey(ctx, { id, disabled }) {
      const data = await developer.setDisabled(ctx, id, disabled === 'T');
      return { ...done(disabled === 'T' ? ownMessages.keyDisabled : ownMessages.keyEnabled), data };
    },
    async deleteKey(ctx, { id }) {
      await developer.remove(ctx, id);
      return done(ownMessages.keyDeleted);
    },
    async requests(ctx, input) {
      const { rows, total } = await developer.requests.page(ctx, {
        ...input,
        keyId: input.key_id,
      });
      return page(rows, total, input);
    },
    request: (ctx, { id }) => developer.requests.one(ctx, id),
    replayRequest: (ctx, { id }) => replay(developer, api, ctx, id),
  };
}
