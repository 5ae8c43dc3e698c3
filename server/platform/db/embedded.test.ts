import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Embedded, startEmbedded } from './embedded.ts';

const asRoot = process.getuid?.() === 0;
let folder: string;
let open: Embedded[];
let lines: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'embedded-'));
  chmodSync(folder, 0o755);
  open = [];
  lines = [];
});

afterEach(async () => {
  for (const server of open) await server.stop('immediate');
  rmSync(folder, { recursive: true, force: true });
});

async function start(dataDir = join(folder, 'data')): Promise<Embedded> {
  const server = await startEmbedded({ dataDir, log: (line) => lines.push(line) });
  open.push(server);
  return server;
}

async function query(server: { url: string }, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: server.url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await what())) await sleep(50);
}

/** Starts the server from a separate process, as `npm start` does. */
async function startElsewhere(dataDir: string) {
  const module = fileURLToPath(new URL('./embedded.ts', import.meta.url));
  const program = `const { startEmbedded } = await import(${JSON.stringify(module)});
    const server = await startEmbedded({ dataDir: ${JSON.stringify(dataDir)}, log: () => {} });
    console.log(JSON.stringify({ url: server.url, pid: server.pid }));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = await once(child.stdout, 'data');
  return { child, ...(JSON.parse(String(said)) as { url: string; pid: number }) };
}

describe('embedded PostgreSQL', () => {
  it('keeps data, port and password over stop and start, durable and with checksums', async () => {
    const first = await start();
    await query(first, 'create table kept as select 42 as n');
    await first.stop();
    expect(alive(first.pid)).toBe(false);
    const second = await start();
    expect(second.url).toBe(first.url);
    expect(await query(second, 'select n from kept')).toEqual([{ n: 42 }]);
    const settings = await query(
      second,
      `select name, setting from pg_settings where name in
       ('fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums', 'server_encoding') order by name`,
    );
    expect(settings).toEqual([
      { name: 'data_checksums', setting: 'on' },
      { name: 'fsync', setting: 'on' },
      { name: 'full_page_writes', setting: 'on' },
      { name: 'server_encoding', setting: 'UTF8' },
      { name: 'synchronous_commit', setting: 'on' },
    ]);
    expect(await query(second, `select lower('ÄÖÜÉ') as low`)).toEqual([{ low: 'äöüé' }]);
  });

  it('starts again on the same port after kill -9 of the postmaster', async () => {
    const server = await start();
    await query(server, 'create table kept as select 1 as n');
    const killed = server.pid;
    process.kill(killed, 'SIGKILL');
    await until(() => server.pid !== killed);
    expect(await query(server, 'select n from kept')).toEqual([{ n: 1 }]);
  });

  it('restarts on the same port', async () => {
    const server = await start();
    await query(server, 'create table kept as select 1 as n');
    await server.restart('immediate');
    expect(await query(server, 'select n from kept')).toEqual([{ n: 1 }]);
  });

  it('is reached by TCP where there can be no socket', async () => {
    const first = await start();
    const { port, searchParams } = new URL(first.url);
    expect(searchParams.get('host')).toBe(first.cluster);
    await first.stop();
    mkdirSync(join(first.cluster, `.s.PGSQL.${port}`));
    const second = await start();
    expect(new URL(second.url).searchParams.has('host')).toBe(false);
    expect(await query(second, 'select 1 as n')).toEqual([{ n: 1 }]);
  });

  it('refuses a wrong password', async () => {
    const server = await start();
    const url = new URL(server.url);
    url.password = 'wrong';
    await expect(query({ url: url.href }, 'select 1')).rejects.toThrow('password authentication failed');
  });

  it('refuses a second server on the same folder and names the setting', async () => {
    await start();
    await expect(start()).rejects.toThrow(/^DATA_DIR: .* is in use by another server/);
  });

  it('ends PostgreSQL when its owner is killed, and the next start finds the data', async () => {
    const dataDir = join(folder, 'data');
    const other = await startElsewhere(dataDir);
    await query(other, 'create table kept as select 7 as n');
    other.child.kill('SIGKILL');
    await once(other.child, 'exit');
    const server = await start(dataDir);
    expect(await query(server, 'select n from kept')).toEqual([{ n: 7 }]);
    await until(() => !alive(other.pid));
  });

  it('recovers when owner and postmaster are killed at once', async () => {
    const dataDir = join(folder, 'data');
    const other = await startElsewhere(dataDir);
    await query(other, 'create table kept as select 9 as n');
    other.child.kill('SIGKILL');
    process.kill(other.pid, 'SIGKILL');
    await once(other.child, 'exit');
    const server = await start(dataDir);
    expect(await query(server, 'select n from kept')).toEqual([{ n: 9 }]);
  });

  it('sets a new password when the kept one was lost', async () => {
    const first = await start();
    await query(first, 'create table kept as select 3 as n');
    await first.stop();
    rmSync(join(folder, 'data/postgresql.json'));
    expect(await query(await start(), 'select n from kept')).toEqual([{ n: 3 }]);
  });

  it.skipIf(!asRoot)(
    'as root, moves the data away from a closed folder, says so and finds it again',
    async () => {
      chmodSync(folder, 0o700);
      const first = await start();
      const away = dirname(first.cluster);
      try {
        expect(away).toMatch(/^\/var\/lib\//);
        expect(lines.join('\n')).toContain(first.cluster);
        await query(first, 'create table kept as select 5 as n');
        await first.stop();
        chmodSync(folder, 0o755);
        // The folder itself records its cluster: it may be renamed, and a copy is told apart from it.
        renameSync(join(folder, 'data'), join(folder, 'renamed'));
        const renamed = await start(join(folder, 'renamed'));
        expect(await query(renamed, 'select n from kept')).toEqual([{ n: 5 }]);
        expect(existsSync(join(folder, 'renamed/pg'))).toBe(false);
        await renamed.stop();
        cpSync(join(folder, 'renamed'), join(folder, 'copy'), { recursive: true });
        await expect(start(join(folder, 'copy'))).rejects.toThrow(
          /^DATA_DIR: .* is a copy of .*npm run backup/,
        );
        rmSync(away, { recursive: true });
        await expect(start(join(folder, 'renamed'))).rejects.toThrow(/^DATA_DIR: .* which is gone/);
      } finally {
        for (const server of open) await server.stop('immediate');
        rmSync(away, { recursive: true, force: true });
      }
    },
  );
});
