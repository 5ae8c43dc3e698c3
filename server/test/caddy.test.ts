import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startAsk } from '../platform/ask.ts';
import { systemClock } from '../platform/clock.ts';
import { type TestApp, testApp } from './app.ts';
import { startDns, type TestDns } from './dns.ts';
import type { Company } from './factories.ts';

const caddy = process.env.CADDY_PATH ?? '/usr/bin/caddy';
const isThere = spawnSync(caddy, ['version']).status === 0;
if (!isThere)
  console.warn(
    `SKIPPED: TLS through a real Caddy, since there is none at ${caddy} (Debian: apt-get install caddy).`,
  );

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => probe.once('listening', done));
  const { port } = probe.address() as { port: number };
  await new Promise((done) => probe.close(done));
  return port;
}

describe('[TEN-05] the ask endpoint', () => {
  test('says yes to hosts that are served, no to the rest, and nothing about anything else', async () => {
    const asked: string[] = [];
    const ask = await startAsk(0, async (host) => {
      asked.push(host);
      if (host === 'away.test') throw new Error('the database is unavailable');
      return host === 'ours.test';
    });
    const get = (path: string, method = 'GET') =>
      fetch(`http://127.0.0.1:${ask.port}${path}`, { method }).then(async (r) => [r.status, await r.text()]);
    expect(await get('/ask?domain=ours.test')).toEqual([200, '']);
    expect(await get('/ask?domain=OURS.test')).toEqual([200, '']);
    expect(await get('/ask?domain=theirs.test')).toEqual([404, '']);
    expect(await get('/ask?domain=away.test')).toEqual([503, '']);
    expect(await get('/ask')).toEqual([404, '']);
    expect(await get('/other?domain=ours.test')).toEqual([404, '']);
    expect(await get('/ask?domain=ours.test', 'POST')).toEqual([404, '']);
    for (const odd of [
      'a%00b.test',
      '../x',
      'a b.test',
      '*.ours.test',
      `${'a'.repeat(64)}.test`,
      "x'--.test",
      '[::1]',
    ])
      expect([odd, await get(`/ask?domain=${encodeURIComponent(odd)}`)]).toEqual([odd, [404, '']]);
    expect(asked).toEqual(['ours.test', 'ours.test', 'theirs.test', 'away.test']);
    await ask.close();
  });
});

describe.skipIf(!isThere)('[TEN-05] TLS by a real Caddy', () => {
  let app: TestApp;
  let dns: TestDns;
  let agency: Company;
  let proxy: ChildProcess;
  let said = '';
  let tlsPort: number;
  const folder = mkdtempSync(join(tmpdir(), 'lead-caddy-'));

  beforeAll(async () => {
    dns = await startDns();
    dns.set('A', 'edge.platform.test', '192.0.2.10');
    app = await testApp({
      clock: systemClock,
      start: true,
      settings: {
        askPort: 0,
        trustProxy: '127.0.0.1',
        dnsServers: [dns.address],
        domainTarget: { host: 'edge.platform.test', addresses: [] },
      },
    });
    const root = await app.make.root({ host: 'root.test', isMaster: true });
    agency = await app.make.agency(root, { host: 'acme.root.test', brand: { name: 'Acme' } });
    await app.make.agency(root, { host: 'victim.root.test', brand: { name: 'Victim' } });
    tlsPort = await freePort();
    // The Caddyfile of docs/operations.md, with its own certificate authority and on other ports.
    writeFileSync(
      join(folder, 'Caddyfile'),
      `{
  admin off
  auto_https disable_redirects
  http_port ${await freePort()}
  https_port ${tlsPort}
  skip_install_trust
  storage file_system ${folder}/storage
  on_demand_tls {
    ask http://127.0.0.1:${app.askPort()}/ask
  }
}
https:// {
  bind 127.0.0.1
  tls {
    on_demand
    issuer internal
  }
  reverse_proxy 127.0.0.1:${app.port}
}
`,
    );
    proxy = spawn(caddy, ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'], {
      env: { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [proxy.stdout!, proxy.stderr!]) stream.on('data', (chunk) => (said += chunk));
    const until = Date.now() + 20_000;
    while (!said.includes('serving initial configuration')) {
      if (proxy.exitCode !== null || Date.now() > until) throw new Error(`Caddy did not start:\n${said}`);
      await new Promise((done) => setTimeout(done, 50));
    }
  });
  afterAll(async () => {
    const ended = new Promise((done) => proxy?.once('exit', done));
    if (proxy?.kill()) await ended;
    await app?.close();
    await dns?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Requests a host through Caddy over TLS; returns the certificate's names, or what went wrong. */
  const through = (host: string, headers: Record<string, string> = {}) =>
    new Promise<{ status?: number; body?: Record<string, unknown>; names?: string; error?: string }>(
      (done) => {
        const call = request(
          {
            host: '127.0.0.1',
            port: tlsPort,
            servername: host,
            path: '/api/general/domain-info',
            rejectUnauthorized: false,
            headers: { host, ...headers },
            agent: false,
          },
          (response) => {
            const names = (response.socket as import('node:tls').TLSSocket).getPeerCertificate()
              .subjectaltname;
            let text = '';
            response.on('data', (chunk) => (text += chunk));
            response.on('end', () =>
              done({
                status: response.statusCode!,
                names: names!,
                body: text.startsWith('{') ? JSON.parse(text) : {},
              }),
            );
          },
        );
        call.on('error', (error) => done({ error: error.message }));
        call.end();
      },
    );

  test('a host has a certificate when it is verified, and none before', async () => {
    expect(await through('acme.root.test')).toMatchObject({
      status: 200,
      names: 'DNS:acme.root.test',
      body: { name: 'Acme' },
    });
    expect(await through('stranger.test')).toEqual({
      error: expect.stringMatching(/alert|closed|reset|disconnected/i),
    });

    const host = 'portal.customer.test';
    await app.make.user(agency, { email: 'agency@x.test', password: 'correct horse battery' });
    const token = await app.signIn('agency@x.test', 'acme.root.test');
    const call = (method: 'PUT' | 'POST', url: string, body: unknown) =>
      app.call(method, `/api/configuration/${url}`, { host: 'acme.root.test', token, body });
    const { body } = await call('PUT', 'update-custom-domain', { domain: host });
    expect((await through(host)).error).toBeDefined();
    const [txt, address] = (body.data as { claim: { records: { name: string; value: string }[] } }).claim
      .records;
    dns.set('TXT', txt!.name, txt!.value);
    dns.set('CNAME', address!.name, address!.value);
    // The job may be checking the entered claim right now; if so, the user's own check is refused for a few seconds.
    await expect
      .poll(
        async () => {
          await call('POST', 'custom-domain/check', {});
          return (await through(host)).status;
        },
        {
          timeout: 25_000,
          interval: 1_000,
        },
      )
      .toBe(200);
    expect(await through(host)).toMatchObject({ names: `DNS:${host}`, body: { name: 'Acme', domain: host } });
  });

  test('what a client claims in headers does not change the tenant, nor does the public port answer /ask', async () => {
    for (const header of ['x-forwarded-host', 'x-host', 'x-original-host', 'forwarded'])
      expect([
        header,
        (
          await through('acme.root.test', {
            [header]: header === 'forwarded' ? 'host=victim.root.test' : 'victim.root.test',
          })
        ).body?.name,
      ]).toEqual([header, 'Acme']);
    // Directly from loopback, like a proxy that forwards a client's header: trusted, but the header is still not
    // believed.
    const direct = await new Promise<string>((done) => {
      plainRequest(
        {
          host: '127.0.0.1',
          port: app.port,
          path: '/api/general/domain-info',
          headers: { host: 'acme.root.test', 'x-forwarded-host': 'victim.root.test' },
        },
        (response) => {
          let text = '';
          response.on('data', (chunk) => (text += chunk));
          response.on('end', () => done(JSON.parse(text).name));
        },
      ).end();
    });
    expect(direct).toBe('Acme');
    const onPublic = await app.call('GET', '/ask?domain=acme.root.test', { host: 'acme.root.test' });
    expect(onPublic.status).toBe(404);
  });
});
