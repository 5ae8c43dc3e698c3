import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';

let app: TestApp;
let root: Company;
let acme: Company;
let bluepeak: Company;
let cleo: Company;
let zed: Company;
/** Ids of people and their tokens, by the name before the @. */
const id: Record<string, string> = {};
const token: Record<string, string> = {};
const HOSTS: Record<string, string> = {
  acmeowner: 'acme.test',
  acmesales: 'acme.test',
  acmeadmin: 'acme.test',
};

beforeAll(async () => {
  app = await testApp();
  const { make } = app;
  root = await make.root({ host: 'root.test', isMaster: true });
  const other = await make.root({ host: 'other.test' });
  acme = await make.agency(root, { host: 'acme.test', name: 'Acme' });
  bluepeak = await make.agency(root, { name: 'Bluepeak' });
  await make.agency(root, { name: 'Never' });
  cleo = await make.client(acme, { name: 'Cleo' });
  zed = await make.client(acme, { name: 'Zed' });
  await make.client(bluepeak, { name: 'Blue client' });
  const passwordHash = await app.features.users.hashPassword(PASSWORD);
  for (const [name, company, role] of [
    ['owner', root, 'owner'],
    ['admin', root, 'administrator'],
    ['rep', root, 'sales'],
    ['second', root, 'sales'],
    ['acmeowner', acme, 'owner'],
    ['acmeadmin', acme, 'administrator'],
    ['acmesales', acme, 'sales'],
    ['blueowner', bluepeak, 'owner'],
    ['cleoowner', cleo, 'owner'],
    ['otherrep', other, 'sales'],
  ] as const)
    id[name] = (
      await make.user(company, { email: `${name}@x.test`, name: `${name} person`, role, passwordHash })
    ).id;
  for (const name of ['owner', 'admin', 'rep', 'second', 'acmeowner', 'acmeadmin', 'acmesales'])
    token[name] = await app.signIn(`${name}@x.test`, HOSTS[name] ?? 'root.test');
});
afterAll(() => app.close());
beforeEach(() => app.admin.query('delete from sales_assignment'));

const ask = (method: 'GET' | 'PUT', url: string, who: string, body?: unknown) =>
  app.call(method, `/api/configuration/${url}`, {
    host: HOSTS[who] ?? 'root.test',
    token: token[who]!,
    body,
  });
const set = (who: string, company: Company | { id: string }, given: object) =>
  ask('PUT', 'sales', who, { companyID: company.id, ...given });
const names = async (who: string, query = ''): Promise<string[]> => {
  const { status, body } = await ask('GET', `sales/downline${query}`, who);
  expect(status).toBe(200);
  return (body.data as { company_name: string }[]).map((row) => row.company_name);
};
const logged = async () =>
  Number(
    (await app.admin.query(`select count(*) as n from user_log where action = 'sales.assign'`)).rows[0].n,
  );

describe('[AGCY-16] the salespeople of a company', () => {
  test('are chosen from the own sales, one person may hold several roles, and one call leaves what it does not name', async () => {
    const before = await logged();
    const saved = await set('owner', acme, { salesRep: id.rep, salesAE: id.rep, salesRef: id.second });
    expect([saved.status, saved.body.message]).toEqual([200, 'Setting has been saved.']);
    expect(await logged()).toBe(before + 1);
    const { body } = await ask('GET', `sales/list?companyID=${acme.id}`, 'admin');
    expect(body).toEqual({
      data: [
        { id: id.rep, name: 'rep person', isAccExecutive: 'F' },
        { id: id.second, name: 'second person', isAccExecutive: 'F' },
      ],
      salesrep: 'rep person',
      salesrepid: id.rep,
      accountexecutive: 'rep person',
      accountexecutiveid: id.rep,
      accountref: 'second person',
      accountrefid: id.second,
    });
    expect((await set('admin', acme, { salesRep: '', salesAE: id.second })).status).toBe(200);
    const list = await ask('GET', 'company/list', 'owner');
    expect((list.body.data as { id: string }[]).find((row) => row.id === acme.id)).toMatchObject({
      salesrep: '',
      salesrepid: '',
      accountexecutive: 'second person',
      accountrefid: id.second,
    });
  });

  test("are set by a root's people for agencies and by an agency's for its clients, and by no sales person", async () => {
    expect((await set('acmeowner', cleo, { salesRep: id.acmesales })).status).toBe(200);
    expect((await set('acmeadmin', zed, { salesRep: id.acmesales })).status).toBe(200);
    for (const who of ['rep', 'acmesales']) {
      expect((await set(who, acme, { salesRep: id.rep })).status).toBe(403);
      expect((await ask('GET', `sales/list?companyID=${acme.id}`, who)).status).toBe(403);
    }
    const deeper = await set('owner', cleo, { salesRep: id.rep });
    expect([deeper.status, deeper.body.errors]).toEqual([
      422,
      { companyID: ['is not directly below your own company'] },
    ]);
    expect((await set('acmeowner', acme, { salesRep: id.acmesales })).status).toBe(422);
    // A sibling company and the user's own root are not visible at all.
    expect((await set('acmeowner', bluepeak, { salesRep: id.acmesales })).status).toBe(404);
    expect((await set('owner', root, { salesRep: id.rep })).status).toBe(404);
  });

  test("refuse everyone who is none of one's own sales, whether they exist or not", async () => {
    for (const wrong of [id.acmesales, id.owner, id.otherrep, cleo.id]) {
      const { status, body } = await set('owner', acme, { salesAE: wrong });
      expect([status, body.errors]).toEqual([422, { salesAE: ['must be one of your salespeople'] }]);
    }
    const { rows } = await app.admin.query('select * from sales_assignment');
    expect(rows).toEqual([]);
  });
});

describe('[ROLE-02] the sales downline', () => {
  test("of a root's sales: their agencies, and the clients of these, and nothing else", async () => {
    expect(await names('rep')).toEqual([]);
    await set('owner', acme, { salesRep: id.rep, salesRef: id.rep });
    await set('owner', bluepeak, { salesRep: id.second });
    expect(await names('rep')).toEqual(['Acme']);
    expect(await names('rep', `?companyID=${acme.id}`)).toEqual(['Cleo', 'Zed']);
    expect(await names('rep', '?kind=client')).toEqual(['Cleo', 'Zed']);
    expect(await names('second', '?kind=client')).toEqual(['Blue client']);
    expect((await ask('GET', `sales/downline?companyID=${bluepeak.id}`, 'rep')).status).toBe(404);
    expect((await ask('GET', `sales/downline?companyID=${cleo.id}`, 'rep')).status).toBe(404);
    // A salesperson who loses an assignment no longer sees the company.
    await set('owner', acme, { salesRep: null, salesRef: '' });
    expect(await names('rep', '?kind=client')).toEqual([]);
  });

  test('tells of the owner for assigned companies only, and the search finds nothing that is not told', async () => {
    await set('owner', acme, { salesRep: id.rep });
    const { body } = await ask('GET', 'sales/downline?Page=1&PerPage=1', 'rep');
    expect(body).toMatchObject({ total: 1, last_page: 1, from: 1, to: 1 });
    expect(body.data).toEqual([
      {
        id: acme.id,
        company_name: 'Acme',
        kind: 'agency',
        created_at: expect.any(String),
        clients: 2,
        name: 'acmeowner person',
        email: 'acmeowner@x.test',
        roles: ['representative'],
        user_id: id.acmeowner,
        details: expect.objectContaining({ company_root_id: root.id, version: expect.any(Number) }),
      },
    ]);
    // No payment details, no signed agreement, and not the owner's second factor.
    const [row] = body.data as { details: object }[];
    for (const field of [
      'payment_status',
      'manual_bill',
      'company_agreement_file',
      'customer_payment_id',
      'twoFactorAuth',
    ])
      expect(row!.details).not.toHaveProperty(field);
    const clients = await ask('GET', `sales/downline?companyID=${acme.id}&PerPage=1&order=desc`, 'rep');
    expect(clients.body).toMatchObject({ total: 2, last_page: 2 });
    expect((clients.body.data as unknown[])[0]).toMatchObject({
      company_name: 'Zed',
      name: null,
      email: null,
      roles: [],
      user_id: null,
      details: null,
    });
    // A client below can be viewed as, though its owner is not named; a client of a company that was only referred
    // can't.
    const below = async () => {
      const { body: found } = await ask('GET', `sales/downline?companyID=${acme.id}`, 'rep');
      return (found.data as { user_id: string | null }[]).map((one) => one.user_id);
    };
    expect(await below()).toEqual([id.cleoowner, null]);
    await set('owner', acme, { salesRep: '', salesRef: id.rep });
    expect(await below()).toEqual([null, null]);
    const referred = await ask('GET', 'sales/downline', 'rep');
    expect((referred.body.data as object[])[0]).toMatchObject({
      roles: ['referrer'],
      user_id: null,
      details: null,
    });
    await set('owner', acme, { salesRep: id.rep, salesRef: '' });
    expect(await names('rep', '?searchQuery=acmeowner')).toEqual(['Acme']);
    expect(await names('rep', '?searchQuery=blue')).toEqual([]);
    expect(await names('rep', '?kind=client&searchQuery=cleoowner')).toEqual([]);
    expect(await names('rep', '?kind=client&searchQuery=cle')).toEqual(['Cleo']);
  });

  test("of an agency's sales: their clients only", async () => {
    await set('acmeowner', cleo, { salesRep: id.acmesales });
    expect(await names('acmesales')).toEqual(['Cleo']);
    expect(await names('acmesales', '?kind=agency')).toEqual(['Cleo']);
    expect((await ask('GET', `sales/downline?companyID=${acme.id}`, 'acmesales')).status).toBe(404);
  });

  test("is not the others' call, and theirs is not the sales'", async () => {
    expect((await ask('GET', 'sales/downline', 'owner')).status).toBe(403);
    expect((await ask('GET', 'sales/downline', 'acmeowner')).status).toBe(403);
    expect((await ask('GET', 'company/list', 'rep')).status).toBe(403);
    expect((await ask('GET', 'company/list', 'acmesales')).status).toBe(403);
  });
});

describe('[ROLE-02] [AGCY-04] what sales may do with what is in their care', () => {
  type Row = Record<string, unknown> & { details: Record<string, unknown> };
  /** Returns a company from the sales list in the form that the edit form sends back. */
  async function same(who: string, company: Company, given: object = {}) {
    const { body } = await ask('GET', 'sales/downline', who);
    const row = (body.data as Row[]).find((one) => one.id === company.id)!;
    const isAgency = row.kind === 'agency';
    return {
      companyID: isAgency ? root.id : acme.id,
      userType: isAgency ? 'userdownline' : 'client',
      ClientID: row.user_id,
      ClientCompanyName: row.company_name,
      ClientFullName: row.name,
      ClientEmail: row.email,
      ClientPhone: '2025550123',
      ClientPhoneCountryCode: 'US',
      version: row.details.version,
      selectedterms: row.details.selected_payment_term,
      selectedmodules: row.details.selected_modules,
      ...given,
    };
  }
  const save = (who: string, body: object) => ask('PUT', 'user/update', who, body);
  const cost = (who: string, companyID: string, comsetval: object, more: object = {}) =>
    ask('PUT', 'setting', who, { companyID, comsetname: 'costagency', comsetval, ...more });
  const newest = async () =>
    (
      await app.admin.query(
        `select l.actor_id, l.action, l.company_id, d.description from user_log l join user_log_detail d on d.log_id = l.id
         order by l.xmin::text::bigint desc limit 1`,
      )
    ).rows[0];

  test('they edit it, under their own name in the log', async () => {
    await set('owner', acme, { salesRep: id.rep });
    await set('acmeowner', cleo, { salesAE: id.acmesales });
    const agency = await save('rep', await same('rep', acme, { ClientFullName: 'Ada Acme' }));
    expect([agency.status, agency.body.message, agency.body.data]).toEqual([
      200,
      'Data has been updated successfully',
      [],
    ]);
    expect(await newest()).toMatchObject({ actor_id: id.rep, action: 'company.update', company_id: acme.id });
    const client = await save('acmesales', await same('acmesales', cleo, { disabledaddcampaign: 'T' }));
    expect(client.status).toBe(200);
    expect(await newest()).toMatchObject({
      actor_id: id.acmesales,
      action: 'company.update',
      company_id: cleo.id,
    });
    const { body } = await ask('GET', 'sales/downline', 'acmesales');
    expect((body.data as Row[])[0]!.details.disabledaddcampaign).toBe('T');
    expect((await save('rep', await same('rep', acme, { ClientFullName: 'acmeowner person' }))).status).toBe(
      200,
    );
  });

  test('nothing else is there for them: unassigned, referred, further down, foreign', async () => {
    await set('owner', acme, { salesRep: id.rep, salesRef: id.second });
    await set('acmeowner', cleo, { salesRep: id.acmesales });
    const mine = await same('rep', acme);
    const foreign = (
      await app.admin.query('select company_id from user_account where id = $1', [id.otherrep])
    ).rows[0].company_id;
    for (const [who, ClientID] of [
      ['rep', bluepeak.id],
      ['rep', id.blueowner],
      ['rep', foreign],
      ['second', acme.id],
    ] as const)
      expect([who, ClientID, (await save(who, { ...mine, ClientID })).status]).toEqual([who, ClientID, 404]);
    // The clients of one's agency are visible, but only the agency can change them.
    expect((await save('rep', { ...mine, userType: 'client', ClientID: cleo.id })).status).toBe(422);
    const own = await same('acmesales', cleo);
    expect((await save('acmesales', { ...own, ClientID: zed.id })).status).toBe(404);
    expect((await save('acmesales', { ...own, ClientID: acme.id })).status).toBe(404);
    // They can't change users, even of their own company.
    const person = {
      companyID: root.id,
      userType: 'administrator',
      ClientID: id.admin,
      ClientFullName: 'Mallory',
    };
    expect((await save('rep', person)).status).toBe(403);
    for (const [who, companyID] of [
      ['rep', bluepeak.id],
      ['rep', root.id],
      ['rep', foreign],
      ['second', acme.id],
    ] as const) {
      expect([companyID, (await cost(who, companyID, {})).status]).toEqual([companyID, 404]);
      expect([companyID, (await ask('GET', `setting/${companyID}/costagency`, who)).status]).toEqual([
        companyID,
        404,
      ]);
    }
    expect((await cost('acmesales', cleo.id, {})).status).toBe(403);
  });

  test('they leave alone what owners get in by, whom it is assigned to, and what administrators decide', async () => {
    await set('owner', acme, { salesRep: id.rep });
    await set('acmeowner', cleo, { salesRep: id.acmesales });
    const before = (await app.admin.query('select email from user_account where id = $1', [id.acmeowner]))
      .rows;
    const invitations = async () => (await app.admin.query('select count(*) as n from mail')).rows[0].n;
    const mails = await invitations();
    for (const [field, value] of [
      ['ClientEmail', 'mallory@x.test'],
      ['DownlineSubDomain', 'mallory'],
      ['DownlineDomain', 'mallory.example.com'],
      ['ClientWhiteLabeling', 'F'],
      ['betaUser', 'T'],
      ['ApiMode', 'T'],
      ['defaultAdmin', 'T'],
      ['disabledreceivedemail', 'T'],
      ['planMinSpendId', root.id],
      ['salesAE', id.rep],
    ]) {
      const { status, body } = await save('rep', await same('rep', acme, { [field!]: value }));
      expect([field, status]).toEqual([field, 403]);
      if (body.errors && Object.keys(body.errors).length > 0)
        expect(Object.keys(body.errors)).toEqual([field]);
    }
    expect(
      (await save('acmesales', await same('acmesales', cleo, { adminGetNotification: 'F' }))).status,
    ).toBe(403);
    expect(
      (await app.admin.query('select email from user_account where id = $1', [id.acmeowner])).rows,
    ).toEqual(before);
    expect(await invitations()).toBe(mails);
    // They also can't invite, add, remove, see logs or switch the billing.
    for (const [method, url, body] of [
      ['POST', 'user/resendinvitation', { companyID: root.id, ClientID: acme.id }],
      ['DELETE', `user/remove/${root.id}/${acme.id}`, undefined],
      ['POST', 'user/log-user', { companyID: acme.id }],
      ['GET', 'setting', undefined],
      ['PUT', 'setting', { companyID: acme.id, comsetname: 'branding', comsetval: {} }],
      ['GET', `setting/${acme.id}/branding`, undefined],
      ['PUT', 'setting', { companyID: acme.id, comsetname: 'agencyonboardingcustom', comsetval: {} }],
    ] as const) {
      const answer = await app.call(method, `/api/configuration/${url}`, {
        host: 'root.test',
        token: token.rep!,
        ...(body ? { body } : {}),
      });
      expect([url, answer.status]).toEqual([url, 403]);
    }
  });

  test("[AGCY-17] a root's sales set what an agency pays, and take no lead below the least or below what it costs the platform", async () => {
    await set('owner', acme, { salesRep: id.rep });
    const supplier = await app.call('PUT', '/api/configuration/supplier-costs', {
      host: 'root.test',
      token: token.owner!,
      body: { module: 'local', cost: '0.40' },
    });
    expect(supplier.status).toBe(200);
    expect((await cost('owner', root.id, { enhance: { Weekly: { EnhanceCostperlead: '2' } } })).status).toBe(
      200,
    );
    const saved = await cost('rep', acme.id, {
      local: { Weekly: { LeadspeekCostperlead: '0.40' } },
      dpay: 'Weekly',
    });
    expect([saved.status, saved.body.message]).toEqual([200, 'Setting has been saved.']);
    expect(await newest()).toMatchObject({ actor_id: id.rep, action: 'setting.save', company_id: acme.id });
    const below = await cost('rep', acme.id, { local: { Weekly: { LeadspeekCostperlead: '0.39' } } });
    expect([below.status, below.body.errors]).toEqual([
      422,
      {
        'local.Weekly.LeadspeekCostperlead': ['is below the platform’s lead cost. Contact an administrator'],
      },
    ]);
    // A lead with data fields costs the platform the same; without a price of its own, the plain one counts.
    const advanced = (amount: string) =>
      cost('rep', acme.id, { local: { Weekly: { LeadspeekCostperleadAdvanced: amount } } });
    const tiny = await advanced('0.39');
    expect([tiny.status, Object.keys(tiny.body.errors as object)]).toEqual([
      422,
      ['local.Weekly.LeadspeekCostperleadAdvanced'],
    ]);
    for (const amount of ['0.41', '0']) expect((await advanced(amount)).status).toBe(200);
    const least = await cost('rep', acme.id, { enhance: { Weekly: { EnhanceCostperlead: '1.99' } } });
    expect([least.status, Object.keys(least.body.errors as object)]).toEqual([
      422,
      ['enhance.Weekly.EnhanceCostperlead'],
    ]);
    // A price that an administrator has set below the limit does not get in the way.
    expect(
      (await cost('owner', acme.id, { local: { Weekly: { LeadspeekCostperlead: '0.10' } } })).status,
    ).toBe(200);
    const other = { local: { Weekly: { LeadspeekCostperlead: '0.10', LeadspeekPlatformFee: '5' } } };
    expect((await cost('rep', acme.id, other)).status).toBe(200);
    // It does not become the price of leads with data fields, though.
    expect((await advanced('0.50')).status).toBe(200);
    expect((await advanced('0')).status).toBe(422);
    expect((await ask('GET', `setting/${acme.id}/modulenames`, 'rep')).status).toBe(200);
    expect((await ask('GET', 'supplier-costs', 'rep')).status).toBe(403);
  });
});
