import { createCanvas } from '@napi-rs/canvas';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inScope } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { auditLedger } from '../../money/ledger/index.ts';

const HOST = 'ads-agency.test';
const USD = 1_000_000n;
let app: TestApp;
let root: Company;
let agency: Company;
let client: Company;
let agencyUser: { id: string; email: string };
let clientUser: { id: string; email: string };

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'ads-root.test', isMaster: true });
  agency = await app.make.agency(root, { host: HOST });
  agencyUser = await app.make.user(agency, { password: PASSWORD });
  await app.make.setUp(agency, agencyUser.id);
  await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
    app.features.tenants.products.setBetaUser(
      tx,
      { root_id: root.id, agency_id: agency.id, company_id: agency.id },
      true,
      app.clock.now(),
    ),
  );
});
afterAll(async () => {
  expect(app.greedy).toEqual([]);
  const { checks } = await auditLedger(app.admin);
  expect(checks.filter((check) => check.violations > 0)).toEqual([]);
  await app.close();
});
beforeEach(async () => {
  client = await app.make.client(agency);
  clientUser = await app.make.user(client, { password: PASSWORD });
  await app.make.setUp(client, clientUser.id);
  app.clock.advance(60_000);
});

const as = async (who: { email: string }, host = HOST) => {
  const token = await app.signIn(who.email, host);
  return (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) =>
    app.call(method, `/api${path}`, { host, token, ...(body ? { body } : {}) });
};
const fields = (more: object = {}) => ({
  campaignName: 'Spring ads',
  maxBid: '5.00',
  dailyBudget: '10.00',
  monthlyBudget: '200.00',
  ...more,
});
const root_ = <T>(work: Parameters<typeof inScope<T>>[2]) =>
  inScope(app.platform.db.app, { rootId: root.id }, work);
const spendOf = async (id: string) => {
  const { rows } = await app.admin.query(
    `select t.id, a.kind, e.amount from transfer t join entry e on e.transfer_id = t.id join account a on a.id = e.account_id
     where t.campaign_id = $1 and t.kind = 'ad_spend' order by t.id, e.line`,
    [id],
  );
  const sum = (kind: string) =>
    rows.filter((row) => row.kind === kind).reduce((all, row) => all + BigInt(row.amount), 0n);
  return {
    events: new Set(rows.map((row) => row.id)).size,
    price: -sum('client_prepaid'),
    wholesale: -sum('agency_wallet') - sum('agency_payable'),
    supplier: -sum('root_cost'),
  };
};
const adRow = async (id: string) =>
  (await app.admin.query('select * from ad_campaign where campaign_id = $1', [id])).rows[0];

/** A shape of the given longitudes and latitudes. */
const shape = (...points: [longitude: number, latitude: number][]) => ({
  kind: 'polygon',
  name: 'Shape',
  points: points.map(([longitude, latitude]) => ({ longitude, latitude })),
});

describe('[SIMP-03] places', () => {
  test('are kept as they were given: states, cities, 10,000 ZIP codes, a radius, and a shape that is closed or not', async () => {
    const call = await as(agencyUser);
    const zips = Array.from({ length: 10_000 }, (_, i) => String(10_000 + i));
    const circle = { kind: 'circle', name: 'Store', latitude: 30.2672, longitude: -97.7431, miles: 10 };
    const square = shape([-98, 30], [-97, 30], [-97, 31], [-98, 31]);
    const made = await call(
      'POST',
      '/leadspeek/simplifi',
      fields({
        companyID: client.id,
        states: ['TX', 'OK'],
        cities: ['Austin, TX'],
        zips,
        areas: [circle, { ...square, points: [...square.points, square.points[0]!] }],
      }),
    );
    expect(made.status).toBe(200);
    const places = { states: ['TX', 'OK'], cities: ['Austin, TX'], zips, areas: [circle, square] };
    expect(made.body.data).toMatchObject(places);
    const { leadspeekID: id } = made.body.data as unknown as { leadspeekID: string };
    // A change of something else leaves them.
    await call('PUT', `/leadspeek/simplifi/${id}`, { dailyBudget: '11.00' });
    expect((await call('GET', `/leadspeek/simplifi/details/${id}`)).body).toMatchObject(places);
    // Without its state, a city is nowhere.
    const refused = await call('PUT', `/leadspeek/simplifi/${id}`, { states: ['OK'] });
    expect(refused.body.errors).toEqual({
      cities: ['must be in the states of the campaign. Austin, TX is not'],
    });
    const fewer = await call('PUT', `/leadspeek/simplifi/${id}`, { states: ['OK'], cities: [], areas: [] });
    expect(fewer.body.data).toMatchObject({ states: ['OK'], cities: [], areas: [], zips });
  });
});

describe('[SIMP-01] ad campaigns', () => {
  test('an agency creates one for its client, and both read and change it by their rights', async () => {
    const call = await as(agencyUser);
    const made = await call(
      'POST',
      '/leadspeek/simplifi',
      fields({
        companyID: client.id,
        goalType: 'cpc',
        goalValue: '1.50',
        agencyMarkup: '25',
        endDate: '2026-03-31',
      }),
    );
    expect(made.status).toBe(200);
    const { leadspeekID: id } = made.body.data as unknown as { leadspeekID: string };
    expect(made.body.data).toMatchObject({
      campaignName: 'Spring ads',
      status: 'paused',
      statusReason: 'person',
      channel: 'exchange',
      platform: 'sandbox',
      maxBid: '5.00',
      goalType: 'cpc',
      goalValue: '1.50',
      agencyMarkup: '25',
      remainingDays: 22,
      totalSpend: 0,
    });
    const own = await as(clientUser);
    expect((await own('GET', `/leadspeek/simplifi/details/${id}`)).body).toMatchObject({
      leadspeekID: id,
      agencyMarkup: null,
    });
    expect((await own('PUT', `/leadspeek/simplifi/${id}`, { dailyBudget: '12' })).body.data).toMatchObject({
      dailyBudget: '12.00',
    });
    const refused = await own('PUT', `/leadspeek/simplifi/${id}`, { agencyMarkup: '0' });
    expect(refused.status).toBe(403);
    expect(refused.body.errors).toEqual({ agencyMarkup: ['is set by the agency'] });
    expect(
      (await own('PUT', '/leadspeek/simplifi/costmodule', { leadspeekID: id, agencyMarkup: '1' })).status,
    ).toBe(403);
    expect(
      (await call('PUT', '/leadspeek/simplifi/costmodule', { leadspeekID: id, agencyMarkup: '30.5' })).body
        .data,
    ).toMatchObject({ agencyMarkup: '30.5' });
    const stale = await call('PUT', `/leadspeek/simplifi/${id}`, { version: 1, maxBid: '6' });
    expect(stale.status).toBe(409);
    // The calls for campaigns with leads neither list nor change it, but the shared states are theirs.
    expect((await call('GET', '/leadspeek/client/list')).body).toMatchObject({ total: 0 });
    expect(
      (await call('PUT', '/leadspeek/client/update', { leadspeekID: id, campaignName: 'X' })).status,
    ).toBe(404);
    const started = await call('POST', '/leadspeek/client/activepause', {
      leadspeekID: id,
      status: 'active',
    });
    expect(started.status).toBe(409);
    expect(started.body.errors).toEqual({ status: ['needs a balance'] });
    const page = await call('GET', `/leadspeek/simplifi?companyID=${client.id}`);
    expect(page.body).toMatchObject({ total: 1, data: [{ leadspeekID: id }] });
  });

  test.each([
    [{ dailyBudget: '0' }, 'dailyBudget', 'must be above 0'],
    [{ dailyBudget: '300' }, 'monthlyBudget', 'must be at least the daily budget, $300.00'],
    [{ maxBid: '1.2345' }, 'maxBid', 'must have up to 3 decimal places'],
    [{ goalType: 'ctr' }, 'goalValue', 'is required'],
    [{ goalValue: '2' }, 'goalType', 'is required'],
    [{ goalType: 'ctr', goalValue: '101' }, 'goalValue', 'must not exceed 100 percent'],
    [{ startDate: '2026-05-01', endDate: '2026-04-01' }, 'endDate', 'must not be before the start date'],
    [{ agencyMarkup: '1000.01' }, 'agencyMarkup', 'must not exceed 1000'],
    [{ zips: ['1234'] }, 'zips.0', 'must be five digits'],
    [{ states: ['XX'] }, 'states.0', 'must be the code of a US state'],
    [
      { zips: Array.from({ length: 10_001 }, (_, i) => String(10_000 + i)) },
      'zips',
      'must not exceed 10000 entries',
    ],
    [{ states: ['TX'], cities: ['Austin'] }, 'cities.0', 'must be a city such as Austin, TX'],
    [
      { states: ['TX'], cities: ['Austn, TX'] },
      'cities',
      'must be cities of the United States. Austn, TX is not known',
    ],
    [{ cities: ['Austin, TX'] }, 'cities', 'must be in the states of the campaign. Austin, TX is not'],
    [{ areas: [{ kind: 'star', name: 'X' }] }, 'areas.0.kind', 'must be circle or polygon'],
    [{ areas: [shape([0, 0], [1, 1], [1, 0], [0, 1])] }, 'areas.0', 'crosses itself'],
    [
      { areas: [shape([179, 50], [-179, 50], [-179, 52])] },
      'areas.0',
      'crosses the 180th meridian. Use an area on each side of it',
    ],
    [
      { areas: [shape([0, 0], [1, 100], [1, 0])] },
      'areas.0',
      'has a latitude outside of -90 to 90 at point 2',
    ],
    [
      { areas: [shape(...Array.from({ length: 13 }, (_, i): [number, number] => [i, (i * i) / 4]))] },
      'areas.0',
      'has 13 points. The most is 12',
    ],
    [
      { areas: [shape(...Array.from({ length: 14 }, (_, i): [number, number] => [i, (i * i) / 4]))] },
      'areas.0.points',
      'must not exceed 12 entries',
    ],
    [
      { areas: [{ kind: 'circle', name: 'Far', latitude: 30, longitude: -97, miles: 101 }] },
      'areas.0',
      'needs a radius from 0.1 to 100 miles',
    ],
    [
      { areas: [{ kind: 'circle', name: 'Text', latitude: '30', longitude: -97, miles: 1 }] },
      'areas.0.latitude',
      'must be a number',
    ],
    [
      { areas: Array.from({ length: 51 }, () => shape([0, 0], [1, 0], [1, 1])) },
      'areas',
      'must not exceed 50 entries',
    ],
  ])('%j is refused, naming field and rule', async (wrong, field, rule) => {
    const call = await as(agencyUser);
    const { status, body } = await call(
      'POST',
      '/leadspeek/simplifi',
      fields({ companyID: client.id, ...wrong }),
    );
    expect(status).toBe(422);
    expect(body.errors).toEqual({ [field]: [rule] });
  });

  test('other agencies and clients find nothing', async () => {
    const { id } = await app.make.adCampaign(client);
    const other = await app.make.client(agency);
    const stranger = await app.make.user(other, { password: PASSWORD });
    await app.make.setUp(other, stranger.id);
    const call = await as(stranger);
    for (const path of [
      `/leadspeek/simplifi/details/${id}`,
      `/leadspeek/simplifi/remaining-budget/${id}`,
      `/ads/creatives?leadspeekID=${id}`,
    ])
      expect((await call('GET', path)).status).toBe(404);
    expect((await call('PUT', `/leadspeek/simplifi/${id}`, { maxBid: '1' })).status).toBe(404);
    expect((await call('POST', '/leadspeek/simplifi', fields({ companyID: client.id }))).status).toBe(404);
  });
});

describe('[SIMP-02] budgets and minimums', () => {
  test('the root sets minimums and its share; agencies and clients keep to them without seeing the share', async () => {
    const owner = await app.make.user(root, { password: PASSWORD });
    const call = await as(owner, 'ads-root.test');
    const saved = await call('PUT', '/leadspeek/simplifi/minvaluesimplifi', {
      minimum_bid: '2.00',
      minimum_daily: '5.00',
      platform_share: '10',
    });
    expect(saved.body.data).toEqual({
      minimum_bid: '2.00',
      minimum_daily: '5.00',
      minimum_monthly: '0.00',
      platform_share: '10',
    });
    const own = await as(clientUser);
    expect((await own('GET', '/leadspeek/simplifi/minvaluesimplifi')).body).toMatchObject({
      minimum_bid: '2.00',
      platform_share: null,
    });
    expect((await own('PUT', '/leadspeek/simplifi/minvaluesimplifi', { minimum_bid: '0' })).status).toBe(403);
    const low = await own('POST', '/leadspeek/simplifi', fields({ maxBid: '1.99' }));
    expect(low.body.errors).toEqual({ maxBid: ['must be at least $2.00'] });
    await app.make.adTerms(root, { minimum_bid_micros: 0n, minimum_daily_micros: 0n, share_bp: 0 });
  });

  test('remaining budget, the check of an increase, and the charge by remaining days', async () => {
    const { id } = await app.make.adCampaign(client, {
      max_bid_micros: 5n * USD,
      daily_micros: 10n * USD,
      monthly_micros: 200n * USD,
      balance: 50n * USD,
      platform: 'sandbox',
    });
    const own = await as(clientUser);
    // March 10: 22 days are left, and the month allows only 20 times the day.
    expect((await own('GET', `/leadspeek/simplifi/remaining-budget/${id}`)).body).toEqual({
      day_micros: 10_000_000,
      month_micros: 200_000_000,
      total_micros: null,
      balance_micros: 50_000_000,
      remaining_micros: 10_000_000,
      remainingDays: 22,
      due_micros: 150_000_000,
    });
    const check = (body: object) =>
      own('POST', '/leadspeek/simplifi/check-budget-increase', { leadspeekID: id, ...body });
    expect((await check({ dailyBudget: '20', monthlyBudget: '600' })).body).toMatchObject({
      is_increase: true,
      allowed: true,
      daily_increase_micros: 10_000_000,
      due_micros: 390_000_000,
    });
    expect((await check({ dailyBudget: '201' })).body).toMatchObject({
      allowed: false,
      reason: 'monthly_budget: must be at least the daily budget, $201.00',
    });
    const charge = (amount: string, key = 'remaining-1') =>
      own('POST', '/leadspeek/simplifi/charge-campaign-by-remaining-days', {
        leadspeekID: id,
        amount,
        idempotencyKey: key,
      });
    expect((await charge('149.99')).body.errors).toEqual({ amount: ['is not the current one'] });
    const paid = await charge('150.00');
    expect(paid.body).toMatchObject({ result: 'success', balance_micros: 200_000_000 });
    // The same click again buys nothing more, and another finds nothing due.
    expect((await charge('150.00')).body).toMatchObject({ result: 'success', balance_micros: 200_000_000 });
    expect((await charge('150.00', 'remaining-2')).body.errors).toEqual({ amount: ['is not due'] });
  });

  test('[BEY-30] what an outside platform may already have spent is not refunded before it has reported', async () => {
    const { id, creativeId } = await app.make.adCampaign(client, {
      max_bid_micros: 5n * USD,
      daily_micros: 10n * USD,
      monthly_micros: 200n * USD,
      platform: 'simplifi',
    });
    const own = await as(clientUser);
    const bought = await own('POST', '/leadspeek/simplifi/charge-campaign-by-remaining-days', {
      leadspeekID: id,
      amount: '200.00',
      idempotencyKey: 'kept-back-1',
    });
    expect(bought.body).toMatchObject({ result: 'success', balance_micros: 200_000_000 });
    const left = async () =>
      (await (await as(agencyUser))('GET', `/leadspeek/client/remaining-balance/${id}`)).body;
    const refund = async (amount: string) =>
      (await as(agencyUser))('POST', '/leadspeek/client/refund', {
        leadspeekID: id,
        amount,
        idempotencyKey: `kept-back-${amount}`,
      });
    // Not there yet, so it cannot have spent anything.
    expect(await left()).toMatchObject({ refundable_micros: 200_000_000, kept_micros: 0 });
    const told = { daily_micros: 10n * USD, monthly_micros: 100n * USD, total_micros: null };
    await root_((tx) =>
      app.features.adCampaigns.spending.tell(
        tx,
        id,
        { ...told, markup_bp: 0, share_bp: 0 },
        app.clock.now().toISOString().slice(0, 10),
        true,
      ),
    );
    expect(await left()).toMatchObject({ refundable_micros: 190_000_000, kept_micros: 10_000_000 });
    app.clock.advance(86_400_000);
    await app.admin.query(`update campaign set state = 'paused', updated_at = $2 where id = $1`, [
      id,
      app.clock.now(),
    ]);
    expect(await left()).toMatchObject({ refundable_micros: 180_000_000, kept_micros: 20_000_000 });
    const refused = await refund('185.00');
    expect([refused.status, refused.body.errors]).toEqual([
      409,
      { amount: [expect.stringContaining('$20.00 is kept until the ads of the last days are billed')] },
    ]);
    const day = app.clock.now().toISOString().slice(0, 10);
    const report = { day, creativeId, impressions: 1000, clicks: 0, mediaMicros: 6n * USD };
    await root_((tx) => app.features.adCampaigns.spending.chargeReported(tx, id, 'simpli.fi', [report]));
    expect(await left()).toMatchObject({ balance_micros: 194_000_000, kept_micros: 14_000_000 });
    app.clock.advance(4 * 86_400_000);
    expect(await left()).toMatchObject({ refundable_micros: 194_000_000, kept_micros: 0 });
    expect((await refund('194.00')).body).toMatchObject({ result: 'success' });
  });
});

describe('[SIMP-01] what ads spend', () => {
  const wanted = (creativeId: string, mostMicros: bigint, lastsMs = 60_000) => ({
    id: newId(app.clock.now()),
    creativeId,
    place: 'news.example.com',
    mostMicros,
    lastsMs,
    viewer: null,
  });
  const spending = () => app.features.adCampaigns.spending;
  type Billed = Parameters<ReturnType<typeof spending>['bill']>;
  const billOf = (
    tx: Billed[0],
    campaignId: string,
    notices: readonly Omit<Billed[1][number], 'campaignId'>[],
  ) =>
    spending().bill(
      tx,
      notices.map((notice) => ({ ...notice, campaignId })),
    );
  /** Noon in the zone of the clients (Chicago), so that pacing is not what ends a test. */
  const atTheEndOfTheDay = () => {
    const now = app.clock.now();
    const end = new Date(`${now.toISOString().slice(0, 10)}T04:30:00Z`);
    app.clock.advance(end.getTime() + 86_400_000 - now.getTime());
  };

  test('is posted to the micro-dollar: client, agency, platform, and supplier', async () => {
    await app.make.adTerms(root, { share_bp: 1_000 });
    const made = await app.make.adCampaign(client, {
      markup_bp: 2_500,
      balance: 10n * USD,
      platform: 'sandbox',
    });
    const ids = [1, 2, 3].map(() => wanted(made.creativeId, 5_000n));
    await root_(async (tx) => {
      expect((await spending().hold(tx, made.id, ids)).size).toBe(3);
      const outcomes = await billOf(tx, made.id, [
        { id: ids[0]!.id, mediaMicros: 1_234n, isViewable: true },
        { id: ids[1]!.id, mediaMicros: 1_000n, isViewable: false },
        { id: ids[2]!.id, mediaMicros: 4_000n, isViewable: false },
      ]);
      // 4,000 and 10 percent and 25 percent of that is more than was bid.
      expect([...outcomes.values()]).toEqual(['billed', 'billed', 'above']);
    });
    await root_((tx) => spending().post(tx, made.id));
    // 1,234: share 124, price 1,697.5 rounded up. 1,000: share 100, price 1,375.
    expect(await spendOf(made.id)).toEqual({ events: 1, price: 3_073n, wholesale: 2_458n, supplier: 2_234n });
    expect(await adRow(made.id)).toMatchObject({
      spent_micros: 3073n,
      held_micros: 5000n,
      unposted_micros: 0n,
    });
    expect(await root_((tx) => spending().post(tx, made.id))).toBeNull();
    await app.make.adTerms(root, { share_bp: 0 });
  });

  test('what an outside platform spent that no balance covers is the agency’s to pay, once', async () => {
    const made = await app.make.adCampaign(client, { balance: 0n, platform: 'simplifi' });
    const day = app.clock.now().toISOString().slice(0, 10);
    const told = { daily_micros: USD, monthly_micros: USD, total_micros: null, markup_bp: 0, share_bp: 0 };
    await root_((tx) => spending().tell(tx, made.id, told, day, true));
    const reports = [
      {
        day,
        creativeId: made.creativeId,
        impressions: 10,
        clicks: 0,
        mediaMicros: 5_000n,
      },
    ];
    for (let n = 0; n < 2; n++)
      expect(await root_((tx) => spending().chargeReported(tx, made.id, 'simpli.fi', reports))).toBe(0n);
    expect(await spendOf(made.id)).toEqual({ events: 1, price: 0n, wholesale: 5_000n, supplier: 5_000n });
  });

  test('notices that come twice, late, or never cost nothing more', async () => {
    const made = await app.make.adCampaign(client, { balance: 10n * USD, platform: 'sandbox' });
    const [twice, late, never] = [1, 2, 3].map(() => wanted(made.creativeId, 5_000n));
    await root_((tx) => spending().hold(tx, made.id, [twice!, late!, never!]));
    const bill = (id: string) =>
      root_(async (tx) =>
        (await billOf(tx, made.id, [{ id, mediaMicros: 2_000n, isViewable: true }])).get(id),
      );
    expect(await Promise.all([bill(twice!.id), bill(twice!.id)]).then((all) => all.sort())).toEqual([
      'billed',
      'repeated',
    ]);
    app.clock.advance(61_000);
    expect(await bill(late!.id)).toBe('late');
    expect(await spending().expire(root.id)).toBeGreaterThanOrEqual(2);
    expect(await bill(never!.id)).toBe('late');
    expect(await bill(newId(app.clock.now()))).toBe('unknown');
    expect(await adRow(made.id)).toMatchObject({ spent_micros: 2000n, held_micros: 0n });
    await root_((tx) => spending().post(tx, made.id));
    expect((await spendOf(made.id)).price).toBe(2_000n);
  });

  test('notices of several campaigns are billed together, each to its own', async () => {
    const [one, two] = await Promise.all(
      [0, 2_500].map((markup_bp) =>
        app.make.adCampaign(client, { markup_bp, balance: USD, platform: 'sandbox' }),
      ),
    );
    const [first, second, astray] = [one!, two!, two!].map(({ creativeId }) => wanted(creativeId, 5_000n));
    const outcomes = await root_(async (tx) => {
      await spending().hold(tx, one!.id, [first!]);
      await spending().hold(tx, two!.id, [second!, astray!]);
      const notice = { mediaMicros: 2_000n, isViewable: true };
      return spending().bill(tx, [
        { id: second!.id, campaignId: two!.id, ...notice },
        { id: first!.id, campaignId: one!.id, ...notice },
        // Not an impression of this campaign.
        { id: astray!.id, campaignId: one!.id, ...notice },
        { id: first!.id, campaignId: one!.id, ...notice },
      ]);
    });
    expect([first, second, astray].map((each) => outcomes.get(each!.id))).toEqual([
      'billed',
      'billed',
      'unknown',
    ]);
    expect(await adRow(one!.id)).toMatchObject({ spent_micros: 2000n, held_micros: 0n });
    expect(await adRow(two!.id)).toMatchObject({ spent_micros: 2500n, held_micros: 5000n });
  });

  test('what a balance no longer covers is waived, and the campaign stops', async () => {
    const made = await app.make.adCampaign(client, { balance: 10_000n, platform: 'sandbox' });
    const ids = [1, 2].map(() => wanted(made.creativeId, 5_000n));
    await root_(async (tx) => {
      await spending().hold(tx, made.id, ids);
      await billOf(
        tx,
        made.id,
        ids.map(({ id }) => ({ id, mediaMicros: 5_000n, isViewable: true })),
      );
    });
    // The agency refunds part of it in the meantime.
    const agencyOwner = { ...made.owner, company_id: agency.id };
    await root_((tx) =>
      app.features.ledger.post(
        tx,
        [
          {
            owner: made.owner,
            kind: 'prepaid_refund',
            referenceId: null,
            campaignId: made.id,
            key: `refund-${made.id}`,
            entries: [
              {
                account: { owner: made.owner, kind: 'client_prepaid', campaignId: made.id },
                amount: -4_000n,
              },
              { account: { owner: agencyOwner, kind: 'card_clearing' }, amount: 4_000n },
            ],
          },
        ],
        app.clock.now(),
      ),
    );
    await root_((tx) => spending().post(tx, made.id));
    expect((await spendOf(made.id)).price).toBe(5_000n);
    expect(await adRow(made.id)).toMatchObject({ spent_micros: 5000n, unposted_micros: 0n });
    const { rows } = await app.admin.query('select state, state_reason from campaign where id = $1', [
      made.id,
    ]);
    expect(rows[0]).toEqual({ state: 'paused', state_reason: 'balance_empty' });
  });

  test('what is being promised is not refunded at the same time', async () => {
    const made = await app.make.adCampaign(client, {
      max_bid_micros: 5n * USD,
      daily_micros: 1_000n * USD,
      monthly_micros: 1_000n * USD,
      platform: 'house',
    });
    const own = await as(clientUser);
    const { body } = await own('POST', '/leadspeek/simplifi/charge-campaign-by-remaining-days', {
      leadspeekID: made.id,
      amount: '1000.00',
      idempotencyKey: `promised-${made.id}`,
    });
    expect(body).toMatchObject({ result: 'success' });
    const agencyCall = await as(agencyUser);
    const [held, asked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = root_(async (tx) => {
      expect((await spending().hold(tx, made.id, [wanted(made.creativeId, 20n * USD)])).size).toBe(1);
      held.resolve();
      await asked.promise;
    });
    await held.promise;
    let isOver = false;
    const refund = agencyCall('POST', '/leadspeek/client/refund', {
      leadspeekID: made.id,
      amount: '1000.00',
      idempotencyKey: `all-${made.id}`,
    }).finally(() => {
      isOver = true;
    });
    // Either it has been answered, or it waits for what is being promised.
    for (let waits = false; !waits && !isOver; )
      waits = (await app.admin.query('select from pg_locks where not granted')).rows.length > 0;
    asked.resolve();
    await holding;
    const refused = await refund;
    expect([refused.status, refused.body.errors]).toEqual([
      409,
      { amount: [expect.stringContaining('$20.00 is kept until the ads of the last days are billed')] },
    ]);
  });

  describe('[BEY-03] and limits', () => {
    const limit = async (
      subject: 'wallet' | 'client' | 'campaign',
      subjectID: string,
      hard: string | null,
      by = clientUser,
    ) => {
      const body = { subject, subjectID, period: 'day', hard, soft: null };
      expect((await (await as(by))('PUT', '/ledger/caps', body)).status).toBe(200);
    };
    const hold = async (made: { id: string; creativeId: string }, count: number): Promise<string[]> => {
      const asked = Array.from({ length: count }, () => wanted(made.creativeId, 4_000n));
      return root_(async (tx) => [...(await spending().hold(tx, made.id, asked))]);
    };
    const bill = (id: string, held: readonly string[]) =>
      root_((tx) =>
        billOf(
          tx,
          id,
          held.map((each) => ({ id: each, mediaMicros: 4_000n, isViewable: true, isPromised: true })),
        ),
      );
    const stateOf = async (id: string) =>
      (await app.admin.query('select state, state_reason as reason from campaign where id = $1', [id]))
        .rows[0];
    const resume = () => app.features.campaigns.resumeCapped(root.id);
    beforeEach(() => atTheEndOfTheDay());

    test('what was shown before a limit was lowered is sold, however often, and the limit stops the campaign', async () => {
      const made = await app.make.adCampaign(client, { balance: USD, platform: 'house' });
      for (let round = 1; round <= 3; round++) {
        await limit('campaign', made.id, '10.00');
        await resume();
        expect(await stateOf(made.id)).toEqual({ state: 'active', reason: null });
        const held = await hold(made, 5);
        expect(held).toHaveLength(5);
        await bill(made.id, held);
        await limit('campaign', made.id, '0.01');
        expect(await hold(made, 1)).toHaveLength(0);
        await spending().postAll(root.id);
        expect((await spendOf(made.id)).price).toBe(BigInt(round) * 20_000n);
        expect(await stateOf(made.id)).toEqual({ state: 'paused', reason: 'cap_campaign' });
        expect(await adRow(made.id)).toMatchObject({ unposted_micros: 0n, held_micros: 0n });
        await resume();
        expect(await stateOf(made.id)).toEqual({ state: 'paused', reason: 'cap_campaign' });
      }
    });

    test('of a wallet that is lowered likewise do not spare the agency its part: it owes it', async () => {
      const [host, email] = ['ads-wallet.test', 'boss@ads-wallet.test'];
      const owner = await app.make.agency(root, { host });
      const boss = await app.make.user(owner, { email, password: PASSWORD });
      await app.make.setUp(owner, boss.id);
      await root_((tx) =>
        app.features.wallet.topUp(
          tx,
          { rootId: root.id, agencyId: owner.id, amountMicros: 10n * USD, key: 'one' },
          app.clock.now(),
        ),
      );
      const own = await app.make.client(owner);
      const made = await app.make.adCampaign(own, { balance: USD, platform: 'sandbox' });
      const held = await hold(made, 5);
      await bill(made.id, held);
      const token = await app.signIn(email, host);
      const body = { subject: 'wallet', subjectID: owner.id, period: 'day', hard: '0.01', soft: null };
      expect((await app.call('PUT', '/api/ledger/caps', { host, token, body })).status).toBe(200);
      await spending().postAll(root.id);
      expect(await spendOf(made.id)).toEqual({
        events: 2,
        price: 20_000n,
        wholesale: 20_000n,
        supplier: 20_000n,
      });
      const { rows } = await app.admin.query(
        `select a.kind, coalesce(sum(e.amount), 0)::bigint as amount from account a join entry e on e.account_id = a.id
         join transfer t on t.id = e.transfer_id and t.kind = 'ad_spend'
         where a.company_id = $1 and a.kind in ('agency_wallet', 'agency_payable') group by 1 order by 1`,
        [owner.id],
      );
      expect(rows).toEqual([
        { kind: 'agency_payable', amount: -12_000n },
        { kind: 'agency_wallet', amount: -8_000n },
      ]);
      expect(await stateOf(made.id)).toEqual({ state: 'paused', reason: 'cap_wallet' });
    });

    test('leave no more to show than what is neither spent, nor promised, nor waits to be posted', async () => {
      const made = await app.make.adCampaign(client, { balance: USD, platform: 'house' });
      await limit('campaign', made.id, '0.01');
      const held = await hold(made, 3);
      expect(held).toHaveLength(2);
      await bill(made.id, held.slice(0, 1));
      expect(await hold(made, 1)).toHaveLength(0);
      const lease = () =>
        root_((tx) =>
          spending().lease(tx, made.id, {
            micros: 100_000n,
            least: 1n,
            until: new Date(app.clock.now().getTime() + 1_000),
            lastsMs: 1_000,
          }),
        );
      expect((await lease())?.micros).toBe(2_000n);
      expect(await lease()).toBeNull();
      await bill(made.id, held.slice(1));
      await spending().postAll(root.id);
      expect(await stateOf(made.id)).toEqual({ state: 'paused', reason: 'cap_campaign' });
      expect((await spendOf(made.id)).price).toBe(8_000n);
    });

    test('of a client hold for all its campaigns together, at once', async () => {
      const made = await Promise.all(
        [1, 2, 3, 4].map(() => app.make.adCampaign(client, { balance: USD, platform: 'house' })),
      );
      const idle = await app.make.adCampaign(client, { balance: USD, platform: 'house' });
      await limit('client', client.id, '0.05');
      const rounds = async (one: (typeof made)[number]) => {
        for (let round = 0; round < 5; round++) {
          await bill(one.id, await hold(one, 2));
          await root_((tx) => spending().post(tx, one.id));
        }
      };
      await Promise.all(made.map(rounds));
      await spending().postAll(root.id);
      const sold = async () => {
        let sum = 0n;
        for (const { id } of made) sum += BigInt((await spendOf(id)).price);
        return sum;
      };
      expect(await sold()).toBe(48_000n);
      for (const { id } of [...made, idle])
        expect(await stateOf(id)).toEqual({ state: 'paused', reason: 'cap_client' });
      // What waits in several of them is sold whatever the limit has become.
      await limit('client', client.id, '10.00');
      await resume();
      for (const one of made) await bill(one.id, await hold(one, 5));
      await limit('client', client.id, '0.01');
      await Promise.all(made.map(({ id }) => root_((tx) => spending().post(tx, id))));
      expect(await sold()).toBe(48_000n + 4n * 20_000n);
    });
  });

  test('a new day in the campaign’s zone brings a new budget, and notices count for the day of their auction', async () => {
    atTheEndOfTheDay();
    const made = await app.make.adCampaign(client, {
      daily_micros: 10_000n,
      balance: USD,
      platform: 'sandbox',
    });
    const hold = (count: number) =>
      root_((tx) =>
        spending().hold(
          tx,
          made.id,
          Array.from({ length: count }, () => wanted(made.creativeId, 5_000n, 7_200_000)),
        ),
      );
    const before = await hold(3);
    expect(before.size).toBe(2);
    // 11:30 p.m. in Chicago becomes 0:10 a.m.
    app.clock.advance(40 * 60_000);
    await root_((tx) =>
      billOf(
        tx,
        made.id,
        [...before].map((id) => ({ id, mediaMicros: 5_000n, isViewable: true })),
      ),
    );
    // Ten minutes and an hour of head start are 5 percent of the day: nothing yet.
    expect((await hold(3)).size).toBe(0);
    app.clock.advance(11 * 3_600_000);
    expect((await hold(3)).size).toBe(1);
    const { rows } = await app.admin.query(
      'select spent_micros, held_micros from ad_day where campaign_id = $1 order by day',
      [made.id],
    );
    expect(rows).toEqual([
      { spent_micros: 10000n, held_micros: 0n },
      { spent_micros: 0n, held_micros: 5000n },
    ]);
  });

  test('parallel workers never spend a cent above the day, the month, the flight, or the balance', async () => {
    atTheEndOfTheDay();
    const cases = [
      { daily_micros: 40_000n, monthly_micros: 10n * USD, total_micros: null, balance: USD, most: 40_000n },
      { daily_micros: USD, monthly_micros: USD, total_micros: 33_000n, balance: USD, most: 33_000n },
      { daily_micros: USD, monthly_micros: USD, total_micros: null, balance: 27_001n, most: 27_001n },
    ];
    for (const { most, ...given } of cases) {
      const made = await app.make.adCampaign(client, {
        ...given,
        max_bid_micros: 4_000_000n,
        platform: 'sandbox',
      });
      let seed = 17;
      const random = (below: number) => {
        seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
        return seed % below;
      };
      const worker = async () => {
        for (let round = 0; round < 5; round++) {
          const asked = Array.from({ length: 1 + random(4) }, () =>
            wanted(made.creativeId, BigInt(1_000 + random(3_000))),
          );
          const got = await root_((tx) => spending().hold(tx, made.id, asked));
          const won = asked.filter(({ id }) => got.has(id));
          const lost = won.slice(0, random(2));
          const rest = won.slice(lost.length);
          await root_((tx) =>
            spending().lose(
              tx,
              made.id,
              lost.map(({ id }) => id),
            ),
          );
          const notices = rest.map(({ id, mostMicros }) => ({
            id,
            mediaMicros: mostMicros,
            isViewable: true,
          }));
          // Every notice arrives twice, at once.
          await Promise.all([1, 2].map(() => root_((tx) => billOf(tx, made.id, notices))));
          await root_((tx) => spending().post(tx, made.id));
        }
      };
      await Promise.all([worker(), worker(), worker(), worker()]);
      const row = await adRow(made.id);
      const { rows } = await app.admin.query(
        `select coalesce(sum(price_micros) filter (where state = 'billed'), 0)::bigint as spent,
                coalesce(sum(held_micros) filter (where state = 'held'), 0)::bigint as held from ad_impression where campaign_id = $1`,
        [made.id],
      );
      // The counters are the sums of what they count, and the ledger has all of it.
      expect(rows[0]).toEqual({ spent: row.spent_micros, held: row.held_micros });
      expect((await spendOf(made.id)).price).toBe(BigInt(row.spent_micros));
      expect(BigInt(row.spent_micros) + BigInt(row.held_micros)).toBeLessThanOrEqual(most);
      expect(BigInt(row.spent_micros)).toBeGreaterThan(most / 2n);
    }
  });
});

describe('[SIMP-04] creatives', () => {
  const upload = async (
    who: { email: string },
    campaignId: string,
    file: Buffer,
    more: Record<string, string> = {},
  ) => {
    const token = await app.signIn(who.email, HOST);
    const form = new FormData();
    const texts = {
      leadspeekID: campaignId,
      name: 'Banner',
      alt_text: 'Tents',
      click_url: 'https://shop.example.com/',
      ...more,
    };
    for (const [name, value] of Object.entries(texts)) form.set(name, value);
    form.set('file', new Blob([new Uint8Array(file)]), 'banner.png');
    const request = new Request('http://x', { method: 'POST', body: form });
    const response = await app.server.inject({
      method: 'POST',
      url: '/api/ads/creatives',
      headers: {
        host: HOST,
        'user-agent': 'test',
        authorization: `Bearer ${token}`,
        'content-type': request.headers.get('content-type')!,
      },
      payload: Buffer.from(await request.arrayBuffer()),
    });
    return { status: response.statusCode, body: response.json() };
  };
  const image = (width: number, height: number) => createCanvas(width, height).toBuffer('image/png');

  test('an image in the size of an ad is kept as its pixels; anything else is refused', async () => {
    const { id } = await app.make.adCampaign(client);
    const added = await upload(clientUser, id, image(728, 90));
    expect(added.body.data).toMatchObject({ width: 728, height: 90, alt_text: 'Tents', status: 'active' });
    // One pixel in GIF, and a script with a name that says image.
    const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
    expect((await upload(clientUser, id, gif)).body.errors.file[0]).toMatch(/^is 1x1 pixels/);
    expect((await upload(clientUser, id, Buffer.from('<script>'))).body.errors).toEqual({
      file: ['must be a PNG, JPEG, GIF, WebP, or SVG image'],
    });
    expect((await upload(clientUser, id, image(300, 251))).body.errors.file[0]).toMatch(/^is 300x251 pixels/);
    expect(
      (await upload(clientUser, id, image(300, 250), { click_url: 'http://shop.example.com' })).body.errors,
    ).toEqual({
      click_url: ['must be a URL that starts with https://'],
    });
    expect(
      (await upload(clientUser, id, image(300, 250), { alt_text: 'x'.repeat(126) })).body.errors,
    ).toEqual({
      alt_text: ['must not exceed 125 characters'],
    });
    expect((await upload(clientUser, id, Buffer.alloc(0))).body.errors).toEqual({ file: ['is empty'] });
    const own = await as(clientUser);
    const creative = added.body.data.id;
    expect((await own('PUT', `/ads/creatives/${creative}`, { status: 'removed' })).status).toBe(200);
    expect((await own('GET', `/ads/creatives?leadspeekID=${id}`)).body.data).toHaveLength(1);
    expect((await own('PUT', `/ads/creatives/${creative}`, { status: 'active' })).status).toBe(404);
  });
});
