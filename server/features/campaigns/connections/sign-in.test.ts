import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { gohighlevelStub } from '../../../integrations/gohighlevel/stub.ts';
import { googleSheetsStub } from '../../../integrations/google-sheets/stub.ts';
import { hubspotStub } from '../../../integrations/hubspot/stub.ts';
import { type RunningStub, type Stub, startStub } from '../../../integrations/stub.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';
import type { SendPayload } from '../delivery/queue.ts';

const VENDORS = { hubspot: hubspotStub, gohighlevel: gohighlevelStub, 'google-sheets': googleSheetsStub };
type VendorId = keyof typeof VENDORS;
let app: TestApp;
let root: Company;
let agency: Company;
let client: Company;
let campaign: MadeCampaign;
let email: string;
let token: string;
const stubs = {} as Record<VendorId, Stub>;
const running = {} as Record<VendorId, RunningStub>;
const host = 'signin.test';

beforeAll(async () => {
  for (const id of Object.keys(VENDORS) as VendorId[]) {
    const make = () => VENDORS[id]();
    stubs[id] = make();
    // The stub behind the port is renewed for each test.
    const here: Stub = {
      credentials: (base) => stubs[id].credentials(base),
      settings: {},
      handle: (request) => stubs[id].signIn!.handle(request) ?? stubs[id].handle(request),
      records: () => stubs[id].records(),
      remove: (one) => stubs[id].remove(one),
      revoke: () => stubs[id].revoke(),
    };
    running[id] = await startStub(here, id);
  }
  app = await testApp({
    outboundExceptions: Object.values(running).map((one) => one.host),
    standIns: Object.fromEntries(
      (Object.keys(VENDORS) as VendorId[]).map((id) => [
        id,
        { base: running[id].base, client: stubs[id].signIn!.client },
      ]),
    ),
  });
  root = await app.make.root({ host: 'root.signin.test', isMaster: true });
  agency = await app.make.agency(root, { host });
});
afterAll(async () => {
  for (const one of Object.values(running)) await one.stop();
  await app?.close();
});
beforeEach(async () => {
  for (const id of Object.keys(VENDORS) as VendorId[]) stubs[id] = VENDORS[id]();
  client = await app.make.client(agency);
  email = (await app.make.user(client, { password: PASSWORD })).email;
  campaign = await app.make.campaign(client);
  await advance(1);
});

async function advance(milliseconds: number): Promise<void> {
  app.clock.advance(milliseconds);
  token = await app.signIn(email, host);
}
// biome-ignore lint/suspicious/noExplicitAny: each test knows what its call returns
type Body = any;
async function call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown, status = 200) {
  const answer = await app.call(method, `/api/integrations${path}`, {
    host,
    token,
    ...(body === undefined ? {} : { body }),
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(status);
  return answer.body as Body;
}

/** Opens the service's page, allows it, and returns what the browser comes back with to the tenant's host. */
async function allowed(vendor: VendorId, more: object = {}): Promise<URLSearchParams> {
  const { url } = await call('POST', '/connections/sign-in', { vendor, ...more });
  // Node resolves no name below localhost.
  const here = url.replace(/\/\/[\w-]+\.localhost/, '//127.0.0.1');
  const page = await fetch(here);
  expect(await page.text()).toContain('Allow');
  const back = await fetch(`${here}&answer=allow`, { redirect: 'manual' });
  const callback = new URL(back.headers.get('location')!);
  expect(callback.pathname).toBe('/api/integrations/callback');
  const reply = await app.server.inject({
    method: 'GET',
    url: callback.pathname + callback.search,
    headers: { host: 'root.signin.test' },
  });
  const to = new URL(/href="([^"]+)"/.exec(reply.body)![1]!.replaceAll('&#38;', '&'));
  expect([to.host, to.pathname]).toEqual([host, `/integrations/${vendor}`]);
  return to.searchParams;
}
const ended = (query: URLSearchParams, status = 200) =>
  call('POST', '/connections/signed-in', { state: query.get('state'), code: query.get('code') }, status);
const signIn = async (vendor: VendorId, more: object = {}): Promise<Body> =>
  (await ended(await allowed(vendor, more))).data;

async function acceptLead(address: string): Promise<void> {
  const id = newId(app.clock.now());
  await inScope(app.platform.db.app, { rootId: root.id }, async (tx) => {
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
      .values({ lead_id: id, ...own, first_name: 'Ada', email: address })
      .execute();
    await app.platform.events.emit(tx, 'leads.accepted', {
      leads: [{ id, campaignId: campaign.id, owner: campaign.owner }],
      isTest: false,
    });
  });
}
const due = async (): Promise<SendPayload[]> =>
  (
    await app.admin.query(
      `delete from pgboss.job j using delivery d where d.id = (j.data->>'deliveryId')::uuid
         and j.name = 'delivery.send' and d.campaign_id = $1 and d.next_at <= $2 returning j.data`,
      [campaign.id, app.clock.now()],
    )
  ).rows.map(({ data }) => data);
async function work(): Promise<void> {
  for (let jobs = await due(); jobs.length > 0; jobs = await due())
    for (const data of jobs) await app.features.delivery.attempt(data);
}
const states = async (): Promise<string[]> =>
  (await app.admin.query('select state from delivery where campaign_id = $1', [campaign.id])).rows.map(
    ({ state }) => state,
  );

describe('[INTG-02] signing in at a service', () => {
  it('[INTG-01] an agency signs in for a client, and comes back to that client’s connections', async () => {
    token = await app.signIn((await app.make.user(agency, { password: PASSWORD })).email, host);
    const query = await allowed('hubspot', { companyID: client.id });
    expect(query.get('client')).toBe(client.id);
    expect((await ended(query)).data).toMatchObject({ companyID: client.id, state: 'connected' });
    // For itself, it comes back to its own.
    expect((await allowed('hubspot')).get('client')).toBeNull();
    const other = await app.make.client(await app.make.agency(root));
    await call('POST', '/connections/sign-in', { vendor: 'hubspot', companyID: other.id }, 404);
  });

  it.each(Object.keys(VENDORS) as VendorId[])('%s: connects, and keeps the tokens sealed', async (vendor) => {
    const { data } = await call('GET', '/vendors');
    expect(data.find((one: { id: string }) => one.id === vendor).sign_in).toMatch(/\S/);
    const connection = await signIn(vendor, { name: 'Mine' });
    expect(connection).toMatchObject({ vendor, name: 'Mine', state: expect.any(String), signed_in: true });
    const { rows } = await app.admin.query(
      'select row_to_json(c)::text as text from connection c where id = $1',
      [connection.id],
    );
    expect(rows[0].text).not.toMatch(/access\.|refresh\./);
    expect(await call('GET', '/connections')).toMatchObject({ data: [{ id: connection.id }] });
  });

  it('refuses a state that was forged, used before, begun by another session, or too old', async () => {
    const query = await allowed('hubspot');
    await call('POST', '/connections/signed-in', { state: 'forged', code: query.get('code') }, 409);
    const mine = token;
    const other = (await app.make.user(client, { password: PASSWORD })).email;
    token = await app.signIn(other, host);
    await ended(query, 409);
    // Another session of the same person is another one, too.
    token = await app.signIn(email, host);
    await ended(query, 409);
    token = mine;
    await ended(query);
    await ended(query, 409);
    const late = await allowed('hubspot');
    await advance(600_001);
    await ended(late, 409);
    expect((await call('GET', '/connections')).data).toHaveLength(1);
    const unknown = await app.server.inject({
      method: 'GET',
      url: '/api/integrations/callback?state=forged&code=1',
      headers: { host: 'root.signin.test' },
    });
    expect(unknown.statusCode).toBe(404);
  });

  it('hands what the service returned to a host only after it has been named, and to no frame', async () => {
    const { url } = await call('POST', '/connections/sign-in', { vendor: 'hubspot' });
    const state = new URL(url).searchParams.get('state');
    const reply = await app.server.inject({
      method: 'GET',
      url: `/api/integrations/callback?state=${state}&code=${encodeURIComponent('"><script>')}`,
      headers: { host: 'root.signin.test' },
    });
    expect([reply.statusCode, reply.headers.location]).toEqual([200, undefined]);
    expect(reply.body).toContain(`<h1>Connect HubSpot to ${host}?</h1>`);
    expect(reply.body).not.toContain('<script');
    expect(reply.headers).toMatchObject({
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-.*frame-ancestors 'none'$/,
      ),
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
  });

  it('a code works only with the proof key of whoever began, and a person may say no', async () => {
    const { url } = await call('POST', '/connections/sign-in', { vendor: 'hubspot' });
    const stolen = await allowed('hubspot');
    const state = new URL(url).searchParams.get('state');
    const answer = await call('POST', '/connections/signed-in', { state, code: stolen.get('code') }, 422);
    expect(answer.message).toBe('HubSpot could not be connected. Malformed auth code.');
    const no = await app.server.inject({
      method: 'GET',
      url: `/api/integrations/callback?state=${new URL((await call('POST', '/connections/sign-in', { vendor: 'hubspot' })).url).searchParams.get('state')}&error=access_denied`,
      headers: { host: 'root.signin.test' },
    });
    expect(new URL(no.headers.location!).search).toBe('?refused=access_denied');
  });

  it('cannot be begun where the platform is not registered', async () => {
    const answer = await call('POST', '/connections/sign-in', { vendor: 'slack' }, 422);
    expect(Object.keys(answer.errors)).toEqual(['vendor']);
    await call('POST', '/connections/sign-in', { vendor: 'nobody' }, 422);
  });

  it('two processes that renew a token at once ask the service once, and its new token is kept', async () => {
    const { id } = await signIn('gohighlevel');
    await call('POST', '/destinations', { leadspeekID: campaign.id, connectionID: id });
    await advance(3_600_000);
    stubs.gohighlevel.signIn!.expire();
    for (let n = 0; n < 6; n++) await acceptLead(`ada${n}@example.com`);
    const jobs = await due();
    expect(jobs).toHaveLength(6);
    await Promise.all(jobs.map((data) => app.features.delivery.attempt(data)));
    expect(stubs.gohighlevel.signIn!.renewals()).toBe(1);
    app.clock.advance(5_000);
    await work();
    expect(await states()).toEqual(Array(6).fill('delivered'));
    // The refresh token rotates: the next renewal uses the new one.
    await advance(3_600_000);
    await acceptLead('later@example.com');
    await work();
    expect(stubs.gohighlevel.signIn!.renewals()).toBe(2);
    expect(stubs.gohighlevel.records()).toHaveLength(7);
  });

  it('a process that dies while it renews holds up the others for half a minute at most', async () => {
    const { id } = await signIn('hubspot');
    await call('POST', '/destinations', { leadspeekID: campaign.id, connectionID: id });
    await advance(3_600_000);
    await app.admin.query('update connection set renewing_until = $2 where id = $1', [
      id,
      new Date(app.clock.now().getTime() + 30_000),
    ]);
    await acceptLead('ada@example.com');
    await work();
    expect([await states(), stubs.hubspot.signIn!.renewals()]).toEqual([['pending'], 0]);
    app.clock.advance(30_001);
    await work();
    expect([await states(), stubs.hubspot.signIn!.renewals()]).toEqual([['delivered'], 1]);
  });

  it('a token that ended early is renewed; one that was revoked pauses once, and goes on after signing in', async () => {
    const { id } = await signIn('hubspot');
    await call('POST', '/destinations', { leadspeekID: campaign.id, connectionID: id });
    await advance(600_000);
    stubs.hubspot.signIn!.expire();
    await acceptLead('early@example.com');
    await work();
    app.clock.advance(10_000);
    await work();
    expect([await states(), stubs.hubspot.signIn!.renewals()]).toEqual([['delivered'], 1]);

    await advance(600_000);
    stubs.hubspot.signIn!.revoke();
    for (let n = 0; n < 5; n++) await acceptLead(`ada${n}@example.com`);
    await work();
    expect((await call('GET', '/connections')).data).toMatchObject([{ id, state: 'broken', waiting: 5 }]);
    const mails = await app.admin.query(
      `select from mail where kind = 'connection.broken' and company_id = $1`,
      [client.id],
    );
    expect(mails.rowCount).toBe(1);
    await call('PUT', `/connections/${id}`, { state: 'connected' }, 422);

    expect(await signIn('hubspot', { connectionID: id })).toMatchObject({ id, state: 'connected' });
    const resumes = await app.admin.query(
      `delete from pgboss.job where name = 'delivery.resume' returning data`,
    );
    for (const { data } of resumes.rows) await app.features.delivery.resume(data);
    await work();
    expect((await states()).every((state) => state === 'delivered')).toBe(true);
    expect(stubs.hubspot.records()).toHaveLength(6);
  });

  it('an outage of the token service breaks nothing', async () => {
    const { id } = await signIn('hubspot');
    await call('POST', '/destinations', { leadspeekID: campaign.id, connectionID: id });
    await advance(3_600_000);
    running.hubspot.answerNext({ status: 503 });
    await acceptLead('ada@example.com');
    await work();
    expect((await call('GET', '/connections')).data[0].state).toBe('connected');
    app.clock.advance(5_000);
    await work();
    expect(await states()).toEqual(['delivered']);
  });

  it('tells once of a sign-in that ends within a week, and shows it', async () => {
    const { id } = await signIn('gohighlevel');
    expect((await call('GET', '/connections')).data[0]).toMatchObject({ state: 'connected' });
    await app.features.connections.tellEnding();
    await advance(359 * 86_400_000);
    expect((await call('GET', '/connections')).data[0]).toMatchObject({ id, state: 'expiring' });
    await app.features.connections.tellEnding();
    await app.features.connections.tellEnding();
    const { rowCount } = await app.admin.query(
      `select from mail where kind = 'connection.ending' and company_id = $1`,
      [client.id],
    );
    expect(rowCount).toBe(1);
  });

  it('disconnecting revokes the sign-in, and a key can take its place', async () => {
    const { id } = await signIn('google-sheets');
    const requests = running['google-sheets'].requests;
    requests.length = 0;
    await call('DELETE', `/connections/${id}`);
    expect(requests.map(({ path }) => path)).toEqual(['/revoke']);

    const hubspot = await signIn('hubspot');
    const entered = await call('PUT', `/connections/${hubspot.id}`, {
      credentials: { token: 'pat-na1-stub' },
    });
    expect(entered.data).toMatchObject({ signed_in: false, state: 'connected' });
  });
});
