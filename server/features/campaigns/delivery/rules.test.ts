import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inScope } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';
import type { SendPayload } from './queue.ts';

const HOST = 'rules.test';
/** What arrived: the path and the id of the lead. */
let got: { path: string; lead: string }[] = [];
let answer: (reply: ServerResponse) => void;
let endpoint: Server;
let base: string;
let app: TestApp;
let root: Company;
let client: Company;
let campaign: MadeCampaign;
let email: string;
let token: string;

beforeAll(async () => {
  endpoint = createServer((request, reply) => {
    const parts: Buffer[] = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(parts).toString('utf8'));
      got.push({ path: request.url!.slice(1), lead: body.data.id });
      answer(reply);
    });
  });
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  const { port } = endpoint.address() as AddressInfo;
  base = `http://hooks.localhost:${port}`;
  app = await testApp({ outboundExceptions: [`hooks.localhost:${port}`] });
  root = await app.make.root();
  const agency = await app.make.agency(root, { host: HOST });
  client = await app.make.client(agency);
  await app.admin.query(`update company set time_zone = 'America/Chicago' where id = $1`, [client.id]);
});
afterAll(async () => {
  endpoint.closeAllConnections();
  endpoint.close();
  await app?.close();
});
beforeEach(async () => {
  got = [];
  answer = (reply) => reply.writeHead(204).end();
  campaign = await app.make.campaign(client, { name: 'Tents' });
  // The clock goes back for each test, which sessions do not like.
  email = (await app.make.user(client, { password: PASSWORD })).email;
  // A Monday at noon in Chicago.
  await at('2026-06-01T12:00');
});

async function at(local: string): Promise<void> {
  const then = Temporal.ZonedDateTime.from(`${local}[America/Chicago]`).epochMilliseconds;
  app.clock.advance(then - app.clock.now().getTime());
  token = await app.signIn(email, HOST);
}
const local = (time: Date | string | null): string | null =>
  time &&
  Temporal.Instant.fromEpochMilliseconds(new Date(time).getTime())
    .toZonedDateTimeISO('America/Chicago')
    .toString({ smallestUnit: 'minute', timeZoneName: 'never' });

async function call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) {
  return app.call(method, `/api/integrations${path}`, {
    host: HOST,
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
/** Adds a webhook with rules. The clock moves on, so that destinations have an order. */
async function hook(name: string, rules: unknown = null): Promise<string> {
  const { data } = await ok('POST', '/custom', { leadspeekID: campaign.id, url: `${base}/${name}` });
  app.clock.advance(1);
  if (rules) await setRules(data.id, rules);
  return data.id;
}
const setRules = (id: string, rules: unknown) => ok('PUT', `/destinations/${id}/rules`, { rules });
const tried = (id: string, rules: unknown) => ok('POST', `/destinations/${id}/rules/try`, { rules });
const when = (op: string, value = '', field = 'state') => ({ conditions: [{ field, op, value }] });
const TURNS = { rotation: true };

/** Accepts leads as the leads feature does, in one transaction. */
async function accept(...people: Record<string, string>[]): Promise<string[]> {
  return acceptAs(false, people);
}
async function acceptAs(isTest: boolean, people: Record<string, string>[]): Promise<string[]> {
  const ids = people.map(() => newId(app.clock.now()));
  const { root_id, agency_id, company_id } = campaign.owner;
  const own = { root_id, agency_id, company_id, campaign_id: campaign.id, created_at: app.clock.now() };
  const lead = { match_kind: 1, confidence: 95, evidence: '[]', price_micros: 0n, cost_micros: 0n };
  await inScope(app.platform.db.app, { rootId: root.id }, async (tx) => {
    for (const [i, id] of ids.entries()) {
      await tx
        .insertInto('lead')
        .values({ id, ...own, ...lead, is_test: isTest })
        .execute();
      await tx
        .insertInto('lead_contact')
        .values({ lead_id: id, ...own, first_name: 'Ada', ...people[i] })
        .execute();
    }
    await app.platform.events.emit(tx, 'leads.accepted', {
      leads: ids.map((id) => ({ id, campaignId: campaign.id, owner: campaign.owner })),
      isTest,
    });
  });
  return ids;
}
async function due(): Promise<SendPayload[]> {
  const { rows } = await app.admin.query(
    `delete from pgboss.job j using delivery d
     where d.id = (j.data->>'deliveryId')::uuid and j.name = 'delivery.send' and d.campaign_id = $1
       and d.next_at <= $2 returning j.data`,
    [campaign.id, app.clock.now()],
  );
  return rows.map(({ data }) => data);
}
async function work(inParallel = false): Promise<void> {
  for (let jobs = await due(); jobs.length > 0; jobs = await due()) {
    if (inParallel) await Promise.all(jobs.map((data) => app.features.delivery.attempt(data)));
    else for (const data of jobs) await app.features.delivery.attempt(data);
  }
}
/** The deliveries of one destination, or of the campaign, with the last reason. */
const deliveries = async (id?: string) =>
  (
    await app.admin.query(
      `select d.id, d.lead_id, d.state, d.attempts, d.next_at, d.turn, a.error from delivery d
       left join delivery_attempt a on a.delivery_id = d.id and a.number = d.attempts
       where d.campaign_id = $1 and ($2::uuid is null or d.integration_id = $2) order by d.created_at, d.turn`,
      [campaign.id, id ?? null],
    )
  ).rows;
const card = async (id: string) =>
  (await ok('GET', `/custom/${campaign.id}`)).data.find((one: { id: string }) => one.id === id);
const perPath = () => {
  const counts: Record<string, number> = {};
  for (const { path } of got) counts[path] = (counts[path] ?? 0) + 1;
  return counts;
};
const people = (count: number, state = 'TX') => Array.from({ length: count }, () => ({ state }));

describe('[BEY-23] conditions of a destination', () => {
  it('leave leads out with a reason, uncounted as failed, and not alerted', async () => {
    const id = await hook('a', when('is_one_of', 'TX, OK'));
    await accept({ state: 'tx' }, { state: 'NY' });
    await work();
    expect(got).toHaveLength(1);
    expect(await deliveries(id)).toMatchObject([
      { state: 'delivered', error: null },
      {
        state: 'skipped',
        attempts: 1,
        next_at: null,
        error: 'Not sent: the rules of this destination don’t match: State is one of TX, OK.',
      },
    ]);
    expect(await card(id)).toMatchObject({
      delivered: 1,
      failed: 0,
      pending: 0,
      skipped: 1,
      state: 'enabled',
    });
    expect((await ok('GET', '/undelivered')).data).toEqual([]);
    expect((await ok('GET', `/custom/${id}/deliveries?state=skipped`)).total).toBe(1);
    const { rows } = await app.admin.query('select alerted from integration where id = $1', [id]);
    expect(rows).toEqual([{ alerted: 0 }]);
  });

  it.each<[string, string, string, number]>([
    ['is', 'austin', 'city', 1],
    ['is_not', 'Austin', 'city', 1],
    ['contains', 'vice', 'job_title', 1],
    ['does_not_contain', 'vice', 'job_title', 1],
    ['is_one_of', '78701, 78702', 'zip', 1],
    ['is_known', '', 'website', 1],
    ['is_unknown', '', 'website', 1],
    ['at_least', '95', 'confidence', 2],
    ['at_most', '94.9', 'confidence', 0],
    ['is_known', '', 'data_gender', 0],
  ])('%s %j of %s', async (op, value, field, sent) => {
    await hook('a', when(op, value, field));
    await accept(
      { city: 'Austin', job_title: 'Vice President', zip: '78701', website: 'https://a.example' },
      { city: 'Reno', job_title: 'Owner', zip: '89501' },
    );
    await work();
    expect(got).toHaveLength(sent);
  });

  it('hold all, any or none', async () => {
    const conditions = [
      { field: 'state', op: 'is', value: 'TX' },
      { field: 'city', op: 'is', value: 'Austin' },
    ];
    for (const match of ['all', 'any', 'none']) await hook(match, { match, conditions });
    await accept({ state: 'TX', city: 'Austin' }, { state: 'TX' }, { state: 'NY' });
    await work();
    expect(perPath()).toEqual({ all: 1, any: 2, none: 1 });
  });

  it('do not hold for what a person sends again, nor for tests', async () => {
    const id = await hook('a', when('is', 'OK'));
    await accept({ state: 'NY' });
    await work();
    const [skipped] = await deliveries(id);
    await ok('POST', `/custom/${id}/replay`, { deliveryID: skipped.id });
    await work();
    expect(await deliveries(id)).toMatchObject([{ state: 'delivered', attempts: 2 }]);
    expect((await ok('POST', `/custom/${id}/replay`, {})).replayed).toBe(0);
    expect(await ok('POST', `/custom/${id}/test`, {})).toMatchObject({ result: 'success' });
    expect(got).toHaveLength(2);
  });
});

describe('[BEY-23] destinations that take turns', () => {
  it('share nine leads among three, three each, and each lead arrives once', async () => {
    const ids = [await hook('a', TURNS), await hook('b', TURNS), await hook('c', TURNS)];
    await hook('every');
    await accept(...people(4));
    await accept(...people(5));
    await work();
    expect(perPath()).toEqual({ a: 3, b: 3, c: 3, every: 9 });
    const shared = got.filter(({ path }) => path !== 'every').map(({ lead }) => lead);
    expect(new Set(shared).size).toBe(9);
    expect((await deliveries(ids[0])).map(({ turn }) => turn)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(await card(ids[0]!)).toMatchObject({ delivered: 3, skipped: 6 });
    expect((await deliveries(ids[0]))[1].error).toBe('Not sent: it was another destination’s turn.');
  });

  it('agree with parallel workers and transactions', async () => {
    for (const name of ['a', 'b', 'c']) await hook(name, TURNS);
    await Promise.all(Array.from({ length: 6 }, () => accept(...people(2))));
    await work(true);
    expect(perPath()).toEqual({ a: 4, b: 4, c: 4 });
    expect(new Set(got.map(({ lead }) => lead)).size).toBe(12);
    const states = (await deliveries()).map(({ state }) => state);
    expect(states.filter((state) => state === 'skipped')).toHaveLength(24);
  });

  it('count only those whose conditions match', async () => {
    await hook('a', { ...when('is', 'TX'), rotation: true });
    await hook('b', TURNS);
    await accept(...people(4, 'NY'), ...people(4, 'TX'));
    await work();
    expect(perPath()).toEqual({ a: 2, b: 6 });
  });

  it('lose no lead and send none twice, whatever changes before all were judged', async () => {
    const a = await hook('a', TURNS);
    const b = await hook('b', TURNS);
    await accept(...people(4));
    const jobs = await due();
    const of = (id: string) => jobs.filter(({ integrationId }) => integrationId === id);
    for (const data of of(a)) await app.features.delivery.attempt(data);
    expect(perPath()).toEqual({ a: 2 });
    // The others were left to b, whose new rules do not want them: a, which wants them, gets them.
    await setRules(b, { ...when('is', 'NY'), rotation: true });
    for (const data of of(b)) await app.features.delivery.attempt(data);
    await work();
    expect(perPath()).toEqual({ a: 4 });
    expect(new Set(got.map(({ lead }) => lead)).size).toBe(4);
  });

  it('send to the one whose turn it was if no other can take the lead any more', async () => {
    const a = await hook('a', TURNS);
    const b = await hook('b', TURNS);
    await accept(...people(2));
    const jobs = await due();
    for (const data of jobs.filter(({ integrationId }) => integrationId === a))
      await app.features.delivery.attempt(data);
    for (const id of [a, b]) await setRules(id, { ...when('is', 'NY'), rotation: true });
    for (const data of jobs.filter(({ integrationId }) => integrationId === b))
      await app.features.delivery.attempt(data);
    await work();
    expect(perPath()).toEqual({ a: 1, b: 1 });
  });

  it.each(['disabled', 'removed'])('hand the leads of one that was %s to another', async (state) => {
    const hours = { days: [2], from: '09:00', to: '10:00' };
    const a = await hook('a', TURNS);
    const b = await hook('b', { ...TURNS, hours });
    await accept(...people(4));
    await work();
    expect(perPath()).toEqual({ a: 2 });
    if (state === 'removed') await ok('DELETE', `/custom/${b}`);
    else await ok('PUT', `/custom/${b}`, { state: 'disabled' });
    await at('2026-06-02T09:00');
    await work();
    expect(perPath()).toEqual({ a: 4 });
    expect((await deliveries(b)).filter((one) => one.state === 'skipped')).toHaveLength(4);
    expect((await deliveries(a)).filter((one) => one.state === 'delivered')).toHaveLength(4);
  });

  it('give no turn to a campaign’s test lead', async () => {
    const a = await hook('a', TURNS);
    await hook('b', { ...when('is', 'nowhere'), rotation: true });
    await acceptAs(true, people(1));
    await work();
    expect(perPath()).toEqual({ a: 1, b: 1 });
    app.clock.advance(1000);
    await accept(...people(1));
    expect((await deliveries(a)).map(({ turn }) => turn)).toEqual([null, 0]);
  });
});

describe('[BEY-23] hours of a destination', () => {
  const office = { days: [1, 2, 3, 4, 5], from: '09:00', to: '17:00' };
  it('let leads wait for the next opening without using up an attempt', async () => {
    const id = await hook('a', { hours: office });
    await at('2026-06-05T18:00');
    await accept(...people(1));
    await work();
    expect(await deliveries(id)).toMatchObject([{ state: 'pending', attempts: 0 }]);
    expect(local((await deliveries(id))[0].next_at)).toBe('2026-06-08T09:00-05:00');
    await at('2026-06-08T08:59');
    await work();
    expect(got).toEqual([]);
    await at('2026-06-08T09:00');
    await work();
    expect(await deliveries(id)).toMatchObject([{ state: 'delivered', attempts: 1 }]);
  });

  it('span midnight, and follow the clock on the wall when it changes', async () => {
    const id = await hook('a', { hours: { days: [6], from: '22:00', to: '06:00' } });
    await at('2026-10-31T12:00');
    await accept(...people(1));
    await work();
    expect(local((await deliveries(id))[0].next_at)).toBe('2026-10-31T22:00-05:00');
    // The clock goes back at two: five in the morning is an hour later than on other days.
    await at('2026-11-01T05:30');
    await work();
    expect(got).toHaveLength(1);
    await accept(...people(1));
    await work();
    expect(got).toHaveLength(2);
    await at('2026-11-01T06:00');
    await accept(...people(1));
    await work();
    expect(local((await deliveries(id))[2].next_at)).toBe('2026-11-07T22:00-06:00');
  });

  it('also hold for retries', async () => {
    const id = await hook('a', { hours: office });
    await at('2026-06-05T16:59:58');
    answer = (reply) => reply.writeHead(500).end();
    await accept(...people(1));
    await work();
    expect(await deliveries(id)).toMatchObject([{ state: 'pending', attempts: 1 }]);
    expect(local((await deliveries(id))[0].next_at)).toBe('2026-06-08T09:00-05:00');
    answer = (reply) => reply.writeHead(204).end();
    await at('2026-06-08T09:00');
    await work();
    expect(await deliveries(id)).toMatchObject([{ state: 'delivered', attempts: 2 }]);
  });

  it('end a wait when they change, and do not hold for tests', async () => {
    const id = await hook('a', { hours: office });
    await at('2026-06-05T18:00');
    await accept(...people(2));
    await work();
    expect(await ok('POST', `/custom/${id}/test`, {})).toMatchObject({ result: 'success' });
    got = [];
    await setRules(id, { hours: { ...office, to: '18:00' } });
    await work();
    expect(got).toEqual([]);
    expect(local((await deliveries(id))[0].next_at)).toBe('2026-06-08T09:00-05:00');
    await setRules(id, null);
    await work();
    expect(got).toHaveLength(2);
  });
});

describe('[BEY-23] trying rules', () => {
  it('shows where the last leads would have gone, and sends and stores nothing', async () => {
    const a = await hook('a');
    await hook('b', { ...when('is', 'TX'), rotation: true });
    await accept({ state: 'TX', last_name: 'One' });
    app.clock.advance(1000);
    await accept({ state: 'NY', last_name: 'Two' });
    await at('2026-06-01T20:00');
    await accept({ state: 'TX', last_name: 'Three' });
    app.clock.advance(1000);
    await accept({ state: 'TX', last_name: 'Four' });
    const before = await deliveries();
    const given = { ...TURNS, hours: { days: [1, 2, 3, 4, 5], from: '09:00', to: '17:00' } };
    const result = await tried(a, given);
    expect(result).toMatchObject({ goes: 3, waits: 1, not_matching: 0, others_turn: 1, not_sendable: 0 });
    expect(
      result.data.map((one: { name: string; goes: boolean; waits_until: string | null }) => [
        one.name,
        one.goes,
        local(one.waits_until),
      ]),
    ).toEqual([
      ['Ada Four', false, null],
      ['Ada Three', true, '2026-06-02T09:00-05:00'],
      ['Ada Two', true, null],
      ['Ada One', true, null],
    ]);
    expect((await tried(a, when('is', 'ny'))).data.map((one: { why: string }) => one.why)).toEqual([
      ...Array(2).fill('The rules of this destination don’t match: State is ny.'),
      'Sent immediately.',
      'The rules of this destination don’t match: State is ny.',
    ]);
    expect(await deliveries()).toEqual(before);
    expect(await card(a)).toMatchObject({ rules: null });
    expect(got).toEqual([]);
  });

  it('does not name people who were erased since, and leaves tests out', async () => {
    const a = await hook('a');
    const [first, second] = await accept({ last_name: 'One' }, { last_name: 'Two' });
    await app.admin.query('delete from lead_contact where lead_id = $1', [first]);
    await app.admin.query('update lead set is_test = true where id = $1', [second]);
    expect(await tried(a, null)).toMatchObject({
      goes: 0,
      not_sendable: 1,
      data: [{ lead_id: first, name: null, goes: false, why: 'This lead’s personal data was erased.' }],
    });
  });

  it('does not name people who were excluded since', async () => {
    const a = await hook('a');
    const [id] = await accept({ email: 'gone@people.example' });
    const { root_id, agency_id, company_id } = campaign.owner;
    const owner = { root_id, agency_id, company_id };
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.exclusions.addList(
        tx,
        { owner, ownerId: company_id, level: 'client', name: 'x', lines: ['gone@people.example'] },
        app.clock.now(),
      ),
    );
    expect(await tried(a, null)).toMatchObject({
      goes: 0,
      not_sendable: 1,
      data: [{ lead_id: id, name: null, goes: false, why: 'The person is on an exclusion list.' }],
    });
  });

  it('shows at most the last 100', async () => {
    const a = await hook('a');
    await accept(...people(101));
    expect((await tried(a, null)).goes).toBe(100);
  });
});

describe('[BEY-23] rules that are saved', () => {
  it('are shown, audited in words once, and removed', async () => {
    const id = await hook('a');
    const given = {
      match: 'any',
      conditions: [{ field: 'state', op: 'is_one_of', value: 'TX, OK' }],
      hours: { days: [1, 2, 3], from: '09:00', to: '17:00' },
      rotation: true,
    };
    for (let i = 0; i < 2; i++) expect((await setRules(id, given)).data.rules).toEqual(given);
    expect(await card(id)).toMatchObject({ rules: given, time_zone: 'America/Chicago' });
    app.clock.advance(1000);
    await setRules(id, null);
    const { rows } = await app.admin.query(
      `select description from user_log l join user_log_detail d on d.log_id = l.id
       where object_id = $1 and action = 'integration.rules' order by l.created_at, l.id`,
      [id],
    );
    const words = 'Only when State is one of TX, OK · Mon–Wed 9:00–17:00 · takes turns';
    expect(rows.map((row) => row.description)).toEqual([
      expect.stringContaining(`from “Every lead at any time” to “${words}”`),
      expect.stringContaining(`from “${words}” to “Every lead at any time”`),
    ]);
  });

  const hours = (more: object) => ({ hours: { days: [1], from: '09:00', to: '17:00', ...more } });
  it.each<[string, unknown]>([
    ['rules', 'all'],
    ['rules.match', { match: 'some' }],
    ['rules.conditions', { conditions: Array(21).fill({ field: 'state', op: 'is_known' }) }],
    ['rules.conditions.0.field', when('is', 'x', 'shoe_size')],
    ['rules.conditions.0.field', when('is', 'x', '__proto__')],
    ['rules.conditions.0.op', when('matches', '.*')],
    ['rules.conditions.0.value', when('is', '  ')],
    ['rules.conditions.0.value', when('is', 'x'.repeat(501))],
    ['rules.conditions.0.value', when('is', 'a\u0007b')],
    ['rules.conditions.0.value', when('is', 'a\u0000b')],
    ['rules.conditions.0.value', when('is_one_of', ', ,')],
    ['rules.conditions.0.value', when('at_least', 'ninety')],
    ['rules.conditions.0.value', when('at_most', '1e999')],
    [
      'rules.conditions.2.value',
      {
        conditions: [
          { field: 'state', op: 'is', value: 'TX' },
          { field: 'city', op: 'is_known' },
          { field: 'zip', op: 'is', value: '' },
        ],
      },
    ],
    ['rules.hours.days', hours({ days: [] })],
    ['rules.hours.days.0', hours({ days: [0] })],
    ['rules.hours.days.1', hours({ days: [1, 8] })],
    ['rules.hours.from', hours({ from: '24:00' })],
    ['rules.hours.to', hours({ to: '9:00' })],
    ['rules.hours.to', hours({ to: '09:00' })],
    ['rules.rotation', { rotation: 'yes' }],
  ])('are refused by their field: %s', async (field, rules) => {
    const id = await hook('a');
    for (const [method, path] of [
      ['PUT', 'rules'],
      ['POST', 'rules/try'],
    ] as const) {
      const { status, body } = await call(method, `/destinations/${id}/${path}`, { rules });
      expect([status, Object.keys(body.errors as object)]).toEqual([422, [field]]);
    }
    expect(await card(id)).toMatchObject({ rules: null });
  });

  it('are not there for removed destinations and other tenants', async () => {
    const id = await hook('a');
    const other = await app.make.agency(root, { host: `other-${id}.test` });
    const stranger = await app.make.user(other, { password: PASSWORD });
    const theirs = await app.signIn(stranger.email, `other-${id}.test`);
    for (const [method, path] of [
      ['PUT', 'rules'],
      ['POST', 'rules/try'],
    ] as const) {
      const response = await app.call(method, `/api/integrations/destinations/${id}/${path}`, {
        host: `other-${id}.test`,
        token: theirs,
        body: { rules: TURNS },
      });
      expect(response.status).toBe(404);
    }
    expect(await card(id)).toMatchObject({ rules: null });
    await ok('DELETE', `/custom/${id}`);
    expect((await call('PUT', `/destinations/${id}/rules`, { rules: null })).status).toBe(404);
    expect((await call('POST', `/destinations/${id}/rules/try`, { rules: null })).status).toBe(404);
  });
});
