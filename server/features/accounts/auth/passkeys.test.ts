import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import { Authenticator } from '../../../test/authenticator.ts';
import type { Company } from '../../../test/factories.ts';
import { linkIn, mailsTo, solveCaptcha } from '../../../test/ways-in.ts';

const HOST = 'acme.test';
const REFUSED = 'This passkey cannot be used here. Sign in with your password instead.';
let app: TestApp;
let root: Company;
let agency: Company;
let client: Company;
let person: { id: string; email: string };
let token: string;
let device: Authenticator;
let serial = 0;

beforeAll(async () => {
  app = await testApp();
  root = await app.make.root({ host: 'root.test' });
  agency = await app.make.agency(root, { host: HOST });
  await app.make.agency(root, { host: 'rival.test' });
  client = await app.make.client(agency);
});
afterAll(() => app.close());
beforeEach(async () => {
  app.clock.advance(86_400_000);
  person = await app.make.user(client, { email: `p${++serial}@x.test`, password: PASSWORD });
  token = await app.signIn(person.email, HOST);
  device = new Authenticator(`http://${HOST}`);
});

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
const ask = (method: Method, path: string, body?: object, as: string | null = token, host = HOST) =>
  app.call(method, `/api${path}`, { host, ...(as ? { token: as } : {}), ...(body ? { body } : {}) });
interface Challenge {
  options: { challenge: string; rpId?: string; rp?: { id: string; name: string }; user?: { id: string } };
  binding: string;
}
const challenge = async (path: string, as: string | null = null, host = HOST) =>
  (await ask('GET', path, undefined, as, host)).body as unknown as Challenge;
async function add(name = 'Laptop', as = token, one = device, host = HOST) {
  const { options, binding } = await challenge('/user/passkeys/new', as, host);
  return ask('POST', '/user/passkeys', { name, binding, credential: one.create(options) }, as, host);
}
async function signIn(lies: Parameters<Authenticator['get']>[1] = {}, one = device, host = HOST) {
  const { options, binding } = await challenge('/passkeys/sign-in', null, host);
  return ask('POST', '/passkeys/sign-in', { binding, credential: one.get(options, lies) }, null, host);
}
const list = async (as = token) =>
  (await ask('GET', '/user/passkeys', undefined, as)).body.data as unknown as [{ id: string; name: string }];
const refused = ({ status, body }: Awaited<ReturnType<typeof ask>>) => [status, body.message];

describe('[BEY-32] passkeys', () => {
  test('one is added at a host and signs in there, without a code although a second factor is on', async () => {
    const { options } = await challenge('/user/passkeys/new', token);
    expect(options).toMatchObject({
      rp: { id: HOST },
      authenticatorSelection: { userVerification: 'required' },
    });
    const added = await add();
    expect([added.status, added.body.data]).toEqual([
      200,
      expect.objectContaining({ name: 'Laptop', host: HOST, here: true, last_used_at: null }),
    ]);
    await ask('PUT', `/setting/twofactorauth/${person.id}`, {
      currpassword: PASSWORD,
      two_factor_auth: true,
      two_factor_auth_type: 'email',
    });
    app.clock.advance(3_600_000);
    const { status, body, headers } = await signIn();
    expect([status, headers['set-cookie']]).toEqual([200, expect.stringMatching(/^refresh=/)]);
    token = String(body.access_token);
    expect((await ask('GET', '/user')).body.email).toBe(person.email);
    expect(await list()).toEqual([expect.objectContaining({ last_used_at: app.clock.now().toISOString() })]);
    // The user has just signed in, so no further proof is needed.
    expect((await ask('POST', '/user/recovery-codes', {})).status).toBe(200);
  });

  test('a new password by mail lists those that go on, and removes all where that is asked', async () => {
    const reset = async (more: object) => {
      app.clock.advance(1000);
      await ask(
        'POST',
        '/forgetpass',
        { username: person.email, gtoken: await solveCaptcha(app, HOST) },
        null,
      );
      const { token: link } = linkIn((await mailsTo(app, root.id, person.email))[0]);
      const proof = { token: link, email: person.email };
      const checked = (await ask('POST', '/verify-reset-token', proof, null)).body;
      app.clock.advance(1000);
      const body = { ...proof, newpassword: `a new long password ${++serial}`, ...more };
      const { status, body: answer } = await ask('POST', '/setnewpassword', body, null);
      const [notice] = await mailsTo(app, root.id, person.email);
      return { checked, status, errors: answer.errors, mail: notice?.body?.text ?? '' };
    };
    const other = new Authenticator(`http://${HOST}`);
    await add('Laptop');
    app.clock.advance(1000);
    await add('evil.example/phone', token, other);
    const kept = await reset({});
    expect([kept.checked.passkeys_stay, kept.status]).toEqual([false, 200]);
    expect(kept.checked.passkeys).toEqual([
      { name: 'evil.example/phone', host: HOST, created_at: expect.any(String), last_used_at: null },
      expect.objectContaining({ name: 'Laptop' }),
    ]);
    expect(kept.mail).toContain(
      `Laptop, for ${HOST}, added ${app.clock.now().toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' })}, never used`,
    );
    expect(kept.mail).toContain(`http://${HOST}/user/sessions`);
    expect(kept.mail).toContain(`evil example phone, for ${HOST}`);
    expect((await signIn({}, other)).status).toBe(200);

    const removed = await reset({ remove_passkeys: true });
    expect([removed.status, removed.mail]).toEqual([
      200,
      expect.stringContaining('All 2 passkeys were removed.'),
    ]);
    expect(removed.mail).not.toContain('Laptop');
    expect([(await signIn()).status, (await signIn({}, other)).status]).toEqual([401, 401]);

    // Where passkeys are the required factor, access to the mailbox must not be enough to bypass them.
    token = String(
      (
        await ask(
          'POST',
          '/login',
          { username: person.email, password: `a new long password ${serial}` },
          null,
        )
      ).body.access_token,
    );
    await add('Laptop');
    await app.admin.query('update company set factor_owners = true where id = $1', [agency.id]);
    const held = await reset({ remove_passkeys: true });
    await app.admin.query('update company set factor_owners = false where id = $1', [agency.id]);
    expect([held.checked.passkeys_stay, held.status]).toEqual([true, 422]);
    expect(held.errors).toEqual({ remove_passkeys: [expect.stringContaining('is not available here')] });
    expect((await signIn()).status).toBe(200);
  });

  test('a session that a new password has ended leaves no passkey behind', async () => {
    const { options, binding } = await challenge('/user/passkeys/new', token);
    // Another process has ended the session; this one still accepts the token for a moment.
    await app.admin.query('update session set revoked_at = now(), revoked_why = $2 where user_id = $1', [
      person.id,
      'password',
    ]);
    const late = await ask('POST', '/user/passkeys', {
      name: 'Late',
      binding,
      credential: device.create(options),
    });
    expect(late.status).toBe(401);
    const { rows } = await app.admin.query('select 1 from passkey where user_id = $1', [person.id]);
    expect(rows).toHaveLength(0);
  });

  test('a browser has what binds the challenge in a cookie alone', async () => {
    await add();
    const asked = await app.call('GET', '/api/passkeys/sign-in', {
      host: HOST,
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    expect(asked.body).not.toHaveProperty('binding');
    const cookie = String(asked.headers['set-cookie']);
    expect(cookie).toMatch(/^passkey=.*HttpOnly.*SameSite=Strict/i);
    const credential = device.get((asked.body as unknown as Challenge).options);
    const give = (headers: Record<string, string>) =>
      app.call('POST', '/api/passkeys/sign-in', { host: HOST, body: { credential }, headers });
    expect((await give({})).status).toBe(401);
    expect((await give({ cookie: cookie.split(';')[0]! })).status).toBe(200);
  });

  test('a challenge is good once, also at once, for five minutes, at its host, for its purpose and session', async () => {
    await add();
    const { options, binding } = await challenge('/passkeys/sign-in');
    const body = { binding, credential: device.get(options) };
    const burst = await Promise.all(
      Array.from({ length: 10 }, () => ask('POST', '/passkeys/sign-in', body, null)),
    );
    expect(burst.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(401)]);
    const late = await challenge('/passkeys/sign-in');
    app.clock.advance(300_000);
    const answers = [
      ask('POST', '/passkeys/sign-in', { ...late, credential: device.get(late.options) }, null),
      ask('POST', '/passkeys/sign-in', { binding: 'x', credential: device.nothing() }, null),
    ];
    for (const answer of answers) expect(refused(await answer)).toEqual([401, REFUSED]);
    const confirm = await challenge('/user/confirm', token).then((given) => given.options && given);
    expect(
      (
        await ask(
          'POST',
          '/passkeys/sign-in',
          { binding: confirm.binding, credential: device.get(confirm.options) },
          null,
        )
      ).status,
    ).toBe(401);
    // Another user's session cannot answer it either.
    const mine = await challenge('/user/confirm', token);
    const other = await app.signIn(person.email, HOST);
    expect(
      (
        await ask(
          'POST',
          '/user/confirm',
          { binding: mine.binding, credential: device.get(mine.options) },
          other,
        )
      ).status,
    ).toBe(422);
    expect(
      (await ask('POST', '/user/confirm', { binding: mine.binding, credential: device.get(mine.options) }))
        .status,
    ).toBe(200);
  });

  test('what is not genuine is refused in the same words as what is not known', async () => {
    await add();
    const stranger = new Authenticator(`http://${HOST}`);
    const answers = [
      await signIn({}, stranger),
      await signIn({ origin: 'http://evil.test' }),
      await signIn({ host: 'evil.test' }),
      await signIn({ type: 'webauthn.create' }),
      await signIn({ isUnverified: true }),
      await signIn({ userHandle: Buffer.from(agency.id).toString('base64url') }),
    ];
    for (const answer of answers) expect(refused(answer)).toEqual([401, REFUSED]);
    const { options, binding } = await challenge('/passkeys/sign-in');
    const genuine = device.get(options);
    const forged = {
      ...genuine,
      response: { ...genuine.response, signature: stranger.get(options).response.signature },
    };
    expect(refused(await ask('POST', '/passkeys/sign-in', { binding, credential: forged }, null))).toEqual([
      401,
      REFUSED,
    ]);
    expect((await signIn()).status).toBe(200);
  });

  test('a counter that goes back is refused, logged, and told to its owner', async () => {
    await add();
    expect((await signIn({ counter: 40 })).status).toBe(200);
    expect(refused(await signIn({ counter: 40 }))).toEqual([401, REFUSED]);
    expect((await signIn({ counter: 41 })).status).toBe(200);
    const { rows } = await app.admin.query(
      `select l.id, l.root_id from user_log l where action = 'passkey.copied' and object_id = $1`,
      [person.id],
    );
    expect(rows).toHaveLength(1);
    await app.features.auth.alerts.tell({ rootId: rows[0].root_id, userId: person.id, logId: rows[0].id });
    const mails = await mailsTo(app, root.id, person.email);
    expect(mails.map(({ subject }) => subject)).toContain('A passkey for your account was rejected');
  });

  test('who may not come in by password does not come in by passkey either', async () => {
    await add();
    const set = (sql: string, id: string) => app.admin.query(sql, [id]);
    await set('update user_account set disabled_at = now() where id = $1', person.id);
    expect(refused(await signIn())).toEqual([401, REFUSED]);
    await set('update user_account set disabled_at = null where id = $1', person.id);
    await set('update company set removed_at = now() where id = $1', client.id);
    expect(refused(await signIn())).toEqual([401, REFUSED]);
    await set('update company set removed_at = null where id = $1', client.id);
    expect((await signIn()).status).toBe(200);
  });

  test('[TEN-02] one belongs to its host and its owner', async () => {
    await add();
    for (const host of ['rival.test', 'root.test'])
      expect((await signIn({ origin: `http://${host}`, host }, device, host)).status).toBe(401);
    // An agency user has one passkey at the agency's host and another at the root's.
    const there = await app.signIn(person.email, 'root.test');
    const second = new Authenticator('http://root.test');
    app.clock.advance(1000);
    expect((await add('At the root', there, second, 'root.test')).status).toBe(200);
    expect(await list()).toMatchObject([
      { name: 'At the root', host: 'root.test', here: false },
      { name: 'Laptop', host: HOST, here: true },
    ]);
    expect((await signIn({}, second, 'root.test')).status).toBe(200);
    const other = await app.make.user(client, { email: `q${serial}@x.test`, password: PASSWORD });
    const theirs = await app.signIn(other.email, HOST);
    expect(await list(theirs)).toEqual([]);
    const [{ id }] = await list();
    expect((await ask('PUT', `/user/passkeys/${id}`, { name: 'Mine' }, theirs)).status).toBe(404);
    expect((await ask('DELETE', `/user/passkeys/${id}`, undefined, theirs)).status).toBe(404);
    // The same key cannot be registered to anyone else.
    expect((await add('Again', theirs)).body.errors).toEqual({ credential: ['is already saved'] });
  });

  test('a new one has to answer its own challenge, at this host, verified', async () => {
    const tries: [Parameters<Authenticator['create']>[1], string?][] = [
      [{ origin: 'http://evil.test' }],
      [{ host: 'evil.test' }],
      [{ isUnverified: true }],
      [{ type: 'webauthn.get' }],
      [{}, 'x'],
    ];
    for (const [lies, binding] of tries) {
      const given = await challenge('/user/passkeys/new', token);
      const answer = await ask('POST', '/user/passkeys', {
        name: 'Laptop',
        binding: binding ?? given.binding,
        credential: device.create(given.options, lies),
      });
      expect([lies, answer.status, Object.keys(answer.body.errors ?? {})]).toEqual([
        lies,
        422,
        ['credential'],
      ]);
    }
    const { options, binding } = await challenge('/user/passkeys/new', token);
    const credential = device.create(options);
    // Nested deeply enough to overflow a reader's stack, and bytes that are not CBOR.
    for (const junk of [Buffer.alloc(20_000, 0x81), Buffer.from('ff00', 'hex')]) {
      const response = { ...credential.response, attestationObject: junk.toString('base64url') };
      const one = await challenge('/user/passkeys/new', token);
      const at = device.create(one.options).response.clientDataJSON;
      const answer = await ask('POST', '/user/passkeys', {
        name: 'Junk',
        binding: one.binding,
        credential: { ...credential, response: { ...response, clientDataJSON: at } },
      });
      expect(answer.status).toBe(422);
    }
    expect((await ask('POST', '/user/passkeys', { name: ' ', binding, credential })).body.errors).toEqual({
      name: ['is required'],
    });
    expect((await ask('POST', '/user/passkeys', { name: 'Laptop', binding, credential })).status).toBe(200);
    expect(await list()).toHaveLength(1);
  });

  test('adding, naming and removing need a fresh confirmation, and each is logged and mailed', async () => {
    await add();
    const [{ id }] = await list();
    await app.admin.query(
      `update session set created_at = created_at - interval '1 hour', confirmed_at = null`,
    );
    const calls = [
      () => ask('GET', '/user/passkeys/new'),
      () => ask('POST', '/user/passkeys', { name: 'x' }),
      () => ask('PUT', `/user/passkeys/${id}`, { name: 'Phone' }),
      () => ask('DELETE', `/user/passkeys/${id}`),
    ];
    for (const one of calls) expect((await one()).body.errors).toEqual({ confirm: ['password', 'passkey'] });
    // The passkey itself counts as confirmation.
    const { options, binding } = await challenge('/user/confirm', token);
    const wrong = new Authenticator(`http://${HOST}`);
    expect((await ask('POST', '/user/confirm', { binding, credential: wrong.get(options) })).status).toBe(
      422,
    );
    const again = await challenge('/user/confirm', token);
    expect(
      (await ask('POST', '/user/confirm', { binding: again.binding, credential: device.get(again.options) }))
        .status,
    ).toBe(200);
    expect((await ask('PUT', `/user/passkeys/${id}`, { name: 'Phone' })).status).toBe(200);
    expect(await list()).toMatchObject([{ name: 'Phone' }]);
    expect((await ask('DELETE', `/user/passkeys/${id}`)).status).toBe(200);
    expect((await ask('DELETE', `/user/passkeys/${id}`)).status).toBe(404);
    expect((await signIn()).status).toBe(401);
    const texts = (await mailsTo(app, root.id, person.email)).map(({ body }) => body?.text ?? '');
    for (const words of [
      `The passkey Laptop was added for ${HOST}`,
      `The passkey Phone for ${HOST} was removed`,
    ])
      expect(texts.some((one) => one.includes(words))).toBe(true);
    const activity = (await ask('GET', '/user/activity')).body.data as unknown as { what: string }[];
    expect(activity.map(({ what }) => what)).toEqual(
      expect.arrayContaining(['Passkey added', 'Passkey renamed', 'Passkey removed', 'Failed confirmation']),
    );
  });

  test('answered challenges are swept away once they have expired', async () => {
    await add();
    expect((await signIn()).status).toBe(200);
    app.clock.advance(300_001);
    await app.features.auth.sweep();
    expect((await app.admin.query('select count(*)::int as n from passkey_answer')).rows).toEqual([{ n: 0 }]);
  });
});
