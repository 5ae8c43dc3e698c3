import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { backUp, restore } from '../platform/db/backup.ts';
import { type Embedded, startEmbedded } from '../platform/db/embedded.ts';
import { freePort } from './postgres.ts';

const quiet = (): void => {};

/** Asks one server something, on a connection of its own. */
async function ask<Row>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', quiet);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/**
 * Two PostgreSQL servers of which the second has every commit of the first before it is acknowledged, and what a manager
 * such as Patroni does when the first dies: promote the second, and start a new standby in the place of the first.
 */
export async function startDatabasePair() {
  const folder = mkdtempSync(join(tmpdir(), 'lead-pair-'));
  const ports = [await freePort(), await freePort()];
  let made = 0;
  const start = (dataDir: string, port: number, settings: Record<string, string> = {}): Promise<Embedded> =>
    startEmbedded({
      dataDir,
      port,
      ephemeral: true,
      log: quiet,
      settings: { synchronous_commit: 'on', ...settings },
    });
  const newFolder = (): string => {
    made += 1;
    return join(folder, String(made));
  };

  let primaryDir = newFolder();
  let primary = await start(primaryDir, ports[0]!);
  let standby: Embedded | undefined;
  let standbyDir = '';

  /** As root, PostgreSQL keeps its files elsewhere. */
  const remove = (server: Embedded, dataDir: string): void => {
    for (const path of [join(server.cluster, '..'), dataDir]) rmSync(path, { recursive: true, force: true });
  };
  const portOf = (server: Embedded): number => Number(new URL(server.url).port);

  /** Copies the primary and lets the copy follow it. From then on, no commit is acknowledged that it does not have. */
  async function addStandby(): Promise<void> {
    const copy = newFolder();
    standbyDir = newFolder();
    await backUp(primary.url, primaryDir, copy);
    await restore(copy, standbyDir, quiet);
    rmSync(copy, { recursive: true, force: true });
    // Its users are the primary's, with their passwords.
    const { password } = new URL(primary.url);
    const file = join(standbyDir, 'postgresql.json');
    const kept = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...kept, password }));
    const cluster: string = kept.cluster ?? join(standbyDir, 'pg');
    writeFileSync(join(cluster, 'standby.signal'), '');
    writeFileSync(join(cluster, 'postgresql.auto.conf'), '');
    const port = portOf(primary);
    standby = await start(standbyDir, ports.find((one) => one !== port)!, {
      primary_conninfo: `host=127.0.0.1 port=${port} user=postgres password=${password} application_name=second`,
    });
    await ask(primary.url, `alter system set synchronous_standby_names = 'second'`);
    await ask(primary.url, 'select pg_reload_conf()');
    for (;;) {
      const rows = await ask(primary.url, `select from pg_stat_replication where sync_state = 'sync'`);
      if (rows.length > 0) return;
      await sleep(50);
    }
  }

  return {
    /** The address of the server that accepts writes now. */
    primary: () => primary.url,
    standby: () => standby?.url,
    addStandby,
    /** The address of one of its databases, by both hosts: the first is whichever was started first. */
    url(name: string): string {
      const url = new URL(primary.url);
      return `postgres://${url.username}:${url.password}@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/${name}`;
    },
    /**
     * kill -9 of the primary; then the standby is promoted. The pair has no standby until there is a new one.
     * @param whileBack runs while the old primary is back, and takes itself for the primary
     */
    async failOver(whileBack: () => Promise<void>): Promise<void> {
      if (!standby) throw new Error('There is no standby');
      const old = primary;
      process.kill(old.pid, 'SIGKILL');
      const oldDir = primaryDir;
      await ask(standby.url, 'select pg_promote()');
      primary = standby;
      primaryDir = standbyDir;
      standby = undefined;
      await old.restart('immediate');
      await whileBack();
      await old.stop('immediate');
      remove(old, oldDir);
    },
    async close(): Promise<void> {
      await standby?.stop('immediate');
      await primary.stop('immediate');
      if (standby) remove(standby, standbyDir);
      remove(primary, primaryDir);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
