import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inScope } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import {
  BROWSER,
  type Company,
  type MadeCampaign,
  type MadePerson,
  sha256,
} from '../../../test/factories.ts';
import { earlierSignUps, MOST } from './signup.store.ts';

const USD = 1_000_000n;
const HOSTS = { agency: 'acme.test', root: 'root.test' };
let app: TestApp;
let root: Company;
let agency: Company;
let client: Company;
let campaign: MadeCampaign;
let people: MadePerson[];
const tokens: Record<string, string> = {};

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: HOSTS.root });
  agency = await app.make.agency(root, { host: HOSTS.agency });
  client = await app.make.client(agency);
  people = Array.from({ length: 120 }, () => app.make.person());
  await app.make.people(root, people);
  for (const [name, company] of Object.entries({ root, agency, client })) {
    await app.make.user(company, { email: `${name}@x.test`, password: PASSWORD });
    tokens[name] = await app.signIn(`${name}@x.test`, name === 'root' ? HOSTS.root : HOSTS.agency);
  }
});
afterAll(() => app.close());
beforeEach(async () => {
  // Yesterday's sign-ups do not count toward today's limits.
  app.clock.advance(25 * 3_600_000);
  for (const [name, host] of Object.entries({ root: HOSTS.root, agency: HOSTS.agency, client: HOSTS.agency }))
    tokens[name] = await app.signIn(`${name}@x.test`, host);
  await app.features.visits.keepPartitions();
  client = await app.make.client(agency);
  const email = `owner.${client.id}@x.test`;
  await app.make.user(client, { email, password: PASSWORD });
  tokens.owner = await app.signIn(email, HOSTS.agency);
  campaign = await app.make.campaign(client, { price: 5n * USD, balance: 1000n * USD });
});

const call = (who: string, method: 'GET' | 'POST', path: string, body?: unknown) =>
  app.call(method, `/api/leadspeek/client/held${path}`, {
    host: who === 'root' ? HOSTS.root : HOSTS.agency,
    token: tokens[who]!,
    ...(body ? { body } : {}),
  });
const event = (more: Record<string, unknown>) => ({
  i: newId(app.clock.now()),
  v: randomUUID(),
  u: 'https://shop.example.com/',
  ...more,
});
/** As in the attack: request bodies full of events, with the right origin, from one address. */
const post = (events: object[], to = campaign, headers = {}) =>
  app.server.inject({
    method: 'POST',
    url: '/v',
    headers: { 'user-agent': BROWSER, origin: 'https://shop.example.com', ...headers },
    payload: JSON.stringify({ k: to.siteKey, e: events }),
  });
const resolve = () => app.features.leads.resolver.resolveAll();
const standing = async (of = campaign) => {
  const one = async (text: string) => Number((await app.admin.query(text, [of.id])).rows[0].n);
  return {
    leads: await one('select count(*) as n from lead where campaign_id = $1'),
    spent: await one('select coalesce(sum(price_micros), 0) as n from lead where campaign_id = $1'),
    converted: await one('select count(*) as n from campaign_conversion where campaign_id = $1'),
    held: await one(`select count(*) as n from visit where campaign_id = $1 and outcome = 'held'`),
  };
};
const groups = async (who: string) =>
  (await call(who, 'GET', `?leadspeekID=${campaign.id}`)).body as unknown as {
    total: number;
    data: { reason: string; source: string; count: number; last_at: string; asked_at: string | null }[];
  };

/** All that is held for its address, as somebody sees it now. */
const ofAddress = async (who: string) => ({
  leadspeekID: campaign.id,
  reason: 'address',
  source: '127.0.0.1',
  until: (await groups(who)).data[0]!.last_at,
});

describe('[BEY-30] a public key moves no money by itself', () => {
  test('100 hashes in five requests are held before anyone is looked up; the agency releases them, once', async () => {
    const forged = people.slice(0, 100).map(({ email }) => event({ n: 'identify', h: sha256(email) }));
    for (let from = 0; from < 100; from += 20) {
      const views = forged.slice(from, from + 20).map(({ v }) => event({ v }));
      await post(views);
      expect((await post(forged.slice(from, from + 20))).statusCode).toBe(204);
      await resolve();
    }
    expect(await standing()).toEqual({ leads: 0, spent: 0, converted: 0, held: 100 });
    const { total, data } = await groups('agency');
    expect([total, data]).toMatchObject([
      100,
      [{ reason: 'address', source: '127.0.0.1', count: 100, people: 100 }],
    ]);
    // Another client sees none of it, and cannot request it.
    const choice = {
      leadspeekID: campaign.id,
      reason: 'address',
      source: '127.0.0.1',
      until: data[0]!.last_at,
    };
    expect((await call('client', 'GET', `?leadspeekID=${campaign.id}`)).status).toBe(404);
    expect((await call('client', 'POST', '/ask', choice)).status).toBe(404);
    // Its own client sees them and may request their release, but nothing more: it could have forged them itself.
    expect((await groups('owner')).total).toBe(100);
    for (const way of ['/release', '/discard'])
      expect((await call('owner', 'POST', way, choice)).status).toBe(403);
    expect((await call('owner', 'POST', '/ask', choice)).body).toMatchObject({ count: 100 });
    expect((await groups('agency')).data[0]!.asked_at).not.toBeNull();
    const counted = async (reason: string) =>
      Number(
        (
          await app.admin.query(
            'select coalesce(sum(count), 0) as n from campaign_refusal where campaign_id = $1 and reason = $2',
            [campaign.id, reason],
          )
        ).rows[0].n,
      );
    expect(await counted('held')).toBe(100);
    expect((await call('agency', 'POST', '/release', { ...choice, source: '127.0.0.2' })).status).toBe(409);
    expect((await call('agency', 'POST', '/release', choice)).body).toMatchObject({ count: 100 });
    expect((await call('agency', 'POST', '/release', choice)).status).toBe(409);
    await resolve();
    expect(await standing()).toEqual({ leads: 100, spent: 500_000_000, converted: 0, held: 0 });
    expect(await counted('held')).toBe(0);
    const { rows } = await app.admin.query(
      'select sum(visits)::int as visits, sum(leads)::int as leads from campaign_hour where campaign_id = $1',
      [campaign.id],
    );
    expect(rows).toEqual([{ visits: 200, leads: 100 }]);
  });

  test('who sends one person again and again hides no one behind them', async () => {
    const [again, ...others] = people.slice(0, 9).map(({ email }) => event({ h: sha256(email) }));
    await post([again!, ...others.slice(0, 4)]);
    await resolve();
    expect(await standing()).toMatchObject({ leads: 5, held: 0 });
    // As if the first of them had signed up a thousand more times, each time from another browser.
    await app.admin.query(
      `insert into signup (campaign_id, hash, address, visitor_id, network, root_id, agency_id, company_id, held, at)
       select campaign_id, hash, address, gen_random_uuid(), network, root_id, agency_id, company_id, held, at + interval '1 second'
       from signup, generate_series(1, 1000) where campaign_id = $1 and visitor_id = $2`,
      [campaign.id, again!.v],
    );
    app.clock.advance(60_000);
    await post(people.slice(5, 9).map(({ email }) => event({ h: sha256(email) })));
    await resolve();
    expect(await standing()).toMatchObject({ leads: 5, held: 4 });
    // People who passed before pass again.
    await post([event({ h: sha256(people[0]!.email) })]);
    await resolve();
    expect(await standing()).toMatchObject({ leads: 5, held: 4 });
  });

  test('of a browser that says it is many people, only the newest sign-ups are examined, and no one new passes', async () => {
    const v = randomUUID();
    await post([event({ v }), event({ v, h: sha256(people[0]!.email) })]);
    await resolve();
    expect(await standing()).toMatchObject({ leads: 1, held: 0 });
    app.clock.advance(60_000);
    // As if one more person had signed up there fifty times since, each time from elsewhere; and a hundred such browsers.
    const browsers = [v, ...Array.from({ length: 99 }, () => randomUUID())];
    await app.admin.query(
      `insert into signup (campaign_id, hash, address, visitor_id, network, root_id, agency_id, company_id, held, at)
       select $1, '\\x01ff', '198.51.100.' || n, v, '198.51.100.0/24', $2, $3, $4, true, $5::timestamptz + n * interval '1 second'
       from unnest($6::uuid[]) v, generate_series(1, 50) n`,
      [campaign.id, root.id, agency.id, client.id, app.clock.now(), browsers],
    );
    app.clock.advance(120_000);
    const found = await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      earlierSignUps(tx, root.id, {
        networks: [],
        visitors: browsers.map((visitorId) => ({ companyId: client.id, visitorId })),
        people: [],
        since: new Date(app.clock.now().getTime() - 3_600_000),
        most: { browser: 20, network: 1000 },
      }),
    );
    const each = [...Map.groupBy(found, ({ visitorId }) => visitorId).values()];
    expect(each.map((rows) => rows.length)).toEqual(new Array(100).fill(20));
    const firstOf = each.find(([row]) => row!.visitorId === v)!.map(({ address }) => address);
    expect(firstOf.sort()).toEqual(Array.from({ length: 20 }, (_, n) => `198.51.100.${n + 31}`));
    // Three people are allowed there, and these would be two.
    await post([event({ v, h: sha256(people[1]!.email) })]);
    await resolve();
    expect(await standing()).toMatchObject({ leads: 1, held: 1 });
    expect((await groups('agency')).data).toMatchObject([{ reason: 'browser', count: 1 }]);
    // Who passed before passes again, although that is no longer among the newest.
    await post([event({ v, h: sha256(people[0]!.email) })]);
    await resolve();
    expect(await standing()).toMatchObject({ leads: 1, held: 1 });
  });

  test('a person who signs up becomes a lead at once; events without a view, and thanks that no one saw, do not', async () => {
    const [ann, ...others] = people as [MadePerson, ...MadePerson[]];
    const v = randomUUID();
    await post([event({ v }), event({ v, n: 'identify', h: sha256(ann.email) })]);
    await post(
      others.slice(0, 3).map(({ email }) => event({ n: 'identify', h: sha256(email) })),
      campaign,
    );
    await post(
      others.slice(0, 3).map(({ email }) => event({ n: 'thanks', h: sha256(email) })),
      campaign,
    );
    await post([event({ n: 'thanks' })]);
    await resolve();
    expect(await standing()).toEqual({ leads: 1, spent: 5_000_000, converted: 0, held: 7 });
    expect((await groups('root')).data).toMatchObject([
      { reason: 'no_view', count: 7, people: 3, conversions: 4 },
    ]);
  });

  test('forged thanks make no one unsellable, and discarded ones never do', async () => {
    const forged = people.slice(0, 99).map(({ email }) => {
      const v = randomUUID();
      return [event({ v }), event({ v, n: 'thanks', h: sha256(email) })];
    });
    for (let from = 0; from < forged.length; from += 10) await post(forged.slice(from, from + 10).flat());
    await resolve();
    expect(await standing()).toMatchObject({ leads: 0, converted: 0, held: 99 });
    const choice = await ofAddress('agency');
    // No one request has to decide on what may be millions.
    const most = { ...MOST };
    Object.assign(MOST, { decided: 60 });
    try {
      expect((await call('agency', 'POST', '/discard', choice)).body).toMatchObject({ count: 60 });
      expect((await groups('agency')).total).toBe(39);
      expect((await call('agency', 'POST', '/discard', choice)).body).toMatchObject({ count: 39 });
    } finally {
      Object.assign(MOST, most);
    }
    expect((await call('agency', 'POST', '/discard', choice)).status).toBe(409);
    await resolve();
    expect(await standing()).toMatchObject({ leads: 0, converted: 0, held: 0 });
    const reasons = await app.admin.query(
      'select reason, sum(count)::int as n from campaign_refusal where campaign_id = $1 and reason in ($2, $3) group by 1 order by 1',
      [campaign.id, 'held', 'discarded'],
    );
    expect(reasons.rows).toEqual([
      { reason: 'discarded', n: 99 },
      { reason: 'held', n: 0 },
    ]);
    const { rows } = await app.admin.query(
      `select action, object_id from user_log where root_id = $1 and action like 'visits.%' order by created_at desc limit 1`,
      [root.id],
    );
    expect(rows).toEqual([{ action: 'visits.discard', object_id: campaign.id }]);
  });

  test('a client requests the release of what may be millions in steps, and of each once', async () => {
    await post(people.slice(0, 8).map(({ email }) => event({ h: sha256(email) })));
    await resolve();
    const choice = await ofAddress('owner');
    const most = { ...MOST };
    Object.assign(MOST, { decided: 5 });
    try {
      expect((await call('owner', 'POST', '/ask', choice)).body).toMatchObject({ count: 5 });
      app.clock.advance(1000);
      expect((await call('owner', 'POST', '/ask', choice)).body).toMatchObject({ count: 3 });
      expect((await call('owner', 'POST', '/ask', choice)).status).toBe(409);
      const { rows } = await app.admin.query(
        'select count(*)::int as n from held_visit where campaign_id = $1 group by asked_at order by asked_at',
        [campaign.id],
      );
      expect(rows).toEqual([{ n: 5 }, { n: 3 }]);
      // Nor does the daily email count them all.
      Object.assign(MOST, { counted: 6 });
      await app.features.visits.trust.tell({ rootId: root.id, companyId: client.id });
      const { rows: mails } = await app.admin.query(
        `select subject from mail where kind = 'visits.held' and to_address = $1`,
        [`owner.${client.id}@x.test`],
      );
      expect(mails).toEqual([{ subject: 'Held for review: 6 or more sign-ups on your site' }]);
    } finally {
      Object.assign(MOST, most);
    }
    const statuses = [];
    for (let n = 0; n < 60; n++) statuses.push((await call('owner', 'POST', '/ask', choice)).status);
    expect(new Set(statuses)).toEqual(new Set([409, 429]));
  });

  test('what the limits count is forgotten after two days, what was held after thirty', async () => {
    const left = async () =>
      (
        await app.admin.query(
          `select (select count(*)::int from signup) as signups, (select count(*)::int from held_visit where state = 'held') as held`,
        )
      ).rows[0];
    await post(people.slice(0, 8).map(({ email }) => event({ h: sha256(email) })));
    await resolve();
    // In steps, until nothing old is left.
    const most = { ...MOST };
    Object.assign(MOST, { forgotten: 3 });
    try {
      app.clock.advance(49 * 3_600_000);
      await app.features.visits.keepPartitions();
      expect(await left()).toMatchObject({ signups: 0 });
      expect((await left()).held).toBeGreaterThan(7);
      app.clock.advance(29 * 86_400_000);
      await app.features.visits.keepPartitions();
      expect(await left()).toEqual({ signups: 0, held: 0 });
    } finally {
      Object.assign(MOST, most);
    }
  });
});

describe('[BEY-30] trusted addresses', () => {
  const PATH = '/api/leadspeek/client/trusted-addresses';
  const trust = (who: string, body: object, way = '') =>
    app.call('POST', PATH + way, {
      host: who === 'root' ? HOSTS.root : HOSTS.agency,
      token: tokens[who]!,
      body: { leadspeekID: campaign.id, ...body },
    });
  const listed = async (who: string) =>
    (
      (
        await app.call('GET', `${PATH}?leadspeekID=${campaign.id}`, {
          host: HOSTS.agency,
          token: tokens[who]!,
        })
      ).body.data as unknown as { id: string; network: string; status: string; leadspeekID: string | null }[]
    ).map(({ id, ...row }) => ({ id, ...row }));
  const from = (ip: string, events: object[], to = campaign) =>
    app.server.inject({
      method: 'POST',
      url: '/v',
      remoteAddress: ip,
      headers: { 'user-agent': BROWSER, origin: 'https://shop.example.com' },
      payload: JSON.stringify({ k: to.siteKey, e: events }),
    });
  const signUp = (some: MadePerson[], v: string = randomUUID()) => [
    event({ v }),
    ...some.map(({ email }) => event({ v, n: 'identify', h: sha256(email) })),
  ];

  test('sign-ups of a call center that the agency trusts pass, those of its neighbors do not, nor those without a view', async () => {
    expect((await trust('agency', { network: '203.0.113.64/26', note: 'Call center' })).status).toBe(200);
    await from('203.0.113.70', signUp(people.slice(0, 15)));
    await from('203.0.113.71', signUp(people.slice(15, 30)));
    await resolve();
    expect(await standing()).toMatchObject({ leads: 30, held: 0 });
    // What a trusted address sends does not count against others on its network, who are judged as usual.
    await from('203.0.113.7', signUp(people.slice(30, 33)));
    await resolve();
    expect(await standing()).toMatchObject({ leads: 33, held: 0 });
    await from('203.0.113.8', signUp(people.slice(33, 48)));
    await from('203.0.113.70', [event({ n: 'identify', h: sha256(people[60]!.email) })]);
    await resolve();
    expect(await standing()).toMatchObject({ leads: 33, held: 16 });
    // Another client of the agency does not trust the address because of this.
    const other = await app.make.campaign(await app.make.client(agency), {
      price: 5n * USD,
      balance: 100n * USD,
    });
    await from('203.0.113.70', signUp(people.slice(0, 15)), other);
    await resolve();
    expect(await standing(other)).toMatchObject({ leads: 0, held: 15 });
  });

  test('a client asks, its agency decides; strangers and other clients can do neither', async () => {
    const place = { network: '203.0.113.7' };
    expect((await trust('owner', place)).status).toBe(403);
    expect((await trust('client', place, '/ask')).status).toBe(404);
    expect((await trust('owner', place, '/ask')).body).toMatchObject({ result: 'success' });
    expect((await trust('owner', place, '/ask')).status).toBe(409);
    await app.features.visits.trust.tellAsked({ rootId: root.id, id: (await listed('agency'))[0]!.id });
    const { rows: mails } = await app.admin.query(
      `select to_address, subject from mail where kind = 'visits.ask_trust' and root_id = $1`,
      [root.id],
    );
    expect(mails).toEqual([
      { to_address: 'agency@x.test', subject: expect.stringContaining('asks you to trust an address') },
    ]);
    expect(await listed('agency')).toMatchObject([{ network: '203.0.113.7/32', status: 'asked' }]);
    // A request alone does not make it trusted.
    await from('203.0.113.7', signUp(people.slice(0, 15)));
    await resolve();
    expect(await standing()).toMatchObject({ leads: 0, held: 15 });
    expect((await trust('agency', place)).status).toBe(200);
    expect((await trust('agency', place)).status).toBe(409);
    const [one] = await listed('owner');
    expect(one).toMatchObject({ status: 'trusted', leadspeekID: campaign.id });
    await from('203.0.113.7', signUp(people.slice(15, 30)));
    await resolve();
    expect(await standing()).toMatchObject({ leads: 15, held: 15 });
    const remove = (who: string) =>
      app.call('DELETE', `${PATH}/${one!.id}`, { host: HOSTS.agency, token: tokens[who]! });
    expect((await remove('owner')).status).toBe(403);
    expect((await remove('agency')).status).toBe(200);
    expect((await remove('agency')).status).toBe(404);
    await from('203.0.113.7', signUp(people.slice(30, 36)));
    await resolve();
    expect(await standing()).toMatchObject({ leads: 15, held: 21 });
    const { rows } = await app.admin.query(
      `select action from user_log where company_id = $1 and action like 'visits.%trust' order by action`,
      [client.id],
    );
    expect(rows.map((row) => row.action)).toEqual(['visits.ask_trust', 'visits.trust', 'visits.untrust']);
  });

  test('networks that are too large, and more than twenty, are refused by name', async () => {
    expect((await trust('agency', { network: '0.0.0.0/0' })).body).toMatchObject({
      errors: { network: [expect.stringContaining('a prefix length of 22 to 32')] },
    });
    expect((await trust('agency', { network: 'our office' })).status).toBe(422);
    for (let n = 0; n < 20; n++)
      expect((await trust('agency', { network: `203.0.113.${n}`, everyCampaign: n % 2 === 0 })).status).toBe(
        200,
      );
    for (const [who, way] of [
      ['agency', ''],
      ['owner', '/ask'],
    ] as const)
      expect((await trust(who, { network: '203.0.113.99' }, way)).body).toMatchObject({
        errors: { network: ['would exceed the limit of 20 per client'] },
      });
    expect(await listed('owner')).toHaveLength(20);
  });
});

test('[BEY-30] agency and client are mailed once a day that sign-ups are held, with how many, why and where', async () => {
  const tell = () => app.features.visits.trust.tell({ rootId: root.id, companyId: client.id });
  const jobs = async () =>
    (
      await app.admin.query(`select from pgboss.job where name = 'visits.held' and data->>'companyId' = $1`, [
        client.id,
      ])
    ).rowCount;
  const mails = async () =>
    (
      await app.admin.query(
        `select to_address, subject from mail where kind = 'visits.held' and root_id = $1 and created_at > $2 order by to_address`,
        [root.id, new Date(app.clock.now().getTime() - 3_600_000)],
      )
    ).rows;
  const burst = async (some: MadePerson[]) => {
    for (let n = 0; n < some.length; n += 10)
      await post(some.slice(n, n + 10).map(({ email }) => event({ h: sha256(email) })));
    await resolve();
  };
  await burst(people.slice(0, 20));
  await burst(people.slice(20, 30));
  expect(await jobs()).toBe(1);
  await tell();
  expect(await mails()).toEqual([
    { to_address: 'agency@x.test', subject: expect.stringMatching(/^Review 30 sign-ups for /) },
    { to_address: `owner.${client.id}@x.test`, subject: 'Held for review: 30 sign-ups on your site' },
  ]);
  app.clock.advance(23 * 3_600_000);
  await burst(people.slice(30, 40));
  expect(await jobs()).toBe(1);
  app.clock.advance(2 * 3_600_000);
  await app.features.visits.keepPartitions();
  await burst(people.slice(40, 50));
  expect(await jobs()).toBe(2);
  // Decided before the email goes out, so no one is notified.
  await app.admin.query(`update held_visit set state = 'discarded' where company_id = $1`, [client.id]);
  await tell();
  expect(await mails()).toEqual([]);
});
