import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { until } from './faults/harness.ts';
import { freePort } from './postgres.ts';

const program = process.env.PGBOUNCER_PATH ?? '/usr/sbin/pgbouncer';
/** Whether there is a PgBouncer on this machine; if not, what needs it is skipped, and said to be. */
export const hasPgBouncer = spawnSync(program, ['--version']).status === 0;
if (!hasPgBouncer)
  console.warn(
    `SKIPPED: the database behind PgBouncer, since there is none at ${program} (Debian: apt-get install pgbouncer).`,
  );

/** Answers whether something listens on a port of this machine. */
const listens = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => done(true)).once('error', () => done(false));
    socket.once('connect', () => socket.destroy());
  });

/**
 * Starts PgBouncer in transaction mode in front of a server, as docs/operations.md says.
 * @param url a superuser's connection string of the server; the logins it has now can use the pooler
 * @param connections how many connections to the server each login gets
 */
export async function startPgBouncer(url: string, connections: number) {
  const folder = mkdtempSync(join(tmpdir(), 'lead-pgbouncer-'));
  const { hostname, port: serverPort } = new URL(url);
  const port = await freePort();
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  const { rows } = await admin.query<{ line: string }>(
    `select format('"%s" "%s"', rolname, rolpassword) as line from pg_authid where rolname like 'lead\\_%\\_%' and rolcanlogin`,
  );
  await admin.end();
  const users = join(folder, 'users.txt');
  const settings = join(folder, 'pgbouncer.ini');
  writeFileSync(users, rows.map(({ line }) => `${line}\n`).join(''), { mode: 0o600 });
  writeFileSync(
    settings,
    `[databases]
* = host=${hostname} port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${connections}
max_client_conn = 500
`,
  );
  const nobody = { uid: 65534, gid: 65534 };
  const runAs = process.getuid?.() === 0 ? nobody : {};
  if (runAs === nobody) for (const path of [folder, users, settings]) chownSync(path, nobody.uid, nobody.gid);
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    child = spawn(program, ['--quiet', settings], { ...runAs, cwd: '/', stdio: 'ignore' });
    await until('PgBouncer', () => listens(port));
  };
  const kill = async (): Promise<void> => {
    if (!child) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    child = undefined;
  };
  await start();
  return {
    address: `127.0.0.1:${port}`,
    start,
    kill,
    async close(): Promise<void> {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
