import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCOPE_NAMES } from '../../../../contract/developer/developer-rules.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { redacted, safePath } from './requests.policy.ts';

const HOST = 'acme.test';
let app: TestApp;
let root: Company;
let acme: Company;
let client: Company;
let ann: string;
let secret: string;
let keyId: string;

interface Row {
  id: string;
  method: string;
  route: string;
  path: string;
  status: number;
  key_name: string;
  mode: string;
  ip: string;
}
const ask = (method: 'GET' | 'POST', url: string, body?: object, headers: Record<string, string> = {}) =>
  app.call(method, url, { host: HOST, token: secret, headers, ...(body ? { body } : {}) });
const page = async (query = '', token = ann) => {
  await app.features.developer.requests.flush();
  const { status, body } = await app.call('GET', `/api/developer/requests?PerPage=100${query}`, {
    host: HOST,
    token,
  });
  expect(status).toBe(200);
  return body as unknown as { data: Row[]; total: number };
};
const detail = async (id: string) =>
  (await app.call('GET', `/api/developer/requests/${id}`, { host: HOST, token: ann })).body;

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test', isMaster: true });
  acme = await app.make.agency(root, { host: HOST, name: 'Acme' });
  const owner = await app.make.user(acme, { email: 'ann@x.test', password: PASSWORD });
  await app.make.developer(acme, owner.id);
  ann = await app.signIn('ann@x.test', HOST);
  client = await app.make.client(acme, { name: 'Bakery' });
  const made = await app.make.apiKey(acme, owner.id, { scopes: [...SCOPE_NAMES], name: 'Sync' });
  secret = made.secret;
  keyId = made.id;
});
afterAll(() => app.close());

describe('[BEY-14] the request log', () => {
  test('keeps who asked for what and how it ended, without what people typed, and filters', async () => {
    const found = await ask('GET', '/v1/clients?search=Ada%20Lovelace&limit=2');
    app.clock.advance(1000);
    await ask('GET', `/v1/leads/${client.id}`);
    app.clock.advance(1000);
    const email = 'secret.person@x.test';
    const body = { name: 'Florist', owner: { name: 'Flo', email, phone: '12' } };
    await ask('POST', '/v1/clients', body, { 'idempotency-key': 'abc' });
    app.clock.advance(1000);
    const call = { method: 'tools/call', params: { name: 'list_clients', arguments: {} } };
    const accept = 'application/json, text/event-stream';
    await ask('POST', '/mcp', { jsonrpc: '2.0', id: 1, ...call }, { accept });
    await app.call('GET', '/v1/clients', { host: HOST, token: 'lps_live_nothing' });
    const { data, total } = await page();
    expect(total).toBe(4);
    expect(data).toMatchObject([
      { method: 'POST', route: '/mcp', path: '/mcp#list_clients' },
      { method: 'POST', route: '/v1/clients', status: 422, key_name: 'Sync', mode: 'live', ip: '127.0.0.1' },
      { method: 'GET', route: '/v1/leads/:id', path: `/v1/leads/${client.id}`, status: 404 },
      { method: 'GET', route: '/v1/clients', path: '/v1/clients?search=%E2%80%A6&limit=2', status: 200 },
    ]);
    expect(data.at(-1)!.id).toBe(found.headers['x-request-id']);
    const kept = await app.admin.query(`select row_to_json(r)::text as text from developer_request r`);
    const text = kept.rows.map((row) => row.text).join();
    for (const typed of ['Ada', 'Flo', email]) expect(text).not.toContain(typed);
    expect(await detail(data[1]!.id)).toMatchObject({
      idempotency_key: 'abc',
      body: '{"name":"[7 characters]","owner":{"name":"[3 characters]","email":"[20 characters]","phone":"[2 characters]"}}',
      problem: expect.stringContaining('body.owner.phone'),
      can_replay: false,
    });
    expect((await page('&status=refused')).total).toBe(2);
    expect((await page('&status=failed')).total).toBe(0);
    expect((await page(`&status=ok&method=GET&key_id=${keyId}`)).total).toBe(1);
    expect((await page('&route=/v1/clients')).total).toBe(2);
    expect((await page(`&id=${data[0]!.id}`)).total).toBe(1);
    const other = await app.make.agency(root, { host: 'other.test' });
    const bob = await app.make.user(other, { email: 'bob@x.test', password: PASSWORD });
    await app.make.developer(other, bob.id);
    const asBob = await app.signIn('bob@x.test', 'other.test');
    const theirs = await app.call('GET', '/api/developer/requests', { host: 'other.test', token: asBob });
    expect(theirs.body.total).toBe(0);
  });

  test('sends a read again as its key, with what the API answers now', async () => {
    await ask('GET', `/v1/clients/${client.id}`);
    const [row] = (await page('&route=/v1/clients/:id')).data;
    const again = async () =>
      (
        await app.call('POST', `/api/developer/requests/${row!.id}/replay`, {
          host: HOST,
          token: ann,
          body: {},
        })
      ).body as unknown as { status: number; body: string };
    const first = await again();
    expect([first.status, JSON.parse(first.body)]).toMatchObject([200, { id: client.id, name: 'Bakery' }]);
    const [typed] = (await page('&route=/v1/clients&method=GET')).data;
    const refused = await app.call('POST', `/api/developer/requests/${typed!.id}/replay`, {
      host: HOST,
      token: ann,
      body: {},
    });
    expect(refused.status).toBe(409);
    await app.admin.query(`update developer_key set scopes = '{leads.read}' where id = $1`, [keyId]);
    expect((await again()).status).toBe(403);
    await app.admin.query(`update developer_key set scopes = $2 where id = $1`, [keyId, SCOPE_NAMES]);
  });

  test('is counted by day as usage, and deleted after 30 days', async () => {
    const { body } = await ask('GET', '/v1/usage');
    expect((body.data as unknown as object[]).slice(0, 2)).toMatchObject([
      { date: '2026-03-10', requests: 5, requests_refused: 2, leads: 0, spend: '0.00' },
      { date: '2026-03-09', requests: 0 },
    ]);
    for (const query of ['start_date=2026-03-10&end_date=2026-03-01', 'start_date=2020-01-01'])
      expect((await ask('GET', `/v1/usage?${query}`)).status).toBe(422);
    app.clock.advance(31 * 86_400_000);
    await app.features.developer.requests.forget();
    expect((await app.admin.query('select from developer_request')).rowCount).toBe(0);
  });

  test('leaves out texts that could name someone, and keeps choices, ids, and numbers', () => {
    const id = '018f2b7c-3c5a-7d1e-8a4b-2f6d9e0c1a35';
    expect(
      JSON.parse(
        redacted({
          client_id: id,
          product: 'site_id',
          name: 'Ada',
          price_per_lead: '2.50',
          starts_on: '2026-03-01',
          paused: true,
          lead_limit: 5,
          entries: Array.from({ length: 12 }, () => 'a@b.example'),
        })!,
      ),
    ).toEqual({
      client_id: id,
      product: 'site_id',
      name: '[3 characters]',
      price_per_lead: '2.50',
      starts_on: '2026-03-01',
      paused: true,
      lead_limit: 5,
      entries: [...Array.from({ length: 10 }, () => '[11 characters]'), 'and 2 more'],
    });
    expect(redacted(undefined)).toBeNull();
    expect(safePath('/v1/leads?limit=5')).toEqual({ path: '/v1/leads?limit=5', isWhole: true });
    expect(safePath('/v1/clients?search=x').isWhole).toBe(false);
  });
});
