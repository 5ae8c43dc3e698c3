import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildSdk } from '../../../../scripts/sdk/build.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { resources } from './v1.resources.ts';

const HOST = 'acme.test';

interface Result {
  data?: Record<string, unknown> & { data: { id: string }[]; next_cursor: string | null };
  error?: { status: number; errors?: { location: string; fix: string }[] };
}
type Operation = (options: {
  client: unknown;
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
}) => Promise<Result>;
interface Sdk {
  createApiClient: (config: object) => unknown;
  createConfig: (config: object) => object;
  pages: (read: (cursor: string | undefined) => Promise<Result>) => AsyncIterable<{ id: string }>;
  [operation: string]: unknown;
}

let app: TestApp;
let acme: Company;
let sdk: Sdk;
let client: unknown;
let secret: string;
let folder: string;
/** The id of an item of each list, for reading it by itself. */
const ids: Record<string, string> = {};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lead-sdk-test-'));
  await buildSdk(folder);
  sdk = (await import(pathToFileURL(join(folder, 'lib/index.js')).href)) as Sdk;
  app = await testApp();
  const root = await app.make.root({ host: 'root.test', isMaster: true });
  acme = await app.make.agency(root, { host: HOST });
  const owner = await app.make.user(acme, { email: 'ann@x.test', password: PASSWORD });
  await app.make.developer(acme, owner.id);
  secret = (await app.make.apiKey(acme, owner.id)).secret;
  const bakery = await app.make.client(acme);
  const campaign = await app.make.campaign(bakery, { price: 1_000_000n, balance: 90_000_000n });
  for (let n = 0; n < 3; n++) {
    const person = app.make.person();
    await app.make.people(root, [person]);
    await app.make.visit(campaign, { email: person.email! });
    await app.features.leads.resolver.resolveAll();
    app.clock.advance(1000);
  }
  const search = { location: 'national' as const, states: [], cities: [], zips: [], keywords: ['tea'] };
  const looks = await app.make.campaign(bakery, { search });
  await app.features.signals.counts.seed(looks.owner, looks.id, search);
  const { rows } = await app.admin.query<{ lead: string; count: string }>(
    'select (select id from lead limit 1) as lead, (select id from intent_count limit 1) as count',
  );
  const hook = await app.call('POST', '/v1/webhooks', {
    host: HOST,
    token: secret,
    body: { campaign_id: campaign.id, url: 'https://hooks.example.com/x', format: 'flat' },
  });
  expect(hook.status).toBe(201);
  const endpoint = await app.make.hook(acme, owner.id, {
    url: 'https://hooks.example.com/y',
    about: [bakery],
  });
  const messages = await app.admin.query<{ id: string }>('select id from developer_message limit 1');
  Object.assign(ids, {
    clients: bakery.id,
    campaigns: campaign.id,
    leads: rows[0]!.lead,
    'keyword-counts': rows[0]!.count,
    webhooks: hook.body.id,
    'webhook-endpoints': endpoint.id,
    'webhook-messages': messages.rows[0]!.id,
    'exclusion-lists': (await app.make.exclusionList(bakery, 'client', ['ada@example.com'])).id,
  });
  client = sdk.createApiClient(
    sdk.createConfig({
      baseUrl: `http://${HOST}`,
      auth: secret,
      fetch: async (request: Request) => {
        const { pathname, search: query } = new URL(request.url);
        const answer = await app.server.inject({
          method: request.method as 'GET',
          url: pathname + query,
          headers: { ...Object.fromEntries(request.headers), host: HOST },
        });
        return new Response(answer.payload, {
          status: answer.statusCode,
          headers: { 'content-type': String(answer.headers['content-type']) },
        });
      },
    }),
  );
});
afterAll(async () => {
  await app?.close();
  rmSync(folder, { recursive: true, force: true });
});

const nameOf = (tool: string) => tool.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const operation = (tool: string) => sdk[nameOf(tool)] as Operation;

/** An answer without the count of requests, which each of them changes. */
const asOf = (answer: unknown) =>
  JSON.parse(JSON.stringify(answer, (key, value) => (key === 'requests' ? undefined : value)));

describe('[BEY-25] the TypeScript client', () => {
  test.each(resources.map(({ tool, url }) => [tool, url]))(
    '%s answers as the API does',
    async (tool, url) => {
      const [, list = ''] = /^\/v1\/([a-z-]+)/.exec(url)!;
      const id = ids[list];
      const ofCampaign = ['list_deliveries', 'list_webhooks', 'list_webhook_samples'];
      const needs = ofCampaign.includes(tool)
        ? { campaign_id: ids.campaigns }
        : tool === 'list_webhook_messages'
          ? { endpoint_id: ids['webhook-endpoints'] }
          : {};
      const { data, error } = await operation(tool)({
        client,
        ...(url.includes(':id') ? { path: { id } } : { query: needs }),
      });
      expect(error).toBeUndefined();
      const query = new URLSearchParams(needs as Record<string, string>).toString();
      const same = await app.call('GET', `${url.replace(':id', id ?? '')}${query ? `?${query}` : ''}`, {
        host: HOST,
        token: secret,
      });
      expect([same.status, asOf(data)]).toEqual([200, asOf(same.body)]);
    },
  );

  test('names its key, reads lists to their end, and returns refusals with how to correct them', async () => {
    const { data } = await operation('get_key')({ client });
    expect(data).toMatchObject({ mode: 'live', company: { id: acme.id } });
    const found: string[] = [];
    const list = operation('list_leads');
    for await (const lead of sdk.pages((cursor) => list({ client, query: { limit: 1, cursor } })))
      found.push(lead.id);
    expect(new Set(found).size).toBe(3);
    const { error } = await list({ client, query: { limit: 1000 } });
    expect(error).toMatchObject({
      status: 422,
      errors: [{ location: 'query.limit', fix: expect.any(String) }],
    });
    await expect(
      (async () => {
        for await (const _ of sdk.pages(() => list({ client, query: { cursor: 'x' } })));
      })(),
    ).rejects.toMatchObject({ status: 422 });
  });
});
