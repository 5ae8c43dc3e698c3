import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';

let app: TestApp;
let agency: Company;
let client: Company;
let asClient: string;
let asAgency: string;
const HOST = 'acme.test';
const USD = 1_000_000n;

beforeAll(async () => {
  app = await testApp();
  const root = await app.make.root({ host: 'root.test' });
  agency = await app.make.agency(root, { host: HOST, name: 'Acme' });
  client = await app.make.client(agency, { name: 'Northwind' });
  await app.make.leadCost(agency, 900_000n);
  await app.make.user(client, { email: 'client@x.test', password: PASSWORD });
  await app.make.user(agency, { email: 'agency@x.test', password: PASSWORD });
  asClient = await app.signIn('client@x.test', HOST);
  asAgency = await app.signIn('agency@x.test', HOST);
});
afterAll(() => app.close());

const call = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object, token = asClient) =>
  app.call(method, `/api/leadspeek/${path}`, { host: HOST, token, ...(body ? { body } : {}) });
const fields = { campaignName: 'Tents', urlCode: 'https://shop.example.com/' };
const create = async (more: object = {}, token = asClient) =>
  (await call('POST', 'client/create', { ...fields, ...more }, token)).body.data as unknown as Record<
    string,
    never
  > & { leadspeekID: string; version: number };

describe('[CAMP-01] creating and changing a Site ID campaign', () => {
  test('a client makes one with every rule; the price is the agency’s', async () => {
    const data = await create({
      urlCodeThankyou: 'https://shop.example.com/thanks',
      siteHosts: 'https://Pay.example.com/cart *.brand.example',
      phoneenabled: 'T',
      homeaddressenabled: 'T',
      requireemailaddress: 'F',
      reidentificationtype: '3_months',
      minConfidence: 70,
      LimitLead: 25,
      startDate: '2026-03-01',
      endDate: '2026-12-31',
    });
    expect(data).toMatchObject({
      leadspeek_api_id: expect.any(Number),
      leadspeekType: 'local',
      company_name: 'Northwind',
      agency_name: 'Acme',
      campaignName: 'Tents',
      status: 'paused',
      statusReason: 'below_cost',
      siteHosts: ['pay.example.com', '*.brand.example'],
      urlCodeThankyou: 'https://shop.example.com/thanks',
      phoneenabled: 'T',
      homeaddressenabled: 'T',
      requireemailaddress: 'F',
      reidentificationtype: '3_months',
      minConfidence: 70,
      LimitLead: 25,
      startDate: '2026-03-01',
      endDate: '2026-12-31',
      CostSet: '0.00',
      balance_micros: 0,
      version: 2,
    });
    const price = await call('POST', 'client/create', { ...fields, CostSet: '0.01' });
    expect([price.status, price.body.errors]).toEqual([403, { CostSet: ['is set by the agency'] }]);
  });

  test('[BEY-31] a client without a price learns neither what its agency pays nor what others are charged', async () => {
    const other = await app.make.client(agency, { name: 'Harbor' });
    await create({ companyID: other.id, CostSet: '7.25' }, asAgency);
    const shown = async (as: string, companyID: string) => {
      const { body } = await call('GET', `getcampaignresource?companyID=${companyID}`, undefined, as);
      return [body.CostSet, body.is_priced];
    };
    const third = await app.make.client(agency, { name: 'Fresh' });
    await app.make.user(third, { email: 'fresh@x.test', password: PASSWORD });
    const asFresh = await app.signIn('fresh@x.test', 'acme.test');
    expect(await shown(asAgency, third.id)).toEqual(['7.25', true]);
    expect(await shown(asFresh, third.id)).toEqual(['0.00', false]);
    const waiting = await create({}, asFresh);
    expect(waiting).toMatchObject({ CostSet: '0.00', status: 'paused', statusReason: 'below_cost' });
  });

  test('an agency names the client and the price; the next campaign of the client costs the same', async () => {
    expect((await call('POST', 'client/create', fields, asAgency)).body.errors).toEqual({
      companyID: ['is required'],
    });
    const data = await create({ companyID: client.id, CostSet: '2.505' }, asAgency);
    expect(data).toMatchObject({ CostSet: '2.505', status: 'paused' });
    expect(await create()).toMatchObject({ CostSet: '2.505' });
    expect(await create({ companyID: client.id, CostSet: '0' }, asAgency)).toMatchObject({
      CostSet: '0.00',
      status: 'active',
      statusReason: null,
    });
  });

  test('a change is refused on a version that is not the current one, and nothing is lost', async () => {
    const { leadspeekID, version } = await create();
    const update = (campaignName: string, on: number) =>
      call('PUT', 'client/update', { ...fields, campaignName, leadspeekID, version: on });
    expect((await update('First', version)).body).toMatchObject({
      message: 'Data has been updated successfully',
      data: { campaignName: 'First', version: version + 1 },
    });
    const late = await update('Second', version);
    expect([late.status, Object.keys(late.body.errors as object)]).toEqual([409, ['version']]);
    expect((await call('GET', `getcampaign/${leadspeekID}`)).body).toMatchObject({ campaignName: 'First' });
  });

  test('[CAMP-06] a change keeps what it leaves out, with or without a version', async () => {
    const all = {
      phoneenabled: 'T',
      homeaddressenabled: 'T',
      requireemailaddress: 'F',
      reidentificationtype: '3_months',
      minConfidence: 70,
      LimitLead: 25,
      LimitLeadFreq: 'week',
      startDate: '2026-03-01',
      endDate: '2026-12-31',
      urlCodeThankyou: 'https://shop.example/thanks',
    };
    const { leadspeekID } = await create(all);
    const update = async (more: object) =>
      (await call('PUT', 'client/update', { leadspeekID, ...more })).body.data as object;
    const { campaignName, urlCode } = fields;
    expect(await update({})).toMatchObject({ ...all, campaignName, urlCode });
    expect(await update({ campaignName: 'Renamed' })).toMatchObject({
      ...all,
      campaignName: 'Renamed',
      urlCode,
    });
    // Cleared fields stay cleared.
    expect(await update({ LimitLead: '', endDate: null, phoneenabled: 'F' })).toMatchObject({
      ...all,
      campaignName: 'Renamed',
      LimitLead: null,
      endDate: null,
      phoneenabled: 'F',
    });
    // The new date is checked against the unchanged one.
    const early = await call('PUT', 'client/update', { leadspeekID, endDate: '2026-02-01' });
    expect([early.status, Object.keys(early.body.errors as object)]).toEqual([422, ['endDate']]);
  });

  test.each([
    ['campaignName', ['', '   ', 'x'.repeat(256), 'a\u0007b', undefined, 5]],
    [
      'urlCode',
      ['', 'shop', 'ftp://a.example', 'javascript:alert(1)', `https://a.example/${'x'.repeat(2048)}`],
    ],
    ['urlCodeThankyou', ['nope']],
    ['siteHosts', ['*.com', 'shop!.example', [5], 'x'.repeat(300)]],
    ['phoneenabled', ['yes', true]],
    ['reidentificationtype', ['2_weeks']],
    ['minConfidence', [-1, 101, 1.5]],
    ['LimitLead', [0, -1, 1.5, 1_000_001]],
    ['startDate', ['2026-02-30', '01/01/2026']],
    ['endDate', ['2026-13-01']],
  ])('a wrong %s is named, and nothing is made', async (field, values) => {
    const count = async () => Number((await app.admin.query('select count(*) as n from campaign')).rows[0].n);
    const before = await count();
    for (const value of values) {
      const { status, body } = await call('POST', 'client/create', { ...fields, [field]: value });
      expect([value, status, Object.keys(body.errors as object)]).toEqual([value, 422, [field]]);
    }
    expect(await count()).toBe(before);
  });

  test('names may be in any script, 255 characters, with what looks like HTML', async () => {
    for (const campaignName of [
      '名前 🎪',
      'x'.repeat(255),
      '<script>alert(1)</script>',
      'שלום \u202Eabc',
      `O'Neil "quoted"; drop table campaign`,
    ]) {
      expect(await create({ campaignName })).toMatchObject({ campaignName });
    }
    const backwards = await call('POST', 'client/create', {
      ...fields,
      startDate: '2026-05-02',
      endDate: '2026-05-01',
    });
    expect([backwards.status, backwards.body.errors]).toEqual([
      422,
      { endDate: ['must not be before the start date'] },
    ]);
  });
});

describe('[CAMP-07] states', () => {
  test('active, paused, archived, brought back, removed', async () => {
    const { leadspeekID } = await create({ companyID: client.id, CostSet: '0' }, asAgency);
    const to = async (path: string, status?: string) => {
      const answer = await call('POST', `client/${path}`, { leadspeekID, ...(status ? { status } : {}) });
      return [
        answer.status,
        (answer.body.data as unknown as { status: string; statusReason: string })?.status,
      ];
    };
    expect(await to('activepause', 'paused')).toEqual([200, 'paused']);
    expect(await to('activepause', 'active')).toEqual([200, 'active']);
    expect(await to('archive')).toEqual([200, 'archived']);
    expect(await to('activepause', 'active')).toEqual([409, undefined]);
    expect(await to('archive', 'paused')).toEqual([200, 'paused']);
    expect(await to('activepause', 'elsewhere')).toEqual([422, undefined]);
    expect(await to('remove')).toEqual([200, undefined]);
    for (const path of ['activepause', 'archive', 'remove']) expect((await to(path, 'paused'))[0]).toBe(404);
    expect((await call('GET', `getcampaign/${leadspeekID}`)).status).toBe(404);
  });

  test('[WIRE-03] a missing or malformed id is named', async () => {
    for (const leadspeekID of [undefined, '', '7', null]) {
      const { status, body } = await call('POST', 'client/remove', { leadspeekID });
      expect([status, Object.keys(body.errors as object)]).toEqual([422, ['leadspeekID']]);
    }
    expect((await call('GET', 'getcampaign/undefined')).status).toBe(422);
  });
});

describe('the list', () => {
  test('pages, sorts, filters and searches', async () => {
    const own = await app.make.client(agency, { name: 'Listed' });
    await app.make.user(own, { email: 'listed@x.test', password: PASSWORD });
    const token = await app.signIn('listed@x.test', HOST);
    for (const [name, state] of [
      ['Alpha', 'active'],
      ['Beta 100%', 'paused'],
      ['Gamma', 'archived'],
    ] as const) {
      await app.make.campaign(own, {
        name,
        state,
        price: USD,
        balance: 3n * USD,
        siteUrl: `https://${name.slice(0, 4).toLowerCase()}.example/`,
      });
    }
    const names = async (query: string) =>
      (
        (await call('GET', `client/list?${query}`, undefined, token)).body.data as unknown as {
          campaignName: string;
        }[]
      ).map((c) => c.campaignName);
    expect(await names('sortby=campaignName&order=asc')).toEqual(['Alpha', 'Beta 100%']);
    expect(await names('sortby=campaignName&order=desc')).toEqual(['Beta 100%', 'Alpha']);
    expect(await names('status=archived')).toEqual(['Gamma']);
    expect(await names('searchQuery=100%25')).toEqual(['Beta 100%']);
    expect(await names('searchQuery=alph')).toEqual(['Alpha']);
    expect(await names('searchQuery=_')).toEqual([]);
    expect(
      (await call('GET', 'client/list?PerPage=1&Page=2&sortby=campaignName', undefined, token)).body,
    ).toMatchObject({ total: 2, from: 2, to: 2, last_page: 2 });
    expect((await call('GET', 'client/list?status=gone', undefined, token)).status).toBe(422);
  });
});

describe('the tag', () => {
  test('comes from the agency’s own host, with the policy lines it needs', async () => {
    const { leadspeekID } = await create();
    const { body } = await call('GET', `client/embedded-code/${leadspeekID}`);
    const [, key] = /\/p\/v1\/([a-z0-9]{20})\.js$/.exec(body.script_url as string)!;
    expect(body).toEqual({
      script_url: `http://${HOST}/p/v1/${key}.js`,
      tag: `<script async src="http://${HOST}/p/v1/${key}.js"></script>`,
      csp: [`script-src http://${HOST}`, `connect-src http://${HOST}`],
    });
  });
});
