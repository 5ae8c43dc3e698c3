import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { makeRoles } from './rights.ts';

const folder = join(import.meta.dirname, '../../migrations');

/** A migration file: its name and its text. */
export interface Migration {
  name: string;
  text: string;
}

/** The migrations of this version, in order. */
export function migrations(): Migration[] {
  return readdirSync(folder)
    .filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name))
    .sort()
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Migrates the database at `adminUrl` to this version, in one transaction, and returns the names applied now. Safe to
 * run from several processes at once (advisory lock). Everything is owned by the role lead_owner, which no one connects
 * as. Throws if an applied migration was edited since, or if the database is newer than this version.
 * @param known the migrations of the version; other lists are for tests of upgrades
 * @throws MissingRights
 */
export async function migrate(adminUrl: string, known = migrations()): Promise<string[]> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { server_version_num } = (await client.query('show server_version_num')).rows[0];
    if (Number(server_version_num) < 150000) {
      throw new Error(`DATABASE_URL: PostgreSQL 15 or newer is required, but this is ${server_version_num}`);
    }
    // Roles belong to the cluster: two databases of one cluster may be set up at the same time.
    await client.query(`select pg_advisory_lock(hashtext('lead_migrate'))`);
    await makeRoles(client);
    await client.query(`set role lead_owner`);
    await client.query(`create table if not exists migration
      (name text primary key, hash text not null, applied_at timestamptz not null default now())`);

    const applied = new Map<string, string>(
      (await client.query('select name, hash from migration')).rows.map((row) => [row.name, row.hash]),
    );
    for (const name of applied.keys()) {
      if (!known.some((m) => m.name === name))
        throw new Error(`The database has migration ${name}, which this version does not recognize`);
    }
    const pending = known.filter(({ name, text }) => {
      if (!applied.has(name)) return true;
      if (applied.get(name) !== hashOf(text))
        throw new Error(`Migration ${name} was edited after it was applied`);
      return false;
    });
    // All or none: if one fails, the previous version still fits the database.
    await client.query('begin');
    for (const { name, text } of pending) {
      try {
        // What a migration changes in tables with data is checked at once: tables with pending checks cannot be
        // altered.
        await client.query('set constraints all immediate');
        await client.query(text);
        await client.query('insert into migration (name, hash) values ($1, $2)', [name, hashOf(text)]);
      } catch (error) {
        await client.query('rollback');
        throw new Error(`Migration ${name}: ${(error as Error).message}`, { cause: error });
      }
    }
    await client.query('commit');
    return pending.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

/** Returns whether every migration of this version has been applied, using the given query function. */
export async function isMigrated(query: (text: string) => Promise<{ rows: unknown[] }>): Promise<boolean> {
  const { rows } = await query(`select migrations_applied() as applied`);
  return Number((rows[0] as { applied: number }).applied) >= migrations().length;
}
