import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { PATIENCE_MS } from './patience.ts';

/** A demo installation of its own: the real server process on a free port, with an embedded PostgreSQL in a new folder. */
export interface Demo {
  port: number;
  password: string;
  dataDir: string;
  /** What the server has printed. */
  output: () => string;
  url: (host: string, path?: string) => string;
  /** Ctrl-C; answers the exit code. */
  stop: () => Promise<number | null>;
  /** Starts again on the same folder and port. */
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
 * Starts a demo of the journey's own and waits until it serves.
 * @param isFirst on an empty folder, as a newcomer would; else on a copy of one that was started before
 * @throws with what it printed when it ends, or does not serve in time
 */
export async function startDemo(env: Record<string, string> = {}, isFirst = false): Promise<Demo> {
  const dataDir = demoFolder();
  const folder = isFirst ? '' : inject('demoFolder');
  // With owners and modes: PostgreSQL's user has the cluster, and nobody else may read it.
  if (folder) spawnSync('cp', ['-a', join(folder, 'data'), dataDir]);
  return runDemo(dataDir, env);
}

/** A new folder that PostgreSQL's system user can pass through, so that a demo of root's has its data in it, too. */
export function demoFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lead-demo-'));
  chmodSync(folder, 0o711);
  return folder;
}

/** Starts the server on a folder, as startDemo does; apart from the journeys' choice of a folder. */
export async function runDemo(dataDir: string, env: Record<string, string>): Promise<Demo> {
  const port = await freePort();
  let child: ChildProcess;
  let printed = '';
  const start = async (): Promise<void> => {
    printed = '';
    child = spawn(process.execPath, ['server/main.ts'], {
      cwd: join(import.meta.dirname, '..'),
      env: { ...process.env, DATA_DIR: join(dataDir, 'data'), PORT: String(port), ...env },
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
