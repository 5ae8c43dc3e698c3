import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import setupDatabase from '../server/test/global-setup.ts';
import { demoFolder, runDemo } from './demo.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of a demo that was started once and stopped, to be copied; empty if there is no such demo. */
    demoFolder: string;
  }
}

/**
 * Creates the demo that the journeys copy theirs from, so that each one does not have to create a cluster, its tables
 * and its data again.
 * @returns the run's teardown
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = demoFolder();
  const [database, demo] = await Promise.allSettled([
    setupDatabase(project),
    runDemo(folder, {}).then((one) => one.stop()),
  ]);
  const close = async () => {
    rmSync(folder, { recursive: true, force: true });
    if (database.status === 'fulfilled') await database.value();
  };
  for (const one of [database, demo])
    if (one.status === 'rejected') {
      await close();
      throw one.reason;
    }
  // If PostgreSQL's user cannot reach the folder, its data is stored elsewhere and tied to the folder's path.
  project.provide('demoFolder', existsSync(join(folder, 'data', 'pg')) ? folder : '');
  return close;
}
