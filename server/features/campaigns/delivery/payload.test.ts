import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LeadMessage } from '../../../../contract/campaigns/delivery.ts';
import { DEFAULT_FIELDS, RB2B_TEMPLATE } from '../../../../contract/campaigns/payloads.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';

interface Wire {
  method: string;
  headers: IncomingHttpHeaders;
  body: string;
}

let endpoint: Server;
let base: string;
let wire: Wire[] = [];
let answer: (reply: ServerResponse) => void;

let app: TestApp;
let root: Company;
let agency: Company;
let client: Company;
let campaign: MadeCampaign;
let email: string;
let token: string;
let hook: { id: string; secret: string };
const HOST = 'payload.test';
const KEY = 'sk-live-0123456789';

beforeAll(async () => {
  endpoint = createServer((request, reply) => {
    const parts: Buffer[] = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      wire.push({
        method: request.method!,
        headers: request.headers,
        body: Buffer.concat(parts).toString('utf8'),
      });
      answer(reply);
    });
  });
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  const { port } = endpoint.address() as AddressInfo;
  base = `http://hooks.localhost:${port}`;
  app = await testApp({ outboundExceptions: [`hooks.localhost:${port}`] });
  root = await app.make.root();
  agency = await app.make.agency(root, { host: HOST });
  client = await app.make.client(agency);
  email = (await app.make.user(client, { password: PASSWORD })).email;
});
afterAll(async () => {
  endpoint.closeAllConnections();
  endpoint.close();
  await app?.close();
});
beforeEach(async () => {
  wire = [];
  answer = (reply) => reply.writeHead(204).end();
  // The library that verifies signatures compares with the real time.
  app.clock.advance(Date.now() - app.clock.now().getTime());
  token = await app.signIn(email, HOST);
  campaign = await app.make.campaign(client, { name: 'Tents' });
  const { body } = await call('POST', '', { leadspeekID: campaign.id, url: `${base}/hook` });
  hook = { id: (body.data as unknown as { id: string }).id, secret: body.secret as unknown as string };
});

const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown, as = token) =>
  app.call(method, `/api/integrations/custom${path}`, {
    host: HOST,
    token: as,
    ...(body === undefined ? {} : { body }),
  });
const put = (body: unknown) => call('PUT', `/${hook.id}/payload`, body);
const preview = (body: unknown) => call('POST', `/${hook.id}/payload/preview`, body);
const audits = async (): Promise<string[]> =>
  (
    await app.admin.query(
      `select description from user_log l join user_log_detail d on d.log_id = l.id
       where object_id = $1 and action = 'integration.payload' order by description`,
      [hook.id],
    )
  ).rows.map((row) => row.description);

/** Accepts one lead and makes the attempt to deliver it. Returns what arrived. */
async function deliver(person: Record<string, string> = {}): Promise<Wire | undefined> {
  const id = newId(app.clock.now());
  const { root_id, agency_id, company_id } = campaign.owner;
  const own = { root_id, agency_id, company_id, campaign_id: campaign.id, created_at: app.clock.now() };
  await inScope(app.platform.db.app, { rootId: root.id }, async (tx) => {
    await tx
      .insertInto('lead')
      .values({
        id,
        ...own,
        match_kind: 1,
        confidence: 95,
        evidence: '[]',
        price_micros: 0n,
        cost_micros: 0n,
      })
      .execute();
    await tx
      .insertInto('lead_contact')
      .values({
        lead_id: id,
        ...own,
        first_name: 'Ada "A"\n',
        last_name: 'Lovelace & Co',
        email: 'ada@people.example',
        ...person,
      })
      .execute();
    await app.platform.events.emit(tx, 'leads.accepted', {
      leads: [{ id, campaignId: campaign.id, owner: campaign.owner }],
      isTest: false,
    });
  });
  const { rows } = await app.admin.query(
    `select data from pgboss.job where name = 'delivery.send' and data->>'integrationId' = $1 order by created_on desc, id desc limit 1`,
    [hook.id],
  );
  const before = wire.length;
  await app.features.delivery.attempt(rows[0].data);
  return wire[before];
}

/** Throws unless the signature is over the body that arrived. */
const verify = ({ body, headers }: Wire): unknown =>
  new Webhook(hook.secret).verify(body, headers as Record<string, string>);
/** The same for a body that is no JSON, which the library cannot parse. */
const isSigned = ({ body, headers }: Wire): boolean =>
  new Webhook(hook.secret).sign(
    String(headers['webhook-id']),
    new Date(Number(headers['webhook-timestamp']) * 1000),
    body,
  ) === headers['webhook-signature'];

const FIELDS = [
  { name: 'Email address', source: 'email' },
  { name: 'First', source: 'first_name' },
  { name: 'Phone', source: 'phone' },
  { name: 'Source', source: 'text:Tents & more' },
];

describe('[INTG-02] a webhook sends what its client chose', () => {
  it('our message, unless another format is chosen', async () => {
    expect((await call('GET', `/${hook.id}/payload`)).body).toEqual({
      format: 'standard',
      fields: DEFAULT_FIELDS,
      template: '',
      header_names: [],
    });
    const got = (await deliver())!;
    expect(LeadMessage.parse(verify(got)).data.person.email).toBe('ada@people.example');
    expect(got.headers['content-type']).toBe('application/json');
  });

  it('one flat JSON object', async () => {
    const { status, body } = await put({ format: 'flat', fields: FIELDS });
    expect([status, body.data]).toMatchObject([200, { payload_format: 'flat' }]);
    const got = (await deliver())!;
    expect(got.body).toBe(
      JSON.stringify({
        'Email address': 'ada@people.example',
        First: 'Ada "A"\n',
        Phone: null,
        Source: 'Tents & more',
      }),
    );
    expect(got.headers['content-type']).toBe('application/json');
    verify(got);
    expect(await audits()).toEqual([expect.stringContaining('format from standard to flat, 4 fields')]);
  });

  it('a form', async () => {
    await put({ format: 'form', fields: FIELDS });
    const got = (await deliver())!;
    expect(got.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect([...new URLSearchParams(got.body)]).toEqual([
      ['Email address', 'ada@people.example'],
      ['First', 'Ada "A"\n'],
      ['Phone', ''],
      ['Source', 'Tents & more'],
    ]);
    expect(isSigned(got)).toBe(true);
  });

  it('all fields under their own keys where none are picked, and keeps what was picked before', async () => {
    await put({ format: 'flat' });
    expect(Object.keys(JSON.parse((await deliver())!.body))).toEqual(DEFAULT_FIELDS.map(({ name }) => name));
    await put({ format: 'flat', fields: FIELDS });
    await put({ format: 'standard' });
    await put({ format: 'form' });
    expect((await call('GET', `/${hook.id}/payload`)).body).toMatchObject({ format: 'form', fields: FIELDS });
    // Saving the same again changes nothing and tells nothing.
    await put({ format: 'form', fields: FIELDS });
    expect(await audits()).toHaveLength(4);
  });

  it('JSON in the shape of RB2B', async () => {
    await put({ format: 'template', template: RB2B_TEMPLATE });
    const got = (await deliver({ last_name: '"},"Tags":"=1+1' }))!;
    expect(verify(got)).toMatchObject({
      'First Name': 'Ada "A"\n',
      'Last Name': '"},"Tags":"=1+1',
      'Business Email': null,
      'LinkedIn URL': null,
      'Seen At': expect.stringMatching(/^\d{4}-/),
      Tags: null,
    });
    expect(Object.keys(JSON.parse(got.body))).toEqual(Object.keys(JSON.parse(RB2B_TEMPLATE)));
  });

  it('the test button uses the payload and marks the lead', async () => {
    await put({
      format: 'flat',
      fields: [
        { name: 'who', source: 'full_name' },
        { name: 'is_test', source: 'is_test' },
      ],
      headers: [{ name: 'X-Api-Key', value: KEY }],
    });
    expect((await call('POST', `/${hook.id}/test`, {})).body).toMatchObject({ result: 'success' });
    expect(verify(wire[0]!)).toEqual({ who: 'Test Lead', is_test: 'true' });
    expect(wire[0]!.headers['x-api-key']).toBe(KEY);
  });
});

describe('[INTG-02] headers of a webhook', () => {
  const stored = async () =>
    (await app.admin.query('select header_names, headers_sealed from integration where id = $1', [hook.id]))
      .rows[0];

  it('are sent with every format, sealed, and never returned', async () => {
    const said: string[] = [];
    const headers = [
      { name: 'Authorization', value: `Bearer ${KEY}` },
      { name: 'X-Team', value: 'Équipe 1' },
      { name: 'User-Agent', value: 'Tents/1' },
    ];
    for (const body of [
      { format: 'standard', headers },
      { format: 'flat' },
      { format: 'form' },
      { format: 'template', template: '{"a": "{{email}}"}' },
    ]) {
      said.push((await put(body)).text, (await preview(body)).text);
      const got = (await deliver())!;
      expect(got.headers).toMatchObject({
        authorization: `Bearer ${KEY}`,
        'x-team': 'Équipe 1',
        'user-agent': 'Tents/1',
      });
      expect(isSigned(got)).toBe(true);
    }
    answer = (reply) => reply.writeHead(500).end(`I got Bearer ${KEY}`);
    await deliver();
    for (const path of [`/${campaign.id}`, `/${hook.id}/payload`, `/${hook.id}/deliveries`])
      said.push((await call('GET', path)).text);
    expect(said.at(-1)).toContain('I got •••');
    for (const text of [...said, ...(await audits())]) {
      expect(text).not.toContain(KEY);
      expect(text).not.toContain('quipe 1');
    }
    expect((await call('GET', `/${hook.id}/payload`)).body).toMatchObject({
      header_names: ['Authorization', 'X-Team', 'User-Agent'],
    });
    expect((await stored()).headers_sealed).not.toContain(KEY);
  });

  it('keep a value that is left empty, and are gone when they or the webhook are removed', async () => {
    await put({
      format: 'standard',
      headers: [
        { name: 'X-Api-Key', value: KEY },
        { name: 'X-Team', value: 'one' },
      ],
    });
    await put({
      format: 'standard',
      headers: [
        { name: 'X-Api-Key', value: '' },
        { name: 'X-Team', value: 'two' },
        { name: 'X-New', value: 'new' },
      ],
    });
    expect((await deliver())!.headers).toMatchObject({ 'x-api-key': KEY, 'x-team': 'two', 'x-new': 'new' });
    const unknown = await put({ format: 'standard', headers: [{ name: 'X-Other', value: '' }] });
    expect([unknown.status, unknown.body.errors]).toEqual([422, { 'headers.0.value': ['is required'] }]);
    await put({ format: 'standard', headers: [{ name: 'X-Team', value: '' }] });
    expect((await deliver())!.headers).not.toHaveProperty('x-api-key');
    await call('DELETE', `/${hook.id}`);
    expect(await stored()).toEqual({ header_names: [], headers_sealed: null });
    expect(await audits()).toEqual([
      expect.stringContaining('headers added: X-Api-Key X-Team'),
      expect.stringContaining('headers added: X-New, new values of headers: X-Team'),
      expect.stringContaining('headers removed: X-Api-Key X-New'),
    ]);
  });

  it('that cannot be decrypted are not left out: nothing is sent until they are entered again', async () => {
    await put({ format: 'standard', headers: [{ name: 'X-Api-Key', value: KEY }] });
    await app.admin.query(`update integration set headers_sealed = 'v1.none.a.b' where id = $1`, [hook.id]);
    expect(await deliver()).toBeUndefined();
    expect((await call('GET', `/${hook.id}/deliveries`)).text).toContain('Enter them again');
    expect((await put({ format: 'standard', headers: [{ name: 'X-Api-Key', value: '' }] })).status).toBe(422);
    await put({ format: 'standard', headers: [{ name: 'X-Api-Key', value: KEY }] });
    expect((await deliver())!.headers['x-api-key']).toBe(KEY);
  });
});

describe('[INTG-02] the preview of a payload', () => {
  it('shows a made-up lead, then the newest one, with what is not saved, and sends nothing', async () => {
    const wanted = { format: 'form', fields: FIELDS, headers: [{ name: 'X-Api-Key', value: KEY }] };
    const first = (await preview(wanted)).body;
    expect(first).toMatchObject({ is_example: true, method: 'POST' });
    expect(first.headers).toEqual([
      { name: 'content-type', value: 'application/x-www-form-urlencoded' },
      { name: 'user-agent', value: 'Webhook/1.0' },
      { name: 'webhook-id', value: '••••••' },
      { name: 'webhook-timestamp', value: '••••••' },
      { name: 'webhook-signature', value: '••••••' },
      { name: 'x-api-key', value: '••••••' },
    ]);
    expect(String(first.body)).toContain('Email+address=test.lead%40example.com');
    await deliver();
    wire = [];
    const second = (await preview({ format: 'template', template: '{"a": ["{{email}}", "{{phone}}"]}' }))
      .body;
    expect(second).toMatchObject({ is_example: false, body: '{"a":["ada@people.example",null]}' });
    expect(wire).toEqual([]);
    expect((await call('GET', `/${hook.id}/payload`)).body).toMatchObject({ format: 'standard' });
    expect(await audits()).toEqual([]);
  });
});

describe('[INTG-02] a payload that cannot be', () => {
  const header = (name: string, value = 'x') => ({ format: 'flat', headers: [{ name, value }] });
  const field = (name: string, source = 'email') => ({ format: 'flat', fields: [{ name, source }] });
  it.each([
    ['format', { format: 'xml' }],
    ['format', {}],
    ['fields', { format: 'flat', fields: [] }],
    [
      'fields',
      { format: 'flat', fields: Array.from({ length: 101 }, (_, i) => ({ name: `f${i}`, source: 'email' })) },
    ],
    ['fields.0.name', field('')],
    ['fields.0.name', field(' ')],
    ['fields.0.name', field('x'.repeat(101))],
    ['fields.0.name', field('a\nb')],
    ['fields.0.name', field('a\u0085b')],
    ['fields.0.source', field('a', 'nope')],
    ['fields.0.source', field('a', '')],
    ['fields.0.source', field('a', `text:${'x'.repeat(500)}`)],
    ['fields.1.name', { format: 'form', fields: [...FIELDS.slice(0, 1), ...FIELDS.slice(0, 1)] }],
    ['template', { format: 'template' }],
    ['template', { format: 'template', template: '{"a": {{email}}}' }],
    ['template', { format: 'template', template: '{"a": "{{shoe_size}}"}' }],
    ['template', { format: 'template', template: JSON.stringify('x'.repeat(20_000)) }],
    ['template', { format: 'template', template: '['.repeat(10_000) + ']'.repeat(10_000) }],
    [
      'headers',
      { format: 'flat', headers: Array.from({ length: 11 }, (_, i) => ({ name: `X-${i}`, value: 'x' })) },
    ],
    ['headers.0.name', header('Host')],
    ['headers.0.name', header('webhook-signature')],
    ['headers.0.name', header('a b')],
    ['headers.0.value', header('X-Key', 'a\r\nX-Evil: 1')],
    ['headers.0.value', header('X-Key', '€')],
    ['headers.0.value', header('X-Key', 'x'.repeat(1001))],
    ['headers.0.value', header('X-Key', '')],
  ])('is refused by its field: %s', async (name, body) => {
    const { status, body: said } = await put(body);
    expect([status, Object.keys(said.errors as object)]).toEqual([422, [name]]);
    expect((await call('GET', `/${hook.id}/payload`)).body).toMatchObject({ format: 'standard' });
    const isOfValues = name === 'headers.0.value' && 'headers' in body && body.headers[0]?.value === '';
    expect((await preview(body)).status).toBe(isOfValues ? 200 : 422);
  });

  it('names an unknown field of a template', async () => {
    expect((await put({ format: 'template', template: '{"a": "{{shoe_size}}"}' })).body).toMatchObject({
      message: 'template: has an unknown field “shoe_size”',
    });
  });

  it('is not there for removed webhooks, connections, and other tenants', async () => {
    const connection = await app.make.connection(client, { name: 'CRM', campaignId: campaign.id });
    const other = await app.make.agency(root, { host: `other-${hook.id}.test` });
    const stranger = await app.make.user(other, { password: PASSWORD });
    const theirs = await app.signIn(stranger.email, `other-${hook.id}.test`);
    const asked = ['GET', 'PUT', 'POST'] as const;
    const path = (id: string, method: string) => `/${id}/payload${method === 'POST' ? '/preview' : ''}`;
    for (const method of asked) {
      const body = method === 'GET' ? {} : { body: { format: 'flat' } };
      const foreign = await app.call(method, `/api/integrations/custom${path(hook.id, method)}`, {
        host: `other-${hook.id}.test`,
        token: theirs,
        ...body,
      });
      expect([method, foreign.status]).toEqual([method, 404]);
      const own = await call(method, path(connection.destinationId!, method), body.body);
      expect([method, own.status]).toEqual([method, 404]);
    }
    expect((await call('GET', `/${hook.id}/payload`)).body).toMatchObject({ format: 'standard' });
    await call('DELETE', `/${hook.id}`);
    for (const method of asked)
      expect(
        (await call(method, path(hook.id, method), method === 'GET' ? undefined : { format: 'flat' })).status,
      ).toBe(404);
  });
});

it('[BEY-31] header values go to no other server than the one they were entered for', async () => {
  expect((await put({ format: 'standard', headers: [{ name: 'Authorization', value: KEY }] })).status).toBe(
    200,
  );
  const move = async (url: string) => {
    const { status, body } = await call('PUT', `/${hook.id}`, { url });
    return [status, body.errors ?? null];
  };
  const refused = [
    422,
    {
      url: [
        'is on a different server than the headers are for (Authorization). Remove the headers first, then enter them again',
      ],
    },
  ];
  expect(await move('https://evil.example.com/hook')).toEqual(refused);
  expect(await move(`${base}/another`)).toEqual([200, null]);
  expect((await put({ format: 'standard', headers: [] })).status).toBe(200);
  expect(await move('https://elsewhere.example.com/hook')).toEqual([200, null]);
});

it('[ROLE-01] who may not read leads sees made-up ones, no names, and cannot try rules on them', async () => {
  const boss = await app.make.user(agency, { password: PASSWORD });
  const asBoss = await app.signIn(boss.email, HOST);
  const role = await app.call('POST', '/api/configuration/role-module/add', {
    host: HOST,
    token: asBoss,
    body: {
      companyID: agency.id,
      roleName: 'Destinations only',
      roleModule: ['Ads Design', 'Campaign', 'LeadsPeek', 'Settings'].map((module_name) => ({
        module_name,
        enable_permission: module_name === 'Campaign' ? 'T' : 'F',
        create_permission: 'F',
        update_permission: 'F',
        delete_permission: 'F',
      })),
    },
  });
  expect(role.status).toBe(200);
  const { rows } = await app.admin.query(
    `select id from role where company_id = $1 and name = 'Destinations only'`,
    [agency.id],
  );
  const admin = await app.make.user(agency, {
    password: PASSWORD,
    role: 'administrator',
    roleId: rows[0].id,
  });
  const asAdmin = await app.signIn(admin.email, HOST);
  const lead = newId(app.clock.now());
  await app.admin.query(
    `insert into lead (id, root_id, agency_id, company_id, campaign_id, match_kind, confidence, price_micros, cost_micros, created_at)
     select $1, root_id, agency_id, company_id, id, 1, 90, 0, 0, $3 from campaign where id = $2`,
    [lead, campaign.id, app.clock.now()],
  );
  const rules = { match: 'all', conditions: [], hours: null, rotation: false };
  const seenBy = async (as: string) => {
    const shown = await call('POST', `/${hook.id}/payload/preview`, { format: 'flat' }, as);
    const tried = await app.call('POST', `/api/integrations/destinations/${hook.id}/rules/try`, {
      host: HOST,
      token: as,
      body: { rules },
    });
    const clients = await app.call('GET', '/api/leadspeek/report/clients', { host: HOST, token: as });
    return [shown.status, tried.status, clients.status];
  };
  expect(await seenBy(asBoss)).toEqual([200, 200, 200]);
  expect(await seenBy(asAdmin)).toEqual([200, 403, 403]);
  const example = await call('POST', `/${hook.id}/payload/preview`, { format: 'flat' }, asAdmin);
  expect(example.body).toMatchObject({ is_example: true });
});
