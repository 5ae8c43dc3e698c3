import '../app.ts'; // Declares the queues.
import { migrate } from '../platform/db/migrate.ts';
import { setUpJobs } from '../platform/jobs.ts';
import { databaseUrl, runOn, TEMPLATE } from './database.ts';

/** Creates the migrated database that every test database is copied from. Called once per test run. */
export async function prepareTestDatabases(adminUrl: string): Promise<void> {
  await runOn(adminUrl, `drop database if exists ${TEMPLATE} with (force)`);
  await runOn(adminUrl, `create database ${TEMPLATE}`);
  await migrate(databaseUrl(adminUrl, TEMPLATE));
  await setUpJobs(databaseUrl(adminUrl, TEMPLATE));
}
