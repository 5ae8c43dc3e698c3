import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type ApiScope, SCOPE_NAMES } from '../../../../contract/developer/developer-rules.ts';
import { buildSdk } from '../../../../scripts/sdk/build.ts';
import { describeApi } from '../../../platform/http/openapi.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { apiRoutes } from './v1.routes.ts';

// Every operation of the OpenAPI document, through the generated client, against a server: what is valid, what is wrong
// in each field, what is missing, what belongs to others, and what a key may not do. Nothing is listed here by hand but a
// valid request of each, so an operation that is added is tested or fails.

interface Shape {
  type?: string;
  format?: string;
  pattern?: string;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  minItems?: number;
  properties?: Record<string, Shape>;
  required?: string[];
  items?: Shape;
  anyOf?: Shape[];
}
interface Operation {
  operationId: string;
  security: [{ bearer: ApiScope[] }];
  parameters?: { name: string; in: string; required: boolean; schema: Shape }[];
  requestBody?: { content: { 'application/json': { schema: Shape } } };
  responses: Record<string, { content: { 'application/json': { schema: object } } }>;
}
interface Request {
  path?: { id: string };
  query?: Record<string, unknown>;
  body?: Record<string, unknown>;
}
interface Answer {
  data?: Record<string, unknown>;
  error?: { status: number; errors?: { location: string; message: string; fix: string }[] };
  response: Response;
}

const document = await describeApi(
  {},
  apiRoutes.filter(({ url }) => url.startsWith('/v1/')),
);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...(operation as unknown as Operation),
    method,
    path,
  })),
);
type Op = (typeof operations)[number];
const named = operations.map((one) => [one.operationId, one] as const);
const bodyOf = (op: Op): Shape | undefined => op.requestBody?.content['application/json'].schema;
const queryOf = (op: Op) => (op.parameters ?? []).filter((one) => one.in === 'query');

const HOSTS = { acme: 'acme.test', other: 'other.test' };
let app: TestApp;
let root: Company;
let folder: string;
let sdk: Record<string, (options: object) => Promise<Answer>> & {
  createApiClient: (config: object) => unknown;
  createConfig: (config: object) => object;
};
let endpoint: Server;
let base: string;

/** An agency with one of everything, and its keys. */
interface World {
  host: string;
  agency: Company;
  ownerId: string;
  live: string;
  test: string;
  ids: Record<
    | 'clients'
    | 'campaigns'
    | 'searches'
    | 'leads'
    | 'counts'
    | 'failed'
    | 'lists'
    | 'webhooks'
    | 'endpoints'
    | 'messages',
    string
  >;
}
let acme: World;
let other: World;

const one = async (sql: string, ...values: unknown[]): Promise<string> =>
  (await app.admin.query<{ id: string }>(sql, values)).rows[0]!.id;

async function worldOf(host: string, n: number): Promise<World> {
  const { make, features } = app;
  const agency = await make.agency(root, { host });
  const owner = await make.user(agency, { email: `owner${n}@x.test`, password: PASSWORD });
  await make.developer(agency, owner.id);
  const keyOf = async (mode: 'live' | 'test') =>
    (await make.apiKey(agency, owner.id, { mode, scopes: [...SCOPE_NAMES] })).secret;
  const client = await make.client(agency);
  await make.user(client, { email: `client${n}@x.test` });
  const campaign = await make.campaign(client, { price: 1_000_000n, balance: 90_000_000n });
  const person = make.person();
  await make.people(root, [person]);
  await make.visit(campaign, { email: person.email! });
  await features.leads.resolver.resolveAll();
  const search = { location: 'national' as const, states: [], cities: [], zips: [], keywords: [`tea ${n}`] };
  const looks = await make.campaign(client, { search });
  const counts: string[] = [];
  for (const _ of [1, 2]) {
    await features.signals.counts.seed(looks.owner, looks.id, search);
    counts.push(
      await one(
        'select id from intent_count where company_id = $1 order by created_at desc, id desc',
        client.id,
      ),
    );
    app.clock.advance(1000);
  }
  await app.admin.query(`update intent_count set state = 'failed' where id = $1`, [counts[0]]);
  const hook = await make.hook(agency, owner.id, { url: `${base}/${n}`, about: [client] });
  await app.admin.query(`update developer_message set state = 'delivered' where hook_id = $1`, [hook.id]);
  const live = await keyOf('live');
  const webhook = await app.call('POST', '/v1/webhooks', {
    host,
    token: live,
    body: { campaign_id: campaign.id, url: `${base}/flat` },
  });
  expect(webhook.status).toBe(201);
  return {
    ...{ host, agency, ownerId: owner.id, live, test: await keyOf('test') },
    ids: {
      clients: client.id,
      campaigns: campaign.id,
      searches: looks.id,
      leads: await one('select id from lead where company_id = $1', client.id),
      counts: counts[1]!,
      failed: counts[0]!,
      lists: (await make.exclusionList(client, 'client', ['ada@example.com'])).id,
      webhooks: webhook.body.id as string,
      endpoints: hook.id,
      messages: await one('select id from developer_message where hook_id = $1', hook.id),
    },
  };
}

beforeAll(async () => {
  endpoint = createServer((_request, reply) => reply.writeHead(204).end());
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  const { port } = endpoint.address() as AddressInfo;
  base = `http://hooks.localhost:${port}`;
  folder = mkdtempSync(join(tmpdir(), 'lead-contract-test-'));
  await buildSdk(folder);
  sdk = await import(pathToFileURL(join(folder, 'lib/index.js')).href);
  app = await testApp({ outboundExceptions: [`hooks.localhost:${port}`] });
  root = await app.make.root({ host: 'root.test', isMaster: true });
  acme = await worldOf(HOSTS.acme, 1);
  other = await worldOf(HOSTS.other, 2);
});
afterAll(async () => {
  expect(app.greedy).toEqual([]);
  endpoint.closeAllConnections();
  endpoint.close();
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Sends a request with the generated client. */
async function send(op: Op, request: object, secret: string | undefined, host = HOSTS.acme): Promise<Answer> {
  // A key's bucket is refilled while the clock moves on.
  app.clock.advance(150);
  const client = sdk.createApiClient(
    sdk.createConfig({
      baseUrl: `http://${host}`,
      ...(secret ? { auth: secret } : {}),
      fetch: async (given: globalThis.Request) => {
        const { pathname, search } = new URL(given.url);
        const payload = await given.text();
        const answer = await app.server.inject({
          method: given.method as 'GET',
          url: pathname + search,
          headers: { ...Object.fromEntries(given.headers), host },
          ...(payload ? { payload } : {}),
        });
        return new Response(answer.payload, {
          status: answer.statusCode,
          headers: answer.headers as Record<string, string>,
        });
      },
    }),
  );
  return sdk[op.operationId]!({ client, ...request });
}

const national = { location: 'national', keywords: ['tea'] };
/** A valid request of each operation, about what a world has. */
const VALID: Record<string, (world: World['ids'], n: string) => Request> = {
  getKey: () => ({}),
  listClients: () => ({
    query: { limit: 10, search: 'a', product: 'site_id', updated_since: '2026-01-01T00:00:00Z' },
  }),
  getClient: ({ clients: id }) => ({ path: { id } }),
  createClient: (_ids, n) => ({
    body: { name: 'Florist', owner: { name: 'Flo', email: `flo${n}@x.test`, phone: '+15045550100' } },
  }),
  updateClient: ({ clients: id }) => ({ path: { id }, body: { name: 'Bakery', owner: { name: 'Bea' } } }),
  listCampaigns: ({ clients: client_id }) => ({
    query: { client_id, status: 'active', updated_since: '2026-01-01T00:00:00Z' },
  }),
  getCampaign: ({ campaigns: id }) => ({ path: { id } }),
  createCampaign: ({ clients: client_id }) => ({
    body: { client_id, product: 'search_id', name: 'Teas', targeting: national, paused: true },
  }),
  updateCampaign: ({ campaigns: id }) => ({ path: { id }, body: { name: 'Shop', lead_limit: 5 } }),
  setCampaignStatus: ({ campaigns: id }) => ({ path: { id }, body: { status: 'paused' } }),
  sendTestLead: ({ campaigns: id }) => ({ path: { id } }),
  makeSandboxLead: ({ campaigns: campaign_id }) => ({ body: { campaign_id } }),
  listLeads: ({ clients: client_id, campaigns: campaign_id }) => ({
    query: {
      ...{ client_id, campaign_id, product: 'site_id', kind: 'person', max_score: 100, limit: 1 },
      ...{ created_since: '2026-01-01T00:00:00Z', updated_since: '2026-01-01T00:00:00Z' },
    },
  }),
  getLead: ({ leads: id }) => ({ path: { id } }),
  listKeywordCounts: ({ clients: client_id }) => ({ query: { client_id } }),
  getKeywordCount: ({ counts: id }) => ({ path: { id } }),
  requestKeywordCount: ({ clients: client_id }) => ({ body: { client_id, targeting: national } }),
  retryKeywordCount: ({ failed: id }) => ({ path: { id } }),
  applyKeywordCount: ({ counts: id, searches: campaign_id }) => ({ path: { id }, body: { campaign_id } }),
  listExclusionLists: ({ clients: client_id }) => ({ query: { client_id } }),
  getExclusionList: ({ lists: id }) => ({ path: { id } }),
  createExclusionList: ({ clients: client_id }) => ({
    body: { client_id, name: 'Customers', entries: ['ada@example.com'] },
  }),
  removeExclusionList: ({ lists: id }) => ({ path: { id } }),
  listDeliveries: ({ campaigns: campaign_id }) => ({ query: { campaign_id, status: 'delivered' } }),
  listWebhookEndpoints: () => ({}),
  getWebhookEndpoint: ({ endpoints: id }) => ({ path: { id } }),
  createWebhookEndpoint: ({ clients }) => ({
    body: { url: 'https://hooks.example.com/in', types: ['lead.accepted'], client_ids: [clients] },
  }),
  updateWebhookEndpoint: ({ endpoints: id }) => ({ path: { id }, body: { description: 'CRM' } }),
  rotateWebhookSecret: ({ endpoints: id }) => ({ path: { id } }),
  testWebhookEndpoint: ({ endpoints: id }) => ({ path: { id }, body: { type: 'lead.accepted' } }),
  recoverWebhookMessages: ({ endpoints: id }) => ({ path: { id }, body: { since: '2026-01-01T00:00:00Z' } }),
  removeWebhookEndpoint: ({ endpoints: id }) => ({ path: { id } }),
  listWebhookMessages: ({ endpoints: endpoint_id }) => ({ query: { endpoint_id } }),
  getWebhookMessage: ({ messages: id }) => ({ path: { id } }),
  resendWebhookMessage: ({ messages: id }) => ({ path: { id } }),
  listWebhookEventTypes: () => ({}),
  listWebhooks: ({ campaigns: campaign_id }) => ({ query: { campaign_id } }),
  getWebhook: ({ webhooks: id }) => ({ path: { id } }),
  addWebhook: ({ campaigns: campaign_id }) => ({
    body: { campaign_id, url: 'https://hooks.example.com/lead' },
  }),
  removeWebhook: ({ webhooks: id }) => ({ path: { id } }),
  listWebhookSamples: ({ campaigns: campaign_id }) => ({ query: { campaign_id } }),
  getWallet: () => ({}),
  getUsage: () => ({ query: { start_date: '2026-03-01', end_date: '2026-03-09' } }),
  listStatementLines: ({ clients: client_id }) => ({ query: { client_id, view: 'earnings' } }),
  createSsoToken: ({ clients: client_id }) => ({ body: { client_id } }),
};
const validOf = (op: Op, { ids, host }: World): Request => {
  const make = VALID[op.operationId];
  if (!make) throw new Error(`${op.operationId} needs a valid request in this test`);
  return make(ids, host);
};

const LONG = 'x'.repeat(70_000);
/** Values that a field must not have, by its schema. */
function wrongOf(shape: Shape, isQuery: boolean): unknown[] {
  const shapes = (shape.anyOf ?? [shape]).filter(({ type }) => type !== 'null');
  const isNullable = shapes.length < (shape.anyOf ?? [shape]).length;
  const [main] = shapes as [Shape];
  const { type, format, pattern, minimum, maximum, maxLength, maxItems } = main;
  const ofText = [
    ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1)]),
    ...(format || pattern || main.enum ? ['nope', ''] : []),
    ...(format === 'date' ? ['2026-02-30'] : format === 'date-time' ? ['2026-02-30T00:00:00Z'] : []),
    ...(format === 'uuid' ? ['018f2b7c'] : []),
    'a\u0000b',
  ];
  if (isQuery) return [...ofText, ['2026-03-01', '2026-03-02']];
  const fits = (value: unknown) =>
    (value === null && isNullable) ||
    shapes.some(
      (one) =>
        one.type === typeof value ||
        (one.type === 'integer' && typeof value === 'number') ||
        (one.type === 'array' && Array.isArray(value)) ||
        (one.type === 'object' && typeof value === 'object' && value !== null && !Array.isArray(value)),
    );
  return [
    ...[7, 'text', true, null, [], {}].filter((value) => !fits(value)),
    ...(type === 'string' ? ofText : []),
    ...(type === 'integer' ? [1.5, (minimum ?? 0) - 1, (maximum ?? 0) + 1] : []),
    ...(type === 'array' && maxItems !== undefined && maxItems <= 2_000
      ? [Array.from({ length: maxItems + 1 }, () => 'x')]
      : []),
    ...(main.enum ? [LONG] : []),
  ];
}

/** The fields of a body, with their paths; those of objects in it, too. */
const fieldsOf = (shape: Shape, at: string[] = []): [path: string[], shape: Shape][] =>
  Object.entries(shape.properties ?? {}).flatMap(([name, field]): [string[], Shape][] => {
    const path = [...at, name];
    return [[path, field], ...(field.properties ? fieldsOf(field, path) : [])];
  });

/** A body with a field set, or left out if the value is undefined. */
function having(body: object, path: string[], value: unknown): Record<string, unknown> {
  const copy = structuredClone(body) as Record<string, unknown>;
  let at = copy;
  for (const name of path.slice(0, -1)) {
    at[name] ??= {};
    at = at[name] as Record<string, unknown>;
  }
  if (value === undefined) delete at[path.at(-1)!];
  else at[path.at(-1)!] = value;
  return copy;
}

/** Expects a refusal that names a place and says how to correct it. */
function mustName({ response, error }: Answer, place: string, what: string): void {
  expect(
    [response.status, response.headers.get('content-type')],
    `${what}: ${JSON.stringify(error)}`,
  ).toEqual([422, 'application/problem+json; charset=utf-8']);
  const found = error!.errors!.filter(
    ({ location }) => location === place || location.startsWith(`${place}.`),
  );
  expect(found, `${what}: ${JSON.stringify(error)}`).not.toEqual([]);
  for (const { message, fix } of error!.errors!) {
    expect(message).not.toBe('');
    expect(fix).not.toBe('');
  }
}

describe('[DEV-03] [DEV-04] every operation of the document', () => {
  test('is in the client and has a valid request here, and nothing else has', () => {
    expect(operations.length).toBeGreaterThan(40);
    expect(Object.keys(VALID).sort()).toEqual(operations.map(({ operationId }) => operationId).sort());
    for (const { operationId } of operations) expect(sdk[operationId], operationId).toBeTypeOf('function');
  });

  test.each(named)('%s refuses a wrong value in each field, by its place', async (_name, op) => {
    const request = validOf(op, acme);
    if (request.path)
      for (const id of ['nope', '018f2b7c', '%00', LONG.slice(0, 300)])
        mustName(await send(op, { ...request, path: { id } }, acme.live), 'path.id', `id ${id}`);
    for (const { name, schema } of queryOf(op))
      for (const value of wrongOf(schema, true))
        mustName(
          await send(op, { ...request, query: { ...request.query, [name]: value } }, acme.live),
          `query.${name}`,
          `${name} ${JSON.stringify(value)?.slice(0, 60)}`,
        );
    const body = bodyOf(op);
    for (const [path, shape] of body ? fieldsOf(body) : [])
      for (const value of wrongOf(shape, false))
        mustName(
          await send(op, { ...request, body: having(request.body!, path, value) }, acme.live),
          `body.${path.join('.')}`,
          `${path.join('.')} ${JSON.stringify(value)?.slice(0, 60)}`,
        );
  });

  test.each(named)('%s refuses what it does not know and what is missing', async (_name, op) => {
    const request = validOf(op, acme);
    mustName(
      await send(op, { ...request, query: { ...request.query, colour: 'red' } }, acme.live),
      'query.colour',
      'an unknown parameter',
    );
    for (const { name, required } of queryOf(op))
      if (required)
        mustName(
          await send(op, { ...request, query: { ...request.query, [name]: undefined } }, acme.live),
          `query.${name}`,
          `without ${name}`,
        );
    const body = bodyOf(op);
    if (!body) return;
    mustName(
      await send(op, { ...request, body: { ...request.body, colour: 'red' } }, acme.live),
      'body.colour',
      'an unknown field',
    );
    for (const [path] of fieldsOf(body)) {
      let at: Shape = body;
      for (const name of path.slice(0, -1)) at = at.properties![name]!;
      if (at.required?.includes(path.at(-1)!))
        mustName(
          await send(op, { ...request, body: having(request.body!, path, undefined) }, acme.live),
          `body.${path.join('.')}`,
          `without ${path.join('.')}`,
        );
    }
  });

  test.each(named)('%s needs a key with each of its scopes', async (_name, op) => {
    const request = validOf(op, acme);
    const without = await send(op, request, undefined);
    expect([without.response.status, without.response.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="API"',
    ]);
    for (const scope of op.security[0].bearer) {
      const { secret, id } = await app.make.apiKey(acme.agency, acme.ownerId, {
        scopes: SCOPE_NAMES.filter((one) => one !== scope),
      });
      const { response, error } = await send(op, request, secret);
      expect([response.status, response.headers.get('www-authenticate')], JSON.stringify(error)).toEqual([
        403,
        'Bearer realm="API", error="insufficient_scope"',
      ]);
      await app.admin.query('update developer_key set removed_at = now() where id = $1', [id]);
    }
  });

  /** Expects that nothing of a world was found, changed, or told. */
  async function mustNotReach(op: Op, request: Request, world: World, secret: string): Promise<void> {
    const ids = Object.values(world.ids);
    const names = JSON.stringify(request);
    const { response, data, error } = await send(op, request, secret);
    const isAbout = ids.some((id) => names.includes(id));
    if (isAbout && op.method !== 'get')
      expect([403, 404, 409, 422], `${response.status} ${JSON.stringify(error ?? data)}`).toContain(
        response.status,
      );
    if (request.path) expect(response.status, JSON.stringify(error ?? data)).toBe(404);
    if (op.operationId !== 'makeSandboxLead')
      for (const id of ids) expect(JSON.stringify(data ?? {}), `of ${op.operationId}`).not.toContain(id);
  }
  test.each(named)('%s finds nothing of another tenant', async (_name, op) => {
    await mustNotReach(op, validOf(op, other), other, acme.live);
  });
  test.each(named)('%s finds nothing of live data with a test key', async (_name, op) => {
    await mustNotReach(op, validOf(op, acme), acme, acme.test);
  });
  test('a key works at its own tenant’s address only', async () => {
    const [, op] = named[0]!;
    expect((await send(op, validOf(op, acme), acme.live, HOSTS.other)).response.status).toBe(401);
  });

  // Last, since they change what the others are about.
  test.each([
    ...named.filter(([name]) => !name.startsWith('remove')),
    ...named.filter(([name]) => name.startsWith('remove')),
  ])('%s answers a valid request as documented', async (name, op) => {
    app.clock.advance(120_000);
    const inTest = name === 'makeSandboxLead';
    const request = validOf(op, acme);
    if (inTest)
      request.body = {
        campaign_id: await one(
          `select c.id from campaign c join developer_sandbox s on s.sandbox_agency_id = c.agency_id
           where s.company_id = $1 and c.state = 'active'`,
          acme.agency.id,
        ),
      };
    const { response, data, error } = await send(op, request, inTest ? acme.test : acme.live);
    expect(error).toBeUndefined();
    const documented = op.responses[response.status];
    expect(documented, `${response.status} is documented`).toBeDefined();
    const schema = z.fromJSONSchema(documented!.content['application/json'].schema as never);
    expect(schema.safeParse(data).error).toBeUndefined();
    for (const header of ['lead-version', 'ratelimit', 'ratelimit-policy', 'x-request-id'])
      expect(response.headers.get(header), header).not.toBeNull();
  });
});
