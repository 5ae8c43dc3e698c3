import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inScope } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';
import { quantile, TOOK_UP_TO, tookGroup } from './metrics.policy.ts';
import type { SendPayload } from './queue.ts';

let app: TestApp;
let endpoint: Server;
let base: string;
let answers: Record<string, (reply: ServerResponse) => void> = {};
let root: Company;
let agency: Company;
let client: Company;
let other: Company;
let campaign: MadeCampaign;
let emails: Record<'agency' | 'client' | 'other', string>;
let host: string;

beforeAll(async () => {
  endpoint = createServer((request, reply) => {
    request.resume().on('end', () => {
      const answer = answers[request.url!];
      if (answer) answer(reply);
      else reply.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
    });
  });
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  const { port } = endpoint.address() as AddressInfo;
  base = `http://desk.localhost:${port}`;
  app = await testApp({ outboundExceptions: [`desk.localhost:${port}`] });
  root = await app.make.root({ isMaster: true });
});
afterAll(async () => {
  await app?.close();
  endpoint?.closeAllConnections();
  endpoint?.close();
});
beforeEach(async () => {
  answers = {};
  host = `${newId(app.clock.now())}.test`;
  agency = await app.make.agency(root, { host });
  client = await app.make.client(agency);
  other = await app.make.client(agency);
  emails = {
    agency: (await app.make.user(agency, { password: PASSWORD })).email,
    client: (await app.make.user(client, { password: PASSWORD })).email,
    other: (await app.make.user(other, { password: PASSWORD })).email,
  };
  campaign = await app.make.campaign(client);
});

// biome-ignore lint/suspicious/noExplicitAny: each test knows what its call returns
type Body = any;
async function call(
  who: keyof typeof emails,
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: unknown,
  status = 200,
): Promise<Body> {
  const token = await app.signIn(emails[who], host);
  const answer = await app.call(method, `/api/integrations${path}`, {
    host,
    token,
    ...(body === undefined ? {} : { body }),
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(status);
  return answer.body;
}
const addWebhook = async (path: string, of = campaign): Promise<string> =>
  (await call('agency', 'POST', '/custom', { leadspeekID: of.id, url: base + path })).data.id;

async function acceptLeads(count: number, of = campaign): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId(app.clock.now()));
  await inScope(app.platform.db.app, { rootId: root.id }, async (tx) => {
    for (const [at, id] of ids.entries()) {
      const own = { ...of.owner, campaign_id: of.id, created_at: app.clock.now() };
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
          first_name: 'Ada',
          last_name: `Lovelace ${at}`,
          email: `ada${at}@example.com`,
        })
        .execute();
    }
    await app.platform.events.emit(tx, 'leads.accepted', {
      leads: ids.map((id) => ({ id, campaignId: of.id, owner: of.owner })),
      isTest: false,
    });
  });
  return ids;
}
/** Runs every job that is due, until none is left. */
async function work(): Promise<void> {
  for (;;) {
    const { rows } = await app.admin.query(
      `delete from pgboss.job j using delivery d where d.id = (j.data->>'deliveryId')::uuid
         and j.name = 'delivery.send' and d.next_at <= $1 returning j.data`,
      [app.clock.now()],
    );
    if (rows.length === 0) return;
    for (const { data } of rows) await app.features.delivery.attempt(data as SendPayload);
  }
}

describe('[BEY-04] the delivery desk', () => {
  it('lists what failed over all destinations, with requests and answers, and resends what is shown', async () => {
    const gone = await addWebhook('/gone?key=1');
    const works = await addWebhook('/works');
    answers['/gone?key=1'] = (reply) => reply.writeHead(410).end('ada0@example.com is gone');
    await acceptLeads(2);
    await work();
    const failed = await call('client', 'GET', '/deliveries?state=failed');
    expect(failed).toMatchObject({ total: 2, data: [{ destination_id: gone }, { destination_id: gone }] });
    expect(failed.data[0]).toMatchObject({ destination_state: 'disabled', state: 'failed', attempts: 1 });
    expect((await call('client', 'GET', '/deliveries?state=delivered')).data).toHaveLength(2);
    expect((await call('agency', 'GET', `/deliveries?destination_id=${works}`)).total).toBe(0);
    expect((await call('other', 'GET', '/deliveries?state=failed')).total).toBe(0);
    await call('other', 'GET', `/deliveries?companyID=${client.id}`, undefined, 404);
    await call('other', 'GET', `/deliveries/${failed.data[0].id}`, undefined, 404);

    // The second one found it disabled.
    const { id, cause } = failed.data.find((row: { cause: string }) => row.cause.includes('410'));
    const one = await call('client', 'GET', `/deliveries/${id}`);
    const [exchange] = one.tries[0].exchanges;
    expect(exchange).toMatchObject({ method: 'POST', url: `${base}/gone?key=1`, status: 410 });
    expect(exchange.body).toContain('"email":"{{email}}"');
    expect(exchange.body).toContain('"first_name":"{{first_name}}"');
    expect(exchange.headers.map((header: { name: string }) => header.name)).toContain('webhook-signature');
    expect(JSON.stringify(one.tries)).not.toContain('@example.com');
    expect(one.lead_name).toMatch(/^Ada Lovelace/);
    const { rows } = await app.admin.query('select answer from delivery_attempt');
    expect(rows.every(({ answer }) => answer === null)).toBe(true);

    // To a destination that is off nothing is sent; then everything is, with one more attempt.
    expect(await call('client', 'POST', '/deliveries/resend', {})).toMatchObject({ replayed: 0 });
    await call('client', 'PUT', `/custom/${gone}`, { state: 'enabled' });
    answers = {};
    expect(await call('client', 'POST', '/deliveries/resend', { cause: 'another' })).toMatchObject({
      replayed: 0,
    });
    const yesterday = { cause, endDate: '2020-01-01' };
    expect(await call('client', 'POST', '/deliveries/resend', yesterday)).toMatchObject({ replayed: 0 });
    expect(await call('other', 'POST', '/deliveries/resend', { cause })).toMatchObject({ replayed: 0 });
    expect(await call('client', 'POST', '/deliveries/resend', { destination_id: gone })).toMatchObject({
      replayed: 2,
      message: 'Resending 2 leads',
    });
    await work();
    expect((await call('client', 'GET', '/deliveries?state=failed')).total).toBe(0);
    const again = await call('client', 'GET', `/deliveries/${id}`);
    expect(again).toMatchObject({ state: 'delivered', attempts: 2, cause: null });
    // Signed again, under the same id.
    const signature = (attempt: number) =>
      Object.fromEntries(
        again.tries[attempt].exchanges[0].headers.map(({ name, value }: { name: string; value: string }) => [
          name,
          value,
        ]),
      );
    expect(signature(1)['webhook-id']).toBe(signature(0)['webhook-id']);
  });

  it('tells what is retried and why, apart from what waits and what failed', async () => {
    const id = await addWebhook('/busy');
    answers['/busy'] = (reply) => reply.writeHead(503).end();
    await acceptLeads(3);
    await work();
    expect((await call('agency', 'GET', '/undelivered')).data).toMatchObject([
      { id, state: 'retrying', cause: 'The endpoint returned 503.', leads: 3 },
    ]);
    expect((await call('client', 'GET', '/deliveries?state=waiting&PerPage=2')).data).toMatchObject([
      { cause: 'The endpoint returned 503.', next_at: expect.any(String) },
      { cause: 'The endpoint returned 503.' },
    ]);
    expect(await call('client', 'GET', '/deliveries?state=waiting&PerPage=2&Page=2')).toMatchObject({
      total: 3,
      data: [{}],
    });
  });

  it('shows how each destination did, by day, tests left out', async () => {
    const works = await addWebhook('/works');
    app.clock.advance(1);
    const fails = await addWebhook('/fails', await app.make.campaign(other));
    answers['/fails'] = (reply) => reply.writeHead(500).end();
    await acceptLeads(2);
    await work();
    app.clock.advance(86_400_000);
    await acceptLeads(1);
    await work();
    await call('agency', 'POST', `/custom/${works}/test`, {});
    const { data, total } = await call('agency', 'GET', '/destinations');
    expect(total).toBe(2);
    expect(data[0]).toMatchObject({ id: works, waiting: 0, failed: 0, company_name: expect.any(String) });
    expect(data[0].days).toHaveLength(7);
    expect(data[0].days.slice(-2)).toMatchObject([
      { delivered: 2, failed: 0 },
      { delivered: 1, failed: 0 },
    ]);
    expect(data[0].most_took_ms).toBeGreaterThan(0);
    expect(data[1]).toMatchObject({ id: fails, most_took_ms: null });
    expect((await call('other', 'GET', '/destinations')).data).toMatchObject([{ id: fails }]);
  });

  it('forgets requests and answers after 30 days, and keeps the attempts', async () => {
    await addWebhook('/works');
    await acceptLeads(1);
    await work();
    const [{ id }] = (await call('client', 'GET', '/deliveries?state=delivered')).data;
    app.clock.advance(29 * 86_400_000);
    await app.features.retention.run('deliveries');
    expect((await call('client', 'GET', `/deliveries/${id}`)).tries[0].exchanges).toHaveLength(1);
    app.clock.advance(2 * 86_400_000);
    await app.features.retention.run('deliveries');
    expect((await call('client', 'GET', `/deliveries/${id}`)).tries).toMatchObject([
      { number: 1, status: 200, exchanges: [], answer: null },
    ]);
  });
});

it('[BEY-04] how long attempts took is told by groups', () => {
  expect([0, 100, 101, 10_000, 10_001].map(tookGroup)).toEqual([0, 0, 1, 6, 7]);
  const took = (...ms: number[]) =>
    [...TOOK_UP_TO, 0].map((_, at) => ms.filter((one) => tookGroup(one) === at).length);
  expect(quantile(took(), 0.5)).toBeNull();
  expect(quantile(took(50, 60, 70, 8_000), 0.5)).toBe(100);
  expect(quantile(took(50, 60, 70, 8_000), 0.95)).toBe(10_000);
  expect(quantile(took(20_000), 0.95)).toBe(15_000);
});
