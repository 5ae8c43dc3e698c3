import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { PATIENCE_MS } from './patience.ts';

/**
 * A separate demo installation: the real server process on a free port, with an embedded PostgreSQL in a new folder.
 */
export interface Demo {
  port: number;
  password: string;
  dataDir: string;
  /** The server's output. */
  output: () => string;
  url: (host: string, path?: string) => string;
  /** Presses Ctrl-C; returns the exit code. */
  stop: () => Promise<number | null>;
  /** Restarts on the same folder and port. */
  start: () => Promise<void>;
  close: () => Promise<void>;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0);
  await new Promise((done) => probe.once('listening', done));
  const { port } = probe.address() as { port: number };
  await new Promise((done) => probe.close(done));
  return port;
}

/**
 * Starts a separate demo for the journey and waits until it serves requests.
 * @param isFirst on an empty folder, as for a first-time user; otherwise on a copy of one that was started before
 * @throws with its output when it exits, or does not serve in time
 */
export async function startDemo(env: Record<string, string> = {}, isFirst = false): Promise<Demo> {
  const dataDir = demoFolder();
  if (!isFirst) await copyDemo(inject('demoFolder'), dataDir);
  return runDemo(dataDir, env);
}

/** In the folder of the demo that others are copied from, once it is whole; otherwise, why there is none. */
export const READY_FILE = 'ready';
export const FAILED_FILE = 'failed';

/**
 * Copies the demo that the run has created, waiting until it is whole. Where it is not in its folder, nothing is copied,
 * and the copy is created anew.
 */
async function copyDemo(folder: string, dataDir: string): Promise<void> {
  while (!existsSync(join(folder, READY_FILE))) {
    const failed = join(folder, FAILED_FILE);
    if (existsSync(failed)) throw new Error(readFileSync(failed, 'utf8'));
    await new Promise((done) => setTimeout(done, 200));
  }
  // If PostgreSQL's user cannot reach the folder, its data is stored elsewhere and tied to the folder's path.
  if (!existsSync(join(folder, 'data', 'pg'))) return;
  // With owners and modes: the cluster belongs to PostgreSQL's user, and no one else may read it.
  spawnSync('cp', ['-a', join(folder, 'data'), dataDir]);
}

/**
 * Creates a folder that PostgreSQL's system user can traverse, so that a demo run by root also keeps its data in it.
 */
export function demoFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lead-demo-'));
  chmodSync(folder, 0o711);
  return folder;
}

/** Starts the server on a folder, as startDemo does, but without choosing the folder. */
export async function runDemo(dataDir: string, env: Record<string, string>): Promise<Demo> {
  const port = await freePort();
  let child: ChildProcess;
  let printed = '';
  const start = async (): Promise<void> => {
    printed = '';
    child = spawn(process.execPath, ['server/main.ts'], {
      cwd: join(import.meta.dirname, '..'),
      env: {
        ...process.env,
        // A whole month at least, with what is billed for it.
        DEMO_DAYS: '35',
        DATA_DIR: join(dataDir, 'data'),
        PORT: String(port),
        ...env,
      },
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
    port,
    password: readFileSync(join(dataDir, 'data', 'demo-password'), 'utf8').trim(),
    dataDir,
    output: () => printed,
    url: (host, path = '/') => `http://${host}:${port}${path}`,
    stop,
    start,
    async close() {
      await stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
