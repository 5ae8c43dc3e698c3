import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import { BROWSER, type Company, type MadeCampaign } from '../../../test/factories.ts';
import { COUNTED } from '../ad-audiences/index.ts';
import { clickOf } from './policy.ts';

const HOST = 'attribution.test';
const USD = 1_000_000n;
const HOUR = 3_600_000;
const SHOP = 'https://shop.example.com/';
let app: TestApp;
let root: Company;
let agency: Company;
let client: Company;
let owner: { email: string };
let site: MadeCampaign;
let zone: { key: string };
let serial = 0;

beforeAll(async () => {
  // What these tests show, they show with a few people.
  Object.assign(COUNTED, { least: 0, step: 1, people: 0 });
  app = await testApp();
  root = await app.make.root({ host: 'attribution-root.test', isMaster: true });
  agency = await app.make.agency(root, { host: HOST });
});
afterAll(async () => {
  expect(app.greedy).toEqual([]);
  await app.close();
});
beforeEach(async () => {
  client = await app.make.client(agency);
  const user = await app.make.user(client, { password: PASSWORD });
  owner = user;
  site = await app.make.campaign(client, { siteUrl: SHOP });
  zone = await app.make.adZone(client, { cpm: 2n * USD });
  app.clock.advance(HOUR);
  await app.features.visits.keepPartitions(2);
});

const ads = async (more: object = {}) => {
  const made = await app.make.adCampaign(client, { name: 'Tents', balance: 10n * USD, ...more });
  app.features.adServing.house.forget();
  return made;
};
const send = (method: 'GET' | 'POST', url: string, ip: string, body?: object) =>
  app.server.inject({
    method,
    url,
    remoteAddress: ip,
    headers: { host: HOST, origin: 'https://news.example.com', 'user-agent': BROWSER },
    ...(body ? { payload: JSON.stringify(body) } : {}),
  });
const nextIp = () => `67.8.${(serial >> 8) & 255}.${serial++ & 255}`;
/** Sees an ad of the zone, and clicks it or not. Returns where the click leads. */
async function see(ip: string, clicks: boolean): Promise<string> {
  const ad = (await send('POST', '/a/v1/serve', ip, { z: zone.key })).json();
  expect((await send('POST', '/a/v1/view', ip, { t: ad.t })).statusCode).toBe(204);
  return clicks ? String((await send('GET', ad.c, ip)).headers.location) : '';
}
async function person() {
  const one = app.make.person();
  await app.make.people(root, [one]);
  return one.email;
}
const resolve = () => app.features.leads.resolver.resolveAll();
const call = async (path: string) =>
  app.call('GET', `/api${path}`, { host: HOST, token: await app.signIn(owner.email, HOST) });
const report = async (id: string, by = 'campaign') =>
  (await call(`/ads/report?leadspeekID=${id}&by=${by}`)).body as unknown as {
    total: Record<string, number>;
    data: Record<string, number | string | null>[];
  };
const journeyOf = async (email: string) => {
  const { rows } = await app.admin.query('select lead_id from lead_contact where email = $1', [email]);
  return (await call(`/leadspeek/report/lead/${rows[0].lead_id}/journey`)).body.data as unknown as Record<
    string,
    unknown
  >[];
};

test('[BEY-26] the id of a click is read from an address, and nothing else is', () => {
  const id = '01990000-0000-7000-8000-000000000001';
  expect(clickOf(`${SHOP}?a=1&adclid=${id}#x`)).toBe(id);
  for (const url of [
    null,
    SHOP,
    `${SHOP}?adclid=1`,
    `${SHOP}?xadclid=${id}`,
    `not a url adclid=${id}`,
    `${SHOP}?adclid=${id}' or 1=1`,
  ])
    expect(clickOf(url)).toBeNull();
});

describe('[BEY-26] from a click to a lead', () => {
  test('a click becomes a visit and a lead with the ad in its journey, and the report has its cost', async () => {
    const made = await ads();
    const ip = nextIp();
    const target = await see(ip, true);
    await see(nextIp(), false);
    const email = await person();
    const visitorId = crypto.randomUUID();
    app.clock.advance(60_000);
    await app.make.visit(site, { url: target, visitorId, ip });
    await resolve();
    app.clock.advance(60_000);
    await app.make.visit(site, { url: `${SHOP}signup`, visitorId, ip, email });
    await resolve();
    await app.features.adCampaigns.spending.postAll(root.id);
    const { total, data } = await report(made.id);
    expect(total).toMatchObject({
      impressions: 2,
      viewable: 2,
      clicks: 1,
      visits: 1,
      leads: 1,
      view_leads: 0,
      spend_micros: 4_000,
      cost_micros: null,
      ctr: 50,
      cost_per_lead_micros: 4_000,
    });
    expect(data).toMatchObject([{ key: made.id, name: 'Tents', platform: 'house' }]);
    expect((await report(made.id, 'place')).data).toMatchObject([{ name: 'news.example.com', leads: 1 }]);
    expect((await report(made.id, 'creative')).data).toMatchObject([{ key: made.creativeId, clicks: 1 }]);
    // Where a visitor of a site is, no one knows.
    expect((await report(made.id, 'state')).data).toMatchObject([
      { key: '', name: 'Not known', impressions: 2, clicks: 1, visits: 1, leads: 1, spend_micros: 4_000 },
    ]);
    for (const by of ['day', 'hour'])
      expect((await report(made.id, by)).data.reduce((sum, row) => sum + Number(row.leads), 0)).toBe(1);
    expect(await journeyOf(email)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'ad_click', note: 'Tents', destination: 'news.example.com' }),
        expect.objectContaining({ kind: 'lead' }),
      ]),
    );
    const stats = await call(`/leadspeek/simplifi/stats?campaign_ids=${made.id}`);
    expect(stats.body.data).toMatchObject([
      { leadspeekID: made.id, day: '2026-03-10', leads: 1, platform: 'house' },
    ]);
  });

  test('a reload is no second visit, a made-up click none, and a click of another client’s ad none', async () => {
    const made = await ads();
    const target = await see(nextIp(), true);
    const neighbor = await app.make.client(agency);
    const other = await app.make.campaign(neighbor, { siteUrl: SHOP });
    await app.make.visit(other, { url: target });
    await app.make.visit(site, { url: `${SHOP}?adclid=${crypto.randomUUID()}` });
    await resolve();
    expect((await report(made.id)).total.visits).toBe(0);
    await app.make.visit(site, { url: target });
    await app.make.visit(site, { url: target });
    await resolve();
    expect((await report(made.id)).total.visits).toBe(1);
  });

  test('someone who only saw the ad is credited within the window that the client sets, and not after it', async () => {
    const made = await ads({ view_hours: 2 });
    const [soon, late] = [nextIp(), nextIp()];
    await see(soon, false);
    await see(late, false);
    const [first, second] = [await person(), await person()];
    app.clock.advance(HOUR);
    await app.make.visit(site, { url: SHOP, ip: soon, userAgent: BROWSER, email: first });
    await resolve();
    app.clock.advance(HOUR + 60_000);
    await app.make.visit(site, { url: SHOP, ip: late, userAgent: BROWSER, email: second });
    await resolve();
    expect((await report(made.id)).total).toMatchObject({ leads: 0, view_leads: 1 });
    // The number of the report opens its leads.
    const told = (await report(made.id)) as unknown as { startDate: string; endDate: string };
    const listed = async (query: string) =>
      ((await call(`/leadspeek/report/lead?${query}`)).body as unknown as { data: { email: string }[] }).data;
    const days = `ad_from=${told.startDate}&ad_to=${told.endDate}`;
    for (const query of [
      `ad_campaign_id=${made.id}&ad_way=view&${days}`,
      `ad_creative_id=${made.creativeId}&sortby=last_name`,
      `ad_campaign_id=${made.id}&ad_place=news.example.com`,
    ])
      expect((await listed(query)).map(({ email }) => email)).toEqual([first]);
    for (const query of [
      `ad_campaign_id=${made.id}&ad_way=click`,
      `ad_campaign_id=${made.id}&ad_to=2020-01-01`,
      `ad_campaign_id=${made.id}&ad_place=other.example.com`,
      `ad_campaign_id=${site.id}`,
    ])
      expect(await listed(query)).toEqual([]);
    expect((await journeyOf(first)).map(({ kind }) => kind)).toContain('ad_view');
    expect((await journeyOf(second)).map(({ kind }) => kind)).not.toContain('ad_view');
  });

  test('a click counts for as many days as the client sets', async () => {
    const made = await ads({ click_days: 1, view_hours: 0 });
    const target = await see(nextIp(), true);
    const visitorId = crypto.randomUUID();
    await app.make.visit(site, { url: target, visitorId });
    await resolve();
    app.clock.advance(25 * HOUR);
    await app.features.visits.keepPartitions(2);
    await app.make.visit(site, { url: SHOP, visitorId, email: await person() });
    await resolve();
    expect((await report(made.id)).total).toMatchObject({ visits: 1, leads: 0, view_leads: 0 });
  });

  test('by audience, each number is that of those who were in it, and opens to its campaigns and hours', async () => {
    const [inside, outside] = [nextIp(), nextIp()];
    const audience = await app.make.audience(client, { name: 'Customers', ips: [inside] });
    const aimed = await ads();
    await app.make.aim(aimed, [audience]);
    app.features.adServing.house.forget();
    const target = await see(inside, true);
    expect((await send('POST', '/a/v1/serve', outside, { z: zone.key })).statusCode).toBe(204);
    await app.admin.query(`update campaign set state = 'paused' where id = $1`, [aimed.id]);
    const open = await ads({ name: 'Everyone' });
    await see(outside, false);
    app.clock.advance(60_000);
    await app.make.visit(site, { url: target, ip: inside });
    await resolve();
    const all = (await call('/ads/report?by=audience')).body as unknown as Awaited<ReturnType<typeof report>>;
    expect(all.total).toMatchObject({ impressions: 2, clicks: 1, visits: 1 });
    expect(all.data).toHaveLength(2);
    expect(all.data).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ key: audience, name: 'Customers', impressions: 1, clicks: 1, visits: 1 }),
        expect.objectContaining({ key: '', name: 'No audience', impressions: 1, clicks: 0 }),
      ]),
    );
    const within = async (by: string, of: string) => (await call(`/ads/report?by=${by}&${of}`)).body;
    expect(await within('campaign', `within=audience&key=${audience}`)).toMatchObject({
      total: { impressions: 1, clicks: 1, visits: 1 },
      data: [{ key: aimed.id }],
    });
    expect(await within('campaign', 'within=audience&key=')).toMatchObject({ data: [{ key: open.id }] });
    expect(await within('hour', `within=audience&key=${audience}`)).toMatchObject({ data: [{ clicks: 1 }] });
    expect(await within('place', `within=creative&key=${open.creativeId}`)).toMatchObject({
      total: { impressions: 1 },
      data: [{ key: 'news.example.com' }],
    });
    // Only what there are sums of.
    for (const [query, errors] of [
      [
        `by=creative&within=audience&key=${audience}`,
        { by: ['must be campaign, day, or hour within one audience'] },
      ],
      [
        'by=state&within=place&key=news.example.com',
        { by: ['must be campaign, day, or hour within one place'] },
      ],
      ['within=state', { key: ['is required'] }],
      ['key=TX', { within: ['is required with a key'] }],
      ['within=moon&key=1', { within: [expect.any(String)] }],
    ] as const)
      expect((await call(`/ads/report?${query}`)).body.errors).toEqual(errors);
    // Nothing of another client, whatever is asked for.
    client = await app.make.client(agency);
    owner = await app.make.user(client, { password: PASSWORD });
    expect(await within('campaign', `within=audience&key=${audience}`)).toMatchObject({ data: [] });
  });

  test('reports and stats of other clients are not there, and spans are checked', async () => {
    const neighbor = await app.make.client(agency);
    const { id } = await app.make.adCampaign(neighbor);
    expect((await call(`/ads/report?leadspeekID=${id}`)).status).toBe(404);
    expect((await call(`/leadspeek/simplifi/stats?campaign_ids=${id}`)).status).toBe(404);
    expect((await call('/leadspeek/simplifi/stats?campaign_ids=')).status).toBe(422);
    expect((await call('/ads/report?startDate=2026-03-02&endDate=2026-03-01')).body.errors).toEqual({
      endDate: ['must not be before the start date'],
    });
    expect((await call('/ads/report?startDate=2020-01-01')).body.errors).toEqual({
      startDate: ['must not be more than 400 days before the last one'],
    });
  });
});
