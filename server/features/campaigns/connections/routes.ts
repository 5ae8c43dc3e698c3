import { Refusal } from '../../../../contract/errors.ts';
import type { contract } from '../../../../contract/index.ts';
import { messages } from '../../../../contract/messages.ts';
import type { Vendor } from '../../../integrations/index.ts';
import type { Handlers, PlainRoute } from '../../../platform/http/routes.ts';
import { HAND_OVER_HEADERS, handOverPage } from './hand-over.ts';
import { CALLBACK_PATH, type Connections, type CountedConnection, shownState } from './service.ts';

/** The calls of the feature. */
export function connectionsRoutes(connections: Connections): {
  handlers: Handlers<typeof contract.connections>;
  plain: PlainRoute[];
} {
  const handlers: Handlers<typeof contract.connections> = {
    vendors: async () => ({
      data: connections.vendors().map((vendor) => ({
        ...vendorInfo(vendor, connections.standIn(vendor.id)),
        sign_in: (connections.signIns.clientOf(vendor) && vendor.oauth?.provider) ?? null,
      })),
    }),
    list: async (ctx, { company_id, vendor }) => ({
      data: (await connections.list(ctx, company_id, vendor)).map((row) => wire(row, ctx.clock.now())),
    }),
    async create(ctx, input) {
      const row = await connections.create(ctx, input);
      return { result: 'success', message: `Connected to ${row.account}`, data: wire(row, ctx.clock.now()) };
    },
    async update(ctx, { id, ...given }) {
      const row = await connections.update(ctx, id, given);
      return { result: 'success', message: messages.changesSaved, data: wire(row, ctx.clock.now()) };
    },
    async remove(ctx, { id }) {
      await connections.remove(ctx, id);
      return { result: 'success', message: 'Disconnected' };
    },
    async test(ctx, { id }) {
      const row = await connections.test(ctx, id);
      return {
        result: 'success',
        message: `The connection to ${row.account} works`,
        data: wire(row, ctx.clock.now()),
      };
    },
    async checkConnect(ctx, { company_id }) {
      const data = (await connections.list(ctx, company_id, 'google-sheets')).map((row) =>
        wire(row, ctx.clock.now()),
      );
      return { connected: data.some(({ state }) => state === 'connected' || state === 'expiring'), data };
    },
    async revoke(ctx, { company_id }) {
      for (const { id } of await connections.list(ctx, company_id, 'google-sheets'))
        await connections.remove(ctx, id);
      return { result: 'success', message: 'Disconnected' };
    },
    choices: (ctx, { id }) => connections.choices(ctx, id),
    async signIn(ctx, input) {
      const url = await connections.signIn(ctx, input);
      return { result: 'success', message: 'Continue at the service', url };
    },
    async signedIn(ctx, input) {
      const row = await connections.signedIn(ctx, input);
      return { result: 'success', message: `Connected to ${row.account}`, data: wire(row, ctx.clock.now()) };
    },
  };
  /**
   * The one address that services know; the browser goes on to the tenant's host, where its session is, once the person
   * has agreed to that.
   */
  const callback: PlainRoute = {
    method: 'GET',
    url: CALLBACK_PATH,
    access: 'public',
    tag: 'Integrations',
    summary: 'Where services send a browser back to after signing in',
    async handler(_ctx, request, reply) {
      const query = request.query as Record<string, unknown>;
      const given = (name: string, most: number): string =>
        typeof query[name] === 'string' ? query[name].slice(0, most) : '';
      const state = given('state', 200);
      const to = await connections.signIns.returnTo(state);
      if (!to)
        throw new Refusal('not_found', 'This sign-in has expired. Start again from the Integrations page.');
      const code = given('code', 4000);
      const result: Record<string, string> = code
        ? { state, code }
        : { refused: given('error', 100) || 'no_code' };
      const url = new URL(to);
      for (const [name, value] of Object.entries(result)) url.searchParams.set(name, value);
      // A host of an agency's own may lead to the agency's own server by now, so the code goes there on somebody's word only.
      if (code)
        return reply
          .headers(HAND_OVER_HEADERS)
          .type('text/html; charset=utf-8')
          .send(handOverPage(connections.vendor(url.pathname.split('/').at(-1)!).name, url));
      return reply.header('Cache-Control', 'no-store').redirect(url.href, 303);
    },
  };
  return { handlers, plain: [callback] };
}

const wire = (row: CountedConnection, now: Date) => ({
  id: row.id,
  company_id: row.company_id,
  vendor: row.vendor,
  name: row.name,
  account: row.account,
  state: shownState(row, now),
  signed_in: row.auth === 'oauth',
  ends_at: row.ends_at?.toISOString() ?? null,
  state_reason: row.state_reason,
  held_until: row.held_until?.toISOString() ?? null,
  campaigns: Number(row.campaigns),
  waiting: Number(row.waiting),
  checked_at: row.checked_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
});

const vendorInfo = (vendor: Vendor, standIn: ReturnType<Connections['standIn']>) => ({
  id: vendor.id,
  name: vendor.name,
  summary: vendor.summary,
  category: vendor.category,
  steps: [...vendor.steps],
  unverified: vendor.isUnverified ?? false,
  noun: vendor.noun,
  credentials: vendor.credentials.map((field) => ({
    key: field.key,
    label: field.label,
    help: field.help,
    secret: field.isSecret,
    optional: field.isOptional ?? false,
    placeholder: field.placeholder ?? '',
  })),
  settings: vendor.settings.map((setting) => ({
    key: setting.key,
    label: setting.label,
    help: setting.help,
    kind: setting.kind,
    required: setting.isRequired ?? false,
  })),
  fields: vendor.fields.map((field) => ({
    key: field.key,
    label: field.label,
    from: field.from ?? '',
    required: field.isRequired ?? false,
  })),
  document: vendor.documents?.noun ?? null,
  own_fields: vendor.hasOwnFields ?? false,
  demo: standIn?.page ? { page: standIn.page, credentials: { ...standIn.credentials } } : null,
});
