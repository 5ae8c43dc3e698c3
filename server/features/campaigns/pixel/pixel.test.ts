import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';

const HOST = 'acme.test';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
let app: TestApp;
let site: Server;
let address: string;
let page = '';
let client: Company;
let token: string;

beforeAll(async () => {
  site = createServer((_request, reply) => reply.setHeader('content-type', 'text/html').end(page));
  await new Promise<void>((done) => site.listen(0, '127.0.0.1', done));
  const { port } = site.address() as AddressInfo;
  address = `http://shop.localhost:${port}/`;
  app = await testApp({ outboundExceptions: [`shop.localhost:${port}`] });
  const agency = await app.make.agency(await app.make.root({ host: 'root.test' }), { host: HOST });
  client = await app.make.client(agency);
  await app.make.user(client, { email: 'client@x.test', password: PASSWORD });
});
afterAll(async () => {
  await app.close();
  site.close();
});
beforeEach(async () => {
  token = await app.signIn('client@x.test', HOST);
});

const call = (method: 'GET' | 'POST', path: string, body?: object) =>
  app.call(method, `/api/leadspeek${path}`, { host: HOST, token, ...(body ? { body } : {}) });
const check = ({ id }: MadeCampaign) => call('POST', '/client/check-embedded-code', { leadspeekID: id });
const report = async ({ id }: MadeCampaign) =>
  (await call('GET', `/client/embedded-code/${id}/report`)).body.report as unknown as Record<string, unknown>;

describe('[BEY-10] the report of a check', () => {
  it('says what was found, how the page was looked at, and what to paste, and is kept until the next', async () => {
    const campaign = await app.make.campaign(client, { siteUrl: address });
    expect(await report(campaign)).toBeNull();
    page = '<h1>Shop</h1>';
    const first = await check(campaign);
    expect(first.body).toMatchObject({ found: false, via: 'none', cause: 'missing', tone: 'bad' });
    expect(await report(campaign)).toMatchObject({
      cause: 'missing',
      way: 'read',
      why_read: 'off',
      checked_at: app.clock.now().toISOString(),
      fixes: [
        { label: 'Paste before </head>', code: expect.stringContaining(`/p/v1/${campaign.siteKey}.js`) },
      ],
    });
    const { tag } = (await call('GET', `/client/embedded-code/${campaign.id}`)).body as unknown as {
      tag: string;
    };
    page = `<head>${tag}</head>`;
    app.clock.advance(60_000);
    expect((await check(campaign)).body).toMatchObject({
      found: true,
      via: 'page',
      cause: 'tag',
      tone: 'good',
    });
    expect(await report(campaign)).toMatchObject({
      cause: 'tag',
      fixes: [],
      checked_at: app.clock.now().toISOString(),
    });
  });

  it('keeps why a page could not be looked at, in plain words', async () => {
    const campaign = await app.make.campaign(client, { siteUrl: 'http://10.0.0.1/' });
    expect((await check(campaign)).status).toBe(504);
    expect(await report(campaign)).toMatchObject({
      cause: 'unreachable',
      message: 'The address points to a private network, which we cannot check.',
    });
  });

  it('takes the tag of no other campaign, host, or port for its own', async () => {
    const campaign = await app.make.campaign(client, { siteUrl: address });
    const tagAt = (origin: string) => `<script async src="${origin}/p/v1/${campaign.siteKey}.js"></script>`;
    for (const [origin, cause] of [
      [`http://${HOST}`, 'tag'],
      ['http://root.test', 'tag'],
      [`http://${HOST}:81`, 'other_host'],
      ['http://other.test', 'other_host'],
      ['', 'other_host'],
    ] as const) {
      page = tagAt(origin);
      expect([origin, (await check(campaign)).body.cause]).toEqual([origin, cause]);
    }
  });
});

describe('[BEY-10] the last events of a pixel', () => {
  it('lists the newest first with what became of them, those of the last 7 days, and counts what was refused', async () => {
    const campaign = await app.make.campaign(client);
    const events = async () =>
      (await call('GET', `/client/embedded-code/${campaign.id}/events`)).body as unknown as {
        data: {
          title: string;
          event: string;
          outcome: string | null;
          has_email: boolean;
          is_private: boolean;
        }[];
        refused: { reason: string; count: number }[];
      };
    expect(await events()).toEqual({ data: [], refused: [] });
    await app.make.visit(campaign, { title: 'Old' });
    app.clock.advance(7 * DAY + HOUR);
    await app.features.visits.keepPartitions();
    token = await app.signIn('client@x.test', HOST);
    await app.make.visit(campaign, { title: '<img src=x onerror=alert(1)>' });
    app.clock.advance(1_000);
    await app.make.visit(campaign, { title: 'Form', event: 'identify', email: 'jane@x.test' });
    app.clock.advance(1_000);
    await app.make.visit(campaign, { title: 'Private', gpc: true });
    await app.make.visit(campaign, { userAgent: 'Googlebot/2.1 (+http://www.google.com/bot.html)' });
    const { data, refused } = await events();
    expect(
      data.map(({ title, event, has_email, is_private }) => [title, event, has_email, is_private]),
    ).toEqual([
      ['Private', 'view', false, true],
      ['Form', 'identify', true, false],
      ['<img src=x onerror=alert(1)>', 'view', false, false],
    ]);
    expect(data.every(({ outcome }) => outcome === null)).toBe(true);
    // What was stored and did not become a lead is in the list itself.
    await app.admin.query(
      `insert into campaign_refusal (campaign_id, hour, reason, root_id, agency_id, company_id, count, last_at)
         select id, date_trunc('hour', $2::timestamptz), 'unmatched', root_id, agency_id, company_id, 3, $2
         from campaign where id = $1`,
      [campaign.id, app.clock.now()],
    );
    expect(refused).toEqual([{ reason: 'bot', count: 1 }]);
    expect((await events()).refused).toEqual(refused);
  });
});

describe('[BEY-10] a site that goes silent', () => {
  const heard = async (
    { id }: MadeCampaign,
    hoursAgo: number[],
    table: 'campaign_hour' | 'campaign_refusal' = 'campaign_hour',
  ) => {
    const at = hoursAgo.map((ago) => new Date(Math.floor(app.clock.now().getTime() / HOUR - ago) * HOUR));
    await app.admin.query(
      table === 'campaign_hour'
        ? `insert into campaign_hour (campaign_id, hour, root_id, agency_id, company_id, visits)
             select id, h, root_id, agency_id, company_id, 1 from campaign, unnest($2::timestamptz[]) h where id = $1`
        : `insert into campaign_refusal (campaign_id, hour, reason, root_id, agency_id, company_id, count, last_at)
             select id, h, 'inactive', root_id, agency_id, company_id, 1, h from campaign, unnest($2::timestamptz[]) h
             where id = $1`,
      [id, at],
    );
  };
  /** For how many hours it has been silent. */
  const silent = async ({ id }: MadeCampaign): Promise<number | null> => {
    const { body } = await call('GET', `/getcampaign/${id}`);
    const list = (await call('GET', '/client/list?per_page=100')).body.data as unknown as {
      leadspeekID: string;
      silent_since: string | null;
    }[];
    const since = body.silent_since as unknown as string | null;
    expect(list.find(({ leadspeekID }) => leadspeekID === id)?.silent_since).toBe(since);
    return since === null ? null : Math.floor((app.clock.now().getTime() - Date.parse(since)) / HOUR);
  };
  const every = (hours: number, from: number, to: number): number[] => {
    const all: number[] = [];
    for (let ago = from; ago <= to; ago += hours) all.push(ago);
    return all;
  };
  const make = () => app.make.campaign(client);

  it('is silent after twice its usual pause, and not before', async () => {
    const busy = await make();
    await heard(busy, every(1, 12, 700));
    expect(await silent(busy)).toBeNull();
    const quiet = await make();
    await heard(quiet, every(1, 14, 700));
    expect(await silent(quiet)).toBe(13);
    // Open on weekdays: a weekend is usual.
    const weekdays = await make();
    await heard(weekdays, [...every(24, 72, 168), ...every(24, 240, 336), ...every(24, 408, 504)]);
    expect(await silent(weekdays)).toBeNull();
    const gone = await make();
    await heard(gone, [...every(24, 150, 246), ...every(24, 318, 414), ...every(24, 486, 582)]);
    expect(await silent(gone)).toBe(149);
  });

  it('does not take an outage in the past for usual, nor a single visit for a habit', async () => {
    const outage = await make();
    await heard(outage, [...every(1, 14, 200), ...every(1, 400, 600)]);
    expect(await silent(outage)).toBe(13);
    const single = await make();
    await heard(single, [40]);
    expect(await silent(single)).toBeNull();
    const longAgo = await make();
    await heard(longAgo, [60]);
    expect(await silent(longAgo)).toBe(59);
  });

  it('hears a site while its campaign is paused, and asks for an active campaign only', async () => {
    const resumed = await make();
    await heard(resumed, every(1, 300, 600));
    await heard(resumed, every(1, 2, 299), 'campaign_refusal');
    expect(await silent(resumed)).toBeNull();
    const paused = await make();
    await heard(paused, every(1, 300, 600));
    expect(await silent(paused)).toBe(299);
    await app.admin.query(`update campaign set state = 'paused' where id = $1`, [paused.id]);
    expect(await silent(paused)).toBeNull();
  });
});
