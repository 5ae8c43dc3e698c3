import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDiskFull, onceAMinute } from '../disk.ts';
import { findPlace, type Place } from './embedded-place.ts';
import { lockFolder } from './folder-lock.ts';

/** How PostgreSQL ends: `fast` drops connections and writes a checkpoint; `immediate` is a crash with recovery. */
export type StopMode = 'fast' | 'immediate';

/** A running PostgreSQL that this process manages. */
export interface Embedded {
  /** Connection string of the superuser `postgres` for the database `postgres`. */
  readonly url: string;
  /** Process id of the postmaster. */
  readonly pid: number;
  /**
   * PostgreSQL's data folder, under dataDir or, when running as root with an inaccessible parent folder, under
   * /var/lib.
   */
  readonly cluster: string;
  /** Stops the server and releases the data folder. May be called twice. */
  stop(mode?: StopMode): Promise<void>;
  /** Stops and starts on the same port (for fault tests and maintenance). */
  restart(mode?: StopMode): Promise<void>;
}

/** Options of startEmbedded. */
export interface EmbeddedOptions {
  /** Folder of this installation's data; created if missing. */
  dataDir: string;
  /** Receives log lines for the operator. */
  log: (line: string) => void;
  /** Fixed port; otherwise a free one, the same as last time if it is still free. */
  port?: number;
  /** For tests: nothing is synced to disk, and the server is not restarted when it dies. */
  ephemeral?: boolean;
  /** For tests: more of PostgreSQL's settings, which override ours. */
  settings?: Record<string, string>;
}

interface Kept {
  id: string;
  password: string;
  port: number;
  /** Where the cluster is when it is not in the data folder itself. */
  cluster?: string;
}

const user = 'postgres';
const signals = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const;

/**
 * Starts PostgreSQL 18 from the npm package in `${dataDir}/pg`, on 127.0.0.1 and, for our own connections, on a socket in
 * that folder (see socketFolder), creating the cluster on the first start.
 * An orphan of a killed server is stopped first. When the server dies, it is restarted; when this process dies,
 * however, the server stops.
 * @throws Error with a message for the operator: folder in use, no binaries, no usable system user, server does not
 * start
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { log, ephemeral = false, settings = {} } = options;
  const dataDir = resolve(options.dataDir);
  mkdirSync(dataDir, { recursive: true });
  const unlock = lockFolder(dataDir);
  try {
    const kept = readKept(dataDir);
    const place = findPlace(dataDir, kept, log);
    if (existsSync(place.cluster)) await stopOrphan(place.cluster, log);
    else initialize(place, kept.password, ephemeral);
    if (kept.fresh) setPassword(place, kept.password);
    if (kept.fresh || kept.cluster !== place.away) {
      kept.cluster = place.away;
      writeKept(dataDir, kept);
    }

    const logFile = join(dataDir, 'postgresql.log');
    if (existsSync(logFile) && statSync(logFile).size > 10e6) rmSync(logFile);
    let running: Running;
    let ending = false;
    let port = options.port ?? kept.port;
    for (let attempt = 1; ; attempt += 1) {
      if (!options.port && !(await isFree(port))) port = await freePort();
      try {
        running = await launch(place, logFile, { port, ephemeral, settings });
        break;
      } catch (error) {
        if (attempt === 3 || options.port || !/Address already in use/.test(String(error))) throw error;
      }
    }
    if (port !== kept.port) writeKept(dataDir, { ...kept, port });

    const watch = () => {
      const watched = running;
      void watched.ended.then(async () => {
        for (let wait = 250; !ending && !ephemeral && running === watched; wait = Math.min(wait * 2, 5000)) {
          if (onceAMinute('ended')) log('database: PostgreSQL stopped unexpectedly. Restarting it');
          try {
            const next = await launch(place, logFile, { port, ephemeral, settings });
            if (ending) return await next.stop('fast');
            running = next;
            watch();
          } catch (error) {
            const full = isDiskFull(error) ? `DATA_DIR: the disk of ${dataDir} is full. ` : '';
            if (onceAMinute(`not started ${full}`)) log(`database: ${full}${(error as Error).message}`);
            await sleep(wait);
          }
        }
      });
    };
    watch();
    const onExit = () => running.kill(ephemeral ? 'immediate' : 'fast');
    process.once('exit', onExit);

    let stopped: Promise<void> | undefined;
    return {
      url: urlOf(kept.password, port, running.socket),
      cluster: place.cluster,
      get pid() {
        return running.pid;
      },
      stop(mode = 'fast') {
        ending = true;
        stopped ??= running.stop(mode).then(() => {
          process.off('exit', onExit);
          unlock();
        });
        return stopped;
      },
      async restart(mode = 'fast') {
        if (stopped) throw new Error('The embedded PostgreSQL was stopped permanently.');
        ending = true;
        await running.stop(mode);
        ending = false;
        running = await launch(place, logFile, { port, ephemeral, settings });
        watch();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/**
 * Lets `put` place a cluster for a data folder that has none, to be found by the next start, which gives it its own
 * password.
 */
export async function adoptCluster(
  dataDir: string,
  log: (line: string) => void,
  put: (place: Place) => Promise<void> | void,
): Promise<void> {
  const unlock = lockFolder(dataDir);
  try {
    const kept = {
      id: randomBytes(4).toString('hex'),
      password: '',
      port: 0,
      cluster: undefined as string | undefined,
    };
    const place = findPlace(resolve(dataDir), kept, log);
    await put(place);
    kept.cluster = place.away;
    writeKept(dataDir, kept);
  } finally {
    unlock();
  }
}

/**
 * Lets PostgreSQL recover a cluster from its log, as these settings say, until it accepts writes, and stops it.
 * @returns what PostgreSQL wrote to its log
 * @throws Error with the last lines of that log if it gives up
 */
export async function recoverCluster(
  place: Place,
  logFile: string,
  settings: Record<string, string>,
  ephemeral: boolean,
): Promise<string> {
  const from = existsSync(logFile) ? statSync(logFile).size : 0;
  const running = await launch(place, logFile, {
    port: await freePort(),
    ephemeral,
    settings: { hot_standby: 'off', log_min_messages: 'log', ...settings },
    patience: Number.POSITIVE_INFINITY,
    // Nobody connects.
    withoutSocket: true,
  });
  await running.stop('fast');
  return readFileSync(logFile, 'utf8').slice(from);
}

/** The random name of the installation in a data folder that has a database; a restored one gets another. */
export const installationOf = (dataDir: string): string => readKept(dataDir).id;

/**
 * Returns the connection string of the superuser for the server that is running, or last ran, on this data folder, for
 * tools used alongside the running platform. Undefined if there never was one.
 */
export function embeddedUrl(dataDir: string): string | undefined {
  if (!existsSync(join(dataDir, 'postgresql.json'))) return undefined;
  const { password, port } = readKept(dataDir);
  return urlOf(password, port);
}

function urlOf(password: string, port: number, socket?: string): string {
  const url = `postgres://${user}:${password}@127.0.0.1:${port}/postgres`;
  return socket ? `${url}?host=${encodeURIComponent(socket)}` : url;
}

/** The longest path of a socket, with a margin: macOS allows 104 bytes, Linux 108. */
const SOCKET_BYTES = 100;

/**
 * Where a cluster has its socket, which takes a quarter less time for each statement than TCP: in its own folder, which
 * only its user can enter. Undefined if its path does not fit, or would have to be quoted; there is TCP in any case.
 */
function socketFolder(cluster: string): string | undefined {
  const isFit =
    Buffer.byteLength(join(cluster, '.s.PGSQL.65535')) <= SOCKET_BYTES && /^[\w./-]+$/.test(cluster);
  return process.platform !== 'win32' && isFit ? cluster : undefined;
}

function readKept(dataDir: string): Kept & { fresh: boolean } {
  const file = join(dataDir, 'postgresql.json');
  if (existsSync(file)) {
    const kept: Kept = JSON.parse(readFileSync(file, 'utf8'));
    if (kept.password) return { ...kept, fresh: false };
    const known = { ...kept, password: randomBytes(18).toString('base64url') };
    return { ...known, fresh: true };
  }
  const kept: Kept = {
    id: randomBytes(4).toString('hex'),
    password: randomBytes(18).toString('base64url'),
    port: 0,
  };
  writeKept(dataDir, kept);
  return { ...kept, fresh: existsSync(join(dataDir, 'pg')) };
}

function writeKept(dataDir: string, { id, password, port, cluster }: Kept): void {
  const file = join(dataDir, 'postgresql.json');
  writeFileSync(`${file}.new`, JSON.stringify({ id, password, port, cluster }), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Only what PostgreSQL needs: this process's environment has secrets. */
const environment = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };

/**
 * Creates the cluster next to its final location and moves it there, so that a killed initdb leaves nothing half made.
 */
function initialize({ cluster, bin, runAs }: Place, password: string, ephemeral: boolean): void {
  const fresh = `${cluster}.new`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { mode: 0o700 });
  const secret = mkdtempSync(join(tmpdir(), 'pg-init-'));
  const secretFile = join(secret, 'password');
  writeFileSync(secretFile, password, { mode: 0o600 });
  if (runAs) for (const path of [fresh, secret, secretFile]) chownSync(path, runAs.uid, runAs.gid);
  const made = spawnSync(
    join(bin, 'initdb'),
    [
      `--pgdata=${fresh}`,
      `--username=${user}`,
      `--pwfile=${secretFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // PostgreSQL's own locale: the same on every machine, regardless of what the operating system has installed.
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--data-checksums',
      '--no-instructions',
      ...(ephemeral ? ['--no-sync'] : []),
    ],
    { ...runAs, cwd: '/', env: environment, encoding: 'utf8' },
  );
  rmSync(secret, { recursive: true, force: true });
  if (made.status !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    throw new Error(`initdb failed: ${made.error?.message ?? `${made.stdout}${made.stderr}`.trim()}`);
  }
  renameSync(fresh, cluster);
}

/** Handles a lost password by setting a new one through single-user mode. */
function setPassword({ cluster, bin, runAs }: Place, password: string): void {
  spawnSync(join(bin, 'postgres'), ['--single', '-D', cluster, 'postgres'], {
    ...runAs,
    cwd: '/',
    env: environment,
    input: `ALTER USER ${user} PASSWORD '${password}';\n`,
  });
}

/**
 * Stops a postmaster left in the folder by a killed process, and removes a process id file that no longer refers to a
 * postmaster (ids are reused, in containers nearly always). We hold the folder's lock, so it cannot be anyone else's
 * server.
 */
async function stopOrphan(cluster: string, log: (line: string) => void): Promise<void> {
  const file = join(cluster, 'postmaster.pid');
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  if (!isPostmaster(pid, cluster)) return rmSync(file, { force: true });
  log(`database: stopping PostgreSQL that an earlier start left running (process ${pid})`);
  for (const [signal, seconds] of [
    ['SIGINT', 20],
    ['SIGQUIT', 10],
    ['SIGKILL', 5],
  ] as const) {
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    for (let waited = 0; waited < seconds * 10; waited += 1) {
      if (!isPostmaster(pid, cluster)) return;
      await sleep(100);
    }
  }
}

function isPostmaster(pid: number, cluster: string): boolean {
  if (!(pid > 1)) return false;
  if (process.platform === 'linux') {
    try {
      // The postmaster's working directory is its data folder; that of a zombie cannot be read.
      return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster);
    } catch {
      return false;
    }
  }
  const ps = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  return ps.status === 0 && ps.stdout.includes('postgres') && ps.stdout.includes(cluster);
}

interface Running {
  pid: number;
  /** The folder of its socket, if it has one. */
  socket: string | undefined;
  ended: Promise<void>;
  kill(mode: StopMode): void;
  stop(mode: StopMode): Promise<void>;
}

/** Starts the postmaster and waits until it accepts connections; `patience` times 50 ms at most, or 5 minutes. */
async function launch(
  place: Place,
  logFile: string,
  options: {
    port: number;
    ephemeral: boolean;
    settings: Record<string, string>;
    patience?: number;
    withoutSocket?: boolean;
  },
  tries = 0,
): Promise<Running> {
  const { cluster, bin, runAs } = place;
  const { port, ephemeral, patience = 6000 } = options;
  const from = existsSync(logFile) ? statSync(logFile).size : 0;
  const fd = openSync(logFile, 'a', 0o600);
  // Those of a killed server: it would take the process id in them, used again by another, for that of a rival.
  for (const entry of readdirSync(cluster, { withFileTypes: true }))
    if (entry.name.startsWith('.s.PGSQL.') && !entry.isDirectory())
      rmSync(join(cluster, entry.name), { force: true });
  const socket = options.withoutSocket ? undefined : socketFolder(cluster);
  const settings = Object.entries({
    ...serverSettings(port, ephemeral),
    unix_socket_directories: socket ?? '',
    ...options.settings,
  }).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  // A separate process group: Ctrl-C goes to this process, which stops PostgreSQL after the last request has been
  // answered.
  const child = spawn(join(bin, 'postgres'), ['-D', cluster, ...settings], {
    ...runAs,
    cwd: '/',
    env: environment,
    stdio: ['ignore', fd, fd],
    detached: true,
  });
  closeSync(fd);
  let gone = false;
  const ended = new Promise<void>((done) => {
    child.once('exit', () => done());
    child.once('error', () => done());
  }).then(() => {
    gone = true;
  });
  for (let waited = 0; ; waited += 1) {
    const said = () => readFileSync(logFile, 'utf8').slice(from).trim().split('\n').slice(-5).join('\n');
    if (gone) {
      // A postmaster that was killed is there for a moment, and its children hold on to its shared memory.
      if (
        tries < 150 &&
        /shared memory block [^\n]{0,200} is still in use|lock file "postmaster\.pid" already exists/.test(
          said(),
        )
      ) {
        await sleep(200);
        return launch(place, logFile, options, tries + 1);
      }
      // Not every file system has sockets: those shared with a virtual machine, for one.
      if (socket && said().includes('Unix-domain socket'))
        return launch(place, logFile, { ...options, withoutSocket: true }, tries);
      throw new Error(`PostgreSQL did not start (${logFile}):\n${said()}`);
    }
    if (isReady(cluster, child)) break;
    if (waited > patience) {
      child.kill('SIGQUIT');
      throw new Error(`PostgreSQL is not ready after 5 minutes. See ${logFile}`);
    }
    await sleep(50);
  }
  const pid = child.pid as number;
  const watcher = watchOver(pid, ephemeral ? 'QUIT' : 'INT', place);
  void ended.then(() => watcher.end());
  return {
    pid,
    socket,
    ended,
    kill: (mode) => void (gone || child.kill(signals[mode])),
    async stop(mode) {
      for (const [signal, seconds] of [
        [signals[mode], 60],
        ['SIGQUIT', 15],
        ['SIGKILL', 15],
      ] as const) {
        if (gone) return;
        child.kill(signal);
        await Promise.race([ended, sleep(seconds * 1000, undefined, { ref: false })]);
      }
    },
  };
}

/** Once it accepts connections, PostgreSQL says so in the eighth line of its process id file. */
function isReady(cluster: string, child: ChildProcess): boolean {
  try {
    const lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
    return Number(lines[0]) === child.pid && lines[7]?.trim() === 'ready';
  } catch {
    return false;
  }
}

/**
 * Starts a shell that waits for the end of this process, even by kill -9, and then stops PostgreSQL in an orderly way.
 */
function watchOver(pid: number, signal: string, { runAs }: Place): { end(): void } {
  const shell = spawn('/bin/sh', ['-c', `read -r _; kill -${signal} ${pid}`], {
    ...runAs,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  shell.unref();
  (shell.stdin as unknown as { unref(): void }).unref();
  shell.stdin.on('error', () => {});
  return {
    end() {
      shell.kill('SIGKILL');
      shell.stdin.destroy();
    },
  };
}

/** For a small machine, and durable: whatever has been acknowledged is on disk. */
function serverSettings(port: number, ephemeral: boolean): Record<string, string | number> {
  const durable = ephemeral ? 'off' : 'on';
  return {
    port,
    listen_addresses: '127.0.0.1',
    max_connections: ephemeral ? 200 : 100,
    // An upgrade is one transaction, over tables of hundreds of days.
    max_locks_per_transaction: 256,
    shared_buffers: ephemeral ? '128MB' : '256MB',
    dynamic_shared_memory_type: smallSharedMemory() ? 'mmap' : 'posix',
    max_wal_size: '2GB',
    // What is kept for backups while they cannot be written. Then a new backup is made instead (db/archive.ts).
    max_slot_wal_keep_size: '8GB',
    wal_compression: 'on',
    fsync: durable,
    synchronous_commit: durable,
    full_page_writes: durable,
    checkpoint_timeout: '15min',
    // Tables grow fast here (an import, a day's visits); plans based on yesterday's sizes are bad.
    autovacuum_naptime: ephemeral ? '1min' : '10s',
    random_page_cost: 1.1,
    jit: 'off',
    lc_messages: 'C',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '%m [%p] ',
    log_min_messages: 'warning',
  };
}

/** Containers often have 64 MB of /dev/shm, in which parallel queries fail. */
function smallSharedMemory(): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const { blocks, bsize } = statfsSync('/dev/shm');
    return blocks * bsize < 512 * 1024 * 1024;
  } catch {
    return true;
  }
}

function isFree(port: number): Promise<boolean> {
  if (port === 0) return Promise.resolve(false);
  return new Promise((done) => {
    const server = createServer();
    server.once('error', () => done(false));
    server.listen(port, '127.0.0.1', () => server.close(() => done(true)));
  });
}

function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => done(port));
    });
  });
}
