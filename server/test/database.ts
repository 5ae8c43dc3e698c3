import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** The migrated, empty database that those of tests are copied from (template.ts). */
export const TEMPLATE = 'lead_template';

/**
 * Creates a copy of a database for one test file: a migrated, empty one, if none is named.
 * @param adminUrl `inject('adminUrl')`
 * @returns its connection string (superuser) and a function that removes it
 */
export async function createTestDatabase(
  adminUrl: string,
  template = TEMPLATE,
): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `lead_test_${randomBytes(5).toString('hex')}`;
  await runOn(adminUrl, `create database ${name} template ${template} strategy file_copy`);
  return {
    url: databaseUrl(adminUrl, name),
    drop: () => runOn(adminUrl, `drop database if exists ${name} with (force)`),
  };
}

/** The connection string of another database of the same server. */
export function databaseUrl(adminUrl: string, name: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs one statement on a connection of its own. */
export async function runOn(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
