import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startEmbedded } from '../../platform/db/embedded.ts';
import { migrate } from '../../platform/db/migrate.ts';
import { setUpJobs } from '../../platform/jobs.ts';
import { openStage } from '../stage.ts';
import { type FaultRun, randomFrom, sendVisits, until } from './harness.ts';

/** What visitors and the load balancer saw while the database was down and came back. */
export interface DatabaseReport {
  acknowledged: number;
  /** Acknowledged, but missing. */
  lost: string[];
  rows: number;
  /** 503 responses, and how many of them lacked Retry-After. */
  turnedAway: number;
  unhelpful: number;
  /** Any other response to POST /v; 0: the connection broke. */
  unexpected: [status: number, count: number][];
  /** The status changes of /readyz (the last seven). */
  ready: number[];
  /** Whether the process lived on, and was ready again after each restart. */
  alive: boolean;
  readyAgain: boolean;
  said: string;
}

/** A throw-away server acknowledges commits before its log is written; here they must survive a crash. */
async function keepCommits(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('alter database postgres set synchronous_commit = on');
  await client.end();
}

/** Crashes PostgreSQL (immediate shutdown: no checkpoint, recovery on startup) under load, `kills` times. */
export async function restartDatabase({ kills, seed, log }: FaultRun): Promise<DatabaseReport> {
  const random = randomFrom(seed);
  const folder = mkdtempSync(join(tmpdir(), 'lead-fault-database-'));
  const database = await startEmbedded({ dataDir: folder, ephemeral: true, log: () => {} });
  try {
    await migrate(database.url);
    await keepCommits(database.url);
    await setUpJobs(database.url);
    const stage = await openStage({ databaseUrl: database.url });
    try {
      const { siteKey } = await stage.make.campaign(
        await stage.make.client(await stage.make.agency(await stage.make.root())),
      );
      const server = await stage.start('main');
      const ready: number[] = [];
      const readiness = async (): Promise<number> => {
        const status = await fetch(`http://127.0.0.1:${server.port}/readyz`).then(
          (answer) => answer.status,
          () => 0,
        );
        if (ready.at(-1) !== status) ready.push(status);
        return status;
      };
      await until('the server to be ready', async () => (await readiness()) === 200);
      const visitors = sendVisits(() => server, siteKey, 12);
      const { log: seen } = visitors;
      let readyAgain = true;
      for (let kill = 1; kill <= kills; kill++) {
        const before = seen.acknowledged.size;
        await until('visits to be taken', () => seen.acknowledged.size > before + 20);
        await sleep(random() * 300);
        let back = false;
        const restarted = database.restart('immediate').then(() => {
          back = true;
        });
        while (!back) {
          await readiness();
          await sleep(20);
        }
        await restarted;
        await until('the server to be ready again', async () => (await readiness()) === 200, 30).catch(() => {
          readyAgain = false;
        });
        log?.(
          `restart ${kill} of ${kills}: ${seen.acknowledged.size} visits acknowledged, ${seen.answers.get(503) ?? 0} turned away`,
        );
      }
      const before = seen.acknowledged.size;
      await until('visits to be taken again', () => seen.acknowledged.size > before + 20);
      await visitors.stop();
      const alive = server.alive();
      const { rows } = await stage.admin.query<{ id: string }>('select event_id as id from visit');
      const there = new Set(rows.map((row) => row.id));
      const said = server.said();
      await server.stop();
      return {
        acknowledged: seen.acknowledged.size,
        lost: [...seen.acknowledged].filter((id) => !there.has(id)),
        rows: rows.length,
        turnedAway: seen.answers.get(503) ?? 0,
        unhelpful: seen.unhelpful,
        unexpected: [...seen.answers].filter(([status]) => status !== 204 && status !== 503),
        ready: ready.slice(-7),
        alive,
        readyAgain,
        said: said.slice(-2000),
      };
    } finally {
      await stage.close();
    }
  } finally {
    await database.stop('immediate');
    rmSync(join(database.cluster, '..'), { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  }
}
