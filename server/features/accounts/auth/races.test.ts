import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import { Authenticator } from '../../../test/authenticator.ts';
import type { Company } from '../../../test/factories.ts';
import { linkIn, mailsTo, solveCaptcha } from '../../../test/ways-in.ts';

const HOST = 'acme.test';
const NEW = 'a brand new password';
const THEIRS = 'what the thief would like';
let app: TestApp;
let root: Company;
let agency: Company;
let person: { id: string; email: string };
let token: string;
let serial = 0;

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test' });
  agency = await app.make.agency(root, { host: HOST });
});
afterAll(() => app.close());
beforeEach(async () => {
  person = await app.make.user(agency, { email: `p${++serial}@x.test`, password: PASSWORD });
  token = await app.signIn(person.email, HOST);
});

const ask = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object, bearer: string | null = token) =>
  app.call(method, `/api/${path}`, {
    host: HOST,
    ...(bearer ? { token: bearer } : {}),
    ...(body ? { body } : {}),
  });
const login = (password: string) => ask('POST', 'login', { username: person.email, password }, null);
/** Waits until this many statements wait for a lock that another transaction holds, or the call is answered. */
async function waiting(count: number, call: Promise<unknown>): Promise<void> {
  let isAnswered = false;
  const answered = () => {
    isAnswered = true;
  };
  call.then(answered, answered);
  while (!isAnswered) {
    // Otherwise a transaction keeps seeing what it saw first.
    await app.admin.query('select pg_stat_clear_snapshot()');
    const { rows } = await app.admin.query(
      `select count(*)::int as n from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and usename <> current_user`,
    );
    if (rows[0].n >= count) return;
    await new Promise((done) => setTimeout(done, 10));
  }
}

/**
 * Sets a new password by email, and does `meanwhile` while that has been written but not committed. Whoever knows the
 * old password can hit that moment by trying again and again.
 */
async function during<T>(meanwhile: () => Promise<T>, more: object = {}): Promise<T> {
  const gtoken = await solveCaptcha(app, HOST);
  // Its email is then the newest, whatever else was told before.
  app.clock.advance(1000);
  await ask('POST', 'forgetpass', { username: person.email, gtoken }, null);
  const link = linkIn((await mailsTo(app, root.id, person.email))[0]);
  await app.admin.query('begin');
  await app.admin.query('select 1 from session where user_id = $1 for update', [person.id]);
  const body = { token: link.token, email: person.email, newpassword: NEW, ...more };
  const reset = ask('POST', 'setnewpassword', body, null);
  await waiting(1, reset);
  const other = meanwhile();
  await waiting(2, other);
  await app.admin.query('rollback');
  const { status, body: answer } = await reset;
  expect([status, answer]).toEqual([200, expect.anything()]);
  return other;
}

describe('[AUTH-09] a new password by email ends what was begun with the old one', () => {
  test('a sign-in whose password had been checked opens no session', async () => {
    const { status, body } = await during(() => login(PASSWORD));
    expect([status, body.access_token]).toEqual([401, undefined]);
    const { rows } = await app.admin.query(
      'select 1 from session where user_id = $1 and revoked_at is null',
      [person.id],
    );
    expect(rows).toHaveLength(0);
    expect((await login(NEW)).status).toBe(200);
  });

  test('nor does one with a passkey that is removed with it', async () => {
    type Challenge = { options: { challenge: string }; binding: string };
    const challenge = async (path: string, bearer: string | null = token) =>
      (await ask('GET', path, undefined, bearer)).body as unknown as Challenge;
    // Anyone who was in the account has left a passkey behind, and tries it again and again.
    const thief = new Authenticator(`http://${HOST}`);
    const offered = await challenge('user/passkeys/new');
    const credential = thief.create(offered.options);
    await ask('POST', 'user/passkeys', { name: 'Phone', binding: offered.binding, credential });
    const { options, binding } = await challenge('passkeys/sign-in', null);
    const signIn = () => ask('POST', 'passkeys/sign-in', { binding, credential: thief.get(options) }, null);
    const { status, body } = await during(signIn, { remove_passkeys: true });
    expect([status, body.access_token]).toEqual([401, undefined]);
    const { rows } = await app.admin.query(
      'select 1 from session where user_id = $1 and revoked_at is null',
      [person.id],
    );
    expect(rows).toHaveLength(0);
  });

  test('nor is a code asked for that could complete it', async () => {
    await app.admin.query(
      `insert into user_factor (user_id, root_id, agency_id, company_id, kind, updated_at)
       values ($1, $2, $3, $3, 'email', now())`,
      [person.id, root.id, agency.id],
    );
    expect((await during(() => login(PASSWORD))).status).toBe(401);
    const { rows } = await app.admin.query(
      'select 1 from login_challenge where user_id = $1 and used_at is null',
      [person.id],
    );
    expect(rows).toHaveLength(0);
  });

  test('a change of the password does not replace the new one', async () => {
    const { status, body } = await during(() =>
      ask('POST', 'user/resetpassword', { usrID: person.id, newpassword: THEIRS, currpassword: PASSWORD }),
    );
    expect([status, Object.keys(body.errors ?? {})]).toEqual([422, ['currpassword']]);
    expect([(await login(THEIRS)).status, (await login(NEW)).status]).toEqual([401, 200]);
  });

  test('no second factor is set', async () => {
    const { status } = await during(() =>
      ask('PUT', `setting/twofactorauth/${person.id}`, {
        two_factor_auth: true,
        two_factor_auth_type: 'email',
        currpassword: PASSWORD,
      }),
    );
    expect(status).toBe(422);
    const { rows } = await app.admin.query('select kind from user_factor where user_id = $1', [person.id]);
    expect(rows).toEqual([]);
  });

  test('no other address is asked for', async () => {
    const form = new FormData();
    form.append('email', 'thief@x.test');
    form.append('currpassword', PASSWORD);
    const sent = new Response(form);
    const payload = Buffer.from(await sent.arrayBuffer());
    const headers = { host: HOST, authorization: `Bearer ${token}` };
    const { statusCode } = await during(async () =>
      app.server.inject({
        method: 'POST',
        url: '/api/user/update',
        headers: { ...headers, 'content-type': sent.headers.get('content-type')! },
        payload,
      }),
    );
    expect(statusCode).toBe(422);
    const { rows } = await app.admin.query('select 1 from email_change where user_id = $1', [person.id]);
    expect(rows).toHaveLength(0);
    expect(await mailsTo(app, root.id, 'thief@x.test')).toHaveLength(0);
  });
});

describe('a session that ends', () => {
  test('[AUTH-05] has ended also for what was reading it at that moment', async () => {
    const { sessions } = app.features.auth;
    const { sid } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
    sessions.forget([sid]);
    const read = sessions.stateOf(sid);
    // The end of it is committed now, after the read began, and told right away.
    sessions.forget([sid]);
    expect((await read)?.live).toBe(true);
    await app.admin.query('update session set revoked_at = now() where id = $1', [sid]);
    expect((await sessions.stateOf(sid))?.live).toBe(false);
  });
});
