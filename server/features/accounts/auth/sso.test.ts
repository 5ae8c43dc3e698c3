import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownMessages } from '../../../../contract/messages.ts';
import { Ctx } from '../../../platform/ctx.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';

const HOST = 'acme.test';
const INVALID =
  'Sorry! There is currently an update processing on the platform. Please wait five minutes and try again.';
let app: TestApp;
let agency: Company;
let client: Company;
let person: { id: string; email: string };

beforeAll(async () => {
  app = await testApp();
  const root = await app.make.root({ host: 'root.test' });
  agency = await app.make.agency(root, { host: HOST });
  await app.make.agency(root, { host: 'rival.test' });
  client = await app.make.client(agency);
  person = await app.make.user(client, { email: 'client@x.test' });
  await app.make.user(agency, { email: 'agency@x.test', password: PASSWORD });
  await app.make.user(client, { email: 'asker@x.test', password: PASSWORD });
});
afterAll(() => app.close());

/** The context of a signed-in user, as the developer's calls will have it. */
async function ctxOf(email: string, host = HOST, origin = `http://${host}`): Promise<Ctx> {
  const tenant = (await app.features.tenants.byHost(host))!;
  const actor = await app.features.auth.actorOf(await app.signIn(email, host), tenant);
  return new Ctx({
    tenant,
    actor,
    requestId: 'test',
    clock: app.clock,
    ip: '127.0.0.1',
    userAgent: 'test',
    origin,
  });
}
const mint = async (userId = person.id, email = 'agency@x.test') =>
  app.features.auth.sso.mint(await ctxOf(email), userId);
const USED = 'This sign-in link has already been used. Open a new one where you found it.';
const refused = ({ status, body }: Awaited<ReturnType<typeof validate>>) => [
  status,
  body.message,
  body.errors,
];
const validate = (token: string, more: object = {}, host = HOST) =>
  app.call('POST', '/api/v1/developer/sso/validation', { host, body: { token, ...more } });

describe('[AUTH-12] single sign-on', () => {
  test('a token signs its person in, and says when someone else was', async () => {
    const { token, url, expires_at } = await mint();
    expect(url).toBe(`http://acme.test/sso?token=${token}`);
    expect(expires_at).toBe(new Date(app.clock.now().getTime() + 60_000).toISOString());
    const { status, body, headers } = await validate(token, { subdomain: 'acme.test', currentUserID: null });
    expect([status, body.status, body.message, body.action, body.user_id]).toEqual([
      200,
      200,
      'Access Token Valid',
      undefined,
      person.id,
    ]);
    expect(headers['set-cookie']).toMatch(/^refresh=/);
    const me = await app.call('GET', '/api/user', { host: HOST, token: String(body.access_token) });
    expect(me.body.email).toBe('client@x.test');
    const replaced = async (currentUserID: string) =>
      (await validate((await mint()).token, { subdomain: 'acme', currentUserID })).body.action;
    expect([await replaced('someone'), await replaced(person.id)]).toEqual(['replace_user', undefined]);
  });

  test('[AUTH-14] a token is good once, also at once, for 60 s, at its own host', async () => {
    const { token } = await mint();
    const answers = await Promise.all(Array.from({ length: 30 }, () => validate(token)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array(29).fill(410)]);
    const replay = await validate(token);
    // Someone who has the link is told that it was used, at its own host and nowhere else; all other failures look the
    // same.
    expect(refused(replay)).toEqual([410, USED, { token: ['has already been used'] }]);
    for (const host of ['rival.test', 'root.test'])
      expect(refused(await validate(token, {}, host))).toEqual([410, INVALID, { token: ['is not valid'] }]);
    expect(refused(await validate('A'.repeat(43)))).toEqual([410, INVALID, { token: ['is not valid'] }]);
    const elsewhere = (await mint()).token;
    expect((await validate(elsewhere, {}, 'rival.test')).status).toBe(410);
    expect((await validate(elsewhere, {}, 'root.test')).status).toBe(410);
    expect((await validate(elsewhere, { subdomain: 'rival' })).status).toBe(410);
    app.clock.advance(60_000);
    expect((await validate(elsewhere)).status).toBe(410);
    for (const bad of ['x', 'A'.repeat(43), 'A'.repeat(256)]) expect((await validate(bad)).status).toBe(410);
    expect((await validate('')).status).toBe(422);
  });

  test('[BEY-11] it confirms no one who has a password: that moves no money and adds no passkey', async () => {
    const enter = async (userId: string) =>
      String((await validate((await mint(userId)).token)).body.access_token);
    const add = async (token: string) =>
      (await app.call('GET', '/api/user/passkeys/new', { host: HOST, token })).status;
    const known = await app.make.user(client, { email: 'known@x.test', password: PASSWORD });
    const token = await enter(known.id);
    expect(await add(token)).toBe(403);
    const topUp = await app.call('POST', '/api/leadspeek/client/topup-card', {
      host: HOST,
      token,
      body: { leadspeekID: '00000000-0000-7000-8000-000000000000' },
    });
    expect([topUp.status, topUp.body.errors]).toEqual([403, { confirm: ['password'] }]);
    const confirm = { host: HOST, token, body: { password: PASSWORD } };
    expect((await app.call('POST', '/api/user/confirm', confirm)).status).toBe(200);
    expect(await add(token)).toBe(200);
  });

  test('[BEY-11] without a password it confirms, but gives no one a way in: no passkey, no other user, no rights', async () => {
    const owner = await app.make.user(client, { email: 'bare@x.test', name: 'Bo Bare' });
    const enter = async () => String((await validate((await mint(owner.id)).token)).body.access_token);
    let token = await enter();
    const ask = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) =>
      app.call(method, `/api/${path}`, { host: HOST, token, ...(body ? { body } : {}) });
    const webhook = () =>
      ask('POST', 'integrations/custom', {
        leadspeekID: '00000000-0000-7000-8000-000000000000',
        url: 'https://a.example',
      });
    expect((await webhook()).status).toBe(404);
    const known = await app.make.user(client, { email: 'limited@x.test', role: 'administrator' });
    const firm = { companyID: client.id, userType: 'administrator' };
    const tries = () =>
      Promise.all([
        ask('GET', 'user/passkeys/new'),
        ask('POST', 'configuration/user/create', {
          ...firm,
          ...{ ClientRole: 'owner', ClientFullName: 'Eve', ClientEmail: 'eve@evil.test' },
          ...{ ClientPhone: '(202) 555-0123', ClientPhoneCountryCode: 'US' },
        }),
        ask('PUT', 'configuration/user/update', { ...firm, ClientID: known.id, ClientRole: 'owner' }),
        ask('PUT', 'configuration/role-module/assign', { usrID: known.id, roleID: null }),
      ]);
    for (const { status, body } of await tries())
      expect([status, body.message, body.errors ?? {}]).toEqual([403, ownMessages.passwordFirst, {}]);
    const { rows } = await app.admin.query(`select id from user_account where email = 'eve@evil.test'`);
    expect(rows).toEqual([]);
    // Whoever has a passkey here has something to confirm with.
    const { root_id, agency_id, id: company_id } = client;
    await app.admin.query(
      `insert into passkey (id, root_id, agency_id, company_id, user_id, name, host, credential_id, public_key, counter, transports,
         is_synced, created_at)
       values (gen_random_uuid(), $1, $2, $3, $4, 'Key', $5, 'x', 'x', 0, '{}', false, now())`,
      [root_id, agency_id, company_id, owner.id, HOST],
    );
    token = await enter();
    expect((await webhook()).body.errors).toEqual({ confirm: ['password', 'passkey'] });
    // By a link to their mailbox they get a password, and act by themselves from then on.
    await app.admin.query('update user_account set password_hash = $2 where id = $1', [
      owner.id,
      await app.features.users.hashPassword(PASSWORD),
    ]);
    token = await app.signIn('bare@x.test', HOST);
    expect((await tries()).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  test('[BEY-12] the log says of what is done in such a session that a program had opened it, and of no other', async () => {
    const owner = await app.make.user(client, {
      email: 'logged@x.test',
      name: 'Lou Logged',
      password: PASSWORD,
    });
    const token = String((await validate((await mint(owner.id)).token)).body.access_token);
    const own = await app.signIn(owner.email, HOST);
    for (const [one, roleName] of [
      [token, 'By a program'],
      [own, 'By themselves'],
    ] as const) {
      const body = { roleName, roleModule: [] };
      await app.call('POST', '/api/configuration/role-module/add', { host: HOST, token: one, body });
    }
    const { rows } = await app.admin.query(
      `select l.via, d.name, d.description from user_log l join user_log_detail d on d.log_id = l.id
       where l.actor_id = $1 and l.action = 'role.added' order by l.id`,
      [owner.id],
    );
    expect(rows).toEqual([
      { via: 'sso', name: 'Lou Logged by single sign-on', description: 'Added the role By a program' },
      { via: null, name: 'Lou Logged', description: 'Added the role By themselves' },
    ]);
  });

  test('only its hash is kept; the link names the host the database knows', async () => {
    const ctx = await ctxOf('agency@x.test', HOST, 'http://evil.test:99');
    const { token, url } = await app.features.auth.sso.mint(ctx, person.id);
    expect(new URL(url).hostname).toBe('acme.test');
    const { rows } = await app.admin.query('select t::text as row from sso_token t');
    expect(rows.some(({ row }) => row.includes(token))).toBe(false);
  });

  test('nobody makes one for someone they may not see, and none works for who is gone', async () => {
    const owner = await app.make.user(agency, {});
    await expect(mint(owner.id, 'asker@x.test')).rejects.toThrow('does not exist');
    const leaver = await app.make.user(client, {});
    const { token } = await mint(leaver.id);
    await app.admin.query('update user_account set disabled_at = now() where id = $1', [leaver.id]);
    expect((await validate(token)).status).toBe(410);
    await expect(mint(leaver.id)).rejects.toThrow('does not exist');
  });

  test('what is used or over is swept away', async () => {
    await mint();
    app.clock.advance(8 * 86_400_000);
    await app.features.auth.sweep();
    const left = await inScope(app.platform.db.app, { rootId: agency.root_id }, (tx) =>
      tx.selectFrom('sso_token').selectAll().execute(),
    );
    expect(left).toEqual([]);
  });
});
