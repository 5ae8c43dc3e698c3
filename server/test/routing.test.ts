import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SetupCheck } from '../../contract/accounts/setup.ts';
import { SessionUser } from '../../contract/accounts/users.ts';
import { contract } from '../../contract/index.ts';
import { decide } from '../../contract/routing/routing.ts';
import { sidebar } from '../../contract/routing/routing-menu.ts';
import { toInside } from '../../contract/wire-schema.ts';
import { PASSWORD, type TestApp, testApp } from './app.ts';

/** Compares the routing table, using the facts the real server gives each role, with what its calls allow them. */

let app: TestApp;
const people = new Map<string, { token: string; host: string; user: SessionUser; setup: SetupCheck }>();

beforeAll(async () => {
  app = await testApp();
  const { make } = app;
  const master = await make.root({ host: 'root.test', isMaster: true });
  const second = await make.root({ host: 'second.test' });
  const labels = { modules: [{ module: 'local' as const, name: 'Visitor ID', slug: 'visitor-id' }] };
  const agency = await make.agency(master, { host: 'agency.test', ...labels });
  const fresh = await make.agency(master, { host: 'fresh.test' });
  const client = await make.client(agency);
  const add = async (
    name: string,
    host: string,
    company: typeof master,
    given: Parameters<typeof make.user>[1] = {},
    finish?: (id: string) => Promise<unknown>,
  ) => {
    const phone = { number: '5045550100', country: 'US', calling: '+1' };
    const { id, email } = await make.user(company, {
      password: PASSWORD,
      profileDone: true,
      phone,
      ...given,
    });
    await finish?.(id);
    const token = await app.signIn(email, host);
    const user = await app.call('GET', '/api/user', { host, token });
    const setup = await app.call('GET', `/api/user/checksetupcomplete/${id}`, { host, token });
    expect([name, user.status, setup.status]).toEqual([name, 200, 200]);
    people.set(name, {
      token,
      host,
      user: toInside(SessionUser, user.body) as SessionUser,
      setup: toInside(SetupCheck, setup.body) as SetupCheck,
    });
  };
  await add('root', 'root.test', master);
  await add('enterprise', 'second.test', second);
  await add('rootAdmin', 'root.test', master, { role: 'administrator' });
  await add('rootSales', 'root.test', master, { role: 'sales' });
  await add('rootAE', 'root.test', master, { role: 'sales', isAccountExecutive: true }, (id) =>
    make.salesAccount(master, id, 'approve'),
  );
  await add('agency', 'agency.test', agency, {}, (id) => make.setUp(agency, id));
  await add('agencyAdmin', 'agency.test', agency, { role: 'administrator' });
  await add('agencyNew', 'fresh.test', fresh, { profileDone: false });
  await add('client', 'agency.test', client, {}, (id) => make.setUp(client, id));
  const elsewhere = await make.client(fresh);
  for (const company of [client, elsewhere]) {
    const campaign = await make.campaign(company);
    const person = make.person();
    await make.people(master, [person]);
    await make.visit(campaign, { email: person.email });
  }
  await app.features.leads.resolver.resolveAll();
});
afterAll(() => app?.close());

const wordOf = (name: string, path: string): string => {
  const answer = decide(path, people.get(name)!);
  return answer.kind === 'page' ? answer.page : answer.kind === 'notFound' ? '404' : `> ${answer.to}`;
};

describe('[ROUT-04] [ROUT-05] [ROUT-13] [ROUT-14] the table with the facts of a running server', () => {
  const LIST = '> /configuration/agency-list';
  const CONNECT = '> /configuration/sales-connect-account';
  const DASHBOARD = '> /visitor-id/dashboard';
  test.each([
    ['/', [LIST, LIST, LIST, CONNECT, LIST, DASHBOARD, DASHBOARD, '> /user/profile-setup', DASHBOARD]],
    [
      '/configuration/agency-list',
      ['agency-list', 'agency-list', 'agency-list', CONNECT, 'agency-list', '404', '404', '404', '404'],
    ],
    [
      '/configuration/people-import',
      ['people-import', 'people-import', 'people-import', CONNECT, '404', '404', '404', '404', '404'],
    ],
    [
      '/configuration/company-imports',
      ['company-imports', 'company-imports', '404', CONNECT, '404', '404', '404', '404', '404'],
    ],
    [
      '/configuration/data-retention',
      ['data-retention', '404', '404', CONNECT, '404', '404', '404', '404', '404'],
    ],
    [
      '/configuration/people-merge',
      ['people-merge', 'people-merge', 'people-merge', CONNECT, '404', '404', '404', '404', '404'],
    ],
    [
      '/configuration/minimum-spend',
      ['minimum-spend', 'minimum-spend', 'minimum-spend', CONNECT, '404', '404', '404', '404', '404'],
    ],
    [
      '/configuration/limits',
      ['404', '404', '404', CONNECT, '404', 'limits', 'limits', '> /user/profile-setup', 'limits'],
    ],
    [
      '/visitor-id/campaign-management',
      [
        '404',
        '404',
        '404',
        '404',
        '404',
        'campaign-management',
        'campaign-management',
        '404',
        'campaign-management',
      ],
    ],
    [
      '/site-id/campaign-management',
      [LIST, LIST, LIST, CONNECT, '404', '404', '404', '> /user/profile-setup', '404'],
    ],
    [
      '/configuration/general-setting',
      [
        'general-setting',
        'general-setting',
        'general-setting',
        CONNECT,
        '404',
        'general-setting',
        'general-setting',
        '> /user/profile-setup',
        '404',
      ],
    ],
    [
      '/user/card-setting',
      [
        'card-setting',
        'card-setting',
        'card-setting',
        CONNECT,
        '404',
        'card-setting',
        'card-setting',
        'card-setting',
        'card-setting',
      ],
    ],
  ])('%s', (path, expected) => {
    const names = [...people.keys()];
    expect(names.map((name) => [name, wordOf(name, path)])).toEqual(
      names.map((name, at) => [name, expected[at]]),
    );
  });

  test('/user/retrieve answers the same facts in one call', async () => {
    for (const [name, { token, host, user, setup }] of people) {
      const { body } = await app.call('GET', '/api/user/retrieve', { token, host });
      expect([name, toInside(contract.setup.retrieveUserData['~orpc'].outputSchema!, body)]).toEqual([
        name,
        { user, setup },
      ]);
    }
  });
});

// The call that a page starts with: users whose role denies them the page must not get its data either.
const BEHIND: [page: string, call: string, seen: string[], refused: string[]][] = [
  [
    '/configuration/people-import',
    '/api/identity/imports',
    ['root', 'enterprise', 'rootAdmin'],
    ['rootAE', 'agency', 'agencyAdmin', 'agencyNew', 'client'],
  ],
  [
    '/configuration/company-imports',
    '/api/company-imports',
    ['root', 'enterprise'],
    ['rootAdmin', 'rootAE', 'agency', 'agencyAdmin', 'agencyNew', 'client'],
  ],
  [
    '/configuration/data-retention',
    '/api/retention',
    ['root'],
    // Other roots' owners: retention.test.ts.
    ['rootAdmin', 'rootAE', 'agency', 'agencyAdmin', 'agencyNew', 'client'],
  ],
  [
    '/configuration/people-merge',
    '/api/identity/duplicates',
    ['root', 'enterprise', 'rootAdmin'],
    ['rootAE', 'agency', 'agencyAdmin', 'agencyNew', 'client'],
  ],
  [
    '/configuration/minimum-spend',
    '/api/general/minimum-spend-config',
    ['root', 'enterprise', 'rootAdmin'],
    ['rootAE', 'agency', 'agencyAdmin', 'client'],
  ],
  [
    '/configuration/margins',
    '/api/ledger/margins',
    ['root', 'enterprise', 'rootAdmin', 'agency', 'agencyAdmin'],
    ['rootAE', 'client'],
  ],
  [
    '/configuration/taxes',
    '/api/configuration/taxes',
    ['root', 'enterprise', 'rootAdmin', 'agency', 'agencyAdmin'],
    ['rootAE', 'client'],
  ],
  [
    '/configuration/coupons',
    '/api/configuration/coupon',
    ['root', 'enterprise', 'rootAdmin'],
    ['rootAE', 'agency', 'agencyAdmin', 'client'],
  ],
  [
    '/configuration/client-management',
    '/api/configuration/client/list',
    ['agency', 'agencyAdmin'],
    ['client'],
  ],
  [
    '/visitor-id/campaign-management',
    '/api/leadspeek/client/list',
    ['agency', 'agencyAdmin', 'client'],
    ['rootAE'],
  ],
  [
    '/download-auth/default_agency',
    '/api/general/document/default_agency',
    ['root', 'rootAdmin', 'agency', 'agencyAdmin', 'agencyNew'],
    ['rootAE', 'client'],
  ],
];

describe('[ROUT-08] [ROUT-09] what lies behind a page', () => {
  test.each(BEHIND)('%s needs %s', async (page, url, seen, refused) => {
    for (const name of [...seen, ...refused]) {
      const { token, host } = people.get(name)!;
      const { status } = await app.call('GET', url, { token, host });
      const expected = seen.includes(name) ? [name, 'page', 200] : [name, 'notFound', 403];
      expect([name, decide(page, people.get(name)!).kind, status]).toEqual(expected);
    }
  });

  test('[CAMP-14] leads-management is for administrators, has no link, and shows whose leads they may see', async () => {
    for (const [name, facts] of people) {
      const isAdministrator = name === 'rootAdmin' || name === 'agencyAdmin';
      const slug = facts.user.system_user ? 'site-id' : 'visitor-id';
      const kind = decide(`/${slug}/leads-management`, facts).kind;
      expect([name, kind === 'page']).toEqual([name, isAdministrator]);
      const links = sidebar(facts).flatMap((part) => part.links.map(({ to }) => to));
      expect([name, links.filter((to) => to.includes('leads-management'))]).toEqual([name, []]);
    }
    // The page's data is guarded by its call: the module's leads of the caller's own tenants, for users who may read
    // leads.
    const page = (name: string, module = 'local', token = people.get(name)!.token) => {
      const { host } = people.get(name)!;
      return app.call('GET', `/api/leadspeek/report/lead?moduleType=${module}`, { token, host });
    };
    const leads = async (name: string, module?: string) => {
      const { status, body } = await page(name, module);
      return [name, status, body.total ?? null];
    };
    expect(await leads('rootAdmin')).toEqual(['rootAdmin', 200, 2]);
    expect(await leads('agencyAdmin')).toEqual(['agencyAdmin', 200, 1]);
    expect(await leads('agencyAdmin', 'locator')).toEqual(['agencyAdmin', 200, 0]);
    expect(await leads('enterprise')).toEqual(['enterprise', 200, 0]);
    expect(await leads('agencyNew')).toEqual(['agencyNew', 200, 1]);
    expect(await leads('rootAE')).toEqual(['rootAE', 403, null]);
    // An administrator whose role excludes leads cannot get them through the URL either.
    const { token, host } = people.get('agency')!;
    const administrator = people.get('agencyAdmin')!;
    const roles = await app.call('POST', '/api/configuration/role-module/add', {
      token,
      host,
      body: { companyID: administrator.user.company_id, roleName: 'No leads', roleModule: [] },
    });
    expect(roles.status).toBe(200);
    await app.admin.query(
      `update user_account set role_id = (select id from role where company_id = $1 and name = 'No leads') where id = $2`,
      [administrator.user.company_id, administrator.user.id],
    );
    const anew = await app.signIn(administrator.user.email, host);
    expect((await page('agencyAdmin', 'local', anew)).status).toBe(403);
    await app.admin.query('update user_account set role_id = null where id = $1', [administrator.user.id]);
  });

  test('a link of the sidebar never leads to a page whose person may not have it', () => {
    for (const [name, facts] of people) {
      for (const { links } of sidebar(facts)) {
        for (const { to } of links) expect([name, to, decide(to, facts).kind]).toEqual([name, to, 'page']);
      }
    }
  });
});
