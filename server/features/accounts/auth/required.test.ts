import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { contract } from '../../../../contract/index.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import { Authenticator } from '../../../test/authenticator.ts';
import type { Company } from '../../../test/factories.ts';

const HOST = 'acme.test';
let app: TestApp;
let root: Company;
let agency: Company;
let client: Company;
let people: Record<'root' | 'owner' | 'staff' | 'client', { id: string; email: string }>;
let serial = 0;

beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  app.clock.advance(3_600_000);
  const n = ++serial;
  root = await app.make.root({ host: `root${n}.test` });
  agency = await app.make.agency(root, { host: n === 1 ? HOST : `${n}.${HOST}` });
  client = await app.make.client(agency);
  const make = (company: Company, role: 'owner' | 'administrator', name: string) =>
    app.make.user(company, { email: `${name}${n}@x.test`, password: PASSWORD, role });
  people = {
    root: await make(root, 'owner', 'root'),
    owner: await make(agency, 'owner', 'owner'),
    staff: await make(agency, 'administrator', 'staff'),
    client: await make(client, 'owner', 'client'),
  };
});

type Who = keyof typeof people;
const hostOf = (who: Who) =>
  who === 'root' ? `root${serial}.test` : serial === 1 ? HOST : `${serial}.${HOST}`;
const ask = (
  who: Who,
  token: string,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: object,
) => app.call(method, `/api${path}`, { host: hostOf(who), token, ...(body ? { body } : {}) });
const login = (who: Who) =>
  app.call('POST', '/api/login', {
    host: hostOf(who),
    body: { username: people[who].email, password: PASSWORD },
  });
const signIn = async (who: Who) => String((await login(who)).body.access_token);
const demand = async (who: Who, comsetval: object) =>
  ask(who, await signIn(who), 'PUT', '/configuration/setting', {
    comsetname: 'secondfactor',
    comsetval: { people: false, owners: false, from: null, ...comsetval },
  });
/** What the user sees at login, and whether they can continue. */
async function stateOf(who: Who) {
  const token = await signIn(who);
  const { body } = await ask(who, token, 'GET', '/user');
  return [body.factor_needed, (await ask(who, token, 'GET', '/user/activity')).status];
}
const saveFactor = (who: Who, token: string, given: object) =>
  ask(who, token, 'PUT', `/setting/twofactorauth/${people[who].id}`, { currpassword: PASSWORD, ...given });
const byEmail = { two_factor_auth: true, two_factor_auth_type: 'email' };
async function addPasskey(who: Who, token: string) {
  const device = new Authenticator(`http://${hostOf(who)}`);
  const { body } = await ask(who, token, 'GET', '/user/passkeys/new');
  const { options, binding } = body as unknown as { options: { challenge: string }; binding: string };
  const credential = device.create(options);
  const added = await ask(who, token, 'POST', '/user/passkeys', { name: 'Laptop', binding, credential });
  return { device, added };
}

describe('[BEY-32] a two-factor authentication requirement', () => {
  test('is required of whom the setting names: own people, and owners below', async () => {
    expect(await stateOf('owner')).toEqual(['no', 200]);
    expect((await demand('root', { owners: true })).status).toBe(200);
    expect(await stateOf('owner')).toEqual(['now', 403]);
    expect(await stateOf('client')).toEqual(['now', 403]);
    expect(await stateOf('staff')).toEqual(['no', 200]);
    expect(await stateOf('root')).toEqual(['no', 200]);
    await demand('root', { people: true });
    expect(await stateOf('owner')).toEqual(['no', 200]);
    await app.admin.query('update company set factor_people = false where id = $1', [root.id]);
    await demand('owner', { people: true });
    expect(await stateOf('staff')).toEqual(['now', 403]);
    expect(await stateOf('client')).toEqual(['no', 200]);
  });

  test('is set by who may, of roots and agencies alone, with a fresh confirmation', async () => {
    expect((await demand('client', { people: true })).status).toBe(403);
    const token = await signIn('owner');
    await app.admin.query(`update session set created_at = created_at - interval '1 hour'`);
    const stale = await ask('owner', token, 'PUT', '/configuration/setting', {
      comsetname: 'secondfactor',
      comsetval: { people: true, owners: false, from: null },
    });
    expect(stale.body.errors).toEqual({ confirm: ['password'] });
    expect((await demand('owner', { from: '2026-13-01' })).status).toBe(422);
    const { body } = await demand('owner', { owners: true, from: '2027-01-01' });
    expect((body.data as unknown as { data: object }).data).toEqual({
      people: false,
      owners: true,
      from: '2027-01-01',
    });
  });

  test('until its day people are told and go on; from then they set one up first', async () => {
    const day = new Date(app.clock.now().getTime() + 3 * 86_400_000).toISOString().slice(0, 10);
    await demand('owner', { people: true, from: day });
    const token = await signIn('staff');
    const { body } = await ask('staff', token, 'GET', '/user');
    expect([body.factor_needed, String(body.factor_from).slice(0, 10)]).toEqual(['later', day]);
    expect((await ask('staff', token, 'GET', '/user/activity')).status).toBe(200);
    app.clock.advance(4 * 86_400_000);
    expect(await stateOf('staff')).toEqual(['now', 403]);
  });

  test('anyone who is signed in when it begins is asked at the next renewal, and a view of theirs ends', async () => {
    const { body: session } = await login('owner');
    const renew = (token: unknown) =>
      app.call('POST', '/api/auth/refresh-token', {
        host: hostOf('owner'),
        body: { refresh_token: String(token) },
      });
    const viewed = await ask('owner', String(session.access_token), 'POST', '/user/switch', {
      usrID: people.client.id,
      reason: 'They asked for help',
    });
    const before = await renew(session.refresh_token);
    expect([viewed.status, before.status, typeof before.body.view]).toEqual([200, 200, 'object']);
    expect((await demand('root', { owners: true })).status).toBe(200);
    const after = await renew(before.body.refresh_token);
    expect([after.status, after.body.view]).toEqual([200, undefined]);
    const token = String(after.body.access_token);
    expect((await ask('owner', token, 'GET', '/user')).body.factor_needed).toBe('now');
    const { status, body } = await ask('owner', token, 'GET', '/general/referral-link');
    expect([status, body.errors]).toEqual([403, { second_factor: ['is required'] }]);
    expect((await ask('owner', String(viewed.body.access_token), 'GET', '/user/activity')).status).toBe(401);
    expect((await saveFactor('owner', token, byEmail)).status).toBe(200);
    expect((await ask('owner', token, 'GET', '/general/referral-link')).status).toBe(200);
    expect((await ask('owner', token, 'GET', '/user')).body.factor_needed).toBe('no');
  });

  test('before its day a renewal changes nothing, and where it is withdrawn a session that waited for it is free', async () => {
    const day = new Date(app.clock.now().getTime() + 3 * 86_400_000).toISOString().slice(0, 10);
    const renew = async (token: unknown) =>
      (
        await app.call('POST', '/api/auth/refresh-token', {
          host: hostOf('staff'),
          body: { refresh_token: String(token) },
        })
      ).body;
    const needed = async (token: unknown) =>
      (await ask('staff', String(token), 'GET', '/user')).body.factor_needed;
    let session = (await login('staff')).body;
    await demand('owner', { people: true, from: day });
    session = await renew(session.refresh_token);
    expect(await needed(session.access_token)).toBe('later');
    app.clock.advance(4 * 86_400_000);
    session = await renew(session.refresh_token);
    expect(await needed(session.access_token)).toBe('now');
    await app.admin.query('update company set factor_people = false where id = $1', [agency.id]);
    session = await renew(session.refresh_token);
    expect(await needed(session.access_token)).toBe('no');
  });

  test('until it is set up the session does nothing else: every other call and route refuses', async () => {
    await demand('owner', { people: true });
    const token = await signIn('staff');
    const open = new Set<string>();
    for (const feature of Object.values(contract))
      for (const call of Object.values(feature)) {
        const { route, meta } = call['~orpc'] as {
          route: { method: string; path: string };
          meta: { access: string; beforeFactor?: true };
        };
        if (meta.beforeFactor) open.add(`${route.method} /api${route.path.replace(/\{(\w+)\}/g, ':$1')}`);
      }
    expect(open.size).toBeGreaterThan(8);
    const walled = app.server.routeList.filter(
      ({ access, method, url }) =>
        access?.includes('.') && !['HEAD', 'OPTIONS'].includes(method) && url !== '/api/logout',
    );
    expect(walled.length).toBeGreaterThan(200);
    let refused = 0;
    for (const { method, url } of walled) {
      const { status, body } = await app.call(method as 'GET', url.replace(/:\w+/g, people.staff.id), {
        host: hostOf('staff'),
        token,
      });
      const isRefused = status === 403 && Object.hasOwn(body.errors ?? {}, 'second_factor');
      // What the role does not allow is refused for that reason.
      if (!open.has(`${method} ${url}`)) expect([method, url, status]).toEqual([method, url, 403]);
      else expect([method, url, isRefused]).toEqual([method, url, false]);
      if (isRefused) refused++;
    }
    expect(refused).toBeGreaterThan(100);
  });

  test('a code or a passkey meets it, and the session goes on', async () => {
    await demand('owner', { people: true });
    const token = await signIn('staff');
    const { body, status } = await ask('staff', token, 'GET', '/user/activity');
    expect([status, body.message]).toEqual([403, 'Your company requires a second factor. Set one up first.']);
    const saved = await saveFactor('staff', token, byEmail);
    expect([saved.status, (saved.body.recovery_codes as unknown as string[]).length]).toEqual([200, 10]);
    expect((await ask('staff', token, 'GET', '/user/activity')).status).toBe(200);
    expect((await ask('staff', token, 'GET', '/user')).body.factor_needed).toBe('no');

    const other = await signIn('owner');
    expect((await ask('owner', other, 'GET', '/user/activity')).status).toBe(403);
    const { added } = await addPasskey('owner', other);
    expect([added.status, (added.body.recovery_codes as unknown as string[]).length]).toEqual([200, 10]);
    expect((await ask('owner', other, 'GET', '/user/activity')).status).toBe(200);
  });

  test('where a passkey is the factor, the password alone opens nothing, and a recovery code does', async () => {
    await demand('owner', { people: true });
    const { device, added } = await addPasskey('staff', await signIn('staff'));
    const step = await login('staff');
    expect(step.body).toMatchObject({ type: 'passkey', sent_to: hostOf('staff'), resend_at: null });
    expect(step.body).not.toHaveProperty('access_token');
    const finish = (given: object) =>
      app.call('POST', '/api/verifylogin', {
        host: hostOf('staff'),
        body: { email: people.staff.email, otp_token: step.body.otp_token, ...given },
      });
    expect((await finish({ code: '000000' })).status).toBe(422);
    // Nor when there was another factor before the passkey.
    expect(
      (
        await app.admin.query(
          `insert into user_factor (user_id, root_id, agency_id, company_id, kind, generation, last_step, updated_at)
           select id, root_id, agency_id, company_id, null, 1, 0, now() from user_account where id = $1
           on conflict (user_id) do update set kind = null, secret_sealed = null`,
          [people.staff.id],
        )
      ).rowCount,
    ).toBe(1);
    expect((await finish({ code: '000000' })).status).toBe(422);
    const [code] = added.body.recovery_codes as unknown as string[];
    const done = await finish({ recovery_code: code });
    expect([done.status, done.body.recovery_codes_left]).toEqual([200, 9]);
    expect((await ask('staff', String(done.body.access_token), 'GET', '/user/activity')).status).toBe(200);
    const asked = await app.call('GET', '/api/passkeys/sign-in', { host: hostOf('staff') });
    const { options, binding } = asked.body as unknown as { options: { challenge: string }; binding: string };
    const opened = await app.call('POST', '/api/passkeys/sign-in', {
      host: hostOf('staff'),
      body: { binding, credential: device.get(options) },
    });
    expect((await ask('staff', String(opened.body.access_token), 'GET', '/user/activity')).status).toBe(200);
  });

  test('the last factor stays while one is required', async () => {
    await demand('owner', { people: true });
    const token = await signIn('staff');
    await saveFactor('staff', token, byEmail);
    const off = () => saveFactor('staff', token, { two_factor_auth: false });
    const refused = await off();
    expect([refused.status, refused.body.message]).toEqual([
      409,
      'A second factor is required, and this is your last one. Set up another one first.',
    ]);
    const { added } = await addPasskey('staff', token);
    expect((await off()).status).toBe(200);
    const { id } = added.body.data as unknown as { id: string };
    expect((await ask('staff', token, 'DELETE', `/user/passkeys/${id}`)).status).toBe(409);
    const listed = (await ask('staff', token, 'GET', '/user/passkeys')).body.data as unknown as object[];
    expect(listed).toHaveLength(1);
    await app.admin.query('update company set factor_people = false where id = $1', [agency.id]);
    expect((await ask('staff', token, 'DELETE', `/user/passkeys/${id}`)).status).toBe(200);
  });
});
