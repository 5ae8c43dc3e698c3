import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LeadMessage } from '../../../../contract/campaigns/delivery.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';
import { startDelivery } from './index.ts';
import { laneOf, type SendPayload } from './queue.ts';
import { createSlowness } from './slow.ts';

interface Wire {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** The endpoint: responds by path as configured, and records what it received. */
let endpoint: Server;
let base: string;
let wire: Wire[] = [];
let answers: Record<string, (reply: ServerResponse) => void> = {};
const canary = { hits: 0, port: 0, server: createServer() };

let app: TestApp;
let root: Company;
let client: Company;
let agency: Company;
let campaign: MadeCampaign;
let host: string;
let email: string;
let token: string;

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
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
  const port = await listen(endpoint);
  base = `http://hooks.localhost:${port}`;
  canary.server.on('connection', (socket) => {
    canary.hits++;
    socket.destroy();
  });
  canary.port = await listen(canary.server);

  app = await testApp({ outboundExceptions: [`hooks.localhost:${port}`] });
  root = await app.make.root();
  host = 'delivery.test';
  agency = await app.make.agency(root, { host });
  client = await app.make.client(agency);
  email = (await app.make.user(client, { password: PASSWORD })).email;
});
afterAll(async () => {
  endpoint.closeAllConnections();
  endpoint.close();
  canary.server.close();
  await app?.close();
});
beforeEach(async () => {
  wire = [];
  answers = {};
  canary.hits = 0;
  await advance(3_600_000);
  campaign = await app.make.campaign(client);
});

/** Advances the clock and signs in again, because an access token lives for 15 minutes. */
async function advance(milliseconds: number): Promise<void> {
  app.clock.advance(milliseconds);
  token = await app.signIn(email, host);
}
/** The library that verifies signatures compares with the real time. */
const toRealTime = () => advance(Date.now() - app.clock.now().getTime());

const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown, as = token) =>
  app.call(method, `/api/integrations/custom${path}`, {
    host,
    token: as,
    ...(body === undefined ? {} : { body }),
  });

async function addWebhook(path = '/hook', of = campaign): Promise<{ id: string; secret: string }> {
  const { status, body } = await call('POST', '', { leadspeekID: of.id, url: base + path });
  expect(status, JSON.stringify(body)).toBe(200);
  return { id: (body.data as unknown as { id: string }).id, secret: body.secret as unknown as string };
}

/** Creates leads the way the leads feature accepts them, announced in the transaction that creates them. */
async function acceptLeads(count: number, fail = false): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId(app.clock.now()));
  const { root_id, agency_id, company_id } = campaign.owner;
  await inScope(app.platform.db.app, { rootId: root.id }, async (tx) => {
    for (const id of ids) {
      const own = { root_id, agency_id, company_id, campaign_id: campaign.id, created_at: app.clock.now() };
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
          last_name: `Lovelace ${ids.indexOf(id)}`,
          email: 'ada@people.example',
        })
        .execute();
    }
    await app.platform.events.emit(tx, 'leads.accepted', {
      leads: ids.map((id) => ({ id, campaignId: campaign.id, owner: campaign.owner })),
      isTest: false,
    });
    if (fail) throw new Error('undone');
  });
  return ids;
}

/** Returns the jobs waiting for deliveries of this test's campaign, in the order they were created. */
async function jobs(): Promise<{ payload: SendPayload; group: string; startAfter: Date }[]> {
  const { rows } = await app.admin.query(
    `select j.data, j.group_id, j.start_after from pgboss.job j join delivery d on d.id = (j.data->>'deliveryId')::uuid
     where j.name = 'delivery.send' and d.campaign_id = $1 order by (j.data->>'attempt')::int, j.created_on, d.id`,
    [campaign.id],
  );
  return rows.map((row) => ({ payload: row.data, group: row.group_id, startAfter: row.start_after }));
}
const lastJob = async () => (await jobs()).at(-1)!.payload;
const attempt = (payload: SendPayload) => app.features.delivery.attempt(payload);

interface Logged {
  id: string;
  message_id: string;
  state: string;
  attempts: number;
  lead_name: string | null;
  is_test: boolean;
  next_at: string | null;
  tries: { number: number; status: number | null; answer: string | null; error: string | null }[];
}
async function log(id: string): Promise<Logged[]> {
  const { status, body } = await call('GET', `/${id}/deliveries?PerPage=100`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data as unknown as Logged[];
}
async function listed(id: string) {
  const { body } = await call('GET', `/${campaign.id}`);
  return (body.data as unknown as ({ id: string } & Record<string, unknown>)[]).find((row) => row.id === id);
}
const auditRows = async (action: string, objectId: string): Promise<number> =>
  (await app.admin.query('select from user_log where action = $1 and object_id = $2', [action, objectId]))
    .rowCount!;

describe('[INTG-05] delivery of accepted leads', () => {
  it('makes one delivery and one job for each lead and enabled webhook, if and only if the leads exist', async () => {
    const one = await addWebhook('/one');
    const two = await addWebhook('/two');
    const off = await addWebhook('/off');
    await call('PUT', `/${off.id}`, { state: 'disabled' });
    await expect(acceptLeads(2, true)).rejects.toThrow('undone');
    expect(await jobs()).toHaveLength(0);
    await acceptLeads(3);
    expect(await jobs()).toHaveLength(6);
    // Each destination has its own lane.
    const groups = (await jobs()).map((job) => [job.payload.integrationId, job.group] as const);
    expect(new Set(groups.map(([, group]) => group)).size).toBe(2);
    expect(new Map(groups).size).toBe(2);
    expect(new Set(groups.map(([id]) => id))).toEqual(new Set([one.id, two.id]));
    expect(
      [await listed(one.id), await listed(two.id), await listed(off.id)].map((row) => row!.pending),
    ).toEqual([3, 3, 0]);
  });

  it('sends the lead signed, so that the Standard Webhooks library verifies it', async () => {
    const { id, secret } = await addWebhook();
    expect(secret).toMatch(/^whsec_/);
    const [leadId] = await acceptLeads(1);
    await toRealTime();
    await attempt(await lastJob());
    expect(wire).toHaveLength(1);
    const { headers, body } = wire[0]!;
    const message = LeadMessage.parse(new Webhook(secret).verify(body, headers as Record<string, string>));
    expect(message.data).toMatchObject({
      id: leadId,
      test: false,
      person: { first_name: 'Ada', last_name: 'Lovelace 0' },
    });
    expect(headers).toMatchObject({
      'user-agent': 'Webhook/1.0',
      'content-type': 'application/json',
      host: new URL(base).host,
    });
    const [delivery] = await log(id);
    expect(delivery).toMatchObject({
      state: 'delivered',
      attempts: 1,
      lead_name: 'Ada Lovelace 0',
      message_id: headers['webhook-id'],
    });
    expect(await listed(id)).toMatchObject({ delivered: 1, pending: 0, failed: 0 });
  });

  it('tries again by the schedule with the same id and a new timestamp, and gives up after ten', async () => {
    const { id } = await addWebhook();
    answers['/hook'] = (reply) => reply.writeHead(500).end('out of\u0000 order');
    await acceptLeads(1);
    for (let n = 0; n < 10; n++) {
      const before = app.clock.now().getTime();
      const waiting = await jobs();
      expect(waiting).toHaveLength(n + 1);
      const { payload } = waiting.at(-1)!;
      expect(payload.attempt).toBe(n);
      app.clock.advance(1000);
      await attempt(payload);
      const [delivery] = await log(id);
      if (n === 0) {
        const wait = new Date(delivery!.next_at!).getTime() - before - 1000;
        expect(wait).toBeGreaterThanOrEqual(4000);
        expect(wait).toBeLessThanOrEqual(6000);
        expect((await jobs()).at(-1)!.startAfter.toISOString()).toBe(delivery!.next_at);
      }
      await advance(86_400_000);
    }
    expect(wire).toHaveLength(10);
    expect(new Set(wire.map((message) => message.headers['webhook-id'])).size).toBe(1);
    expect(new Set(wire.map((message) => message.headers['webhook-timestamp'])).size).toBe(10);
    expect(new Set(wire.map((message) => message.body)).size).toBe(1);
    const [delivery] = await log(id);
    expect(delivery).toMatchObject({ state: 'failed', attempts: 10, next_at: null });
    expect(delivery!.tries.map((one) => one.number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(delivery!.tries[0]).toMatchObject({
      status: 500,
      answer: 'out of order',
      error: 'The endpoint returned 500.',
    });
    expect(await jobs()).toHaveLength(10);
  });

  it('[DEV-04] a lead changes when its delivery ends or begins again, not with each attempt', async () => {
    const { id } = await addWebhook();
    answers['/hook'] = (reply) => reply.writeHead(500).end();
    const [leadId] = await acceptLeads(1);
    const changedAt = async (): Promise<number> =>
      (
        await app.admin.query('select changed_at from lead_change where lead_id = $1', [leadId])
      ).rows[0].changed_at.getTime();
    const accepted = app.clock.now().getTime();
    expect(await changedAt()).toBe(accepted);
    app.clock.advance(1000);
    await attempt(await lastJob());
    expect(await changedAt()).toBe(accepted);
    await advance(86_400_000);
    answers = {};
    await attempt(await lastJob());
    const delivered = app.clock.now().getTime();
    expect((await log(id))[0]!.state).toBe('delivered');
    expect(await changedAt()).toBe(delivered);
    await advance(1000);
    const [delivery] = await log(id);
    expect((await call('POST', `/${id}/replay`, { deliveryID: delivery!.id })).status).toBe(200);
    expect(await changedAt()).toBe(app.clock.now().getTime());
  });

  it('[BEY-04] tells the company at half, at nine tenths and at the end of the retries, once, and again after one arrived', async () => {
    const { id } = await addWebhook();
    answers['/hook'] = (reply) => reply.writeHead(503).end();
    const told = async () =>
      (await app.features.mail.outbox({ rootId: root.id, agencyId: campaign.owner.agency_id }, 200))
        .filter((mail) => mail.kind === 'delivery.failing' && mail.body!.text.includes(campaign.id))
        .map((mail) => [
          mail.to_address,
          mail.subject.split(':')[0],
          mail.body!.text.includes(`webhook=${id}`),
        ])
        .reverse();
    /** Makes the next attempt of every lead. */
    const round = async () => {
      app.clock.advance(86_400_000);
      for (const { payload } of await jobs()) await attempt(payload);
    };
    await acceptLeads(2);
    for (let n = 1; n <= 4; n++) await round();
    expect(await told()).toEqual([]);
    await round();
    expect(await told()).toEqual([[email, 'Leads are delayed', true]]);
    for (let n = 6; n <= 9; n++) await round();
    expect(await told()).toHaveLength(2);
    await round();
    await advance(1000);
    const all = await told();
    expect(all.map(([, subject]) => subject)).toEqual([
      'Leads are delayed',
      'Leads are delayed',
      'Leads not delivered',
    ]);
    answers = {};
    const [one, other] = await log(id);
    expect((await call('POST', `/${id}/replay`, { deliveryID: one!.id })).status).toBe(200);
    await attempt(await lastJob());
    expect((await log(id)).map(({ state }) => state).sort()).toEqual(['delivered', 'failed']);
    answers['/hook'] = (reply) => reply.writeHead(503).end();
    expect((await call('POST', `/${id}/replay`, { deliveryID: other!.id })).status).toBe(200);
    await attempt(await lastJob());
    expect((await told()).map(([, subject]) => subject)).toEqual([
      ...all.map(([, subject]) => subject),
      'Leads not delivered',
    ]);
  });

  it('disables the webhook on 410 and sends it nothing more', async () => {
    const { id } = await addWebhook();
    answers['/hook'] = (reply) => reply.writeHead(410).end();
    await acceptLeads(2);
    const [first, second] = await jobs();
    await attempt(first!.payload);
    expect(await listed(id)).toMatchObject({ state: 'disabled', state_reason: 'gone', failed: 1 });
    await attempt(second!.payload);
    expect(wire).toHaveLength(1);
    const errors = (await log(id)).map((delivery) => [
      delivery.state,
      delivery.tries.map((one) => one.error),
    ]);
    expect(errors).toContainEqual(['failed', ['Not sent: the webhook is disabled.']]);
    expect(await auditRows('integration.disabled', id)).toBe(1);
    await acceptLeads(1);
    expect(await jobs()).toHaveLength(2);
  });

  it('does not follow a redirect to loopback', async () => {
    const { id } = await addWebhook();
    answers['/hook'] = (reply) =>
      reply.writeHead(307, { location: `http://127.0.0.1:${canary.port}/` }).end();
    await acceptLeads(1);
    await attempt(await lastJob());
    expect(canary.hits).toBe(0);
    const [delivery] = await log(id);
    expect(delivery).toMatchObject({ state: 'pending', attempts: 1 });
    expect(delivery!.tries[0]).toMatchObject({
      status: 307,
      error: expect.stringContaining('Redirects are not followed'),
    });
  });

  it('refuses a private address when it connects, even if one got into the table', async () => {
    const { id } = await addWebhook();
    await app.admin.query('update integration set url = $1 where id = $2', [
      `https://127.0.0.1:${canary.port}/`,
      id,
    ]);
    await acceptLeads(1);
    await attempt(await lastJob());
    expect(canary.hits).toBe(0);
    expect((await log(id))[0]).toMatchObject({
      state: 'pending',
      tries: [{ status: null, error: expect.stringContaining('private') }],
    });
  });

  it('gives an endpoint that hangs 15 s and one that talks without end 64 KiB', async () => {
    const { id } = await addWebhook('/hang');
    answers['/hang'] = () => {};
    const real = app.features.outbound.fetch;
    const asked: unknown[] = [];
    app.features.outbound.fetch = (url, request) => {
      asked.push([request?.timeoutMs, request?.maxBytes, request?.redirects]);
      return real(url, { ...request, timeoutMs: 200 });
    };
    try {
      await acceptLeads(1);
      await attempt(await lastJob());
    } finally {
      app.features.outbound.fetch = real;
    }
    expect(asked).toEqual([[15_000, 65_536, undefined]]);
    expect((await log(id))[0]).toMatchObject({
      state: 'pending',
      attempts: 1,
      tries: [{ status: null, error: expect.stringContaining('No complete response') }],
    });

    answers['/hook'] = (reply) => {
      reply.writeHead(200);
      const more = () => {
        while (!reply.destroyed) if (!reply.write('x'.repeat(65_536))) return void reply.once('drain', more);
      };
      more();
    };
    const endless = await addWebhook('/hook');
    await acceptLeads(1);
    await attempt((await jobs()).find((job) => job.payload.integrationId === endless.id)!.payload);
    const [delivery] = await log(endless.id);
    expect(delivery).toMatchObject({ state: 'delivered' });
    expect(delivery!.tries[0]!.answer).toHaveLength(2000);
  });

  it('records an attempt once, however many workers made it (killed between sending and recording)', async () => {
    const { id } = await addWebhook();
    answers['/hook'] = (reply) => reply.writeHead(503).end();
    await acceptLeads(1);
    const payload = await lastJob();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    // The first worker is held after the endpoint has responded, as if it had died; the second takes over the job.
    const real = app.features.outbound.fetch;
    app.features.outbound.fetch = async (url, request) => {
      const answer = await real(url, request);
      if (wire.length === 1) await held;
      return answer;
    };
    try {
      const stale = attempt(payload);
      await expect.poll(() => wire.length).toBe(1);
      answers['/hook'] = (reply) => reply.writeHead(204).end();
      await attempt(payload);
      release();
      await stale;
    } finally {
      app.features.outbound.fetch = real;
    }
    expect(wire.map((message) => message.headers['webhook-id'])).toEqual([
      wire[0]!.headers['webhook-id'],
      wire[0]!.headers['webhook-id'],
    ]);
    expect((await log(id))[0]).toMatchObject({ state: 'delivered', attempts: 1, tries: [{ status: 204 }] });
    expect(await jobs()).toHaveLength(1);
    await attempt(payload);
    expect(wire).toHaveLength(2);
  });

  it('sends nothing of a person who has been erased', async () => {
    const { id } = await addWebhook();
    const [leadId] = await acceptLeads(1);
    await app.admin.query('delete from lead_contact where lead_id = $1', [leadId]);
    await attempt(await lastJob());
    expect(wire).toHaveLength(0);
    expect((await log(id))[0]).toMatchObject({
      state: 'failed',
      lead_name: null,
      tries: [{ error: expect.stringContaining('erased') }],
    });
  });
});

describe('replay', () => {
  it('sends what failed again under its old id, one or all', async () => {
    const { id } = await addWebhook();
    await acceptLeads(3);
    answers['/hook'] = (reply) => reply.writeHead(204).end();
    const [first, ...others] = await jobs();
    await attempt(first!.payload);
    await app.admin.query(`update delivery set state = 'failed', attempts = 4 where id = any($1)`, [
      others.map((job) => job.payload.deliveryId),
    ]);
    const before = await log(id);

    expect(
      (await call('POST', `/${id}/replay`, { deliveryID: others[0]!.payload.deliveryId })).body,
    ).toMatchObject({ replayed: 1 });
    expect((await call('POST', `/${id}/replay`, { deliveryID: others[0]!.payload.deliveryId })).status).toBe(
      409,
    );
    expect((await call('POST', `/${id}/replay`, {})).body).toMatchObject({ replayed: 1 });
    expect((await call('POST', `/${id}/replay`, {})).body).toMatchObject({ replayed: 0 });
    expect(await auditRows('integration.replay', id)).toBe(2);
    for (const { payload } of await jobs()) await attempt(payload);
    const after = await log(id);
    expect(after.map((delivery) => [delivery.state, delivery.attempts]).sort()).toEqual([
      ['delivered', 1],
      ['delivered', 5],
      ['delivered', 5],
    ]);
    expect(after.map((delivery) => delivery.message_id)).toEqual(
      before.map((delivery) => delivery.message_id),
    );
    expect(wire).toHaveLength(3);

    // A delivery that arrived may also be sent again.
    expect(
      (await call('POST', `/${id}/replay`, { deliveryID: first!.payload.deliveryId })).body,
    ).toMatchObject({ replayed: 1 });
    await attempt({ ...first!.payload, attempt: 1 });
    expect(wire.at(-1)!.headers['webhook-id']).toBe(wire[0]!.headers['webhook-id']);

    await call('PUT', `/${id}`, { state: 'disabled' });
    expect((await call('POST', `/${id}/replay`, {})).status).toBe(409);
  });
});

describe('the test button', () => {
  it('[INTG-05] sends a marked, made-up lead, once a minute and no more', async () => {
    const { id, secret } = await addWebhook();
    await toRealTime();
    const first = await call('POST', `/${id}/test`);
    expect([first.status, first.body]).toMatchObject([200, { result: 'success', status: 204 }]);
    const message = LeadMessage.parse(
      new Webhook(secret).verify(wire[0]!.body, wire[0]!.headers as Record<string, string>),
    );
    expect(message.data).toMatchObject({ test: true, person: { first_name: 'Test', last_name: 'Lead' } });

    app.clock.advance(20_000);
    const again = await call('POST', `/${id}/test`);
    expect([again.status, again.body.message, again.headers['retry-after']]).toEqual([
      429,
      'You can only attempt this test once every minute. Please try again later.',
      '40',
    ]);
    app.clock.advance(40_000);
    answers['/hook'] = (reply) => reply.writeHead(500).end('no');
    expect((await call('POST', `/${id}/test`)).body).toMatchObject({
      result: 'failed',
      status: 500,
      message: 'The endpoint returned 500.',
    });
    expect(wire).toHaveLength(2);
    const entries = await log(id);
    expect(entries.map((entry) => [entry.state, entry.is_test, entry.lead_name])).toEqual([
      ['failed', true, 'Test Lead'],
      ['delivered', true, 'Test Lead'],
    ]);
    expect(await jobs()).toHaveLength(0);
    expect(await listed(id)).toMatchObject({ delivered: 0, failed: 0 });
    expect((await call('POST', `/${id}/replay`, { deliveryID: entries[0]!.id })).status).toBe(409);
    expect(await auditRows('integration.test', id)).toBe(2);
  });

  it('lets one of two simultaneous tests through', async () => {
    const { id } = await addWebhook();
    const statuses = (await Promise.all([call('POST', `/${id}/test`), call('POST', `/${id}/test`)])).map(
      (answer) => answer.status,
    );
    expect(statuses.sort()).toEqual([200, 429]);
    expect(wire).toHaveLength(1);
  });
});

describe('webhooks of a campaign', () => {
  it('are added, changed and removed, each change with one log row, the secret shown once and sealed', async () => {
    const { id, secret } = await addWebhook();
    const { rows } = await app.admin.query('select secret_sealed from integration where id = $1', [id]);
    expect(rows[0].secret_sealed).not.toContain(secret.slice(6, 20));
    expect((await call('GET', `/${campaign.id}`)).text).not.toContain('whsec_');

    const changed = await call('PUT', `/${id}`, { url: `${base}/new`, state: 'disabled' });
    expect(changed.body).toMatchObject({
      message: 'Changes saved successfully',
      data: { url: `${base}/new`, state: 'disabled', state_reason: 'person' },
    });
    await call('PUT', `/${id}`, { state: 'disabled' });
    expect((await call('PUT', `/${id}`, { state: 'enabled' })).body).toMatchObject({
      data: { state: 'enabled', state_reason: null },
    });
    expect((await call('DELETE', `/${id}`)).status).toBe(200);
    expect(await listed(id)).toBeUndefined();
    expect((await call('DELETE', `/${id}`)).status).toBe(404);
    expect((await call('PUT', `/${id}`, { state: 'enabled' })).status).toBe(404);
    expect((await call('POST', `/${id}/test`)).status).toBe(404);
    expect((await call('GET', `/${id}/deliveries`)).status).toBe(200);
    const actions: number[] = [];
    for (const verb of ['create', 'update', 'remove'])
      actions.push(await auditRows(`integration.${verb}`, id));
    expect(actions).toEqual([1, 2, 1]);
  });

  it.each([
    'https://127.0.0.1/hook',
    'https://10.0.0.8:8443/',
    'https://[::1]/',
    'https://2130706433/',
    'https://169.254.169.254/latest',
    'https://localhost/',
    'http://example.com/hook',
    'https://user:pw@example.com/',
    'https://example.com:25/',
  ])('refuse %s, naming the field', async (url) => {
    const { status, body } = await call('POST', '', { leadspeekID: campaign.id, url });
    expect([status, Object.keys(body.errors as object)]).toEqual([422, ['url']]);
    const { id } = await addWebhook();
    expect((await call('PUT', `/${id}`, { url })).status).toBe(422);
    expect(await listed(id)).toMatchObject({ url: `${base}/hook` });
  });

  it('are ten at most, also when two are added at once', async () => {
    for (let i = 0; i < 9; i++) await addWebhook(`/${i}`);
    const add = () => call('POST', '', { leadspeekID: campaign.id, url: `${base}/more` });
    expect((await Promise.all([add(), add()])).map((answer) => answer.status).sort()).toEqual([200, 409]);
    expect((await add()).status).toBe(409);
  });

  it("[TEN-02] are not there for another agency's people", async () => {
    const { id } = await addWebhook();
    await acceptLeads(1);
    const { deliveryId } = await lastJob();
    const other = await app.make.agency(root, { host: `other-${id}.test` });
    const stranger = await app.make.user(other, { password: PASSWORD });
    const theirs = await app.signIn(stranger.email, `other-${id}.test`);
    const foreign = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) =>
      app.call(method, `/api/integrations/custom${path}`, {
        host: `other-${id}.test`,
        token: theirs,
        ...(body ? { body } : {}),
      });
    const statuses = await Promise.all([
      foreign('GET', `/${campaign.id}`),
      foreign('POST', '', { leadspeekID: campaign.id, url: 'https://example.com/' }),
      foreign('PUT', `/${id}`, { state: 'disabled' }),
      foreign('DELETE', `/${id}`),
      foreign('POST', `/${id}/test`, {}),
      foreign('GET', `/${id}/deliveries`),
      foreign('POST', `/${id}/replay`, { deliveryID: deliveryId }),
    ]);
    expect(statuses.map((answer) => answer.status)).toEqual([404, 404, 404, 404, 404, 404, 404]);
    expect(wire).toHaveLength(0);
    expect(await listed(id)).toMatchObject({ state: 'enabled', pending: 1 });
  });
});

describe('lanes', () => {
  it('sixteen destinations of a company have one each, and more share them', async () => {
    const more = [campaign, await app.make.campaign(client)];
    for (const of of more) for (let i = 0; i < 9; i++) await addWebhook(`/lane-${i}`, of);
    const { rows } = await app.admin.query<{ lane: number }>(
      'select lane from integration where campaign_id = any($1) order by created_at, id',
      [more.map(({ id }) => id)],
    );
    const counts = Array.from({ length: 16 }, (_, lane) => rows.filter((row) => row.lane === lane).length);
    expect(counts.sort()).toEqual([...Array(14).fill(1), 2, 2]);
    const connectionId = newId(app.clock.now());
    const payload = {
      rootId: root.id,
      deliveryId: root.id,
      integrationId: root.id,
      attempt: 0,
      connectionId,
    };
    expect(laneOf({ ...payload, companyId: client.id, lane: 3 })).toBe(`${client.id}:3`);
    expect(laneOf({ ...payload, companyId: client.id, lane: 3, isSlow: true })).toBe(`${client.id}:slow`);
    expect(laneOf(payload)).toBe(connectionId);
  });

  it('ten test leads of a company a minute go out, over all its campaigns', async () => {
    const own = await app.make.client(agency);
    const user = await app.make.user(own, { password: PASSWORD });
    const as = await app.signIn(user.email, host);
    const send = async () =>
      (
        await app.call('POST', '/api/leadspeek/client/send-test-lead', {
          host,
          token: as,
          body: { leadspeekID: (await app.make.campaign(own)).id },
        })
      ).status;
    const statuses: number[] = [];
    for (let i = 0; i < 11; i++) statuses.push(await send());
    expect(statuses).toEqual([...Array(10).fill(200), 429]);
    app.clock.advance(60_000);
    expect(await send()).toBe(200);
  });

  it('a destination that was slow makes way for the others, until it is quick again or a minute is over', async () => {
    const slowness = createSlowness(app.clock);
    const outcome = (durationMs: number) => ({
      startedAt: app.clock.now(),
      durationMs,
      status: 200,
      exchanges: [],
      error: null,
    });
    slowness.note('a', outcome(15_000));
    expect([slowness.isSlow('a'), slowness.isSlow('b')]).toEqual([true, false]);
    slowness.note('a', outcome(10));
    expect(slowness.isSlow('a')).toBe(false);
    slowness.note('a', outcome(15_000));
    app.clock.advance(60_001);
    expect(slowness.isSlow('a')).toBe(false);
  });
});

describe('the worker', () => {
  it('[INTG-05] delivers to one endpoint while another hangs', async () => {
    const hanging = await addWebhook('/stuck');
    const quick = await addWebhook('/quick');
    answers['/stuck'] = () => {};
    await acceptLeads(40);
    await startDelivery(app.features.delivery);
    const arrived = (path: string) => wire.filter((message) => message.path === path).length;
    await expect.poll(() => arrived('/quick'), { timeout: 14_000 }).toBe(40);
    expect(arrived('/stuck')).toBe(1);
    await expect.poll(async () => (await listed(quick.id))!.delivered).toBe(40);
    expect(await listed(hanging.id)).toMatchObject({ delivered: 0, pending: 40 });
    await call('DELETE', `/${hanging.id}`);
    endpoint.closeAllConnections();
  });
});
