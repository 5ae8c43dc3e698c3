import { EventEmitter } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { brotliDecompressSync, gzipSync } from 'node:zlib';
import { CompactEncrypt, importJWK } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  BOUNDS,
  boundConnections,
  type ConnectionBounds,
  isUpload,
} from '../../platform/http/connections.ts';
import { MOST_DEPTH, readJson } from '../../platform/http/json.ts';
import { PASSWORD, type TestApp, testApp } from '../app.ts';

let app: TestApp;
let token: string;
let master: string;
const host = 'acme.test';
beforeAll(async () => {
  app = await testApp({ settings: { trustProxy: '127.0.0.1' } });
  const root = await app.make.root({ host: 'root.test', isMaster: true });
  master = root.id;
  const agency = await app.make.agency(root, { host });
  await app.make.user(agency, { email: 'agency@x.test', password: PASSWORD });
  await app.make.agency(await app.make.root({ host: 'second.test' }), { host: 'other.test' });
  token = await app.signIn('agency@x.test', host);
});
afterAll(() => app?.close());

const deep = (levels: number, open = '[', close = ']') => open.repeat(levels) + close.repeat(levels);

describe('[BEY-31] JSON that is deeper than any call takes', () => {
  const send = async (url: string, payload: string, type = 'application/json') => {
    const { statusCode, body } = await app.server.inject({
      method: 'POST',
      url,
      headers: { host, authorization: `Bearer ${token}`, 'content-type': type },
      payload,
    });
    return [statusCode, (JSON.parse(body || '{}') as { result?: string }).result];
  };

  test.each([
    ['arrays', deep(100_000)],
    ['objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['inside a field', `{"username":${deep(100_000)},"password":"x"}`],
    ['with no expiration date', '['.repeat(500_000)],
    ['just too deep', `{"a":${deep(MOST_DEPTH)}}`],
  ])('%s: 400, in the body and inside an encrypted one', async (_, text) => {
    expect(await send('/api/login', text)).toEqual([400, 'failed']);
    const { keys } = (await app.call('GET', '/api/keys', { host })).body as unknown as {
      keys: { use: string; kid: string }[];
    };
    const key = keys.find((one) => one.use === 'enc')!;
    const dt = await new CompactEncrypt(new TextEncoder().encode(text))
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', kid: key.kid })
      .encrypt(await importJWK(key as never, 'ECDH-ES'));
    expect(await send('/api/login', JSON.stringify({ dt }))).toEqual([400, 'failed']);
    if (text.length < 60_000) expect(await send('/v', text, 'text/plain')).toEqual([400, 'failed']);
  });

  test('in a query, in a field of a form and in a captcha it is a wrong value, not a fault of ours', async () => {
    const query = await app.call('GET', `/api/background/stopped?Page=${deep(3000)}`, { host, token });
    expect(query.status).toBeLessThan(500);
    const form = new FormData();
    form.set('campaigntype', deep(20_000));
    form.set('ClientCompanyID', 'x');
    form.set('clientoptoutfile', new File(['a@x.example\n'], 'list.csv'));
    const body = new Response(form);
    const upload = await app.server.inject({
      method: 'POST',
      url: '/api/tools/optout-client/upload',
      headers: {
        host,
        authorization: `Bearer ${token}`,
        'content-type': body.headers.get('content-type')!,
      },
      payload: Buffer.from(await body.arrayBuffer()),
    });
    expect(upload.statusCode).toBe(422);
    const gtoken = Buffer.from(deep(20_000)).toString('base64');
    const forgot = await app.call('POST', '/api/forgot-password', {
      host,
      body: { email: 'a@x.test', gtoken },
    });
    expect(forgot.status).toBeLessThan(500);
  });

  test('what is no deeper is read, brackets in texts notwithstanding', () => {
    expect(readJson(deep(MOST_DEPTH))).toBeTruthy();
    expect(() => readJson(deep(MOST_DEPTH + 1))).toThrow('deeper');
    const text = { a: `${'['.repeat(1000)}"\\`, '[{': ['\\"[', {}] };
    expect(readJson(JSON.stringify(text))).toEqual(text);
    expect(() => readJson('{"__proto__":1}')).toThrow();
  });
});

describe('[BEY-31] what answers may do in a browser', () => {
  const get = (url: string, headers: Record<string, string> = {}) =>
    app.server.inject({ method: 'GET', url, headers: { host, ...headers } });

  test('answers and files run nothing, are framed by no one and read by no other site', async () => {
    for (const url of [
      '/api/general/domain-info',
      '/api/none',
      '/healthz',
      '/.well-known/security.txt',
      '/%',
    ]) {
      const { headers } = await get(url);
      expect([url, headers['content-security-policy']]).toEqual([
        url,
        expect.stringContaining("default-src 'none'"),
      ]);
      expect(headers).toMatchObject({
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'permissions-policy': expect.stringContaining('camera=()'),
        'x-content-type-options': 'nosniff',
      });
    }
    expect((await get('/p/v1/none.js')).headers['cross-origin-resource-policy']).toBe('cross-origin');
  });

  test('a long answer goes out packed for whoever takes it; what comes in is never unpacked', async () => {
    const asked = (takes: string) =>
      app.server.inject({
        url: '/api/openapi.json',
        headers: { host: 'root.test', 'accept-encoding': takes },
      });
    const whole = await asked('identity');
    const packed = await asked('gzip, br');
    expect([whole.headers['content-encoding'], packed.headers['content-encoding']]).toEqual([
      undefined,
      'br',
    ]);
    expect(packed.headers.vary).toContain('accept-encoding');
    expect(packed.rawPayload.length).toBeLessThan(whole.rawPayload.length / 4);
    expect(brotliDecompressSync(packed.rawPayload).equals(whole.rawPayload)).toBe(true);
    const bomb = await app.server.inject({
      method: 'POST',
      url: '/api/login',
      headers: { host: 'root.test', 'content-type': 'application/json', 'content-encoding': 'gzip' },
      payload: gzipSync(JSON.stringify({ username: 'a'.repeat(10_000_000), password: 'x' })),
    });
    expect(bomb.statusCode).toBe(400);
  });

  test('HSTS where a trusted proxy says that it came over TLS, and there alone', async () => {
    const hsts = async (headers: Record<string, string>, remoteAddress = '127.0.0.1') =>
      (
        await app.server.inject({
          method: 'GET',
          url: '/healthz',
          headers: { host, ...headers },
          remoteAddress,
        })
      ).headers['strict-transport-security'];
    expect(await hsts({ 'x-forwarded-proto': 'https' })).toBe('max-age=31536000');
    expect(await hsts({})).toBeUndefined();
    expect(await hsts({ 'x-forwarded-proto': 'https' }, '203.0.113.9')).toBeUndefined();
  });

  test('security.txt says where to report, on every host, and ends within a year', async () => {
    for (const at of [host, 'root.test', 'second.test']) {
      const { statusCode, headers, body } = await app.server.inject({
        method: 'GET',
        url: '/.well-known/security.txt',
        headers: { host: at },
      });
      expect([statusCode, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
      expect(body).toMatch(/^Contact: mailto:\S+@\S+$/m);
      expect(body).toContain(`Canonical: http://${at}/.well-known/security.txt`);
      const expires = new Date(/^Expires: (\S+)$/m.exec(body)![1]!).getTime() - app.clock.now().getTime();
      expect(expires > 0 && expires < 365 * 86_400_000).toBe(true);
    }
    expect((await get('/.well-known/security.txt', { host: 'nobody.test' })).statusCode).toBe(421);
  });
});

describe('[BEY-31] ids and tokens of others', () => {
  test('domain info tells of no host of another root, nor its id', async () => {
    const info = (at: string, name = '') =>
      app.call('GET', `/api/general/domain-info${name ? `/${name}` : ''}`, { host: at });
    expect((await info('second.test', 'acme.test')).status).toBe(404);
    expect((await info('acme.test', 'other.test')).status).toBe(404);
    expect((await info('acme.test', 'root.test')).status).toBe(404);
    expect((await info('root.test', 'acme.test')).body).toMatchObject({ masteridsys: master });
    const stranger = await info('other.test');
    expect(stranger.text).not.toContain(master);
    expect(stranger.body).toMatchObject({ agencyplatformroot: 'F', masteridsys: expect.any(String) });
  });

  test('a download token is used up by any try: another path, another host, one that is no one’s', async () => {
    const path = '/api/leadspeek/report/lead/export';
    const fresh = async () =>
      String(
        (await app.call('POST', '/api/general/download-token', { host, token, body: { path } })).body.url,
      );
    const get = async (url: string, at = host) =>
      (await app.server.inject({ method: 'GET', url, headers: { host: at } })).statusCode;
    for (const spoil of [
      (url: string) => get(url.replace('/lead/export', '/lead/export?companyID=x&').replace('&?', '&')),
      (url: string) => get(url, 'other.test'),
      (url: string) => get(url, 'nobody.test'),
    ]) {
      const url = await fresh();
      expect(await spoil(url)).toBeGreaterThanOrEqual(400);
      expect(await get(url)).toBe(401);
    }
    const url = await fresh();
    expect(await get(url)).toBe(200);
    expect(await get(url)).toBe(401);
  });
});

describe('[BEY-31] connections that take places without using them', () => {
  let server: Server;
  const open: Socket[] = [];
  /** Its own server with very short limits; requests to /upload are uploads, /big responds endlessly. */
  async function start(given: Partial<ConnectionBounds>): Promise<number> {
    server = createServer((request, response) => {
      if (request.url === '/upload') isUpload(request, 1e9);
      if (request.url === '/small') isUpload(request, 100);
      if (request.url === '/big') {
        const more = (): void => {
          while (response.write('x'.repeat(65_536)));
          response.once('drain', more);
        };
        more();
        return;
      }
      request.resume().once('end', () => response.end('done'));
    });
    boundConnections(server, {
      ...BOUNDS,
      perAddress: 0,
      trusted: [],
      bodyMs: 300,
      slowMs: 300,
      leastRate: 1000,
      tickMs: 20,
      ...given,
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return (server.address() as AddressInfo).port;
  }
  const dial = (port: number): Socket => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    open.push(socket);
    return socket;
  };
  const closed = (socket: Socket) => new Promise<void>((done) => socket.once('close', () => done()));
  const stop = async () => {
    for (const socket of open.splice(0)) socket.destroy();
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  };

  test('a body that trickles in is cut off; an upload that moves is not, one that does not is', async () => {
    const port = await start({});
    const head = (path: string) => `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n`;
    const slow = dial(port);
    slow.write(head('/'));
    const trickle = setInterval(() => slow.write('x'), 20);
    await closed(slow);
    clearInterval(trickle);
    const still = dial(port);
    still.write(head('/upload'));
    await closed(still);
    // It moves, but a file of this size does not take that long.
    const late = dial(port);
    late.write(head('/small'));
    const moves = setInterval(() => late.write('x'.repeat(200)), 20);
    await closed(late);
    clearInterval(moves);
    const moving = dial(port);
    let said = '';
    moving.on('data', (part) => {
      said += part;
    });
    moving.write(head('/upload'));
    for (let sent = 0; sent < 1_000_000; sent += 50_000) {
      moving.write('x'.repeat(50_000));
      await new Promise((done) => setTimeout(done, 30));
    }
    await expect.poll(() => said, { timeout: 10_000 }).toContain('done');
    await stop();
  });

  test('a reader that does not read is cut off', async () => {
    const port = await start({});
    const socket = dial(port);
    socket.write('GET /big HTTP/1.1\r\nHost: x\r\n\r\n');
    socket.pause();
    await new Promise<void>((done) => {
      server.getConnections(() => done());
    });
    await expect
      .poll(() => new Promise<number>((done) => server.getConnections((_, count) => done(count))), {
        timeout: 20_000,
      })
      .toBe(0);
    await stop();
  });

  test('one address has so many connections, this machine and proxies any number', async () => {
    const port = await start({ perAddress: 2 });
    const many = Array.from({ length: 5 }, () => dial(port));
    await Promise.all(many.map((socket) => new Promise((done) => socket.once('connect', done))));
    const ask = (socket: Socket) =>
      new Promise<boolean>((done) => {
        socket.once('data', () => done(true));
        socket.once('close', () => done(false));
        socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      });
    expect(await Promise.all(many.map(ask))).toEqual([true, true, true, true, true]);
    await stop();
    // Remote clients: sockets with other addresses, as a server would see them.
    const refused = (addresses: string[], trusted: string[] = []) => {
      const meeting = new EventEmitter() as Server;
      boundConnections(meeting, { ...BOUNDS, perAddress: 2, trusted });
      const sockets = addresses.map((remoteAddress) => {
        const socket = Object.assign(new EventEmitter(), { remoteAddress, isEnded: false, destroy });
        function destroy() {
          socket.isEnded = true;
          socket.emit('close');
        }
        meeting.emit('connection', socket as never);
        return socket;
      });
      meeting.emit('close');
      return sockets.map((socket) => socket.isEnded);
    };
    const four = (address: string) => Array.from({ length: 4 }, () => address);
    expect(refused(four('203.0.113.9'))).toEqual([false, false, true, true]);
    expect(refused(['203.0.113.9', '::ffff:203.0.113.9', '203.0.113.9', '203.0.113.10'])).toEqual([
      false,
      false,
      true,
      false,
    ]);
    for (const [address, trusted] of [
      ['203.0.113.9', '203.0.113.9'],
      ['203.0.113.9', '203.0.113.0/24'],
      ['10.1.2.3', 'uniquelocal'],
      ['2001:db8::1', '2001:db8::/32'],
      ['::1', ''],
    ] as const)
      expect(refused(four(address), [trusted])).toEqual([false, false, false, false]);
  });
});
