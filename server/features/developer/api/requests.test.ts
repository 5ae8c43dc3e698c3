import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCOPE_NAMES } from '../../../../contract/developer/developer-rules.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { outliveCaches } from '../../../test/outlive.ts';
import { isWhole, redacted, safeAgent, safeKey, safePath } from './requests.policy.ts';
import { describedAt } from './v1.described.ts';

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
    const key = '018f2b7c-3c5a-7d1e-8a4b-2f6d9e0c1a35';
    await ask('POST', '/v1/clients', body, { 'idempotency-key': key });
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
      idempotency_key: key,
      body: '{"name":"[text]","owner":{"name":"[text]","email":"[text]","phone":"[text]"}}',
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
    outliveCaches();
    expect((await again()).status).toBe(403);
    await app.admin.query(`update developer_key set scopes = $2 where id = $1`, [keyId, SCOPE_NAMES]);
    outliveCaches();
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
    await app.features.retention.run('developer');
    expect((await app.admin.query('select from developer_request')).rowCount).toBe(0);
  });

  test('[DEV-04] keeps nothing of a person, wherever someone put it', async () => {
    app.clock.advance(60_000);
    const typed = {
      name: 'Ada Lovelace',
      email: 'ada.lovelace@mail.example',
      phone: '+1 (504) 555-0100',
      digits: 5045550199,
      street: '12 Rampart Street',
      birth: '1985-07-04',
    };
    const as = (text: unknown) => encodeURIComponent(String(text));
    const tries: [method: 'GET' | 'POST', url: string, body?: object][] = [
      ['GET', `/v1/clients?search=${as(typed.name)}`],
      [
        'GET',
        `/v1/leads?${as(typed.email)}=${as(typed.phone)}&limit=${as(typed.street)}&note=${as(typed.birth)}`,
      ],
      [
        'GET',
        `/v1/leads?product=${as(typed.name)}&client_id=${typed.digits}&created_since=${as(typed.email)}`,
      ],
      ['GET', `/v1/leads?cursor=${Buffer.from(JSON.stringify(typed)).toString('base64url')}`],
      ['GET', `/v1/leads/${as(typed.email)}`],
      ['GET', `/v1/campaigns/${as(typed.name)}?id=${as(typed.street)}`],
      [
        'POST',
        '/v1/clients',
        { [typed.email]: typed.name, note: typed, born: typed.birth, phone: typed.digits },
      ],
      [
        'POST',
        '/v1/clients',
        { name: typed, owner: [typed.name], can_add_campaigns: typed.phone, external_id: typed.birth },
      ],
      [
        'POST',
        '/v1/campaigns',
        {
          client_id: typed.email,
          product: typed.name,
          name: typed.street,
          lead_limit: typed.digits,
          price_per_lead: String(typed.digits),
          starts_on: typed.phone,
          lead_limit_period: typed.email,
          fit_zip_codes: [typed.name],
          targeting: { location: 'national', keywords: [typed.name], [typed.phone]: typed.street },
        },
      ],
      [
        'POST',
        '/v1/campaigns',
        {
          client_id: client.id,
          product: 'search_id',
          name: 'X',
          targeting: { location: 'state', keywords: ['tea'], states: [typed.street] },
        },
      ],
      [
        'POST',
        '/v1/exclusion-lists',
        { name: typed.name, entries: [typed.email, typed.phone], country: typed.street },
      ],
    ];
    for (const [method, url, body] of tries)
      await ask(method, url, body, {
        'idempotency-key': `welcome ${typed.email}`,
        'user-agent': `sync/1.2 (${typed.email}; ${typed.name})`,
      });
    await app.features.developer.requests.flush();
    const { rows } = await app.admin.query<Record<string, string>>(
      `select path, body, problem, idempotency_key, user_agent from developer_request order by at desc, id desc limit $1`,
      [tries.length],
    );
    expect(rows).toHaveLength(tries.length);
    const text = decodeURIComponent(JSON.stringify(rows))
      .toLowerCase()
      .replace(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, '');
    for (const word of ['ada', 'lovelace', 'mail.example', '504', '5550100', '5045550199', 'rampart', '1985'])
      expect(text).not.toContain(word);
    expect(rows[0]).toMatchObject({ idempotency_key: '[text]', user_agent: 'sync/1.2' });
    // What is wrong stays readable.
    const problems = rows.map(({ problem }) => problem).join();
    expect(problems).toContain('has …, which is not a state');
    expect(problems).toContain('body.[unknown]');
    expect(problems).toContain('is not a parameter of this request');
  });

  test('keeps choices, ids, dates, amounts, numbers, and pages', () => {
    const id = '018f2b7c-3c5a-7d1e-8a4b-2f6d9e0c1a35';
    const body = {
      client_id: id,
      product: 'site_id',
      price_per_lead: '2.50',
      starts_on: '2026-03-01',
      ends_on: null,
      paused: true,
      lead_limit: 5,
      fit_states: ['TX'],
    };
    const described = describedAt('POST', '/v1/campaigns');
    expect(
      JSON.parse(
        redacted(
          { ...body, name: 'Ada', site_hosts: Array.from({ length: 12 }, () => 'a.example'), more: [1] },
          described,
        )!,
      ),
    ).toEqual({
      ...body,
      name: '[text]',
      site_hosts: [...Array.from({ length: 10 }, () => '[text]'), 'and 2 more'],
      '[unknown]': ['[list]'],
    });
    expect(redacted(undefined, described)).toBeNull();
    expect(redacted('Ada', described)).toBe('"[text]"');
    const leads = describedAt('GET', '/v1/leads');
    const cursor = Buffer.from(JSON.stringify(['leads desc', 1, id])).toString('base64url');
    for (const url of [
      `/v1/leads?limit=5&client_id=${id}&product=b2b_id&cursor=${cursor}`,
      `/v1/leads?created_since=${encodeURIComponent('2026-03-01T00:00:00+02:00')}`,
    ]) {
      expect(safePath(url, leads)).toBe(url);
      expect(isWhole(safePath(url, leads))).toBe(true);
    }
    const clients = describedAt('GET', '/v1/clients');
    expect(isWhole(safePath('/v1/clients?search=x', clients))).toBe(false);
    expect(safePath('/mcp#list_leads', describedAt('POST', '/mcp'))).toBe('/mcp#list_leads');
    expect([safeKey(id), safeKey('order-1'), safeAgent(''), safeAgent('curl/8.5.0')]).toEqual([
      id,
      '[text]',
      '',
      'curl/8.5.0',
    ]);
  });
});
