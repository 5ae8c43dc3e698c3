import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SiteHosts, siteHostOf } from '../../../../contract/campaigns/site-hosts.ts';
import { newId } from '../../../platform/ids.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import { BROWSER, type Company, type MadeCampaign } from '../../../test/factories.ts';
import { isBot, readEvent } from './policy.ts';

let app: TestApp;
let client: Company;
let campaign: MadeCampaign;
const HOST = 'acme.test';

beforeAll(async () => {
  app = await testApp({ settings: { visitVolumes: { address: 1, network: 200, key: 1_000 } } });
  const root = await app.make.root({ isMaster: true, host: 'root.test' });
  const agency = await app.make.agency(root, { host: HOST });
  client = await app.make.client(agency);
  campaign = await app.make.campaign(client);
  await app.make.user(client, { email: 'client@x.test', password: PASSWORD });
});
afterAll(() => app.close());

const event = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  i: newId(app.clock.now()),
  v: newId(app.clock.now()),
  u: 'https://shop.example.com/',
  ...more,
});
const post = (body: unknown, headers: Record<string, string> = {}) =>
  app.server.inject({
    method: 'POST',
    url: '/v',
    headers: {
      host: 'anywhere.example',
      'content-type': 'text/plain;charset=UTF-8',
      'user-agent': BROWSER,
      origin: 'https://shop.example.com',
      ...headers,
    },
    payload: typeof body === 'string' ? body : JSON.stringify(body),
  });
const rows = async () =>
  (await app.admin.query('select * from visit where campaign_id = $1 order by event_id', [campaign.id])).rows;

describe('POST /v', () => {
  test('keeps a visit before it answers, at any host', async () => {
    const e = event({ r: 'https://search.example/', t: 'Tents', h: 'ab'.repeat(32) });
    const answer = await post({ k: campaign.siteKey, e: [e] }, { 'x-forwarded-for': '1.2.3.4' });
    expect([answer.statusCode, answer.body, answer.headers['access-control-allow-origin']]).toEqual([
      204,
      '',
      '*',
    ]);
    expect(await rows()).toMatchObject([
      {
        event_id: e.i,
        day: '2026-03-10',
        url: e.u,
        referrer: e.r,
        title: e.t,
        hash_kind: 1,
        event: 'view',
        gpc: false,
        resolved_at: null,
        ip: '127.0.0.1',
        user_agent: BROWSER,
      },
    ]);
  });

  test('takes the same event once, in one body, in two, and on the day of its own id', async () => {
    const before = (await rows()).length;
    const e = event();
    await Promise.all([post({ k: campaign.siteKey, e: [e, e] }), post({ k: campaign.siteKey, e: [e] })]);
    app.clock.advance(10 * 3_600_000); // past midnight
    expect((await post({ k: campaign.siteKey, e: [e] })).statusCode).toBe(204);
    app.clock.advance(-10 * 3_600_000);
    expect((await rows()).length).toBe(before + 1);
  });

  test('bad events are counted by reason and shown to the owner; the good ones of the same body are kept', async () => {
    const before = (await rows()).length;
    const old = newId(new Date(app.clock.now().getTime() - 25 * 3_600_000));
    const answer = await post({
      k: campaign.siteKey,
      e: [
        event(),
        event({ i: 'x' }),
        event({ u: 'javascript:alert(1)' }),
        event({ h: 'zz' }),
        event({ v: 7 }),
        event({ n: 'other' }),
        null,
        'text',
        event({ i: old }),
      ],
    });
    expect(answer.statusCode).toBe(204);
    await post(
      { k: campaign.siteKey, e: [event()] },
      { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
    );
    await post({ k: campaign.siteKey, e: [event()] }, { 'user-agent': '' });
    expect((await rows()).length).toBe(before + 1);
    const token = await app.signIn('client@x.test', HOST);
    const { body } = await app.call('GET', `/api/leadspeek/client/refusals/${campaign.id}`, {
      host: HOST,
      token,
    });
    expect(
      (body.data as unknown as { reason: string; count: number }[]).map(({ reason, count }) => [
        reason,
        count,
      ]),
    ).toEqual([
      ['bad_event', 7],
      ['bot', 2],
      ['bad_time', 1],
    ]);
  });

  test("[BEY-30] takes visits from the campaign's sites alone, and counts and names the others", async () => {
    const own = await app.make.campaign(client, {
      siteUrl: 'https://www.shop.example/start',
      thankYouUrl: 'https://pay.example/thanks',
      siteHosts: ['*.brand.example'],
    });
    const send = (origin: string, ...pages: string[]) =>
      post({ k: own.siteKey, e: pages.map((u) => event({ u })) }, { origin });
    for (const [origin, page] of [
      ['https://shop.example', 'https://www.shop.example/a'],
      ['http://www.shop.example:8080', 'http://shop.example:8080/'],
      ['https://pay.example', 'https://pay.example/thanks'],
      ['https://brand.example', 'https://a.b.brand.example/'],
    ] as const)
      expect((await send(origin, page)).statusCode).toBe(204);
    await send('https://rival.example', 'https://shop.example/', 'https://shop.example/2');
    await send('https://shop.example', 'https://elsewhere.example/?x=https://shop.example/');
    await send('https://shop.example.rival.example', 'https://shop.example/');
    await send('https://xbrand.example', 'https://brand.example/');
    for (const origin of ['', 'null', 'https://', 'file://shop.example'])
      await send(origin, 'https://shop.example/');
    // Arbitrary hosts that strangers send cannot fill the disk.
    for (let n = 0; n < 12; n++) await send(`https://flood${n}.example`, 'https://shop.example/');
    const count = async (text: string) =>
      (await app.admin.query(text, [own.id])).rows.map((row) => Object.values(row));
    expect(await count('select count(*)::int from visit where campaign_id = $1')).toEqual([[4]]);
    expect(
      await count('select reason, count::int from campaign_refusal where campaign_id = $1 order by reason'),
    ).toEqual([
      ['foreign_origin', 20],
      ['foreign_page', 1],
    ]);
    const token = await app.signIn('client@x.test', HOST);
    const { body } = await app.call('GET', `/api/leadspeek/client/foreign-hosts/${own.id}`, {
      host: HOST,
      token,
    });
    const hosts = body.data as unknown as { host: string; count: number }[];
    expect(hosts.map(({ host, count }) => [host, count]).slice(0, 4)).toEqual([
      ['rival.example', 2],
      ['elsewhere.example', 1],
      ['flood0.example', 1],
      ['flood1.example', 1],
    ]);
    expect(hosts.length).toBe(10);
  });

  test('a body that is none is refused and named', async () => {
    const many = Array.from({ length: 21 }, () => event());
    for (const [body, status] of [
      ['not json', 400],
      ['', 400],
      ['{"k":"x","__proto__":{"a":1}}', 400],
      [{ k: campaign.siteKey }, 400],
      [{ k: campaign.siteKey, e: [] }, 400],
      [{ k: campaign.siteKey, e: many }, 400],
      [{ k: 'unknown', e: [event()] }, 404],
      [{ k: campaign.siteKey, e: [event({ t: 'x'.repeat(65 * 1024) })] }, 413],
    ] as const) {
      const answer = await post(body);
      expect([JSON.stringify(body).slice(0, 40), answer.statusCode]).toEqual([
        JSON.stringify(body).slice(0, 40),
        status,
      ]);
      expect(answer.headers['access-control-allow-origin']).toBe('*');
    }
  });

  test('[BEY-30] one browser without end gets 429 and when to come back; others are taken, and it is counted', async () => {
    const flooded = await app.make.campaign(client);
    const v = newId(app.clock.now());
    const body = (more: Record<string, unknown>) =>
      JSON.stringify({ k: flooded.siteKey, e: Array.from({ length: 20 }, () => event(more)) });
    const statuses: number[] = [];
    for (let n = 0; n < 18; n++) statuses.push((await post(body({ v }))).statusCode);
    expect(statuses).toEqual([...new Array(15).fill(204), 429, 429, 429]);
    const answer = await post(body({ v }));
    expect([answer.statusCode, answer.headers['retry-after'], answer.json()]).toMatchObject([
      429,
      '4',
      { result: 'failed', message: 'Too many visits at once. Try again shortly.' },
    ]);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    // Another browser at the same address, and one that asks not to be tracked.
    expect((await post(body({}))).statusCode).toBe(204);
    expect((await post(body({ v }), { 'sec-gpc': '1' })).statusCode).toBe(204);
    app.clock.advance(4_000);
    expect((await post(body({ v }))).statusCode).toBe(204);
    const { rows: counted } = await app.admin.query(
      'select reason, count::int from campaign_refusal where campaign_id = $1',
      [flooded.id],
    );
    expect(counted).toEqual([{ reason: 'too_many', count: 80 }]);
  });

  test('[BEY-30] one address fills the log with so much a day, whatever browsers and keys it names, and it is counted', async () => {
    const filled = await app.make.campaign(client);
    const long = 'x'.repeat(1100);
    const body = () => ({
      k: filled.siteKey,
      e: Array.from({ length: 20 }, () =>
        event({ u: `https://shop.example.com/${long}`, r: `https://a.example/${long}` }),
      ),
    });
    const from = (remoteAddress: string) =>
      app.server.inject({
        method: 'POST',
        url: '/v',
        remoteAddress,
        headers: { 'user-agent': BROWSER, origin: 'https://shop.example.com' },
        payload: JSON.stringify(body()),
      });
    // One megabyte a day are 25 such bodies.
    const statuses: number[] = [];
    for (let n = 0; n < 1_000 && !statuses.includes(429); n++) {
      app.clock.advance(1_000);
      statuses.push((await from('203.0.113.77')).statusCode);
    }
    expect(statuses.length).toBe(26);
    const answer = await from('203.0.113.77');
    expect([answer.statusCode, answer.json().message]).toEqual([
      429,
      'Too much was sent today. Try again later.',
    ]);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(60);
    expect((await from('203.0.113.78')).statusCode).toBe(204);
    app.clock.advance(3_600_000);
    expect((await from('203.0.113.77')).statusCode).toBe(204);
    const { rows } = await app.admin.query(
      'select reason, count::int from campaign_refusal where campaign_id = $1',
      [filled.id],
    );
    expect(rows).toEqual([{ reason: 'too_much', count: 40 }]);
  });

  test('[BEY-30] one address without end gets 429, whatever browsers and keys it names', async () => {
    const from = (ip: string, k: string) =>
      app.server.inject({
        method: 'POST',
        url: '/v',
        remoteAddress: ip,
        headers: { 'user-agent': BROWSER, origin: 'https://shop.example.com' },
        payload: JSON.stringify({ k, e: Array.from({ length: 20 }, () => ({})) }),
      });
    const answers: Record<number, number> = {};
    for (let n = 0; n < 310; n++) {
      const { statusCode } = await from('203.0.113.7', n % 2 ? campaign.siteKey : 'nokey');
      answers[statusCode] = (answers[statusCode] ?? 0) + 1;
    }
    expect(answers).toEqual({ 204: 150, 404: 150, 429: 10 });
    expect((await from('203.0.113.8', campaign.siteKey)).statusCode).toBe(204);
  });

  test('what PostgreSQL cannot keep does not lose the visit', async () => {
    const before = (await rows()).length;
    const e = event({ t: 'a\0b\ud800c', r: 'https://x.example/\0' });
    expect((await post({ k: campaign.siteKey, e: [e] })).statusCode).toBe(204);
    const all = await rows();
    expect(all.length).toBe(before + 1);
    expect(all.find((row) => row.event_id === e.i).title).toBe('ab\ufffdc');
  });

  test('a paused campaign takes no visits', async () => {
    const paused = await app.make.campaign(client, { state: 'paused' });
    expect((await post({ k: paused.siteKey, e: [event()] })).statusCode).toBe(204);
    expect((await app.admin.query('select from visit where campaign_id = $1', [paused.id])).rowCount).toBe(0);
  });

  test('the header of Global Privacy Control counts as well as the script’s flag', async () => {
    const e = event({ h: 'cd'.repeat(32) });
    await post({ k: campaign.siteKey, e: [e] }, { 'sec-gpc': '1' });
    expect((await rows()).find((row) => row.event_id === e.i)).toMatchObject({
      gpc: true,
      hash: null,
      visitor_id: null,
      ip: null,
    });
  });

  test('[BEY-07] a GPP string with an opt-out counts like it, one without does not', async () => {
    const hash = 'ce'.repeat(32);
    const sent: Record<string, string> = {};
    for (const p of ['DBABLA~CAAaAAAAAABA.QA', 'DBABLA~CAAqAAAAAABA.QA', 'broken']) {
      const e = event({ h: hash });
      await post({ k: campaign.siteKey, e: [e], p });
      sent[p] = e.i as string;
    }
    const all = await rows();
    const of = (p: string) => all.find((row) => row.event_id === sent[p]);
    for (const p of ['DBABLA~CAAaAAAAAABA.QA', 'broken'])
      expect(of(p)).toMatchObject({ gpc: true, hash: null, visitor_id: null, ip: null });
    expect(of('DBABLA~CAAqAAAAAABA.QA')).toMatchObject({ gpc: false, ip: expect.any(String) });
    expect(of('DBABLA~CAAqAAAAAABA.QA').hash.toString('hex')).toBe(hash);
  });

  test('the visit log’s login can add and nothing else', async () => {
    const { ingestPool } = app.platform.db;
    for (const text of [
      'select * from visit',
      'delete from visit',
      `update visit set url = ''`,
      'select * from person',
      'select * from company',
      'insert into company default values',
    ]) {
      await expect(ingestPool.query(text)).rejects.toThrow(/permission denied/);
    }
  });
});

describe('the script', () => {
  test('[CAMP-01] is the same for every key and host, and cached by its contents', async () => {
    const get = (url: string, headers = {}) =>
      app.server.inject({ method: 'GET', url, headers: { host: 'some.old.host', ...headers } });
    const one = await get(`/p/v1/${campaign.siteKey}.js`);
    expect([one.statusCode, one.headers['content-type'], one.headers['access-control-allow-origin']]).toEqual(
      [200, 'text/javascript; charset=utf-8', '*'],
    );
    expect((await get('/p/v1/other.js')).body).toBe(one.body);
    expect((await get('/p/v1/other.js', { 'if-none-match': one.headers.etag })).statusCode).toBe(304);
    for (const url of ['/p/v1/..%2f..%2fpackage.json', '/p/v1/x.txt', '/p/v2/x.js'])
      expect([404, 421]).toContain((await get(url)).statusCode);
  });
});

describe('partitions', () => {
  test('are made ahead and dropped after retention', async () => {
    const names = async (): Promise<string[]> =>
      (
        await app.admin.query(
          `select relname from pg_class where relispartition and relname ~ '^visit_\\d{8}$' order by 1`,
        )
      ).rows.map((r) => r.relname);
    const now = await names();
    expect(now).toContain('visit_20260308');
    expect(now).toContain('visit_20260317');
    app.clock.advance(401 * 86_400_000);
    await app.features.visits.keepPartitions();
    await app.features.retention.run('visits');
    const later = await names();
    expect(later).not.toContain('visit_20260310');
    expect(later).toContain('visit_20270422');
    expect((await rows()).length).toBe(0);
    app.clock.advance(-401 * 86_400_000);
  });
});

describe('[BEY-30] the sites of a campaign', () => {
  test.each([
    ['shop.example.com', 'shop.example.com'],
    [' HTTPS://Shop.Example.com:8443/path?x ', 'shop.example.com'],
    ['*.Example.com', '*.example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['localhost', 'localhost'],
    ['127.0.0.1', '127.0.0.1'],
    ['*.com', null],
    ['*', null],
    ['shop.*.example', null],
    ['a b.example', null],
    ['https://', null],
    ['ftp://shop.example', null],
    [`${'a'.repeat(64)}.example`, null],
    ['', null],
  ])('reads %j as %j', (text, host) => expect(siteHostOf(text)).toBe(host));

  test('names what is no host', () => {
    expect(SiteHosts.parse('b.example, *.a.example\nB.example')).toEqual(['b.example', '*.a.example']);
    expect(SiteHosts.safeParse(['ok.example', '*.com']).error?.issues[0]?.message).toBe(
      'has *.com, which is not a host such as shop.example.com or *.example.com',
    );
    expect(SiteHosts.safeParse(Array.from({ length: 51 }, (_, n) => `a${n}.example`)).success).toBe(false);
  });
});

describe('reading an event', () => {
  const now = new Date('2026-03-10T12:00:00Z');
  const i = newId(now);
  test('lets a day pass in either direction, by the event’s own id', () => {
    const at = (ms: number) =>
      readEvent({ i: newId(new Date(now.getTime() + ms)), u: 'https://a.example/' }, now.getTime(), false);
    expect(at(-86_400_000)).toMatchObject({ day: '2026-03-09' });
    expect(at(-86_400_001)).toBe('bad_time');
    expect(at(86_400_001)).toBe('bad_time');
  });
  test('cuts what is too long and tells hashes apart by their field and length', () => {
    expect(
      readEvent(
        { i, u: `https://a.example/${'x'.repeat(3000)}`, t: 'y'.repeat(300), m: 'A'.repeat(32) },
        now.getTime(),
        false,
      ),
    ).toMatchObject({ hashKind: 3 });
    const cut = readEvent(
      { i, u: `https://a.example/${'x'.repeat(3000)}`, t: 'y'.repeat(300), s: 'b'.repeat(40) },
      now.getTime(),
      false,
    );
    expect(typeof cut === 'object' && [cut.url?.length, cut.title?.length, cut.hashKind]).toEqual([
      1024, 200, 2,
    ]);
    expect(readEvent({ i, u: 'https://a.example/', h: 'a'.repeat(40) }, now.getTime(), false)).toBe(
      'bad_event',
    );
  });
  test('knows bots', () => {
    expect(isBot('curl/8.0')).toBe(true);
    expect(isBot('')).toBe(true);
    expect(isBot(`${BROWSER} slurp`)).toBe(true);
    expect(isBot(BROWSER)).toBe(false);
  });
});
