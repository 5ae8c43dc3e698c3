import { createHash, randomBytes } from 'node:crypto';
import { auth, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ownMessages } from '../../../../contract/messages.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { isRedirect, isRegistered } from './oauth.policy.ts';

const HOST = 'acme.test';
const ORIGIN = `http://${HOST}`;
const CALLBACK = 'http://127.0.0.1:33418/callback';
let app: TestApp;
let root: Company;
let acme: Company;
let ann: string;

/** Requests of an app, which reach the server without a network. */
const fetchHere: typeof fetch = async (url, init) => {
  const { pathname, search, host } = new URL(String(url));
  const body = init?.body;
  const answer = await app.server.inject({
    method: (init?.method ?? 'GET') as 'GET',
    url: pathname + search,
    headers: {
      ...(body instanceof URLSearchParams ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
      ...Object.fromEntries(new Headers(init?.headers)),
      host,
    },
    ...(body ? { payload: String(body) } : {}),
  });
  const isEmpty = answer.statusCode === 202 || answer.statusCode === 204;
  return new Response(isEmpty ? null : answer.payload, {
    status: answer.statusCode,
    headers: Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]),
  });
};
interface Told {
  client_id: string;
  access_token: string;
  refresh_token: string;
  scope: string;
  expires_in: number;
  error: string;
}
const json = async (path: string, init?: RequestInit) => {
  const answer = await fetchHere(ORIGIN + path, init);
  return {
    status: answer.status,
    headers: answer.headers,
    body: (await answer.json()) as Told,
  };
};
const register = (given: object) =>
  json('/oauth/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(given),
  });
const verifier = randomBytes(32).toString('base64url');
const challenge = createHash('sha256').update(verifier).digest('base64url');

/** What an app asks for. */
async function asking(more: Record<string, string> = {}): Promise<Record<string, string>> {
  const { body } = await register({ client_name: 'Helper', redirect_uris: [CALLBACK] });
  return {
    client_id: body.client_id,
    redirect_uri: CALLBACK,
    response_type: 'code',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'xyz',
    ...more,
  };
}
const allow = (asked: object, given: object = {}, token = ann) =>
  app.call('POST', '/api/developer/apps', {
    host: HOST,
    token,
    body: { ...asked, scopes: ['clients.read', 'leads.read'], mode: 'live', ...given },
  });
/** The code that an app gets. */
async function codeOf(asked: Record<string, string>, given: object = {}): Promise<string> {
  const { status, body } = await allow(asked, given);
  expect([status, body.message]).toEqual([200, ownMessages.appAllowed]);
  return new URL(String(body.redirect_to)).searchParams.get('code')!;
}
const exchange = (form: Record<string, string>) =>
  json('/oauth/token', { method: 'POST', body: new URLSearchParams(form) });
const byCode = (asked: Record<string, string>, code: string, more: Record<string, string> = {}) =>
  exchange({
    grant_type: 'authorization_code',
    code,
    client_id: asked.client_id!,
    redirect_uri: CALLBACK,
    code_verifier: verifier,
    ...more,
  });
const byRefresh = (asked: Record<string, string>, refresh_token: string, more: Record<string, string> = {}) =>
  exchange({ grant_type: 'refresh_token', refresh_token, client_id: asked.client_id!, ...more });
const meWith = (token: string) => app.call('GET', '/v1/me', { host: HOST, token });

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test', isMaster: true });
  acme = await app.make.agency(root, { host: HOST, name: 'Acme' });
  const owner = await app.make.user(acme, { email: 'ann@x.test', password: PASSWORD });
  await app.make.developer(acme, owner.id);
  await app.make.client(acme, { name: 'Bakery' });
});
beforeEach(async () => {
  app.clock.advance(3_600_000);
  ann = await app.signIn('ann@x.test', HOST);
  await app.admin.query('update developer_key set removed_at = now()');
});
afterAll(async () => {
  expect(app.greedy).toEqual([]);
  await app.close();
});

describe('[BEY-14] access for apps (OAuth 2.1)', () => {
  test('an assistant with the protocol’s own client finds out how, asks, and works with what an owner allowed', async () => {
    let sentTo: URL | undefined;
    const kept: Record<string, unknown> = {};
    const provider = {
      redirectUrl: CALLBACK,
      clientMetadata: {
        client_name: 'Helper',
        redirect_uris: [CALLBACK],
        token_endpoint_auth_method: 'none',
      },
      state: () => 'xyz',
      clientInformation: () => kept.client as never,
      saveClientInformation: (client) => {
        kept.client = client;
      },
      tokens: () => kept.tokens as never,
      saveTokens: (tokens) => {
        kept.tokens = tokens;
      },
      redirectToAuthorization: (url) => {
        sentTo = url;
      },
      saveCodeVerifier: (text) => {
        kept.verifier = text;
      },
      codeVerifier: () => kept.verifier as string,
    } satisfies OAuthClientProvider;
    const given = { serverUrl: `${ORIGIN}/mcp`, fetchFn: fetchHere };
    expect(await auth(provider, given)).toBe('REDIRECT');
    expect(sentTo!.origin + sentTo!.pathname).toBe(`${ORIGIN}/oauth/authorize`);
    const asked = Object.fromEntries(sentTo!.searchParams);
    expect(asked.resource).toBe(`${ORIGIN}/mcp`);
    const shown = await app.call('GET', `/api/developer/apps/asked${sentTo!.search}`, {
      host: HOST,
      token: ann,
    });
    expect([shown.status, shown.body]).toMatchObject([
      200,
      { name: 'Helper', place: 'this computer', days: 90 },
    ]);
    const allowed = await allow(asked, { scopes: ['clients.read'] });
    const back = new URL(String(allowed.body.redirect_to));
    expect([
      back.origin + back.pathname,
      back.searchParams.get('state'),
      back.searchParams.get('iss'),
    ]).toEqual([CALLBACK, 'xyz', ORIGIN]);
    const authorizationCode = back.searchParams.get('code')!;
    expect(await auth(provider, { ...given, authorizationCode })).toBe('AUTHORIZED');
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${ORIGIN}/mcp`), {
        authProvider: provider,
        fetch: fetchHere,
      }),
    );
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['list_clients', 'get_client']);
    const { content } = await client.callTool({ name: 'list_clients', arguments: {} });
    expect(JSON.stringify(content)).toContain('Bakery');
    // It is listed as a key, tells no secret, and can be ended there at once.
    const list = await app.call('GET', '/api/developer/keys', { host: HOST, token: ann });
    const [key] = list.body.data as unknown as { id: string; app: string; name: string; scopes: string[] }[];
    expect(key).toMatchObject({ name: 'Helper', app: 'this computer', scopes: ['clients.read'] });
    const rotated = await app.call('POST', `/api/developer/keys/${key!.id}/rotate`, {
      host: HOST,
      token: ann,
      body: { overlap_minutes: 0 },
    });
    expect([rotated.status, rotated.body.message]).toEqual([409, ownMessages.keyOfApp]);
    const mails = await app.admin.query(`select subject from mail where to_address = 'ann@x.test'`);
    expect(mails.rows.map(({ subject }) => subject)).toContain('An app was given access');
    await app.call('DELETE', `/api/developer/keys/${key!.id}`, { host: HOST, token: ann });
    const { access_token, refresh_token } = kept.tokens as { access_token: string; refresh_token: string };
    expect((await meWith(access_token)).status).toBe(401);
    expect((await byRefresh(asked, refresh_token)).body.error).toBe('invalid_grant');
  });

  test('tells of itself, also when it refuses, and takes registrations of apps only', async () => {
    const refused = await app.server.inject({ method: 'POST', url: '/mcp', headers: { host: HOST } });
    expect([refused.statusCode, refused.headers['www-authenticate']]).toEqual([
      401,
      `Bearer realm="API", resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource/mcp"`,
    ]);
    const resource = await json('/.well-known/oauth-protected-resource/mcp');
    expect(resource.body).toMatchObject({ resource: `${ORIGIN}/mcp`, authorization_servers: [ORIGIN] });
    expect(resource.headers.get('access-control-allow-origin')).toBe('*');
    expect((await json('/.well-known/oauth-protected-resource')).body).toEqual(resource.body);
    const server = await json('/.well-known/oauth-authorization-server');
    expect(server.body).toMatchObject({
      issuer: ORIGIN,
      code_challenge_methods_supported: ['S256'],
      registration_endpoint: `${ORIGIN}/oauth/register`,
    });
    for (const wrong of [
      {},
      { redirect_uris: [] },
      { redirect_uris: ['http://evil.example/'] },
      { redirect_uris: ['javascript:alert(1)'] },
      { redirect_uris: ['https://x.example/#a'] },
      { redirect_uris: Array.from({ length: 6 }, () => CALLBACK) },
      { redirect_uris: [CALLBACK], client_name: 'x'.repeat(61) },
      { redirect_uris: [CALLBACK], client_name: '\u202emoc.rehto ta resU' },
      { redirect_uris: [CALLBACK], token_endpoint_auth_method: 'client_secret_basic' },
    ]) {
      const { status, body } = await register(wrong);
      expect([status, body.error], JSON.stringify(wrong)).toEqual([400, 'invalid_client_metadata']);
    }
    expect(isRedirect('cursor://anysphere.cursor/callback')).toBe(true);
    for (const text of ['data:text/html,x', 'file:///etc/passwd', 'https://a:b@x.example/', 'nope', ''])
      expect(isRedirect(text), text).toBe(false);
    expect(isRegistered('http://127.0.0.1:1/callback', [CALLBACK])).toBe(true);
    expect(isRegistered('http://127.0.0.1:1/other', [CALLBACK])).toBe(false);
    expect(isRegistered('https://x.example/b', ['https://x.example/a'])).toBe(false);
  });

  test('the consent is an owner’s, freshly confirmed, and only for what the app proved to be', async () => {
    const asked = await asking();
    for (const [field, value] of [
      ['client_id', 'v1.made.up.id'],
      ['redirect_uri', 'https://evil.example/'],
      ['response_type', 'token'],
      ['code_challenge', 'short'],
      ['code_challenge_method', 'plain'],
      ['resource', 'https://elsewhere.example/mcp'],
    ] as const) {
      const { status, body } = await allow({ ...asked, [field]: value });
      expect([status, Object.keys(body.errors as object)[0]], field).toEqual([
        422,
        field === 'code_challenge_method' ? 'code_challenge' : field,
      ]);
    }
    await app.make.user(acme, { email: 'adam@x.test', password: PASSWORD, role: 'administrator' });
    const adam = await app.signIn('adam@x.test', HOST);
    expect((await allow(asked, {}, adam)).status).toBe(403);
    app.clock.advance(20 * 60_000);
    const stale = await allow(asked);
    expect([stale.status === 401 || stale.status === 403]).toEqual([true]);
    ann = await app.signIn('ann@x.test', HOST);
    expect((await allow(asked, { scopes: [] })).status).toBe(422);
    expect(await codeOf(asked)).toMatch(/^lpc_/);
  });

  test('a code works once, shortly, with its verifier, and for its app; used twice, everything ends', async () => {
    const asked = await asking();
    const stranger = await asking();
    const first = await codeOf(asked);
    const wrongs: Record<string, string>[] = [
      { code_verifier: randomBytes(32).toString('base64url') },
      { code_verifier: '' },
      { redirect_uri: 'http://127.0.0.1:33418/other' },
      { client_id: `${stranger.client_id!.slice(0, -2)}xx` },
      { code: 'lpc_unknown' },
    ];
    for (const wrong of wrongs) {
      const { status, body } = await byCode(asked, first, wrong);
      expect([status, body.error]).toEqual([400, 'invalid_grant']);
    }
    const target = await byCode(asked, first, { resource: 'https://elsewhere.example/' });
    expect(target.body.error).toBe('invalid_target');
    const good = await byCode(asked, first, { resource: `${ORIGIN}/mcp` });
    expect([good.status, good.body.scope, good.body.expires_in]).toEqual([
      200,
      'leads.read clients.read',
      3600,
    ]);
    expect((await meWith(good.body.access_token)).body).toMatchObject({
      key: { name: 'Helper' },
      mode: 'live',
    });
    expect((await byCode(asked, first)).body.error).toBe('invalid_grant');
    expect((await meWith(good.body.access_token)).status).toBe(401);
    const { rows } = await app.admin.query(`select from user_log where action = 'apikey.reused'`);
    expect(rows).toHaveLength(1);
    const late = await codeOf(asked);
    app.clock.advance(61_000);
    expect((await byCode(asked, late)).body.error).toBe('invalid_grant');
  });

  test('refresh tokens are used once, with fewer scopes if wanted; an old one ends everything', async () => {
    const asked = await asking();
    const first = (await byCode(asked, await codeOf(asked, { mode: 'test' }))).body;
    expect((await meWith(first.access_token)).body).toMatchObject({ mode: 'test' });
    const second = await byRefresh(asked, first.refresh_token, { scope: 'leads.read' });
    expect([second.status, second.body.scope]).toEqual([200, 'leads.read']);
    const more = await byRefresh(asked, second.body.refresh_token, { scope: 'leads.read tools.write' });
    expect([more.status, more.body.error]).toEqual([400, 'invalid_scope']);
    // An answer that was lost: the token before works for a moment.
    const third = await byRefresh(asked, second.body.refresh_token);
    expect(third.status).toBe(200);
    const retried = await byRefresh(asked, second.body.refresh_token);
    expect(retried.body.refresh_token).toBe(third.body.refresh_token);
    const stranger = await asking();
    expect((await byRefresh({ client_id: `${stranger.client_id}` }, third.body.refresh_token)).status).toBe(
      400,
    );
    app.clock.advance(31_000);
    expect((await byRefresh(asked, second.body.refresh_token)).body.error).toBe('invalid_grant');
    expect((await byRefresh(asked, third.body.refresh_token)).body.error).toBe('invalid_grant');
    expect((await meWith(third.body.access_token)).status).toBe(401);
  });

  test('a stolen refresh token ends the access as soon as either of its two holders goes on, at any time', async () => {
    const ended = async (last: Told) => {
      expect((await byRefresh({ client_id: asked.client_id! }, last.refresh_token)).body.error).toBe(
        'invalid_grant',
      );
      expect((await meWith(last.access_token)).status).toBe(401);
    };
    const asked = await asking();
    // The app renews twice within the same second; the thief has what it had at first.
    const stolen = (await byCode(asked, await codeOf(asked))).body;
    const app1 = (await byRefresh(asked, stolen.refresh_token)).body;
    const app2 = (await byRefresh(asked, app1.refresh_token)).body;
    expect((await byRefresh(asked, stolen.refresh_token)).body.error).toBe('invalid_grant');
    await ended(app2);
    // Both use the same token at once: they share one successor, which only one of them can use first.
    const shared = (await byCode(asked, await codeOf(asked))).body;
    const both = await Promise.all(Array.from({ length: 20 }, () => byRefresh(asked, shared.refresh_token)));
    expect(new Set(both.map(({ body }) => body.refresh_token)).size).toBe(1);
    const thief = (await byRefresh(asked, both[0]!.body.refresh_token)).body;
    app.clock.advance(31_000);
    expect((await byRefresh(asked, both[1]!.body.refresh_token)).body.error).toBe('invalid_grant');
    await ended(thief);
    // Neither a token of a generation to come nor another's key makes a valid one.
    const good = (await byCode(asked, await codeOf(asked))).body;
    const [id, , mac] = good.refresh_token.split('.');
    for (const forged of [
      `${id}.2.${mac}`,
      good.refresh_token.replace('lpr_', ''),
      `${id}.1.${'A'.repeat(43)}`,
    ])
      expect((await byRefresh(asked, forged)).body.error).toBe('invalid_grant');
    expect((await byRefresh(asked, good.refresh_token)).status).toBe(200);
  });

  test('access ends with the key after 90 days, and is another tenant’s nowhere', async () => {
    const asked = await asking();
    const { body } = await byCode(asked, await codeOf(asked));
    await app.make.agency(root, { host: 'other.test' });
    const there = await app.server.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { host: 'other.test', 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: body.refresh_token,
        client_id: asked.client_id!,
      }).toString(),
    });
    expect([there.statusCode, JSON.parse(there.payload).error]).toEqual([400, 'invalid_grant']);
    app.clock.advance(91 * 86_400_000);
    expect((await byRefresh(asked, body.refresh_token)).body.error).toBe('invalid_grant');
  });
});
