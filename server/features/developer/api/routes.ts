import type { contract } from '../../../../contract/index.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import { page } from '../../../platform/page.ts';
import type { Developer } from './service.ts';
import { replay } from './v1.replay.ts';
import { endpointOf, messageDetailOf, messageOf } from './v1.shapes.ts';

/** The calls of the developer page. */
export function developerRoutes(developer: Developer): Handlers<typeof contract.developer> {
  const { hooks } = developer.api;
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
    async setKeyVersion(ctx, { id, version }) {
      const data = await developer.setVersion(ctx, id, version);
      return { ...done(ownMessages.keyVersionSet(version)), data };
    },
    appAsked: async (ctx, asked) => developer.oauth.asked(ctx, asked),
    async allowApp(ctx, { scopes, mode, ...asked }) {
      const redirect_to = await developer.oauth.allow(ctx, asked, { scopes, mode });
      return { ...done(ownMessages.appAllowed), redirect_to };
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
    async hooks(ctx) {
      return { data: (await hooks.list(ctx)).map((row) => endpointOf(row, ctx.clock.now())) };
    },
    async makeHook(ctx, given) {
      const { row, secret } = await hooks.create(ctx, given);
      return { ...done(ownMessages.hookMade), data: endpointOf(row, ctx.clock.now()), secret };
    },
    async changeHook(ctx, { id, ...given }) {
      const row = await hooks.update(ctx, id, given);
      return { ...done(ownMessages.hookChanged), data: endpointOf(row, ctx.clock.now()) };
    },
    async rotateHook(ctx, { id }) {
      const { row, secret } = await hooks.rotate(ctx, id);
      return { ...done(ownMessages.hookRotated), data: endpointOf(row, ctx.clock.now()), secret };
    },
    async removeHook(ctx, { id }) {
      await hooks.remove(ctx, id);
      return done(ownMessages.hookRemoved);
    },
    async testHook(ctx, { id, type }) {
      const data = messageDetailOf(await hooks.message(ctx, await hooks.test(ctx, id, type)));
      const isGood = data.status === 'delivered';
      return { ...done(isGood ? ownMessages.hookTested : ownMessages.hookTestFailed), data };
    },
    async recoverHook(ctx, { id, since }) {
      const messages = await hooks.recover(ctx, id, new Date(since));
      return { ...done(ownMessages.hookRecovered(messages)), messages };
    },
    async hookMessages(ctx, { id, status, ...input }) {
      const { rows, total } = await hooks.page(ctx, { hookId: id, state: status }, input);
      const wire = rows.map((row) => ({
        ...messageOf(row),
        last_status: row.last_status,
        last_error: row.last_error,
      }));
      return page(wire, total, input);
    },
    async hookMessage(ctx, { id }) {
      const row = await hooks.message(ctx, id);
      return { ...messageDetailOf(row), body: await hooks.body(ctx, id) };
    },
    async resendMessage(ctx, { id }) {
      await hooks.resend(ctx, id);
      return done(ownMessages.hookResent);
    },
    request: (ctx, { id }) => developer.requests.one(ctx, id),
    replayRequest: (ctx, { id }) => replay(developer, ctx, id),
  };
}
