import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { mailsTo } from '../../../test/ways-in.ts';
import { deviceOf } from './device.policy.ts';
import { stepOf } from './factor.policy.ts';

const HOST = 'acme.test';
const NEW = 'a brand new password';
let app: TestApp;
let root: Company;
let agency: Company;
let person: { id: string; email: string };
let other: { id: string; email: string };
let token: string;
let serial = 0;

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test' });
  agency = await app.make.agency(root, { host: HOST, brand: { name: 'Acme: Leads' } });
});
afterAll(() => app.close());
beforeEach(async () => {
  app.clock.advance(86_400_000);
  person = await app.make.user(agency, { email: `p${++serial}@x.test`, password: PASSWORD });
  other = await app.make.user(agency, { email: `q${serial}@x.test`, password: PASSWORD });
  token = await app.signIn(person.email, HOST);
});

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
const ask = (method: Method, path: string, body?: object, as = token) =>
  app.call(method, `/api${path}`, { host: HOST, token: as, ...(body ? { body } : {}) });
const change = (given: object, as = token) =>
  ask(
    'POST',
    '/user/resetpassword',
    { usrID: person.id, currpassword: PASSWORD, newpassword: NEW, ...given },
    as,
  );
const save = (given: object, userId = person.id, as = token) =>
  ask('PUT', `/setting/twofactorauth/${userId}`, { currpassword: PASSWORD, ...given }, as);
const offer = async (as = token) =>
  (await ask('GET', `/setting/get-google-tfa/${person.id}/${agency.id}`, undefined, as)).body as {
    secretKey: string;
    qrCodeUrl: string;
  };
const codeOf = (secret: string, ms = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: app.clock.now().getTime() + ms });
const alive = async (as: string) => (await ask('GET', '/user', undefined, as)).status === 200;

describe('[AUTH-11] [AUTH-20] changing the password', () => {
  test('needs the present one, ends the other sessions and open links, keeps this one, and is told by mail', async () => {
    const elsewhere = await app.signIn(person.email, HOST);
    const wrong = await change({ currpassword: 'wrong' });
    expect([wrong.status, wrong.body.message, wrong.body.errors]).toEqual([
      422,
      '* Sorry, your current password invalid',
      { currpassword: ['* Sorry, your current password invalid'] },
    ]);
    expect(await alive(elsewhere)).toBe(true);
    const done = await change({});
    expect([done.status, done.body]).toEqual([
      200,
      { result: 'success', message: 'your password has been updated!' },
    ]);
    expect([await alive(token), await alive(elsewhere)]).toEqual([true, false]);
    await expect(app.signIn(person.email, HOST)).rejects.toThrow('401');
    await app.signIn(person.email, HOST, NEW);
    const [mail] = await mailsTo(app, root.id, person.email);
    expect(mail).toMatchObject({
      kind: 'account.notice',
      body: { text: expect.stringContaining('Your password was changed') },
    });
  });

  test('is for oneself only, and the rules of new passwords hold', async () => {
    expect((await change({ usrID: other.id })).status).toBe(404);
    const errors = async (newpassword: string) => (await change({ newpassword })).body.errors;
    expect(await errors('elevenchars')).toEqual({ newpassword: ['must have at least 12 characters'] });
    expect(await errors('abababababab')).toEqual({
      newpassword: ['must have at least 5 different characters'],
    });
    const long = await app.make.user(agency, { email: `long-enough${serial}@x.test`, password: PASSWORD });
    const as = await app.signIn(long.email, HOST);
    expect(
      (await change({ usrID: long.id, newpassword: ` ${long.email.toUpperCase()}` }, as)).body.errors,
    ).toEqual({ newpassword: ['must not be your email address'] });
    await app.signIn(person.email, HOST);
  });

  test('[AUTH-21] anyone who sits at an open session has five tries at the password', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => change({ currpassword: 'wrong' })));
    expect(answers.filter((answer) => answer.status === 422).length).toBe(5);
    expect(answers.filter((answer) => answer.status === 429).length).toBe(15);
    expect((await change({})).status).toBe(429);
    app.clock.advance(30_000);
    expect((await change({})).status).toBe(200);
  });
});

describe('[AUTH-15] the two-factor setting', () => {
  test('by email and off again: saved directly with the password, other sessions end', async () => {
    expect((await ask('GET', `/setting/twofactorauth/${person.id}`)).body).toEqual({
      two_factor_auth: false,
      two_factor_auth_type: null,
    });
    const elsewhere = await app.signIn(person.email, HOST);
    const on = await save({ two_factor_auth: true, two_factor_auth_type: 'email' });
    expect(on.body).toEqual({
      result: 'success',
      message: 'Setting has been saved.',
      two_factor_auth: true,
      two_factor_auth_type: 'email',
      recovery_codes: expect.any(Array),
    });
    expect([await alive(token), await alive(elsewhere)]).toEqual([true, false]);
    expect((await ask('GET', `/setting/twofactorauth/${person.id}`)).body).toEqual({
      two_factor_auth: true,
      two_factor_auth_type: 'email',
    });
    expect((await save({ two_factor_auth: false, two_factor_auth_type: 'email' })).body).toMatchObject({
      two_factor_auth: false,
      two_factor_auth_type: null,
    });
    await app.signIn(person.email, HOST);
  });

  test('an authenticator needs the password and a code of the secret that the server made for this session', async () => {
    const { secretKey, qrCodeUrl } = await offer();
    expect(secretKey).toMatch(/^[A-Z2-7]{32}$/);
    expect(qrCodeUrl).toMatch(/^data:image\/svg\+xml;base64,/);
    expect((await offer()).secretKey).toBe(secretKey);
    const google = { two_factor_auth: true, two_factor_auth_type: 'google' };
    expect((await save(google)).body.errors).toEqual({ code: ['is required'] });
    expect((await save({ two_factor_auth: true })).body.errors).toEqual({
      two_factor_auth_type: ['is required'],
    });
    expect(
      (await save({ ...google, code: codeOf(secretKey), currpassword: 'wrong' })).body.errors,
    ).toHaveProperty('currpassword');
    // A secret chosen by the client, or from another session, proves nothing.
    const own = new Secret({ size: 20 }).base32;
    expect((await save({ ...google, secretKey: own, code: codeOf(own) })).body.errors).toHaveProperty(
      'secretKey',
    );
    expect((await save({ ...google, code: codeOf(own) })).body.errors).toHaveProperty('code');
    const theirs = (await offer(await app.signIn(person.email, HOST))).secretKey;
    expect(theirs).not.toBe(secretKey);
    expect((await save({ ...google, code: codeOf(theirs) })).body.errors).toHaveProperty('code');
    expect((await save({ ...google, secretKey, code: codeOf(secretKey) })).status).toBe(200);
    // Once in use a secret is never shown again, and never offered again.
    const next = (await offer()).secretKey;
    expect(next).not.toBe(secretKey);
    const { rows } = await app.admin.query('select f::text as row from user_factor f where user_id = $1', [
      person.id,
    ]);
    expect(rows[0].row).not.toContain(secretKey);
    expect((await save({ two_factor_auth: false })).status).toBe(200);
    expect((await offer()).secretKey).not.toBe(secretKey);
  });

  test("nobody reads or changes another person's, not even their company's owner or the root", async () => {
    await app.make.user(root, { email: `root${serial}@x.test`, password: PASSWORD });
    const asRoot = await app.signIn(`root${serial}@x.test`, 'root.test');
    for (const [host, as] of [
      [HOST, token],
      ['root.test', asRoot],
    ] as const) {
      for (const [method, path, body] of [
        ['GET', `/setting/twofactorauth/${other.id}`, undefined],
        ['GET', `/setting/get-google-tfa/${other.id}/${agency.id}`, undefined],
        [
          'PUT',
          `/setting/twofactorauth/${other.id}`,
          { two_factor_auth: true, two_factor_auth_type: 'email', currpassword: PASSWORD },
        ],
        ['POST', '/user/resetpassword', { usrID: other.id, currpassword: PASSWORD, newpassword: NEW }],
      ] as const) {
        expect([
          path,
          (await app.call(method, `/api${path}`, { host, token: as, ...(body ? { body } : {}) })).status,
        ]).toEqual([path, 404]);
      }
    }
    expect((await ask('GET', `/setting/get-google-tfa/${person.id}/${root.id}`)).status).toBe(404);
    await app.signIn(other.email, HOST);
  });

  test('the code of a step: the present one or its neighbors, none up to the last one used', () => {
    // RFC 6238, appendix B: the seed of SHA-1, eight digits there, six of them here.
    const secret = Secret.fromLatin1('12345678901234567890').base32;
    for (const [second, code] of [
      [59, '287082'],
      [1_111_111_109, '081804'],
      [1_234_567_890, '005924'],
      [20_000_000_000, '353130'],
    ] as const) {
      const at = new Date(second * 1000);
      const step = BigInt(Math.floor(second / 30));
      expect(stepOf(secret, code, at, 0n)).toBe(step);
      expect(stepOf(secret, code, at, step)).toBeNull();
      expect(stepOf(secret, code, new Date(at.getTime() + 30_000), 0n)).toBe(step);
      expect(stepOf(secret, code, new Date(at.getTime() - 30_000), 0n)).toBe(step);
      expect(stepOf(secret, code, new Date(at.getTime() + 61_000), 0n)).toBeNull();
    }
  });
});

describe('the own sessions', () => {
  const CHROME =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
  const list = async (as = token) =>
    (await ask('GET', '/user/sessions', undefined, as)).body.data as unknown as Record<string, unknown>[];

  test('are listed with device, place and when they were last seen; one can be ended', async () => {
    const second = await app.call('POST', '/api/login', {
      host: HOST,
      body: { username: person.email, password: PASSWORD },
      headers: { 'user-agent': CHROME },
    });
    const theirs = await app.signIn(other.email, HOST);
    app.clock.advance(600_000);
    await app.call('POST', '/api/auth/refresh-token', {
      host: HOST,
      body: { refresh_token: second.body.refresh_token },
    });
    const rows = await list();
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({
      current: true,
      device: 'Unknown device',
      kind: 'other',
      place: 'Local network',
      ip: '127.0.0.1',
    });
    expect(rows[1]).toMatchObject({
      current: false,
      device: 'Chrome on Windows',
      kind: 'computer',
      last_seen: app.clock.now().toISOString(),
    });
    const [foreign] = await list(theirs);
    expect((await ask('DELETE', `/user/sessions/${foreign!.id}`)).status).toBe(404);
    expect((await ask('DELETE', `/user/sessions/${rows[1]!.id}`)).status).toBe(200);
    expect((await ask('DELETE', `/user/sessions/${rows[1]!.id}`)).status).toBe(404);
    expect(await alive(second.body.access_token as string)).toBe(false);
    expect(
      (
        await app.call('POST', '/api/auth/refresh-token', {
          host: HOST,
          body: { refresh_token: second.body.refresh_token },
        })
      ).status,
    ).toBe(401);
    expect([await alive(token), await alive(theirs), (await list()).length]).toEqual([true, true, 1]);
  });

  test('all others can be ended at once', async () => {
    const more = [await app.signIn(person.email, HOST), await app.signIn(person.email, HOST)];
    const theirs = await app.signIn(other.email, HOST);
    expect((await ask('POST', '/user/sessions/end-others', {})).body).toMatchObject({
      result: 'success',
      ended: 2,
    });
    expect(await Promise.all([token, theirs, ...more].map(alive))).toEqual([true, true, false, false]);
  });

  test('devices by their user agents', () => {
    const of = (text: string) => Object.values(deviceOf(text)).join(', ');
    expect(of(CHROME)).toBe('Chrome on Windows, computer');
    expect(of(`${CHROME} Edg/140.0.0.0`)).toBe('Edge on Windows, computer');
    expect(
      of(
        'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
      ),
    ).toBe('Safari on iPhone, phone');
    expect(
      of(
        'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
      ),
    ).toBe('Chrome on Android, phone');
    expect(of('Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0')).toBe(
      'Firefox on macOS, computer',
    );
    expect(of('curl/8.0')).toBe('Unknown device, other');
  });
});
