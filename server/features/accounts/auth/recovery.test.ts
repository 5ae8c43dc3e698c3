import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { mailsTo } from '../../../test/ways-in.ts';
import { newRecoveryCode } from './factor.policy.ts';

const HOST = 'acme.test';
let app: TestApp;
let root: Company;
let agency: Company;
let person: { id: string; email: string };
let token: string;
let codes: string[];
let serial = 0;

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test' });
  agency = await app.make.agency(root, { host: HOST });
});
afterAll(() => app.close());
beforeEach(async () => {
  app.clock.advance(86_400_000);
  person = await app.make.user(agency, { email: `p${++serial}@x.test`, password: PASSWORD });
  token = await app.signIn(person.email, HOST);
  codes = (await save({ two_factor_auth: true, two_factor_auth_type: 'email' })).body
    .recovery_codes as unknown as string[];
});

const ask = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object, as = token) =>
  app.call(method, `/api${path}`, { host: HOST, token: as, ...(body ? { body } : {}) });
const save = (given: object) =>
  ask('PUT', `/setting/twofactorauth/${person.id}`, { currpassword: PASSWORD, ...given });
const stateOf = async (as = token) => (await ask('GET', '/user/recovery-codes', undefined, as)).body;
/** The password is supplied, along with the code step. */
const begin = async (email = person.email): Promise<string> =>
  String(
    (await app.call('POST', '/api/login', { host: HOST, body: { username: email, password: PASSWORD } })).body
      .otp_token,
  );
const finish = (otp_token: string, given: object, email = person.email) =>
  app.call('POST', '/api/verifylogin', { host: HOST, body: { email, otp_token, ...given } });
const recover = async (recovery_code: string) => finish(await begin(), { recovery_code });

describe('[BEY-32] recovery codes', () => {
  test('are given with the second factor, kept as a MAC, and one opens the door once', async () => {
    expect(codes).toHaveLength(10);
    for (const code of codes) expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{5}-[0-9a-hjkmnp-tv-z]{5}$/);
    expect(new Set(codes).size).toBe(10);
    expect(await stateOf()).toMatchObject({ left: 10, total: 10, made_at: app.clock.now().toISOString() });
    const { rows } = await app.admin.query('select c::text as row from recovery_code c where user_id = $1', [
      person.id,
    ]);
    expect(rows).toHaveLength(10);
    for (const code of codes)
      expect(rows.some(({ row }) => row.includes(Buffer.from(code).toString('hex')))).toBe(false);

    const { status, body } = await recover(codes[0]!);
    expect([status, body.recovery_codes_left]).toEqual([200, 9]);
    expect(await stateOf(String(body.access_token))).toMatchObject({ left: 9, total: 10 });
    const again = await recover(codes[0]!);
    expect([again.status, again.body.errors]).toEqual([
      422,
      { recovery_code: ['The code is incorrect or no longer valid.'] },
    ]);
    // No matter how it was written down.
    expect((await recover(` ${codes[1]!.toUpperCase().replace('-', ' ')}`)).status).toBe(200);
  });

  test('its use is in the log and mailed to the person, with how many are left', async () => {
    app.clock.advance(1000);
    await recover(codes[0]!);
    const [mail] = (await mailsTo(app, root.id, person.email)).filter(
      ({ kind }) => kind === 'account.notice',
    );
    expect(mail).toMatchObject({ subject: 'A recovery code was used' });
    expect(mail?.body?.text).toContain('9 recovery codes are left.');
    const activity = (await ask('GET', '/user/activity')).body.data as unknown as { what: string }[];
    expect(activity.map(({ what }) => what)).toEqual(
      expect.arrayContaining(['Recovery code used', 'Two-factor authentication changed']),
    );
  });

  test('one code in a burst of the same is good once', async () => {
    const tokens = await Promise.all([begin(), begin(), begin()]);
    const answers = await Promise.all(tokens.map((one) => finish(one, { recovery_code: codes[0] })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422]);
  });

  test('[AUTH-21] guesses are counted like those of codes: five a login, ten an account', async () => {
    const guess = () => ({ recovery_code: newRecoveryCode() });
    const first = await begin();
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push((await finish(first, guess())).status);
    expect(statuses).toEqual([422, 422, 422, 422, 410, 410]);
    const second = await begin();
    for (let i = 0; i < 4; i++) await finish(second, guess());
    // Even the right one has to wait.
    expect((await recover(codes[0]!)).status).toBe(429);
    app.clock.advance(900_000);
    expect((await recover(codes[0]!)).status).toBe(200);
  });

  test("another person's are none, and neither is anything else that is typed", async () => {
    const other = await app.make.user(agency, { email: `q${serial}@x.test`, password: PASSWORD });
    const theirs = await app.signIn(other.email, HOST);
    await ask(
      'PUT',
      `/setting/twofactorauth/${other.id}`,
      { currpassword: PASSWORD, two_factor_auth: true, two_factor_auth_type: 'email' },
      theirs,
    );
    expect((await finish(await begin(other.email), { recovery_code: codes[0] }, other.email)).status).toBe(
      422,
    );
    expect((await finish(await begin(), {})).body.errors).toEqual({ code: ['is required'] });
    for (const recovery_code of ['', 'abc', 'u'.repeat(10), 'x'.repeat(41)])
      expect([recovery_code, (await finish(await begin(), { recovery_code })).status]).toEqual([
        recovery_code,
        422,
      ]);
    expect(await stateOf()).toMatchObject({ left: 10 });
  });

  test('new ones end the old; they need a fresh confirmation and a second factor', async () => {
    const renew = () => ask('POST', '/user/recovery-codes', {});
    const { status, body } = await renew();
    expect(status).toBe(200);
    const renewed = body.recovery_codes as unknown as string[];
    expect(renewed).toHaveLength(10);
    expect(renewed.some((code) => codes.includes(code))).toBe(false);
    expect((await recover(codes[1]!)).status).toBe(422);
    expect((await recover(renewed[0]!)).status).toBe(200);
    await app.admin.query(
      `update session set created_at = created_at - interval '1 hour', confirmed_at = null`,
    );
    expect((await renew()).body.errors).toEqual({ confirm: ['password'] });
    expect((await ask('POST', '/user/confirm', { password: PASSWORD })).status).toBe(200);
    // Off: there is no second factor left for the codes to replace.
    expect((await save({ two_factor_auth: false })).body.recovery_codes).toBeNull();
    expect(await stateOf()).toEqual({ left: 0, total: 0, made_at: null });
    expect((await renew()).status).toBe(409);
  });
});
