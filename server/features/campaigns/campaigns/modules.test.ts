import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inScope } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';

let app: TestApp;
let root: Company;
let agency: Company;
let client: Company;
let asClient: string;
let asAgency: string;
let asRoot: string;
const HOST = 'modules.test';

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test' });
  agency = await app.make.agency(root, { host: HOST });
  client = await app.make.client(agency);
  for (const [company, email, host] of [
    [root, 'root@m.test', 'root.test'],
    [agency, 'agency@m.test', HOST],
    [client, 'client@m.test', HOST],
  ] as const) {
    await app.make.user(company, { email, password: PASSWORD });
    const token = await app.signIn(email, host);
    if (company === root) asRoot = token;
    else if (company === agency) asAgency = token;
    else asClient = token;
  }
  const costs = await app.call('PUT', '/api/configuration/setting', {
    host: 'root.test',
    token: asRoot,
    body: {
      companyID: root.id,
      comsetname: 'costagency',
      comsetval: {
        enhance: { Prepaid: { EnhanceCostperlead: '1.5' } },
        b2b: { Weekly: { B2bCostperlead: '3' } },
      },
    },
  });
  expect(costs.status).toBe(200);
  await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
    app.features.tenants.products.setBetaUser(
      tx,
      { root_id: root.id, agency_id: agency.id, company_id: agency.id },
      true,
      app.clock.now(),
    ),
  );
});
afterAll(() => app.close());

type Data = Record<string, unknown> & { leadspeekID: string; version: number };
const call = async (method: 'GET' | 'POST' | 'PUT', path: string, body?: object, token = asAgency) => {
  app.clock.advance(1000);
  const answer = await app.call(method, `/api/${path}`, { host: HOST, token, ...(body ? { body } : {}) });
  return { ...answer, data: answer.body.data as unknown as Data, errors: answer.body.errors };
};
const fields = {
  campaignName: 'Runners',
  locatorkeyword: 'running shoes',
  nationaltargeting: 'T',
} as const;
const make = (leadspeekType: string, more: object = {}, token = asAgency) =>
  call('POST', 'leadspeek/client/create', { ...fields, leadspeekType, companyID: client.id, ...more }, token);
const priceOf = async (id: string) => {
  const [row] = (await app.admin.query('select id, agency_id, module from campaign where id = $1', [id]))
    .rows;
  return inScope(app.platform.db.app, { rootId: root.id }, async (tx) => {
    const { priceMicros, costMicros } = (await app.features.billing.leadCosts(tx, [row], app.clock.now()))(
      id,
    );
    return [Number(priceMicros) / 1e6, Number(costMicros) / 1e6];
  });
};

describe('[CAMP-03] Enhance ID campaigns', () => {
  test('have keywords, places and personal data fields, and are changed and copied with them', async () => {
    const made = await make('enhance', {
      advanceInformation: [6, 1, 6],
      CostSet: '2',
      CostSetAdvanced: '2.5',
    });
    expect([made.status, made.data]).toMatchObject([
      200,
      {
        leadspeekType: 'enhance',
        urlCode: '',
        locatorkeyword: 'running shoes',
        locationtarget: 'National Targeting',
        advanceInformation: [1, 6],
        b2bInformation: [],
        CostSetAdvanced: '2.50',
        jobTitles: [],
      },
    ]);
    expect(await priceOf(made.data.leadspeekID)).toEqual([2.5, 1.5]);
    const changed = await call('PUT', 'leadspeek/client/update', {
      campaignName: 'Runners',
      leadspeekID: made.data.leadspeekID,
      version: made.data.version,
      advanceInformation: [],
    });
    // What the campaign looks for was not sent again, and stays.
    expect(changed.data).toMatchObject({ advanceInformation: [], locatorkeyword: 'running shoes' });
    expect(await priceOf(made.data.leadspeekID)).toEqual([2, 1.5]);
    const back = await call('PUT', 'leadspeek/client/update', {
      campaignName: 'Runners',
      leadspeekID: made.data.leadspeekID,
      version: changed.data.version,
      advanceInformation: [2],
    });
    const copy = await call('POST', 'leadspeek/client/duplicate', { leadspeekID: back.data.leadspeekID });
    expect(copy.data).toMatchObject({
      leadspeekType: 'enhance',
      advanceInformation: [2],
      locatorkeyword: 'running shoes',
      status: 'paused',
    });
    const { rows } = await app.admin.query(
      'select cardinality(stems) as n from campaign_keyword where campaign_id = $1',
      [copy.data.leadspeekID],
    );
    expect(rows).toEqual([{ n: 2 }]);
  });

  test("a lead's price may not be below the root's, whatever the price is for", async () => {
    const least = { CostSet: ['*Cost Per Lead Minimum $1.50'] };
    expect(await make('enhance', { CostSet: '1.49' })).toMatchObject({ status: 422, errors: least });
    expect(await make('enhance', { CostSetAdvanced: '1' })).toMatchObject({
      status: 422,
      errors: { CostSetAdvanced: ['*Cost Per Lead Minimum $1.50'] },
    });
    // The minimum is per payment term: none is set for weekly.
    expect((await make('enhance', { CostSet: '1', PaymentTerm: 'Weekly' })).status).toBe(200);
    const made = await make('enhance', { CostSet: '1.50', PaymentTerm: 'Prepaid' });
    expect(made.status).toBe(200);
    const { leadspeekID, version } = made.data;
    const lower = { campaignName: 'Runners', leadspeekID, version, CostSet: '1.4' };
    expect(await call('PUT', 'leadspeek/client/update', lower)).toMatchObject({ status: 422, errors: least });
    const client_costs = { companyID: client.id, module: 'enhance', CostSet: '0.5' };
    expect(await call('PUT', 'configuration/user/costmodule', client_costs)).toMatchObject({
      status: 422,
      errors: least,
    });
    const b2b = { companyID: client.id, module: 'b2b', PaymentTerm: 'Weekly', CostSet: '4', CostSetB2b: '2' };
    expect(await call('PUT', 'configuration/user/costmodule', b2b)).toMatchObject({
      status: 422,
      errors: { CostSetB2b: ['*Cost Per Lead Minimum $3.00'] },
    });
    // Site ID has no minimum.
    const site = { urlCode: 'https://shop.example/', CostSet: '0.1' };
    expect((await make('local', site)).status).toBe(200);
  });

  test('what an older campaign cost is raised to the least', async () => {
    const other = await app.make.client(agency);
    await app.make.campaign(other, { module: 'enhance', search: { keywords: ['x'] }, price: 200_000n });
    const made = await make('enhance', { companyID: other.id });
    expect(made.data).toMatchObject({ CostSet: '1.50' });
  });

  test('and what a copy is made of, the prices by data, too', async () => {
    const old = await app.make.campaign(await app.make.client(agency), {
      module: 'enhance',
      search: { keywords: ['x'] },
      price: 200_000n,
      costs: { lead_advanced_micros: 300_000n },
    });
    const copy = await call('POST', 'leadspeek/client/duplicate', { leadspeekID: old.id });
    expect(copy.data).toMatchObject({ CostSet: '1.50', CostSetAdvanced: '1.50', CostSetB2b: '0.00' });
    expect(await priceOf(old.id)).toEqual([0.2, 1.5]); // what was agreed stays
    expect(await priceOf(copy.data.leadspeekID)).toEqual([1.5, 1.5]);
  });

  test('[CAMP-13] what a new one would begin with names products, fields, the least price and the least leads', async () => {
    const path = `leadspeek/getcampaignresource?companyID=${client.id}&leadspeekType=enhance`;
    const { body } = await call('GET', path);
    expect(body).toMatchObject({
      leadspeekType: 'enhance',
      modules: ['local', 'locator', 'enhance', 'b2b'],
      cost_minimums: { Prepaid: '1.50', Weekly: '0.00' },
      minleaddayenhance: null,
    });
    expect((body.information as unknown as { id: number }[]).map((field) => field.id)).toContain(101);
  });

  test("minleaddayenhance: the root's minimum leads per day bounds the limit, for clients, too", async () => {
    const setting = { companyID: root.id, comsetname: 'minleaddayenhance' };
    const put = (minleaddayenhance: unknown, version = 0, host = 'root.test', token = asRoot) =>
      app.call('PUT', '/api/configuration/setting', {
        host,
        token,
        body: { ...setting, version, comsetval: { minleaddayenhance } },
      });
    expect((await put(-1)).body.errors).toEqual({ minleaddayenhance: ['must be at least 0'] });
    expect((await put(10, 0, HOST, asAgency)).status).toBeGreaterThanOrEqual(400);
    expect((await put(10)).status).toBe(200);
    const read = await app.call('GET', `/api/configuration/setting/${root.id}/minleaddayenhance`, {
      host: 'root.test',
      token: asRoot,
    });
    expect(read.body).toMatchObject({ data: { minleaddayenhance: 10 }, version: 1 });
    const tooFew = { status: 422, errors: { LimitLead: ['must be at least 10'] } };
    expect(await make('enhance', { LimitLead: 9 })).toMatchObject(tooFew);
    expect(await make('enhance', { LimitLead: 9 }, asClient)).toMatchObject(tooFew);
    expect(await make('enhance', { LimitLead: 69, LimitLeadFreq: 'week' })).toMatchObject({
      errors: { LimitLead: ['must be at least 70'] },
    });
    expect((await make('locator', { LimitLead: 9 })).status).toBe(200);
    const made = await make('enhance', { LimitLead: 10 });
    const { leadspeekID, version } = made.data;
    const lower = { campaignName: 'Runners', leadspeekID, version, LimitLead: 9 };
    expect(await call('PUT', 'leadspeek/client/update', lower)).toMatchObject(tooFew);
    const usual = (LimitLead: number | null) =>
      call('PUT', 'configuration/user/costmodule', {
        companyID: other.id,
        module: 'enhance',
        CostSet: '2',
        LimitLead,
      });
    const other = await app.make.client(agency);
    expect(await usual(9)).toMatchObject(tooFew);
    expect((await put(0, 1)).status).toBe(200);
    expect((await make('enhance', { LimitLead: 1 })).status).toBe(200);
    // Values set before the root raised its minimum are raised to it when copied.
    const weak = await make('enhance', { companyID: other.id, LimitLead: 5, LimitLeadFreq: 'week' });
    expect((await usual(3)).status).toBe(200);
    expect((await put(10, 2)).status).toBe(200);
    const resource = `leadspeek/getcampaignresource?companyID=${other.id}&leadspeekType=enhance`;
    expect((await call('GET', resource)).body).toMatchObject({ LimitLead: 10 });
    expect((await make('enhance', { companyID: other.id })).data).toMatchObject({ LimitLead: 10 });
    const copy = await call('POST', 'leadspeek/client/duplicate', { leadspeekID: weak.data.leadspeekID });
    expect(copy.data).toMatchObject({ LimitLead: 70, LimitLeadFreq: 'week' });
    expect((await usual(null)).status).toBe(200);
    expect((await put(0, 3)).status).toBe(200);
  });
});

describe('[CAMP-04] B2B ID campaigns', () => {
  test('have an audience and company data fields, at the price for these', async () => {
    const made = await make('b2b', {
      b2bInformation: [101, 105],
      CostSet: '4',
      CostSetB2b: '6',
      CostSetAdvanced: '5',
      jobTitles: ['  Marketing  Manager', 'marketing manager', '--'],
      seniority: ['Director', 'Vice president'],
      companySize: ['10,000 or more', '1 to 10'],
    });
    expect([made.status, made.data]).toMatchObject([
      200,
      {
        leadspeekType: 'b2b',
        b2bInformation: [101, 105],
        jobTitles: ['Marketing Manager'],
        seniority: ['Vice president', 'Director'],
        department: [],
        industry: [],
        companySize: ['1 to 10', '10,000 or more'],
      },
    ]);
    expect((await priceOf(made.data.leadspeekID))[0]).toBe(6);
    const changed = await call('PUT', 'leadspeek/client/update', {
      campaignName: 'Runners',
      leadspeekID: made.data.leadspeekID,
      version: made.data.version,
      industry: ['Software'],
      seniority: [],
    });
    expect(changed.data).toMatchObject({
      industry: ['Software'],
      seniority: [],
      jobTitles: ['Marketing Manager'],
      locatorkeyword: 'running shoes',
    });
    const list = (type: string) => call('GET', `leadspeek/client/list?leadspeekType=${type}`);
    expect((await list('b2b')).body.data).toMatchObject([{ leadspeekType: 'b2b' }]);
    const both = (await list('b2b|enhance')).body.data as { leadspeekType: string }[];
    expect(new Set(both.map((one) => one.leadspeekType))).toEqual(new Set(['b2b', 'enhance']));
  });

  test('what is not offered is refused with the field and the rule', async () => {
    for (const [module, given, field, rule] of [
      ['b2b', { seniority: ['Emperor'] }, 'seniority', 'has Emperor, which cannot be selected'],
      ['b2b', { companySize: ['7'] }, 'companySize', 'has 7, which cannot be selected'],
      ['b2b', { b2bInformation: [1] }, 'b2bInformation', 'has 1, which is not a data field of this list'],
      ['b2b', { advanceInformation: [1] }, 'advanceInformation', 'is not for B2B ID campaigns'],
      ['enhance', { b2bInformation: [101] }, 'b2bInformation', 'is for B2B ID campaigns only'],
      [
        'enhance',
        { advanceInformation: [9999] },
        'advanceInformation',
        'has 9999, which is not a data field of this list',
      ],
    ] as const)
      expect(await make(module, given)).toMatchObject({ status: 422, errors: { [field]: [rule] } });
    // Restricted by the root for the agency: neither it nor its clients may request the field.
    const owner = { root_id: root.id, agency_id: agency.id, company_id: agency.id };
    await app.admin.query(
      `insert into data_choice (company_id, root_id, agency_id, information, providers, updated_at)
       values ($1, $2, $1, '{1}', '{}', now())`,
      [owner.company_id, owner.root_id],
    );
    const narrowed = { errors: { advanceInformation: ['has 2 (Gender), which is not available'] } };
    expect(await make('enhance', { advanceInformation: [1, 2] }, asClient)).toMatchObject(narrowed);
    await app.admin.query('delete from data_choice where company_id = $1', [agency.id]);
    expect((await make('enhance', { advanceInformation: [1, 2] }, asClient)).status).toBe(200);
  });

  test('[BETA-01] without the trial an agency has none; a removed product neither', async () => {
    const stranger = await app.make.agency(root, { host: 'other.modules.test' });
    const theirs = await app.make.client(stranger);
    await app.make.user(stranger, { email: 'other@m.test', password: PASSWORD });
    const token = await app.signIn('other@m.test', 'other.modules.test');
    const ask = (leadspeekType: string) =>
      app.call('POST', '/api/leadspeek/client/create', {
        host: 'other.modules.test',
        token,
        body: { ...fields, leadspeekType, companyID: theirs.id },
      });
    expect(await ask('b2b')).toMatchObject({
      status: 403,
      body: { errors: { leadspeekType: ['is not one of this client’s products'] } },
    });
    expect((await ask('enhance')).status).toBe(200);
  });
});

describe('[CAMP-15] prices by the data that is asked for', () => {
  test('Site ID with personal data costs CostSetAdvanced, and wholesale LeadspeekCostperleadAdvanced', async () => {
    const costs = await app.call('PUT', '/api/configuration/setting', {
      host: 'root.test',
      token: asRoot,
      body: {
        companyID: agency.id,
        comsetname: 'costagency',
        comsetval: {
          local: { Prepaid: { LeadspeekCostperlead: '0.5', LeadspeekCostperleadAdvanced: '0.8' } },
        },
      },
    });
    expect(costs.status).toBe(200);
    const site = { urlCode: 'https://shop.example/', CostSet: '1', PaymentTerm: 'Prepaid' };
    const plain = await make('local', site);
    expect(await priceOf(plain.data.leadspeekID)).toEqual([1, 0.5]);
    const rich = await make('local', { ...site, CostSetAdvanced: '1.4', advanceInformation: [1] });
    expect(await priceOf(rich.data.leadspeekID)).toEqual([1.4, 0.8]);
    expect(rich.data).toMatchObject({ margin_micros: 600_000 });
    // If no price is set for it, the plain one applies.
    const unset = await make('local', { ...site, CostSetAdvanced: '0', advanceInformation: [1] });
    expect(await priceOf(unset.data.leadspeekID)).toEqual([1, 0.8]);
  });
});
