import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import setupDatabase from '../server/test/global-setup.ts';
import { createDemo, demoFolder, FAILED_FILE, onDatabase, READY_FILE } from './demo.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of a demo that is started once and stopped, to be copied (`startDemo` waits until it is whole). */
    demoFolder: string;
    /** The database of that demo, in the run's PostgreSQL. */
    demoDatabase: string;
  }
}

const DATABASE = 'lead_demo';

/**
 * Creates the demo that the journeys copy theirs from, so that each one does not have to create its tables and its data
 * again. Files that need none of it begin meanwhile.
 * @returns the run's teardown
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const closeDatabase = await setupDatabase(project);
  const { adminUrl } = project.getProvidedContext();
  const folder = demoFolder();
  const created = create(adminUrl, folder).then(
    () => writeFileSync(join(folder, READY_FILE), ''),
    (error) => writeFileSync(join(folder, FAILED_FILE), String(error)),
  );
  project.provide('demoFolder', folder);
  project.provide('demoDatabase', DATABASE);
  return async () => {
    await created;
    rmSync(folder, { recursive: true, force: true });
    await closeDatabase();
  };
}

async function create(adminUrl: string, folder: string): Promise<void> {
  await run(adminUrl, `drop database if exists ${DATABASE} with (force)`, `create database ${DATABASE}`);
  const env = onDatabase(adminUrl, DATABASE);
  const demo = await createDemo(folder, env);
  await demo.stop();
  // What PostgreSQL would otherwise do in each copy: its tables have just been filled.
  await run(env.DATABASE_URL, 'vacuum analyze');
}

async function run(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
