import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { BidResponse } from '../../../platform/open-rtb.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import { BROWSER, type Company } from '../../../test/factories.ts';
import { auditLedger } from '../../money/ledger/index.ts';
import { COUNTED, WHOLE } from '../ad-audiences/index.ts';
import { pacedTo } from '../ad-campaigns/policy.ts';

const USD = 1_000_000n;
let app: TestApp;
let root: Company;
let agency: Company;
let client: Company;
let key: string;
let serial = 0;

beforeAll(async () => {
  // What these tests show, they show with a few people.
  Object.assign(COUNTED, { least: 0, step: 1, people: 0 });
  app = await testApp();
  root = await app.make.root({ host: 'bidder-root.test', isMaster: true });
  agency = await app.make.agency(root, { host: 'bidder.test' });
  await app.make.adTerms(root, { share_bp: 1_000 });
  ({ key } = await app.make.adExchange(root));
});
afterAll(async () => {
  Object.assign(COUNTED, WHOLE);
  const { checks } = await auditLedger(app.admin);
  expect(checks.filter((check) => check.violations > 0)).toEqual([]);
  await app.close();
});
beforeEach(async () => {
  await app.admin.query(`update campaign set state = 'removed'`);
  client = await app.make.client(agency);
  app.clock.advance(3_600_000);
  app.features.adServing.bidder.forget();
});

const campaign = async (more: object = {}) => {
  const made = await app.make.adCampaign(client, {
    platform: 'sandbox',
    balance: 100n * USD,
    markup_bp: 2_500,
    max_bid_micros: 5n * USD,
    ...more,
  });
  app.features.adServing.bidder.forget();
  return made;
};
const request = (more: Record<string, unknown> = {}) => ({
  id: `auction-${++serial}`,
  at: 1,
  // Plenty: what is tested here is not the time.
  tmax: 20_000,
  cur: ['USD'],
  imp: [{ id: '7', banner: { format: [{ w: 300, h: 250 }] }, bidfloor: 0.5, secure: 1 }],
  site: { domain: 'news.example.com', page: 'https://news.example.com/today' },
  device: { ua: BROWSER, ip: '66.7.8.9', geo: { country: 'USA', region: 'TX', zip: '73301' } },
  user: { id: 'someone' },
  regs: { coppa: 0 },
  ...more,
});
const post = (body: unknown, as = key) =>
  app.server.inject({
    method: 'POST',
    url: `/a/v1/rtb/bid/${as}`,
    headers: { host: 'bidder.test', 'content-type': 'application/json', 'x-openrtb-version': '2.6' },
    remoteAddress: '66.200.0.1',
    payload: typeof body === 'string' ? body : JSON.stringify(body),
  });
/** A bid; undefined: none was made. */
async function bidFor(more: Record<string, unknown> = {}) {
  const answer = await post(request(more));
  expect([200, 204]).toContain(answer.statusCode);
  return answer.statusCode === 204 ? undefined : answer.json<BidResponse>().seatbid[0]!.bid[0]!;
}
const get = async (url: string, price = '3.5') => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the macro that an exchange fills in
  const { pathname, search } = new URL(url.replace('${AUCTION_PRICE}', price));
  return app.server.inject({
    method: 'GET',
    url: `${pathname}${search}`,
    headers: { host: 'bidder.test', 'user-agent': BROWSER },
  });
};
const status = async (url: string, price?: string) => (await get(url, price)).statusCode;
const rowOf = async (id: string) =>
  (await app.admin.query('select * from ad_campaign where campaign_id = $1', [id])).rows[0];
const impressions = async (id: string) =>
  (
    await app.admin.query(
      'select state, price_micros, place, region from ad_impression where campaign_id = $1',
      [id],
    )
  ).rows;
/** What is promised, in the campaign, its days, and all that it is promised for: always the same. */
async function promised(id: string): Promise<bigint> {
  const { rows } = await app.admin.query(
    `select a.held_micros as all,
       (select coalesce(sum(held_micros), 0)::bigint from ad_day where campaign_id = $1) as days,
       (select coalesce(sum(left_micros), 0)::bigint from ad_lease where campaign_id = $1)
         + (select coalesce(sum(held_micros), 0)::bigint from ad_impression where campaign_id = $1 and state = 'held') as for_them
     from ad_campaign a where campaign_id = $1`,
    [id],
  );
  expect(new Set(Object.values(rows[0])).size).toBe(1);
  return rows[0].all;
}
const end = async () => {
  app.clock.advance(5 * 60_000);
  await app.features.adCampaigns.spending.endLeases(root.id);
};

describe('[SIMP-04] the bidder over HTTP', () => {
  test('bids with all that OpenRTB asks for, and bills what the exchange says it cost', async () => {
    const made = await campaign();
    const answer = await post(request());
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['x-openrtb-version']).toBe('2.6');
    const response = answer.json<BidResponse>();
    expect(response).toMatchObject({ id: `auction-${serial}`, cur: 'USD', seatbid: [{ seat: agency.id }] });
    const bid = response.seatbid[0]!.bid[0]!;
    // $5 from the client is 5 / (1.1 * 1.25) for the media.
    expect(bid).toMatchObject({
      impid: '7',
      price: 3.636,
      adomain: ['shop.example.com'],
      cid: made.id,
      crid: made.creativeId,
      w: 300,
      h: 250,
      exp: 60,
      mtype: 1,
    });
    expect(bid.adm).toContain(`src="http://bidder.test/a/v1/i/${made.creativeId}.png"`);
    expect(await impressions(made.id)).toEqual([]);
    expect(await promised(made.id)).toBeGreaterThanOrEqual(5_000n);
    expect(await status(bid.nurl!)).toBe(204);
    expect((await rowOf(made.id)).spent_micros).toBe(0n);
    expect(await status(bid.burl!, '2.5')).toBe(204);
    // 2,500 for the media, 2,750 with the share, and the markup of 25 percent.
    expect(await impressions(made.id)).toEqual([
      { state: 'billed', price_micros: 3_438n, place: 'news.example.com', region: 'TX' },
    ]);
    await app.features.adCampaigns.spending.postAll(root.id);
    const { rows } = await app.admin.query(
      `select -sum(e.amount)::bigint as price from transfer t join entry e on e.transfer_id = t.id join account a on a.id = e.account_id
       where t.campaign_id = $1 and t.kind = 'ad_spend' and a.kind = 'client_prepaid'`,
      [made.id],
    );
    expect(rows[0].price).toBe(3_438n);
    await end();
    expect(await promised(made.id)).toBe(0n);
  });

  test('a click leads to the site with its id, and counts once, after the bill', async () => {
    const made = await campaign();
    const bid = (await bidFor())!;
    const click = /href="([^"]+)"/.exec(bid.adm!)![1]!.replaceAll('&amp;', '&');
    await status(bid.burl!);
    const first = await get(click);
    expect(first.statusCode).toBe(302);
    expect(first.headers.location).toBe(`https://shop.example.com/?adclid=${bid.id}`);
    await get(click);
    const { rows } = await app.admin.query(
      'select sum(impressions)::int as impressions, sum(clicks)::int as clicks from ad_hour where campaign_id = $1',
      [made.id],
    );
    expect(rows[0]).toEqual({ impressions: 1, clicks: 1 });
  });

  test('notices: twice is once, late is nothing, a changed price or token is refused', async () => {
    const made = await campaign();
    const [one, two, three, four] = [await bidFor(), await bidFor(), await bidFor(), await bidFor()];
    expect(await Promise.all([1, 2, 3].map(() => status(one!.burl!)))).toEqual([204, 204, 204]);
    expect(await status(two!.burl!, '3.637')).toBe(400);
    expect(await status(two!.burl!, '-1')).toBe(400);
    expect(await status(two!.burl!, 'AUDIT')).toBe(204);
    // What is signed for one notice is not good for another: nothing that a browser sees can bill.
    const click = /href="([^"]+)"/.exec(two!.adm!)![1]!.replaceAll('&amp;', '&');
    for (const other of [two!.nurl!, two!.lurl!, click]) {
      const token = new URL(other).searchParams.get('t')!;
      expect(await status(`http://bidder.test/a/v1/rtb/bill?t=${token}&p=1`)).toBe(404);
    }
    const token = new URL(two!.burl!).searchParams.get('t')!;
    expect(token).toContain(two!.id);
    const cheap = token.replace(two!.id, one!.id);
    expect(await status(`http://bidder.test/a/v1/rtb/bill?p=1&t=${cheap}`)).toBe(404);
    // Lost, twice, and then billed all the same: it is billed if its budget is still there, and once.
    expect([await status(three!.lurl!), await status(three!.lurl!)]).toEqual([204, 204]);
    app.clock.advance(61_000);
    expect(await status(four!.burl!)).toBe(410);
    expect(await impressions(made.id)).toHaveLength(1);
    await end();
    expect(await status(two!.burl!)).toBe(410);
    expect(await promised(made.id)).toBe(0n);
    expect((await rowOf(made.id)).spent_micros).toBe((await impressions(made.id))[0].price_micros);
  });

  test('[BEY-30] a markup that rises after a bid neither makes it free nor costs more than was promised', async () => {
    const made = await campaign();
    const bid = (await bidFor())!;
    await app.admin.query('update ad_campaign set markup_bp = markup_bp + 1000 where campaign_id = $1', [
      made.id,
    ]);
    expect(await status(bid.burl!, '3.636')).toBe(204);
    expect(await impressions(made.id)).toMatchObject([{ state: 'billed', price_micros: 5_000n }]);
  });

  test('a loss frees its money for the next bid, and money that is bid again is billed only once', async () => {
    // One impression’s worth, and no more.
    const made = await campaign({ daily_micros: 5_000n, monthly_micros: 5_000n });
    // The end of the day, in Chicago: pacing holds nothing back.
    const now = app.clock.now().getTime();
    app.clock.advance(86_400_000 - (now % 86_400_000) + 4.5 * 3_600_000);
    const first = (await bidFor())!;
    expect(await bidFor()).toBeUndefined();
    await status(first.lurl!);
    const second = (await bidFor())!;
    expect([await status(second.burl!, '3.636'), await status(first.burl!, '3.636')]).toEqual([204, 410]);
    expect((await rowOf(made.id)).spent_micros).toBe(5_000n);
    expect(await bidFor()).toBeUndefined();
  });

  test('[SIMP-02] never more than a day’s budget, with bids and bills at the same time', async () => {
    const made = await campaign({ daily_micros: 100_000n, total_micros: 150_000n });
    for (let day = 0; day < 4; day++) {
      const spent = async () =>
        (
          await app.admin.query(
            'select coalesce(max(spent_micros + held_micros), 0)::bigint as n from ad_day where campaign_id = $1',
            [made.id],
          )
        ).rows[0].n;
      for (let round = 0; round < 6; round++) {
        const bids = (await Promise.all(Array.from({ length: 30 }, () => bidFor()))).filter((one) => one);
        await Promise.all(bids.flatMap((one) => [status(one!.burl!, '3.636'), status(one!.burl!, '3.6')]));
        expect(await spent()).toBeLessThanOrEqual(100_000n);
        app.clock.advance(2 * 3_600_000);
        await app.features.adCampaigns.spending.endLeases(root.id);
      }
      app.clock.advance(12 * 3_600_000);
    }
    const { spent_micros, held_micros } = await rowOf(made.id);
    expect(spent_micros).toBeGreaterThan(100_000n);
    expect(spent_micros + held_micros).toBeLessThanOrEqual(150_000n);
    await promised(made.id);
  });

  test('a day is paced: never more than 3 % of its budget off the plan, at any time of a simulated day', async () => {
    const daily = 1_440_000n;
    const made = await campaign({ daily_micros: daily });
    const zoned = () =>
      Temporal.Instant.fromEpochMilliseconds(app.clock.now().getTime()).toZonedDateTimeISO('America/Chicago');
    const midnight = zoned().startOfDay().add({ days: 1 });
    app.clock.advance(midnight.epochMilliseconds - app.clock.now().getTime());
    const day = {
      from: new Date(midnight.epochMilliseconds),
      ends: new Date(midnight.add({ days: 1 }).epochMilliseconds),
    };
    let worst = 0;
    while (app.clock.now() < day.ends) {
      // More is asked than there is budget for, at prices that go up and down; every sixth bid loses.
      for (let n = 0; n < 12; n++) {
        const bid = await bidFor();
        if (!bid) break;
        await (n % 6 === 5 ? status(bid.lurl!) : status(bid.burl!, n % 2 ? '3.636' : '2.6'));
      }
      const spent = (await rowOf(made.id)).spent_micros as bigint;
      const plan = pacedTo(daily, app.clock.now(), day);
      worst = Math.max(worst, Math.abs(Number(plan - spent)) / Number(daily));
      expect(spent).toBeLessThanOrEqual(plan);
      app.clock.advance(20 * 60_000);
      await app.features.adCampaigns.spending.endLeases(root.id);
    }
    expect(worst).toBeLessThan(0.03);
    expect(Number((await rowOf(made.id)).spent_micros) / Number(daily)).toBeGreaterThan(0.97);
  });

  test('targeting, floors, blocked sites, seats, and who may not be remembered', async () => {
    const made = await campaign({ states: ['TX'], frequency_cap: 2 });
    expect((await bidFor())!.cid).toBe(made.id);
    const none = [
      { device: { ...request().device, geo: { country: 'USA', region: 'OK' } } },
      { device: { ...request().device, geo: { country: 'CAN', region: 'TX' } } },
      { regs: { coppa: 1 } },
      { regs: { gdpr: 1 } },
      { cur: ['EUR'] },
      { test: 1 },
      { imp: [{ id: '1', banner: { w: 728, h: 90 } }] },
      { imp: [{ id: '1', banner: { w: 300, h: 250 }, bidfloor: 3.7 }] },
      { imp: [{ id: '1', video: {} }] },
      { site: undefined },
      { badv: ['shop.example.com'] },
      { wseat: [client.id] },
      { bseat: [agency.id] },
      // A campaign with a cap needs to know who it is.
      { device: { ...request().device, dnt: 1 } },
      { regs: { us_privacy: '1YYN' } },
      { regs: { gpp: 'DBABLA~CAAaAAAAAABA.QA' } },
      { regs: { gpp: 'broken' } },
      { regs: { ext: { gpc: '1' } } },
    ];
    for (const more of none) expect([more, await bidFor(more)]).toEqual([more, undefined]);
    expect(await bidFor({ wseat: [agency.id] })).toBeDefined();
    // The second of two; the same person somewhere else is another one.
    expect(await bidFor()).toBeUndefined();
    expect(await bidFor({ device: { ...request().device, ip: '66.7.8.10' } })).toBeDefined();
  });

  test('the highest bid wins; an audience decides who is bid for', async () => {
    const open = await campaign();
    const aimed = await campaign({ max_bid_micros: 8n * USD });
    await app.make.aim(aimed, [await app.make.audience(client, { ips: ['66.50.0.1'] })]);
    app.features.adServing.bidder.forget();
    expect((await bidFor())!.cid).toBe(open.id);
    const device = { ...request().device, ip: '66.50.0.1' };
    const bid = (await bidFor({ device }))!;
    expect(bid).toMatchObject({ cid: aimed.id, price: 5.818 });
    expect((await bidFor({ device, regs: { us_privacy: '1NYN' } }))!.cid).toBe(open.id);
    await status(bid.burl!);
    const { rows } = await app.admin.query(
      `select key <> '' as is_audience, impressions::int from ad_slice where campaign_id = $1 and kind = 'audience'`,
      [aimed.id],
    );
    expect(rows).toEqual([{ is_audience: true, impressions: 1 }]);
  });

  test('bad input is refused with the field; an unknown key gets nothing; no time is no bid', async () => {
    await campaign();
    const refused = async (body: unknown) => {
      const answer = await post(body);
      return [answer.statusCode, answer.json<{ message: string }>().message];
    };
    expect(await refused('{')).toEqual([400, 'The body is not valid JSON.']);
    const imp = (more: object) => ({ ...request(), imp: [{ id: '1', ...more }] });
    const rules: [body: unknown, message: string][] = [
      [[], 'body: must be an object'],
      [{ ...request(), imp: [] }, 'imp: must have at least one impression'],
      [{ ...request(), imp: 'all' }, 'imp: must be a list'],
      [{ ...request(), imp: Array(51).fill({ id: '1' }) }, 'imp: must not have more than 50 entries'],
      [{ ...request(), imp: [7] }, 'imp.0: must be an object'],
      [{ ...request(), id: undefined }, 'id: is required'],
      [{ ...request(), id: 'x'.repeat(256) }, 'id: must not exceed 255 characters'],
      [{ ...request(), tmax: 0 }, 'tmax: must be a number from 1 to 60,000'],
      [imp({ banner: { w: -3, h: 250 } }), 'imp.0.banner.w: must be a whole number from 0 to 10,000'],
      [
        imp({ banner: { format: [{ w: 1.5 }] } }),
        'imp.0.banner.format.0.w: must be a whole number from 0 to 10,000',
      ],
      [imp({ secure: true }), 'imp.0.secure: must be 0 or 1'],
      [{ ...request(), device: { ip: 7 } }, 'device.ip: must be text'],
      [{ ...request(), badv: ['a.example', 7] }, 'badv.1: must be text of up to 1000 characters'],
    ];
    for (const [body, message] of rules) expect(await refused(body)).toEqual([400, message]);
    // Some exchanges write null for what they do not know. Without a time of its own, a busy machine may answer too late.
    await expect
      .poll(() => bidFor({ user: null, tmax: null, badv: null }), { timeout: 60_000, interval: 100 })
      .toBeDefined();
    expect((await post(`{"id":"${'x'.repeat(70_000)}"}`)).statusCode).toBe(413);
    expect((await post(request(), 'someoneelse')).statusCode).toBe(404);
    for (let n = 0; n < 70; n++) await post(request(), `guess${n}`);
    expect((await post(request(), 'guess')).statusCode).toBe(429);
    // Who has the key is not held up by that.
    expect((await post(request())).statusCode).toBe(200);
    await app.admin.query(`update campaign set state = 'paused'`);
    app.features.adServing.bidder.forget();
    expect(await bidFor()).toBeUndefined();
  });

  test('a root makes keys, told once, and ends them; no one else may', async () => {
    const made = await campaign();
    const tokenOf = async (company: Company, host: string) =>
      app.signIn((await app.make.user(company, { password: PASSWORD })).email, host);
    const token = await tokenOf(root, 'bidder-root.test');
    const call = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) =>
      app.call(method, `/api/ads/exchanges${path}`, {
        host: 'bidder-root.test',
        token,
        ...(body ? { body } : {}),
      });
    const created = await call('POST', '', { name: 'Open market' });
    const { id, endpoint } = created.body.data as unknown as { id: string; endpoint: string };
    const own = new URL(endpoint).pathname.split('/').at(-1)!;
    expect((await post(request(), own)).statusCode).toBe(200);
    const listed = await call('GET', '');
    expect(JSON.stringify(listed.body)).toContain('Open market');
    expect(JSON.stringify(listed.body)).not.toContain(own);
    expect((await call('DELETE', `/${id}`)).status).toBe(200);
    expect((await call('DELETE', `/${id}`)).status).toBe(404);
    expect((await post(request(), own)).statusCode).toBe(404);
    const agencys = await tokenOf(agency, 'bidder.test');
    expect(
      (
        await app.call('POST', '/api/ads/exchanges', {
          host: 'bidder.test',
          token: agencys,
          body: { name: 'X' },
        })
      ).status,
    ).toBe(403);
    expect(made.id).toBeTruthy();
  });
});
