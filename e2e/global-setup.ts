import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { databaseUrl, runOn } from '../server/test/database.ts';
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

/**
 * Creates the demo that the journeys copy theirs from, so that each one does not have to create its tables and its data
 * again. Files that need none of it begin meanwhile.
 * @returns the run's teardown
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const closeDatabase = await setupDatabase(project);
  const { adminUrl } = project.getProvidedContext();
  const folder = demoFolder();
  const database = `lead_demo_${randomBytes(5).toString('hex')}`;
  const created = create(adminUrl, database, folder).then(
    () => writeFileSync(join(folder, READY_FILE), ''),
    (error) => writeFileSync(join(folder, FAILED_FILE), String(error)),
  );
  project.provide('demoFolder', folder);
  project.provide('demoDatabase', database);
  return async () => {
    await created;
    rmSync(folder, { recursive: true, force: true });
    await runOn(adminUrl, `drop database if exists ${database} with (force)`);
    await closeDatabase();
  };
}

async function create(adminUrl: string, database: string, folder: string): Promise<void> {
  await runOn(adminUrl, `create database ${database}`);
  const url = databaseUrl(adminUrl, database);
  const demo = await createDemo(folder, onDatabase(url));
  await demo.stop();
  // What PostgreSQL would otherwise do in each copy: its tables have just been filled.
  await runOn(url, 'vacuum analyze');
}
