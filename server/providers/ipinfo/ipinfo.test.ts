import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { CompanyNetworks } from '../../platform/company-network.ts';
import { createOutbound } from '../../platform/outbound.ts';
import { createSandboxNetworks } from '../sandbox-networks/index.ts';
import { createIpinfo } from './index.ts';

/** Answers as IPinfo does: by address, only to its token. */
const ANSWERS: Record<string, [status: number, body: string]> = {
  '203.0.113.5': [
    200,
    '{"ip":"203.0.113.5","country":"de","company":{"name":"Acme GmbH","domain":"ACME.example","type":"business"}}',
  ],
  '203.0.113.6': [
    200,
    '{"ip":"203.0.113.6","country":"US","company":{"name":"Big ISP","domain":"isp.example","type":"isp"}}',
  ],
  '203.0.113.7': [200, '{"ip":"203.0.113.7","country":"US"}'],
  '203.0.113.8': [429, '{"status":429,"error":{"title":"Rate limit exceeded"}}'],
  '203.0.113.9': [200, 'not json'],
  '203.0.113.10': [
    200,
    '{"country":"US","company":{"name":"Ac\\u0000me\\ud83d","domain":"ac\\u0000me.example"}}',
  ],
  '203.0.113.11': [200, `{"company":{"name":"${'x'.repeat(199)}🎉","domain":"x.example"}}`],
  '2001:db8::1': [200, '{"company":{"name":"Six","domain":"six.example"}}'],
};
let server: Server;
let base: string;
let asked: string[] = [];
let now = new Date('2026-03-02T15:00:00Z');
let networks: CompanyNetworks;

beforeAll(async () => {
  server = createServer((request, reply) => {
    const address = decodeURIComponent(request.url!.split('/')[1]!);
    asked.push(address);
    const isKnown = request.headers.authorization === 'Bearer token-1' && request.url!.endsWith('/json');
    const [status, body] = isKnown ? (ANSWERS[address] ?? [404, '{}']) : [403, '{}'];
    reply.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());
beforeEach(() => {
  asked = [];
  networks = make('token-1');
});
const make = (token: string) =>
  createIpinfo({ outbound: createOutbound({ allow: [new URL(base).host] }), base, token, now: () => now });

test('[BEY-21] a business is a company, a provider and an unknown address are none', async () => {
  const found = await networks.lookUp([
    '203.0.113.5',
    '203.0.113.6',
    '203.0.113.7',
    '203.0.113.99',
    '2001:db8::1',
  ]);
  expect(found.get('203.0.113.5')).toEqual({
    name: 'Acme GmbH',
    domain: 'acme.example',
    country: 'DE',
    source: 'IPinfo',
  });
  expect(['203.0.113.6', '203.0.113.7', '203.0.113.99'].map((one) => found.get(one))).toEqual([
    null,
    null,
    null,
  ]);
  expect(found.get('2001:db8::1')).toMatchObject({ domain: 'six.example', country: null });
});

test('[BEY-21] what the database cannot store is not in a name, since a batch of visits is stored at once', async () => {
  const found = await networks.lookUp(['203.0.113.10', '203.0.113.11']);
  expect(found.get('203.0.113.10')).toMatchObject({ name: 'Acme\ufffd', domain: 'acme.example' });
  expect(found.get('203.0.113.11')?.name).toBe(`${'x'.repeat(199)}\ufffd`);
});

test('[BEY-21] an answer is kept for an hour, a failure is none and is asked again', async () => {
  for (let n = 0; n < 2; n++)
    expect([...(await networks.lookUp(['203.0.113.5', '203.0.113.8', '203.0.113.9'])).values()]).toHaveLength(
      3,
    );
  expect(asked.filter((one) => one === '203.0.113.5')).toHaveLength(1);
  expect(asked.filter((one) => one === '203.0.113.8')).toHaveLength(2);
  now = new Date(now.getTime() + 3_700_000);
  await networks.lookUp(['203.0.113.5']);
  expect(asked.filter((one) => one === '203.0.113.5')).toHaveLength(2);
  expect((await make('wrong').lookUp(['203.0.113.5'])).get('203.0.113.5')).toBeNull();
});

test('[BEY-21] a vendor that fails again and again is not asked for a minute, so that no visit waits for it', async () => {
  const failing = Array.from({ length: 200 }, (_, n) => `198.51.100.${n}`);
  for (const address of failing) ANSWERS[address] = [503, '{}'];
  const found = await networks.lookUp(failing);
  expect(found.size).toBe(200);
  expect(new Set(found.values())).toEqual(new Set([null]));
  const first = asked.length;
  // Those that were on their way when the others failed are the only ones beyond.
  expect(first).toBeLessThan(40);
  expect((await networks.lookUp(['203.0.113.5'])).get('203.0.113.5')).toBeNull();
  expect(asked).toHaveLength(first);
  now = new Date(now.getTime() + 61_000);
  expect((await networks.lookUp(['203.0.113.5'])).get('203.0.113.5')).toMatchObject({ country: 'DE' });
});

test('[BEY-21] the sandbox knows made-up companies on addresses that are no one’s, and says that they are', async () => {
  const found = await createSandboxNetworks().lookUp([
    '198.18.33.7',
    '203.0.113.70',
    '8.8.8.8',
    '2001:db8:5a::9',
    'x',
  ]);
  expect(found.get('198.18.33.7')).toMatchObject({ country: 'DE', source: 'Sandbox' });
  expect(found.get('198.18.33.7')!.name).toMatch(/^Sandbox: /);
  expect(found.get('203.0.113.70')?.country).toBe('FR');
  expect(found.get('2001:db8:5a::9')?.domain).toBe('northgate.example');
  expect([found.get('8.8.8.8'), found.get('x')]).toEqual([null, null]);
});
