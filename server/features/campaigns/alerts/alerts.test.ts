import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { slackStub } from '../../../integrations/slack/stub.ts';
import { type RunningStub, type Stub, startStub } from '../../../integrations/stub.ts';
import { teamsStub } from '../../../integrations/teams/stub.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';

const HOST = 'alerts.test';
const HOUR = 3_600_000;
const SHOP = 'https://shop.example.com';
let app: TestApp;
let root: Company;
let agency: Company;
let client: Company;
let campaign: MadeCampaign;
let owner: { id: string; email: string };
let token: string;
let chats: { slack: Stub; teams: Stub };
let running: RunningStub[];
let endpoint: Server;
let hook: string;
let answer = 204;
let posted: { headers: Record<string, string>; body: string }[] = [];

beforeAll(async () => {
  chats = { slack: slackStub(), teams: teamsStub() };
  running = [await startStub(chats.slack, 'slack'), await startStub(chats.teams, 'teams')];
  endpoint = createServer((request, reply) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      posted.push({ headers: request.headers as Record<string, string>, body });
      reply.writeHead(answer).end();
    });
  });
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  const own = `alerts.localhost:${(endpoint.address() as AddressInfo).port}`;
  hook = `http://${own}/in`;
  app = await testApp({
    outboundExceptions: [own, ...running.map(({ host }) => host)],
    standIns: { slack: { base: running[0]!.base }, teams: { base: running[1]!.base } },
  });
  root = await app.make.root({ host: 'root.test' });
  agency = await app.make.agency(root, { host: HOST, name: 'Acme' });
});
afterAll(async () => {
  expect(app.greedy).toEqual([]);
  for (const stub of running) await stub.stop();
  endpoint.closeAllConnections();
  endpoint.close();
  await app.close();
});
beforeEach(async () => {
  client = await app.make.client(agency);
  owner = await app.make.user(client, { password: PASSWORD });
  campaign = await app.make.campaign(client, { price: 0n, reidentify: 'never', score_pages: ['pricing'] });
  posted = [];
  answer = 204;
  await pass(HOUR);
});

async function pass(ms: number): Promise<void> {
  app.clock.advance(ms);
  await app.features.visits.keepPartitions(2);
  token = await app.signIn(owner.email, HOST);
}
const ask = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) =>
  app.call(method, `/api/alerts${path}`, { host: HOST, token, ...(body ? { body } : {}) });
async function add(more: object = {}): Promise<{ id: string; secret: string | null }> {
  const { status, body } = await ask('POST', '', {
    name: 'Hot leads',
    min_score: 0,
    user_ids: [owner.id],
    ...more,
  });
  expect([status, body]).toEqual([200, expect.anything()]);
  return body as never;
}
const known = async () => {
  const person = app.make.person();
  await app.make.people(root, [person]);
  return person.email!;
};
async function visit(email: string, path = '/', of = campaign): Promise<void> {
  await app.make.visit(of, { email, url: SHOP + path });
  await app.features.leads.resolver.resolveAll();
}
/** Tells what is waiting, of each company. */
async function tellAll(): Promise<void> {
  await app.features.alerts.enqueueDue(root.id);
  const { rows } = await app.admin.query(
    `delete from pgboss.job where name = 'alerts.company' returning data`,
  );
  for (const { data } of rows) await app.features.alerts.tell(data);
}
/** Runs the jobs of alerts that are due, each once. */
async function work(): Promise<void> {
  const done = new Set<string>();
  for (;;) {
    const { rows } = await app.admin.query(
      `select id, name, data from pgboss.job where name in ('alerts.judge', 'alerts.message')
       and start_after <= greatest(now(), $1::timestamptz) and data ->> 'rootId' = $2 order by created_on, id`,
      [app.clock.now(), root.id],
    );
    const open = rows.filter(({ id }) => !done.has(id));
    for (const { id, name, data } of open) {
      done.add(id);
      if (name === 'alerts.judge')
        await app.features.alerts.decide(
          data.rootId,
          data.happened.map((one: { at: string }) => ({ ...one, at: new Date(one.at) })),
          data.companies,
        );
      else await app.features.alerts.attempt(data);
    }
    await tellAll();
    if (open.length === 0) return;
  }
}
const mails = async (): Promise<string[]> =>
  (
    await app.admin.query(
      `select subject from mail where kind = 'lead.alert' and company_id = $1 order by created_at, id`,
      [client.id],
    )
  ).rows.map(({ subject }) => subject);
const log = async (id: string) =>
  (await ask('GET', `/${id}/messages`)).body.data as unknown as {
    way: string;
    state: string;
    error: string | null;
    events: number;
    is_test: boolean;
  }[];

test('[BEY-18] a lead is told by email, in Slack and Teams, and to a signed webhook, once', async () => {
  // Signatures are good for five minutes.
  await pass(Date.now() - app.clock.now().getTime());
  const connections = [];
  for (const [vendor, stub, at] of [
    ['slack', chats.slack, 0],
    ['teams', chats.teams, 1],
  ] as const)
    connections.push(
      (await app.make.connection(client, { vendor, credentials: { ...stub.credentials(running[at]!.base) } }))
        .id,
    );
  const { id, secret } = await add({
    connection_ids: connections,
    webhook_url: hook,
    pages: ['Pricing'],
    min_score: 30,
  });
  await visit(await known());
  await visit(await known(), '/pricing?email=x@y.example');
  await work();
  const [lead] = (
    await app.admin.query(`select id from lead where campaign_id = $1 and score >= 30 order by score desc`, [
      campaign.id,
    ])
  ).rows;

  expect(await mails()).toEqual([expect.stringMatching(/^New lead: /)]);
  for (const stub of [chats.slack, chats.teams]) {
    const [record] = stub.records();
    expect(record!.fields.text).toMatch(/New lead: [\s\S]*viewed \/pricing/);
    expect(record!.fields.text).not.toContain('x@y.example');
  }
  expect(posted).toHaveLength(1);
  const message = new Webhook(secret!).verify(posted[0]!.body, posted[0]!.headers) as { data: never };
  expect(message).toMatchObject({
    type: 'lead.alert',
    test: false,
    data: {
      alert: { id, name: 'Hot leads' },
      events: [{ kind: 'new', page: '/pricing', lead: { id: lead.id } }],
    },
  });
  // Run again, nothing is sent again.
  await work();
  expect(posted).toHaveLength(1);
  expect((await log(id)).map(({ way, state }) => [way, state]).sort()).toEqual([
    ['chat', 'delivered'],
    ['chat', 'delivered'],
    ['mail', 'delivered'],
    ['webhook', 'delivered'],
  ]);
  expect((await ask('GET', '')).body.data).toMatchObject([{ id, told: 1, failed: 0 }]);
});

test('[BEY-18] a return is told, a page in the course of a visit too, and a person once in a cooldown', async () => {
  const back = await add({ name: 'Back', trigger: 'return', cooldown_hours: 48 });
  const page = await add({ name: 'Pricing', trigger: 'return', pages: ['pricing'], cooldown_hours: 1 });
  const email = await known();
  await visit(email);
  await work();
  expect(await mails()).toEqual([]);
  // Ten minutes later, on the page: not a return, but what the second alert waits for.
  await pass(10 * 60_000);
  await visit(email, '/pricing');
  await work();
  expect(await mails()).toEqual([expect.stringMatching(/^On the site now: /)]);
  await pass(24 * HOUR);
  await visit(email);
  await work();
  expect((await mails()).slice(1)).toEqual([expect.stringMatching(/^Back on the site: /)]);
  await pass(24 * HOUR);
  await visit(email);
  await work();
  expect(await mails()).toHaveLength(2);
  await pass(24 * HOUR);
  await visit(email, '/pricing');
  await work();
  expect(await mails()).toHaveLength(4);
  expect([(await log(back.id)).length, (await log(page.id)).length]).toEqual([2, 2]);
});

test('[BEY-18] two workers tell once', async () => {
  const { id } = await add();
  const email = await known();
  await visit(email);
  const { rows } = await app.admin.query('select id from lead where campaign_id = $1', [campaign.id]);
  const happened = [{ leadId: rows[0].id, kind: 'new' as const, at: app.clock.now() }];
  await Promise.all(Array.from({ length: 6 }, () => app.features.alerts.decide(root.id, happened, [])));
  await Promise.all(
    Array.from({ length: 4 }, () => app.features.alerts.tell({ rootId: root.id, companyId: client.id })),
  );
  await work();
  expect(await mails()).toHaveLength(1);
  expect(await log(id)).toHaveLength(1);
});

test('[BEY-31] each company is judged by jobs of its own and in turn: what fails for one holds up no other', async () => {
  const theirs = await app.make.client(agency);
  const user = await app.make.user(theirs, { password: PASSWORD });
  const site = await app.make.campaign(theirs, { price: 0n });
  await add();
  token = await app.signIn(user.email, HOST);
  await add({ user_ids: [user.id] });
  token = await app.signIn(owner.email, HOST);
  await app.admin.query(`delete from pgboss.job where name like 'alerts.%'`);
  for (let i = 0; i < 2; i++) await visit(await known());
  await visit(await known(), '/', site);
  const { rows } = await app.admin.query(
    `select group_id, priority, data from pgboss.job where name = 'alerts.judge' order by priority desc, group_id = $1 desc`,
    [client.id],
  );
  expect(rows.map((row) => [row.group_id, row.priority])).toEqual([
    [client.id, 0],
    [theirs.id, 0],
    [client.id, -1],
  ]);
  await app.admin.query(
    `create function no_event() returns trigger language plpgsql as $$ begin
       if new.company_id = '${client.id}' then raise 'no event'; end if; return new; end $$`,
  );
  await app.admin.query(
    'create trigger no_event before insert on alert_event for each row execute function no_event()',
  );
  const judged = await Promise.allSettled(
    rows.map(({ data: { rootId, happened, companies } }) =>
      app.features.alerts.decide(rootId, happened, companies),
    ),
  );
  expect(judged.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected']);
  const told = await app.admin.query(`select data from pgboss.job where name = 'alerts.company'`);
  expect(told.rows.map(({ data }) => data.companyId)).toEqual([theirs.id]);
  await app.admin.query('drop trigger no_event on alert_event');
  await work();
  const { rows: sent } = await app.admin.query(
    `select company_id, count(*)::int as count from mail where kind = 'lead.alert' and company_id = any($1)
     group by 1 order by 2`,
    [[client.id, theirs.id]],
  );
  expect(sent).toEqual([
    { company_id: theirs.id, count: 1 },
    { company_id: client.id, count: 2 },
  ]);
});

test('[BEY-31] one alert that cannot be told holds up no other of its company', async () => {
  const ids = [];
  for (const name of ['One', 'Two', 'Three']) ids.push((await add({ name })).id);
  await visit(await known());
  const { rows } = await app.admin.query(
    `select data from pgboss.job where name = 'alerts.judge' and group_id = $1`,
    [client.id],
  );
  for (const { data } of rows) await app.features.alerts.decide(data.rootId, data.happened, data.companies);
  await app.admin.query(
    `create function no_message() returns trigger language plpgsql as $$ begin
       if new.alert_id = '${ids[0]}' then raise 'no message'; end if; return new; end $$`,
  );
  await app.admin.query(
    'create trigger no_message before insert on alert_message for each row execute function no_message()',
  );
  const tell = () => app.features.alerts.tell({ rootId: root.id, companyId: client.id });
  await expect(tell()).rejects.toThrow('no message');
  expect([(await log(ids[0]!)).length, (await log(ids[1]!)).length, (await log(ids[2]!)).length]).toEqual([
    0, 1, 1,
  ]);
  await app.admin.query('drop trigger no_message on alert_message');
  for (let i = 0; i < 2; i++) await tell();
  for (const id of ids) expect(await log(id)).toHaveLength(1);
});

test('[BEY-31] of what a person viewed, the latest hundred are compared with the pages of alerts', async () => {
  const { id } = await add({ trigger: 'return', pages: ['pricing'], cooldown_hours: 1 });
  for (const [others, told] of [
    [98, 1],
    [99, 0],
  ] as const) {
    const email = await known();
    await visit(email);
    await pass(10 * 60_000);
    // The page, and then as many others, within half an hour; the visit itself is one more.
    await app.admin.query(
      `insert into visit (day, event_id, root_id, agency_id, company_id, campaign_id, received_at, url, resolved_at, outcome, person_id)
       select at::date, gen_random_uuid(), root_id, agency_id, company_id, campaign_id, at,
         case n when 0 then $2 else $3 end, at, 'seen_recently', person_id
       from (select * from lead where campaign_id = $1 order by created_at desc limit 1) l,
         generate_series(0, $4::int) n, lateral (select $5::timestamptz - make_interval(secs => 400 - n) as at) x`,
      [campaign.id, `${SHOP}/pricing`, `${SHOP}/other`, others, app.clock.now()],
    );
    const before = (await log(id)).length;
    await visit(email);
    await work();
    expect((await log(id)).length - before).toBe(told);
  }
});

test('[BEY-18] a lead that was seen several times in one batch is judged once, by all that was viewed', async () => {
  const { id } = await add({ trigger: 'return', pages: ['pricing'], cooldown_hours: 1 });
  const email = await known();
  await visit(email);
  await pass(10 * 60_000);
  const first = app.clock.now();
  await visit(email, '/pricing');
  await pass(50 * 60_000);
  const { rows } = await app.admin.query('select id from lead where campaign_id = $1', [campaign.id]);
  const seen = (at: Date) => ({ leadId: rows[0].id, kind: 'seen' as const, at });
  // By its last time alone, the page would be too long ago.
  await app.features.alerts.decide(root.id, [seen(app.clock.now())], []);
  await tellAll();
  expect(await log(id)).toEqual([]);
  await app.features.alerts.decide(root.id, [seen(first), seen(app.clock.now()), seen(first)], []);
  await tellAll();
  expect(await log(id)).toHaveLength(1);
});

test('[BEY-18] at night alerts wait, in the morning they are one message', async () => {
  // Around midnight in Chicago, on a Thursday; the alert is told from 9 to 17 on weekdays.
  const now = app.clock.now();
  const days = (4 - now.getUTCDay() + 7) % 7 || 7;
  const thursday = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + days, 6);
  await pass(thursday - now.getTime());
  await add({ hours: { days: [1, 2, 3, 4, 5], from: '09:00', to: '17:00' } });
  for (let i = 0; i < 3; i++) await visit(await known());
  await work();
  expect(await mails()).toEqual([]);
  await pass(10 * HOUR);
  await work();
  expect(await mails()).toEqual(['3 alerts: Hot leads']);
});

test('[BEY-18] a flood is a few messages and one that gathers the rest', async () => {
  const { id } = await add({ most_per_hour: 2 });
  for (let i = 0; i < 6; i++) await app.make.visit(campaign, { email: await known(), url: SHOP });
  await app.features.leads.resolver.resolveAll();
  await work();
  expect(await mails()).toHaveLength(3);
  expect((await log(id)).map(({ events }) => events).sort()).toEqual([1, 1, 4]);
});

test('[BEY-18] a number of leads within an hour is told once', async () => {
  await add({ name: 'Rush', trigger: 'number', per_hour: 3, cooldown_hours: 5 });
  for (let i = 0; i < 5; i++) {
    await visit(await known());
    await work();
  }
  expect(await mails()).toEqual(['3 leads within an hour']);
});

test('[BEY-18] people who are excluded or do not fit are not told of; tests are', async () => {
  const { id } = await add({ webhook_url: hook });
  const [gone, stays] = [await known(), await known()];
  await visit(gone);
  await app.make.exclusionList(client, 'client', [gone]);
  await work();
  expect(await mails()).toEqual([]);
  expect((await log(id)).map(({ state, error }) => [state, error])).toEqual(
    Array(2).fill([
      'failed',
      'Not sent: everyone it was about has been excluded, erased, or removed from their list.',
    ]),
  );
  await visit(stays);
  await work();
  expect(await mails()).toHaveLength(1);
  posted = [];
  expect((await ask('POST', `/${id}/test`, {})).status).toBe(200);
  await work();
  expect(await mails()).toContain('Test: Back on the site: Ada Example');
  expect(JSON.parse(posted[0]!.body)).toMatchObject({ test: true, data: { events: [{ lead: null }] } });

  const other = await app.make.campaign(client, { price: 0n, fit_ages: ['25 to 34'], fit_use: 'score' });
  await add({ name: 'Fits', fit: 'fits', campaign_id: undefined, leadspeekID: other.id });
  await visit(await known(), '/', other);
  await work();
  const { rows } = await app.admin.query('select count(*)::int as n from lead where campaign_id = $1', [
    other.id,
  ]);
  expect(rows[0].n).toBe(1);
  // The first alert tells of it, the one that asks for a fit does not.
  expect(await mails()).toHaveLength(3);
});

test('[BEY-18] an endpoint that fails is tried again, and what never arrives is shown', async () => {
  const { id } = await add({ user_ids: [], webhook_url: hook });
  answer = 500;
  await visit(await known());
  await work();
  expect(posted).toHaveLength(1);
  await pass(61_000);
  answer = 204;
  await work();
  expect(posted).toHaveLength(2);
  expect(posted[1]!.headers['webhook-id']).toBe(posted[0]!.headers['webhook-id']);
  answer = 410;
  await visit(await known());
  await work();
  expect((await log(id)).map(({ state, error }) => [state, error])).toEqual([
    ['failed', 'The endpoint returned 410.'],
    ['delivered', null],
  ]);
  expect((await ask('GET', '')).body.data).toMatchObject([{ failed: 1 }]);
});

test('[BEY-31] however many webhooks of a company hang, they take one place, and hold up nothing else', async () => {
  for (let i = 0; i < 3; i++) await add({ webhook_url: `${hook}/${i}` });
  answer = 500;
  await visit(await known());
  await work();
  // Those of the first attempts, and of the next ones.
  const { rows } = await app.admin.query(
    `select m.way, j.group_id, count(*)::int from alert_message m
     join pgboss.job j on j.name = 'alerts.message' and j.data ->> 'id' = m.id::text
     where m.company_id = $1 group by 1, 2 order by 1`,
    [client.id],
  );
  expect(rows).toEqual([
    { way: 'mail', group_id: `${client.id}:mail`, count: 3 },
    { way: 'webhook', group_id: `${client.id}:webhook`, count: 6 },
  ]);
});

test('[BEY-18] a preview shows what yesterday would have sent', async () => {
  const email = await known();
  await visit(email);
  await pass(2 * HOUR);
  await visit(email, '/pricing');
  await visit(await known());
  const preview = async (rules: object) =>
    (await ask('POST', '/preview', { min_score: 0, ...rules })).body as unknown as {
      events: number;
      messages: number;
      examples: { name: string; kind: string }[];
    };
  expect(await preview({})).toMatchObject({ events: 2, messages: 2 });
  expect(await preview({ trigger: 'return' })).toMatchObject({ events: 1, examples: [{ kind: 'returned' }] });
  expect(await preview({ trigger: 'return', pages: ['pricing'] })).toMatchObject({ events: 1 });
  expect(await preview({ trigger: 'return', pages: ['contact'] })).toMatchObject({ events: 0, examples: [] });
  expect(await preview({ trigger: 'number', per_hour: 2 })).toMatchObject({ events: 0 });
  expect(await preview({ min_score: 60 })).toMatchObject({ events: 1 });
  expect(await preview({ leadspeekID: (await app.make.campaign(client)).id })).toMatchObject({ events: 0 });
  await pass(25 * HOUR);
  expect(await preview({})).toMatchObject({ events: 0 });
});

test('[BEY-18] what cannot be is refused by name; removing stops what waits', async () => {
  const foreign = await app.make.user(await app.make.client(agency), {});
  const crm = await app.make.connection(client, {});
  const stranger = await app.make.connection(await app.make.client(agency), {
    vendor: 'slack',
    credentials: { ...chats.slack.credentials(running[0]!.base) },
  });
  const refused = async (more: object) => {
    const { status, body } = await ask('POST', '', { name: 'X', user_ids: [owner.id], ...more });
    return [status, Object.keys((body as unknown as { errors: object }).errors)];
  };
  expect(await refused({ name: ' ' })).toEqual([422, ['name']]);
  expect(await refused({ user_ids: [] })).toEqual([422, ['user_ids']]);
  expect(await refused({ user_ids: [foreign.id] })).toEqual([422, ['user_ids']]);
  expect(await refused({ connection_ids: [crm.id] })).toEqual([422, ['connection_ids']]);
  expect(await refused({ connection_ids: [stranger.id] })).toEqual([422, ['connection_ids']]);
  expect(await refused({ webhook_url: 'http://127.0.0.1/' })).toEqual([422, ['webhook_url']]);
  expect(await refused({ trigger: 'number' })).toEqual([422, ['per_hour']]);
  expect(await refused({ min_score: 101 })).toEqual([422, ['min_score']]);
  expect(await refused({ hours: { days: [], from: '09:00', to: '17:00' } })).toEqual([422, ['hours.days']]);
  const other = await app.make.campaign(await app.make.client(agency));
  expect(await refused({ leadspeekID: other.id })).toEqual([422, ['leadspeekID']]);

  // A channel that was removed since does not stand in the way of other changes.
  const chat = await app.make.connection(client, {
    vendor: 'slack',
    credentials: { ...chats.slack.credentials(running[0]!.base) },
  });
  const kept = { name: 'Kept', user_ids: [owner.id], connection_ids: [chat.id] };
  const { id: keptId } = await add(kept);
  await app.admin.query(`update connection set state = 'removed', credentials_sealed = null where id = $1`, [
    chat.id,
  ]);
  expect((await ask('PUT', `/${keptId}`, { ...kept, name: 'Renamed' })).status).toBe(200);
  await ask('DELETE', `/${keptId}`);

  const { id } = await add({ hours: { days: [1], from: '03:00', to: '03:01' } });
  await visit(await known());
  await work();
  expect((await ask('DELETE', `/${id}`)).status).toBe(200);
  const { rows } = await app.admin.query('select count(*)::int as n from alert_event where alert_id = $1', [
    id,
  ]);
  expect(rows[0].n).toBe(0);
  expect((await ask('DELETE', `/${id}`)).status).toBe(404);
  expect((await ask('GET', `/${id}/messages`)).status).toBe(404);
});
