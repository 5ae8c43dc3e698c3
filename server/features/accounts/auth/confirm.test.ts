import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { INFORMATION_FIELDS } from '../../../../contract/audience/enrichment-fields.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';

let app: TestApp;
let acme: Company;
const HOST = 'acme.test';

beforeAll(async () => {
  app = await testApp();
  const root = await app.make.root({ host: 'root.test', isMaster: true });
  acme = await app.make.agency(root, { host: HOST, name: 'Acme' });
  for (const email of ['ann@x.test', 'bea@x.test']) await app.make.user(acme, { email, password: PASSWORD });
});
afterAll(() => app.close());

const oldSession = (username = 'ann@x.test') => app.oldSession(username, HOST);
const ask = (token: string, method: 'POST' | 'PUT' | 'GET', path: string, body?: unknown) =>
  app.call(method, `/api/${path}`, { host: HOST, token, ...(body ? { body } : {}) });
const embed = (token: string) =>
  ask(token, 'PUT', 'configuration/setting', {
    comsetname: 'rootAgencyEmbeddedCode',
    comsetval: { placeEmbedded: 'footer', embeddedcode: '<b>1</b>' },
  });

test('[BEY-11] an open session alone moves no money, sends no leads elsewhere, exports no list and writes no code', async () => {
  const token = await oldSession();
  const nobody = '00000000-0000-7000-8000-000000000000';
  const guarded: [() => ReturnType<typeof ask>, number][] = [
    [() => ask(token, 'POST', 'leadspeek/client/topup-card', { leadspeekID: nobody }), 404],
    [() => ask(token, 'POST', 'integrations/custom', { leadspeekID: nobody, url: 'https://a.example' }), 404],
    [() => ask(token, 'POST', 'general/download-token', { path: '/api/leadspeek/report/lead/export' }), 200],
    [() => ask(token, 'POST', 'general/download-token', { path: '/api/export/exclusion-lists' }), 200],
    [
      () =>
        ask(token, 'POST', 'general/download-token', { path: `/api/exclusions/lists/${nobody}/report.csv` }),
      200,
    ],
    [
      () =>
        ask(token, 'POST', 'general/download-token', { path: `/api/identity/imports/${nobody}/errors.csv` }),
      200,
    ],
    ...[
      '/api/ledger/statement/pdf',
      `/api/configuration/agencies/prepaid/download-transaction-history-direct-payment/${nobody}/all`,
      '/api/a/file/that/is/new',
    ].map((path): [() => ReturnType<typeof ask>, number] => [
      () => ask(token, 'POST', 'general/download-token', { path }),
      200,
    ]),
    [() => embed(token), 200],
  ];
  for (const [call] of guarded) {
    const { status, body } = await call();
    expect([status, body.message, body.errors]).toEqual([
      403,
      'Confirm it’s you to continue.',
      { confirm: ['password'] },
    ]);
  }
  // Reading and everyday actions continue to work.
  const invoice = { path: `/api/billing/invoices/${nobody}/pdf` };
  expect((await ask(token, 'POST', 'general/download-token', invoice)).status).toBe(200);
  expect((await ask(token, 'GET', 'user')).status).toBe(200);
  expect((await ask(token, 'POST', 'user/confirm', {})).body.errors).toEqual({ password: ['is required'] });
  expect((await ask(token, 'POST', 'user/confirm', { password: 'wrong' })).status).toBe(422);
  expect((await embed(token)).status).toBe(403);
  expect((await ask(token, 'POST', 'user/confirm', { password: PASSWORD })).status).toBe(200);
  for (const [call] of guarded) expect((await call()).body.errors ?? {}).not.toHaveProperty('confirm');
  app.clock.advance(14 * 60_000);
  expect((await embed(token)).status).toBe(200);
});

test('[BEY-11] with an authenticator app it takes a code of it, once; the password is not enough', async () => {
  const token = await app.signIn('ann@x.test', HOST);
  const { rows } = await app.admin.query(`select id from user_account where email = 'ann@x.test'`);
  const [{ id }] = rows;
  const offer = await ask(token, 'GET', `setting/get-google-tfa/${id}/${acme.id}`);
  const totp = new TOTP({ secret: Secret.fromBase32(offer.body.secretKey as string) });
  const code = () => totp.generate({ timestamp: app.clock.now().getTime() });
  const saved = await ask(token, 'PUT', `setting/twofactorauth/${id}`, {
    two_factor_auth: true,
    two_factor_auth_type: 'google',
    currpassword: PASSWORD,
    code: code(),
  });
  expect(saved.status).toBe(200);
  await app.admin.query(`update session set created_at = created_at - interval '1 hour'`);
  expect((await embed(token)).body.errors).toEqual({ confirm: ['code'] });
  // Nor does it, knowing the password, do away with the app or go around it.
  const around: ['PUT' | 'POST', string, object][] = [
    ['PUT', `setting/twofactorauth/${id}`, { two_factor_auth: true, two_factor_auth_type: 'email' }],
    ['PUT', `setting/twofactorauth/${id}`, { two_factor_auth: false }],
    ['POST', 'user/resetpassword', { usrID: id, newpassword: 'a brand new password' }],
  ];
  for (const [method, path, given] of around)
    expect([
      path,
      (await ask(token, method, path, { ...given, currpassword: PASSWORD })).body.errors,
    ]).toEqual([path, { confirm: ['code'] }]);
  expect((await ask(token, 'POST', 'user/confirm', { password: PASSWORD })).body.errors).toEqual({
    code: ['is required'],
  });
  expect((await ask(token, 'POST', 'user/confirm', { code: code() })).status).toBe(422);
  app.clock.advance(30_000);
  expect((await ask(token, 'POST', 'user/confirm', { code: code() })).status).toBe(200);
  expect((await embed(token)).status).toBe(200);
});

test('[BEY-11] a list is told by its address alone, which can be written in one way only', async () => {
  const token = await oldSession('bea@x.test');
  for (const path of [
    '/api/leadspeek/report/lead/%65xport',
    '/api/leadspeek/report/lead/exp%6Frt?a=b',
    '/api/%65xport/user',
    '/api/leadspeek/report/lead/export;x',
    '/api/leadspeek/report/lead/export#x',
    '/api//export/user',
    '/api/leadspeek/report/lead/export%00',
  ]) {
    const { status, body } = await ask(token, 'POST', 'general/download-token', { path });
    expect([path, status, Object.keys(body.errors as object)]).toEqual([path, 422, ['path']]);
  }
});

test('[BEY-11] anyone who asks many times at once keeps no one from the database', async () => {
  const token = await app.signIn('bea@x.test', HOST);
  const asked = await Promise.all(Array.from({ length: 40 }, () => embed(token)));
  expect([...new Set(asked.map(({ status }) => status))]).toEqual([200]);
  expect(app.greedy).toEqual([]);
});

test('[BEY-11] an open session alone turns no automatic purchases on, and changes no price of theirs', async () => {
  const client = await app.make.client(acme);
  const { id } = await app.make.campaign(client);
  const save = (token: string, given: object) =>
    ask(token, 'PUT', 'leadspeek/client/update', { leadspeekID: id, ...given });
  const buys = { PaymentTerm: 'Prepaid', topupoptions: 'continual', leadsbuy: 10, CostSet: '2.00' };
  const old = await app.oldSession('bea@x.test', HOST);
  expect((await save(old, buys)).body.errors).toEqual({ confirm: ['password'] });
  expect(
    (
      await ask(old, 'POST', 'leadspeek/client/stop-continual-topup', {
        leadspeekID: id,
        stop_continual: 'F',
      })
    ).body.errors,
  ).toEqual({ confirm: ['password'] });
  expect((await save(await app.signIn('bea@x.test', HOST), buys)).status).toBe(200);
  const later = await app.oldSession('bea@x.test', HOST);
  expect((await save(later, { CostSet: '99.00' })).body.errors).toEqual({ confirm: ['password'] });
  // From a later day on, by what it costs then.
  const day = new Date(app.clock.now().getTime() + 40 * 86_400_000).toISOString().slice(0, 10);
  const planned = { CostSet: '3.00', effective_from: day };
  expect((await save(later, planned)).body.errors).toEqual({ confirm: ['password'] });
  expect((await save(await app.signIn('bea@x.test', HOST), planned)).status).toBe(200);
  expect((await save(later, { CostSet: '2.00', effective_from: day })).body.errors).toEqual({
    confirm: ['password'],
  });
  // Nor does it add data that a lead costs more with, or what buys by itself: a copy, a new campaign, or its defaults.
  const priced = { ...buys, CostSetAdvanced: '4.00' };
  expect((await save(await app.signIn('bea@x.test', HOST), priced)).status).toBe(200);
  const field = INFORMATION_FIELDS.find(({ type }) => type === 'advanced')!.id;
  expect((await save(later, { advanceInformation: [field] })).body.errors).toEqual({ confirm: ['password'] });
  const copy = (token: string) => ask(token, 'POST', 'leadspeek/client/duplicate', { leadspeekID: id });
  expect((await copy(later)).body.errors).toEqual({ confirm: ['password'] });
  expect((await copy(await app.signIn('bea@x.test', HOST))).status).toBe(200);
  const defaults = (token: string, given: object) =>
    ask(token, 'PUT', 'configuration/user/costmodule', { companyID: client.id, module: 'local', ...given });
  const create = (token: string) =>
    ask(token, 'POST', 'leadspeek/client/create', {
      companyID: client.id,
      leadspeekType: 'local',
      campaignName: 'By its defaults',
      urlCode: 'https://shop.example.com/',
    });
  expect((await defaults(later, buys)).body.errors).toEqual({ confirm: ['password'] });
  expect((await defaults(await app.signIn('bea@x.test', HOST), buys)).status).toBe(200);
  expect((await defaults(later, buys)).status).toBe(200);
  expect((await create(later)).body.errors).toEqual({ confirm: ['password'] });
  expect((await create(await app.signIn('bea@x.test', HOST))).status).toBe(200);
  // What stays the same needs nothing, nor does stopping.
  expect((await save(later, buys)).status).toBe(200);
  expect(
    (await ask(later, 'POST', 'leadspeek/client/stop-continual-topup', { leadspeekID: id })).status,
  ).toBe(200);
  expect((await save(await app.signIn('bea@x.test', HOST), buys)).status).toBe(200);
  // A client's own people as well.
  await app.make.user(client, { email: 'cyd@x.test', password: PASSWORD });
  const own = await app.oldSession('cyd@x.test', HOST);
  for (const call of [create, copy, (token: string) => save(token, { advanceInformation: [field] })])
    expect((await call(own)).body.errors).toEqual({ confirm: ['password'] });
});

test('[BEY-11] an open session alone has leads mailed to no one new', async () => {
  const campaign = await app.make.campaign(await app.make.client(acme));
  const send = (token: string, reportSentTo: string[]) =>
    ask(token, 'PUT', 'leadspeek/client/update', {
      leadspeekID: campaign.id,
      reportType: 'CSV',
      reportFreq: 'day',
      reportSentTo,
    });
  const fresh = await app.signIn('bea@x.test', HOST);
  expect((await send(fresh, ['bea@x.test'])).status).toBe(200);
  const token = await oldSession('bea@x.test');
  const refused = await send(token, ['bea@x.test', 'somebody@else.test']);
  expect([refused.status, refused.body.errors]).toEqual([403, { confirm: ['password'] }]);
  // Existing recipients stay allowed, and may be left out.
  expect((await send(token, ['bea@x.test'])).status).toBe(200);
});

test('[BEY-11] an open session alone gives no one a way in, and no rights', async () => {
  const client = await app.make.client(acme, { name: 'Client' });
  await app.make.user(client, { email: 'cleo@x.test', name: 'Cleo' });
  const orphan = await app.make.client(acme, { name: 'Orphan' });
  const [known, gone] = [
    await app.make.user(acme, { email: 'adm@x.test', role: 'administrator' }),
    await app.make.user(acme, { email: 'gone@x.test', role: 'administrator' }),
  ];
  const fresh = await app.signIn('bea@x.test', HOST);
  expect((await ask(fresh, 'PUT', 'configuration/user/update', change(known.id))).status).toBe(200);
  const { body: added } = await ask(fresh, 'POST', 'configuration/role-module/add', role('roleName'));
  const roleID = String(added.roleID);
  await app.call('DELETE', `/api/configuration/user/remove/${acme.id}/${gone.id}`, {
    host: HOST,
    token: fresh,
  });

  const token = await oldSession('bea@x.test');
  const update = (given: object) => ask(token, 'PUT', 'configuration/user/update', given);
  const guarded = [
    () => ask(token, 'POST', 'configuration/user/create', person({ ClientRole: 'owner' })),
    () => ask(token, 'POST', 'configuration/user/create', person({})),
    () => ask(token, 'POST', 'configuration/user/create', person({ userType: 'sales' })),
    () => update(change(gone.id, { action: 'restore' })),
    () => update(change(known.id, { ClientRole: 'owner' })),
    () => update(change(known.id, { ClientRole: roleID })),
    () => update(change(known.id, { ClientEmail: 'else@evil.test' })),
    () => update(change(known.id, { disabledaddcampaign: 'T' })),
    () => update(firm(client.id, 'Client', 'Cleo', 'cleo@evil.test')),
    () => update(firm(orphan.id, 'Orphan', 'Eve', 'eve@evil.test')),
    () => ask(token, 'PUT', 'configuration/role-module/update', { roleID, ...role('roleName') }),
    () => ask(token, 'PUT', 'configuration/role-module/assign', { usrID: known.id, roleID }),
  ];
  for (const [at, call] of guarded.entries()) {
    const { status, body } = await call();
    expect([at, status, body.errors]).toEqual([at, 403, { confirm: ['password'] }]);
  }
  const { rows } = await app.admin.query(`select email from user_account where email like '%@evil.test'`);
  expect(rows).toEqual([]);
  // What gives no one anything goes on: another phone number, a removal, the same values once more.
  expect((await update(change(known.id, { ClientFullName: 'Ada' }))).status).toBe(200);
  expect((await update(change(known.id, { ClientEmail: 'adm@x.test', ClientRole: '' }))).status).toBe(200);
  expect((await update(firm(client.id, 'Client', 'Cleo C.', 'cleo@x.test'))).status).toBe(200);
  expect((await ask(token, 'POST', 'user/confirm', { password: PASSWORD })).status).toBe(200);
  for (const [at, call] of guarded.entries()) expect([at, (await call()).status]).toEqual([at, 200]);

  function person(given: object) {
    return {
      companyID: acme.id,
      userType: 'administrator',
      ClientFullName: 'Eve',
      ClientEmail: `eve${Math.random()}@evil.test`,
      ClientPhone: '(202) 555-0123',
      ClientPhoneCountryCode: 'US',
      ...given,
    };
  }
  function change(ClientID: string, given: object = {}) {
    return { companyID: acme.id, userType: 'administrator', ClientID, ...given };
  }
  function firm(ClientID: string, ClientCompanyName: string, ClientFullName: string, ClientEmail: string) {
    return { ...person({ ClientFullName, ClientEmail }), userType: 'client', ClientID, ClientCompanyName };
  }
  function role(name: string) {
    const may = {
      enable_permission: 'T',
      create_permission: 'F',
      update_permission: 'F',
      delete_permission: 'F',
    };
    return { [name]: 'Looks', roleModule: [{ module_name: 'Campaign', ...may }] };
  }
});
