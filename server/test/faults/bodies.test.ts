import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { CompactEncrypt, importJWK } from 'jose';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { PASSWORD, type TestApp, testApp } from '../app.ts';
import { createTestDatabase } from '../database.ts';
import { BROWSER, type MadeCampaign } from '../factories.ts';
import { openStage, type Running, type Stage } from '../stage.ts';

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
const measurable = existsSync('/proc/self/clear_refs');

/** How a server handled a body that is far too large. */
interface Refused {
  status: number;
  /** Bytes sent before the server closed the connection. */
  sent: number;
  closed: boolean;
}

/**
 * Posts up to `size` zero bytes over a bare socket until the server closes it: as fast as possible regardless of what
 * the server says, or, if `patient`, one chunk every few milliseconds until there is a response. (A client that keeps
 * sending into a closed connection gets a reset, and its system may drop the response unread.)
 */
function flood(
  port: number,
  path: string,
  how: { chunked: boolean; size: number; patient?: boolean; headers?: string },
): Promise<Refused> {
  const piece = Buffer.alloc(64 * 1024, 0x20);
  const part = how.chunked
    ? Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')])
    : piece;
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    let sent = 0;
    let answer = '';
    const pump = (): void => {
      while (sent < how.size && !socket.destroyed && !(how.patient && answer)) {
        sent += piece.length;
        const more = socket.write(part);
        if (how.patient) setTimeout(pump, 5);
        if (!more || how.patient) return;
      }
    };
    const end = (closed: boolean): void => {
      clearTimeout(patience);
      socket.destroy();
      done({ status: Number(answer.slice(9, 12)), sent, closed });
    };
    const patience = setTimeout(() => end(false), 20_000);
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    if (!how.patient) socket.on('drain', pump);
    socket.on('error', () => {}); // Closed while we were writing, as it should be.
    socket.on('close', () => end(true));
    socket.on('connect', () => {
      const length = how.chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${how.size}`;
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: bodies.test\r\nContent-Type: application/json\r\n${how.headers ?? ''}${length}\r\n\r\n`,
      );
      pump();
    });
  });
}

describe('a body of 1 GB', () => {
  let stage: Stage;
  let server: Running;
  let drop: () => Promise<void>;
  let token: string;
  let before = 0;

  beforeAll(async () => {
    const database = await createTestDatabase(inject('adminUrl'));
    drop = database.drop;
    stage = await openStage({ databaseUrl: database.url });
    const root = await stage.make.root({ host: 'bodies.test' });
    const { email } = await stage.make.user(root, { password: PASSWORD });
    server = await stage.start('main', { ROLES: 'web,ingest' });
    const answer = await new Promise<string>((done, fail) => {
      const body = JSON.stringify({ username: email, password: PASSWORD });
      const socket = connect(server.port, '127.0.0.1', () =>
        socket.write(
          `POST /api/login HTTP/1.1\r\nHost: bodies.test\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        ),
      );
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('error', fail).on('close', () => done(text));
    });
    token = JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1)).access_token;
    expect(token).toBeTruthy();
    if (!measurable) return;
    writeFileSync(`/proc/${server.pid}/clear_refs`, '5'); // Resets the peak.
    before = memory('VmRSS');
  });
  afterAll(async () => {
    await stage?.close();
    await drop?.();
  });

  const memory = (name: 'VmRSS' | 'VmHWM'): number =>
    Number(
      new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1],
    ) * 1024;

  test.each([
    ['/v', { chunked: false }],
    ['/v', { chunked: true }],
    ['/api/login', { chunked: false }],
    ['/api/login', { chunked: true }],
  ])('to %s (%o) is answered 413 and the connection closed', async (path, how) => {
    expect(await flood(server.port, path, { ...how, size: GIB, patient: true })).toMatchObject({
      status: 413,
      closed: true,
    });
    const refused = await flood(server.port, path, { ...how, size: GIB });
    expect(refused.closed).toBe(true);
    // What fits into the sockets' buffers may have been sent in addition to the limit.
    expect(refused.sent).toBeLessThan(32 * MIB);
    expect(server.alive()).toBe(true);
  });

  test('an upload above its own limit of 2 GiB is answered 413 before it is read', async () => {
    const refused = await flood(server.port, '/api/identity/imports?file_name=people.csv', {
      chunked: false,
      size: 3 * GIB,
      patient: true,
      headers: `Authorization: Bearer ${token}\r\n`,
    });
    expect(refused).toMatchObject({ status: 413, closed: true });
    expect(refused.sent).toBeLessThan(32 * MIB);
  });

  // The kernel's own accounting, which only Linux provides.
  test.runIf(measurable)(
    'after all of these the memory of the server has never been 64 MiB above where it began',
    () => {
      expect(memory('VmHWM') - before).toBeLessThan(64 * MIB);
    },
  );
});

describe('JSON that reaches for the prototype', () => {
  let app: TestApp;
  let campaign: MadeCampaign;
  beforeAll(async () => {
    app = await testApp();
    const root = await app.make.root({ host: 'json.test' });
    campaign = await app.make.campaign(await app.make.client(await app.make.agency(root)));
  });
  afterAll(() => app?.close());

  const payloads = [
    '"__proto__":{"polluted":true}',
    '"constructor":{"prototype":{"polluted":true}}',
    '"\\u005f_proto__":{"polluted":true}',
    '"__pr\\u006fto__":{"polluted":true}',
    '"\\u0063onstructor":{"prototype":{"polluted":true}}',
    '"a":[{"b":{"__proto__":{"polluted":true}}}]',
    '"a":{"constructor" : {"prototype":{"polluted":true}}}',
  ];
  const unharmed = (): void => {
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(([] as unknown as { polluted?: unknown }).polluted).toBeUndefined();
  };

  test.each(payloads)('POST /v refuses {%s} with 400', async (payload) => {
    const answer = await app.server.inject({
      method: 'POST',
      url: '/v',
      headers: { 'user-agent': BROWSER, 'content-type': 'text/plain;charset=UTF-8' },
      payload: `{"k":"${campaign.siteKey}","e":[],${payload}}`,
    });
    expect([answer.statusCode, answer.json().message]).toEqual([400, 'The body is not valid JSON.']);
    unharmed();
  });

  test.each(payloads)('a JSON call refuses {%s} with 400', async (payload) => {
    const answer = await app.server.inject({
      method: 'POST',
      url: '/api/login',
      headers: { host: 'json.test', 'content-type': 'application/json' },
      payload: `{"username":"a@b.test","password":"x",${payload}}`,
    });
    expect([answer.statusCode, answer.json().message]).toEqual([400, 'The request body is not valid JSON.']);
    unharmed();
  });

  test.each(payloads)('an encrypted body (dt) refuses {%s} with 400', async (payload) => {
    const { body } = await app.call('GET', '/api/keys', { host: 'json.test' });
    const jwk = (body.keys as unknown as { kid: string; use: string }[]).find((key) => key.use === 'enc')!;
    const dt = await new CompactEncrypt(Buffer.from(`{"username":"a@b.test","password":"x",${payload}}`))
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', kid: jwk.kid })
      .encrypt(await importJWK(jwk, 'ECDH-ES'));
    const answer = await app.call('POST', '/api/login', { host: 'json.test', body: { dt } });
    expect([answer.status, answer.body.message]).toEqual([400, 'dt: the decrypted body is not valid JSON.']);
    unharmed();
  });

  test('a query that reaches for the prototype changes none', async () => {
    const answer = await app.call(
      'GET',
      '/api/keys?__proto__[polluted]=true&constructor[prototype][polluted]=true&__proto__=1',
      { host: 'json.test' },
    );
    expect(answer.status).toBe(200);
    unharmed();
  });
});
