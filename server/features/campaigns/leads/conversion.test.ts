import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inScope } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';

let app: TestApp;
let root: Company;
let agency: Company;
let client: Company;
let token: string;
const HOST = 'acme.test';
const THANKS = 'https://shop.example.com/thanks';
const USD = 1_000_000n;

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test' });
  agency = await app.make.agency(root, { host: HOST });
  client = await app.make.client(agency);
  await app.make.user(client, { email: 'client@x.test', password: PASSWORD });
  token = await app.signIn('client@x.test', HOST);
});
afterAll(() => app.close());

const known = async () => {
  const person = app.make.person();
  await app.make.people(root, [person]);
  return person;
};
const visit = async (campaign: MadeCampaign, given: Parameters<typeof app.make.visit>[1]) => {
  const id = await app.make.visit(campaign, given);
  await app.features.leads.resolver.resolveAll();
  const { rows } = await app.admin.query('select outcome from visit where event_id = $1', [id]);
  return rows[0].outcome as string;
};
const leads = async (campaign: MadeCampaign) =>
  (await app.call('GET', `/api/leadspeek/report/lead?leadspeekID=${campaign.id}`, { host: HOST, token })).body
    .data as { id: string; converted_at: string | null; price_micros: number }[];
const conversions = async (campaign: MadeCampaign): Promise<number> =>
  (
    await app.admin.query('select count(*)::int as n from campaign_conversion where campaign_id = $1', [
      campaign.id,
    ])
  ).rows[0].n;

describe('[CAMP-01] who reaches the thank-you page', () => {
  test('is no lead of it, then or later, and costs nothing', async () => {
    const campaign = await app.make.campaign(client, {
      thankYouUrl: THANKS,
      price: USD,
      balance: 5n * USD,
    });
    const person = await known();
    expect(await visit(campaign, { email: person.email, url: `${THANKS}?order=7` })).toBe('converted');
    expect(await visit(campaign, { email: person.email })).toBe('converted');
    expect(await visit(campaign, { email: person.email, url: THANKS })).toBe('converted');
    expect(await leads(campaign)).toEqual([]);
    expect(await conversions(campaign)).toBe(1);
    const other = await known();
    expect(await visit(campaign, { email: other.email })).toBe('lead');
  });

  test('is marked on the lead it was before, in the list and by itself, with the first time', async () => {
    const campaign = await app.make.campaign(client, { thankYouUrl: THANKS, reidentify: '1_week' });
    const person = await known();
    const visitorId = newId(app.clock.now());
    expect(await visit(campaign, { email: person.email, visitorId })).toBe('lead');
    expect(await leads(campaign)).toMatchObject([{ converted_at: null }]);
    const at = app.clock.now().toISOString();
    expect(await visit(campaign, { visitorId, event: 'thanks' })).toBe('converted');
    app.clock.advance(8 * 86_400_000);
    await app.features.visits.keepPartitions(2);
    token = await app.signIn('client@x.test', HOST);
    expect(await visit(campaign, { email: person.email, url: THANKS })).toBe('converted');
    expect(await visit(campaign, { email: person.email })).toBe('converted');
    const [lead] = await leads(campaign);
    expect(lead).toMatchObject({ converted_at: at });
    const { body } = await app.call('GET', `/api/leadspeek/report/lead/${lead!.id}`, { host: HOST, token });
    expect(body).toMatchObject({ converted_at: at });
  });

  test('in the same batch as the visit that made the lead, too', async () => {
    const campaign = await app.make.campaign(client, { thankYouUrl: THANKS });
    const person = await known();
    await app.make.visit(campaign, { email: person.email });
    app.clock.advance(1);
    await app.make.visit(campaign, { email: person.email, url: THANKS });
    await app.features.leads.resolver.resolveAll();
    expect(await leads(campaign)).toMatchObject([{ converted_at: app.clock.now().toISOString() }]);
  });

  test('may be a lead of another campaign, and a page of another campaign is none', async () => {
    const [one, two] = [
      await app.make.campaign(client, { thankYouUrl: THANKS }),
      await app.make.campaign(client),
    ];
    const person = await known();
    expect(await visit(one, { email: person.email, url: THANKS })).toBe('converted');
    expect(await visit(two, { email: person.email, url: THANKS })).toBe('lead');
  });

  test('is not written down when excluded, under a privacy signal, or recognized too weakly', async () => {
    const campaign = await app.make.campaign(client, { thankYouUrl: THANKS, min_confidence: 95 });
    const excluded = await known();
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.exclusions.addList(
        tx,
        {
          owner: campaign.owner,
          ownerId: campaign.id,
          level: 'campaign',
          name: 'x',
          lines: [excluded.email],
        },
        app.clock.now(),
      ),
    );
    expect(await visit(campaign, { email: excluded.email, url: THANKS })).toBe('excluded');
    const private_ = await known();
    expect(await visit(campaign, { email: private_.email, url: THANKS, gpc: true })).toBe('privacy_signal');
    const weak = await known();
    const visitorId = newId(app.clock.now());
    expect(await visit(campaign, { email: weak.email, visitorId })).toBe('lead');
    expect(await visit(campaign, { visitorId, url: THANKS })).toBe('low_confidence');
    expect(await conversions(campaign)).toBe(0);
  });
});

describe('[CAMP-05] the least number of pages', () => {
  test('makes a lead of the visit that reaches it: different pages, seen by one browser, in 30 days', async () => {
    const campaign = await app.make.campaign(client, { min_pages: 3, price: USD, balance: 5n * USD });
    const person = await known();
    const visitorId = newId(app.clock.now());
    const view = async (page: string, more = {}) => {
      app.clock.advance(1);
      return visit(campaign, {
        email: person.email,
        visitorId,
        url: `https://shop.example.com/${page}`,
        ...more,
      });
    };
    expect(await view('old')).toBe('few_pages');
    app.clock.advance(32 * 86_400_000);
    await app.features.visits.keepPartitions(2);
    token = await app.signIn('client@x.test', HOST);
    expect(await view('')).toBe('few_pages');
    expect(await view('?utm_source=mail#top')).toBe('few_pages');
    expect(await view('prices')).toBe('few_pages');
    // Another browser's pages, and events that are no page views, do not count.
    expect(await view('about', { visitorId: newId(app.clock.now()) })).toBe('few_pages');
    expect(await view('about', { visitorId: null })).toBe('few_pages');
    expect(await view('about', { event: 'identify' })).toBe('few_pages');
    expect(await leads(campaign)).toEqual([]);
    expect(await view('about')).toBe('lead');
    expect(await view('jobs')).toBe('seen_recently');
  });

  test('counts what was seen before a visit even if all are judged at once', async () => {
    const campaign = await app.make.campaign(client, { min_pages: 2 });
    const person = await known();
    const visitorId = newId(app.clock.now());
    for (const page of ['a', 'b', 'c']) {
      app.clock.advance(1);
      await app.make.visit(campaign, {
        email: person.email,
        visitorId,
        url: `https://shop.example.com/${page}`,
      });
    }
    await app.features.leads.resolver.resolveAll();
    const { rows } = await app.admin.query(
      'select outcome from visit where campaign_id = $1 order by received_at',
      [campaign.id],
    );
    expect(rows.map((row) => row.outcome)).toEqual(['few_pages', 'lead', 'seen_recently']);
  });

  test('no more than a thousand views of a browser are read, whoever made them', async () => {
    const campaign = await app.make.campaign(client, { min_pages: 2 });
    const other = await app.make.campaign(client);
    const flood = (visitorId: string, count: number) =>
      app.admin.query(
        `insert into visit (day, event_id, root_id, agency_id, company_id, campaign_id, received_at, visitor_id, resolved_at)
         select $1::timestamptz::date, gen_random_uuid(), $2, $3, $4, $5, $1, $6, $1 from generate_series(1, $7::int)`,
        [app.clock.now(), root.id, agency.id, client.id, other.id, visitorId, count],
      );
    const [few, many] = [newId(app.clock.now()), newId(app.clock.now())];
    await flood(few, 998);
    await flood(many, 1_000);
    app.clock.advance(86_400_000);
    await app.features.visits.keepPartitions(2);
    token = await app.signIn('client@x.test', HOST);
    for (const [visitorId, outcome] of [
      [few, 'lead'],
      [many, 'few_pages'],
    ] as const) {
      const { email } = await known();
      const view = (page: string) =>
        visit(campaign, { email, visitorId, url: `https://shop.example.com/${page}` });
      expect(await view('a')).toBe('few_pages');
      app.clock.advance(1);
      expect(await view('b')).toBe(outcome);
    }
  });

  test('is set, bounded, kept by other changes, shown to programs, and is for campaigns with a site only', async () => {
    const call = (method: 'POST' | 'PUT' | 'GET', path: string, body?: object) =>
      app.call(method, `/api${path}`, { host: HOST, token, ...(body ? { body } : {}) });
    const fields = { campaignName: 'Readers', urlCode: 'https://shop.example.com/', leadspeekType: 'local' };
    const refused = await call('POST', '/leadspeek/client/create', { ...fields, minPages: 21 });
    expect([refused.status, refused.body.errors]).toEqual([422, { minPages: ['must not exceed 20'] }]);
    const made = await call('POST', '/leadspeek/client/create', { ...fields, minPages: '3' });
    const { leadspeekID } = made.body.data as unknown as { leadspeekID: string };
    const changed = await call('PUT', '/leadspeek/client/update', {
      leadspeekID,
      campaignName: 'Close readers',
    });
    expect(changed.body.data).toMatchObject({ campaignName: 'Close readers', minPages: 3 });
    const search = await call('POST', '/leadspeek/client/create', {
      campaignName: 'Runners',
      leadspeekType: 'locator',
      locatorkeyword: 'running shoes',
      locationtarget: 'National Targeting',
      minPages: 3,
    });
    expect(search.body.data).toMatchObject({ minPages: 1 });
  });
});
