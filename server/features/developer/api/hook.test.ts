import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type ApiScope, SCOPE_NAMES } from '../../../../contract/developer/developer-rules.ts';
import { HOOK_EVENT_NAMES, HOOK_EVENTS, MOST_HOOKS } from '../../../../contract/developer/hook-events.ts';
import { EVENT_DATA } from '../../../../contract/developer/v1.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';
import { type FanPayload, laneOf, type MessagePayload } from './hook.queue.ts';
import { EVENT_TYPES } from './v1.resources.ts';

const HOST = 'acme.test';
let app: TestApp;
let root: Company;
let acme: Company;
let owner: { id: string };
let client: Company;
let campaign: MadeCampaign;
let secret: string;
let ann: string;

/** The endpoint: responds by path as configured, and records what it received. */
let endpoint: Server;
let base: string;
let wire: { path: string; headers: IncomingHttpHeaders; body: string }[] = [];
let answers: Record<string, (reply: ServerResponse) => void> = {};

type Body = Record<string, unknown> & { id: string; secret: string; data: Body[] };
const ask = async (
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
  as = secret,
): Promise<{ status: number; body: Body }> => {
  app.clock.advance(1000);
  const answer = await app.call(method as 'POST', `/v1/${path}`, {
    host: HOST,
    token: as,
    ...(body ? { body } : {}),
  });
  return { status: answer.status, body: answer.body as Body };
};
const add = async (path: string, given: object = {}): Promise<Body> => {
  const { status, body } = await ask('POST', 'webhook-endpoints', {
    url: base + path,
    types: ['*'],
    ...given,
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
};

const done = new Set<string>();
/** Runs the jobs that wait for events and messages, as workers would; those in the future wait on. */
async function work(): Promise<void> {
  for (;;) {
    const { rows } = await app.admin.query<{ id: string; name: string; data: FanPayload & MessagePayload }>(
      `select id, name, data from pgboss.job where name in ('developer.event', 'developer.message')
       and start_after <= greatest(now(), $1::timestamptz) order by created_on, id`,
      [app.clock.now()],
    );
    const open = rows.filter(({ id }) => !done.has(id));
    if (open.length === 0) return;
    for (const { id, name, data } of open) {
      done.add(id);
      const { hooks } = app.features.developer.api;
      await (name === 'developer.event' ? hooks.fan(data) : hooks.attempt(data));
    }
  }
}
const messages = async (endpointId: string, query = '') =>
  (await ask('GET', `webhook-messages?endpoint_id=${endpointId}${query}`)).body.data;

/** A campaign finds someone. */
async function find(of = campaign): Promise<string> {
  await app.features.visits.keepPartitions();
  const person = app.make.person();
  await app.make.people(root, [person]);
  await app.make.visit(of, { email: person.email! });
  await app.features.leads.resolver.resolveAll();
  return person.email!;
}

beforeAll(async () => {
  endpoint = createServer((request, reply) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      wire.push({ path: request.url!, headers: request.headers, body });
      const answer = answers[request.url!];
      if (answer) answer(reply);
      else reply.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  const { port } = endpoint.address() as AddressInfo;
  base = `http://hooks.localhost:${port}`;
  app = await testApp({ outboundExceptions: [`hooks.localhost:${port}`] });
  root = await app.make.root({ host: 'root.test', isMaster: true });
  acme = await app.make.agency(root, { host: HOST, name: 'Acme' });
  owner = await app.make.user(acme, { email: 'ann@x.test', password: PASSWORD });
  await app.make.developer(acme, owner.id);
  client = await app.make.client(acme, { name: 'Bakery' });
  campaign = await app.make.campaign(client, { price: 1_000_000n, balance: 900_000_000n });
  secret = (await app.make.apiKey(acme, owner.id, { scopes: [...SCOPE_NAMES] })).secret;
});
afterAll(async () => {
  expect(app.greedy).toEqual([]);
  endpoint.closeAllConnections();
  endpoint.close();
  await app.close();
});
beforeEach(async () => {
  app.clock.advance(3_600_000);
  ann = await app.signIn('ann@x.test', HOST);
  for (const { id } of (await ask('GET', 'webhook-endpoints')).body.data)
    expect((await ask('DELETE', `webhook-endpoints/${id}`)).status).toBe(200);
  await work();
  wire = [];
  answers = {};
});

describe('[DEV-04] webhooks for developers', () => {
  test('tell of a lead, signed, with the data that the API returns', async () => {
    const { id, secret: signing } = await add('/hook');
    app.clock.advance(Date.now() - app.clock.now().getTime());
    ann = await app.signIn('ann@x.test', HOST);
    const email = await find();
    await work();
    expect(wire).toHaveLength(1);
    const [{ headers, body }] = wire as [(typeof wire)[0]];
    const message = new Webhook(signing).verify(body, headers as Record<string, string>) as Body;
    expect(message).toMatchObject({ type: 'lead.accepted', test: false, data: { person: { email } } });
    const lead = (message as unknown as { data: Body }).data;
    expect((await ask('GET', `leads/${lead.id}`)).body).toEqual(lead);
    const [row] = await messages(id);
    expect(row).toMatchObject({
      type: 'lead.accepted',
      status: 'delivered',
      attempts: 1,
      message_id: headers['webhook-id'],
      object_id: lead.id,
    });
    expect((await ask('GET', `webhook-messages/${row!.id}`)).body).toMatchObject({
      tries: [{ number: 1, status: 204, error: null }],
    });
    // Nothing personal is kept.
    const kept = await app.admin.query(
      `select (select string_agg(m::text, '') from developer_message m) || (select string_agg(data::text, '') from pgboss.job where name like 'developer.%') as text`,
    );
    expect(kept.rows[0].text).not.toContain(email);
    // The same person comes back on another day.
    app.clock.advance(86_400_000);
    ann = await app.signIn('ann@x.test', HOST);
    await app.features.visits.keepPartitions();
    await app.make.visit(campaign, { email, url: 'https://shop.example.com/pricing' });
    await app.features.leads.resolver.resolveAll();
    await work();
    expect(JSON.parse(wire[1]!.body)).toMatchObject({ type: 'lead.returned', data: { id: lead.id } });
    wire = [wire[0]!];
    // Anyone who was excluded since is not in it.
    await app.make.exclusionList(client, 'client', [email]);
    expect((await ask('POST', `webhook-messages/${row!.id}/resend`)).status).toBe(200);
    await work();
    expect(wire[1]!.headers['webhook-id']).toBe(headers['webhook-id']);
    expect(JSON.parse(wire[1]!.body)).toMatchObject({ data: { excluded: true, person: null } });
  });

  test('keep no answer that repeats what an endpoint was told', async () => {
    const { id } = await add('/echo', { types: ['lead.accepted'] });
    answers['/echo'] = (reply) =>
      reply
        .writeHead(422, { 'content-type': 'application/json' })
        .end(JSON.stringify({ message: 'duplicate', received: JSON.parse(wire.at(-1)!.body) }));
    const email = await find();
    await work();
    const [row] = await messages(id);
    const { tries } = (await ask('GET', `webhook-messages/${row!.id}`)).body as unknown as { tries: Body[] };
    const { person } = (JSON.parse(wire[0]!.body) as { data: { person: Record<string, string | null> } })
      .data;
    expect(person).toMatchObject({ email });
    expect(tries[0]).toMatchObject({ status: 422, answer: expect.stringContaining('duplicate') });
    for (const [field, value] of Object.entries(person))
      if (typeof value === 'string' && value.length > 1 && !/state|country/.test(field))
        expect([field, String(tries[0]!.answer).includes(value)]).toEqual([field, false]);
  });

  test('tell of what people and programs change, by type and client', async () => {
    const { body: florist } = await ask('POST', 'clients', {
      name: 'Florist',
      owner: { name: 'Flo', email: 'flo@x.test', phone: '+15045550100' },
    });
    await add('/all');
    await add('/campaigns', { types: ['campaign.created', 'campaign.paused', 'campaign.resumed'] });
    await add('/florist', { client_ids: [florist.id] });
    const shop = { product: 'site_id', name: 'Shop', site_url: 'https://shop.example.com/' };
    const made = await ask('POST', 'campaigns', { ...shop, client_id: client.id, payment_term: 'Weekly' });
    await ask('POST', 'campaigns', { ...shop, client_id: florist.id });
    const path = `/api/leadspeek/client/activepause`;
    for (const status of ['paused', 'active'])
      await app.call('POST', path, { host: HOST, token: ann, body: { leadspeekID: made.body.id, status } });
    await ask('PATCH', `clients/${florist.id}`, { industry: 'Flowers' });
    await ask('POST', 'keyword-counts', {
      client_id: client.id,
      targeting: { keywords: ['tea'], location: 'national' },
    });
    const { rows } = await app.admin.query('select id from intent_count');
    await app.features.signals.counts.run(root.id, rows[0].id);
    await work();
    const told = (path: string) =>
      wire.filter((one) => one.path === path).map(({ body }) => (JSON.parse(body) as { type: string }).type);
    const campaigns = ['campaign.created', 'campaign.created', 'campaign.paused', 'campaign.resumed'];
    expect(told('/campaigns').sort()).toEqual(campaigns);
    expect(told('/florist').sort()).toEqual(['campaign.created', 'client.updated']);
    expect(told('/all').sort()).toEqual([...campaigns, 'client.updated', 'keyword_count.finished'].sort());
  });

  test('are retried, recovered since an instant, and disabled when they want no more', async () => {
    const { id } = await add('/bad', { types: ['lead.accepted'] });
    answers['/bad'] = (reply) => reply.writeHead(500).end('oh no');
    await find();
    await work();
    const [row] = await messages(id);
    expect(row).toMatchObject({ status: 'pending', attempts: 1, next_attempt_at: expect.any(String) });
    // All ten attempts: the agency is told halfway, and at the end it is disabled.
    for (let n = 2; n <= 10; n++) {
      app.clock.advance(2 * 86_400_000);
      await work();
    }
    expect(await messages(id, '&status=failed')).toMatchObject([{ attempts: 10 }]);
    const { rows: mails } = await app.admin.query(
      `select subject from mail where kind = 'developer.hook' order by created_at, id`,
    );
    expect(mails.map(({ subject }) => subject)).toEqual([
      'A webhook endpoint is failing',
      'A webhook endpoint was disabled',
    ]);
    expect((await ask('GET', `webhook-endpoints/${id}`)).body).toMatchObject({
      status: 'disabled',
      status_reason: 'failing',
    });
    expect((await ask('POST', `webhook-messages/${row!.id}/resend`)).status).toBe(409);
    const since = new Date(app.clock.now().getTime() - 60 * 86_400_000).toISOString();
    expect((await ask('POST', `webhook-endpoints/${id}/recover`, { since })).status).toBe(409);
    await ask('PATCH', `webhook-endpoints/${id}`, { disabled: false });
    delete answers['/bad'];
    expect((await ask('POST', `webhook-endpoints/${id}/recover`, { since })).body).toEqual({ messages: 1 });
    await work();
    expect(await messages(id, '&status=delivered')).toHaveLength(1);
    answers['/bad'] = (reply) => reply.writeHead(410).end();
    await find();
    await work();
    expect((await ask('GET', `webhook-endpoints/${id}`)).body.status_reason).toBe('gone');
    answers['/bad'] = (reply) => reply.writeHead(302, { location: 'http://127.0.0.1/' }).end();
    await ask('PATCH', `webhook-endpoints/${id}`, { disabled: false });
    await find();
    await work();
    const [moved] = await messages(id);
    expect((await ask('GET', `webhook-messages/${moved!.id}`)).body).toMatchObject({
      tries: [{ status: 302, error: expect.stringContaining('Redirects are not followed') }],
    });
  });

  test('[BEY-30] that are removed while they answer 410 stay removed', async () => {
    const { id } = await add('/last', { types: ['lead.accepted'] });
    answers['/last'] = (reply) =>
      void ask('DELETE', `webhook-endpoints/${id}`).then(() => reply.writeHead(410).end());
    await find();
    await work();
    expect((await ask('GET', `webhook-endpoints/${id}`)).status).toBe(404);
    const { rows } = await app.admin.query('select state, state_reason from developer_hook where id = $1', [
      id,
    ]);
    expect(rows).toEqual([{ state: 'removed', state_reason: 'person' }]);
  });

  test('that hang or are slow delay no other', async () => {
    const hanging = await add('/hang', { types: ['lead.accepted'] });
    const good = await add('/good', { types: ['lead.accepted'] });
    answers['/hang'] = () => {};
    const real = app.features.outbound.fetch;
    app.features.outbound.fetch = (url, request) => real(url, { ...request, timeoutMs: 100 });
    try {
      await find();
      await work();
    } finally {
      app.features.outbound.fetch = real;
    }
    expect(await messages(good.id)).toMatchObject([{ status: 'delivered' }]);
    const [row] = await messages(hanging.id);
    expect((await ask('GET', `webhook-messages/${row!.id}`)).body).toMatchObject({
      tries: [{ status: null, error: expect.stringContaining('No complete response') }],
    });
    // Each has its own lane; those that were slow share one of their agency.
    const job = { rootId: root.id, agencyId: acme.id, id: row!.id, attempt: 0 };
    const lanes = [hanging.id, good.id].map((hookId) => laneOf({ ...job, hookId }));
    expect(new Set(lanes).size).toBe(2);
    const slow = [hanging.id, good.id].map((hookId) => laneOf({ ...job, hookId, isSlow: true }));
    expect(new Set(slow).size).toBe(1);
    const { rows } = await app.admin.query(
      `select distinct group_id from pgboss.job where name = 'developer.message' and data->>'hookId' = any($1)`,
      [[hanging.id, good.id]],
    );
    expect(rows.map((one) => one.group_id).sort()).toEqual(lanes.sort());
  });

  test('sign with two secrets for 24 hours after a rotation', async () => {
    const { id, secret: first } = await add('/turn', { types: ['client.updated'] });
    app.clock.advance(Date.now() - app.clock.now().getTime());
    const turned = await ask('POST', `webhook-endpoints/${id}/rotate-secret`);
    expect([turned.status, turned.body.secret === first]).toEqual([200, false]);
    const send = async () => {
      wire = [];
      app.clock.advance(60_000);
      const { status } = await ask('POST', `webhook-endpoints/${id}/test`, { type: 'client.updated' });
      expect(status).toBe(200);
      return wire[0]!;
    };
    const verifies = ({ body, headers }: (typeof wire)[0], by: string) => {
      try {
        new Webhook(by).verify(body, headers as Record<string, string>);
        return true;
      } catch (error) {
        return String(error);
      }
    };
    const both = await send();
    expect([first, turned.body.secret].map((one) => verifies(both, one))).toEqual([true, true]);
    expect(JSON.parse(both.body)).toMatchObject({ test: true, type: 'client.updated' });
    const again = await ask('POST', `webhook-endpoints/${id}/test`, { type: 'client.updated' });
    expect(again.status).toBe(429);
    expect((await ask('GET', `webhook-endpoints/${id}`)).body.previous_secret_until).toEqual(
      expect.any(String),
    );
    app.clock.advance(24 * 3_600_000);
    expect((await send()).headers['webhook-signature']).not.toContain(' ');
    const { rows } = await app.admin.query('select secret_sealed from developer_hook where id = $1', [id]);
    expect(rows[0].secret_sealed).not.toContain(turned.body.secret.slice(6, 20));
    expect(JSON.stringify((await ask('GET', 'webhook-endpoints')).body)).not.toContain('whsec_');
  });

  test('are refused at internal addresses, beyond a key’s scopes, for others’ clients, and beyond their number', async () => {
    for (const url of ['https://127.0.0.1/x', 'https://169.254.169.254/latest', 'http://example.com/x'])
      expect((await ask('POST', 'webhook-endpoints', { url, types: ['*'] })).status).toBe(422);
    const small = async (scopes: ApiScope[]) => (await app.make.apiKey(acme, owner.id, { scopes })).secret;
    const narrow = await small(['webhooks.write', 'campaigns.read']);
    const made = { url: `${base}/x`, types: ['campaign.created'] };
    const { status, body } = await ask('POST', 'webhook-endpoints', made, narrow);
    expect(status).toBe(201);
    const wider = { types: ['lead.accepted'] };
    expect((await ask('PATCH', `webhook-endpoints/${body.id}`, wider, narrow)).status).toBe(403);
    const wide = await add('/leads', wider);
    // Anyone who moves it would get what it is told.
    const moved = await ask('PATCH', `webhook-endpoints/${wide.id}`, { url: `${base}/mine` }, narrow);
    expect(moved.status).toBe(403);
    const other = await app.make.client(await app.make.agency(root, {}));
    const theirs = await ask('POST', 'webhook-endpoints', { ...made, client_ids: [other.id] });
    expect(theirs.status).toBe(422);
    for (let n = 2; n < MOST_HOOKS; n++) await add(`/${n}`);
    expect((await ask('POST', 'webhook-endpoints', made)).status).toBe(409);
  });

  test('of a test key are told of its sandbox only', async () => {
    const inTest = (await app.make.apiKey(acme, owner.id, { scopes: [...SCOPE_NAMES], mode: 'test' })).secret;
    const { id } = (await ask('POST', 'webhook-endpoints', { url: `${base}/sandbox`, types: ['*'] }, inTest))
      .body;
    await add('/live');
    expect((await ask('GET', `webhook-endpoints/${id}`)).status).toBe(404);
    const [of] = (await ask('GET', 'campaigns', undefined, inTest)).body.data;
    await ask('POST', 'sandbox/leads', { campaign_id: of!.id }, inTest);
    await find();
    await work();
    expect(wire.map(({ path }) => path).sort()).toEqual(['/live', '/sandbox']);
  });

  test('that turn developer mode off are told nothing', async () => {
    await add('/off');
    await app.make.terms(acme, { api_mode: false });
    await find();
    await work();
    expect(wire).toEqual([]);
    await app.make.terms(acme, { api_mode: true });
    await app.make.developer(acme, owner.id);
  });

  test('have a catalog whose examples fit their schemas', async () => {
    const { body } = await ask('GET', 'webhook-event-types');
    expect(body.data.map(({ type }) => type)).toEqual(HOOK_EVENT_NAMES);
    for (const { type, example } of EVENT_TYPES) {
      const schema = EVENT_DATA[HOOK_EVENTS[type as keyof typeof HOOK_EVENTS].data];
      const message = z
        .strictObject({
          type: z.literal(type),
          timestamp: z.iso.datetime(),
          test: z.literal(true),
          data: schema.strict(),
        })
        .parse(example);
      expect(message.data).toEqual(example.data);
    }
  });

  test('are deleted after 30 days', async () => {
    const { id } = await add('/old');
    await find();
    await work();
    const [row] = await messages(id);
    app.clock.advance(31 * 86_400_000);
    await app.features.retention.run('developer');
    expect(await messages(id)).toHaveLength(0);
    const left = 'select from developer_attempt where message_id = $1';
    expect((await app.admin.query(left, [row!.id])).rowCount).toBe(0);
  });
});
