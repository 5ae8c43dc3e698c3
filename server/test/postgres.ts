import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** The programs of the oldest PostgreSQL we support, if this machine has them: POSTGRES_15_BIN, or Debian's. */
export const postgres15 = [process.env.POSTGRES_15_BIN, '/usr/lib/postgresql/15/bin'].find(
  (bin) => bin && existsSync(join(bin, 'postgres')),
);

/** Ports of this machine that nothing listens on, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const taken = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(taken.map((one) => once(one, 'listening')));
  const ports = taken.map((one) => (one.address() as AddressInfo).port);
  await Promise.all(taken.map((one) => once(one.close(), 'close')));
  return ports;
}

/** A port of this machine that nothing listens on. */
export const freePort = async (): Promise<number> => (await freePorts(1))[0]!;

/** The user that a PostgreSQL runs as: it refuses to run as root. */
export function postgresUser(): { uid?: number; gid?: number } {
  const id = (flag: string): number => Number(spawnSync('id', [flag, 'postgres']).stdout);
  return process.getuid?.() === 0 ? { uid: id('-u'), gid: id('-g') } : {};
}

/**
 * Starts a PostgreSQL from `bin` on its own cluster, or on an existing one.
 * @param given.settings more settings, `name=value`
 * @returns the superuser's connection string, and how to stop it
 */
export async function startPostgres(
  bin: string,
  given: { settings?: string[]; cluster?: string } = {},
): Promise<{ url: string; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'lead-pg15-'));
  const secret = join(folder, 'password');
  writeFileSync(secret, 'postgres', { mode: 0o600 });
  const runAs = postgresUser();
  if (runAs.uid) for (const path of [folder, secret]) chownSync(path, runAs.uid, runAs.gid!);
  const cluster = given.cluster ?? join(folder, 'cluster');
  const initialize = () =>
    spawnSync(
      join(bin, 'initdb'),
      [
        ...['-D', cluster, '-U', 'postgres', `--pwfile=${secret}`, '-A', 'scram-sha-256', '-E', 'UTF8'],
        ...['--locale=C', '--no-sync'],
      ],
      { ...runAs, cwd: '/', encoding: 'utf8' },
    );
  const made = given.cluster ? undefined : initialize();
  if (made && made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
  const port = await freePort();
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'fsync=off',
    ...(given.settings ?? []),
  ];
  const child = spawn(
    join(bin, 'postgres'),
    ['-D', cluster, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    { ...runAs, cwd: '/', stdio: 'ignore' },
  );
  const ended = once(child, 'exit');
  const url = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`;
  const stop = async (): Promise<void> => {
    child.kill('SIGQUIT');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  for (let wait = 0; ; wait++) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return { url, stop };
    } catch (error) {
      if (wait === 600 || child.exitCode !== null) {
        await stop();
        throw error;
      }
      await sleep(50);
    }
  }
}
