import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { contract } from '../../../../contract/index.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { gohighlevelV1Stub } from '../../../integrations/gohighlevel-v1/stub.ts';
import { hubspotStub } from '../../../integrations/hubspot/stub.ts';
import { type RunningStub, type Stub, startStub, stubRequest } from '../../../integrations/stub.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';
import type { SendPayload } from './queue.ts';

let app: TestApp;
let running: RunningStub;
/** A CRM that makes another record of whatever is sent twice. */
const forgetful = gohighlevelV1Stub({ matches: false });
let second: RunningStub;
/** A server in a vendor's place, and what it answers. */
let hostileServer: Server;
let hostile: { status: number; json?: unknown } = { status: 200 };
const received: string[] = [];
let stub: Stub;
let root: Company;
let agency: Company;
let client: Company;
let campaign: MadeCampaign;
let email: string;
let token: string;
const host = 'connections.test';

/** A new account at the vendor, behind the same address. */
const account: Stub = {
  credentials: (base) => stub.credentials(base),
  settings: {},
  handle: (request) => stub.handle(request),
  records: () => stub.records(),
  remove: (id) => stub.remove(id),
  revoke: () => stub.revoke(),
};

beforeAll(async () => {
  stub = hubspotStub();
  running = await startStub(account, 'hubspot');
  second = await startStub(forgetful, 'forgetful');
  hostileServer = createServer((request, reply) => {
    if (request.method === 'POST') received.push(request.url!);
    reply
      .writeHead(hostile.status, { 'content-type': 'application/json' })
      .end(JSON.stringify(hostile.json ?? {}));
  });
  await new Promise<void>((resolve) => hostileServer.listen(0, '127.0.0.1', resolve));
  const hostileHost = `hostile.localhost:${(hostileServer.address() as AddressInfo).port}`;
  app = await testApp({
    outboundExceptions: [running.host, second.host, hostileHost],
    standIns: {
      hubspot: { base: running.base },
      'gohighlevel-v1': { base: second.base },
      mailboxpower: { base: `http://${hostileHost}` },
    },
  });
  root = await app.make.root();
  agency = await app.make.agency(root, { host });
});
afterAll(async () => {
  await running?.stop();
  await second?.stop();
  hostileServer?.close();
  await app?.close();
});
beforeEach(async () => {
  stub = hubspotStub();
  running.requests.length = 0;
  running.answerNext({ status: 200 }, 0);
  client = await app.make.client(agency);
  email = (await app.make.user(client, { password: PASSWORD })).email;
  campaign = await app.make.campaign(client);
  await advance(3_600_000);
});

/** Advances the clock and signs in again, because an access token lives for 15 minutes. */
async function advance(milliseconds: number): Promise<void> {
  app.clock.advance(milliseconds);
  token = await app.signIn(email, host);
}

async function call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) {
  return app.call(method, `/api/integrations${path}`, {
    host,
    token,
    ...(body === undefined ? {} : { body }),
  });
}
async function ok(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) {
  const response = await call(method, path, body);
  expect(response.status, JSON.stringify(response.body)).toBe(200);
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what its call returns
  return response.body as any;
}

const connect = async (more: Record<string, unknown> = {}): Promise<string> =>
  (await ok('POST', '/connections', { vendor: 'hubspot', credentials: { token: 'pat-na1-stub' }, ...more }))
    .data.id;
const attach = async (connectionID: string, more: Record<string, unknown> = {}): Promise<string> =>
  (await ok('POST', '/destinations', { leadspeekID: campaign.id, connectionID, ...more })).data.id;

/** Accepts leads as the leads feature does. */
async function acceptLeads(emails: (string | null)[]): Promise<string[]> {
  const ids = emails.map(() => newId(app.clock.now()));
  await inScope(app.platform.db.app, { rootId: root.id }, async (tx) => {
    for (const [at, id] of ids.entries()) {
      const own = { ...campaign.owner, campaign_id: campaign.id, created_at: app.clock.now() };
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
        .values({ lead_id: id, ...own, first_name: 'Ada', last_name: `Lovelace ${at}`, email: emails[at]! })
        .execute();
    }
    await app.platform.events.emit(tx, 'leads.accepted', {
      leads: ids.map((id) => ({ id, campaignId: campaign.id, owner: campaign.owner })),
      isTest: false,
    });
  });
  return ids;
}

/** Runs every job of this campaign's deliveries that is due, each once, until none is left. */
async function work(): Promise<void> {
  for (;;) {
    const { rows } = await app.admin.query(
      `delete from pgboss.job j using delivery d
       where d.id = (j.data->>'deliveryId')::uuid and j.name = 'delivery.send' and d.campaign_id = $1
         and d.next_at <= $2 returning j.data`,
      [campaign.id, app.clock.now()],
    );
    if (rows.length === 0) return;
    for (const { data } of rows) await app.features.delivery.attempt(data as SendPayload);
  }
}
/** Runs what a restored connection asks for. */
async function resumed(): Promise<void> {
  const { rows } = await app.admin.query(
    `delete from pgboss.job where name = 'delivery.resume' returning data`,
  );
  for (const { data } of rows) await app.features.delivery.resume(data);
  await work();
}
const deliveries = async () =>
  (
    await app.admin.query(
      'select id, state, attempts, next_at, remote_id from delivery where campaign_id = $1 order by created_at, id',
      [campaign.id],
    )
  ).rows as { id: string; state: string; attempts: number; next_at: Date | null; remote_id: string | null }[];
const states = async () => (await deliveries()).map(({ state }) => state).sort();
const mails = async (): Promise<number> =>
  (
    await app.admin.query(`select from mail where kind = 'connection.broken' and company_id = $1`, [
      client.id,
    ])
  ).rowCount!;

describe('connections', () => {
  it('[INTG-02] are tried before they are stored, and never give their credentials back', async () => {
    const wrong = await call('POST', '/connections', { vendor: 'hubspot', credentials: { token: 'wrong' } });
    expect([wrong.status, wrong.body.message]).toEqual([
      422,
      'HubSpot could not be connected. Authentication credentials not found or expired.',
    ]);
    expect((await ok('GET', '/connections')).data).toEqual([]);
    const id = await connect({ name: 'Main account' });
    const listed = await ok('GET', '/connections');
    expect(listed.data).toMatchObject([
      { id, name: 'Main account', account: 'Account 4417', state: 'connected', campaigns: 0, waiting: 0 },
    ]);
    expect(JSON.stringify(listed)).not.toContain('pat-na1');
    const { rows } = await app.admin.query('select credentials_sealed from connection where id = $1', [id]);
    expect(rows[0].credentials_sealed).not.toContain('pat-na1');
    const log = await app.admin.query('select action from user_log where object_id = $1', [id]);
    expect(log.rows).toEqual([{ action: 'connection.create' }]);
  });

  it('[INTG-02] name the field that is wrong', async () => {
    for (const [given, field] of [
      [{ vendor: 'nobody', credentials: {} }, 'vendor'],
      [{ vendor: 'hubspot', credentials: {} }, 'credentials.token'],
      [{ vendor: 'hubspot', credentials: { token: 't', other: 'x' } }, 'credentials'],
    ] as const) {
      const { status, body } = await call('POST', '/connections', given);
      expect([status, Object.keys(body.errors as object)]).toEqual([422, [field]]);
    }
    const connectionID = await connect();
    for (const [given, field] of [
      [{ settings: { list: '1' } }, 'settings'],
      [{ mapping: { email: '' } }, 'mapping.email'],
      [{ mapping: { city: 'planet' } }, 'mapping.city'],
    ] as const) {
      const { status, body } = await call('POST', '/destinations', {
        leadspeekID: campaign.id,
        connectionID,
        ...given,
      });
      expect([status, Object.keys(body.errors as object)]).toEqual([422, [field]]);
    }
  });

  it('[INTG-04] are tested once a minute', async () => {
    const id = await connect();
    expect(await call('POST', `/connections/${id}/test`, {})).toMatchObject({
      status: 429,
      body: { message: 'You can only attempt this test once every minute. Please try again later.' },
    });
    await advance(60_000);
    expect((await ok('POST', `/connections/${id}/test`, {})).message).toBe(
      'The connection to Account 4417 works',
    );
  });

  it('[INTG-02] offer the vendor’s own fields', async () => {
    const choices = await ok('GET', `/connections/${await connect()}/choices`);
    expect(choices).toMatchObject({
      settings: {},
      fields: [
        { id: 'lead_score', name: 'Lead score' },
        { id: 'lifecyclestage', name: 'lifecyclestage' },
      ],
    });
  });
});

describe('a vendor that answers anything', () => {
  const given = { address: 'https://api.hostile.example/v1/contacts', key: 'SECRETKEY12345' };
  const connectHostile = async (): Promise<string> => {
    hostile = { status: 200 };
    return (await ok('POST', '/connections', { vendor: 'mailboxpower', credentials: given })).data.id;
  };
  const mapping = {
    zip: '',
    first_name: 'text:A',
    last_name: 'text:B',
    street: 'text:C',
    city: 'text:D',
    state: 'text:IL',
  };

  it.each([
    ['a NUL in the id', { json: { id: 'a\u0000b' } }],
    ['half a character in the id', { json: { id: 'a\ud800' } }],
    ['an id of 900 KB', { json: { id: 'x'.repeat(900_000) } }],
  ])('%s: the lead is sent once, and the id is not kept', async (_, answer) => {
    await attach(await connectHostile(), { mapping });
    hostile = { status: 200, ...answer };
    await acceptLeads(['ada@people.example']);
    received.length = 0;
    await work();
    expect(received).toHaveLength(1);
    expect(await deliveries()).toMatchObject([{ state: 'delivered', attempts: 1, remote_id: null }]);
  });

  it('a NUL in a refusal is recorded without it', async () => {
    const id = await attach(await connectHostile(), { mapping });
    hostile = { status: 422, json: { message: 'no\u0000 such\ud800 group' } };
    await acceptLeads(['ada@people.example']);
    await work();
    const [row] = (await ok('GET', `/custom/${id}/deliveries`)).data;
    expect(row).toMatchObject({ state: 'failed', attempts: 1 });
    expect(row.tries[0].error).toMatch(/^The service returned 422: no such/);
    expect((await ok('POST', `/custom/${id}/test`, {})).result).toBe('failed');
  });

  it('gets the key at no other address than the one it was entered for, and cannot have it shown', async () => {
    const id = await connectHostile();
    const moved = { credentials: { address: 'https://attacker.example/steal' } };
    const refused = await call('PUT', `/connections/${id}`, moved);
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      { 'credentials.key': ['must be entered again when the address changes'] },
    ]);
    await ok('PUT', `/connections/${id}`, { credentials: { ...moved.credentials, key: 'ANOTHERKEY123' } });
    await ok('PUT', `/connections/${id}`, { credentials: { key: 'SECRETKEY12345' } });
    await advance(60_000);
    hostile = { status: 401, json: { message: "sent: {'APIKEY': 'SECRETKEY12345'}" } };
    const echoed = await call('POST', `/connections/${id}/test`, {});
    expect(echoed.status).toBe(422);
    expect(JSON.stringify(echoed.body)).not.toContain('SECRETKEY');
  });
});

describe('delivery through a connection', () => {
  it('[INTG-02] fills the vendor’s fields as the mapping says, which the preview shows before', async () => {
    const connectionID = await connect();
    const mapping = { city: 'campaign_name', lead_score: 'text:warm', lastname: '' };
    const preview = () =>
      ok('POST', '/destinations/preview', { leadspeekID: campaign.id, connectionID, mapping });
    expect(await preview()).toMatchObject({ is_example: true, missing: [] });
    await attach(connectionID, { mapping });
    await acceptLeads(['ada@people.example']);
    const { is_example, fields } = await preview();
    expect(is_example).toBe(false);
    await work();
    expect(stub.records()).toHaveLength(1);
    const { fields: arrived } = stub.records()[0]!;
    expect(arrived).toMatchObject({
      email: 'ada@people.example',
      firstname: 'Ada',
      lead_score: 'warm',
      city: expect.stringMatching(/\S/),
    });
    expect(arrived).not.toHaveProperty('lastname');
    expect(arrived).toEqual(
      Object.fromEntries((fields as { key: string; value: string }[]).map(({ key, value }) => [key, value])),
    );
    expect(await deliveries()).toMatchObject([{ state: 'delivered', attempts: 1, remote_id: '501' }]);
  });

  it('[BEY-04] sends one again as an update of the same record', async () => {
    const id = await attach(await connect());
    await acceptLeads(['ada@people.example']);
    await work();
    const [first] = await deliveries();
    await ok('POST', `/custom/${id}/replay`, { deliveryID: first!.id });
    await work();
    expect(stub.records()).toHaveLength(1);
    expect(running.requests.at(-1)).toMatchObject({ method: 'PATCH' });
    expect(await deliveries()).toMatchObject([{ state: 'delivered', attempts: 2, remote_id: '501' }]);
  });

  it('[INTG-04] deletes a record at the service; sent again, the lead makes another', async () => {
    const id = await attach(await connect());
    await acceptLeads(['ada@example.com', null]);
    await work();
    const made = (await deliveries()).find(({ remote_id }) => remote_id)!;
    const lead = await ok('GET', `/deliveries/${made.id}`);
    expect([lead.state, lead.can_erase, stub.records().length]).toEqual(['delivered', true, 1]);
    await ok('POST', `/deliveries/${made.id}/erase`);
    expect(stub.records()).toEqual([]);
    const gone = await ok('GET', `/deliveries/${made.id}`);
    expect(gone).toMatchObject({ state: 'skipped', can_erase: false, attempts: 2 });
    expect(gone.tries[1].error).toBe('Deleted at HubSpot');
    const twice = await call('POST', `/deliveries/${made.id}/erase`);
    expect([twice.status, twice.body.message]).toEqual([
      409,
      'This delivery has no record that can be deleted from here.',
    ]);
    await ok('POST', `/custom/${id}/replay`, { deliveryID: made.id });
    await work();
    expect(stub.records()).toHaveLength(1);
    running.answerNext({ status: 403, json: { message: 'no scope' } }, 1);
    const refused = await call('POST', `/deliveries/${made.id}/erase`);
    expect([refused.status, refused.body.message]).toEqual([
      409,
      expect.stringContaining('HubSpot has not deleted it. The service returned 403'),
    ]);
    expect((await ok('GET', `/deliveries/${made.id}`)).can_erase).toBe(true);
  });

  it('[BEY-07] deletes a record for a person who asked for it, once the service answers', async () => {
    await attach(await connect());
    await acceptLeads(['gone@example.com', null]);
    await work();
    const made = (await deliveries()).find(({ remote_id }) => remote_id)!;
    const { delivery } = app.features;
    const { rows } = await app.admin.query('select root_id, lead_id from delivery where id = $1', [made.id]);
    const { root_id: rootId, lead_id: leadId } = rows[0];
    const kept = async () =>
      (await app.admin.query('select from delivery_exchange where delivery_id = $1', [made.id])).rows.length;
    expect(await kept()).toBe(1);
    const records = await inScope(app.platform.db.app, { rootId }, (tx) =>
      delivery.forgetRequests(tx, [leadId]),
    );
    expect([records, await kept()]).toEqual([[made.id], 0]);
    running.answerNext({ status: 403, json: { message: 'no scope' } }, 1);
    await expect(delivery.eraseForPerson(rootId, made.id)).rejects.toThrow('HubSpot has not deleted it');
    expect(stub.records()).toHaveLength(1);
    expect(await delivery.eraseForPerson(rootId, made.id)).toBe(true);
    expect(stub.records()).toEqual([]);
    expect(await delivery.eraseForPerson(rootId, made.id)).toBe(false);
  });

  it('[INTG-04] [BEY-04] a revoked token stops the connection once, and everything goes on after reconnecting', async () => {
    const connectionID = await connect();
    await attach(connectionID);
    stub.revoke();
    await acceptLeads(['a@people.example', 'b@people.example', 'c@people.example']);
    running.requests.length = 0;
    await work();
    expect(running.requests).toHaveLength(1);
    expect(await states()).toEqual(['pending', 'pending', 'pending']);
    expect((await deliveries()).map(({ next_at }) => next_at)).toEqual([null, null, null]);
    expect(await mails()).toBe(1);
    expect((await ok('GET', '/connections')).data).toMatchObject([
      { state: 'broken', state_reason: expect.stringContaining('401'), campaigns: 1, waiting: 3 },
    ]);
    expect((await ok('GET', '/undelivered')).data).toMatchObject([{ state: 'waiting', leads: 3 }]);
    // Words alone do not mend it, and neither does another wrong token.
    for (const given of [{ state: 'connected' }, { credentials: { token: 'wrong' } }])
      expect((await call('PUT', `/connections/${connectionID}`, given)).status).toBe(422);

    stub = hubspotStub();
    await ok('PUT', `/connections/${connectionID}`, { credentials: { token: 'pat-na1-stub' } });
    await resumed();
    expect(await states()).toEqual(['delivered', 'delivered', 'delivered']);
    expect(stub.records()).toHaveLength(3);
    expect(await mails()).toBe(1);
  });

  it('[INTG-04] [BEY-08] anyone who is excluded after they were queued is not told to the service', async () => {
    await attach(await connect());
    await acceptLeads(['kept@people.example', 'gone@people.example']);
    const { root_id, agency_id, company_id } = campaign.owner;
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.exclusions.addList(
        tx,
        {
          owner: { root_id, agency_id, company_id },
          ownerId: company_id,
          level: 'client',
          name: 'x',
          lines: ['gone@people.example'],
        },
        app.clock.now(),
      ),
    );
    running.requests.length = 0;
    await work();
    expect(await states()).toEqual(['delivered', 'failed']);
    expect(running.requests.length).toBeGreaterThan(0);
    expect(JSON.stringify(running.requests)).not.toContain('gone@people.example');
  });

  it('[INTG-04] a pause keeps what comes in until it ends', async () => {
    const connectionID = await connect();
    await attach(connectionID);
    await ok('PUT', `/connections/${connectionID}`, { state: 'paused' });
    await acceptLeads(['a@people.example']);
    await work();
    expect(await deliveries()).toMatchObject([{ state: 'pending', attempts: 0, next_at: null }]);
    await ok('PUT', `/connections/${connectionID}`, { state: 'connected' });
    await resumed();
    expect(await states()).toEqual(['delivered']);
  });

  it('[INTG-04] one request to wait holds the whole connection', async () => {
    await attach(await connect());
    await acceptLeads(['a@people.example', 'b@people.example']);
    running.requests.length = 0;
    running.answerNext({ status: 429, headers: { 'retry-after': '120' } });
    await work();
    expect(running.requests).toHaveLength(1);
    expect((await deliveries()).map(({ attempts }) => attempts).sort()).toEqual([0, 1]);
    await advance(121_000);
    await work();
    expect(await states()).toEqual(['delivered', 'delivered']);
  });

  it('[BEY-30] a refused address counts only while it was the lead’s own that was sent', async () => {
    const id = await attach(await connect());
    const refusals = async () =>
      (
        await app.admin.query(
          'select state, refuses_email from delivery where campaign_id = $1 order by created_at, id',
          [campaign.id],
        )
      ).rows;
    await acceptLeads(['not an address']);
    await work();
    expect(await refusals()).toEqual([{ state: 'failed', refuses_email: true }]);
    // What the client wants sent instead is refused as well, and says nothing about the lead.
    await ok('PUT', `/destinations/${id}`, { settings: {}, mapping: { email: 'text:nobody' } });
    await ok('POST', `/custom/${id}/replay`, {});
    await work();
    expect(await refusals()).toEqual([{ state: 'failed', refuses_email: false }]);
    // Mapped as it should be afterwards, it is still only what was sent that counts, until it is sent once more.
    await ok('PUT', `/destinations/${id}`, { settings: {}, mapping: {} });
    expect(await refusals()).toEqual([{ state: 'failed', refuses_email: false }]);
    await ok('POST', `/custom/${id}/replay`, {});
    await work();
    expect(await refusals()).toEqual([{ state: 'failed', refuses_email: true }]);
  });

  it('[BEY-04] what cannot be delivered is counted by cause, and resent by cause', async () => {
    const id = await attach(await connect());
    await acceptLeads([null, 'not an address', 'c@people.example']);
    await work();
    const lacking = 'Not sent: this lead has no Email, which HubSpot requires.';
    const { data } = await ok('GET', '/undelivered');
    const groups = data as unknown as { cause: string; leads: number }[];
    expect(groups.map(({ cause, leads }) => [cause, leads]).sort()).toEqual([
      [lacking, 1],
      [expect.stringMatching(/\{\{email\}\} is invalid.*Check the field mapping/), 1],
    ]);
    const owner = await app.make.user(agency, { password: PASSWORD });
    const clientToken = token;
    token = await app.signIn(owner.email, host);
    const ofClients = (await ok('GET', '/undelivered')).data as {
      id: string;
      connection_company_id: string;
    }[];
    expect(ofClients.flatMap((one) => (one.id === id ? [one.connection_company_id] : []))).toEqual([
      client.id,
      client.id,
    ]);
    token = clientToken;
    expect(await ok('POST', `/custom/${id}/replay`, { cause: lacking })).toMatchObject({ replayed: 1 });
    expect(await states()).toEqual(['delivered', 'failed', 'pending']);
  });

  it('[INTG-02] removing a connection ends its destinations, deletes its credentials, and says what was not sent', async () => {
    const connectionID = await connect();
    await attach(connectionID);
    await ok('PUT', `/connections/${connectionID}`, { state: 'paused' });
    await acceptLeads(['a@people.example']);
    await work();
    await ok('DELETE', `/connections/${connectionID}`);
    expect(await states()).toEqual(['failed']);
    const { rows } = await app.admin.query('select state, credentials_sealed from connection where id = $1', [
      connectionID,
    ]);
    expect(rows).toEqual([{ state: 'removed', credentials_sealed: null }]);
    expect((await ok('GET', `/custom/${campaign.id}`)).data).toEqual([]);
  });

  it('[INTG-04] a test lead arrives, marked as one', async () => {
    const id = await attach(await connect());
    expect(await ok('POST', `/custom/${id}/test`, {})).toMatchObject({
      result: 'success',
      message: 'The test lead arrived.',
    });
    expect(stub.records()).toMatchObject([{ fields: { firstname: 'Test', lastname: 'Lead' } }]);
  });

  it('[INTG-04] a lost response, or a process that died while sending, leads to exactly one record', async () => {
    const connectionID = await connect({
      vendor: 'gohighlevel-v1',
      credentials: forgetful.credentials(second.base),
    });
    await attach(connectionID);
    second.loseNextAnswer();
    await acceptLeads(['lost@people.example']);
    await work();
    expect(await deliveries()).toMatchObject([{ state: 'unknown', attempts: 1 }]);
    expect(forgetful.records()).toHaveLength(1);
    await advance(60_000);
    await work();
    expect(await deliveries()).toMatchObject([{ state: 'delivered', attempts: 2 }]);
    expect(forgetful.records()).toHaveLength(1);

    // What a process leaves behind that died after the vendor had carried it out: the mark, and no attempt.
    await acceptLeads(['died@people.example']);
    const [, died] = await deliveries();
    await app.admin.query(`update delivery set state = 'unknown' where id = $1`, [died!.id]);
    const headers = { authorization: `Bearer ${forgetful.credentials(second.base).key}` };
    const person = JSON.stringify({ email: 'died@people.example' });
    const created = forgetful.handle(stubRequest('POST', '/contacts/', headers, person));
    expect(created.status).toBe(200);
    await work();
    expect(await states()).toEqual(['delivered', 'delivered']);
    expect(forgetful.records()).toHaveLength(2);
  });

  it('a client uses its agency’s connection without seeing it, and leaves its destination alone', async () => {
    const own = await app.make.connection({ ...agency, agency_id: agency.id } as Company, { name: 'Ours' });
    expect((await call('GET', `/connections/${own.id}/choices`)).status).toBe(404);
    const owner = await app.make.user(agency, { password: PASSWORD });
    const clientToken = token;
    token = await app.signIn(owner.email, host);
    const id = await attach(own.id);
    token = clientToken;
    expect((await ok('GET', `/custom/${campaign.id}`)).data).toMatchObject([
      { id, name: 'HubSpot', kind: 'hubspot', connection_state: null, settings: {}, mapping: {} },
    ]);
    // Nor does it decide what the agency's connection writes, or whether it does. Every call with a destination is tried.
    const changes = Object.values(contract.delivery)
      .map((one) => one['~orpc'] as unknown as { route: { method: string; path: string }; meta: object })
      .filter(({ route, meta }) => route.path.includes('{id}') && 'access' in meta)
      .filter(({ meta }) => (meta as { access: string }).access === 'integration.write');
    expect(changes.length).toBeGreaterThan(6);
    const bodies: Record<string, object> = {
      '/integrations/destinations/{id}': { settings: {}, mapping: { email: 'text:vip@customer.example' } },
      '/integrations/destinations/{id}/rules': {
        rules: { match: 'all', conditions: [], hours: null, rotation: true },
      },
      '/integrations/custom/{id}/payload': { format: 'standard' },
      '/integrations/custom/{id}': { state: 'disabled' },
    };
    await acceptLeads(['ada@example.com']);
    await work();
    const [sent] = await deliveries();
    for (const { route } of changes) {
      const of = route.path.includes('/deliveries/') ? sent!.id : id;
      const path = route.path.replace('/integrations', '').replace('{id}', of);
      const { status } = await call(route.method as 'POST', path, bodies[route.path] ?? {});
      expect([route.method, route.path, status]).toEqual([route.method, route.path, 403]);
    }
    const { rows } = await app.admin.query('select mapping, rules, state from integration where id = $1', [
      id,
    ]);
    expect(rows).toEqual([{ mapping: {}, rules: null, state: 'enabled' }]);
    token = await app.signIn(owner.email, host);
    expect(await ok('POST', `/custom/${id}/test`, {})).toMatchObject({ result: 'success' });
    token = clientToken;
  });

  it('[BEY-04] what goes through its agency’s connection tells a client nothing of the account or its answers', async () => {
    const bait = /bait/;
    const own = await app.make.connection({ ...agency, agency_id: agency.id } as Company, {
      name: 'Ours, bait@agency.example',
    });
    const owner = await app.make.user(agency, { password: PASSWORD });
    const clientToken = token;
    const agencyToken = await app.signIn(owner.email, host);
    token = agencyToken;
    const id = await attach(own.id);
    await acceptLeads(['ada@example.com', 'bea@example.com']);
    running.answerNext(
      { status: 400, json: { message: 'bait: the portal of bait@agency.example is full' } },
      2,
    );
    await work();
    const [sent] = await deliveries();
    const paths = [
      `/custom/${campaign.id}`,
      `/custom/${id}/deliveries`,
      '/undelivered',
      '/deliveries?state=failed',
      `/deliveries/${sent!.id}`,
      '/destinations',
    ];
    const all = async () =>
      Promise.all(
        paths.map(async (path) => {
          const { status, text } = await app.call('GET', `/api/integrations${path}`, { host, token });
          return { path, status, text };
        }),
      );
    // The agency reads what the service said.
    const [failed] = (await ok('GET', '/deliveries?state=failed')).data;
    expect(failed).toMatchObject({ cause: expect.stringMatching(bait), may_resend: true });
    token = clientToken;
    for (const { path, status, text } of await all()) {
      expect([path, status, bait.test(text)]).toEqual([path, 200, false]);
    }
    const [seen] = (await ok('GET', '/deliveries?state=failed')).data;
    expect(seen).toMatchObject({ cause: ownMessages.agencyDestinationFailed, may_resend: false });
    // Nor does a filter tell what the words are.
    const by = async (cause: string) =>
      (await ok('GET', `/deliveries?state=failed&cause=${encodeURIComponent(cause)}`)).total;
    expect([await by(failed.cause), await by(ownMessages.agencyDestinationFailed)]).toEqual([0, 2]);
    const mails = await app.admin.query(
      `select to_address from mail where kind = 'delivery.failing' and company_id = $1`,
      [client.id],
    );
    expect(mails.rows).toEqual([]);
  });
});
