import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOutbound } from './outbound.ts';
import { type OutboundProxy, openProxy } from './outbound-proxy.ts';

let site: Server;
let port: number;
let reached: string[] = [];
let proxy: OutboundProxy;

beforeAll(async () => {
  site = createServer(async (asked, answer) => {
    let body = '';
    for await (const part of asked) body += part;
    reached.push(`${asked.method} ${asked.headers.host} ${asked.url} ${body}`);
    answer
      .writeHead(asked.url === '/hop' ? 302 : 200, [
        ...['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'Keep-Alive', 'timeout=99'],
        ...(asked.url === '/hop' ? ['Location', 'http://127.0.0.1/'] : []),
      ])
      .end(asked.url === '/large' ? 'x'.repeat(400_000) : JSON.stringify(asked.headers));
  });
  await new Promise<void>((done) => site.listen(0, '127.0.0.1', done));
  ({ port } = site.address() as AddressInfo);
  proxy = await openProxy(
    createOutbound({
      allow: [`shop.localhost:${port}`],
      resolve: async (host) => (host === 'public.test' ? ['93.184.215.14'] : ['10.0.0.1']),
    }),
    1_000_000,
  );
});
afterAll(async () => {
  await proxy.close();
  site.close();
});

interface Answered {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}
const ask = (
  url: string,
  options: { method?: string; body?: string; via?: number } = {},
): Promise<Answered> =>
  new Promise((done, failed) => {
    request(
      {
        host: '127.0.0.1',
        port: options.via ?? proxy.port,
        path: url,
        method: options.method ?? 'GET',
        agent: false,
        headers: { 'proxy-connection': 'keep-alive', 'x-own': 'kept' },
      },
      async (response) => {
        let body = '';
        try {
          for await (const part of response) body += part;
          done({ status: response.statusCode!, headers: response.headers, body });
        } catch (error) {
          failed(error);
        }
      },
    )
      .on('error', failed)
      .end(options.body);
  });
/** Asks for a tunnel; what comes back first. */
const tunnel = (target: string, send = ''): Promise<string> =>
  new Promise((done) => {
    let got = '';
    const socket = connect(proxy.port, '127.0.0.1', () => socket.write(`CONNECT ${target} HTTP/1.1\r\n\r\n`));
    socket.on('data', (part) => {
      got += part;
      if (got.endsWith('Connected\r\n\r\n') && send) socket.write(send);
      else socket.end();
    });
    socket.on('error', () => {});
    socket.on('close', () => done(got));
  });

describe('the proxy of a browser that opens strangers’ pages', () => {
  it('passes on what is allowed, as it is, but for what is about one connection', async () => {
    reached = [];
    const { status, headers, body } = await ask(`http://shop.localhost:${port}/a?b=c`, {
      method: 'POST',
      body: 'hello',
    });
    expect(reached).toEqual([`POST shop.localhost:${port} /a?b=c hello`]);
    expect(status).toBe(200);
    expect(headers['set-cookie']).toEqual(['a=1', 'b=2']);
    expect(headers['keep-alive']).not.toBe('timeout=99');
    expect(JSON.parse(body)).toMatchObject({ 'x-own': 'kept' });
    expect(JSON.parse(body)).not.toHaveProperty('proxy-connection');
    // A redirect is the browser's to follow, and is checked then.
    expect((await ask(`http://shop.localhost:${port}/hop`)).status).toBe(302);
    const got = await tunnel(
      `shop.localhost:${port}`,
      `GET /tunnel HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect(got).toMatch(/^HTTP\/1\.1 200 Connected\r\n\r\nHTTP\/1\.1 200 OK/);
  });

  it('survives whatever a server answers', async () => {
    const answers: Record<string, string> = {
      '/000': '000 X\r\nContent-Length: 2\r\n\r\nhi',
      '/099': '099 X\r\nContent-Length: 2\r\n\r\nhi',
      '/101': '101 X\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
      '/control': '200 OK\r\nX: a\x01b\r\nContent-Length: 2\r\n\r\nhi',
      '/trailer': '200 OK\r\nTrailer: X\r\nContent-Length: 2\r\n\r\nhi',
    };
    const odd = createTcpServer((socket) =>
      socket
        .on('error', () => {})
        .once('data', (asked) => socket.end(`HTTP/1.1 ${answers[String(asked).split(' ')[1]!]}`)),
    );
    await new Promise<void>((done) => odd.listen(0, '127.0.0.1', done));
    const { port } = odd.address() as AddressInfo;
    const own = await openProxy(createOutbound({ allow: [`odd.localhost:${port}`] }), 1_000_000);
    const found: Record<string, number> = {};
    for (const path of Object.keys(answers))
      found[path] = (await ask(`http://odd.localhost:${port}${path}`, { via: own.port })).status;
    expect(found).toEqual({ '/000': 502, '/099': 502, '/101': 502, '/control': 502, '/trailer': 200 });
    await own.close();
    odd.close();
  });

  it('refuses this network by whatever name, odd ports, and other protocols', async () => {
    reached = [];
    for (const url of [
      `http://127.0.0.1:${port}/`,
      `http://localhost:${port}/`,
      `http://[::1]:${port}/`,
      `http://[::ffff:127.0.0.1]:${port}/`,
      `http://2130706433:${port}/`,
      'http://169.254.169.254/latest/meta-data/',
      'http://inner.test/',
      'http://public.test:8080/',
      'http://user:secret@public.test/',
      'https://public.test/',
      'ftp://public.test/',
      'file:///etc/passwd',
      '/',
    ])
      expect([url, (await ask(url)).status]).toEqual([url, 403]);
    for (const target of [
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      `[::1]:${port}`,
      'inner.test:443',
      'public.test:22',
      'public.test:80',
      '',
      'x y:443',
    ])
      expect([target, await tunnel(target)]).toEqual([
        target,
        expect.stringMatching(/^(HTTP\/1\.1 40[03]|$)/),
      ]);
    expect(reached).toEqual([]);
  });

  it('ends everything when too much has passed', async () => {
    const small = await openProxy(createOutbound({ allow: [`shop.localhost:${port}`] }), 300_000);
    const large = `http://shop.localhost:${port}/large`;
    await expect(ask(large, { via: small.port })).rejects.toThrow();
    await expect(ask(`http://shop.localhost:${port}/a`, { via: small.port })).rejects.toThrow();
    await small.close();
  });
});
