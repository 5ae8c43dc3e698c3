import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { BOUNDS } from '../../../platform/db/bounds.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { type SimplifiStub, startSimplifiStub } from '../../../providers/simplifi/stub.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import { BROWSER, type Company, type MadeCampaign } from '../../../test/factories.ts';
import { auditLedger } from '../../money/ledger/index.ts';
import { COUNTED, WHOLE } from '../ad-audiences/index.ts';

const USD = 1_000_000n;
let app: TestApp;
let stub: SimplifiStub;
let root: Company;
let agency: Company;
let client: Company;
let serial = 0;

beforeAll(async () => {
  // What these tests show, they show with a few people.
  Object.assign(COUNTED, { least: 0, step: 1, people: 0 });
  stub = await startSimplifiStub();
  const { base: apiBase, ...keys } = stub.keys;
  app = await testApp({ settings: { simplifi: { apiBase, ...keys } } });
  root = await app.make.root({ host: 'platforms-root.test', isMaster: true });
  agency = await app.make.agency(root, { host: 'platforms.test' });
  await app.make.adTerms(root, { share_bp: 1_000 });
});
afterAll(async () => {
  Object.assign(COUNTED, WHOLE);
  const { checks } = await auditLedger(app.admin);
  expect(checks.filter((check) => check.violations > 0)).toEqual([]);
  await stub.stop();
  await app.close();
});
/** Today where the clients are. */
const today = () =>
  Temporal.Instant.fromEpochMilliseconds(app.clock.now().getTime())
    .toZonedDateTimeISO('America/Chicago')
    .toPlainDate()
    .toString();
beforeEach(async () => {
  await app.admin.query(`update campaign set state = 'removed'`);
  client = await app.make.client(agency);
  Object.assign(stub.faults, { halfLists: false, failNext: 0, loseNext: 0, mostAMinute: 100_000 });
  app.clock.advance(3_600_000);
});

const rowOf = async (id: string) =>
  (await app.admin.query('select * from ad_campaign where campaign_id = $1', [id])).rows[0];
const sums = async (id: string) =>
  (
    await app.admin.query(
      `select coalesce(sum(impressions), 0)::int as impressions, coalesce(sum(clicks), 0)::int as clicks,
              coalesce(sum(spend_micros), 0)::bigint as spend, coalesce(sum(media_micros), 0)::bigint as media,
              coalesce(sum(wholesale_micros), 0)::bigint as wholesale from ad_hour where campaign_id = $1`,
      [id],
    )
  ).rows[0];
const ledger = async (id: string) =>
  (
    await app.admin.query(
      `select coalesce(-sum(e.amount) filter (where a.kind = 'client_prepaid'), 0)::bigint as price,
              coalesce(-sum(e.amount) filter (where a.kind in ('agency_wallet', 'agency_payable')), 0)::bigint as wholesale
       from transfer t join entry e on e.transfer_id = t.id join account a on a.id = e.account_id
       where t.campaign_id = $1 and t.kind = 'ad_spend'`,
      [id],
    )
  ).rows[0];
const post = () => app.features.adCampaigns.spending.postAll(root.id);
const pause = async (id: string, state: 'active' | 'paused') => {
  await app.admin.query('update campaign set state = $2, updated_at = $3 where id = $1', [
    id,
    state,
    app.clock.now(),
  ]);
  app.features.adServing.house.forget();
};

/** A page of a site that carries the tag of a zone, as a browser opens it. */
async function open(key: string, more: { host?: string; ip?: string; gpc?: boolean; agent?: string } = {}) {
  const ask = (method: 'GET' | 'POST', url: string, body?: object) =>
    app.server.inject({
      method,
      url,
      remoteAddress: more.ip ?? `66.1.${(serial >> 8) & 255}.${serial++ & 255}`,
      headers: {
        host: 'platforms.test',
        origin: `https://${more.host ?? 'news.example.com'}`,
        'user-agent': more.agent ?? BROWSER,
        ...(more.gpc ? { 'sec-gpc': '1' } : {}),
      },
      ...(body ? { payload: JSON.stringify(body) } : {}),
    });
  const served = await ask('POST', '/a/v1/serve', { z: key });
  const ad =
    served.statusCode === 200 ? (served.json() as { t: string; c: string; i: string; a: string }) : null;
  return {
    status: served.statusCode,
    ad,
    ask,
    view: async (token = ad!.t) => (await ask('POST', '/a/v1/view', { t: token })).statusCode,
    click: async () => ask('GET', ad!.c),
  };
}

/** A platform under the suite: how a campaign of it comes to be, and how its time passes. */
interface Case {
  make: (more?: object) => Promise<MadeCampaign & { creativeId: string }>;
  /** Shows ads for a while. */
  pass: (campaign: MadeCampaign) => Promise<void>;
}
const makeAs =
  (platform: 'sandbox' | 'house' | 'simplifi') =>
  (more: object = {}) =>
    app.make.adCampaign(client, {
      platform,
      balance: 100n * USD,
      markup_bp: 2_500,
      zips: platform === 'simplifi' ? ['73301'] : [],
      ...more,
    });
const CASES: Record<'sandbox' | 'house' | 'simplifi', Case> = {
  sandbox: {
    make: makeAs('sandbox'),
    pass: async () => {
      app.clock.advance(30 * 60_000);
      await app.features.adServing.sandbox.run(root.id);
    },
  },
  house: {
    make: makeAs('house'),
    pass: async () => {
      app.clock.advance(30 * 60_000);
      const zone = await app.make.adZone(client, { cpm: 2n * USD });
      app.features.adServing.house.forget();
      for (let n = 0; n < 10; n++) {
        const page = await open(zone.key);
        if (page.ad) await page.view();
      }
      await post();
    },
  },
  simplifi: {
    make: makeAs('simplifi'),
    pass: async () => {
      await app.features.adServing.sync.run(root.id);
      app.clock.advance(30 * 60_000);
      stub.deliver(today(), 10);
      await app.features.adServing.sync.run(root.id);
    },
  },
};

describe.each(Object.entries(CASES))('[SIMP-04] %s', (_name, { make, pass }) => {
  test('shows a running campaign, and what the client pays is in the ledger to the micro-dollar', async () => {
    const made = await make();
    await pass(made);
    const shown = await sums(made.id);
    expect(shown.impressions).toBeGreaterThan(0);
    expect(shown.media).toBeGreaterThan(0n);
    // The price has the share of 10 percent and the markup of 25 percent; parts of a micro-dollar round up.
    const least = (shown.media * 1_375n) / 1_000n;
    expect(shown.spend).toBeGreaterThanOrEqual(least);
    expect(shown.spend - least).toBeLessThanOrEqual(2n * BigInt(shown.impressions));
    const row = await rowOf(made.id);
    expect(row.spent_micros).toBe(shown.spend);
    expect(await ledger(made.id)).toEqual({ price: shown.spend, wholesale: shown.wholesale });
  });

  test('shows nothing of a paused campaign, and goes on when it runs again', async () => {
    const made = await make();
    await pass(made);
    await pause(made.id, 'paused');
    await pass(made);
    const paused = await sums(made.id);
    await pass(made);
    expect(await sums(made.id)).toEqual(paused);
    await pause(made.id, 'active');
    await pass(made);
    expect((await sums(made.id)).impressions).toBeGreaterThan(paused.impressions);
  });

  test('never charges more than the daily budget', async () => {
    const made = await make({ max_bid_micros: 4n * USD, daily_micros: 20_000n });
    for (let n = 0; n < 3; n++) await pass(made);
    const { spent_micros } = await rowOf(made.id);
    expect(spent_micros).toBeLessThanOrEqual(20_000n);
    expect((await ledger(made.id)).price).toBe(spent_micros);
  });

  test('without a creative there is nothing to show', async () => {
    const made = await make();
    await app.admin.query(`update creative set state = 'removed' where id = $1`, [made.creativeId]);
    app.features.adServing.house.forget();
    await pass(made);
    expect((await sums(made.id)).impressions).toBe(0);
  });
});

describe('[SIMP-04] [BEY-26] house ads', () => {
  const setUp = async (more: object = {}) => {
    const made = await makeAs('house')(more);
    const zone = await app.make.adZone(client, { cpm: 2n * USD });
    app.features.adServing.house.forget();
    return { made, zone };
  };

  test('a view counts once, whoever repeats it; a click counts once and carries its id to the site', async () => {
    const { made, zone } = await setUp();
    const page = await open(zone.key);
    expect(page.ad).toMatchObject({ a: 'An ad', w: 300, h: 250 });
    expect(await Promise.all([page.view(), page.view()])).toEqual([204, 204]);
    const first = await page.click();
    const again = await page.click();
    expect(first.statusCode).toBe(302);
    const target = new URL(String(first.headers.location));
    expect(target.origin).toBe('https://shop.example.com');
    expect(target.searchParams.get('adclid')).toMatch(/^[0-9a-f-]{36}$/);
    expect(again.headers.location).toBe(first.headers.location);
    expect(await sums(made.id)).toMatchObject({
      impressions: 1,
      clicks: 1,
      media: 2_000n,
      spend: 2_750n,
      wholesale: 200n,
    });
    expect((await page.ask('GET', page.ad!.i)).headers['content-type']).toBe('image/png');
  });

  test('of views and clicks that come at once, each counts once, for its own campaign and root', async () => {
    const first = await setUp();
    const otherRoot = await app.make.root({ host: `root${serial++}.test` });
    await app.make.adTerms(otherRoot, { share_bp: 1_000 });
    const second = await app.make.client(await app.make.agency(otherRoot));
    const made = await app.make.adCampaign(second, { platform: 'house', balance: 100n * USD });
    const zone = await app.make.adZone(second, { cpm: 4n * USD });
    app.features.adServing.house.forget();
    const ours = await Promise.all(Array.from({ length: 6 }, () => open(first.zone.key)));
    const theirs = await Promise.all(Array.from({ length: 3 }, () => open(zone.key)));
    // Its first character: of the last one, two bits are padding.
    const changed = `${ours[0]!.ad!.t.startsWith('A') ? 'B' : 'A'}${ours[0]!.ad!.t.slice(1)}`;
    const answers = await Promise.all([
      ...ours.flatMap((page) => [page.view(), page.view()]),
      ours[0]!.view(changed),
      ...[ours[0]!, ours[0]!, ours[1]!, theirs[0]!].map(async (page) => (await page.click()).statusCode),
      ...theirs.map((page) => page.view()),
    ]);
    expect(answers).toEqual([...Array(12).fill(204), 404, ...Array(4).fill(302), ...Array(3).fill(204)]);
    expect(await sums(first.made.id)).toMatchObject({ impressions: 6, clicks: 2, media: 12_000n });
    expect(await sums(made.id)).toMatchObject({ impressions: 3, clicks: 1, media: 12_000n });
  });

  test('a page that got its ad from the version before has one pass for view and click', async () => {
    const { made, zone } = await setUp();
    const page = await open(zone.key);
    const pass = page.ad!.c.slice('/a/v1/c/'.length);
    expect(await Promise.all([page.view(pass), page.view(), page.view(pass)])).toEqual([204, 204, 204]);
    expect(await sums(made.id)).toMatchObject({ impressions: 1, media: 2_000n });
  });

  test('impressions that are forged, from another site, or too late cost nothing', async () => {
    const { made, zone } = await setUp();
    expect((await open(zone.key, { host: 'other.example.com' })).status).toBe(403);
    expect((await open('nosuchzone12')).status).toBe(404);
    expect((await open(zone.key, { agent: 'Googlebot/2.1' })).status).toBe(204);
    const page = await open(zone.key);
    const other = await open(zone.key, { host: 'news.example.com' });
    // A token of this zone, sent from another site; one that was changed; and none.
    const foreign = await app.server.inject({
      method: 'POST',
      url: '/a/v1/view',
      headers: { host: 'platforms.test', origin: 'https://evil.example.com', 'user-agent': BROWSER },
      payload: JSON.stringify({ t: page.ad!.t }),
    });
    expect(foreign.statusCode).toBe(404);
    const changed = Buffer.from(page.ad!.t, 'base64url');
    Buffer.from(other.ad!.t, 'base64url').copy(changed, 0, 0, 16);
    expect(await page.view(changed.toString('base64url'))).toBe(404);
    expect(await page.view('x')).toBe(404);
    expect((await page.ask('GET', `/a/v1/c/${page.ad!.t}`)).statusCode).toBe(404);
    app.clock.advance(11 * 60_000);
    expect(await page.view()).toBe(410);
    await app.features.adCampaigns.spending.expire(root.id);
    const click = await page.click();
    expect(click.statusCode).toBe(302);
    expect(await sums(made.id)).toMatchObject({ impressions: 0, clicks: 0, spend: 0n });
    expect(await rowOf(made.id)).toMatchObject({ held_micros: 0n, spent_micros: 0n });
    app.clock.advance(86_400_000);
    expect((await page.click()).statusCode).toBe(404);
  });

  test('an address asks only so often, and a viewer sees a campaign only so often', async () => {
    const { zone } = await setUp({ frequency_cap: 2 });
    const ip = '67.8.0.1';
    const shown = [];
    for (let n = 0; n < 3; n++) shown.push((await open(zone.key, { ip })).status);
    expect(shown).toEqual([200, 200, 204]);
    // Who asks not to be told apart cannot be counted, and gets no campaign that counts.
    expect((await open(zone.key, { gpc: true })).status).toBe(204);
    const all = [];
    for (let n = 0; n < 125; n++) all.push((await open(zone.key, { ip })).status);
    expect(all).toContain(429);
  });

  test('[BEY-30] a markup that rises after an ad was given makes it neither free nor dearer', async () => {
    const { made, zone } = await setUp();
    const page = await open(zone.key);
    await app.admin.query('update ad_campaign set markup_bp = markup_bp + 1000 where campaign_id = $1', [
      made.id,
    ]);
    expect(await page.view()).toBe(204);
    expect(await sums(made.id)).toMatchObject({ impressions: 1, spend: 2_750n, wholesale: 200n });
    expect(await rowOf(made.id)).toMatchObject({ held_micros: 0n, spent_micros: 2_750n });
  });

  test('[BEY-30] an address gets only so many images a minute, and others get theirs', async () => {
    const { zone } = await setUp();
    const page = await open(zone.key, { ip: '67.8.1.1' });
    const other = await open(zone.key, { ip: '67.8.2.1' });
    const image = async (from: typeof page) => (await from.ask('GET', page.ad!.i)).statusCode;
    const all = [];
    for (let n = 0; n < 601; n++) all.push(await image(page));
    expect(all).toEqual([...Array(600).fill(200), 429]);
    expect(await image(other)).toBe(200);
    app.clock.advance(60_000);
    expect(await image(page)).toBe(200);
  });

  test('a network gets only so many ads of a campaign in a day, whatever it says it is', async () => {
    const { made, zone } = await setUp({ balance: 100n * USD });
    const ask = async (n: number, ip = '67.9.0.1') =>
      (await open(zone.key, { ip, agent: `${BROWSER} Build/${n}` })).status;
    const shown: number[] = [];
    for (let n = 0; n < 70; n++) shown.push(await ask(n));
    expect(shown).toEqual([...Array(60).fill(200), ...Array(10).fill(204)]);
    expect(await ask(71, '67.9.1.1')).toBe(200);
    // All that it could do is to hold what those ads would have cost, for as long as they could be seen.
    expect((await rowOf(made.id)).held_micros).toBe(61n * 2_750n);
  });

  test('[BEY-30] many requests at once for a zone whose campaigns cannot pay wait for no one, and all get their answer', async () => {
    for (let n = 0; n < 4; n++)
      await app.make.adCampaign(await app.make.client(agency), { platform: 'house', balance: 0n });
    const rich = await app.make.adCampaign(client, { platform: 'house', balance: 100n * USD });
    const zone = await app.make.adZone(agency, { cpm: 2n * USD });
    app.features.adServing.house.forget();
    const pages = await Promise.all(Array.from({ length: 20 }, () => open(zone.key, { ip: '66.7.7.7' })));
    expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([200]));
    const { rows } = await app.admin.query(
      'select campaign_id, count(*)::int from ad_impression where zone_id = $1 group by 1',
      [zone.id],
    );
    expect(rows).toEqual([{ campaign_id: rich.id, count: 20 }]);
    // What was counted for those that could not pay was given back.
    await app.admin.query(`update campaign set state = 'removed' where id = $1`, [rich.id]);
    app.features.adServing.house.forget();
    expect((await open(zone.key, { ip: '66.7.7.7' })).status).toBe(204);
  });

  test('a client’s zone shows its own ads only; an agency’s those of all its clients', async () => {
    const { zone } = await setUp();
    const neighbor = await app.make.client(agency);
    const own = await app.make.adZone(neighbor);
    expect((await open(own.key)).status).toBe(204);
    expect((await open(zone.key)).status).toBe(200);
    const all = await app.make.adZone(agency, { cpm: USD });
    expect((await open(all.key)).status).toBe(200);
  });

  test('an agency makes zones, and its client cannot set what they cost', async () => {
    const { email } = await app.make.user(agency, { password: PASSWORD });
    const token = await app.signIn(email, 'platforms.test');
    const call = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) =>
      app.call(method, `/api${path}`, { host: 'platforms.test', token, ...(body ? { body } : {}) });
    const made = await call('POST', '/ads/zones', {
      name: 'Sidebar',
      hosts: ['News.example.com'],
      size: '160x600',
      cpm: '3.5',
    });
    expect(made.body.data).toMatchObject({ hosts: ['news.example.com'], size: '160x600', cpm: '3.50' });
    const { id, tag } = made.body.data as unknown as { id: string; tag: string };
    expect(tag).toMatch(
      /^<script async src="http:\/\/platforms\.test\/a\/v1\/tag\.js" data-zone="[a-z0-9]{20}"><\/script>$/,
    );
    expect((await call('POST', '/ads/zones', { name: 'X', hosts: [], size: '160x600' })).body.errors).toEqual(
      { hosts: ['is required'] },
    );
    expect((await call('DELETE', `/ads/zones/${id}`)).status).toBe(200);
    expect((await call('DELETE', `/ads/zones/${id}`)).status).toBe(404);
    const user = await app.make.user(client, { password: PASSWORD });
    const own = await app.signIn(user.email, 'platforms.test');
    const refused = await app.call('POST', '/api/ads/zones', {
      host: 'platforms.test',
      token: own,
      body: { name: 'Mine', hosts: ['shop.example.com'], size: '300x250', cpm: '1' },
    });
    expect(refused.status).toBe(403);
  });
});

describe('[BEY-30] the zones of a client', () => {
  const as = async (company: Company) => {
    const token = await app.signIn(
      (await app.make.user(company, { password: PASSWORD })).email,
      'platforms.test',
    );
    return {
      list: async () =>
        (await app.call('GET', '/api/ads/zones', { host: 'platforms.test', token })).body.data as unknown as {
          id: string;
          company_id: string;
          impressions_30d: number;
        }[],
      add: () =>
        app.call('POST', '/api/ads/zones', {
          host: 'platforms.test',
          token,
          body: { name: 'Mine', hosts: ['shop.example.com'], size: '300x250' },
        }),
    };
  };
  const { most } = BOUNDS.zones;
  afterAll(() => Object.assign(BOUNDS.zones, { most }));

  test('stop at their limit, also at once, take no place from anyone else, and hide none of the agency’s', async () => {
    const [boss, own, other] = await Promise.all([agency, client, await app.make.client(agency)].map(as));
    const before = (await boss!.list()).filter((zone) => zone.company_id === agency.id).length;
    expect((await boss!.add()).status).toBe(200);
    Object.assign(BOUNDS.zones, { most: 3 });
    const answers = await Promise.all(Array.from({ length: 6 }, () => own!.add()));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 422, 422, 422]);
    expect(answers.find(({ status }) => status === 422)!.body.errors).toEqual({
      name: ['would exceed the limit of 3 ad zones per company. Remove some first'],
    });
    expect((await other!.add()).status).toBe(200);
    Object.assign(BOUNDS.zones, { most: before + 2 });
    expect((await boss!.add()).status).toBe(200);
    const first = (await boss!.list()).slice(0, before + 2);
    expect(first.map((zone) => zone.company_id)).toEqual(first.map(() => agency.id));
  });

  test('say how many ads they showed, each its own', async () => {
    await makeAs('house')();
    const [zone, idle] = [await app.make.adZone(client, { cpm: 2n * USD }), await app.make.adZone(client)];
    const page = await open(zone.key);
    expect(await page.view()).toBe(204);
    const shown = new Map((await (await as(client)).list()).map((one) => [one.id, one.impressions_30d]));
    expect([shown.get(zone.id), shown.get(idle.id)]).toEqual([1, 0]);
  });
});

describe('[SIMP-03] audiences', () => {
  const people = (count: number) => Array.from({ length: count }, () => app.make.person());

  test('the bidder bids for viewers in an audience only, and never for those in an excluded one', async () => {
    const [wanted, unwanted] = [people(5), people(5)];
    await app.make.people(root, [...wanted, ...unwanted]);
    const emails = (some: typeof wanted) => some.map(({ email }) => email!);
    const all = await app.make.audience(client, { emails: emails([...wanted, ...unwanted]) });
    const out = await app.make.audience(client, { emails: emails(unwanted) });
    const made = await makeAs('sandbox')();
    await app.make.aim(made, [all], [out]);
    const viewers = async () =>
      (await app.admin.query('select distinct viewer from ad_impression where campaign_id = $1', [made.id]))
        .rowCount;
    for (let n = 0; n < 6; n++) await CASES.sandbox.pass(made);
    // The exchange draws viewers from all ten; the five that are left are all that it was bid for.
    expect((await sums(made.id)).impressions).toBeGreaterThan(0);
    expect(await viewers()).toBeLessThanOrEqual(5);
    // Everyone opts out: nothing is bid any more.
    await app.make.exclusionList(client, 'client', emails(wanted));
    await app.features.adAudiences.builds.build(root.id, all);
    const before = await sums(made.id);
    for (let n = 0; n < 3; n++) await CASES.sandbox.pass(made);
    expect(await sums(made.id)).toEqual(before);
  });

  test('house ads are shown to addresses in an audience, or to all others, and to no one who cannot be told apart', async () => {
    const [inside, outside] = ['67.30.0.1', '67.30.0.2'];
    const audience = await app.make.audience(client, { ips: [inside!] });
    const zone = await app.make.adZone(client, { cpm: 2n * USD });
    const made = await makeAs('house')();
    const status = async (ip: string, more: object = {}) => {
      app.features.adServing.house.forget();
      return (await open(zone.key, { ip, ...more })).status;
    };
    await app.make.aim(made, [audience]);
    expect([await status(inside!), await status(outside!)]).toEqual([200, 204]);
    // What is too small to say nothing about single people counts as empty, and the campaign is not shown to others.
    Object.assign(COUNTED, { people: 20 });
    expect([await status(inside!), await status(outside!)]).toEqual([204, 204]);
    Object.assign(COUNTED, { people: 0 });
    await app.make.aim(made, [], [audience]);
    expect([await status(inside!), await status(outside!)]).toEqual([204, 200]);
    expect(await status(outside!, { gpc: true })).toBe(204);
    await app.make.aim(made, []);
    expect([await status(inside!), await status(outside!, { gpc: true })]).toEqual([200, 200]);
  });

  test('someone known from a client’s own site is recognized by the address they had there, on its ads only', async () => {
    const person = app.make.person();
    await app.make.people(root, [person]);
    await app.make.leadCost(agency, 0n);
    const site = await app.make.campaign(client);
    await app.make.visit(site, { email: person.email!, ip: '67.31.0.5' });
    await app.features.leads.resolver.resolveAll();
    const zone = await app.make.adZone(client, { cpm: 2n * USD });
    const made = await makeAs('house')();
    await app.make.aim(made, [await app.make.audience(client, { emails: [person.email!] })]);
    app.features.adServing.house.forget();
    expect((await open(zone.key, { ip: '67.31.0.5' })).status).toBe(200);
    expect((await open(zone.key, { ip: '67.31.0.6' })).status).toBe(204);
    const neighbor = await app.make.client(agency);
    const theirs = await app.make.adCampaign(neighbor, { platform: 'house', balance: 100n * USD });
    const other = await app.make.adZone(neighbor, { cpm: 2n * USD });
    await app.make.aim(theirs, [await app.make.audience(neighbor, { emails: [person.email!] })]);
    app.features.adServing.house.forget();
    expect((await open(other.key, { ip: '67.31.0.5' })).status).toBe(204);
  });

  test('[BEY-30] one look-up finds who is in the audiences of all clients whose ads an agency’s zone may show', async () => {
    const zone = await app.make.adZone(agency, { cpm: 2n * USD });
    for (let n = 0; n < 4; n++) {
      const other = await app.make.client(agency);
      const made = await app.make.adCampaign(other, { platform: 'house', balance: 100n * USD });
      await app.make.aim(made, [await app.make.audience(other, { ips: ['67.32.0.1'] })]);
    }
    app.features.adServing.house.forget();
    const among = vi.spyOn(app.features.adAudiences, 'among');
    expect((await open(zone.key, { ip: '67.32.0.1' })).status).toBe(200);
    expect((await open(zone.key, { ip: '67.32.0.2' })).status).toBe(204);
    expect(among).toHaveBeenCalledTimes(2);
    among.mockRestore();
  });

  test('Simpli.fi is given the postal addresses, once, and a campaign without them does not run', async () => {
    const sync = () => app.features.adServing.sync.run(root.id);
    const theirs = (id: string) => stub.campaigns.find(({ custom_id }) => custom_id === id)!;
    const [ann, bob, out] = people(3);
    await app.make.people(root, [ann!, bob!, out!]);
    await app.make.exclusionList(client, 'client', [out!.email!]);
    const audience = await app.make.audience(client, {
      name: 'By mail',
      emails: [ann!.email!, bob!.email!, out!.email!, 'unknown@example.com'],
    });
    const none = await app.make.audience(client, { name: 'No homes', emails: ['unknown@example.com'] });
    const made = await CASES.simplifi.make();
    await app.make.aim(made, [audience], [none]);
    stub.faults.loseNext = 1;
    await sync();
    await sync();
    await sync();
    const lists = () => stub.addressLists.filter(({ name }) => name.includes(audience));
    expect(lists()).toHaveLength(1);
    expect(
      lists()[0]!
        .rows.map(({ address }) => address)
        .sort(),
    ).toEqual([ann!.address, bob!.address].sort());
    expect(theirs(made.id)).toMatchObject({
      status: 'Active',
      addresses: [{ address_id: lists()[0]!.id, target: 2 }],
    });
    const uploads = () => stub.requests.filter(({ path }) => path.endsWith('/upload')).length;
    const before = uploads();
    await sync();
    expect(uploads()).toBe(before);
    // Who opts out is no longer in the list there.
    await app.make.exclusionList(client, 'client', [bob!.email!]);
    await app.features.adAudiences.builds.build(root.id, audience);
    await sync();
    expect(lists()[0]!.rows.map(({ address }) => address)).toEqual([ann!.address]);
    // An audience without addresses would have the campaign shown to everyone.
    await app.make.aim(made, [none]);
    await sync();
    expect(theirs(made.id).status).toBe('Paused');
    expect((await rowOf(made.id)).sync_error).toBe(
      'The audience No homes has no postal addresses, which are what Simpli.fi takes.',
    );
    // No campaign uses the first one any more, so it is deleted there.
    expect(lists()).toEqual([]);
    await app.make.aim(made, []);
    await sync();
    expect(theirs(made.id)).toMatchObject({ status: 'Active', addresses: [] });
  });
});

describe('[SIMP-03] places', () => {
  const statesOf = async (id: string) =>
    (
      await app.admin.query(
        `select key, sum(impressions)::int as impressions from ad_slice where campaign_id = $1 and kind = 'state' group by 1 order by 1`,
        [id],
      )
    ).rows as { key: string; impressions: number }[];

  test('the bidder bids only where one of the places of a campaign is', async () => {
    const texas = await makeAs('sandbox')({ states: ['TX'] });
    // All of Texas and some around it, as a shape; and nothing near.
    const points = [
      { longitude: -107, latitude: 25.5 },
      { longitude: -107, latitude: 37 },
      { longitude: -93, latitude: 37 },
      { longitude: -93, latitude: 25.5 },
    ];
    const shape = await makeAs('sandbox')({
      areas: JSON.stringify([{ kind: 'polygon', name: 'Texas', points }]),
    });
    const ocean = await makeAs('sandbox')({
      areas: JSON.stringify([{ kind: 'circle', name: 'Ocean', latitude: 30, longitude: -40, miles: 50 }]),
    });
    for (let n = 0; n < 8; n++) await CASES.sandbox.pass(texas);
    const inTexas = await statesOf(texas.id);
    expect(inTexas.map(({ key }) => key)).toEqual(['TX']);
    const inShape = await statesOf(shape.id);
    expect(inShape.length).toBeGreaterThan(0);
    for (const { key } of inShape) expect(['TX', 'OK', 'NM', 'LA', 'AR', 'KS', 'CO', 'MO']).toContain(key);
    expect(await statesOf(ocean.id)).toEqual([]);
    // By state, it is all that was shown, and all that it cost.
    for (const { id } of [texas, shape])
      expect(
        (
          await app.admin.query(
            `select sum(impressions)::int as impressions, sum(clicks)::int as clicks, sum(spend_micros)::bigint as spend
             from ad_slice where campaign_id = $1 and kind = 'state'`,
            [id],
          )
        ).rows[0],
      ).toEqual((({ impressions, clicks, spend }) => ({ impressions, clicks, spend }))(await sums(id)));
  });

  test('house ads are not shown where places are asked for, because no one knows where a visitor is', async () => {
    await makeAs('house')({
      areas: JSON.stringify([{ kind: 'circle', name: 'Store', latitude: 30, longitude: -97, miles: 50 }]),
    });
    const zone = await app.make.adZone(client, { cpm: 2n * USD });
    app.features.adServing.house.forget();
    expect((await open(zone.key)).ad).toBeNull();
  });

  test('Simpli.fi is given states, cities, and areas as it takes them, and no more than has changed', async () => {
    const sync = () => app.features.adServing.sync.run(root.id);
    const theirs = (id: string) => stub.campaigns.find(({ custom_id }) => custom_id === id)!;
    const made = await makeAs('simplifi')({
      zips: ['73301'],
      states: ['TX', 'AL'],
      cities: ['Austin, TX'],
    });
    await sync();
    expect((await rowOf(made.id)).sync_error).toBeNull();
    expect(theirs(made.id).fields.geo_target_ids).toEqual([18161, 8184]);
    const square = [
      { longitude: -98, latitude: 30 },
      { longitude: -97, latitude: 30 },
      { longitude: -97, latitude: 31 },
      { longitude: -98, latitude: 31 },
    ];
    await app.admin.query(
      `update ad_campaign set states = '{}', cities = '{}', zips = '{}', areas = $2 where campaign_id = $1`,
      [
        made.id,
        JSON.stringify([
          { kind: 'polygon', name: 'Square', points: square },
          { kind: 'circle', name: 'Store', latitude: 30.3, longitude: -97.7, miles: 10 },
        ]),
      ],
    );
    await sync();
    expect((await rowOf(made.id)).sync_error).toBeNull();
    // The country, in which the areas are; what was told before is gone.
    expect(theirs(made.id)).toMatchObject({
      status: 'Active',
      fields: { geo_target_ids: [8180], postal_codes: { values: [] } },
      fences: [
        {
          name: 'Square',
          bid_area: {
            type: 'Polygon',
            coordinates: [
              [
                [-98, 31],
                [-97, 31],
                [-97, 30],
                [-98, 30],
                [-98, 31],
              ],
            ],
          },
        },
        { name: 'Store' },
      ],
    });
    expect(theirs(made.id).fences[1]!.bid_area.coordinates[0]).toHaveLength(13);
    const told = () =>
      stub.requests.filter(({ method, path }) => method === 'PUT' && path.endsWith('geo_fences'));
    const before = told().length;
    await sync();
    expect(told()).toHaveLength(before);
    await app.admin.query(
      `update ad_campaign set states = '{TX}', cities = '{"Dallas, TX"}', areas = '[]' where campaign_id = $1`,
      [made.id],
    );
    await sync();
    expect((await rowOf(made.id)).sync_error).toBe('Simpli.fi does not know the place Dallas.');
  });
});

describe('[SIMP-04] Simpli.fi', () => {
  const sync = () => app.features.adServing.sync.run(root.id);
  const theirs = (id: string) => stub.campaigns.filter(({ custom_id }) => custom_id === id);
  /** A person of a company, signed in. */
  const as = async (company: Company) => {
    const { email } = await app.make.user(company, { password: PASSWORD });
    const token = await app.signIn(email, 'platforms.test');
    return (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) =>
      app.call(method, `/api${path}`, { host: 'platforms.test', token, ...(body ? { body } : {}) });
  };
  /** The ads of the vendor’s campaign, by their sizes. */
  const adsOf = ({ ads }: (typeof stub.campaigns)[number]) =>
    ads.toSorted((a, b) => a.ad_size_id - b.ad_size_id);
  /** What the vendor says that an ad did on a day, so far. */
  const report = (
    of: (typeof stub.campaigns)[number],
    total_spend: number,
    { n = 0, day: stat_date = today() } = {},
  ) => {
    const ad_id = adsOf(of)[n]!.id;
    const row = { campaign_id: of.id, ad_id, stat_date, impressions: 1_000, clicks: 0, total_spend };
    const known = stub.days.find((one) => one.ad_id === ad_id && one.stat_date === stat_date);
    if (known) Object.assign(known, row);
    else stub.days.push(row);
  };
  /** One more creative of a campaign; returns its id. */
  const add = async (made: MadeCampaign, size: [number, number]) => {
    const name = `Creative ${serial++}`;
    const image = Buffer.from('iVBORw0KGgo=', 'base64');
    await app.make.adCreative(made, { name, size, image, clickUrl: 'https://shop.example.com/' });
    const { rows } = await app.admin.query('select id from creative where campaign_id = $1 and name = $2', [
      made.id,
      name,
    ]);
    return rows[0].id as string;
  };
  const outsideOf = async (id: string) =>
    (
      await app.admin.query(
        `select coalesce(sum(media_micros), 0)::bigint as media, coalesce(sum(price_micros), 0)::bigint as price
         from ad_outside_day where campaign_id = $1`,
        [id],
      )
    ).rows[0];

  test('is told of the campaign with every field, once, also if an answer was lost', async () => {
    const made = await CASES.simplifi.make({
      goal_type: 'cpa',
      goal_micros: 12_500_000n,
      frequency_cap: 3,
      total_micros: 500n * USD,
      balance: 2_000n * USD,
    });
    stub.faults.loseNext = 1;
    await sync();
    expect((await rowOf(made.id)).sync_error).toBe('Simpli.fi could not be reached.');
    await sync();
    await sync();
    const found = theirs(made.id);
    expect(found).toHaveLength(1);
    expect((await rowOf(made.id)).sync_error).toBeNull();
    // $5 from the client is 5 / (1.1 * 1.25) for the media.
    expect(found[0]).toMatchObject({
      status: 'Active',
      fields: {
        bid: 3.636,
        daily_budget: 727.27,
        total_budget: 363.63,
        campaign_goal: { goal_type: 'cpa', goal_value: '12.5' },
        frequency_capping: { how_many_times: 3, hours: 24 },
        postal_codes: { values: [{ postal_code: '73301', country_code: 'USA' }], append: false },
        click_attribution_window: 30,
        view_attribution_window: 1,
      },
      plans: [{ start_date: '2026-03-01', end_date: '2026-03-31', total_budget: 7272.72 }],
      ads: [{ target_url: 'https://shop.example.com/', ad_size_id: 1 }],
    });
    await pause(made.id, 'paused');
    await sync();
    expect(found[0]!.status).toBe('Paused');
  });

  describe('two workers that tell of a campaign', () => {
    const again = (id: string) => app.features.adServing.sync.one(root.id, id);
    const fixed = { halfLists: false, failNext: 0, loseNext: 0, mostAMinute: 100_000, meanwhile: null };
    afterEach(() => void Object.assign(stub.faults, fixed));

    test('at once make one there, and one asks while the other waits for its turn', async () => {
      const made = await CASES.simplifi.make();
      await Promise.all([again(made.id), again(made.id)]);
      const [found, ...others] = theirs(made.id);
      expect([found!.status, others]).toEqual(['Active', []]);
      await pause(made.id, 'paused');
      await again(made.id);
      await pause(made.id, 'active');
      // It is paused again after one has read that it runs.
      let asked = 0;
      stub.faults.meanwhile = async () => {
        await pause(made.id, 'paused');
        const before = stub.requests.length;
        await again(made.id);
        asked = stub.requests.length - before;
      };
      await again(made.id);
      expect([stub.faults.meanwhile, asked]).toEqual([null, 0]);
      await again(made.id);
      expect(found!.status).toBe('Paused');
      expect(await rowOf(made.id)).toMatchObject({ telling_until: null, sync_error: null });
    });

    test('one that takes too long asks nothing more, so that it changes nothing that the other told', async () => {
      const made = await CASES.simplifi.make();
      await again(made.id);
      await pause(made.id, 'paused');
      await again(made.id);
      await pause(made.id, 'active');
      let done = 0;
      stub.faults.meanwhile = async () => {
        await pause(made.id, 'paused');
        app.clock.advance(601_000);
        await again(made.id);
        done = stub.requests.length;
      };
      await again(made.id);
      expect(stub.requests).toHaveLength(done);
      expect(theirs(made.id)[0]!.status).toBe('Paused');
      expect(await rowOf(made.id)).toMatchObject({ telling_until: null, sync_error: null });
    });

    test('what fails on the way keeps no one from telling of it again', async () => {
      const made = await CASES.simplifi.make();
      const charge = vi.spyOn(app.features.adCampaigns.spending, 'chargeReported');
      charge.mockRejectedValueOnce(new Error('broken'));
      await expect(again(made.id)).rejects.toThrow('broken');
      charge.mockRestore();
      expect(await rowOf(made.id)).toMatchObject({ telling_until: null });
    });
  });

  test('what it refuses is said in its words, and busy times pass', async () => {
    const made = await CASES.simplifi.make({ zips: [] });
    await sync();
    expect((await rowOf(made.id)).sync_error).toBe(
      'Simpli.fi refused: Geo targets Select at least 1 location or postal code',
    );
    await pause(made.id, 'paused');
    const other = await CASES.simplifi.make();
    stub.faults.mostAMinute = 0;
    await sync();
    expect((await rowOf(other.id)).sync_error).toBe('Simpli.fi is busy.');
    stub.faults.mostAMinute = 100_000;
    await sync();
    expect((await rowOf(other.id)).sync_error).toBeNull();
  });

  test('half an answer charges nothing, and what it reports twice is charged once', async () => {
    const made = await CASES.simplifi.make();
    await sync();
    stub.deliver(today(), 1_000);
    stub.faults.halfLists = true;
    await sync();
    expect((await rowOf(made.id)).sync_error).toBe('Simpli.fi answered only a part of a list.');
    expect((await sums(made.id)).spend).toBe(0n);
    stub.faults.halfLists = false;
    await sync();
    const once = await sums(made.id);
    expect(once).toMatchObject({ impressions: 1_000, clicks: 2 });
    expect(once.spend).toBeGreaterThan(0n);
    await Promise.all([sync(), sync()]);
    expect(await sums(made.id)).toEqual(once);
    // A report that shrinks gives nothing back by itself.
    for (const row of stub.days) row.total_spend = 0;
    await sync();
    expect((await sums(made.id)).spend).toBe(once.spend);
    expect((await ledger(made.id)).price).toBe(once.spend);
  });

  test('the ad of a creative that is removed is stopped there, also if its answer was lost, and what it did is charged', async () => {
    const made = await CASES.simplifi.make();
    await add(made, [728, 90]);
    await sync();
    const [found] = theirs(made.id);
    const call = await as(client);
    const remove = (id: string) => call('PUT', `/ads/creatives/${id}`, { status: 'removed' });
    expect((await remove(made.creativeId)).status).toBe(200);
    // What the vendor refuses of the rest does not keep the ad running.
    await app.admin.query(
      `update ad_campaign set states = '{TX}', cities = '{"Dallas, TX"}' where campaign_id = $1`,
      [made.id],
    );
    await sync();
    expect(adsOf(found!).map(({ status }) => status)).toEqual(['Paused', 'Active']);
    await app.admin.query(`update ad_campaign set states = '{}', cities = '{}' where campaign_id = $1`, [
      made.id,
    ]);
    report(found!, 2);
    await sync();
    expect(await outsideOf(made.id)).toEqual({ media: 2n * USD, price: 2_750_000n });
    expect(await ledger(made.id)).toEqual({ price: 2_750_000n, wholesale: 2_200_000n });
    // Without an answer, nothing says that there is an ad, apart from its name there.
    const third = await add(made, [300, 600]);
    await sync();
    expect(found!.ads).toHaveLength(3);
    await app.admin.query('update creative set external_id = null where id = $1', [third]);
    expect((await remove(third)).status).toBe(200);
    await sync();
    expect(adsOf(found!).map(({ status }) => status)).toEqual(['Paused', 'Active', 'Paused']);
    report(found!, 1, { n: 2 });
    await sync();
    expect((await outsideOf(made.id)).media).toBe(3n * USD);
    // The campaign does not start again for ads that are all stopped.
    await pause(made.id, 'paused');
    await app.admin.query(`update creative set state = 'removed' where campaign_id = $1`, [made.id]);
    await sync();
    await pause(made.id, 'active');
    await sync();
    expect(found!.status).toBe('Paused');
    expect((await rowOf(made.id)).sync_error).toBeNull();
  });

  test('what it refuses to change keeps nothing running, and what it did is charged all the same', async () => {
    const made = await CASES.simplifi.make();
    await sync();
    const [found] = theirs(made.id);
    await app.admin.query(
      `update ad_campaign set states = '{TX}', cities = '{"Dallas, TX"}' where campaign_id = $1`,
      [made.id],
    );
    report(found!, 2);
    await sync();
    expect((await rowOf(made.id)).sync_error).toBe('Simpli.fi does not know the place Dallas.');
    expect((await outsideOf(made.id)).media).toBe(2n * USD);
    expect(found!.status).toBe('Active');
    await pause(made.id, 'paused');
    await sync();
    expect(found!.status).toBe('Paused');
    // It is said what is wrong, and yet it was told to stop and has been read.
    expect(await rowOf(made.id)).toMatchObject({
      sync_error: 'Simpli.fi does not know the place Dallas.',
      synced_at: app.clock.now(),
    });
  });

  test('a campaign that was started there with an answer that was lost is stopped when it is paused', async () => {
    const made = await CASES.simplifi.make();
    await sync();
    await app.admin.query('update ad_campaign set external_id = null where campaign_id = $1', [made.id]);
    await pause(made.id, 'paused');
    await sync();
    expect(theirs(made.id).map(({ status }) => status)).toEqual(['Paused']);
    expect((await rowOf(made.id)).external_id).toBe(String(theirs(made.id)[0]!.id));
  });

  test('a campaign is removed once it has stopped there and its last days are charged, also if its agency bills by hand', async () => {
    const made = await CASES.simplifi.make({ balance: 0n });
    const billing = (manual_bill: boolean) =>
      inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
        app.features.billing.accounts.setTerms(
          tx,
          { root_id: root.id, agency_id: agency.id, company_id: agency.id },
          { manual_bill, updated_at: app.clock.now() },
        ),
      );
    await billing(true);
    const remove = async () =>
      (await as(agency))('POST', '/leadspeek/client/remove', { leadspeekID: made.id });
    const refused = async () => {
      const { status, body } = await remove();
      expect([status, body.message]).toEqual([409, expect.stringContaining('not all billed yet')]);
    };
    await sync();
    const [found] = theirs(made.id);
    expect(found!.status).toBe('Active');
    await refused();
    // Paused here, but not there.
    await pause(made.id, 'paused');
    await refused();
    await sync();
    expect(found!.status).toBe('Paused');
    await refused();
    report(found!, 2);
    // Long ago, but no one has read what it reported since.
    app.clock.advance(3 * 86_400_000);
    await refused();
    await sync();
    expect(await ledger(made.id)).toEqual({ price: 0n, wholesale: 2_200_000n });
    expect((await remove()).status).toBe(200);
    expect(found!.status).toBe('Paused');
    await billing(false);
  });

  test('a campaign that it never had, or that was never started, is removed right away', async () => {
    const call = await as(agency);
    const remove = async (id: string) =>
      (await call('POST', '/leadspeek/client/remove', { leadspeekID: id })).status;
    const made = await CASES.simplifi.make({ state: 'paused', balance: 0n });
    await sync();
    expect(await remove(made.id)).toBe(200);
    const house = await makeAs('house')();
    expect(await remove(house.id)).toBe(200);
  });

  test('what was promised or billed of any ad campaign is posted before it can be removed', async () => {
    const house = await makeAs('house')();
    const zone = await app.make.adZone(client, { cpm: 2n * USD });
    app.features.adServing.house.forget();
    const page = await open(zone.key);
    const call = await as(agency);
    const remove = async () =>
      (await call('POST', '/leadspeek/client/remove', { leadspeekID: house.id })).status;
    expect(await remove()).toBe(409);
    expect(await page.view()).toBe(204);
    expect(await remove()).toBe(409);
    await post();
    expect(await ledger(house.id)).toEqual({ price: 2_750n, wholesale: 200n });
    expect(await remove()).toBe(200);
  });

  test('[BEY-31] however often campaigns are changed, each waits once to be told of, behind what others wait for', async () => {
    const [made, second] = [await CASES.simplifi.make(), await CASES.simplifi.make()];
    const other = await app.make.root({ host: `root${serial++}.test` });
    const theirClient = await app.make.client(await app.make.agency(other));
    const theirOwn = await app.make.adCampaign(theirClient, { platform: 'simplifi' });
    const call = await as(client);
    const edit = ({ creativeId }: { creativeId: string }, n: number) =>
      call('PUT', `/ads/creatives/${creativeId}`, { name: `Ad ${n}` });
    for (let n = 0; n < 20; n++) expect((await edit(made, n)).status).toBe(200);
    expect((await edit(second, 0)).status).toBe(200);
    await inScope(app.platform.db.app, { rootId: other.id }, (tx) =>
      app.platform.events.emit(tx, 'ads.changed', { rootId: other.id, campaignId: theirOwn.id }),
    );
    const { rows } = await app.admin.query(
      `select data ->> 'campaignId' as id from pgboss.job
       where name = 'ads.deliver' and data ->> 'campaignId' = any($1) order by priority desc, created_on`,
      [[made.id, second.id, theirOwn.id]],
    );
    expect(rows.map(({ id }) => id)).toHaveLength(3);
    expect(rows.at(-1)).toEqual({ id: second.id });
    // It is the campaign that is told of, and no other.
    await app.features.adServing.deliver({ rootId: root.id, campaignId: made.id });
    expect([theirs(made.id).length, theirs(second.id).length]).toEqual([1, 0]);
    await app.features.adServing.deliver({ rootId: root.id });
    expect(theirs(second.id)).toHaveLength(1);
  });

  test('[BEY-31] a fault of one campaign, or of one root, keeps nothing from the others', async () => {
    const [made, second] = [await CASES.simplifi.make(), await CASES.simplifi.make()];
    const other = await app.make.root({ host: `root${serial++}.test` });
    const theirClient = await app.make.client(await app.make.agency(other));
    const theirOwn = await app.make.adCampaign(theirClient, {
      platform: 'simplifi',
      zips: ['73301'],
      balance: 100n * USD,
    });
    const { spending } = app.features.adCampaigns;
    const charged = spending.chargeReported;
    const charge = vi.spyOn(spending, 'chargeReported').mockImplementation(async (...given) => {
      if (given[1] === made.id) throw new Error('A fault');
      return charged.call(spending, ...given);
    });
    const run = vi.spyOn(app.features.adServing.sandbox, 'run').mockImplementation(async (id) => {
      if (id === root.id) throw new Error('Another fault');
      return 0;
    });
    await expect(app.features.adServing.deliver({})).rejects.toThrow('Another fault');
    expect((await rowOf(theirOwn.id)).synced_at).toEqual(app.clock.now());
    run.mockRestore();
    await sync();
    expect((await rowOf(made.id)).synced_at).toBeNull();
    expect((await rowOf(second.id)).synced_at).toEqual(app.clock.now());
    charge.mockRestore();
    // The same for what is posted every minute.
    const zones: { key: string }[] = [];
    const house: MadeCampaign[] = [];
    for (const of of [client, await app.make.client(agency), theirClient]) {
      house.push(await app.make.adCampaign(of, { platform: 'house', balance: 100n * USD }));
      zones.push(await app.make.adZone(of, { cpm: 2n * USD }));
    }
    app.features.adServing.house.forget();
    for (const { key } of zones) await (await open(key)).view();
    const held = await app.admin.query(
      `select campaign_id from ad_campaign where unposted_micros > 0 and campaign_id = any($1)`,
      [house.map(({ id }) => id)],
    );
    expect(held.rows).toHaveLength(3);
    const posted = spending.post;
    const post_ = vi.spyOn(spending, 'post').mockImplementation(async (...given) => {
      if (given[1] === house[0]!.id) throw new Error('A fault');
      return posted.call(spending, ...given);
    });
    await app.features.adCampaigns.settle();
    post_.mockRestore();
    const unposted = async (n: number) => (await rowOf(house[n]!.id)).unposted_micros as bigint;
    expect(await unposted(0)).toBeGreaterThan(0n);
    expect([await unposted(1), await unposted(2)]).toEqual([0n, 0n]);
    await app.features.adCampaigns.settle();
    expect(await unposted(0)).toBe(0n);
  });

  describe('late reports are charged by what it was told of their days', () => {
    const more = { balance: 1_000n * USD, daily_micros: 100n * USD, markup_bp: 0 };
    /** A campaign that it was told of on a day that is over; what it spends of $100 is $90.90 of media. */
    const ran = async (given: object = {}) => {
      const made = await CASES.simplifi.make({ ...more, ...given });
      await sync();
      const day = today();
      const [found] = theirs(made.id);
      return { made, late: (media: number) => report(found!, media, { day }) };
    };
    const unbooked = (id: string) =>
      inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
        app.features.adCampaigns.spending.unbooked(tx, id),
      );
    const whole = { price: 99_990_000n, wholesale: 99_990_000n };

    test.each([0, 1])('not by a markup that was raised since (%i days later)', async (days) => {
      const { made, late } = await ran();
      app.clock.advance(days * 86_400_000);
      const set = await (await as(agency))('PUT', '/leadspeek/simplifi/costmodule', {
        leadspeekID: made.id,
        agencyMarkup: '1000',
      });
      expect(set.status).toBe(200);
      late(90.9);
      await sync();
      expect(await ledger(made.id)).toEqual(whole);
      // What it spends from now on is charged by the new one.
      app.clock.advance(86_400_000);
      report(theirs(made.id)[0]!, 1);
      await sync();
      expect(await ledger(made.id)).toEqual({
        price: whole.price + 12_100_000n,
        wholesale: whole.wholesale + 1_100_000n,
      });
    });

    test('not by budgets that were lowered since, also while it does not answer', async () => {
      const { made, late } = await ran();
      late(10);
      await sync();
      expect(await ledger(made.id)).toEqual({ price: 11n * USD, wholesale: 11n * USD });
      const before = await unbooked(made.id);
      expect(before).toBe(89n * USD);
      const change = async (fields: object) =>
        (await (await as(client))('PUT', `/leadspeek/simplifi/${made.id}`, fields)).status;
      expect(await change({ dailyBudget: '1.00', monthlyBudget: '11.00', total_budget: '11.00' })).toBe(200);
      expect(await unbooked(made.id)).toBe(before);
      stub.faults.mostAMinute = 0;
      app.clock.advance(86_400_000);
      await sync();
      // It may have spent both days’ budgets.
      expect(await unbooked(made.id)).toBe(before + 100n * USD);
      stub.faults.mostAMinute = 100_000;
      late(90.9);
      report(theirs(made.id)[0]!, 90.9);
      await sync();
      expect(await ledger(made.id)).toEqual({
        price: 2n * whole.price,
        wholesale: 2n * whole.wholesale,
      });
      // What has come in since does not keep anyone from other changes.
      expect(await change({ campaignName: 'Renamed' })).toBe(200);
      expect(await change({ total_budget: '12.00' })).toBe(422);
      // What it spends beyond all that it was told is still the root’s to pay.
      app.clock.advance(86_400_000);
      const { price } = await ledger(made.id);
      report(theirs(made.id)[0]!, 50);
      await sync();
      expect((await ledger(made.id)).price).toBe(price);
      expect((await outsideOf(made.id)).media).toBe(231_800_000n);
    });

    test('and it is told of no more for a day than the balance covers', async () => {
      const { made, late } = await ran({ balance: 30n * USD });
      const [found] = theirs(made.id);
      const told = () => found!.fields.daily_budget;
      // $30 from the client is 30 / 1.1 for the media.
      expect([found!.status, told()]).toEqual(['Active', 27.27]);
      late(10);
      await sync();
      await sync();
      expect([found!.status, told()]).toEqual(['Active', 27.27]);
      late(27.27);
      await sync();
      expect(await ledger(made.id)).toEqual({ price: 29_997_000n, wholesale: 29_997_000n });
      // What it spends beyond is its own, so no one below the root pays for it.
      late(30);
      await sync();
      expect(await ledger(made.id)).toEqual({ price: 30n * USD, wholesale: 30n * USD });
      await sync();
      expect(found!.status).toBe('Paused');
    });

    const limit = async (id: string, hard: string) => {
      const body = { subject: 'campaign', subjectID: id, period: 'day', hard, soft: null };
      expect((await (await as(client))('PUT', '/ledger/caps', body)).status).toBe(200);
    };

    test('nor of what may still be reported of the days before', async () => {
      const { made, late } = await ran({ balance: 30n * USD });
      const [found] = theirs(made.id);
      app.clock.advance(86_400_000);
      await sync();
      expect(found!.status).toBe('Paused');
      late(10);
      await sync();
      expect([found!.status, await ledger(made.id)]).toEqual([
        'Paused',
        { price: 11n * USD, wholesale: 11n * USD },
      ]);
      expect((await rowOf(made.id)).sync_error).toMatch(
        /^Its balance, or a spending limit, may be used up once/,
      );
      // It was stopped in the course of the second day, so that counts until the end of the third.
      app.clock.advance(86_400_000);
      await sync();
      expect(found!.status).toBe('Paused');
      app.clock.advance(86_400_000);
      await sync();
      expect((await rowOf(made.id)).sync_error).toBeNull();
      expect([found!.status, found!.fields.daily_budget]).toEqual(['Active', 17.27]);
    });

    test('campaigns of a client share what its limit leaves', async () => {
      const made = [await CASES.simplifi.make(more), await CASES.simplifi.make(more)];
      const body = { subject: 'client', subjectID: client.id, period: 'day', hard: '50.00', soft: null };
      expect((await (await as(client))('PUT', '/ledger/caps', body)).status).toBe(200);
      await sync();
      const found = made.map(({ id }) => theirs(id)[0]!);
      expect(found.map(({ fields }) => fields.daily_budget)).toEqual([22.72, 22.72]);
      const day = today();
      app.clock.advance(86_400_000);
      await sync();
      expect(found.map(({ fields }) => fields.daily_budget)).toEqual([22.72, 22.72]);
      for (const one of found) report(one, 22.72, { day });
      await sync();
      const sums = await Promise.all(made.map(({ id }) => ledger(id)));
      expect(sums.map(({ price }) => price)).toEqual([24_992_000n, 24_992_000n]);
      // That was today’s limit.
      await sync();
      expect(found.map(({ status }) => status)).toEqual(['Paused', 'Paused']);
    });

    test('house ads and Simpli.fi share what a limit of their client leaves', async () => {
      const body = { subject: 'client', subjectID: client.id, period: 'day', hard: '50.00', soft: null };
      expect((await (await as(client))('PUT', '/ledger/caps', body)).status).toBe(200);
      const house = await CASES.house.make({ balance: 1_000n * USD });
      const { spending } = app.features.adCampaigns;
      const holds = async (mostMicros: bigint) => {
        const { creativeId } = house;
        const one = { id: newId(app.clock.now()), creativeId, place: 'news.example.com', viewer: null };
        const held = await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
          spending.hold(tx, house.id, [{ ...one, mostMicros, lastsMs: 60_000 }]),
        );
        return held.size === 1;
      };
      expect(await holds(20n * USD)).toBe(true);
      const made = await CASES.simplifi.make(more);
      await sync();
      // $30 from the client is 30 / 1.1 for the media.
      expect(theirs(made.id)[0]!.fields.daily_budget).toBe(27.27);
      expect(await holds(10_000n)).toBe(false);
    });

    test('nor does a limit that is raised and lowered in turn give a day for nothing', async () => {
      const { made, late } = await ran();
      const [found] = theirs(made.id);
      for (let days = 1; days <= 3; days++) {
        await limit(made.id, '1000.00');
        await app.features.campaigns.resumeCapped(root.id);
        await sync();
        expect(found!.status).toBe('Active');
        if (days === 1) late(90.9);
        else report(found!, 90.9);
        await limit(made.id, '0.01');
        await sync();
        await sync();
        expect([found!.status, (await ledger(made.id)).price]).toEqual([
          'Paused',
          BigInt(days) * whole.price,
        ]);
        app.clock.advance(86_400_000);
      }
    });

    test('and of no more than a limit leaves; one that was lowered since stops it, but does not reach back', async () => {
      const { made, late } = await ran({ markup_bp: 2_500 });
      const [found] = theirs(made.id);
      await limit(made.id, '30.00');
      await sync();
      // $30 from the client is 30 / (1.1 × 1.25) for the media.
      expect([found!.status, found!.fields.daily_budget]).toEqual(['Active', 21.81]);
      await limit(made.id, '0.01');
      late(10);
      await sync();
      expect(await ledger(made.id)).toEqual({ price: 13_750_000n, wholesale: 11n * USD });
      const { rows } = await app.admin.query('select state, state_reason from campaign where id = $1', [
        made.id,
      ]);
      expect(rows).toEqual([{ state: 'paused', state_reason: 'cap_campaign' }]);
      await sync();
      expect(found!.status).toBe('Paused');
    });
  });
});
