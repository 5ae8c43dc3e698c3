import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Ctx } from '../../../platform/ctx.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { linkIn, mailsTo } from '../../../test/ways-in.ts';

let app: TestApp;
let root: Company;
let acme: Company;
const HOST = 'acme.test';

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test', isMaster: true });
  acme = await app.make.agency(root, { host: HOST, name: 'Acme' });
  await app.make.user(acme, { email: 'agency@x.test', password: PASSWORD });
});
afterAll(() => app.close());

let serial = 0;
/** An owner of a new client of Acme, signed in. */
async function owner() {
  const company = await app.make.client(acme);
  const user = await app.make.user(company, { email: `own${++serial}@x.test`, password: PASSWORD });
  return { company, ...user, token: await app.signIn(user.email, HOST) };
}
const move = async (who: string, company: Company, email: string) =>
  app.call('PUT', '/api/configuration/user/update', {
    host: HOST,
    token: await app.signIn(`${who}@x.test`, HOST),
    body: {
      companyID: acme.id,
      userType: 'client',
      action: 'client',
      ClientID: company.id,
      ClientCompanyName: 'Kept',
      ClientFullName: 'Owner',
      ClientEmail: email,
      ClientPhone: '2025550123',
      ClientPhoneCountryCode: 'US',
      ClientPhoneCountryCallingCode: '+1',
    },
  });
const login = (username: string) =>
  app.call('POST', '/api/login', { host: HOST, body: { username, password: PASSWORD } });
const alive = async (bearer: string) =>
  (await app.call('GET', '/api/user', { host: HOST, token: bearer })).status === 200;
const follow = (path: 'confirm-email' | 'stop-email', link: string) =>
  app.call('POST', `/api/user/${path}`, { host: HOST, body: { token: link } });
/** The links in the email to the old address. */
async function linksTo(email: string) {
  const mail = (await mailsTo(app, root.id, email)).find((one) => one.kind === 'account.email')!;
  const [allow] = /confirm-email\/[\w.-]+(?!\S*stop)/.exec(mail.body!.text.split('change it now')[1]!) ?? [
    '',
  ];
  return { stop: linkIn(mail).url.pathname.split('/').at(-1)!, allow: allow.split('/')[1]! };
}

describe('[PROF-02] another person changes someone’s address', () => {
  test('it waits 72 hours, both are told, and then the devices are signed out and the codes still go to the old one', async () => {
    const one = await owner();
    await app.admin.query(
      `insert into user_factor (user_id, root_id, agency_id, company_id, kind, updated_at) values ($1, $2, $3, $4, 'email', now())`,
      [one.id, root.id, acme.id, one.company.id],
    );
    const saved = await move('agency', one.company, 'thief@x.test');
    expect([saved.status, saved.body.message]).toEqual([
      200,
      expect.stringContaining('The new email address takes effect after 72 hours'),
    ]);
    expect((await mailsTo(app, root.id, 'thief@x.test')).map((mail) => mail.subject)).toEqual([
      'This will be your new email address',
    ]);
    app.clock.advance(71 * 3_600_000);
    await app.features.auth.sweep();
    expect([(await login(one.email)).status, (await login('thief@x.test')).status]).toEqual([200, 401]);
    app.clock.advance(3_600_001);
    await app.features.auth.sweep();
    const { body } = await login('thief@x.test');
    expect([body.type, body.sent_to]).toEqual(['email', 'o***@x.test']);
    expect([(await login(one.email)).status, await alive(one.token)]).toEqual([401, false]);
    expect((await mailsTo(app, root.id, 'thief@x.test')).some((mail) => mail.kind === 'login.code')).toBe(
      false,
    );
  });

  test('it waits as well for someone without a password whom an agency’s program signs in', async () => {
    const company = await app.make.client(acme);
    const user = await app.make.user(company, { email: 'program@x.test' });
    const host = await app.features.tenants.byHost(HOST);
    const actor = await app.features.auth.actorOf(await app.signIn('agency@x.test', HOST), host!);
    const ctx = new Ctx({
      ...{ tenant: host!, actor, clock: app.clock, origin: `http://${HOST}` },
      ...{ requestId: 'test', ip: '127.0.0.1', userAgent: 'test' },
    });
    const { token } = await app.features.auth.sso.mint(ctx, user.id);
    const entered = await app.call('POST', '/api/v1/developer/sso/validation', {
      host: HOST,
      body: { token },
    });
    expect(entered.status).toBe(200);
    const { body } = await move('agency', company, 'other@x.test');
    expect(body.message).toContain('The new email address takes effect after 72 hours');
    expect((await mailsTo(app, root.id, 'other@x.test')).map((mail) => mail.kind)).toEqual(['account.email']);
    const { rows } = await app.admin.query('select email from user_account where id = $1', [user.id]);
    expect(rows).toEqual([{ email: 'program@x.test' }]);
  });

  test('the old address can stop it, or confirm it at once; each link once', async () => {
    const one = await owner();
    await move('agency', one.company, 'moved1@x.test');
    const first = await linksTo(one.email);
    expect((await follow('confirm-email', first.stop)).status).toBe(410);
    expect((await follow('stop-email', first.stop)).body.message).toBe(
      'The change was stopped. Your email address stays the same.',
    );
    expect((await follow('confirm-email', first.allow)).status).toBe(410);
    app.clock.advance(73 * 3_600_000);
    await app.features.auth.sweep();
    expect((await login(one.email)).status).toBe(200);
    await move('agency', one.company, 'moved2@x.test');
    const { allow } = await linksTo(one.email);
    expect((await follow('confirm-email', allow)).status).toBe(200);
    expect([(await login('moved2@x.test')).status, await alive(one.token)]).toEqual([200, false]);
  });

  test('[BEY-11] anyone who may less than an owner cannot, and an address that is taken is told', async () => {
    const role = await app.admin.query(
      `insert into role (id, root_id, agency_id, company_id, name, created_at, updated_at)
       values (gen_random_uuid(), $1, $2, $2, 'Settings only', now(), now()) returning id`,
      [root.id, acme.id],
    );
    await app.admin.query(
      `insert into role_module (role_id, root_id, agency_id, company_id, module, may_see, may_create, may_update, may_delete)
       values ($1, $2, $3, $3, 'Settings', true, true, true, true)`,
      [role.rows[0].id, root.id, acme.id],
    );
    await app.make.user(acme, {
      email: 'settings@x.test',
      role: 'administrator',
      password: PASSWORD,
      roleId: role.rows[0].id,
    });
    const one = await owner();
    const refused = await move('settings', one.company, 'mine@x.test');
    const words =
      'Only owners and administrators with full access can add an owner to a company, or change an owner’s email address.';
    expect([refused.status, refused.body.message]).toEqual([403, words]);
    expect((await move('settings', one.company, one.email)).status).toBe(200);
    // Nor do they make themselves the owner of a company that has none, such as one whose owner was removed.
    await app.admin.query('update user_account set disabled_at = now() where id = $1', [one.id]);
    const added = await move('settings', one.company, 'mine@x.test');
    expect([added.status, added.body.message, Object.keys(added.body.errors as object)]).toEqual([
      ...[403, words, ['ClientEmail']],
    ]);
    expect((await move('agency', one.company, 'next@x.test')).status).toBe(200);
    await app.admin.query('update user_account set disabled_at = null where id = $1', [one.id]);
    const taken = await move('agency', one.company, 'agency@x.test');
    expect([taken.status, Object.keys(taken.body.errors as object)]).toEqual([422, ['ClientEmail']]);
  });
});
