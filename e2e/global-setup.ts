import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { embeddedUrl } from '../server/platform/db/embedded.ts';
import setupDatabase from '../server/test/global-setup.ts';
import { createDemo, demoFolder, FAILED_FILE, READY_FILE } from './demo.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of a demo that is started once and stopped, to be copied (`startDemo` waits until it is whole). */
    demoFolder: string;
  }
}

/**
 * Creates the demo that the journeys copy theirs from, so that each one does not have to create a cluster, its tables
 * and its data again. Files that need none of it begin meanwhile.
 * @returns the run's teardown
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const closeDatabase = await setupDatabase(project);
  const folder = demoFolder();
  const created = createDemo(folder)
    .then(async (demo) => {
      const segment = await tidy(folder);
      await demo.stop();
      dropSpareLog(folder, segment);
    })
    .then(
      () => writeFileSync(join(folder, READY_FILE), ''),
      (error) => writeFileSync(join(folder, FAILED_FILE), String(error)),
    );
  project.provide('demoFolder', folder);
  return async () => {
    await created;
    rmSync(folder, { recursive: true, force: true });
    await closeDatabase();
  };
}

/**
 * Does what PostgreSQL would otherwise do in each copy of a demo: its tables have just been filled.
 * @returns the file of its log that is being written
 */
async function tidy(folder: string): Promise<string> {
  const url = new URL(embeddedUrl(join(folder, 'data'))!);
  url.pathname = '/lead';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query('vacuum analyze');
  await client.query('checkpoint');
  const { rows } = await client.query<{ name: string }>(
    'select pg_walfile_name(pg_current_wal_lsn()) as name',
  );
  await client.end();
  return rows[0]!.name;
}

/** Half of a new cluster is files that its log may use later. Without them, a copy creates those that it needs. */
function dropSpareLog(folder: string, segment: string): void {
  const log = join(folder, 'data', 'pg', 'pg_wal');
  if (!existsSync(log)) return;
  // Its last record may be in the file after it.
  const [, ...spare] = readdirSync(log)
    .filter((name) => /^[\dA-F]{24}$/.test(name) && name > segment)
    .sort();
  for (const name of spare) rmSync(join(log, name));
}
