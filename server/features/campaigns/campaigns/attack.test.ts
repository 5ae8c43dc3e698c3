import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';
import { MOST_TARGETS } from './target.store.ts';

/** What a malicious user, or a faulty client, sends to the calls of campaigns. */
let app: TestApp;
let site: Server;
let port: number;
let agency: Company;
let client: Company;
let mine: MadeCampaign;
let theirs: MadeCampaign;
let stranger: Company;
let token: string;
let asAgency: string;
const HOST = 'acme.test';
const fields = { campaignName: 'Tents', urlCode: 'https://shop.example.com/' };
const search = { campaignName: 'Runners', leadspeekType: 'locator', locatorkeyword: 'running shoes' };

beforeAll(async () => {
  site = createServer((_request, reply) => reply.end('<h1>Shop</h1>'));
  await new Promise<void>((done) => site.listen(0, '127.0.0.1', done));
  ({ port } = site.address() as AddressInfo);
  app = await testApp({ outboundExceptions: [`shop.localhost:${port}`] });
  const root = await app.make.root({ host: 'root.test' });
  agency = await app.make.agency(root, { host: HOST });
  client = await app.make.client(agency);
  await app.make.user(client, { email: 'client@x.test', password: PASSWORD });
  await app.make.user(agency, { email: 'agency@x.test', password: PASSWORD });
  token = await app.signIn('client@x.test', HOST);
  asAgency = await app.signIn('agency@x.test', HOST);
  mine = await app.make.campaign(client, { name: 'Mine' });
  stranger = await app.make.client(await app.make.agency(root, { host: 'other.test' }));
  theirs = await app.make.campaign(stranger, { name: 'Theirs', search: { keywords: ['boots'] } });
});
afterAll(async () => {
  await app.close();
  site.close();
});

const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object, as = token) =>
  app.call(method, `/api${path}`, { host: HOST, token: as, ...(body ? { body } : {}) });
const created = async (body: object) =>
  (await call('POST', '/leadspeek/client/create', body)).body.data as unknown as {
    leadspeekID: string;
    version: number;
    [field: string]: unknown;
  };
const stateOf = async (id: string): Promise<string> =>
  (await app.admin.query('select state from campaign where id = $1', [id])).rows[0].state;

describe("another tenant's ids", () => {
  test.each<['GET' | 'POST' | 'PUT' | 'DELETE', (id: string, company: string) => [string, object?]]>([
    ['GET', (id) => [`/leadspeek/report/chart?leadspeekID=${id}`]],
    ['GET', (id) => [`/leadspeek/report/initdate?leadspeekID=${id}`]],
    ['GET', (id) => [`/dashboard?leadspeekID=${id}`]],
    ['GET', (_, company) => [`/leadspeek/report/chart?companyID=${company}`]],
    ['GET', (id) => [`/bigdbm/services/getcountcampaignhistory?leadspeekID=${id}`]],
    ['GET', (id) => [`/leadspeek/client/forecast/${id}`]],
    ['POST', (id) => ['/leadspeek/client/activepause', { leadspeekID: id, status: 'paused' }]],
    ['POST', (id) => ['/leadspeek/client/archive', { leadspeekID: id }]],
    ['POST', (id) => ['/leadspeek/client/remove', { leadspeekID: id }]],
    ['POST', (id) => ['/leadspeek/client/duplicate', { leadspeekID: id }]],
    ['POST', (id) => ['/leadspeek/client/send-test-lead', { leadspeekID: id }]],
    ['POST', (id) => ['/leadspeek/client/check-embedded-code', { leadspeekID: id }]],
    ['PUT', (id) => ['/leadspeek/client/update', { ...fields, leadspeekID: id, version: 1 }]],
    ['PUT', (id) => ['/leadspeek/client/locator/update', { ...search, leadspeekID: id, version: 1 }]],
    [
      'POST',
      (id) => [
        '/bigdbm/services/queuecount',
        { leadspeekID: id, target_location: 'National Targeting', keyword: 'boots' },
      ],
    ],
    [
      'POST',
      (_, company) => [
        '/bigdbm/services/queuecount',
        { companyID: company, target_location: 'National Targeting', keyword: 'boots' },
      ],
    ],
    ['GET', (id) => [`/leadspeek/suppressionlist/progress?companyId=${id}&campaignType=campaign`]],
    ['POST', (id) => ['/leadspeek/suppressionlist/purge', { paramID: id, campaignType: 'campaign' }]],
    ['POST', (_, company) => ['/leadspeek/suppressionlist/purge', { paramID: company }]],
    ['GET', (_, company) => [`/leadspeek/company-group?companyID=${company}`]],
    ['GET', (_, company) => [`/leadspeek/getcampaignresource?companyID=${company}`]],
    ['POST', (_, company) => ['/leadspeek/client/create', { ...fields, companyID: company }]],
  ])('%s %s', async (method, of) => {
    const [path, body] = of(theirs.id, stranger.id);
    for (const as of [token, asAgency])
      expect([path, (await call(method, path, body, as)).status]).toEqual([path, 404]);
    expect(await stateOf(theirs.id)).toBe('active');
  });

  test('a list that is narrowed to them is empty', async () => {
    for (const path of [
      `/leadspeek/client/list?companyID=${stranger.id}`,
      `/leadspeek/report/lead?leadspeekID=${theirs.id}`,
      `/bigdbm/services/getcountcampaignhistory?companyID=${stranger.id}`,
    ])
      expect((await call('GET', path, undefined, asAgency)).body).toMatchObject({ data: [], total: 0 });
  });
});

describe('[CAMP-06] wrong types and sizes', () => {
  test.each([
    true,
    [7],
    { n: 7 },
    '0x1f',
    '1e3',
    '٧',
    '１２',
    'Infinity',
    7.5,
    '7.5',
    -1,
    0,
    '-3',
    1e300,
    1_000_001,
  ])('LimitLead, minimumLimitLeads and leadsAmountNotification are no %j', async (wrong) => {
    for (const field of ['LimitLead', 'minimumLimitLeads', 'leadsAmountNotification']) {
      const { status, body } = await call('POST', '/leadspeek/client/create', { ...fields, [field]: wrong });
      expect([field, status, Object.keys((body.errors as object) ?? {})]).toEqual([field, 422, [field]]);
    }
  });

  test('digits are read as the number they are', async () => {
    expect(await created({ ...fields, LimitLead: ' 12 ', minConfidence: '60' })).toMatchObject({
      LimitLead: 12,
      minConfidence: 60,
    });
  });

  test.each([
    ['campaignName', 'a\r\nBcc: everybody@x.test'],
    ['campaignName', '\u0000'],
    ['urlCode', 'javascript:alert(1)'],
    ['urlCodeThankyou', 'file:///etc/passwd'],
    ['adminNotifyTo', 'a@x.test\r\nBcc: everybody@x.test'],
    ['reportSentTo', ['"a@x.test" <b@x.test>']],
    ['reportSentTo', Array.from({ length: 11 }, (_, i) => `a${i}@x.test`)],
    ['startDate', '2026-02-30'],
    ['startDate', '0000-01-01'],
    ['reidentificationtype', 'sometimes'],
    ['phoneenabled', true],
    ['companyGroupID', 'View All'],
  ])('%s is no %j', async (field, wrong) => {
    const { status, body } = await call('POST', '/leadspeek/client/create', { ...fields, [field]: wrong });
    expect([status, Object.keys(body.errors as object)[0]]).toEqual([
      422,
      expect.stringMatching(`^${field}`),
    ]);
  });

  test('a list is asked page by page, within bounds', async () => {
    for (const query of [
      'Page=0',
      'Page=-1',
      'PerPage=101',
      'PerPage=1e9',
      'Page=x',
      'sortby=password',
      'order=up',
    ])
      for (const path of ['client/list', 'report/lead'])
        expect([query, (await call('GET', `/leadspeek/${path}?${query}`)).status]).toEqual([query, 422]);
  });
});

describe('[CAMP-02] a change of a search', () => {
  test('keeps what it leaves out, and is not answered with success where it changes nothing', async () => {
    const made = await created({
      ...search,
      locationtarget: 'Zip Code',
      locatorzip: '78701',
      locatordesc: 'For spring',
    });
    const change = async (more: object) => {
      const { leadspeekID } = made;
      const { version } = (await call('GET', `/leadspeek/getcampaign/${leadspeekID}`)).body;
      return call('PUT', '/leadspeek/client/locator/update', {
        campaignName: 'Runners',
        leadspeekID,
        version,
        ...more,
      });
    };
    expect((await change({ locatorzip: '78702 78703' })).body.data).toMatchObject({
      locatorkeyword: 'running shoes',
      locationtarget: 'Zip Code',
      locatorzip: '78702\n78703',
      locatordesc: 'For spring',
    });
    expect((await change({ dncphoneenabled: 'T' })).body.data).toMatchObject({ dncphoneenabled: 'T' });
    expect((await change({ locatordesc: 'For autumn' })).body.data).toMatchObject({
      dncphoneenabled: 'T',
      locatorzip: '78702\n78703',
      locatordesc: 'For autumn',
    });
    expect((await change({ locatorkeyword: 'boots' })).body.data).toMatchObject({
      locatorkeyword: 'boots',
      locatorzip: '78702\n78703',
      locatordesc: 'For autumn',
    });
    expect((await change({ locationtarget: 'State', locatorcity: ['Austin, TX'] })).body.data).toMatchObject({
      locatorstate: ['TX'],
      locatorcity: ['Austin, TX'],
    });
    expect((await change({ locatorstate: ['CA'] })).body.data).toMatchObject({
      locatorstate: ['CA'],
      locatorcity: [],
    });
    expect((await change({ nationaltargeting: 'F' })).body.errors).toEqual({
      locationtarget: ['is required'],
    });
    expect((await change({ nationaltargeting: 'T', locationtarget: 'State' })).body.errors).toEqual({
      nationaltargeting: ['conflicts with the location, which is State'],
    });
    expect((await change({})).body.data).toMatchObject({ locatorkeyword: 'boots', locatorstate: ['CA'] });
  });

  test('locatorrequire says what a lead must have, in place of the three flags', async () => {
    const national = { ...search, nationaltargeting: 'T' };
    expect(await created({ ...national, locatorrequire: 'Phone, mailingaddress' })).toMatchObject({
      requireemailaddress: 'F',
      phoneenabled: 'T',
      homeaddressenabled: 'T',
      locatorrequire: 'Phone,MailingAddress',
    });
    expect(await created({ ...national, locatorrequire: '' })).toMatchObject({ locatorrequire: '' });
    const wrong = await call('POST', '/leadspeek/client/create', {
      ...national,
      locatorrequire: 'Email,constructor',
    });
    expect([wrong.status, wrong.body.errors]).toEqual([
      422,
      { locatorrequire: ['has constructor, which is not one of Email, Phone, or MailingAddress'] },
    ]);
  });
});

describe('[BEY-31] how much all campaigns together may look for', () => {
  const usual = { ...MOST_TARGETS };
  afterEach(() => void Object.assign(MOST_TARGETS, usual));
  const zips = (count: number) => Array.from({ length: count }, (_, i) => String(10_000 + i)).join('\n');
  const rowsOf = async () =>
    Number(
      (await app.admin.query('select count(*) as n from campaign_place where company_id = $1', [client.id]))
        .rows[0].n,
    );

  test('a client has so many keywords and places, also by copies in parallel; a removed campaign has none', async () => {
    const before = await app.admin.query(
      'select coalesce(sum(size), 0)::int as n from campaign_target where company_id = $1',
      [client.id],
    );
    MOST_TARGETS.client = before.rows[0].n + 2_600;
    const big = { ...search, locationtarget: 'Zip Code', locatorzip: zips(1_200) };
    const made = await created(big);
    const copies = await Promise.all(
      [1, 2, 3].map(() => call('POST', '/leadspeek/client/duplicate', { leadspeekID: made.leadspeekID })),
    );
    expect(copies.map(({ status }) => status).sort()).toEqual([200, 422, 422]);
    expect(copies.find(({ status }) => status === 422)!.body.errors).toEqual({
      zips: [
        `would exceed the limit of ${MOST_TARGETS.client.toLocaleString('en-US')} keywords and places per client. Remove campaigns first`,
      ],
    });
    const places = await rowsOf();
    await call('POST', '/leadspeek/client/remove', { leadspeekID: made.leadspeekID });
    expect(await rowsOf()).toBe(places - 1_200);
    const again = await call('POST', '/leadspeek/client/create', big);
    expect(again.status).toBe(200);
    // A change that makes a campaign smaller, or as it was, is not counted twice.
    const { leadspeekID, version } = again.body.data as unknown as { leadspeekID: string; version: number };
    const changed = await call('PUT', '/leadspeek/client/locator/update', { ...big, leadspeekID, version });
    expect(changed.status).toBe(200);
    MOST_TARGETS.agency = 1;
    const national = { ...search, nationaltargeting: 'T' };
    expect((await call('POST', '/leadspeek/client/create', national)).body.errors).toMatchObject({
      locatorzip: [expect.stringContaining('per agency')],
    });
  });
});

test('a client that its agency keeps from adding campaigns adds none, nor a copy; the agency does', async () => {
  await app.admin.query(
    `insert into company_billing (root_id, agency_id, company_id, campaigns_closed, updated_at) values ($1, $2, $3, true, now())
     on conflict (company_id) do update set campaigns_closed = true`,
    [client.root_id, client.agency_id, client.id],
  );
  for (const [path, body] of [
    ['create', fields],
    ['duplicate', { leadspeekID: mine.id }],
  ] as const) {
    const { status, body: answer } = await call('POST', `/leadspeek/client/${path}`, body);
    expect([path, status, answer.message]).toEqual([
      path,
      403,
      'Your agency adds campaigns for your company.',
    ]);
    const companyID = path === 'create' ? { companyID: client.id } : {};
    expect(
      (await call('POST', `/leadspeek/client/${path}`, { ...body, ...companyID }, asAgency)).status,
    ).toBe(200);
  }
  await app.admin.query('update company_billing set campaigns_closed = false where company_id = $1', [
    client.id,
  ]);
});

describe('races', () => {
  test('two groups that take one name at once: one has it, by adding or by renaming', async () => {
    const names = (
      await Promise.all(
        Array.from({ length: 8 }, () => call('POST', '/leadspeek/company-group', { group_name: 'Same' })),
      )
    ).map(({ status }) => status);
    expect(names.filter((status) => status === 200)).toHaveLength(1);
    expect(names.filter((status) => status === 409)).toHaveLength(7);
    for (let round = 0; round < 5; round++) {
      const { body } = await call('POST', '/leadspeek/company-group', { group_name: `Old ${round}` });
      const { id } = body.data as unknown as { id: string };
      const group_name = `New ${round}`;
      const both = await Promise.all([
        call('PUT', `/leadspeek/company-group/${id}`, { group_name }),
        call('POST', '/leadspeek/company-group', { group_name: group_name.toUpperCase() }),
      ]);
      expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    }
  });

  test('a group that is deleted while campaigns are put into it: each is in it or refused, none fails', async () => {
    for (let round = 0; round < 4; round++) {
      const { body } = await call('POST', '/leadspeek/company-group', { group_name: `Gone ${round}` });
      const { id } = body.data as unknown as { id: string };
      const all = await Promise.all([
        ...Array.from({ length: 4 }, () =>
          call('POST', '/leadspeek/client/create', { ...fields, companyGroupID: id }),
        ),
        call('DELETE', `/leadspeek/company-group/${id}`),
      ]);
      expect(all.at(-1)!.status).toBe(200);
      for (const { status } of all.slice(0, -1)) expect([200, 422]).toContain(status);
      const { rows } = await app.admin.query('select 1 from company_group_campaign where group_id = $1', [
        id,
      ]);
      expect(rows).toEqual([]);
    }
  });

  test('activated many times at once it starts once', async () => {
    const made = await app.make.campaign(client, { state: 'paused' });
    const all = await Promise.all(
      Array.from({ length: 6 }, () =>
        call('POST', '/leadspeek/client/activepause', { leadspeekID: made.id, status: 'active' }),
      ),
    );
    expect(all.map(({ status }) => status)).toEqual(Array(6).fill(200));
    const { rows } = await app.admin.query(
      `select d.description from user_log l join user_log_detail d on d.log_id = l.id
       where l.object_id = $1 and d.description like '%: paused to active'`,
      [made.id],
    );
    expect(rows).toHaveLength(1);
  });

  test('of changes that name one version, exactly one is made, and a removal stays one', async () => {
    const made = await created({ ...fields, campaignName: 'Raced' });
    const { leadspeekID, version } = made;
    const change = (n: number) =>
      call('PUT', '/leadspeek/client/update', {
        ...fields,
        campaignName: `Raced ${n}`,
        leadspeekID,
        version,
      });
    const all = await Promise.all([1, 2, 3, 4].map(change));
    expect(all.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    await Promise.all([
      call('POST', '/leadspeek/client/remove', { leadspeekID }),
      call('POST', '/leadspeek/client/activepause', { leadspeekID, status: 'paused' }),
      call('POST', '/leadspeek/client/archive', { leadspeekID }),
    ]);
    expect(await stateOf(leadspeekID)).toBe('removed');
  });

  test('archived while it is counted, a campaign keeps its count, and may still be given it', async () => {
    const made = await created({ ...search, nationaltargeting: 'T' });
    const { leadspeekID } = made;
    const asked = { leadspeekID, target_location: 'National Targeting', keyword: 'boots' };
    const { body } = await call('POST', '/bigdbm/services/queuecount', asked);
    const { id } = body.data as unknown as { id: string };
    await Promise.all([
      app.features.signals.counts.run(client.root_id, id),
      call('POST', '/leadspeek/client/archive', { leadspeekID }),
    ]);
    expect((await call('GET', `/bigdbm/services/getcountcampaign/${id}`)).body).toMatchObject({
      status: 'done',
      count: 0,
    });
    expect((await call('POST', '/bigdbm/services/applycampaign', { id, leadspeekID })).status).toBe(200);
    await call('POST', '/leadspeek/client/remove', { leadspeekID });
    expect((await call('POST', '/bigdbm/services/applycampaign', { id, leadspeekID })).status).toBe(404);
  });
});

test('[CAMP-10] a page that cannot be read is told in the words of the specification, with 504, and kept so', async () => {
  for (const urlCode of [
    'http://127.0.0.1/',
    'http://2130706433/',
    'https://user:pw@shop.example.com/',
    'http://[::1]/',
  ]) {
    const made = await call('POST', '/leadspeek/client/create', { ...fields, urlCode });
    expect([urlCode, made.status]).toEqual([urlCode, 200]);
    const { leadspeekID } = made.body.data as unknown as { leadspeekID: string };
    const { status, body } = await call('POST', '/leadspeek/client/check-embedded-code', { leadspeekID });
    expect([urlCode, status, body.message]).toEqual([
      urlCode,
      504,
      'Blocked from crawling (Needs manual review at your url)',
    ]);
    const after = await call('GET', `/leadspeek/getcampaign/${leadspeekID}`);
    expect(after.body.pixel_check).toBe('blocked');
  }
});

test('[CAMP-10] no one makes the server fetch pages without end', async () => {
  const { leadspeekID } = await created({ ...fields, urlCode: `http://shop.localhost:${port}/` });
  const look = () => call('POST', '/leadspeek/client/check-embedded-code', { leadspeekID }, asAgency);
  const statuses: number[] = [];
  for (let i = 0; i < 31; i++) statuses.push((await look()).status);
  expect(statuses.slice(0, 30)).toEqual(Array(30).fill(200));
  expect(statuses[30]).toBe(429);
  app.clock.advance(61_000);
  expect((await look()).status).toBe(200);
});
