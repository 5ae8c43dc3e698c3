import { generateKeyPairSync } from 'node:crypto';
import { CompactEncrypt, decodeJwt, importJWK, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rotatingToken } from '../../../platform/rotation.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { renewal } from './policy.ts';

let app: TestApp;
let client: Company;
let agency: Company;
const HOST = 'acme.test';

beforeAll(async () => {
  app = await testApp();
  const root = await app.make.root({ host: 'root.test', isMaster: true });
  const other = await app.make.root({ host: 'other.test' });
  agency = await app.make.agency(root, { host: HOST });
  await app.make.agency(root, { host: 'rival.test' });
  client = await app.make.client(agency);
  await app.make.user(root, { email: 'root@x.test', password: PASSWORD });
  await app.make.user(agency, { email: 'agency@x.test', password: PASSWORD });
  await app.make.user(client, { email: 'client@x.test', password: PASSWORD });
  await app.make.user(client, { email: 'gone@x.test', password: PASSWORD });
  await app.make.user(other, { email: 'agency@x.test', password: PASSWORD });
  await app.admin.query(`update user_account set disabled_at = now() where email = 'gone@x.test'`);
});
afterAll(() => app.close());

const login = (username: string, password = PASSWORD, host = HOST) =>
  app.call('POST', '/api/login', { host, body: { username, password } });
const user = (token: string, host = HOST) => app.call('GET', '/api/user', { host, token });
const refresh = (token: string, host = HOST) =>
  app.call('POST', '/api/auth/refresh-token', { host, body: { refresh_token: token } });

describe('[AUTH-01] login', () => {
  test('answers tokens, and the access token tells who it is', async () => {
    const { status, body, headers } = await login('Client@X.test');
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      expires_in: 900,
    });
    expect(headers['set-cookie']).toMatch(
      /^refresh=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    const me = await user(body.access_token as string);
    expect(me.body).toMatchObject({
      email: 'client@x.test',
      user_type: 'client',
      systemuser: false,
      company_id: client.id,
      company_parent: agency.id,
      leadlocalurl: 'site-id',
    });
    expect(me.headers['cache-control']).toBe('no-store');
  });

  test('over https and on localhost the cookie is bound to the host', async () => {
    const { headers } = await app.call('POST', '/api/login', {
      host: HOST,
      headers: { 'x-forwarded-proto': 'https' },
      body: { username: 'client@x.test', password: PASSWORD },
    });
    // By default, no one is trusted to claim https.
    expect(headers['set-cookie']).toMatch(/^refresh=/);
  });

  test('every failure reads the same, whatever its reason', async () => {
    const wrong = await login('client@x.test', 'wrong');
    for (const answer of [
      await login('nobody@x.test'),
      await login('gone@x.test'),
      await login('root@x.test'), // A root's people do not sign in at an agency's host.
      await login('agency@x.test', PASSWORD, 'rival.test'),
      await app.call('POST', '/api/login', {
        host: HOST,
        body: { username: 'client@x.test', password: PASSWORD, companyrootid: 'else' },
      }),
    ]) {
      expect([answer.status, answer.body.message, answer.body.errors]).toEqual([401, wrong.body.message, {}]);
    }
    expect((await login('client@x.test', PASSWORD, 'root.test')).status).toBe(200);
  });

  test('names the field and the rule of a body that is not right', async () => {
    const { status, body } = await app.call('POST', '/api/login', {
      host: HOST,
      body: { username: 'no mail' },
    });
    expect(status).toBe(422);
    expect(body).toMatchObject({
      result: 'failed',
      errors: { username: ['must be a valid email address'], password: ['is required'] },
      requestId: expect.any(String),
    });
    expect((await app.call('POST', '/api/login', { host: 'nowhere.test', body: {} })).status).toBe(421);
    // A host that is more than a name and a port, in which other parsers would find a different host.
    for (const host of [`${HOST}:80@evil.test`, `${HOST}:80/x`, `${HOST}:80#x`, `evil.test@${HOST}`])
      expect([host, (await app.call('POST', '/api/login', { host, body: {} })).status]).toEqual([host, 421]);
  });
});

describe('[AUTH-02] refresh tokens', () => {
  test('rotate; the one before repeats its successor for 10 s, then ends the family', async () => {
    const first = (await login('client@x.test')).body.refresh_token as string;
    const second = (await refresh(first)).body.refresh_token as string;
    expect(second).not.toBe(first);
    app.clock.advance(9_000);
    expect((await refresh(first)).body.refresh_token).toBe(second);
    app.clock.advance(2_000);
    const replayed = await refresh(first);
    expect([replayed.status, replayed.body.message]).toEqual([401, 'Unauthenticated.']);
    expect((await refresh(second)).status).toBe(401);
    const { rows } = await app.admin.query(`select revoked_why from session where id = $1`, [
      first.split('.')[0],
    ]);
    expect(rows).toEqual([{ revoked_why: 'reuse' }]);
  });

  test('100 at once leave one lineage', async () => {
    const first = (await login('client@x.test')).body.refresh_token as string;
    const answers = await Promise.all(Array.from({ length: 100 }, () => refresh(first)));
    expect(new Set(answers.map((a) => a.status))).toEqual(new Set([200]));
    expect(new Set(answers.map((a) => a.body.refresh_token)).size).toBe(1);
    const [id] = first.split('.');
    const { rows } = await app.admin.query('select generation, revoked_at from session where id = $1', [id]);
    expect(rows).toEqual([{ generation: 1, revoked_at: null }]);
    // The single lineage continues; a late request with the first token ends it.
    const next = answers[0]!.body.refresh_token as string;
    expect((await refresh(next)).status).toBe(200);
    expect((await refresh(first)).status).toBe(401);
    expect((await refresh(next)).status).toBe(401);
  });

  test('an ended session ends its access tokens too, a login lasts 30 days at most', async () => {
    const { body } = await login('client@x.test');
    expect((await user(body.access_token as string)).status).toBe(200);
    await app.call('POST', '/api/logout', { host: HOST, token: body.access_token as string, body: {} });
    expect((await user(body.access_token as string)).status).toBe(401);
    expect((await refresh(body.refresh_token as string)).status).toBe(401);
    let token = (await login('client@x.test')).body.refresh_token as string;
    for (let day = 0; day < 29; day += 7) {
      app.clock.advance(7 * 86_400_000);
      const answer = await refresh(token);
      if (day < 28) expect(answer.status).toBe(200);
      else expect(answer.status).toBe(401);
      token = (answer.body.refresh_token as string) ?? token;
    }
  });

  test('a login that no one used for 14 days is over, and so is the oldest of more than 50', async () => {
    const idle = (await login('client@x.test')).body.refresh_token as string;
    app.clock.advance(14 * 86_400_000 + 1);
    expect((await refresh(idle)).status).toBe(401);
    const first = (await login('client@x.test')).body.refresh_token as string;
    await app.admin.query(
      `insert into session (id, root_id, agency_id, company_id, user_id, rotated_at, created_at, expires_at, host)
       select gen_random_uuid(), root_id, agency_id, company_id, user_id, rotated_at + interval '1 second', created_at, expires_at, host
       from session, generate_series(1, 49) where id = $1`,
      [first.split('.')[0]],
    );
    app.clock.advance(2000);
    const { access_token } = (await login('client@x.test')).body;
    expect([(await refresh(first)).status, (await user(access_token as string)).status]).toEqual([401, 200]);
  });

  test('a cookie serves as well, but not from another site; a forged token is none', async () => {
    const { body } = await login('client@x.test');
    const cookie = `refresh=${body.refresh_token}`;
    const ask = (origin?: string) =>
      app.call('POST', '/api/auth/refresh-token', {
        host: HOST,
        body: {},
        headers: { cookie, ...(origin ? { origin } : {}) },
      });
    expect((await ask('http://evil.test')).status).toBe(403);
    const renewed = await ask(`http://${HOST}`);
    // No script can read it there: neither the response to a cookie nor the one to a browser's login repeats it.
    expect([renewed.status, Object.keys(renewed.body)]).toEqual([200, ['access_token', 'expires_in']]);
    expect(renewed.headers['set-cookie']).toMatch(/^refresh=[0-9a-f-]{36}\.1\./);
    const browsers = await app.call('POST', '/api/login', {
      host: HOST,
      body: { username: 'client@x.test', password: PASSWORD },
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    expect([browsers.status, browsers.body.refresh_token]).toEqual([200, undefined]);
    expect(browsers.headers['set-cookie']).toMatch(/^refresh=[0-9a-f-]{36}\.0\./);
    const [id = '', n, mac = ''] = (body.refresh_token as string).split('.');
    for (const forged of [
      '',
      'x',
      `${id}.${Number(n) + 1}.${mac}`,
      `${id}.${n}.${'A'.repeat(43)}`,
      rotatingToken(Buffer.alloc(32), id, 0),
    ]) {
      expect((await refresh(forged)).status).toBe(401);
    }
    expect((await refresh(body.refresh_token as string, 'rival.test')).status).toBe(401);
  });

  test('the rule by itself', () => {
    const at = new Date('2026-01-01T00:00:00Z');
    const session = {
      generation: 3,
      rotated_at: at,
      revoked_at: null,
      expires_at: new Date('2026-02-01T00:00:00Z'),
    };
    const later = (ms: number): Date => new Date(at.getTime() + ms);
    expect(renewal(session, 3, later(1e6))).toBe('rotate');
    expect(renewal(session, 2, later(10_000))).toBe('repeat');
    expect(renewal(session, 2, later(10_001))).toBe('reuse');
    expect(renewal(session, 1, later(1))).toBe('reuse');
    expect(renewal(session, 4, later(1))).toBe('reuse');
    expect(renewal({ ...session, revoked_at: at }, 3, at)).toBe('ended');
    expect(renewal(session, 3, session.expires_at)).toBe('ended');
  });
});

describe('access tokens', () => {
  test('forgeries are refused: no signature, another key, another kind, another tenant, out of time', async () => {
    const { body } = await login('agency@x.test');
    const genuine = body.access_token as string;
    const claims = decodeJwt(genuine);
    expect((await user(genuine)).status).toBe(200);
    expect((await user(genuine, 'root.test')).status).toBe(401);
    expect((await user(genuine, 'rival.test')).status).toBe(401);
    const keys = (await app.call('GET', '/api/keys', { host: HOST })).body.keys as unknown as {
      kid: string;
      use: string;
      x: string;
    }[];
    const kid = keys.find((key) => key.use === 'sig')!.kid;
    const foreign = generateKeyPairSync('ed25519').privateKey;
    const header = { alg: 'EdDSA', typ: 'at+jwt', kid };
    const hmac = Buffer.from(keys.find((key) => key.use === 'sig')!.x, 'base64url');
    for (const [name, token] of Object.entries({
      none: new UnsecuredJWT(claims).encode(),
      foreignKey: await new SignJWT(claims).setProtectedHeader(header).sign(foreign),
      unknownKid: await new SignJWT(claims)
        .setProtectedHeader({ ...header, kid: '../../etc/passwd' })
        .sign(foreign),
      hmacWithPublicKey: await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid })
        .sign(hmac),
      cut: genuine.slice(0, -4),
      altered: genuine.replace(/\.(.{10})/, '.AAAAAAAAAA'),
      wrongType: await (async () => {
        const { privateKey } = await app.features.auth.keys.signing();
        return new SignJWT(claims).setProtectedHeader({ ...header, typ: 'JWT' }).sign(privateKey);
      })(),
      noAudience: await (async () => {
        const { privateKey } = await app.features.auth.keys.signing();
        return new SignJWT({ ...claims, aud: 'tenant:other' }).setProtectedHeader(header).sign(privateKey);
      })(),
    })) {
      expect([name, (await user(token)).status]).toEqual([name, 401]);
    }
    app.clock.advance(901_000);
    expect((await user(genuine)).status).toBe(401);
  });
});

describe('[WIRE-01] [WIRE-02] encrypted bodies', () => {
  async function seal(plain: string, header: Record<string, string> = {}): Promise<string> {
    const keys = (await app.call('GET', '/api/keys', { host: HOST })).body.keys as unknown as {
      kid: string;
      use: string;
    }[];
    const jwk = keys.find((key) => key.use === 'enc')!;
    return new CompactEncrypt(new TextEncoder().encode(plain))
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', kid: jwk.kid, ...header })
      .encrypt(await importJWK(jwk as never, 'ECDH-ES'));
  }
  const send = (dt: unknown) => app.call('POST', '/api/login', { host: HOST, body: { dt } });

  test('travel as dt under the key of /api/keys; plain JSON is taken too', async () => {
    const { status } = await send(
      await seal(JSON.stringify({ username: 'client@x.test', password: PASSWORD })),
    );
    expect(status).toBe(200);
    expect((await login('client@x.test')).status).toBe(200);
  });

  test('whatever does not decrypt gets one clear 400', async () => {
    const good = await seal('{"username":"client@x.test","password":"x"}');
    const flips = Array.from({ length: 40 }, (_, i) => {
      const at = Math.floor((i / 40) * good.length);
      return good.slice(0, at) + (good[at] === 'A' ? 'B' : 'A') + good.slice(at + 1);
    }).filter((text) => text !== good);
    const messages = new Set<string>();
    for (const dt of ['x', 'a.b.c.d.e', '', good.slice(0, -2), `${good}A`, ...flips]) {
      const { status, body } = await send(dt);
      expect([dt.slice(0, 20), status]).toEqual([dt.slice(0, 20), 400]);
      messages.add(body.message as string);
    }
    expect([...messages]).toEqual([
      'dt: the body cannot be decrypted. Get the key from /api/keys and try again.',
    ]);
  });

  test('what it decrypts to is parsed as safely as a plain body', async () => {
    for (const plain of [
      'not json',
      '{"__proto__":{"polluted":1},"username":"a@b.test","password":"x"}',
      '{"constructor":{"prototype":{"polluted":1}}}',
    ]) {
      expect((await send(await seal(plain))).status).toBe(400);
      const raw = await app.server.inject({
        method: 'POST',
        url: '/api/login',
        headers: { host: HOST, 'content-type': 'application/json' },
        payload: plain,
      });
      expect(raw.statusCode).toBe(400);
    }
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect((await send(await seal('[1]'))).status).toBe(400);
  });
});

describe('the first owner', () => {
  test('of an installation without a root is made by a one-use link', async () => {
    const empty = await testApp();
    try {
      const token = (await empty.features.auth.offerSetup())!;
      expect(token).toHaveLength(43);
      const body = {
        token,
        company_name: 'My Platform',
        name: 'Olga Owner',
        email: 'olga@own.test',
        password: 'a long enough password',
      };
      const ask = (more: object) =>
        empty.call('POST', '/api/setup/first-owner', { host: 'localhost', body: { ...body, ...more } });
      expect((await ask({ password: 'short' })).body.errors).toEqual({
        password: ['must have at least 12 characters'],
      });
      expect((await ask({ token: 'guess' })).status).toBe(410);
      expect((await ask({})).status).toBe(200);
      expect((await ask({})).status).toBe(410);
      expect(await empty.features.auth.offerSetup()).toBeNull();
      const { body: tokens } = await empty.call('POST', '/api/login', {
        host: 'localhost',
        body: { username: 'olga@own.test', password: 'a long enough password' },
      });
      const me = await empty.call('GET', '/api/user', {
        host: 'localhost',
        token: tokens.access_token as string,
      });
      expect(me.body).toMatchObject({
        user_type: 'user',
        systemuser: true,
        rootcomp: true,
        company_kind: 'root',
      });
    } finally {
      await empty.close();
    }
  });

  test('does not outlive its day', async () => {
    const empty = await testApp();
    try {
      const token = (await empty.features.auth.offerSetup())!;
      empty.clock.advance(24 * 3_600_000 + 1);
      const body = {
        token,
        company_name: 'P',
        name: 'O',
        email: 'o@own.test',
        password: 'a long enough password',
      };
      expect((await empty.call('POST', '/api/setup/first-owner', { host: 'localhost', body })).status).toBe(
        410,
      );
    } finally {
      await empty.close();
    }
  });
});
