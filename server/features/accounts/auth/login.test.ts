import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { codeFor, mailsTo, solveCaptcha } from '../../../test/ways-in.ts';

const HOST = 'acme.test';
let app: TestApp;
let root: Company;
let agency: Company;
let person: { id: string; email: string };
let serial = 0;

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test' });
  agency = await app.make.agency(root, { host: HOST, brand: { name: 'Acme Leads' } });
  await app.make.agency(root, { host: 'rival.test' });
});
afterAll(() => app.close());
beforeEach(async () => {
  app.clock.advance(86_400_000);
  person = await app.make.user(agency, { email: `p${++serial}@x.test`, password: PASSWORD });
});

const login = (email: string, password = PASSWORD, more: object = {}, host = HOST) =>
  app.call('POST', '/api/login', { host, body: { username: email, password, ...more } });
const verify = (email: string, code: string, otp_token: unknown, host = HOST) =>
  app.call('POST', '/api/verifylogin', { host, body: { email, code, otp_token } });
const resend = (otp_token: unknown) =>
  app.call('POST', '/api/resendcode', { host: HOST, body: { otp_token } });
const codeOf = () => codeFor(app, root.id, person.email);
const wrongOf = (code: string, n = 1): string => String((Number(code) + n) % 1_000_000).padStart(6, '0');

async function useFactor(kind: 'email' | 'google'): Promise<TOTP | null> {
  const token = await app.signIn(person.email, HOST);
  const at = { host: HOST, token };
  const { body: offer } = await app.call('GET', `/api/setting/get-google-tfa/${person.id}/${agency.id}`, at);
  const totp = new TOTP({ secret: Secret.fromBase32(String(offer.secretKey)) });
  const saved = await app.call('PUT', `/api/setting/twofactorauth/${person.id}`, {
    ...at,
    body: {
      two_factor_auth: true,
      two_factor_auth_type: kind,
      currpassword: PASSWORD,
      ...(kind === 'google' ? { code: totp.generate({ timestamp: app.clock.now().getTime() }) } : {}),
    },
  });
  expect(saved.status).toBe(200);
  return kind === 'google' ? totp : null;
}
const sessions = async (): Promise<number> =>
  Number(
    (await app.admin.query('select count(*) from session where user_id = $1', [person.id])).rows[0].count,
  );

describe('[AUTH-06] login with a code by email', () => {
  beforeEach(() => useFactor('email'));

  test('answers the code step instead of tokens, and the code completes it once', async () => {
    const step = await login(person.email);
    expect(step.status).toBe(200);
    const now = app.clock.now().getTime();
    expect(step.body).toEqual({
      otp_token: expect.stringMatching(/^[\w-]{43}$/),
      type: 'email',
      sent_to: 'p***@x.test',
      expires_at: new Date(now + 600_000).toISOString(),
      resend_at: new Date(now + 30_000).toISOString(),
    });
    expect(step.headers['set-cookie']).toBeUndefined();
    const [mail] = (await mailsTo(app, root.id, person.email)).filter((one) => one.kind === 'login.code');
    expect(mail).toMatchObject({
      from_name: 'Acme Leads',
      from_address: 'no-reply@acme.test',
      kind: 'login.code',
    });
    const code = await codeOf();
    expect(mail!.subject).not.toContain(code);
    const done = await verify(person.email, `${code.slice(0, 3)} ${code.slice(3)}`, step.body.otp_token);
    expect(done.status).toBe(200);
    expect(done.headers['set-cookie']).toMatch(/^refresh=/);
    const me = await app.call('GET', '/api/user', { host: HOST, token: String(done.body.access_token) });
    expect(me.body.email).toBe(person.email);
    expect((await verify(person.email, code, step.body.otp_token)).status).toBe(410);
  });

  test('a code used by 50 at once opens one session', async () => {
    const { otp_token } = (await login(person.email)).body;
    const code = await codeOf();
    const before = await sessions();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => verify(person.email, code, otp_token)),
    );
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect((await sessions()) - before).toBe(1);
  });

  test('50 wrong codes at once are five tries; after them the right one is none any more', async () => {
    const { otp_token } = (await login(person.email)).body;
    const code = await codeOf();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => verify(person.email, wrongOf(code, i + 1), otp_token)),
    );
    expect(answers.filter((answer) => answer.status === 200)).toEqual([]);
    const { rows } = await app.admin.query(
      'select max(attempts) as tries from login_challenge where user_id = $1',
      [person.id],
    );
    expect(rows[0].tries).toBeLessThanOrEqual(5);
    app.clock.advance(60_000);
    expect([410, 429]).toContain((await verify(person.email, code, otp_token)).status);
  });

  test('[AUTH-21] wrong codes are counted over all logins of an account: ten, then a pause of 15 minutes', async () => {
    const statuses: number[] = [];
    for (let round = 0; round < 2; round++) {
      const { otp_token } = (await login(person.email)).body;
      const code = await codeOf();
      for (let i = 1; i <= 5; i++)
        statuses.push((await verify(person.email, wrongOf(code, i), otp_token)).status);
    }
    expect(statuses).toEqual([422, 422, 422, 422, 410, 422, 422, 422, 422, 410]);
    const { otp_token } = (await login(person.email)).body;
    const code = await codeOf();
    const paused = await verify(person.email, code, otp_token);
    expect([paused.status, paused.headers['retry-after'], paused.body.message]).toEqual([
      429,
      '900',
      'Too many attempts. Try again in 15 minutes.',
    ]);
    app.clock.advance(900_000);
    const next = (await login(person.email)).body.otp_token;
    expect((await verify(person.email, await codeOf(), next)).status).toBe(200);
  });

  test('a wrong code names the field; a code is over after ten minutes, belongs to its login, its person and its host', async () => {
    const { otp_token } = (await login(person.email)).body;
    const code = await codeOf();
    const wrong = await verify(person.email, wrongOf(code), otp_token);
    expect([wrong.status, wrong.body.errors]).toEqual([
      422,
      { code: ['The code is incorrect or no longer valid.'] },
    ]);
    expect((await verify('other@x.test', code, otp_token)).status).toBe(410);
    expect((await verify(person.email, code, otp_token, 'rival.test')).status).toBe(410);
    expect((await verify(person.email, code, 'x')).status).toBe(410);
    const second = (await login(person.email)).body.otp_token;
    if ((await codeOf()) !== code) expect((await verify(person.email, code, second)).status).toBe(422);
    app.clock.advance(600_000);
    expect((await verify(person.email, code, otp_token)).status).toBe(410);
  });

  test('another code ends the one before; not within 30 s, three at most; wrong tries stay counted', async () => {
    const { otp_token } = (await login(person.email)).body;
    const first = await codeOf();
    const soon = await resend(otp_token);
    expect([soon.status, soon.headers['retry-after']]).toEqual([429, '30']);
    expect((await verify(person.email, wrongOf(first), otp_token)).status).toBe(422);
    for (let sent = 2; sent <= 4; sent++) {
      app.clock.advance(30_000);
      const again = await resend(otp_token);
      expect([again.status, again.body.resend_at === null]).toEqual([200, sent === 4]);
      expect(again.body.otp_token).toBe(otp_token);
    }
    app.clock.advance(30_000);
    expect((await resend(otp_token)).status).toBe(429);
    const last = await codeOf();
    if (first !== last) expect((await verify(person.email, first, otp_token)).status).toBe(422);
    expect((await verify(person.email, last, otp_token)).status).toBe(200);
    expect((await resend(otp_token)).status).toBe(410);
  });

  test('[AUTH-21] no more than six codes an hour are sent to one person without a pause', async () => {
    const statuses = [];
    for (let i = 0; i < 8; i++) statuses.push((await login(person.email)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429, 429]);
  });

  test('a login that waits for its code is over when the setting changes', async () => {
    const { otp_token } = (await login(person.email)).body;
    const code = await codeOf();
    await app.admin.query('update user_factor set kind = null where user_id = $1', [person.id]);
    expect((await verify(person.email, code, otp_token)).status).toBe(410);
  });
});

describe('[AUTH-06] login with an authenticator', () => {
  test('a code is good once within its window, for one login, also at once', async () => {
    const totp = (await useFactor('google'))!;
    const codeAt = (ms = 0) => totp.generate({ timestamp: app.clock.now().getTime() + ms });
    // The code that proved the setup has been used.
    const replayed = (await login(person.email)).body;
    expect(replayed).toMatchObject({ type: 'google', sent_to: null, resend_at: null });
    expect((await verify(person.email, codeAt(), replayed.otp_token)).status).toBe(422);
    app.clock.advance(30_000);
    const logins = await Promise.all(
      Array.from({ length: 5 }, async () => (await login(person.email)).body.otp_token),
    );
    const answers = await Promise.all(logins.map((otp_token) => verify(person.email, codeAt(), otp_token)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 422, 422, 422, 422]);
    app.clock.advance(30_000);
    const fresh = (await login(person.email)).body.otp_token;
    // A step older than the one used is no longer valid; one ahead (a fast clock) is fine.
    expect((await verify(person.email, codeAt(-30_000), fresh)).status).toBe(422);
    expect((await verify(person.email, codeAt(90_000), fresh)).status).toBe(422);
    expect((await verify(person.email, codeAt(30_000), fresh)).status).toBe(200);
    expect((await resend((await login(person.email)).body.otp_token)).status).toBe(409);
  });
});

describe('[AUTH-21] brute force', () => {
  test('five failures, then pauses that grow to 15 minutes; the right password does not help during one', async () => {
    const pauses: number[] = [];
    for (let i = 0; i < 16; i++) {
      const gtoken = i >= 3 ? await solveCaptcha(app, HOST) : undefined;
      const answer = await login(person.email, 'wrong', { gtoken });
      if (answer.status === 429) {
        pauses.push(Number(answer.headers['retry-after']));
        expect((await login(person.email, PASSWORD, { gtoken })).status).toBe(429);
        app.clock.advance(pauses.at(-1)! * 1000);
      } else expect(answer.status).toBe(401);
    }
    expect(pauses.slice(0, 5)).toEqual([30, 60, 120, 240, 480]);
    expect((await login(person.email, PASSWORD, { gtoken: await solveCaptcha(app, HOST) })).status).toBe(200);
    expect((await login(person.email, 'wrong')).status).toBe(401);
  });

  test('100 wrong passwords at once are five tries, and other accounts and networks are not held up', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => login(person.email, 'wrong')));
    const tried = answers.filter((answer) => answer.status === 401);
    expect(tried.length).toBeLessThanOrEqual(5);
    expect(new Set(answers.map((answer) => answer.status)).isSubsetOf(new Set([401, 422, 429]))).toBe(true);
    const other = await app.make.user(agency, { password: PASSWORD });
    expect((await login(other.email)).status).toBe(200);
    const elsewhere = await app.server.inject({
      method: 'POST',
      url: '/api/login',
      remoteAddress: '198.51.100.7',
      headers: { host: HOST, 'content-type': 'application/json' },
      payload: JSON.stringify({ username: person.email, password: PASSWORD }),
    });
    expect(elsewhere.statusCode).toBe(200);
  });

  test('[AUTH-21] garbage for passkeys pauses no password, and failures of strangers ask for a captcha before they pause', async () => {
    const bytes = 'AAAA';
    const credential = {
      id: bytes,
      rawId: bytes,
      type: 'public-key',
      response: { clientDataJSON: bytes, authenticatorData: bytes, signature: bytes },
    };
    const garbage = () =>
      app.call('POST', '/api/passkeys/sign-in', { host: HOST, body: { credential, binding: 'x' } });
    const statuses = [];
    for (let i = 0; i < 102; i++) statuses.push((await garbage()).status);
    expect([statuses[0], statuses.at(-1)]).toEqual([401, 429]);
    expect((await login(person.email)).status).toBe(200);
    for (let i = 0; i < 31; i++) await login(`nobody${i}@x.test`, 'wrong');
    expect((await login('nobody-more@x.test', 'wrong')).body.errors).toHaveProperty('gtoken');
    app.clock.advance(3_700_000);
  });

  test('an account that is not there is paused in the same words', async () => {
    const run = async (email: string) => {
      const seen: unknown[] = [];
      for (let i = 0; i < 7; i++) {
        const { status, body, headers } = await login(
          email,
          'wrong',
          i >= 3 ? { gtoken: await solveCaptcha(app, HOST) } : {},
        );
        seen.push([status, body.message, body.errors, headers['retry-after']]);
      }
      return seen;
    };
    expect(await run('nobody-at-all@x.test')).toEqual(await run(person.email));
  });

  test('[AUTH-19] after three failures a captcha is asked for, before the password is looked at', async () => {
    for (let i = 0; i < 3; i++) {
      const { body } = await login(person.email, 'wrong');
      expect(Object.keys(body.errors as object)).toEqual(i === 2 ? ['gtoken'] : []);
    }
    for (const gtoken of [undefined, '', 'x', 'e30=']) {
      const answer = await login(person.email, PASSWORD, { gtoken });
      expect([answer.status, Object.keys(answer.body.errors as object)]).toEqual([422, ['gtoken']]);
    }
    expect((await login(person.email, PASSWORD, { gtoken: await solveCaptcha(app, HOST) })).status).toBe(200);
    expect((await login(person.email)).status).toBe(200);
  });
});
