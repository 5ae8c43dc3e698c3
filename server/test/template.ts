import { randomBytes } from 'node:crypto';
import pg from 'pg';
import '../app.ts'; // Declares the queues.
import { migrate } from '../platform/db/migrate.ts';
import { setUpJobs } from '../platform/jobs.ts';

const template = 'lead_template';

/** Creates the migrated database that every test database is copied from. Called once per test run. */
export async function prepareTestDatabases(adminUrl: string): Promise<void> {
  await admin(adminUrl, `drop database if exists ${template} with (force)`);
  await admin(adminUrl, `create database ${template}`);
  await migrate(databaseUrl(adminUrl, template));
  await setUpJobs(databaseUrl(adminUrl, template));
}

/**
 * Creates a migrated, empty database for one test file.
 * @param adminUrl `inject('adminUrl')`
 * @returns its connection string (superuser) and a function that removes it
 */
export async function createTestDatabase(
  adminUrl: string,
): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `lead_test_${randomBytes(5).toString('hex')}`;
  await admin(adminUrl, `create database ${name} template ${template} strategy file_copy`);
  return {
    url: databaseUrl(adminUrl, name),
    drop: () => admin(adminUrl, `drop database if exists ${name} with (force)`),
  };
}

function databaseUrl(adminUrl: string, name: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function admin(adminUrl: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
