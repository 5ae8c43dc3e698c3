import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { onboardingFault } from '../../../../contract/accounts/company-rules.ts';
import { messages } from '../../../../contract/messages.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company, MadeCampaign } from '../../../test/factories.ts';
import { beginOf, discountOf } from './policy.ts';

const USD = 1_000_000n;
const DAY = 86_400_000;
let app: TestApp;
let root: Company;
let acme: Company;
let second: Company;
let client: Company;
let tokens: Record<string, string>;
const hosts: Record<string, string> = {
  root: 'root.test',
  rootadmin: 'root.test',
  sales: 'root.test',
  agency: 'acme.root.test',
  client: 'acme.root.test',
  second: 'second.root.test',
  foreign: 'foreign.test',
};

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test', isMaster: true });
  acme = await app.make.agency(root, { host: 'acme.root.test', name: 'Acme' });
  second = await app.make.agency(root, { host: 'second.root.test', name: 'Second' });
  client = await app.make.client(acme, { name: 'A client' });
  const foreign = await app.make.root({ host: 'foreign.test' });
  for (const [name, company, role] of [
    ['root', root, 'owner'],
    ['rootadmin', root, 'administrator'],
    ['sales', root, 'sales'],
    ['agency', acme, 'owner'],
    ['client', client, 'owner'],
    ['second', second, 'owner'],
    ['foreign', foreign, 'owner'],
  ] as const) {
    await app.make.user(company, { email: `${name}@x.test`, role, password: PASSWORD });
  }
  await signInAll();
});
afterAll(() => app.close());

/** Access tokens end after 15 minutes: needed again once the clock has moved. */
async function signInAll(): Promise<void> {
  tokens = {};
  for (const [name, host] of Object.entries(hosts)) tokens[name] = await app.signIn(`${name}@x.test`, host);
}

const call = async (who: string, method: 'GET' | 'PUT' | 'POST' | 'DELETE', url: string, body?: unknown) => {
  const answer = await app.call(method, `/api${url}`, {
    host: hosts[who]!,
    token: tokens[who]!,
    ...(body !== undefined ? { body } : {}),
  });
  // biome-ignore lint/suspicious/noExplicitAny: answers of many calls
  return answer as { status: number; body: any; text: string };
};
const save = (who: string, companyID: string, comsetval: unknown, more: object = {}) =>
  call(who, 'PUT', '/configuration/setting', { companyID, comsetname: 'costagency', comsetval, ...more });
const read = async (who: string, companyID: string) =>
  (await call(who, 'GET', `/configuration/setting/${companyID}/costagency`)).body;
const campaignOf = async (who: string, campaign: MadeCampaign) =>
  (await call(who, 'GET', `/leadspeek/getcampaign/${campaign.id}`)).body;
const fields = { campaignName: 'Spring', urlCode: 'https://shop.example/' };
const change = async (who: string, campaign: MadeCampaign, given: object) => {
  const { version } = await campaignOf('agency', campaign);
  return call(who, 'PUT', '/leadspeek/client/update', {
    ...fields,
    leadspeekID: campaign.id,
    version,
    ...given,
  });
};
/** What a lead of the campaign costs client and agency, at an instant. */
const priceAt = (campaign: MadeCampaign, at: Date, module = 'local') =>
  inScope(app.platform.db.app, { rootId: root.id }, async (tx) =>
    (await app.features.billing.leadCosts(tx, [{ id: campaign.id, agency_id: acme.id, module }], at))(
      campaign.id,
    ),
  );

describe('[AGCY-17] the agency cost setting', () => {
  test('begins with 0 for every module, term and fee, and is answered with minimums and the selected term', async () => {
    const setting = await read('agency', acme.id);
    const four = ['Weekly', 'Monthly', 'OneTime', 'Prepaid'];
    for (const part of [setting.data, setting.rootcostagency]) {
      expect(Object.keys(part)).toEqual(['local', 'locator', 'enhance', 'b2b', 'simplifi']);
      for (const module of Object.values(part) as object[]) expect(Object.keys(module)).toEqual(four);
      expect(part.local.Weekly).toEqual({
        LeadspeekPlatformFee: '0',
        LeadspeekMinCostMonth: '0',
        LeadspeekCostperlead: '0',
        LeadspeekCostperleadAdvanced: '0',
        LeadspeekCostperleadCompany: '0',
      });
      expect(part.b2b.OneTime).toEqual({ B2bPlatformFee: '0', B2bMinCostMonth: '0', B2bCostperlead: '0' });
    }
    expect(setting).toMatchObject({ dpay: 'Prepaid', planned: [], version: 0 });
  });

  test('keeps what is left out, by term, and the selected term', async () => {
    await save('root', acme.id, {
      local: { Weekly: { LeadspeekCostperlead: '0.5', LeadspeekPlatformFee: '99' } },
    });
    const { status, body } = await save('rootadmin', acme.id, {
      local: { Weekly: { LeadspeekCostperlead: '0.75' }, Prepaid: { LeadspeekCostperlead: '1' } },
      dpay: 'Weekly',
    });
    expect([status, body.message]).toEqual([200, messages.settingSaved]);
    const { data, dpay } = await read('agency', acme.id);
    expect(dpay).toBe('Weekly');
    expect(data.local.Weekly).toMatchObject({ LeadspeekCostperlead: '0.75', LeadspeekPlatformFee: '99.00' });
    expect(data.local.Prepaid).toMatchObject({ LeadspeekCostperlead: '1.00', LeadspeekPlatformFee: '0' });
    expect(data.local.Monthly.LeadspeekCostperlead).toBe('0');
    const { rows } = await app.admin.query(
      `select d.description from user_log l join user_log_detail d on d.log_id = l.id where l.action = 'setting.save'`,
    );
    expect(rows.map((row) => row.description).join()).toContain(
      'Site ID Weekly LeadspeekCostperlead 0.50 to 0.75',
    );
  });

  test.each([
    ['-1'],
    ['NaN'],
    ['1e309'],
    ['1,000'],
    ['１'],
    ['0.0000001'],
    [''],
    [' 1'],
    ['1000000000'],
    [true],
    [null],
    ['0x10'],
  ])('refuses the amount %j, naming the fee', async (amount) => {
    const { status, body } = await save('root', acme.id, {
      local: { Prepaid: { LeadspeekCostperlead: amount } },
    });
    expect([status, Object.keys(body.errors)]).toEqual([422, ['local.Prepaid.LeadspeekCostperlead']]);
  });
  test('takes parts of cents for a lead only', async () => {
    const month = await save('root', acme.id, { locator: { Weekly: { LocatorMinCostMonth: '0.001' } } });
    expect(month.body.errors).toEqual({ 'locator.Weekly.LocatorMinCostMonth': ['must be in whole cents'] });
    const lead = await save('root', acme.id, { locator: { Weekly: { LocatorCostperlead: '0.001' } } });
    expect(lead.body.data.data.locator.Weekly.LocatorCostperlead).toBe('0.001');
  });
  test.each([[{ local: { Yearly: {} } }], [{ other: {} }], [{ local: { Weekly: { B2bCostperlead: '1' } } }]])(
    'refuses what is no module, term or fee: %j',
    async (value) => expect((await save('root', acme.id, value)).status).toBe(422),
  );

  test('no cost per lead of enhance and b2b below that of the root for the term', async () => {
    await save('root', root.id, {
      enhance: { Weekly: { EnhanceCostperlead: '0.10' } },
      b2b: { Prepaid: { B2bCostperlead: '0.25' } },
    });
    const low = await save('root', acme.id, { enhance: { Weekly: { EnhanceCostperlead: '0.09' } } });
    expect([low.status, low.body.errors]).toEqual([
      422,
      { 'enhance.Weekly.EnhanceCostperlead': ['*Cost Per Lead Minimum $0.10'] },
    ]);
    // Another term and another module have no minimum.
    expect(
      (await save('root', acme.id, { enhance: { Monthly: { EnhanceCostperlead: '0.01' } } })).status,
    ).toBe(200);
    expect((await save('root', acme.id, { locator: { Weekly: { LocatorCostperlead: '0' } } })).status).toBe(
      200,
    );
    const { data, rootcostagency } = await read('agency', acme.id);
    expect(rootcostagency.enhance.Weekly.EnhanceCostperlead).toBe('0.10');
    // Values that have not been set are shown, and charged, at the minimum.
    expect(data.b2b.Prepaid.B2bCostperlead).toBe('0.25');
    const campaign = await app.make.campaign(client, { price: USD });
    expect(await priceAt(campaign, app.clock.now(), 'b2b')).toMatchObject({ costMicros: 250_000n });
    expect(await priceAt(campaign, app.clock.now(), 'enhance')).toMatchObject({ costMicros: 0n });
    const other = await save('root', root.id, { local: { Weekly: { LeadspeekCostperlead: '1' } } });
    expect(other.body.errors).toHaveProperty(['local.Weekly.LeadspeekCostperlead']);
  });

  test('who may: the root writes, the agency reads its own, no one else knows of it', async () => {
    const value = { local: { Weekly: { LeadspeekCostperlead: '0.01' } } };
    expect((await save('agency', acme.id, value)).status).toBe(403);
    expect((await save('client', acme.id, value)).status).toBe(403);
    // Not assigned to them (features/accounts/sales tests the rest).
    expect((await save('sales', acme.id, value)).status).toBe(404);
    expect((await save('foreign', acme.id, value)).status).toBe(404);
    expect((await save('second', acme.id, value)).status).toBe(404);
    expect((await call('second', 'GET', `/configuration/setting/${acme.id}/costagency`)).status).toBe(404);
    expect((await call('client', 'GET', `/configuration/setting/${acme.id}/costagency`)).status).toBe(403);
    expect((await call('agency', 'GET', `/configuration/setting/${root.id}/costagency`)).status).toBe(404);
    // The database itself enforces the separation.
    await expect(
      inScope(app.platform.db.app, { rootId: root.id, agencyId: acme.id }, (tx) =>
        app.features.pricing.setLeadCost(tx, {
          rootId: root.id,
          agencyId: acme.id,
          module: 'local',
          costMicros: 0n,
          from: app.clock.now(),
        }),
      ),
    ).rejects.toThrow(/row-level security/);
  });

  test('of two editors the later is told', async () => {
    const { version } = await read('root', acme.id);
    const value = (amount: string) => ({ locator: { Monthly: { LocatorCostperlead: amount } } });
    const both = await Promise.all([
      save('root', acme.id, value('0.11'), { version }),
      save('rootadmin', acme.id, value('0.12'), { version }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const kept = both.find(({ status }) => status === 200)!.body.data.data.locator.Monthly.LocatorCostperlead;
    expect((await read('root', acme.id)).data.locator.Monthly.LocatorCostperlead).toBe(kept);
  });

  test('a change counts from its day on and leaves the past as it was', async () => {
    const campaign = await app.make.campaign(client, { price: 3n * USD });
    await save('root', acme.id, { local: { Prepaid: { LeadspeekCostperlead: '1.00' } } });
    const yesterday = app.clock.now();
    app.clock.advance(DAY);
    await signInAll();
    expect(
      (await save('root', acme.id, { local: { Prepaid: { LeadspeekCostperlead: '1.20' } } })).status,
    ).toBe(200);
    expect((await priceAt(campaign, yesterday)).costMicros).toBe(USD);
    expect((await priceAt(campaign, app.clock.now())).costMicros).toBe(1_200_000n);

    const past = await save('root', acme.id, { dpay: 'Weekly' }, { effective_from: '2026-03-10' });
    expect(past.body.errors).toEqual({ effective_from: ['must not be in the past'] });
    const planned = await save(
      'root',
      acme.id,
      { local: { Prepaid: { LeadspeekCostperlead: '2' } } },
      { effective_from: '2026-03-14' },
    );
    // The day begins in the system's time zone, Chicago.
    expect(planned.body.data.planned).toEqual([
      {
        effective_from: '2026-03-14T05:00:00.000Z',
        data: { local: { Prepaid: expect.objectContaining({ LeadspeekCostperlead: '2.00' }) } },
      },
    ]);
    expect(planned.body.data.data.local.Prepaid.LeadspeekCostperlead).toBe('1.20');
    expect((await priceAt(campaign, new Date('2026-03-14T04:59:59.999Z'))).costMicros).toBe(1_200_000n);
    expect((await priceAt(campaign, new Date('2026-03-14T05:00:00.000Z'))).costMicros).toBe(2n * USD);
    await expect(app.admin.query('update wholesale_cost set lead_micros = 0')).rejects.toThrow(/append-only/);
    await expect(
      app.admin.query(
        `insert into wholesale_cost (root_id, agency_id, company_id, module, term, valid_from, recorded_at, setup_micros, month_micros, lead_micros, lead_advanced_micros)
         select root_id, agency_id, company_id, module, term, valid_from, valid_from + interval '1 s', 0, 0, 0, 0 from wholesale_cost limit 1`,
      ),
    ).rejects.toThrow(/check constraint/);
  });

  test('a lead of yesterday keeps yesterday’s price, and its agency’s cost of yesterday', async () => {
    const site = await app.make.campaign(client, { price: 3n * USD, balance: 100n * USD });
    const [one, two] = [app.make.person(), app.make.person()];
    await app.make.people(root, [one, two]);
    await app.make.visit(site, { email: one.email });
    await app.features.leads.resolver.resolveAll();
    app.clock.advance(DAY);
    await signInAll();
    await save('root', acme.id, { local: { Prepaid: { LeadspeekCostperlead: '1.50' } } });
    expect((await change('agency', site, { CostSet: '4' })).status).toBe(200);
    await app.make.visit(site, { email: two.email });
    await app.features.leads.resolver.resolveAll();
    const { rows } = await app.admin.query(
      'select price_micros::int as price, cost_micros::int as cost from lead where campaign_id = $1 order by created_at',
      [site.id],
    );
    expect(rows).toEqual([
      { price: 3_000_000, cost: 1_200_000 },
      { price: 4_000_000, cost: 1_500_000 },
    ]);
  });
});

describe('[CAMP-15] what a campaign costs its client', () => {
  let campaign: MadeCampaign;
  beforeAll(async () => {
    campaign = await app.make.campaign(client, { price: 3n * USD });
  });

  test('begins at once, also while time goes on', async () => {
    const site = await app.make.campaign(client, { price: 3n * USD });
    const { version } = await campaignOf('agency', site);
    const now = vi.spyOn(app.clock, 'now');
    const begun = app.clock.now().getTime();
    let reads = 0;
    // The database takes its time between two looks at the clock.
    now.mockImplementation(() => new Date(begun + reads++));
    const { status, body } = await call('agency', 'PUT', '/leadspeek/client/update', {
      ...{ ...fields, leadspeekID: site.id, version },
      CostSet: '4',
    });
    now.mockRestore();
    expect([status, body.data?.CostSet]).toEqual([200, '4.00']);
  });

  test('holds every fee, and the wholesale cost of its own payment term', async () => {
    const given = {
      CostSet: '5',
      CostSetAdvanced: '6.5',
      CostSetB2b: '7',
      CostMaxLead: '9.00',
      CostMonth: '49.90',
      PlatformFee: '0',
      PaymentTerm: 'Prepaid',
      topupoptions: 'continual',
      leadsbuy: 100,
    };
    const { status, body } = await change('agency', campaign, given);
    expect([status, body.data]).toMatchObject([
      200,
      {
        CostSet: '5.00',
        CostSetAdvanced: '6.50',
        CostSetB2b: '7.00',
        CostMaxLead: '9.00',
        CostMonth: '49.90',
        PlatformFee: '0.00',
        PaymentTerm: 'Prepaid',
        topupoptions: 'continual',
        leadsbuy: 100,
        margin_micros: 3_500_000,
      },
    ]);
    await change('agency', campaign, { PaymentTerm: 'Weekly', topupoptions: 'onetime', leadsbuy: null });
    expect((await campaignOf('agency', campaign)).margin_micros).toBe(4_250_000);
  });

  test.each([
    [{ CostSet: '-1' }, 'CostSet'],
    [{ CostSet: '1,000' }, 'CostSet'],
    [{ CostMonth: '0.001' }, 'CostMonth'],
    [{ PlatformFee: '１２' }, 'PlatformFee'],
    [{ CostSet: '9.01' }, 'CostSet'],
    [{ PaymentTerm: 'Yearly' }, 'PaymentTerm'],
    [{ topupoptions: 'continual' }, 'topupoptions'],
    [{ PaymentTerm: 'Prepaid', topupoptions: 'continual' }, 'leadsbuy'],
    [{ leadsbuy: 0 }, 'leadsbuy'],
    [{ CostSet: '5.5', effective_from: '2026-01-01' }, 'effective_from'],
  ])('refuses %j by %s', async (given, field) => {
    const { status, body } = await change('agency', campaign, given);
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
  });

  test('clients see their own price and neither wholesale nor margin, and set nothing', async () => {
    const seen = await campaignOf('client', campaign);
    expect(seen).toMatchObject({ CostSet: '5.00', margin_micros: null });
    const list = await call('client', 'GET', '/leadspeek/client/list');
    expect(list.body.data.every((row: { margin_micros: unknown }) => row.margin_micros === null)).toBe(true);
    for (const given of [
      { CostMonth: '1' },
      { leadsbuy: 5 },
      { PaymentTerm: 'Weekly' },
      { topupoptions: 'onetime' },
    ])
      expect((await change('client', campaign, given)).status).toBe(403);
    expect((await change('client', campaign, {})).status).toBe(200);
  });

  test('a price below the wholesale cost shows as a negative margin', async () => {
    const { body } = await change('agency', campaign, { CostSet: '0.50', CostMaxLead: '0' });
    expect(body.data.margin_micros).toBe(-250_000);
  });

  test('a planned price begins by itself, at midnight of the client', async () => {
    const day = '2026-03-20';
    const { body } = await change('agency', campaign, { CostSet: '8', effective_from: day });
    expect(body.data).toMatchObject({
      CostSet: '0.50',
      planned_costs: [{ CostSet: '8.00', effective_from: '2026-03-20T05:00:00.000Z' }],
    });
    expect((await priceAt(campaign, new Date('2026-03-20T04:59:59.999Z'))).priceMicros).toBe(500_000n);
    expect((await priceAt(campaign, new Date('2026-03-20T05:00:00Z'))).priceMicros).toBe(8n * USD);
  });
});

describe('what the next campaigns of a client cost', () => {
  const url = '/configuration/user/costmodule';
  test('is set by its agency, and a new campaign begins with it', async () => {
    const fresh = await app.make.client(acme);
    const before = (await call('agency', 'GET', `${url}/${fresh.id}`)).body;
    expect(before).toMatchObject({ is_set: false, CostSet: '0.00', version: '0' });
    const given = {
      companyID: fresh.id,
      CostSet: '2.75',
      CostMonth: '20',
      PaymentTerm: 'Monthly',
      LimitLead: 40,
    };
    const { status, body } = await call('agency', 'PUT', url, { ...given, version: before.version });
    expect([status, body.data]).toMatchObject([200, { CostSet: '2.75', LimitLead: 40, is_set: true }]);
    expect((await call('agency', 'PUT', url, { ...given, version: before.version })).status).toBe(409);
    const made = await call('agency', 'POST', '/leadspeek/client/create', { ...fields, companyID: fresh.id });
    expect(made.body.data).toMatchObject({
      CostSet: '2.75',
      CostMonth: '20.00',
      PaymentTerm: 'Monthly',
      LimitLead: 40,
    });
    const other = await call('agency', 'POST', '/leadspeek/client/create', {
      ...fields,
      companyID: fresh.id,
      LimitLead: null,
      CostSet: '1',
    });
    expect(other.body.data).toMatchObject({ CostSet: '1.00', LimitLead: null });
    // Amounts may also be numbers, and a limit may be weekly or monthly.
    const weekly = await call('agency', 'PUT', url, { ...given, CostSet: 2.5, LimitLeadFreq: 'week' });
    expect(weekly.body.data).toMatchObject({ CostSet: '2.50', LimitLead: 40, LimitLeadFreq: 'week' });
    const next = async (more: object) =>
      (await call('agency', 'POST', '/leadspeek/client/create', { ...fields, companyID: fresh.id, ...more }))
        .body.data;
    expect(await next({})).toMatchObject({ LimitLead: 40, LimitLeadFreq: 'week' });
    expect(await next({ LimitLead: 7 })).toMatchObject({ LimitLead: 7, LimitLeadFreq: 'day' });
    for (const CostSet of [-1, 1e21, 1e-7, true])
      expect((await call('agency', 'PUT', url, { ...given, CostSet })).body.errors).toHaveProperty('CostSet');
    expect((await call('agency', 'PUT', url, { ...given, LimitLeadFreq: 'year' })).status).toBe(422);
  });
  test('belongs to the tenant', async () => {
    expect((await call('client', 'GET', `${url}/${client.id}`)).status).toBe(200);
    expect((await call('second', 'GET', `${url}/${client.id}`)).status).toBe(404);
    expect((await call('second', 'PUT', url, { companyID: client.id, CostSet: '0' })).status).toBe(404);
    expect((await call('client', 'PUT', url, { companyID: client.id, CostSet: '0' })).status).toBe(403);
    expect((await call('agency', 'PUT', url, { companyID: acme.id, CostSet: '0' })).status).toBe(404);
  });
});

describe('[CONF-05] plans of minimum spend', () => {
  const url = '/general/minimum-spend-config';
  const plan = { planName: 'Growth', months: ['0', '250', '349'], flatMonth: '349' };
  test('are added, changed, made the default, chosen and removed', async () => {
    const one = (await call('root', 'POST', url, plan)).body.data;
    expect(one).toMatchObject({ months: ['0.00', '250.00', '349.00'], flatMonth: '349.00', default: 'T' });
    expect((await call('root', 'POST', url, { ...plan, planName: 'GROWTH' })).body.errors).toHaveProperty(
      'planName',
    );
    expect((await call('root', 'POST', url, { ...plan, planName: 'x', months: ['-1'] })).status).toBe(422);
    const two = (await call('root', 'POST', url, { ...plan, planName: 'Late', months: [] })).body.data;
    expect(two.default).toBe('F');
    expect((await call('root', 'DELETE', `${url}/${one.id}`)).status).toBe(409);
    const mine = async (who = 'agency', of = acme.id) =>
      call(who, 'GET', `/configuration/setting/minimum-spend/${of}`);
    expect((await mine()).body.data).toMatchObject({ id: one.id, planName: 'Growth' });
    await call('root', 'PUT', '/configuration/setting/minimum-spend-plan', {
      companyID: acme.id,
      planMinSpendId: two.id,
    });
    expect((await mine()).body.data).toMatchObject({ id: two.id });
    expect((await mine('second', second.id)).body.data).toMatchObject({ id: one.id });
    expect((await mine('second')).status).toBe(404);
    expect((await call('root', 'DELETE', `${url}/${two.id}`)).status).toBe(409);
    await call('root', 'PUT', '/configuration/setting/minimum-spend-plan', {
      companyID: acme.id,
      planMinSpendId: null,
    });
    expect((await mine()).body.data).toMatchObject({ id: one.id });
    const changed = await call('root', 'PUT', `${url}/${two.id}`, {
      ...plan,
      planName: 'Later',
      version: two.version,
    });
    expect(changed.body.data).toMatchObject({
      planName: 'Later',
      months: plan.months.map((m) => Number(m).toFixed(2)),
    });
    expect((await call('root', 'PUT', `${url}/${two.id}`, { ...plan, version: two.version })).status).toBe(
      422,
    );
    expect(
      (await call('root', 'PUT', `${url}/${two.id}`, { ...plan, planName: 'B', version: two.version }))
        .status,
    ).toBe(409);
    expect((await call('root', 'PUT', `${url}/${two.id}/default`)).body.data.default).toBe('T');
    expect((await call('root', 'DELETE', `${url}/${one.id}`)).status).toBe(200);
    expect((await call('root', 'GET', url)).body.data).toHaveLength(1);
  });
  test('are the root’s alone', async () => {
    const [{ id }] = (await call('root', 'GET', url)).body.data;
    expect((await call('foreign', 'GET', url)).body.data).toEqual([]);
    expect((await call('foreign', 'PUT', `${url}/${id}`, { ...plan, version: 1 })).status).toBe(404);
    expect((await call('agency', 'GET', url)).status).toBe(403);
    expect((await call('agency', 'POST', url, plan)).status).toBe(403);
  });
  test('the root’s own minimum is a setting of the root', async () => {
    const value = { status: 'T', first_month: '0', second_month: '100', monthly: '349' };
    const send = (who: string, companyID: string) =>
      call(who, 'PUT', '/configuration/setting', { companyID, comsetname: 'rootminspend', comsetval: value });
    expect((await send('root', root.id)).body.data.data).toEqual(value);
    expect((await send('root', acme.id)).status).toBe(422);
    expect((await call('agency', 'GET', `/configuration/setting/${acme.id}/rootminspend`)).status).toBe(403);
    const bad = await call('root', 'PUT', '/configuration/setting', {
      comsetname: 'rootminspend',
      comsetval: { ...value, monthly: '1e309' },
    });
    expect(bad.body.errors).toHaveProperty('monthly');
  });
});

describe('[CONF-08] coupons and the onboarding charge', () => {
  test.each([
    ['', messages.onboardInvalid],
    ['abc', messages.onboardInvalid],
    ['NaN', messages.onboardInvalid],
    ['Infinity', messages.onboardInvalid],
    ['1,000', messages.onboardInvalid],
    ['１', messages.onboardInvalid],
    ['1.001', messages.onboardInvalid],
    ['-0.01', messages.onboardNegative],
    ['-5', messages.onboardNegative],
    ['0.001', messages.onboardTooLow],
    ['0.5', messages.onboardTooLow],
    ['0.51', null],
    ['0', null],
    ['1.10', null],
    ['1.100', null],
  ])('an onboarding charge of %j: %s', (text, fault) => expect(onboardingFault(text)).toBe(fault));

  test('the charge is stored for an agency, by its root', async () => {
    const url = '/configuration/setting/onboarding-charge';
    const set = (who: string, amount: unknown) =>
      call(who, 'PUT', url, { CompanyID: acme.id, amount, enable_coupon: 'T' });
    expect((await set('root', '0.5')).body.errors).toEqual({ amount: [messages.onboardTooLow] });
    expect((await set('root', null)).body.errors).toEqual({ amount: [messages.onboardInvalid] });
    expect((await set('root', 499.99)).body).toMatchObject({ status: 'success', result: 'success' });
    expect((await call('root', 'GET', `${url}/${acme.id}`)).body.data).toEqual({
      amount: '499.99',
      enable_coupon: 'T',
    });
    expect((await set('agency', '0')).status).toBe(403);
    expect((await set('foreign', '0')).status).toBe(404);
  });

  test('a coupon tells what it takes off, is used once an agency and not beyond its uses', async () => {
    const add = (given: object) => call('root', 'POST', '/configuration/coupon', given);
    const half = await add({ coupon_code: ' half-off ', percent: '50', max_uses: 1 });
    expect([half.status, half.body.data.coupon_code]).toEqual([200, 'HALF-OFF']);
    expect((await add({ coupon_code: 'HALF-OFF', percent: '1' })).body.errors).toHaveProperty('coupon_code');
    expect((await add({ coupon_code: 'BOTH', percent: '1', amount: '1' })).body.errors).toHaveProperty(
      'amount',
    );
    for (const percent of ['0', '100.01', '-1', '1e1'])
      expect((await add({ coupon_code: 'PERCENT', percent })).body.errors).toHaveProperty('percent');
    const ending = {
      coupon_code: 'ENDING',
      amount: '1000',
      expires_at: new Date(app.clock.now().getTime() + DAY).toISOString(),
    };
    expect((await add(ending)).status).toBe(200);
    const get = (who: string, coupon_code: string, companyID?: string) =>
      call(who, 'POST', '/configuration/coupon/get-coupon', { coupon_code, companyID });
    expect((await get('agency', 'half-off')).body.data).toMatchObject({
      percent: '50.00',
      charge: '499.99',
      discount: '249.99',
      total: '250.00',
    });
    expect((await get('root', 'ENDING', acme.id)).body.data).toMatchObject({
      discount: '499.99',
      total: '0.00',
    });
    expect((await get('agency', 'NO-SUCH')).body.errors).toHaveProperty('coupon_code');
    expect((await get('second', 'HALF-OFF')).status).toBe(422); // coupons are off there
    expect((await get('foreign', 'HALF-OFF', acme.id)).status).toBe(404);
    expect((await get('client', 'HALF-OFF')).status).toBe(403);

    const redeem = (agency: Company) =>
      inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
        app.features.coupons.redeem(
          tx,
          root.id,
          { agencyId: agency.id, amountMicros: 100n * USD, couponsOn: true },
          'HALF-OFF',
          app.clock.now(),
        ),
      );
    const both = await Promise.allSettled([redeem(acme), redeem(second)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const done = both.find(({ status }) => status === 'fulfilled') as PromiseFulfilledResult<bigint>;
    expect(done.value).toBe(50n * USD);
    expect((await get('agency', 'HALF-OFF')).status).toBe(422);
    app.clock.advance(DAY);
    await signInAll();
    expect((await get('agency', 'ENDING')).status).toBe(422);
    const [{ id }] = (await call('root', 'GET', '/configuration/coupon')).body.data;
    expect((await call('root', 'DELETE', `/configuration/coupon/${id}`)).status).toBe(200);
    expect((await call('root', 'DELETE', `/configuration/coupon/${id}`)).status).toBe(404);
  });

  test('a coupon takes off whole cents, and never more than the charge', () => {
    expect(discountOf({ percent: '33.33', amount_micros: null }, 100_000_000n)).toBe(33_330_000n);
    expect(discountOf({ percent: '0.01', amount_micros: null }, 990_000n)).toBe(0n);
    expect(discountOf({ percent: '100', amount_micros: null }, 999_990_000n)).toBe(999_990_000n);
    expect(discountOf({ percent: null, amount_micros: 5n * USD }, 2n * USD)).toBe(2n * USD);
  });
  test('a day begins where clocks change, and not before today', () => {
    const now = new Date('2026-03-08T12:00:00Z');
    expect(beginOf('2026-03-08', 'America/Chicago', now)).toBe(now);
    expect(beginOf('2026-11-02', 'America/Chicago', now).toISOString()).toBe('2026-11-02T06:00:00.000Z');
    expect(() => beginOf('2026-03-07', 'America/Chicago', now)).toThrow(/past/);
    expect(beginOf('2028-03-08', 'America/Chicago', now).toISOString()).toBe('2028-03-08T06:00:00.000Z');
    expect(() => beginOf('2028-03-09', 'America/Chicago', now)).toThrow(/two years/);
  });
});

describe('[BEY-11] planned changes', () => {
  /** A day this many days from now. */
  const day = (days: number): string =>
    new Date(app.clock.now().getTime() + days * DAY).toISOString().slice(0, 10);
  /** Plans a change for each of 20 days; returns the answers to one on a 21st day and to another on one of the 20. */
  async function planned(plan: (amount: string, effective_from: string) => Promise<{ status: number }>) {
    for (let i = 1; i <= 20; i++) expect((await plan(`${i + 5}.50`, day(i * 2))).status).toBe(200);
    const more = (await plan('77.50', day(5))) as { status: number; body: { errors: object } };
    expect([more.status, more.body.errors]).toEqual([
      422,
      {
        effective_from: [
          'would exceed the limit of 20 days with planned changes. Choose one of those days, or wait for the first',
        ],
      },
    ]);
    expect((await plan('78.50', day(4))).status).toBe(200);
    const far = (await plan('79.50', day(900))) as { status: number; body: { errors: object } };
    expect([far.status, far.body.errors]).toEqual([
      422,
      { effective_from: ['must be within the next two years'] },
    ]);
  }

  test('of the price of a campaign, and of a client’s next ones, are for 20 days at most', async () => {
    await signInAll();
    const fresh = await app.make.client(acme);
    const campaign = await app.make.campaign(fresh, { price: 3n * USD });
    await planned((CostSet, effective_from) => change('agency', campaign, { CostSet, effective_from }));
    expect((await change('agency', campaign, { CostSet: '99' })).status).toBe(200);
    await planned((CostSet, effective_from) =>
      call('agency', 'PUT', '/configuration/user/costmodule', {
        companyID: fresh.id,
        CostSet,
        effective_from,
      }),
    );
  });

  test('of what an agency and the root itself pay, too', async () => {
    await signInAll();
    const agency = await app.make.agency(root);
    await planned((amount, effective_from) =>
      save('root', agency.id, { locator: { Weekly: { LocatorCostperlead: amount } } }, { effective_from }),
    );
    await planned((cost, effective_from) =>
      call('root', 'PUT', '/configuration/supplier-costs', { module: 'locator', cost, effective_from }),
    );
  });
});
