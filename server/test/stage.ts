import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { createApp } from '../app.ts';
import { loadConfig } from '../platform/config.ts';
import { provisionLogins } from '../platform/db/connect.ts';
import { connectionOf } from '../platform/db/hosts.ts';
import { createFactories } from './factories.ts';

const here = import.meta.dirname;
const entries = { main: join(here, '../main.ts'), app: join(here, 'process.ts') };
const orphan = pathToFileURL(join(here, '../../scripts/orphan.mjs')).href;

/** A process of the platform under test. */
export interface Running {
  pid: number;
  port: number;
  /** Whether it is still running. */
  alive(): boolean;
  /** Its output so far. */
  said(): string;
  /** Shuts it down gracefully. */
  stop(): Promise<void>;
  /** kill -9. */
  kill(): Promise<void>;
}

export type Stage = Awaited<ReturnType<typeof openStage>>;

/**
 * A migrated, empty database with the factories to fill it and real platform processes to run on it, for what cannot be
 * tested within one process: being killed, and being fast.
 * @param given.outbound host:port pairs that deliveries may reach although they are loopback
 * @param given.env settings of every process, this one included
 */
export async function openStage(given: {
  databaseUrl: string;
  outbound?: string[];
  env?: Record<string, string>;
}) {
  const { databaseUrl, outbound = [] } = given;
  const folder = mkdtempSync(join(tmpdir(), 'lead-stage-'));
  const children = new Set<ChildProcess>();
  const env = {
    DATA_DIR: folder,
    DATABASE_URL: databaseUrl,
    SEED: 'none',
    LOG_LEVEL: 'error',
    PORT: '0',
    HOST: '127.0.0.1',
    ROLES: 'web,ingest,worker',
    // Many users sign up at once here, all from this machine.
    SIGNUP_LIMITS: 'browser=100000,address=100000,network=100000,hour=10000000,day=10000000',
    VISIT_LIMITS: 'visitor=100000000,address=100000000,network=100000000,key=100000000',
    ...given.env,
  };
  const config = loadConfig(env);
  const open = async () => {
    const urls = await provisionLogins(databaseUrl, config.appKey);
    return createApp({ config: { ...config, roles: [] }, urls, outboundExceptions: outbound });
  };
  const app = await open();
  // It runs no jobs, but the factories may enqueue some.
  await app.platform.jobs.start();
  await app.features.visits.keepPartitions();
  const admin = new pg.Pool({ ...connectionOf(databaseUrl), max: 2 });
  admin.on('error', () => {});

  return {
    databaseUrl,
    make: createFactories(app.features, app.platform),
    features: app.features,
    platform: app.platform,
    admin,
    /** Returns a single number from the database. */
    async number(text: string): Promise<number> {
      return Number(Object.values((await admin.query(text)).rows[0])[0]);
    },
    /**
     * Starts a process and waits until it listens: 'main' is server/main.ts; 'app' is process.ts, which starts faster
     * and supports `outbound`.
     */
    async start(entry: keyof typeof entries, more: Record<string, string> = {}): Promise<Running> {
      const profile = process.env.BENCH_PROFILE;
      const child = fork(entries[entry], {
        env: {
          ...process.env,
          ...env,
          ...(outbound.length ? { OUTBOUND: outbound.join(',') } : {}),
          ...more,
        },
        execArgv: [
          '--import',
          orphan,
          ...(profile
            ? ['--cpu-prof', `--cpu-prof-dir=${profile}`, `--cpu-prof-name=${more.ROLES}.cpuprofile`]
            : []),
        ],
        silent: true,
      });
      children.add(child);
      let said = '';
      let gone = false;
      const ended = new Promise<void>((done) => {
        child.once('exit', () => {
          gone = true;
          children.delete(child);
          done();
        });
      });
      const port = await new Promise<number>((done, fail) => {
        for (const stream of [child.stdout!, child.stderr!]) {
          stream.on('data', (chunk) => {
            said = (said + chunk).slice(-20_000);
            const found = /Listening\s+http:\/\/[^\s:]+:(\d+)/.exec(said);
            if (found) done(Number(found[1]));
          });
        }
        void ended.then(() => fail(new Error(`The process ended before it listened:\n${said}`)));
      });
      const end = async (signal: NodeJS.Signals): Promise<void> => {
        if (!gone) child.kill(signal);
        await ended;
      };
      return {
        pid: child.pid!,
        port,
        alive: () => !gone,
        said: () => said,
        stop: () => end('SIGTERM'),
        kill: () => end('SIGKILL'),
      };
    },
    async close(): Promise<void> {
      for (const child of children) child.kill('SIGKILL');
      await admin.end();
      await app.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
