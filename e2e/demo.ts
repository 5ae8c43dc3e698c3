import { type ChildProcess, fork, spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { ROOMY } from '../scripts/roomy.mjs';
import { createTestDatabase } from '../server/test/database.ts';
import { PATIENCE_MS } from './patience.ts';

/** A separate demo installation: the real server on a free port, with a database of its own. */
export interface Demo {
  port: number;
  password: string;
  dataDir: string;
  url: (host: string, path?: string) => string;
  close: () => Promise<void>;
}

/** One that has a process of its own, and an embedded PostgreSQL if none is given. */
export interface OwnDemo extends Demo {
  /** The server's output. */
  output: () => string;
  /** Presses Ctrl-C; returns the exit code. */
  stop: () => Promise<number | null>;
  /** Restarts on the same folder and port. */
  start: () => Promise<void>;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0);
  await new Promise((done) => probe.once('listening', done));
  const { port } = probe.address() as { port: number };
  await new Promise((done) => probe.close(done));
  return port;
}

/** The settings of a demo in a given database. */
export const onDatabase = (url: string) => ({ DATABASE_URL: url, SEED: 'demo' });

/**
 * Starts a copy of the run's demo and waits until it serves requests.
 * @throws what prevented it
 */
export async function startDemo(env: Record<string, string> = {}): Promise<Demo> {
  const dataDir = demoFolder();
  await copyDemo(inject('demoFolder'), dataDir);
  const database = await createTestDatabase(inject('adminUrl'), inject('demoDatabase'));
  const remove = async (): Promise<void> => {
    rmSync(dataDir, { recursive: true, force: true });
    await database.drop();
  };
  const port = await freePort();
  try {
    await ask({ start: environment(dataDir, port, { ...onDatabase(database.url), ...env }) });
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    ...reached(dataDir, port),
    close: () => ask({ stop: true }).finally(remove),
  };
}

/** What the process that runs the demos (host.ts) is asked; it responds with why it could not, or nothing. */
export type Asked = { start: Record<string, string> } | { stop: true };

let host: ChildProcess | undefined;

function hostOfWorker(): ChildProcess {
  if (host) return host;
  const child = fork(join(import.meta.dirname, 'host.ts'), {
    cwd: ROOT,
    execArgv: ROOMY,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  child.once('exit', () => {
    if (host === child) host = undefined;
  });
  host = child;
  return child;
}

/** Asks the process that runs this worker's demos, one after the other: their modules are loaded once. */
async function ask(asked: Asked): Promise<void> {
  const child = hostOfWorker();
  let printed = '';
  const listen = (chunk: Buffer) => (printed += chunk);
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', listen);
  const failed = await new Promise<string | undefined>((done) => {
    const ended = () => done('Its process has ended.');
    child.once('exit', ended);
    child.once('message', (said: { failed?: string }) => {
      child.off('exit', ended);
      done(said.failed);
    });
    child.send(asked, (error) => error && done(error.message));
  });
  for (const stream of [child.stdout!, child.stderr!]) stream.off('data', listen).resume();
  if (failed)
    throw new Error(`The demo did not ${'start' in asked ? 'start' : 'stop'}: ${failed}\n${printed}`);
}

/** In the folder of the demo that others are copied from, once it is whole; otherwise, why there is none. */
export const READY_FILE = 'ready';
export const FAILED_FILE = 'failed';

/** Copies the files of the demo that the run has created, once it is whole. */
async function copyDemo(folder: string, dataDir: string): Promise<void> {
  while (!existsSync(join(folder, READY_FILE))) {
    const failed = join(folder, FAILED_FILE);
    if (existsSync(failed)) throw new Error(readFileSync(failed, 'utf8'));
    await new Promise((done) => setTimeout(done, 200));
  }
  cpSync(join(folder, 'data'), join(dataDir, 'data'), { recursive: true });
}

/**
 * Creates a folder that PostgreSQL's system user can traverse, so that a demo run by root also keeps its data in it.
 */
export function demoFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lead-demo-'));
  chmodSync(folder, 0o711);
  return folder;
}

const ROOT = join(import.meta.dirname, '..');

const environment = (dataDir: string, port: number, env: Record<string, string>) => ({
  // A whole month at least, with what is billed for it.
  DEMO_DAYS: '35',
  DATA_DIR: join(dataDir, 'data'),
  PORT: String(port),
  ...env,
});

const reached = (dataDir: string, port: number) => ({
  port,
  password: readFileSync(join(dataDir, 'data', 'demo-password'), 'utf8').trim(),
  dataDir,
  url: (host: string, path = '/') => `http://${host}:${port}${path}`,
});

/**
 * Starts a demo in an empty folder, as a first-time user does: in a process of its own, which creates it.
 * @throws with its output when it exits, or does not serve in time
 */
export async function createDemo(dataDir: string, env: Record<string, string> = {}): Promise<OwnDemo> {
  const port = await freePort();
  let child: ChildProcess;
  let printed = '';
  const start = async (): Promise<void> => {
    printed = '';
    child = spawn(process.execPath, ['server/main.ts'], {
      cwd: ROOT,
      env: { ...process.env, ...environment(dataDir, port, env) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (printed += chunk));
    const until = Date.now() + 4 * PATIENCE_MS;
    while (!printed.includes('Press Ctrl-C to stop')) {
      if (child.exitCode !== null || Date.now() > until) {
        child.kill();
        throw new Error(`The demo did not start:\n${printed}`);
      }
      await new Promise((done) => setTimeout(done, 100));
    }
  };
  const stop = async (): Promise<number | null> => {
    if (child.exitCode !== null) return child.exitCode;
    const ended = new Promise<number | null>((done) => child.once('exit', done));
    child.kill('SIGINT');
    return ended;
  };
  await start();
  return {
    ...reached(dataDir, port),
    output: () => printed,
    stop,
    start,
    async close() {
      await stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
