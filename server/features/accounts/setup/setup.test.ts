import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SetupCheck } from '../../../../contract/accounts/setup.ts';
import { mayContinueAgency } from '../../../../contract/accounts/setup-rules.ts';
import { toInside } from '../../../../contract/wire-schema.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';

let app: TestApp;
let root: Company;
let agency: Company;
let client: Company;
const HOST = 'agency.test';
const logo = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>',
);
const phone = { number: '2025550123', country: 'US', calling: '+1' };
let passwordHash: string;

beforeAll(async () => {
  app = await testApp();
  const { make } = app;
  passwordHash = await app.features.users.hashPassword(PASSWORD);
  root = await make.root({ host: 'root.test', isMaster: true, brand: { name: 'R', link_color: '#111111' } });
  agency = await make.agency(root, {
    host: HOST,
    name: 'Agency',
    brand: { name: 'A', link_color: '#222222', logo },
    modules: [{ module: 'local', name: 'Visitor ID', slug: 'visitor-id' }],
  });
  client = await make.client(agency, { name: 'Client' });
});
afterAll(() => app.close());

let serial = 0;
async function person(
  company: Company,
  given: Partial<Parameters<TestApp['make']['user']>[1]> = {},
  host = HOST,
): Promise<{
  id: string;
  get: (url: string) => Promise<Body>;
  send: (m: 'POST' | 'PUT', url: string, body?: object) => Promise<Body>;
}> {
  const made = await app.make.user(company, { email: `p${++serial}@setup.test`, passwordHash, ...given });
  const token = await app.signIn(made.email, host);
  return {
    id: made.id,
    get: (url) => app.call('GET', url, { host, token }),
    send: (method, url, body = {}) => app.call(method, url, { host, token, body }),
  };
}
/** A company's details, as its owner enters them. */
const fill = (company: Company) =>
  app.make.details(company, {
    phone: '+12025550100',
    address: '1 Main',
    city: 'Chicago',
    zip: '60601',
    state_code: 'IL',
    country_code: 'US',
  });
type Body = { status: number; body: Record<string, unknown> & { errors?: unknown } };
const logs = async (action: string): Promise<number> =>
  Number((await app.admin.query('select count(*) as n from user_log where action = $1', [action])).rows[0].n);

/** Reads an agreement, and accepts what was read. */
async function confirm(
  by: {
    get: (path: string) => Promise<{ body: Record<string, unknown> }>;
    send: (
      method: 'POST',
      path: string,
      body: object,
    ) => Promise<{ status: number; body: Record<string, unknown> }>;
  },
  document_type: string,
) {
  const { text_hash = '' } = (await by.get(`/api/document/agreement/${document_type}`)).body;
  const body = { document_type, agreed: 'T', read_to_end: 'T', text_hash };
  return by.send('POST', '/api/general/agreement/confirm', body);
}

describe('[USER-01] the session user', () => {
  test('carries the person, the company, the brand above and the modules', async () => {
    const owner = await person(client, { name: 'Casey', phone });
    const { body } = await owner.get('/api/user');
    expect(body).toMatchObject({
      name: 'Casey',
      user_type: 'client',
      user_type_ori: 'client',
      systemuser: false,
      rootcomp: false,
      is_master: true,
      isViewMode: false,
      phonenum: '2025550123',
      phone_country_code: 'US',
      phone_country_calling_code: '+1',
      company_name: 'Client',
      company_parent: agency.id,
      company_root_id: root.id,
      companyparentname: 'Agency',
      companyparentlogo: expect.stringMatching(/^\/brand\/[0-9a-f-]{36}\.png$/),
      company_logo: null,
      shown_logo: {
        url: expect.stringMatching(/^\/brand\/[0-9a-f-]{36}\.png$/),
        width: expect.any(Number),
        height: expect.any(Number),
      },
      link_color: '#222222',
      ip_login: '127.0.0.1',
      leadspeek_type: 'local|locator|enhance',
      leadlocalname: 'Visitor ID',
      leadlocalurl: 'visitor-id',
      leadlocatorname: 'Search ID',
      leadlocatorurl: 'search-id',
      status_acc: '',
      customer_card_id: '',
      manual_bill: 'F',
      profile_setup_completed: 'F',
      questionnaire_setup_completed: 'F',
    });
    expect((body.module_permissions as unknown[]).length).toBe(4);
  });

  test('GET /user/{id}, getuserdata and retrieve answer the same; others need to be in the own scope', async () => {
    const boss = await person(agency);
    const below = await person(client);
    const sales = await person(agency, { role: 'sales' });
    const { body } = await boss.get(`/api/user/${below.id}`);
    expect(body).toMatchObject({ id: below.id, user_type: 'client' });
    expect((await boss.send('POST', '/api/user/getuserdata', { usrID: below.id })).body).toEqual(body);
    const own = await boss.get('/api/user');
    expect((await boss.send('POST', '/api/user/getuserdata')).body).toEqual(own.body);
    const both = await boss.get('/api/user/retrieve');
    expect(both.body.user).toEqual(own.body);
    expect(both.body.setup).toEqual((await boss.get(`/api/user/checksetupcomplete/${boss.id}`)).body);
    expect((await below.get(`/api/user/${boss.id}`)).status).toBe(404);
    expect((await sales.get(`/api/user/${below.id}`)).status).toBe(403);
    expect((await sales.get(`/api/user/${sales.id}`)).status).toBe(200);
  });

  test("a seller's account is as far as it was taken", async () => {
    for (const [step, state] of [
      ['start', 'pending'],
      ['submit', 'inverification'],
    ] as const) {
      const seller = await person(agency, { role: 'sales' });
      await app.make.salesAccount(agency, seller.id, step);
      const { body } = await seller.get(`/api/user/checksetupcomplete/${seller.id}`);
      expect(body.accountconnected).toBe(state);
    }
  });

  test("[ROUT-14] a seller's account stays in verification for as long as the provider takes", async () => {
    const seller = await person(agency, { role: 'sales' });
    const account = async () => {
      await app.features.payments.attendNotices();
      const { body } = await seller.get(`/api/user/checksetupcomplete/${seller.id}`);
      return body.accountconnected;
    };
    await app.make.salesAccount(agency, seller.id, 'submit', 600_000);
    app.clock.advance(300_000);
    expect(await account()).toBe('inverification');
    app.clock.advance(300_000);
    expect(await account()).toBe('completed');
  });
});

describe('[PROF-02] the setup of a new agency and of its client', () => {
  test('from nothing to complete, by the sandbox', async () => {
    const fresh = await app.make.agency(root, { host: 'fresh.test' });
    const owner = await person(fresh, {}, 'fresh.test');
    const check = async () => (await owner.get(`/api/user/checksetupcomplete/${owner.id}`)).body;
    expect(await check()).toMatchObject({
      setupcomplete: 'F',
      accountconnected: '',
      package_id: '',
      paymentgateway: 'sandbox',
      card_set: false,
      isBeta: false,
      modules: ['local', 'locator', 'enhance', 'b2b', 'simplifi'],
      agencyFilteredModules: ['local', 'locator', 'enhance'],
      colors_parent: { link_color: '#111111' },
      rootPaymentTermsNewAgencies: ['Weekly', 'Monthly', 'One Time', 'Prepaid'].map((value) => ({
        value,
        label: value,
      })),
      agencyDefaultModules: [
        { value: 'local', label: 'Site ID' },
        { value: 'locator', label: 'Search ID' },
        { value: 'enhance', label: 'Enhance ID' },
        { value: 'b2b', label: 'B2B ID' },
        { value: 'simplifi', label: 'Simplifi ID' },
      ],
      fcampid: '',
      finamt: '0.00',
      isDataWalletAgree: false,
      agreement_missing: true,
    });
    const early = await owner.send('PUT', '/api/leadspeek/user/setupcomplete');
    expect([early.status, Object.keys(early.body.errors as object)]).toEqual([
      422,
      ['phonenum', 'company_phone', 'company_address', 'company_city', 'company_zip', 'company_country_code'],
    ]);
    await app.admin.query(`update user_account set phone = '2025550123' where id = $1`, [owner.id]);
    await fill(fresh);
    const profile = await owner.send('PUT', '/api/leadspeek/user/setupcomplete', { usrID: owner.id });
    expect(profile.body).toMatchObject({ setupcomplete: 'F', missing: ['card', 'agreement'] });
    expect((await owner.get('/api/user')).body.profile_setup_completed).toBe('T');

    const card = await owner.send('PUT', '/api/payment/sandbox-card');
    expect(card.body.card).toMatchObject({ provider: 'sandbox', brand: 'visa', last4: '4242' });
    const other = await owner.send('PUT', '/api/payment/sandbox-card', { outcome: 'declines' });
    expect(other.body.card).toMatchObject({ last4: '0341' });
    expect((await owner.get('/api/user')).body.customer_card_id).toBe((other.body.card as { id: string }).id);

    for (const [step, state, charges] of [
      ['start', 'pending', false],
      ['submit', 'inverification', false],
      ['reject', 'failed', false],
      ['approve', 'completed', true],
      ['disable', 'pending', true],
      ['approve', 'completed', true],
    ] as const) {
      expect((await owner.send('POST', `/api/general/sandbox-account/${step}`)).body.status_acc).toBe(state);
      expect((await owner.get('/api/user')).body).toMatchObject({
        status_acc: state,
        charges_enabled: charges,
        payouts_enabled: state === 'completed',
      });
    }
    expect(await check()).toMatchObject({ setupcomplete: 'F', package_id: 'standard' });
    const agreed = await confirm(owner, 'default_agency');
    expect(agreed.body).toMatchObject({ status: 'T', version: '1' });
    expect(await check()).toMatchObject({ setupcomplete: 'T', card_set: true });
    expect(mayContinueAgency(toInside(SetupCheck, await check()) as SetupCheck)).toBe(true);

    // One row for each change; a repeated request writes none.
    expect([await logs('profile.completed'), await logs('agreement.accepted')]).toEqual([1, 1]);
    await owner.send('PUT', '/api/leadspeek/user/setupcomplete');
    await confirm(owner, 'default_agency');
    expect([await logs('profile.completed'), await logs('agreement.accepted')]).toEqual([1, 1]);
    expect([await logs('card.saved'), await logs('account.changed')]).toEqual([2, 6]);
  });

  test('a client waits for its own card and agreement, and sees the account of its agency', async () => {
    const owner = await person(client, { phone });
    await fill(client);
    const missing = async () => (await owner.send('PUT', '/api/leadspeek/user/setupcomplete')).body.missing;
    expect(await missing()).toEqual(['card', 'agreement']);
    const wrong = await confirm(owner, 'default_agency');
    expect(wrong.status).toBe(422);
    await confirm(owner, 'default_client');
    expect(await missing()).toEqual(['card']);
    // Billed outside the system, so no card is required.
    const terms = (values: object) =>
      inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
        app.features.billing.accounts.setTerms(
          tx,
          { root_id: root.id, agency_id: agency.id, company_id: agency.id },
          { ...values, updated_at: app.clock.now() },
        ),
      );
    await terms({ manual_bill: true });
    expect(await missing()).toEqual([]);
    expect((await owner.get('/api/user')).body.manual_bill).toBe('T');
    await terms({ manual_bill: false, access_module: 'paymentfailed' });
    expect((await owner.get(`/api/user/checksetupcomplete/${owner.id}`)).body).toMatchObject({
      accessmodule: '',
      accessmodule_agency: 'paymentfailed',
      clientsidebar: ['local', 'locator', 'enhance'],
    });
    await terms({ access_module: '' });
    const boss = await person(agency);
    await boss.send('POST', '/api/general/sandbox-account/submit');
    expect((await owner.get('/api/user')).body.status_acc).toBe('inverification');
    expect((await owner.send('POST', '/api/general/sandbox-account/approve')).status).toBe(403);
  });

  test('with the onboarding charge on, an agency completes without a card once nothing is due of it; its status is told', async () => {
    const other = await app.make.agency(root, { host: 'onboard.test' });
    await fill(other);
    const owner = await person(other, { phone }, 'onboard.test');
    await app.admin.query(
      `insert into setting (company_id, root_id, agency_id, name, value, version, updated_at)
       values ($1, $2, $1, 'onboarding_charge', '{"amount":"250.00","enable_coupon":"F"}', 1, now())`,
      [other.id, root.id],
    );
    await confirm(owner, 'default_agency');
    const done = await owner.send('PUT', '/api/leadspeek/user/setupcomplete');
    expect(done.body).toMatchObject({ setupcomplete: 'F', missing: ['onboarding'] });
    const status = async () => (await owner.get(`/api/user/onboarding-status/${owner.id}`)).body;
    expect(await status()).toEqual({
      agency_onboarding_status: true,
      agency_onboarding_price: '250.00',
      agency_enable_coupon: false,
      is_onboard_charged: false,
      onboarding_due: '250.00',
      onboarding_invoice_id: null,
    });
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.billing.accounts.setTerms(
        tx,
        { root_id: root.id, agency_id: other.id, company_id: other.id },
        { onboarding_charged: app.clock.now(), updated_at: app.clock.now() },
      ),
    );
    const after = await owner.send('PUT', '/api/leadspeek/user/setupcomplete');
    expect(after.body).toMatchObject({ setupcomplete: 'T', missing: [] });
    expect(await status()).toMatchObject({ is_onboard_charged: true, onboarding_due: '0.00' });
  });
});

test('the sandbox is closed where a payment provider is configured', async () => {
  const real = await testApp({
    settings: {
      stripe: {
        secretKey: 'sk_test_x',
        publishableKey: 'pk_test_x',
        webhookSecrets: ['whsec_x'],
        apiBase: 'http://127.0.0.1:9',
      },
    },
  });
  try {
    const company = await real.make.agency(await real.make.root(), { host: HOST });
    const { id, email } = await real.make.user(company, { passwordHash });
    const at = { host: HOST, token: await real.signIn(email, HOST) };
    expect((await real.call('PUT', '/api/payment/sandbox-card', { ...at, body: {} })).status).toBe(409);
    const step = await real.call('POST', '/api/general/sandbox-account/approve', { ...at, body: {} });
    expect(step.status).toBe(409);
    expect((await real.call('GET', `/api/user/checksetupcomplete/${id}`, at)).body).toMatchObject({
      paymentgateway: 'stripe',
      card_set: false,
      accountconnected: '',
    });
  } finally {
    await real.close();
  }
});

describe('[TEN-08] a module that comes or goes', () => {
  test('is cleared from and filled into the person at the next answer, whatever the name of its agency', async () => {
    const { products } = app.features.tenants;
    const owner = { root_id: root.id, agency_id: null, company_id: root.id, terms: null };
    const choose = (modules: string[] | null) =>
      inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
        products.choose(tx, { ...owner, modules, updated_at: app.clock.now() }),
      );
    const people = [await person(agency), await person(client)];
    const pairs = async () =>
      Promise.all(
        people.map(async (one) => {
          const { user, setup } = (await one.get('/api/user/retrieve')).body as unknown as {
            user: Record<string, string>;
            setup: { modules: string[] };
          };
          return [user.leadlocalname, user.leadlocalurl, setup.modules.includes('local')];
        }),
      );
    const there = ['Visitor ID', 'visitor-id', true];
    expect(await pairs()).toEqual([there, there]);
    await choose([]);
    expect(await pairs()).toEqual([
      ['', '', false],
      ['', '', false],
    ]);
    await choose(null);
    expect(await pairs()).toEqual([there, there]);
  });
});

describe('[BETA-01] modules and trials', () => {
  test('each level narrows the one above; beta users are told', async () => {
    const scope = { rootId: root.id };
    const { products } = app.features.tenants;
    const owner = { root_id: root.id, agency_id: agency.id, company_id: client.id };
    const at = app.clock.now();
    const some = await person(client);
    await inScope(app.platform.db.app, scope, async (tx) => {
      await products.choose(tx, { ...owner, modules: [], terms: ['Prepaid'], updated_at: at });
      await products.setBetaUser(tx, { ...owner, company_id: agency.id }, true, at);
      await products.setBetaFeature(tx, { rootId: root.id, feature: 2, isBeta: true, forAll: true, at });
    });
    expect((await some.get('/api/user')).body).toMatchObject({
      leadspeek_type: '',
      leadlocalname: '',
      leadlocalurl: '',
    });
    expect((await some.get(`/api/user/checksetupcomplete/${some.id}`)).body).toMatchObject({
      clientsidebar: [],
      agencyFilteredModules: ['local', 'locator', 'enhance', 'b2b', 'simplifi'],
      isBeta: true,
      betaFeature: [
        { id: 1, name: 'Data Wallet', slug: 'data_wallet', is_beta: true, apply_to_all_agency: false },
        { id: 2, name: 'B2B ID', slug: 'b2b_module', is_beta: true, apply_to_all_agency: true },
        { id: 3, name: 'Simplifi ID', slug: 'simplifi_module', is_beta: true, apply_to_all_agency: false },
      ],
    });
    await inScope(app.platform.db.app, scope, (tx) =>
      products.choose(tx, { ...owner, modules: null, terms: null, updated_at: at }),
    );
    expect((await some.get('/api/user')).body.leadspeek_type).toBe('local|locator|enhance|b2b|simplifi');
  });
});
