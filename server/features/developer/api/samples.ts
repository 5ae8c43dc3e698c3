import { app, type Samples, type Target, targets } from '../../../test/samples.ts';
import { apiRoutes } from './v1.routes.ts';

/** What an app asks an owner for. */
const appAsked = () => ({
  client_id: app.platform.vault.seal(
    JSON.stringify({ client_name: 'M', redirect_uris: ['https://app.example.com/'] }),
    'developer.app',
  ),
  redirect_uri: 'https://app.example.com/',
  response_type: 'code',
  code_challenge: 'x'.repeat(43),
  code_challenge_method: 'S256',
});

/** A key of the target's agency, with its canary as the name; the agency has developer mode. */
async function developerKey({ client, canary }: Target): Promise<string> {
  const { rows } = await app.admin.query('select id from user_account where company_id = $1 limit 1', [
    client.agency_id,
  ]);
  const agency = { ...client, id: client.agency_id! };
  const makerId = rows[0]?.id ?? (await app.make.user(agency)).id;
  await app.make.developer(agency, makerId);
  // Another sample may have made a payment fail; the number of keys is limited.
  await app.make.terms(agency, { payment_status: '' });
  await app.admin.query('delete from developer_key where company_id = $1', [agency.id]);
  const made = await app.admin.query(
    `insert into developer_key (id, root_id, agency_id, company_id, maker_id, name, mode, client_id, secret_hash, secret_end, scopes, version, created_at)
     values (gen_random_uuid(), $1, $2, $2, $3, $4, 'live', gen_random_uuid()::text, sha256(gen_random_uuid()::text::bytea), 'abcd', '{}', '2026-12-01', now())
     returning id`,
    [client.root_id, client.agency_id, makerId, canary],
  );
  return made.rows[0].id;
}

/** A webhook endpoint of a target's agency, with a message that failed; its others are removed. */
async function hookOf({ client, canary }: Target): Promise<{ id: string; messageId: string }> {
  const own = [client.root_id, client.agency_id];
  await app.admin.query(`update developer_hook set state = 'removed' where company_id = $1`, [
    client.agency_id,
  ]);
  const hook = await app.admin.query(
    `insert into developer_hook (id, root_id, agency_id, company_id, url, description, types, state, secret_sealed, version, created_at, updated_at)
     values (gen_random_uuid(), $1, $2, $2, 'https://example.com/', $3, '{*}', 'enabled', '', '2026-12-01', now(), now()) returning id`,
    [...own, canary],
  );
  const message = await app.admin.query(
    `insert into developer_message (id, root_id, agency_id, company_id, hook_id, type, object_id, message_id, state, event_key, created_at)
     values (gen_random_uuid(), $1, $2, $2, $3, 'client.created', $4, gen_random_uuid()::text, 'failed', 'matrix', now()) returning id`,
    [...own, hook.rows[0].id, client.id],
  );
  return { id: hook.rows[0].id, messageId: message.rows[0].id };
}

/** A logged request with a target's API key. */
async function loggedRequest(target: Target): Promise<string> {
  const { rows } = await app.admin.query(
    `insert into developer_request (id, root_id, agency_id, company_id, key_id, mode, method, route, path, status, duration_ms, at)
     select gen_random_uuid(), root_id, agency_id, company_id, id, mode, 'GET', '/v1/clients', '/v1/clients', 200, 1, now()
     from developer_key where id = $1 returning id`,
    [await developerKey(target)],
  );
  return rows[0].id;
}

export const samples: Samples = {
  'GET /api/client.tgz': { named: false, request: () => ({ url: '/api/client.tgz' }) },
  'GET /api/developer.json': { named: false, request: () => ({ url: '/api/developer.json' }) },
  'GET /api/general/open-api/:companyID': {
    named: true,
    request: (t) => ({ url: `/api/general/open-api/${t.client.agency_id}` }),
  },
  'POST /api/general/open-api': {
    named: true,
    request: async (t, who) => {
      await developerKey(t);
      const { rows } = await app.admin.query('select email from user_account where id = $1', [who?.userId]);
      await app.admin.query('update developer_key set disabled_at = now() where company_id = $1', [
        t.client.agency_id,
      ]);
      const email = rows[0]?.email ?? 'nobody@x.test';
      return { url: '/api/general/open-api', body: { companyID: t.client.agency_id, email } };
    },
  },
  'GET /api/developer/keys': { named: false, request: () => ({ url: '/api/developer/keys' }) },
  'POST /api/developer/keys': {
    named: false,
    request: async () => {
      for (const target of targets) await developerKey(target);
      return { url: '/api/developer/keys', body: { name: 'M', mode: 'test', scopes: ['leads.read'] } };
    },
  },
  'GET /api/developer/apps/asked': {
    named: false,
    request: () => ({ url: `/api/developer/apps/asked?${new URLSearchParams(appAsked())}` }),
  },
  'POST /api/developer/apps': {
    named: false,
    request: async () => {
      for (const target of targets) await developerKey(target);
      return { url: '/api/developer/apps', body: { ...appAsked(), scopes: ['leads.read'], mode: 'test' } };
    },
  },
  'PUT /api/developer/keys/:id/version': {
    named: true,
    request: async (t) => ({
      url: `/api/developer/keys/${await developerKey(t)}/version`,
      body: { version: '2026-12-08' },
    }),
  },
  'POST /api/developer/keys/:id/rotate': {
    named: true,
    request: async (t) => ({ url: `/api/developer/keys/${await developerKey(t)}/rotate`, body: {} }),
  },
  'PUT /api/developer/keys/:id': {
    named: true,
    request: async (t) => ({
      url: `/api/developer/keys/${await developerKey(t)}`,
      body: { disabled: 'T' },
    }),
  },
  'DELETE /api/developer/keys/:id': {
    named: true,
    request: async (t) => ({ url: `/api/developer/keys/${await developerKey(t)}` }),
  },
  'GET /api/developer/hooks': { named: false, request: () => ({ url: '/api/developer/hooks' }) },
  'POST /api/developer/hooks': {
    named: false,
    request: async () => {
      for (const target of targets) await hookOf(target);
      return { url: '/api/developer/hooks', body: { url: 'https://example.com/hook', types: ['*'] } };
    },
  },
  'PUT /api/developer/hooks/:id': {
    named: true,
    request: async (t) => ({
      url: `/api/developer/hooks/${(await hookOf(t)).id}`,
      body: { description: 'M' },
    }),
  },
  'POST /api/developer/hooks/:id/rotate': {
    named: true,
    request: async (t) => ({ url: `/api/developer/hooks/${(await hookOf(t)).id}/rotate`, body: {} }),
  },
  'POST /api/developer/hooks/:id/test': {
    named: true,
    request: async (t) => ({
      url: `/api/developer/hooks/${(await hookOf(t)).id}/test`,
      body: { type: 'lead.accepted' },
    }),
  },
  'POST /api/developer/hooks/:id/recover': {
    named: true,
    request: async (t) => ({
      url: `/api/developer/hooks/${(await hookOf(t)).id}/recover`,
      body: { since: '2026-01-01T00:00:00Z' },
    }),
  },
  'GET /api/developer/hooks/:id/messages': {
    named: true,
    request: async (t) => ({ url: `/api/developer/hooks/${(await hookOf(t)).id}/messages` }),
  },
  'GET /api/developer/messages/:id': {
    named: true,
    request: async (t) => ({ url: `/api/developer/messages/${(await hookOf(t)).messageId}` }),
  },
  'POST /api/developer/messages/:id/resend': {
    named: true,
    request: async (t) => ({
      url: `/api/developer/messages/${(await hookOf(t)).messageId}/resend`,
      body: {},
    }),
  },
  'DELETE /api/developer/hooks/:id': {
    named: true,
    request: async (t) => ({ url: `/api/developer/hooks/${(await hookOf(t)).id}` }),
  },
  'GET /api/developer/requests': { named: false, request: () => ({ url: '/api/developer/requests' }) },
  'GET /api/developer/requests/:id': {
    named: true,
    request: async (t) => ({ url: `/api/developer/requests/${await loggedRequest(t)}` }),
  },
  'POST /api/developer/requests/:id/replay': {
    named: true,
    request: async (t) => ({ url: `/api/developer/requests/${await loggedRequest(t)}/replay`, body: {} }),
  },
  'POST /oauth/token': {
    named: false,
    request: () => ({ url: '/oauth/token', body: {} }),
    passes: [400],
  },
  'POST /oauth/register': {
    named: false,
    request: () => ({ url: '/oauth/register', body: { redirect_uris: ['https://app.example.com/'] } }),
    passes: [201],
  },
  'POST /mcp': {
    named: false,
    request: () => ({ url: '/mcp', body: { jsonrpc: '2.0', id: 1, method: 'ping' } }),
    passes: [401],
  },
  'GET /mcp': { named: false, request: () => ({ url: '/mcp' }), passes: [405] },
  'DELETE /mcp': { named: false, request: () => ({ url: '/mcp' }), passes: [405] },
};

for (const { url } of apiRoutes.filter((route) => route.url.startsWith('/.well-known/')))
  samples[`GET ${url}`] = { named: false, request: () => ({ url }) };

// Only with an API key: what keys of others get is in v1.test.ts and v1.writes.test.ts.
for (const { method, url } of apiRoutes.filter((route) => route.url.startsWith('/v1/')))
  samples[`${method} ${url}`] = {
    named: false,
    request: (t) => ({
      url: url.replace(':id', t.campaign.id),
      ...(method === 'GET' ? {} : { body: {} }),
    }),
    passes: [401],
  };
