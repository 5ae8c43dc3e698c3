import type { AnyContractProcedure } from '@orpc/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  MODULE_PERMISSIONS,
  mayPerson,
  type Permission,
  settingMenu,
} from '../../../../contract/accounts/permissions.ts';
import { contract } from '../../../../contract/index.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { toRows } from '../users/index.ts';

let app: TestApp;
let root: Company;
let agency: Company;
let sibling: Company;
let client: Company;
let passwordHash: string;
let serial = 0;
const HOST = 'agency.test';
type Row = ReturnType<typeof toRows>[number];

beforeAll(async () => {
  app = await testApp();
  const { make } = app;
  passwordHash = await app.features.users.hashPassword(PASSWORD);
  root = await make.root({ host: 'root.test', isMaster: true });
  agency = await make.agency(root, { host: HOST });
  sibling = await make.agency(root, { host: 'sibling.test' });
  client = await make.client(agency);
});
afterAll(() => app.close());

async function person(company: Company, given: Partial<Parameters<TestApp['make']['user']>[1]> = {}) {
  const made = await app.make.user(company, { email: `p${++serial}@roles.test`, passwordHash, ...given });
  const token = await app.signIn(made.email, company === sibling ? 'sibling.test' : HOST);
  const at = { host: company === sibling ? 'sibling.test' : HOST, token };
  return {
    id: made.id,
    get: (url: string) => app.call('GET', url, at),
    send: (method: 'POST' | 'PUT' | 'DELETE', url: string, body: object = {}) =>
      app.call(method, url, { ...at, body }),
  };
}
const row = (module_name: Row['module_name'], allowed = ''): Row => ({
  module_name,
  enable_permission: allowed.includes('e') ? 'T' : 'F',
  create_permission: allowed.includes('c') ? 'T' : 'F',
  update_permission: allowed.includes('u') ? 'T' : 'F',
  delete_permission: allowed.includes('d') ? 'T' : 'F',
});
const roleOf = async (boss: Awaited<ReturnType<typeof person>>, rows: Row[]): Promise<string> => {
  const { body } = await boss.send('POST', '/api/configuration/role-module/add', {
    roleName: `Role ${++serial}`,
    roleModule: rows,
  });
  return body.roleID as string;
};
const campaign = () => ({
  campaignName: `C${++serial}`,
  urlCode: 'https://shop.example.com/',
  companyID: client.id,
});

describe('[ROLE-01] the one table', () => {
  test('an administrator may what the rows allow, and never more than the grade', () => {
    const rows = [row('Campaign', 'eu'), row('LeadsPeek', 'ecud')];
    const may = (permission: Permission) => mayPerson('agency.administrator', rows, permission);
    expect([
      may('campaign.read'),
      may('campaign.write'),
      may('campaign.create'),
      may('campaign.remove'),
    ]).toEqual([true, true, false, false]);
    expect([may('lead.read'), may('role.read'), may('session.own'), may('people.import')]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    // A module that is not enabled grants nothing, whatever else its row says.
    expect(mayPerson('agency.administrator', [row('Campaign', 'cud')], 'campaign.create')).toBe(false);
    expect(mayPerson('agency.administrator', [], 'campaign.read')).toBe(false);
    expect(mayPerson('agency.administrator', null, 'campaign.create')).toBe(true);
    expect(mayPerson('agency.owner', null, 'campaign.create')).toBe(true);
    expect(mayPerson('agency.sales', null, 'campaign.create')).toBe(false);
    expect(mayPerson('root.administrator', toRows(null), 'campaign.create')).toBe(false);
    expect(Object.values(MODULE_PERMISSIONS).some((need) => need?.[0] === 'Settings')).toBe(true);
  });

  test('the buttons of the settings follow their rows', () => {
    expect(settingMenu([row('Settings', 'eu')])).toEqual({
      settings_update: true,
      settings_create: false,
      settings_delete: false,
    });
    expect(Object.values(settingMenu(null))).toEqual([true, true, true]);
  });
});

describe('[ROLE-01] roles at the API', () => {
  test('whose role hides leads decides nowhere where leads are sent, and what of them; the rest of a campaign is theirs', async () => {
    const boss = await person(agency);
    const roleID = await roleOf(boss, [row('Campaign', 'ecud'), row('LeadsPeek'), row('Settings', 'e')]);
    const admin = await person(agency, { role: 'administrator', roleId: roleID });
    const directs = Object.values(contract)
      .flatMap((calls) => Object.values(calls as Record<string, AnyContractProcedure>))
      .map(
        (one) => one['~orpc'] as { route: { method: 'POST'; path: string }; meta: { access?: Permission } },
      )
      .filter(({ meta, route }) => meta.access === 'integration.write' && route.method);
    expect(directs.length).toBeGreaterThan(10);
    for (const { route } of directs) {
      const path = `/api${route.path.replace(/\{\w+\}/g, client.id)}`;
      expect([path, (await admin.send(route.method, path)).status]).toEqual([path, 403]);
    }
    const mailed = {
      reportType: 'CSV',
      reportFreq: 'lead',
      reportSentTo: 'me@home.example',
      leadsAmountNotification: 1,
      adminNotifyTo: 'me@home.example',
    };
    const { reportType, reportFreq, reportSentTo, leadsAmountNotification, adminNotifyTo } = mailed;
    const create = (more: object) =>
      admin.send('POST', '/api/leadspeek/client/create', { ...campaign(), ...more });
    expect((await create(mailed)).status).toBe(403);
    const made = (await create({})).body.data as { leadspeekID: string };
    const update = async (more: object, as = admin) => {
      const { leadspeekID } = made;
      const { version } = (await as.get(`/api/leadspeek/getcampaign/${leadspeekID}`)).body;
      return as.send('PUT', '/api/leadspeek/client/update', { ...campaign(), leadspeekID, version, ...more });
    };
    expect((await update({ reportType, reportFreq, reportSentTo })).status).toBe(403);
    expect((await update({ leadsAmountNotification, adminNotifyTo })).status).toBe(403);
    expect((await update({ reportType: 'link', reportFreq, reportSentTo }, boss)).status).toBe(200);
    // A link tells less than a file; what was set before may stay, and go.
    expect((await update({ reportType: 'CSV', reportFreq, reportSentTo })).status).toBe(403);
    expect((await update({ reportType: 'link', reportFreq, reportSentTo })).status).toBe(200);
    expect((await update({ reportType: 'none' })).status).toBe(200);
  });

  test('without Campaign.create no campaign is created, and a change of the rows holds within the cache time', async () => {
    const boss = await person(agency);
    const roleID = await roleOf(boss, [row('Campaign', 'eu'), row('LeadsPeek', 'e')]);
    const admin = await person(agency, { role: 'administrator', roleId: roleID });
    const create = () => admin.send('POST', '/api/leadspeek/client/create', campaign());
    expect((await create()).status).toBe(403);
    expect((await admin.get('/api/leadspeek/client/list')).status).toBe(200);
    expect((await admin.get('/api/user')).body).toMatchObject({
      role_id: roleID,
      module_permissions: [row('Ads Design'), row('Campaign', 'eu'), row('LeadsPeek', 'e'), row('Settings')],
    });
    const changed = await boss.send('PUT', '/api/configuration/role-module/update', {
      roleID,
      roleName: 'Changed',
      roleModule: [row('Campaign', 'ecu')],
    });
    expect(changed.status).toBe(200);
    const started = performance.now();
    let status = (await create()).status;
    while (status === 403 && performance.now() - started < 8_000) {
      await new Promise((done) => setTimeout(done, 250));
      status = (await create()).status;
    }
    expect(status).toBe(200);
    expect(performance.now() - started).toBeLessThan(6_000);
    // The row that was not named is unchanged.
    expect((await admin.get('/api/user')).body.module_permissions).toContainEqual(row('LeadsPeek', 'e'));
  });

  test('every company begins with three roles; names are its own, once', async () => {
    const boss = await person(agency);
    const list = async (query = '') =>
      (await boss.get(`/api/configuration/role-module/get?getType=getrole${query}`)).body.roles as {
        id: string;
        role_name: string;
        people: number;
      }[];
    const names = (await list()).map((one) => one.role_name);
    expect(names).toEqual(expect.arrayContaining(['Campaign manager', 'Full access', 'Read only']));
    const again = await boss.send('POST', '/api/configuration/role-module/add', {
      roleName: 'read ONLY',
      roleModule: [],
    });
    expect([again.status, again.body.errors]).toEqual([409, { roleName: ['is already taken'] }]);
    await person(client);
    expect((await list(`&companyID=${client.id}`)).length).toBe(3);
    const other = await boss.get(
      `/api/configuration/role-module/get?getType=getrole&companyID=${sibling.id}`,
    );
    expect(other.status).toBe(404);
  });

  test('GetRoleList gives the rows of a role and of a person; full access leaves them off', async () => {
    const boss = await person(agency);
    const roleID = await roleOf(boss, [row('Settings', 'eu')]);
    const admin = await person(agency, { role: 'administrator', roleId: roleID });
    const free = await person(agency, { role: 'administrator' });
    const ask = (query: string, who = boss) =>
      who.get(`/api/configuration/role-module/get?getType=getrolemodule&companyID=${agency.id}${query}`);
    const rows = [row('Ads Design'), row('Campaign'), row('LeadsPeek'), row('Settings', 'eu')];
    const limited = {
      user_type: 'R',
      settingMenuShow_update: 'T',
      settingMenuShow_create: 'F',
      settingMenuShow_delete: 'F',
    };
    const full = {
      user_type: 'F',
      data: [],
      settingMenuShow_update: 'T',
      settingMenuShow_create: 'T',
      settingMenuShow_delete: 'T',
    };
    for (const query of [`&roleID=${roleID}`, `&usrID=${admin.id}`, `&roleID=${roleID}&usrID=${boss.id}`]) {
      const { body } = await ask(query);
      expect(body).toMatchObject(limited);
      expect(body.data).toEqual(expect.arrayContaining(rows));
    }
    expect((await ask('', admin)).body).toMatchObject(limited);
    expect((await ask('')).body).toMatchObject(full);
    expect((await ask(`&usrID=${free.id}`)).body).toMatchObject(full);
    // A user without a role is asked for with a blank one.
    expect((await ask(`&roleID=&usrID=${free.id}`)).body).toMatchObject(full);
    // Salespeople, and anyone who may not see the settings, can ask only about themselves.
    const sales = await person(agency, { role: 'sales' });
    expect((await ask('', sales)).body).toMatchObject({
      user_type: 'R',
      data: [row('Ads Design'), row('Campaign'), row('LeadsPeek'), row('Settings')],
      settingMenuShow_update: 'F',
      settingMenuShow_create: 'F',
    });
    expect((await ask(`&usrID=${sales.id}`)).body).toMatchObject({ user_type: 'R' });
    expect((await ask(`&usrID=${boss.id}`, sales)).status).toBe(403);
  });

  test('nobody raises themselves or gives away what they do not hold', async () => {
    const boss = await person(agency);
    const own = await roleOf(boss, [row('Settings', 'ecud'), row('Campaign', 'e')]);
    const wide = await roleOf(boss, [row('Campaign', 'ecud')]);
    const admin = await person(agency, { role: 'administrator', roleId: own });
    const friend = await person(agency, { role: 'administrator', roleId: own });
    const free = await person(agency, { role: 'administrator' });
    const status = async (method: 'POST' | 'PUT' | 'DELETE', what: string, body: object) =>
      (await admin.send(method, `/api/configuration/role-module/${what}`, body)).status;
    const more = { roleName: 'More', roleModule: [row('Campaign', 'ec')] };
    expect(await status('PUT', 'update', { roleID: own, ...more, roleModule: [] })).toBe(403);
    expect(await status('PUT', 'update', { roleID: wide, ...more })).toBe(403);
    // Nor take permissions away from people who have more than they do.
    expect(
      await status('PUT', 'update', { roleID: wide, roleName: 'Less', roleModule: [row('Campaign')] }),
    ).toBe(403);
    expect(await status('DELETE', `remove/${wide}`, {})).toBe(403);
    expect(await status('POST', 'add', more)).toBe(403);
    expect(await status('PUT', 'assign', { usrID: admin.id, roleID: wide })).toBe(403);
    expect(await status('PUT', 'assign', { usrID: friend.id, roleID: wide })).toBe(403);
    expect(await status('PUT', 'assign', { usrID: friend.id, roleID: null })).toBe(403);
    expect(await status('PUT', 'assign', { usrID: free.id, roleID: own })).toBe(403);
    expect(await status('POST', 'add', { roleName: 'Less', roleModule: [row('Campaign', 'e')] })).toBe(200);
  });

  test('a role is given to administrators of its company, and removed when no one holds it', async () => {
    const boss = await person(agency);
    const roleID = await roleOf(boss, [row('Campaign', 'e')]);
    const admin = await person(agency, { role: 'administrator' });
    const below = await person(client, { role: 'administrator' });
    const give = (usrID: string, id: string | null = roleID) =>
      boss.send('PUT', '/api/configuration/role-module/assign', { usrID, roleID: id });
    expect((await give(below.id)).body.errors).toEqual({ roleID: ['belongs to another company'] });
    expect((await give((await person(agency, { role: 'sales' })).id)).status).toBe(422);
    expect((await give(admin.id)).status).toBe(200);
    const remove = () => boss.send('DELETE', `/api/configuration/role-module/remove/${roleID}`);
    expect((await remove()).status).toBe(409);
    expect((await give(admin.id, null)).status).toBe(200);
    expect((await remove()).status).toBe(200);
    expect((await give(admin.id)).status).toBe(404);
    const foreign = await person(sibling);
    const there = await roleOf(foreign, []);
    expect((await give(admin.id, there)).status).toBe(404);
  });

  test('what a person is given beside the role counts while both flags are on', async () => {
    const boss = await person(agency);
    await app.admin.query(
      `update user_account set permissions = '[{"name": "report_analytics", "active": true}]' where id = $1`,
      [boss.id],
    );
    const told = async () => (await boss.get('/api/user')).body.user_permissions;
    expect(await told()).toEqual([{ name: 'report_analytics', permission_active: 'T' }]);
    await app.admin.query('update user_account set permission_active = false where id = $1', [boss.id]);
    expect(await told()).toEqual([{ name: 'report_analytics', permission_active: 'F' }]);
  });

  test('[USER-01] a view tells who is behind it, and does not lift the limits of their role', async () => {
    const boss = await person(agency);
    const roleID = await roleOf(boss, [row('Campaign', 'e'), row('Settings', 'eu')]);
    const admin = await person(agency, { role: 'administrator', roleId: roleID });
    const text = `update user_account set permissions = '[{"name": "report_analytics", "active": true}]' where id = $1`;
    await app.admin.query(text, [admin.id]);
    const below = await person(client, { name: 'Viewed' });
    const begun = await admin.send('POST', '/api/user/switch', { usrID: below.id, reason: 'To help' });
    const at = { host: HOST, token: String((begun.body as { access_token: string }).access_token) };
    const me = await app.call('GET', '/api/user', at);
    expect(me.body).toMatchObject({
      name: 'Viewed',
      user_type: 'client',
      user_type_ori: 'administrator',
      isViewMode: true,
      view: { as_name: 'Viewed', reason: 'To help' },
      user_permissions: [],
      user_permissions_view_mode: [{ name: 'report_analytics', permission_active: 'T' }],
      module_permissions: [row('Ads Design'), row('Campaign', 'e'), row('LeadsPeek'), row('Settings', 'eu')],
    });
    expect((await app.call('GET', '/api/leadspeek/client/list', at)).status).toBe(200);
    const created = await app.call('POST', '/api/leadspeek/client/create', { ...at, body: campaign() });
    expect(created.status).toBe(403);
    const agreed = {
      ...at,
      body: { document_type: 'default_client', agreed: 'T', read_to_end: 'T', text_hash: '' },
    };
    expect((await app.call('POST', '/api/general/agreement/confirm', agreed)).body.message).toBe(
      ownMessages.notInView,
    );
    expect((await below.get('/api/user')).body).toMatchObject({ isViewMode: false, view: null });
  });

  test('a download is guarded by the rows, too', async () => {
    const boss = await person(agency);
    const roleID = await roleOf(boss, [row('Campaign', 'e')]);
    const admin = await person(agency, { role: 'administrator', roleId: roleID });
    const made = await admin.send('POST', '/api/general/download-token', {
      path: '/api/leadspeek/report/lead/export',
    });
    const got = await app.call('GET', String(made.body.url), { host: HOST });
    expect(got.status).toBe(403);
    await inScope(app.platform.db.app, { rootId: root.id }, (tx) =>
      app.features.users.roles.setRights(
        tx,
        { id: roleID, root_id: root.id, agency_id: agency.id, company_id: agency.id },
        [{ module: 'LeadsPeek', see: true, create: false, update: false, delete: false }],
      ),
    );
    const again = await admin.send('POST', '/api/general/download-token', {
      path: '/api/leadspeek/report/lead/export',
    });
    expect((await app.call('GET', String(again.body.url), { host: HOST })).status).toBe(200);
  });
});
