import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildSdk } from '../../../../scripts/sdk/build.ts';
import { PASSWORD, type TestApp, testApp } from '../../../test/app.ts';
import type { Company } from '../../../test/factories.ts';
import { EXAMPLE_ORIGIN, GUIDES } from './guides.ts';

const run = promisify(execFile);
/** Examples that are not run: the client is installed from the folder it was built into. */
const NOT_RUN = 'install';

interface Example {
  guide: string;
  language: 'sh' | 'ts';
  /** What is expected of it, after its language. */
  how: string;
  code: string;
}
const examples: Example[] = GUIDES.flatMap(({ name, text }) =>
  [...text.matchAll(/^```(sh|ts) ?(\w*)\n([^`]+(?:`[^`]+`[^`]*)*?)^```$/gm)].map(
    ([, language, how, code]) => ({
      guide: name,
      language: language as 'sh' | 'ts',
      how: how!,
      code: code!,
    }),
  ),
);

let app: TestApp;
let acme: Company;
let ownerId: string;
let folder: string;
let origin: string;
let key: { secret: string; clientId: string };
let receiver: { port: number; process?: ChildProcess };

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
const env = (more: Record<string, string> = {}) => ({
  PATH: process.env.PATH ?? '',
  HOME: folder,
  LEAD_API_KEY: key.secret,
  LEAD_CLIENT_ID: key.clientId,
  ...more,
});
const here = (code: string) => code.replaceAll(EXAMPLE_ORIGIN, origin);

/** Runs an example as someone who copies it would. */
async function runExample({ language, how, code }: Example, at: number): Promise<string> {
  if (language === 'sh') {
    // A refused request fails the command, unless that is what it shows.
    const strict = how === 'fails' ? '' : 'curl() { command curl --fail-with-body "$@"; }\n';
    const { stdout } = await run('sh', ['-euc', strict + here(code)], { cwd: folder, env: env() });
    return stdout;
  }
  const file = join(folder, `${at}.ts`);
  writeFileSync(file, here(code));
  const { stdout } = await run(process.execPath, ['--disable-warning=ExperimentalWarning', file], {
    cwd: folder,
    env: env(),
  });
  return stdout;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lead-guides-test-'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  await buildSdk(join(folder, 'sdk'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(folder, 'sdk'), join(folder, 'node_modules/lead-api-client'));
  receiver = { port: await freePort() };
  app = await testApp({ outboundExceptions: [`hooks.localhost:${receiver.port}`] });
  // Signatures are checked against the real time.
  app.clock.advance(Date.now() - app.clock.now().getTime());
  const root = await app.make.root({ host: 'root.test', isMaster: true });
  acme = await app.make.agency(root, { host: 'localhost' });
  ownerId = (await app.make.user(acme, { email: 'ann@x.test', password: PASSWORD })).id;
  await app.make.developer(acme, ownerId);
  key = await app.make.apiKey(acme, ownerId, { mode: 'test' });
  await app.server.listen({ port: 0, host: '127.0.0.1' });
  origin = `http://localhost:${(app.server.server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  receiver.process?.kill();
  await app?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('[DEV-04] the guides', () => {
  test('have an example in both languages each, about what they explain', () => {
    expect(GUIDES.map(({ name }) => name)).toEqual([
      'authentication',
      'first-lead',
      'pagination',
      'errors',
      'idempotency',
      'webhooks',
      'versions',
    ]);
    for (const { name, text } of GUIDES) {
      const ofIt = examples.filter(({ guide }) => guide === name);
      expect(ofIt.length, name).toBe(text.split(/^```/gm).length >> 1);
      expect(ofIt.map(({ language }) => language)).toContain('sh');
      if (name !== 'versions') expect(ofIt.map(({ language }) => language)).toContain('ts');
      expect(text).not.toContain('{{');
    }
  });

  test.each(
    examples
      .map((example, at) => [`${example.guide} ${at} (${example.language})`, example, at] as const)
      .filter(([, { how }]) => how !== NOT_RUN && how !== 'receiver'),
  )('%s runs as it is', async (_name, example, at) => {
    // A key's bucket is refilled while the clock moves on.
    app.clock.advance(1_000);
    const told = await runExample(example, at);
    expect(told.trim()).not.toBe('');
    if (example.how === 'fails') expect(told).toContain('"status":422');
    if (example.guide === 'idempotency')
      expect(told.toLowerCase()).toMatch(/idempotency-replayed: true|true true/);
    if (example.guide === 'first-lead') expect(told).toMatch(/"person":|Made [0-9a-f-]{36}/);
  });

  test('the receiver of webhooks takes a message that is signed, and no other', async () => {
    const { code } = examples.find(({ how }) => how === 'receiver')!;
    const made = await app.call('POST', '/v1/webhook-endpoints', {
      host: 'localhost',
      token: key.secret,
      body: { url: `http://hooks.localhost:${receiver.port}/`, types: ['*'] },
    });
    const { id, secret } = made.body as unknown as { id: string; secret: string };
    writeFileSync(join(folder, 'receiver.ts'), here(code));
    receiver.process = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', join(folder, 'receiver.ts')],
      {
        env: env({ WEBHOOK_SECRET: secret, PORT: String(receiver.port) }),
        stdio: 'inherit',
      },
    );
    const send = (headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${receiver.port}/`, { method: 'POST', body: '{}', headers }).then(
        ({ status }) => status,
        () => 0,
      );
    const forged = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}`,
    };
    await expect.poll(() => send(forged), { timeout: 10_000 }).toBe(401);
    const { body } = await app.call('POST', `/v1/webhook-endpoints/${id}/test`, {
      host: 'localhost',
      token: key.secret,
      body: { type: 'lead.accepted' },
    });
    expect(body).toMatchObject({ status: 'delivered', tries: [{ status: 204 }] });
  });
});
