import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { embeddedUrl } from '../server/platform/db/embedded.ts';
import setupDatabase from '../server/test/global-setup.ts';
import { demoFolder, FAILED_FILE, READY_FILE, runDemo } from './demo.ts';

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
  const created = runDemo(folder, {})
    .then(async (demo) => {
      await tidy(folder);
      await demo.stop();
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

/** Does what PostgreSQL would otherwise do in each copy of a demo: its tables have just been filled. */
async function tidy(folder: string): Promise<void> {
  const url = new URL(embeddedUrl(join(folder, 'data'))!);
  url.pathname = '/lead';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query('vacuum analyze');
  await client.end();
}
