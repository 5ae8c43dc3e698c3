import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiScope } from '../../../../contract/developer/developer-rules.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';
import { RATE } from './rate.ts';
import { resources } from './v1.resources.ts';
import { writes } from './v1.writes.ts';

const HOST = 'acme.test';
let app: TestApp;
let root: Company;
let acme: Company;
let ann: string;
let bakery: Company;
let campaign: MadeCampaign;
let foreign: MadeCampaign;

/** A key of Acme with these scopes. */
async function make(scopes: ApiScope[], mode: 'live' | 'test' = 'live'): Promise<string> {
  const { body } = await app.call('POST', '/api/developer/keys', {
    host: HOST,
    token: ann,
    body: { name: 'Assistant', mode, scopes },
  });
  return String(body.secret_key);
}

/** A client of the protocol, whose requests reach the server without a network. */
async function connect(secret: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`http://${HOST}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${secret}` } },
      fetch: async (url, init) => {
        const { pathname } = new URL(url);
        const answer = await app.server.inject({
          method: (init?.method ?? 'GET') as 'GET',
          url: pathname,
          headers: { ...Object.fromEntries(new Headers(init?.headers)), host: HOST },
          ...(init?.body ? { payload: init.body as string } : {}),
        });
        const isEmpty = answer.statusCode === 202 || answer.statusCode === 204;
        return new Response(isEmpty ? null : answer.payload, {
          status: answer.statusCode,
          headers: Object.entries(answer.headers).map(([name, value]): [string, string] => [
            name,
            String(value),
          ]),
        });
      },
    }),
  );
  return client;
}
async function call(client: Client, name: string, given: Record<string, unknown> = {}) {
  const answer = await client.callTool({ name, arguments: given });
  const [{ text }] = answer.content as [{ text: string }];
  return { isError: answer.isError === true, text, json: answer.isError ? null : JSON.parse(text) };
}
const post = (body: string, headers: Record<string, string> = {}) =>
  app.server.inject({
    method: 'POST',
    url: '/mcp',
    headers: {
      host: HOST,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    payload: body,
  });

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test', isMaster: true });
  acme = await app.make.agency(root, { host: HOST, name: 'Acme' });
  const owner = await app.make.user(acme, { email: 'ann@x.test', password: PASSWORD });
  await app.make.developer(acme, owner.id);
  ann = await app.signIn('ann@x.test', HOST);
  bakery = await app.make.client(acme, { name: 'Bakery' });
  campaign = await app.make.campaign(bakery, { name: 'Shop', price: 2_500_000n, balance: 900_000_000n });
  const other = await app.make.agency(root, { host: 'other.test', name: 'Other' });
  foreign = await app.make.campaign(await app.make.client(other), { price: 1_000_000n, balance: 9_000_000n });
  for (const one of [campaign, campaign, foreign]) {
    const person = app.make.person();
    await app.make.people(root, [person]);
    await app.make.visit(one, { email: person.email! });
    await app.features.leads.resolver.resolveAll();
  }
});
afterAll(() => app.close());

describe('[BEY-24] the MCP server', () => {
  test('lists the reads of the key’s scopes as tools, says whose it is, and offers a daily brief of them', async () => {
    const client = await connect(await make(['leads.read', 'wallet.read']));
    expect(client.getServerVersion()).toMatchObject({ title: 'Acme' });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'list_leads',
      'get_lead',
      'list_webhook_samples',
      'get_wallet',
    ]);
    expect(tools[0]!.inputSchema.properties).toMatchObject({
      limit: { type: 'integer', maximum: 100 },
      campaign_id: { type: 'string', format: 'uuid' },
    });
    expect(tools[1]!.inputSchema.required).toEqual(['id']);
    for (const tool of tools) expect(tool.annotations?.readOnlyHint).toBe(true);
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['daily_brief']);
    const brief = await client.getPrompt({ name: 'daily_brief' });
    const { text } = brief.messages[0]!.content as { text: string };
    expect([text.includes('list_leads'), text.includes('list_deliveries')]).toEqual([true, false]);
    const all = [...resources, ...writes].map(({ tool }) => tool);
    expect(new Set(all).size).toBe(all.length);
  });

  test('has tools that write only if a scope turns them on, each with the scopes of its own', async () => {
    const scopes: ApiScope[] = ['clients.read', 'clients.write', 'campaigns.write', 'webhooks.write'];
    const tools = async (secret: string) => (await (await connect(secret)).listTools()).tools;
    const off = await tools(await make(scopes));
    expect(off.filter(({ annotations }) => !annotations?.readOnlyHint)).toEqual([]);
    const secret = await make([...scopes, 'tools.write']);
    const on = (await tools(secret)).filter(({ annotations }) => !annotations?.readOnlyHint);
    // A webhook that delivers leads needs leads.read, too.
    const allowed = writes.filter(({ scope, also }) => scopes.includes(scope) && !also);
    expect(on.map(({ name }) => name)).toEqual(allowed.map(({ tool }) => tool));
    expect(on.find(({ name }) => name === 'update_client')).toMatchObject({
      inputSchema: { required: ['id'], properties: { name: { type: 'string' }, idempotency_key: {} } },
      annotations: { readOnlyHint: false, destructiveHint: true },
    });
    const reader = await connect(await make(scopes));
    const change = { id: bakery.id, external_id: 'F-1' };
    await expect(reader.callTool({ name: 'update_client', arguments: change })).rejects.toThrow(
      'no such tool',
    );

    const client = await connect(secret);
    const owner = { name: 'Flo Flores', email: 'flo@x.test', phone: '+15045550100' };
    const { id } = (await call(client, 'create_client', { name: 'Florist', owner })).json;
    const changed = await call(client, 'update_client', { ...change, id });
    expect(changed, changed.text).toMatchObject({ json: { external_id: 'F-1' } });
    const given = { url: 'https://hooks.example.com/x', types: ['client.created'], idempotency_key: 'once' };
    const made = await call(client, 'create_webhook_endpoint', given);
    expect((await call(client, 'create_webhook_endpoint', given)).json.id).toBe(made.json.id);
    expect((await call(client, 'list_webhook_endpoints')).json.data).toHaveLength(1);
    const others = { ...change, id: foreign.owner.company_id };
    expect(await call(client, 'update_client', others)).toMatchObject({
      isError: true,
      text: ownMessages.notFound,
    });
    expect((await call(client, 'update_client', { id, owner_id: 'x' })).text).toMatch(
      /owner_id: is not a parameter/,
    );
    expect((await call(client, 'update_client', { ...change, idempotency_key: 7 })).text).toContain(
      'idempotency_key: must be a text',
    );
    for (const given of [{ name: { $ne: null } }, { name: 'x'.repeat(10_000) }, { __proto__: { name: 'x' } }])
      await call(client, 'update_client', { id, ...given });
    expect((await call(client, 'get_client', { id })).json.name).toBe('Florist');
  });

  test('answers with what the same read of the API answers, and nothing of other tenants', async () => {
    const secret = await make(['leads.read', 'campaigns.read', 'clients.read']);
    const client = await connect(secret);
    const leads = await call(client, 'list_leads', { limit: 1 });
    const same = await app.call('GET', '/v1/leads?limit=1', { host: HOST, token: secret });
    expect(leads.json).toEqual(same.body);
    const next = await call(client, 'list_leads', { limit: 5, cursor: leads.json.next_cursor });
    expect([next.json.data.length, next.json.next_cursor]).toEqual([1, null]);
    expect((await call(client, 'get_campaign', { id: campaign.id })).json.name).toBe('Shop');
    expect(await call(client, 'get_campaign', { id: foreign.id })).toMatchObject({
      isError: true,
      text: ownMessages.notFound,
    });
    expect((await call(client, 'list_leads', { campaign_id: foreign.id })).json.data).toEqual([]);
  });

  test('tells what is wrong with an argument and how to correct it; a hostile one changes nothing', async () => {
    const client = await connect(await make(['leads.read', 'clients.read']));
    expect(await call(client, 'list_leads', { limit: 1000, campaign_id: 'x' })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/limit: must be a whole number from 1 to 100\. .*\ncampaign_id: /),
    });
    const hostile: Record<string, unknown>[] = [
      { search: "'; drop table lead; --" },
      { search: '\u0000' },
      { search: 'x'.repeat(10_000) },
      { search: { $ne: null } },
      { search: ['a', 'b'] },
      { __proto__: { polluted: true }, constructor: 'x' },
      { unknown: 1 },
    ];
    for (const given of hostile) {
      const { isError, json } = await call(client, 'list_clients', given);
      expect(isError || json.data.length <= 1, JSON.stringify(given)).toBe(true);
    }
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    await expect(client.callTool({ name: 'list_campaigns' })).rejects.toThrow('no such tool for this key');
    await expect(client.callTool({ name: 'constructor' })).rejects.toThrow('no such tool for this key');
  });

  test('cuts long lists of plain values', async () => {
    const zips = Array.from({ length: 5000 }, (_, at) => String(10_000 + at));
    const { id } = await app.make.campaign(await app.make.client(acme), {
      search: { location: 'zip', states: [], cities: [], zips, keywords: ['tea'] },
    });
    const client = await connect(await make(['campaigns.read']));
    const { json } = await call(client, 'get_campaign', { id });
    expect(json.targeting.zips).toHaveLength(201);
    expect(json.targeting.zips.at(-1)).toBe('and 4800 more');
  });

  test('refuses an answer that is too large for an assistant, and says how to ask for less', async () => {
    await app.admin.query(`update lead_contact set page_url = 'https://shop.test/?' || repeat('x', 120000)`);
    const client = await connect(await make(['leads.read']));
    expect(await call(client, 'list_leads')).toMatchObject({
      isError: true,
      text: expect.stringMatching(
        /^The answer has \d{6} characters, and only 200000 are allowed\. Ask for fewer items with limit\.$/,
      ),
    });
    const one = await call(client, 'list_leads', { limit: 1 });
    expect([one.isError, one.json.data.length]).toEqual([false, 1]);
  });

  test('needs a working key, takes one message at a time, and none from a page of another site', async () => {
    const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const secret = await make(['leads.read']);
    const authorization = `Bearer ${secret}`;
    expect((await post(message)).statusCode).toBe(401);
    expect((await post(message, { authorization: `Bearer ${ann}` })).statusCode).toBe(401);
    expect((await post(message, { authorization })).statusCode).toBe(200);
    expect((await post(`[${message},${message}]`, { authorization })).statusCode).toBe(400);
    expect((await post('{', { authorization })).statusCode).toBe(400);
    expect((await post(`${'['.repeat(20_000)}`, { authorization })).statusCode).toBe(400);
    expect((await post(message, { authorization, origin: 'https://evil.test' })).statusCode).toBe(403);
    expect((await post(message, { authorization, origin: `http://${HOST}` })).statusCode).toBe(200);
    expect((await post(message, { authorization, host: 'other.test' })).statusCode).toBe(401);
    expect((await post(`"${'x'.repeat(100_000)}"`, { authorization })).statusCode).toBe(413);
    for (const method of ['GET', 'DELETE'] as const) {
      const { statusCode, headers } = await app.server.inject({
        method,
        url: '/mcp',
        headers: { host: HOST },
      });
      expect([statusCode, headers.allow]).toEqual([405, 'POST']);
    }
    const test = await connect(await make(['leads.read'], 'test'));
    expect((await call(test, 'list_leads')).text).toContain('@example.com');
  });

  test('counts against the limit of the key', async () => {
    const authorization = `Bearer ${await make(['leads.read'])}`;
    const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const answers = await Promise.all(
      Array.from({ length: RATE.burst + 5 }, () => post(message, { authorization })),
    );
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(5);
  });
});
