import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { type Embedded, startEmbedded } from '../platform/db/embedded.ts';
import { prepareTestDatabases } from './template.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Connection string of a superuser of the run's own PostgreSQL. */
    adminUrl: string;
  }
}

/**
 * Gives every test run a PostgreSQL: a throw-away one of our own, or that of TEST_DATABASE_URL (with a superuser's
 * credentials). Tests get it through `inject('adminUrl')`.
 * @returns the run's teardown
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let server: Embedded | undefined;
  let folder: string | undefined;
  let adminUrl = process.env.TEST_DATABASE_URL;
  if (!adminUrl) {
    folder = mkdtempSync(join(tmpdir(), 'lead-platform-test-'));
    server = await startEmbedded({ dataDir: folder, ephemeral: true, log: () => {} });
    adminUrl = server.url;
  }
  const close = async () => {
    await server?.stop('immediate');
    if (server) rmSync(join(server.cluster, '..'), { recursive: true, force: true });
    if (folder) rmSync(folder, { recursive: true, force: true });
  };
  try {
    await prepareTestDatabases(adminUrl);
  } catch (error) {
    await close();
    throw error;
  }
  project.provide('adminUrl', adminUrl);
  return close;
}
