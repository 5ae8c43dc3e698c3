import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { auditLedger } from '../features/money/ledger/index.ts';
import { createTestDatabase } from './database.ts';
import { freePort } from './postgres.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
const folder = mkdtempSync(join(tmpdir(), 'lead-demo-'));
const children = new Set<ChildProcess>();

beforeAll(async () => {
  database = await createTestDatabase(inject('adminUrl'));
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

function signIn(port: number, username: string, host: string): Promise<number> {
  return new Promise((done, fail) => {
    const headers = { host, 'content-type': 'application/json' };
    const call = request({ host: '127.0.0.1', port, path: '/api/login', method: 'POST', headers });
    call.on('response', (answer) => done(answer.resume().statusCode!)).on('error', fail);
    call.end(JSON.stringify({ username, password: 'of the demo' }));
  });
}

/** Starts the platform and waits until it prints something. */
async function start(until: RegExp, more: Record<string, string> = {}) {
  const port = await freePort();
  const child = fork(join(import.meta.dirname, '../main.ts'), {
    env: {
      ...process.env,
      ...{ DATABASE_URL: database.url, DATA_DIR: folder, SEED: 'demo', DEMO_DAYS: '10', LOG_LEVEL: 'error' },
      ...{ PORT: String(port), HOST: '127.0.0.1', DEMO_PASSWORD: 'of the demo', ...more },
    },
    silent: true,
  });
  children.add(child);
  let said = '';
  await new Promise<void>((done, fail) => {
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', (chunk) => {
        said += chunk;
        if (until.test(said)) done();
      });
    child.once('exit', () => fail(new Error(`ended:\n${said}`)));
  });
  return { child, port, said: () => said };
}

test('[RUN-01] a demo that was interrupted is made again by the next start, and the other process waits for it', async () => {
  const killed = await start(/ 20%/);
  killed.child.removeAllListeners('exit');
  killed.child.kill('SIGKILL');
  await once(killed.child, 'exit');

  const refused = await start(/SEED: .*interrupted/, { SEED: 'none' });
  await once(refused.child, 'exit');
  expect(refused.child.exitCode).toBe(1);

  const both = await Promise.all([
    start(/to stop/, { ROLES: 'web,ingest' }),
    start(/to stop/, { ROLES: 'web,worker' }),
  ]);
  const said = both.map((one) => one.said()).join('\n');
  expect(said.match(/Recreating it\./g)).toHaveLength(1);
  expect(said.match(/ 100%/g)).toHaveLength(1);
  for (const one of both) {
    for (const [email, host] of [
      ['root@demo.test', 'localhost'],
      ['client@demo.test', 'acme.localhost'],
    ]) {
      const status = await signIn(one.port, email!, host!);
      expect([email, status]).toEqual([email, 200]);
    }
  }
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { checks } = await auditLedger(client);
  // Not those of sandboxes.
  const { rows } = await client.query('select count(*)::int as roots from roots()');
  await client.end();
  expect(checks.filter((check) => check.violations > 0)).toEqual([]);
  expect(rows).toEqual([{ roots: 2 }]);
});
