import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownMessages } from '../../../../contract/messages.ts';
import { configMessages } from '../../../../contract/messages-config.ts';
import { BOUNDS } from '../../../platform/db/bounds.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { linkIn, mailsTo } from '../../../test/ways-in.ts';

let app: TestApp;
let root: Company;
let acme: Company;
let client: Company;
let passwordHash: string;
let serial = 0;
const ids: Record<string, string> = {};
const token: Record<string, string> = {};
const HOST: Record<string, string> = { root: 'root.test', sales: 'root.test' };

beforeAll(async () => {
  app = await testApp();
  const { make } = app;
  root = await make.root({ host: 'root.test', isMaster: true });
  acme = await make.agency(root, { host: 'acme.test', name: 'Acme', brand: { name: 'Acme' } });
  client = await make.client(acme, { name: 'Client' });
  passwordHash = await app.features.users.hashPassword(PASSWORD);
  for (const [name, company, role] of [
    ['root', root, 'owner'],
    ['sales', root, 'sales'],
    ['owner', acme, 'owner'],
    ['admin', acme, 'administrator'],
    ['client', client, 'owner'],
  ] as const) {
    const made = await make.user(company, {
      email: `${name}@x.test`,
      name: `Person ${name}`,
      passwordHash,
      role,
    });
    ids[name] = made.id;
    token[name] = await app.signIn(made.email, HOST[name] ?? 'acme.test');
  }
});
afterAll(() => app.close());

const ask = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, body?: unknown, who = 'owner') =>
  app.call(method, `/api/${url}`, { host: HOST[who] ?? 'acme.test', token: token[who]!, body });
const companyOf = (who: string) => ({ root: root.id, sales: root.id, client: client.id })[who] ?? acme.id;
type Node = Record<string, unknown> & { id: string; version: number; ClientRole: string };
const fields = (given: object = {}) => ({
  companyID: acme.id,
  userType: 'administrator',
  ClientFullName: 'Nora New',
  ClientEmail: `nora${++serial}@x.test`,
  ClientPhone: '(202) 555-0123',
  ClientPhoneCountryCode: 'US',
  ...given,
});
async function made(given: object = {}, who = 'owner'): Promise<Node> {
  const { status, body } = await ask(
    'POST',
    'configuration/user/create',
    fields({ companyID: companyOf(who), ...given }),
    who,
  );
  expect([status, body.message]).toEqual([200, 'Data has been added successfully']);
  return (body.data as Node[])[0]!;
}
const update = (id: string, given: object, who = 'owner') =>
  ask(
    'PUT',
    'configuration/user/update',
    { companyID: companyOf(who), userType: 'administrator', ClientID: id, ...given },
    who,
  );
const remove = (id: string, who = 'owner') =>
  ask('DELETE', `configuration/user/remove/${companyOf(who)}/${id}`, undefined, who);
const list = async (rest = 'all/all/all/all', query = '', type = 'administrator', who = 'owner') => {
  const answer = await ask(
    'GET',
    `configuration/user/${companyOf(who)}/all/all/${type}/${rest}${query}`,
    undefined,
    who,
  );
  return { ...answer, rows: (answer.body.data ?? []) as Node[] };
};
const roleOf = async (name: string): Promise<string> => {
  const { body } = await ask('GET', 'configuration/role-module/get?getType=getrole');
  return (body.roles as { id: string; role_name: string }[]).find((one) => one.role_name === name)!.id;
};
/** Creates a user with a password, signed in at their host. */
async function signedIn(company: Company, given: Parameters<TestApp['make']['user']>[1]) {
  const one = await app.make.user(company, { email: `in${++serial}@x.test`, passwordHash, ...given });
  const name = `in${serial}`;
  token[name] = await app.signIn(one.email, 'acme.test');
  return { ...one, name };
}

describe('[CONF-02] people of the own company', () => {
  test('somebody is added with a role and flags, gets an invitation, and is in the list', async () => {
    const readOnly = await roleOf('Read only');
    const node = await made({
      ClientFullName: 'Vera Viewer',
      ClientEmail: 'Vera@X.test',
      ClientRole: readOnly,
      customercare: 'T',
      adminGetNotification: 'F',
    });
    expect(node).toMatchObject({
      user_type: 'administrator',
      name: 'Vera Viewer',
      email: 'vera@x.test',
      phonenum: '2025550123',
      phone_country_calling_code: '+1',
      ClientRole: readOnly,
      role_name: 'Read only',
      customercare: 'T',
      adminGetNotification: 'F',
      defaultAdmin: 'F',
      twoFactorAuth: '',
      status: 'invited',
      invitation_expires_at: '2026-03-17T15:00:00.000Z',
    });
    const [mail] = await mailsTo(app, root.id, 'vera@x.test');
    expect([mail?.kind, mail?.from_name]).toEqual(['account.invitation', 'Acme']);
    const link = linkIn(mail);
    expect(link.url.host).toContain('acme.test');
    const set = await app.call('POST', '/api/setnewpassword', {
      host: 'acme.test',
      body: { token: link.token, email: 'vera@x.test', newpassword: 'a new long password' },
    });
    expect(set.status).toBe(200);
    const { rows } = await list('all/full_name/asc/vera');
    expect(rows.map((row) => [row.name, row.status])).toEqual([['Vera Viewer', 'active']]);
    const { rows: log } = await app.admin.query(
      `select d.description from user_log l join user_log_detail d on d.log_id = l.id where l.object_id = $1 and l.action = 'user.create'`,
      [node.id],
    );
    expect(log).toEqual([{ description: 'Added Vera Viewer (vera@x.test), Read only, and invited them' }]);
  });

  test('pages, sort, search and filters are the server’s; another company’s people are not there', async () => {
    await made({ ClientFullName: 'Zoe Last' });
    await made({ ClientFullName: 'Aaron First' });
    const names = (await list('all/full_name/asc/all', '?PerPage=100')).rows.map((row) => String(row.name));
    expect(names).toEqual(names.toSorted((a, b) => a.toLowerCase().localeCompare(b.toLowerCase(), 'en')));
    expect(names).not.toContain('Person client');
    const back = (await list('all/full_name/desc/all', '?PerPage=100')).rows.map((row) => String(row.name));
    expect(back).toEqual(names.toReversed());
    const { body } = await list('all/full_name/asc/all', '?PerPage=2&Page=2');
    expect(body).toMatchObject({ current_page: 2, per_page: 2, from: 3, total: names.length });
    expect((body.data as Node[]).map((row) => row.name)).toEqual(names.slice(2, 4));
    expect((await list('all/all/all/%25')).rows).toEqual([]);
    expect((await list('all/all/all/zoe%20l')).rows.map((row) => row.name)).toEqual(['Zoe Last']);
    const invited = (await list('all/all/all/all', '?PerPage=100&Filters=invited')).rows;
    expect(new Set(invited.map((row) => row.status))).toEqual(new Set(['invited']));
    expect((await list('all/all/all/all', '?Filters=direct_payment')).status).toBe(422);
    const foreign = `configuration/user/${client.id}/all/all/administrator/all/all/all/all`;
    expect((await ask('GET', foreign)).status).toBe(404);
  });

  test('each field has its rule', async () => {
    const wrong = async (given: object) => {
      const { status, body } = await ask('POST', 'configuration/user/create', fields(given));
      return [status, Object.keys((body.errors ?? {}) as object)];
    };
    expect(await wrong({ ClientFullName: ' ' })).toEqual([422, ['ClientFullName']]);
    expect(await wrong({ ClientFullName: 'x'.repeat(256) })).toEqual([422, ['ClientFullName']]);
    expect(await wrong({ ClientEmail: 'nobody' })).toEqual([422, ['ClientEmail']]);
    expect(await wrong({ ClientEmail: 'owner@x.test' })).toEqual([422, ['ClientEmail']]);
    expect(await wrong({ ClientPhone: '12' })).toEqual([422, ['ClientPhone']]);
    expect(await wrong({ ClientRole: client.id })).toEqual([422, ['ClientRole']]);
    expect(await wrong({ isAccExecutive: 'T' })).toEqual([422, ['isAccExecutive']]);
    expect(await wrong({ ClientRole: 'owner', disabledaddcampaign: 'T' })).toEqual([
      422,
      ['disabledaddcampaign'],
    ]);
    expect(await wrong({ userType: 'sales', ClientRole: 'owner' })).toEqual([422, ['ClientRole']]);
    expect(await wrong({ companyID: client.id })).toEqual([404, []]);
  });

  test('of two editors the later is told', async () => {
    const node = await made();
    const first = await update(node.id, { version: node.version, customercare: 'T' });
    expect([first.status, (first.body.data as Node[])[0]!.customercare]).toEqual([200, 'T']);
    const second = await update(node.id, { version: node.version, ClientFullName: 'Other' });
    expect([second.status, second.body.message]).toEqual([409, configMessages.personStale]);
  });

  test('there is one default administrator; notices go to who wants them, and always to someone', async () => {
    const firm = await app.make.agency(root, { host: 'firm.test' });
    const boss = await app.make.user(firm, { email: 'boss@firm.test', passwordHash });
    const people = await Promise.all(
      [1, 2].map((n) => app.make.user(firm, { email: `p${n}@firm.test`, role: 'administrator' })),
    );
    token.boss = await app.signIn(boss.email, 'firm.test');
    const set = (id: string, given: object) =>
      app.call('PUT', '/api/configuration/user/update', {
        host: 'firm.test',
        token: token.boss!,
        body: { companyID: firm.id, userType: 'administrator', ClientID: id, ...given },
      });
    const told = async () =>
      (
        await app.platform.db.app.transaction().execute(async (tx) => {
          await tx.executeQuery(
            (await import('kysely'))
              .sql`select set_config('role', 'lead_root', true), set_config('scope.root_id', ${root.id}, true)`.compile(
              tx,
            ),
          );
          return app.features.users.incharge(tx as never, firm.id);
        })
      ).map((one) => one.email);
    expect(await told()).toEqual(['boss@firm.test', 'p1@firm.test', 'p2@firm.test']);
    for (const { id } of [boss, people[0]!])
      expect((await set(id, { adminGetNotification: 'F' })).status).toBe(200);
    expect(await told()).toEqual(['p2@firm.test']);
    await set(people[1]!.id, { disabledreceivedemail: 'T' });
    expect(await told()).toEqual(['boss@firm.test']);
    await set(people[0]!.id, { defaultAdmin: 'T' });
    await set(people[1]!.id, { defaultAdmin: 'T' });
    expect(await told()).toEqual(['p2@firm.test']);
    const { rows } = await app.admin.query(
      'select id from user_account where company_id = $1 and is_default_admin',
      [firm.id],
    );
    expect(rows).toEqual([{ id: people[1]!.id }]);
  });

  test('who may not add campaigns does not, whatever their role allows', async () => {
    const admin = await signedIn(acme, { role: 'administrator' });
    const create = () =>
      ask(
        'POST',
        'leadspeek/client/create',
        { campaignName: `C${++serial}`, urlCode: 'https://shop.example.com/', companyID: client.id },
        admin.name,
      );
    expect((await create()).status).toBe(200);
    expect((await update(admin.id, { disabledaddcampaign: 'T' })).status).toBe(200);
    expect((await create()).status).toBe(403);
    const { body } = await ask('GET', 'user', undefined, admin.name);
    expect(body.module_permissions).toContainEqual({
      module_name: 'Campaign',
      enable_permission: 'T',
      create_permission: 'F',
      update_permission: 'T',
      delete_permission: 'T',
    });
    await update(admin.id, { disabledaddcampaign: 'F', ClientRole: await roleOf('Campaign manager') });
    expect((await create()).status).toBe(200);
    await update(admin.id, { disabledaddcampaign: 'T' });
    expect((await create()).status).toBe(403);
  });
});

describe('[CONF-02] who may do what with whom', () => {
  test('nobody removes or demotes themselves, and the last owner stays', async () => {
    expect((await remove(ids.owner!)).status).toBe(403);
    expect((await update(ids.owner!, { ClientRole: '' })).body.message).toBe(configMessages.personSelf);
    const second = await signedIn(acme, { role: 'owner' });
    expect((await update(ids.owner!, { ClientRole: '' }, second.name)).status).toBe(200);
    // The remaining owner cannot be removed, and a demoted one has no power over them.
    expect((await remove(second.id, second.name)).status).toBe(403);
    expect((await remove(second.id)).body.message).toBe(configMessages.ownersOnly);
    expect((await update(ids.owner!, { ClientRole: 'owner' }, second.name)).status).toBe(200);
    expect((await remove(second.id)).status).toBe(200);
  });

  test('[BEY-11] the owners are told of each new one, and so is whoever added them', async () => {
    const told = async (address: string) =>
      (await mailsTo(app, root.id, address)).filter(
        (mail) => mail.subject === 'Your company has a new owner',
      );
    const firm = await app.make.agency(root, { host: 'told.test', name: 'Told' });
    const [first, admin, helper] = [
      await app.make.user(firm, { email: 'first@told.test', name: 'Fay First', passwordHash }),
      await app.make.user(firm, { email: 'admin@told.test', name: 'Ada', role: 'administrator' }),
      await app.make.user(firm, { email: 'helper@told.test', name: 'Hal', role: 'administrator' }),
    ];
    const first_token = await app.signIn(first.email, 'told.test');
    const call = (method: 'POST' | 'PUT' | 'DELETE', url: string, body?: object) =>
      app.call(method, `/api/configuration/user/${url}`, { host: 'told.test', token: first_token, body });
    const change = (ClientID: string, given: object) =>
      call('PUT', 'update', { companyID: firm.id, userType: 'administrator', ClientID, ...given });
    const added = fields({ companyID: firm.id, ClientRole: 'owner', ClientEmail: 'new@told.test' });
    expect((await call('POST', 'create', added)).status).toBe(200);
    const [mail] = await told(first.email);
    expect([mail?.kind, mail?.from_name]).toEqual(['account.notice', 'Told']);
    expect(mail?.body?.text).toContain('Fay First made Nora New (new@told.test) an owner of your company.');
    // Not of administrators, and not by what leaves someone what they are.
    await call('POST', 'create', fields({ companyID: firm.id, ClientEmail: 'plain@told.test' }));
    await change(helper.id, { ClientFullName: 'Hal H.' });
    expect(await told(first.email)).toHaveLength(1);
    expect((await change(admin.id, { ClientRole: 'owner' })).status).toBe(200);
    expect(await told(first.email)).toHaveLength(2);
    expect(await told('new@told.test')).toHaveLength(1);
    expect((await call('DELETE', `remove/${firm.id}/${admin.id}`)).status).toBe(200);
    expect((await change(admin.id, { action: 'restore' })).status).toBe(200);
    expect([(await told(first.email)).length, (await told(admin.email)).length]).toEqual([3, 0]);
    expect(await told(helper.email)).toEqual([]);
  });

  test('an administrator makes, changes and removes no owner', async () => {
    const make = await ask('POST', 'configuration/user/create', fields({ ClientRole: 'owner' }), 'admin');
    expect([make.status, make.body.message]).toEqual([403, configMessages.ownersOnly]);
    expect((await update(ids.owner!, { ClientFullName: 'x' }, 'admin')).status).toBe(403);
    expect((await remove(ids.owner!, 'admin')).status).toBe(403);
    const other = await made({}, 'admin');
    expect((await update(other.id, { ClientRole: 'owner' }, 'admin')).status).toBe(403);
  });

  test('who may not add campaigns lifts that neither from themselves nor from others', async () => {
    const limited = await signedIn(acme, { role: 'administrator' });
    const other = await signedIn(acme, { role: 'administrator' });
    for (const { id } of [limited, other]) await update(id, { disabledaddcampaign: 'T' });
    const lift = async (id: string, who: string, given: object = {}) => {
      const { status, body } = await update(id, { disabledaddcampaign: 'F', ...given }, who);
      return [status, body.message, Object.keys((body.errors ?? {}) as object)];
    };
    expect(await lift(limited.id, limited.name)).toEqual([
      ...[403, configMessages.permissionSelf, ['disabledaddcampaign']],
    ]);
    expect(await lift(other.id, limited.name)).toEqual([
      ...[403, ownMessages.roleBeyond, ['disabledaddcampaign']],
    ]);
    // Also together with a role that they may give.
    const reader = await roleOf('Read only');
    expect((await update(other.id, { ClientRole: reader }, limited.name)).status).toBe(200);
    expect((await lift(other.id, limited.name))[0]).toBe(200);
    expect(await lift(other.id, limited.name, { ClientRole: await roleOf('Campaign manager') })).toEqual([
      ...[403, ownMessages.roleBeyond, ['ClientRole']],
    ]);
    // Everything else of theirs they change, and who has no such limit lifts it.
    const same = { disabledaddcampaign: 'T', ClientFullName: 'Lim Limited' };
    expect((await update(limited.id, same, limited.name)).status).toBe(200);
    expect((await lift(limited.id, 'admin'))[0]).toBe(200);
  });

  test('no one changes their own permissions, and only owners and those who have one give it', async () => {
    const on = (name: string) =>
      app.make.user(root, { email: `${name}@perm.test`, role: 'administrator', passwordHash });
    const [plain, peer, holder] = [await on('plain'), await on('peer'), await on('holder')];
    for (const one of [plain, holder]) {
      token[one.email] = await app.signIn(one.email, 'root.test');
      HOST[one.email] = 'root.test';
    }
    const gives = (active: 'T' | 'F', more: object = {}) => ({
      user_permissions: [{ name: 'report_analytics', permission_active: active }],
      permission_active: 'T',
      ...more,
    });
    const set = (id: string, given: object, who: string) => update(id, { companyID: root.id, ...given }, who);
    const told = async (answer: ReturnType<typeof set>) => {
      const { status, body } = await answer;
      return [status, body.message, Object.keys((body.errors ?? {}) as object)];
    };
    const [self, others] = [configMessages.permissionSelf, configMessages.permissionBeyond].map((words) => [
      ...[403, words, ['user_permissions']],
    ]);
    expect(await told(set(plain.id, gives('T'), plain.email))).toEqual(self);
    expect(await told(set(peer.id, gives('T'), plain.email))).toEqual(others);
    const created = fields({ companyID: root.id, ...gives('T') });
    expect(await told(ask('POST', 'configuration/user/create', created, plain.email))).toEqual(others);
    // What the form sends without a change is none.
    expect((await set(plain.id, gives('F', { ClientFullName: 'Pat' }), plain.email)).status).toBe(200);
    // An owner gives it; nor does its holder turn it off and on, and by them others have it.
    expect((await set(holder.id, gives('T'), 'root')).status).toBe(200);
    expect(await told(set(holder.id, { permission_active: 'F' }, holder.email))).toEqual(self);
    expect((await set(peer.id, gives('T'), holder.email)).status).toBe(200);
    expect((await set(peer.id, gives('T', { customercare: 'T' }), plain.email)).status).toBe(200);
    // Anyone who may change them takes it away, but does not give it back by the switch of all of them.
    expect((await set(peer.id, { permission_active: 'F' }, plain.email)).status).toBe(200);
    expect(await told(set(peer.id, { permission_active: 'T' }, plain.email))).toEqual(others);
  });

  test('a narrow administrator makes, changes and restores no wider one', async () => {
    const { body } = await ask('POST', 'configuration/role-module/add', {
      roleName: 'People only',
      roleModule: [
        {
          module_name: 'Settings',
          enable_permission: 'T',
          create_permission: 'T',
          update_permission: 'T',
          delete_permission: 'T',
        },
      ],
    });
    const narrow = await signedIn(acme, { role: 'administrator', roleId: String(body.roleID) });
    const create = (ClientRole: string) =>
      ask('POST', 'configuration/user/create', fields({ ClientRole }), narrow.name);
    expect((await create(await roleOf('Campaign manager'))).status).toBe(403);
    expect((await create('')).status).toBe(403);
    const wide = await made();
    expect((await update(wide.id, { ClientFullName: 'Taken' }, narrow.name)).status).toBe(403);
    expect((await remove(wide.id, narrow.name)).status).toBe(403);
    await remove(wide.id);
    expect((await update(wide.id, { action: 'restore' }, narrow.name)).status).toBe(403);
    expect((await create(String(body.roleID))).status).toBe(200);
    // A user who may only read the settings cannot add anyone.
    const reader = await signedIn(acme, { role: 'administrator', roleId: await roleOf('Read only') });
    expect((await ask('POST', 'configuration/user/create', fields(), reader.name)).status).toBe(403);
    expect((await list('all/all/all/all', '', 'administrator', reader.name)).status).toBe(403);
  });

  test('who is removed is signed out at once, is found by the filter, and can come back', async () => {
    const gone = await signedIn(acme, { role: 'administrator', name: 'Gone Soon' });
    expect((await ask('GET', 'user', undefined, gone.name)).status).toBe(200);
    const { status, body } = await remove(gone.id);
    expect([status, (body.data as { message: string }).message]).toEqual([200, configMessages.personRemoved]);
    expect((await ask('GET', 'user', undefined, gone.name)).status).toBe(401);
    expect((await list('all/all/all/gone')).rows).toEqual([]);
    expect((await list('all/all/all/gone', '?Filters=removed')).rows).toMatchObject([
      { name: 'Gone Soon', status: 'removed' },
    ]);
    expect((await remove(gone.id)).status).toBe(404);
    const { most } = BOUNDS.people;
    BOUNDS.people.most = 1;
    const full = await update(gone.id, { action: 'restore' });
    BOUNDS.people.most = most;
    expect([full.status, Object.keys(full.body.errors as object)]).toEqual([422, ['ClientID']]);
    const back = await update(gone.id, { action: 'restore' });
    expect([back.status, back.body.message]).toEqual([200, configMessages.personRestored]);
    // Earlier sessions stay ended.
    expect((await ask('GET', 'user', undefined, gone.name)).status).toBe(401);
    await app.signIn(gone.email, 'acme.test');
  });

  test('a client has its own people, and reaches no one else’s', async () => {
    const own = await made({}, 'client');
    const rows = (await list('all/full_name/asc/all', '', 'administrator', 'client')).rows;
    expect(rows.map((row) => row.id).toSorted()).toEqual([own.id, ids.client!].toSorted());
    expect((await remove(ids.admin!, 'client')).status).toBe(404);
    expect((await update(ids.admin!, { ClientFullName: 'x' }, 'client')).status).toBe(404);
    const firm = { ClientCompanyName: 'Firm', userType: 'client', companyID: client.id };
    expect((await ask('POST', 'configuration/user/create', fields(firm), 'client')).status).toBe(403);
  });
});

describe('[CONF-02] [CONF-09] [ROLE-02] salespeople, invitations and files', () => {
  test('a root has salespeople, account executives among them; a client has none', async () => {
    const node = await made(
      { userType: 'sales', isAccExecutive: 'T', ClientFullName: 'Ada Executive' },
      'root',
    );
    expect(node).toMatchObject({ user_type: 'sales', isAccExecutive: 'T', ClientRole: '' });
    const { rows } = await list('all/all/all/ada', '', 'sales', 'root');
    expect(rows.map((row) => row.name)).toEqual(['Ada Executive']);
    expect((await list('all/all/all/ada', '', 'administrator', 'root')).rows).toEqual([]);
    expect((await list('all/all/all/all', '', 'sales')).rows).toEqual([]);
    expect((await list('all/all/all/all', '', 'sales', 'client')).status).toBe(404);
    expect(
      (
        await ask(
          'POST',
          'configuration/user/create',
          fields({ companyID: client.id, userType: 'sales' }),
          'client',
        )
      ).status,
    ).toBe(404);
    expect((await list('all/all/all/all', '', 'sales', 'sales')).status).toBe(403);
    const off = await update(node.id, { userType: 'sales', isAccExecutive: 'F' }, 'root');
    expect((off.body.data as Node[])[0]).toMatchObject({ isAccExecutive: 'F' });
    // A user from the other list is not found in this one.
    expect((await update(node.id, { userType: 'administrator' }, 'root')).status).toBe(404);
  });

  test("an agency has salespeople of its own, who get its invitation, its clients and nothing of the root's list", async () => {
    const node = await made({ userType: 'sales', isAccExecutive: 'T', ClientFullName: 'Abe Seller' });
    expect(node).toMatchObject({ user_type: 'sales', isAccExecutive: 'T', company_id: acme.id });
    const [mail] = await mailsTo(app, root.id, String(node.email));
    expect([mail?.kind, mail?.from_name]).toEqual(['account.invitation', 'Acme']);
    expect((await list('all/all/all/abe', '', 'sales')).rows.map((row) => row.name)).toEqual(['Abe Seller']);
    expect((await list('all/all/all/abe', '', 'sales', 'root')).rows).toEqual([]);
    const link = linkIn(mail);
    await app.call('POST', '/api/setnewpassword', {
      host: 'acme.test',
      body: { token: link.token, email: node.email, newpassword: PASSWORD },
    });
    token.abe = await app.signIn(String(node.email), 'acme.test');
    const names = async () =>
      ((await ask('GET', 'configuration/sales/downline', undefined, 'abe')).body.data as Node[]).map(
        (row) => row.company_name,
      );
    expect(await names()).toEqual([]);
    const care = await ask('PUT', 'configuration/sales', { companyID: client.id, salesAE: node.id });
    expect([care.status, await names()]).toEqual([200, ['Client']]);
    // What salespeople may not see: people or the list of the others, money, settings.
    for (const url of [
      `configuration/user/${acme.id}/all/all/sales/all/all/all/all`,
      `configuration/user/${acme.id}/all/all/client/all/all/all/all`,
      'configuration/setting',
      'billing/invoices',
      'ledger/statement',
    ])
      expect([url, (await ask('GET', url, undefined, 'abe')).status]).toEqual([url, 403]);
    // Once removed, they cannot sign in, and no new companies are assigned to them.
    expect((await remove(node.id)).status).toBe(200);
    expect((await ask('GET', 'configuration/sales/downline', undefined, 'abe')).status).toBe(401);
    const again = await ask('PUT', 'configuration/sales', { companyID: client.id, salesRep: node.id });
    expect(again.status).toBe(422);
  });

  test('[BEY-31] no one is sent more than five invitations in an hour, under one address or several', async () => {
    const person = await made();
    const again = async () =>
      (await ask('POST', 'configuration/user/resendinvitation', { companyID: acme.id, ClientID: person.id }))
        .status;
    const sent: number[] = [];
    for (let i = 0; i < 6; i++) sent.push(await again());
    // The first was sent when the person was added.
    expect(sent).toEqual([200, 200, 200, 200, 429, 429]);
    await app.admin.query(
      `update password_reset set created_at = created_at - interval '61 minutes' where user_id = $1`,
      [person.id],
    );
    expect(await again()).toBe(200);
  });

  test('several are invited again at once, and the answer says whom it left out', async () => {
    const people = [await made(), await made(), await made()];
    const { status, body } = await ask('POST', 'configuration/user/resendinvitation', {
      companyID: acme.id,
      ClientID: [...people.map((one) => one.id), ids.admin],
    });
    expect([status, body]).toMatchObject([
      200,
      { message: '3 sent, 1 has already signed in', sent: 3, signed_in: 1 },
    ]);
    const mails = await mailsTo(app, root.id, String(people[0]!.email));
    expect(mails).toHaveLength(2);
    // The previous link no longer works; the new one does.
    const verify = (at: number) =>
      app.call('POST', '/api/verify-reset-token', {
        host: 'acme.test',
        body: { token: linkIn(mails[at]).token, email: people[0]!.email },
      });
    const valid = (await Promise.all([verify(0), verify(1)])).map((one) => one.body.valid);
    expect(valid.toSorted()).toEqual([false, true]);
    const single = { companyID: acme.id, ClientID: people[0]!.id };
    expect((await ask('POST', 'configuration/user/resendinvitation', single)).body.message).toBe(
      ownMessages.invitationSent,
    );
    const foreign = { companyID: acme.id, ClientID: [people[0]!.id, ids.client] };
    expect((await ask('POST', 'configuration/user/resendinvitation', foreign)).status).toBe(404);
    await app.admin.query(
      `update password_reset set expires_at = '2026-03-10T14:59:00Z' where used_at is null`,
    );
    const status8 = (await list('all/all/all/all', '?PerPage=100&Filters=invited')).rows.map(
      (row) => row.status,
    );
    expect(new Set(status8)).toEqual(new Set(['expired']));
  });

  test('the file has what the list shows, and no cell is a formula', async () => {
    await made({ ClientFullName: '=HYPERLINK("http://evil.test")' });
    const { body } = await ask('POST', 'general/download-token', {
      path: `/api/export/user?companyId=${acme.id}&group=all&idsys=all&type=administrator&module=all&sortby=all&order=all&search=hyperlink`,
    });
    const { payload, statusCode, headers } = await app.server.inject({
      method: 'GET',
      url: String(body.url),
      headers: { host: 'acme.test' },
    });
    expect(statusCode).toBe(200);
    expect(headers['content-disposition']).toContain('administrators-2026-03-10.csv');
    const lines = payload.trim().split('\r\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(/^"'=HYPERLINK/);
  });
});

describe('[CONF-02] salespeople of a narrow administrator', () => {
  test('[ROLE-02] a narrow administrator gets no eyes by salespeople: none made, changed, restored or assigned', async () => {
    const rows = (modules: string[]) =>
      modules.map((module_name) => ({
        module_name,
        enable_permission: 'T',
        create_permission: 'T',
        update_permission: 'T',
        delete_permission: 'T',
      }));
    const as = async (modules: string[]) => {
      const { body } = await ask('POST', 'configuration/role-module/add', {
        roleName: `${modules.join(' ')} ${++serial}`,
        roleModule: rows(modules),
      });
      return (await signedIn(acme, { role: 'administrator', roleId: String(body.roleID) })).name;
    };
    const seller = { userType: 'sales', ClientRole: undefined };
    const known = await made(seller);
    const removed = await made(seller);
    await remove(removed.id);
    const assign = (who: string, given: object) =>
      ask('PUT', 'configuration/sales', { companyID: client.id, ...given }, who);
    const change = (who: string, id: string, given: object) =>
      update(id, { userType: 'sales', ...given }, who);
    const edit = (who: string, given: object) =>
      update(
        client.id,
        fields({
          userType: 'client',
          ClientCompanyName: 'Client',
          ClientFullName: 'Person client',
          ClientEmail: 'client@x.test',
          ...given,
        }),
        who,
      );
    const tries = async (who: string) => [
      await ask('POST', 'configuration/user/create', fields(seller), who),
      await change(who, known.id, { ClientEmail: `own${++serial}@x.test` }),
      await change(who, known.id, { isAccExecutive: 'T' }),
      await change(who, removed.id, { action: 'restore' }),
      await assign(who, { salesRep: known.id }),
      await edit(who, { salesAE: known.id }),
      await ask(
        'POST',
        'configuration/user/create',
        fields({
          userType: 'client',
          ClientCompanyName: 'Another',
          salesRep: known.id,
        }),
        who,
      ),
    ];
    for (const modules of [['Settings'], ['Settings', 'Campaign'], ['Settings', 'LeadsPeek', 'Ads Design']])
      expect((await tries(await as(modules))).map(({ status, body }) => [status, body.message])).toEqual(
        Array(7).fill([403, configMessages.salesBeyond]),
      );
    // Taking a company away from someone shows nothing.
    expect((await assign(await as(['Settings', 'Campaign']), { salesRep: '' })).status).toBe(200);
    const wide = await as(['Settings', 'Campaign', 'LeadsPeek', 'Ads Design']);
    expect((await tries(wide)).map(({ status }) => status)).toEqual(Array(7).fill(200));
    await assign('owner', { salesRep: '', salesAE: '' });
  });
});
