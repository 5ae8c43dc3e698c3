import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server as TcpServer,
} from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPublicAddress } from './addresses.ts';
import { createOutbound, type OutboundRequest } from './outbound.ts';

// Made for this test: P-256, self-signed for hook.localhost, valid until 2126.
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgHPvyn6xO1ZWCqbnn
eurxjU+6zuT3H5swTHhWkGF5leqhRANCAARjDZeuG5grjdTu8Tq/GvGYtGmfYUlG
apVNWDPtWi4wojMLDRAdkD1/bNDQ/NvTDIcAeZ1xfQHKcb6u0TrtiQJ1
-----END PRIVATE KEY-----`;
const CERT = `-----BEGIN CERTIFICATE-----
MIIBpTCCAUqgAwIBAgIUDSE25CkaP5pFQjAglBevd5ksqpMwCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOaG9vay5sb2NhbGhvc3QwIBcNMjYxMTIxMTAyMjI1WhgPMjEy
NjEwMjgxMDIyMjVaMBkxFzAVBgNVBAMMDmhvb2subG9jYWxob3N0MFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAEYw2XrhuYK43U7vE6vxrxmLRpn2FJRmqVTVgz7Vou
MKIzCw0QHZA9f2zQ0Pzb0wyHAHmdcX0BynG+rtE67YkCdaNuMGwwHQYDVR0OBBYE
FEHDf1Mdx/rieYGDjjHY56+eo17TMB8GA1UdIwQYMBaAFEHDf1Mdx/rieYGDjjHY
56+eo17TMA8GA1UdEwEB/wQFMAMBAf8wGQYDVR0RBBIwEIIOaG9vay5sb2NhbGhv
c3QwCgYIKoZIzj0EAwIDSQAwRgIhAMg+OPo+OSTiFDeLwWymsV1YG+m1icV5Y9Ad
GhUqkCMeAiEAnsOW1/5Yqn78AlUW3R+tUZrLYMx5MwTgyy51/1HPee0=
-----END CERTIFICATE-----`;

/** Counts every connection that reaches this machine's loopback, on IPv4 and, if available, IPv6. */
let canary: TcpServer;
let canaryPort = 0;
let reached = 0;
const servers: { close: () => unknown }[] = [];

async function listen(server: TcpServer, host = '127.0.0.1', port = 0): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
  return (server.address() as AddressInfo).port;
}

beforeAll(async () => {
  const count = () => void reached++;
  canary = createServer((_request, reply) => reply.end('inside'));
  canary.on('connection', count);
  canaryPort = await listen(canary);
  const six = createTcpServer((socket) => socket.destroy());
  six.on('connection', count);
  await listen(six, '::1', canaryPort).catch(() => {});
});
afterAll(() => {
  for (const server of servers) server.close();
});

/** One or two addresses from each range that is not on the public internet. */
const RANGES: Record<string, string[]> = {
  loopback: ['127.0.0.1', '127.255.255.254'],
  unspecified: ['0.0.0.0', '0.1.2.3'],
  'private A': ['10.0.0.1', '10.255.255.255'],
  'private B': ['172.16.0.1', '172.31.255.255'],
  'private C': ['192.168.0.1', '192.168.255.255'],
  'link-local': ['169.254.0.1'],
  metadata: ['169.254.169.254', '100.100.100.200', '192.0.0.192', '168.63.129.16'],
  CGNAT: ['100.64.0.1', '100.127.255.255'],
  'IETF protocol': ['192.0.0.1'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1'],
  '6to4 relay': ['192.88.99.1'],
  benchmarking: ['198.18.0.1', '198.19.255.255'],
  multicast: ['224.0.0.1', '239.255.255.255'],
  reserved: ['240.0.0.1', '255.255.255.254'],
  broadcast: ['255.255.255.255'],
};
const IPV6 = [
  '::',
  '::1',
  '::7f00:1',
  '::ffff:0:7f00:1',
  'fe80::1',
  'febf::1',
  'fec0::1',
  'fc00::1',
  'fd00:ec2::254',
  'ff02::1',
  '2001:db8::1',
  '3fff::1',
  '2001::1',
  '2001:0:7f00:1::1',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '64:ff9b:1::7f00:1',
  '100::1',
  '5f00::1',
  '4000::1',
  '2002:7f00:1::1',
  '2002:a9fe:a9fe::',
  '64:ff9b::7f00:1',
];

/** The ways one IPv4 address can be written in a URL. */
function spellings(address: string): string[] {
  const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number];
  const number = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
  const hex = (n: number) => `0x${n.toString(16)}`;
  const group = (high: number, low: number) => ((high << 8) | low).toString(16);
  return [
    address,
    `${address}.`,
    String(number),
    hex(number),
    [a, b, c, d].map((n) => `0${n.toString(8)}`).join('.'),
    [a, b, c, d].map(hex).join('.'),
    `${a}.${((b << 16) | (c << 8) | d) >>> 0}`,
    `${a}.${b}.${(c << 8) | d}`,
    `[::ffff:${address}]`,
    `[::ffff:${group(a, b)}:${group(c, d)}]`,
    `[64:ff9b::${group(a, b)}:${group(c, d)}]`,
    `[2002:${group(a, b)}:${group(c, d)}::1]`,
    address.replaceAll('.', '%2e'),
    address.replaceAll('.', '。'),
  ];
}

const literals = [
  ...Object.values(RANGES).flat().flatMap(spellings),
  ...IPV6.map((address) => `[${address}]`),
  'localhost',
  'localhost.',
  'LOCALHOST',
  'anything.localhost',
  'hook.localhost.',
];

describe('requests to what a tenant entered', () => {
  const never = async (): Promise<string[]> => {
    throw new Error('asked for a literal address');
  };
  const failure = async (
    outbound: ReturnType<typeof createOutbound>,
    url: string,
    request?: OutboundRequest,
  ) =>
    outbound.fetch(url, { timeoutMs: 2_000, ...request }).then(
      (answer) => `answered ${answer.status}`,
      (error) => error.code as string,
    );

  it('[INTG-05] refuse every private address, however it is spelled, without a connection', async () => {
    const outbound = createOutbound({ allow: [], resolve: never });
    const urls = literals.flatMap((host) => [`https://${host}:${canaryPort}/`, `https://${host}/`]);
    expect(new Set(urls).size).toBeGreaterThan(150);
    const before = reached;
    const outcomes = await Promise.all(urls.map(async (url) => [url, await failure(outbound, url)]));
    expect(outcomes.filter(([, code]) => code !== 'refused_address')).toEqual([]);
    expect(urls.filter((url) => outbound.objection(url) === undefined)).toEqual([]);
    expect(reached).toBe(before);
  });

  it('the canary counts what does reach it', async () => {
    const before = reached;
    await new Promise<void>((resolve) => {
      const socket = connect(canaryPort, '127.0.0.1', () => resolve(void socket.destroy()));
    });
    await createOutbound({ allow: [`127.0.0.1:${canaryPort}`] }).fetch(`http://127.0.0.1:${canaryPort}/`);
    await expect.poll(() => reached).toBe(before + 2);
  });

  it('refuse a name when any address of it is private', async () => {
    const before = reached;
    const addresses = [...Object.values(RANGES).flat(), ...IPV6, '::ffff:127.0.0.1'];
    const names = new Map<string, string[]>();
    addresses.forEach((address, i) => {
      names.set(`only${i}.test`, [address]);
      names.set(`mixed${i}.test`, ['3ffe::1', address]);
      names.set(`first${i}.test`, [address, '3ffe::1']);
    });
    const outbound = createOutbound({ allow: [], resolve: async (name) => names.get(name) ?? [] });
    const outcomes = await Promise.all(
      [...names.keys()].map(async (name) => [
        name,
        await failure(outbound, `https://${name}:${canaryPort}/`),
      ]),
    );
    expect(outcomes.filter(([, code]) => code !== 'refused_address')).toEqual([]);
    expect(reached).toBe(before);
  });

  it('ask for the address once a connection, so that a name cannot change its mind in between', async () => {
    const before = reached;
    let asked = 0;
    // 3ffe::/16 was returned: public by number, but not routed anywhere.
    const outbound = createOutbound({
      allow: [],
      resolve: async () => (asked++ === 0 ? ['3ffe::1'] : ['127.0.0.1']),
    });
    const url = `https://rebind.test:${canaryPort}/`;
    expect(['connect', 'timeout']).toContain(await failure(outbound, url, { timeoutMs: 500 }));
    expect(asked).toBe(1);
    expect(await failure(outbound, url)).toBe('refused_address');
    expect(reached).toBe(before);
  });

  it('do not follow a redirect unless asked to, and check where it leads', async () => {
    const before = reached;
    const hop = createServer((request, reply) => {
      const to = new URL(request.url!, 'http://x').searchParams.get('to');
      if (to) reply.writeHead(302, { location: to }).end();
      else reply.end(`arrived, Host ${request.headers.host}`);
    });
    const port = await listen(hop);
    const outbound = createOutbound({ allow: [`hop.localhost:${port}`], resolve: async () => ['127.0.0.1'] });
    const via = (to: string) => `http://hop.localhost:${port}/?to=${encodeURIComponent(to)}`;
    const inside = [
      `http://127.0.0.1:${canaryPort}/`,
      `https://127.0.0.1:${canaryPort}/`,
      `https://[::1]:${canaryPort}/`,
      `https://inner.test:${canaryPort}/`,
      'file:///etc/passwd',
      'http://2130706433/',
      `http://localhost:${canaryPort}/`,
      `//0x7f.1:${canaryPort}/`,
    ];
    for (const to of inside) {
      expect(await failure(outbound, via(to))).toBe('answered 302');
      expect(await failure(outbound, via(to), { redirects: 3, plainHttp: true })).toMatch(
        /^(refused_address|bad_url)$/,
      );
    }
    const followed = await outbound.fetch(via(via('/')), { redirects: 3 });
    expect([followed.status, followed.body.toString()]).toEqual([200, `arrived, Host hop.localhost:${port}`]);
    expect(await failure(outbound, via(via(via(via('/')))), { redirects: 3 })).toBe('answered 302');
    expect(reached).toBe(before);
  });

  it('take https only, no odd ports, no user names, and exceptions to the letter', async () => {
    const before = reached;
    const outbound = createOutbound({
      allow: [`shop.localhost:${canaryPort}`],
      resolve: async () => ['127.0.0.1'],
    });
    const objections = [
      'ftp://example.com/',
      'file:///etc/passwd',
      'gopher://example.com/',
      'javascript:alert(1)',
      'no address',
      '',
      'https://user@example.com/',
      'https://user:secret@example.com/',
      'http://example.com/',
      'https://example.com:22/',
      'https://example.com:25/',
      'https://example.com:80/',
      'https://example.com:587/',
      `http://shop.localhost:${canaryPort + 1}/`,
      `http://shop.localhost.:${canaryPort}/`,
      `http://x.shop.localhost:${canaryPort}/`,
      `http://shop.localhost@127.0.0.1:${canaryPort}/`,
    ];
    for (const url of objections) {
      expect(outbound.objection(url), url).toBeTypeOf('string');
      expect(await failure(outbound, url), url).toMatch(/^(bad_url|refused_address)$/);
    }
    expect(reached).toBe(before);
    expect(outbound.objection('https://example.com/hook')).toBeUndefined();
    expect(outbound.objection('https://example.com:8443/hook')).toBeUndefined();
    expect(outbound.objection('http://example.com/', { plainHttp: true })).toBeUndefined();
    expect(outbound.objection('http://example.com:8080/', { plainHttp: true })).toBe(
      'must use port 80 with http://',
    );
    expect(outbound.objection(`http://Shop.Localhost:${canaryPort}/`)).toBeUndefined();
  });

  it('give up at the deadline: silence, a drip, and a name server that never answers', async () => {
    const silent = createTcpServer(() => {});
    const drip = createServer((_request, reply) => {
      reply.writeHead(200);
      const timer = setInterval(() => reply.write('x'), 20);
      reply.on('close', () => clearInterval(timer));
    });
    const ports = [await listen(silent), await listen(drip)];
    const outbound = createOutbound({
      allow: ports.map((port) => `hook.localhost:${port}`),
      resolve: () => new Promise(() => {}),
    });
    for (const port of ports) {
      expect(await failure(outbound, `http://hook.localhost:${port}/`, { timeoutMs: 300 })).toBe('timeout');
    }
    expect(await failure(outbound, 'https://slow.test/', { timeoutMs: 300 })).toBe('timeout');
  });

  it('read no more of an answer than agreed', async () => {
    let sent = 0;
    const endless = createServer((_request, reply) => {
      const chunk = Buffer.alloc(65_536, 'a');
      const more = () => {
        while (!reply.destroyed) {
          sent += chunk.length;
          if (!reply.write(chunk)) return void reply.once('drain', more);
        }
      };
      more();
    });
    const port = await listen(endless);
    const outbound = createOutbound({ allow: [`hook.localhost:${port}`] });
    const answer = await outbound.fetch(`http://hook.localhost:${port}/`, { maxBytes: 1000 });
    expect([answer.status, answer.body.length, answer.truncated]).toEqual([200, 1000, true]);
    expect(sent).toBeLessThan(50_000_000);
    const headers = createServer((_request, reply) =>
      reply.writeHead(200, { big: 'x'.repeat(200_000) }).end(),
    );
    const bigPort = await listen(headers);
    const other = createOutbound({ allow: [`hook.localhost:${bigPort}`] });
    expect(await failure(other, `http://hook.localhost:${bigPort}/`)).toBe('too_large');
  });

  it('verify certificates against the name, and keep name and Host though the address is pinned', async () => {
    const secure = createTlsServer({ key: KEY, cert: CERT }, (request, reply) => {
      reply.end(
        `${request.headers.host} ${(request.socket as unknown as { servername: string }).servername}`,
      );
    });
    const port = await listen(secure);
    const allow = [`hook.localhost:${port}`, `other.localhost:${port}`];
    const url = `https://hook.localhost:${port}/`;
    expect(await failure(createOutbound({ allow }), url)).toBe('tls');
    const trusting = createOutbound({ allow, ca: CERT });
    expect((await trusting.fetch(url)).body.toString()).toBe(`hook.localhost:${port} hook.localhost`);
    expect(await failure(trusting, `https://other.localhost:${port}/`)).toBe('tls');
    expect(await failure(createOutbound({ allow }), `http://hook.localhost:${port}/`)).toMatch(
      /connect|protocol/,
    );
  });

  it('name what went wrong', async () => {
    const garbage = createTcpServer((socket) =>
      socket.on('error', () => {}).once('data', () => socket.end('this is not HTTP\r\n\r\n')),
    );
    const port = await listen(garbage);
    const closed = createTcpServer();
    const closedPort = await listen(closed);
    await new Promise((resolve) => closed.close(resolve));
    const outbound = createOutbound({
      allow: [`hook.localhost:${port}`, `hook.localhost:${closedPort}`],
      resolve: async (name) => {
        if (name === 'gone.test') throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
        return [];
      },
    });
    expect(await failure(outbound, `http://hook.localhost:${port}/`)).toBe('protocol');
    expect(await failure(outbound, `http://hook.localhost:${closedPort}/`)).toBe('connect');
    expect(await failure(outbound, 'https://gone.test/')).toBe('dns');
    expect(await failure(outbound, 'https://empty.test/')).toBe('dns');
  });
});

describe('isPublicAddress', () => {
  it('lets the public internet through, also behind NAT64', () => {
    const open = [
      '1.1.1.1',
      '8.8.8.8',
      '172.32.0.1',
      '100.128.0.1',
      '2606:4700::1111',
      '64:ff9b::808:808',
      '::ffff:8.8.8.8',
    ];
    expect(open.filter((address) => !isPublicAddress(address))).toEqual([]);
  });
  it('refuses what is no address, or one with a zone', () => {
    for (const text of ['', 'example.com', 'fe80::1%eth0', '2606:4700::1111%1', '1.1.1.1.1'])
      expect(isPublicAddress(text)).toBe(false);
  });
});
