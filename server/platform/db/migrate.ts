import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { unusedSince } from './contracts.ts';
import { connectionOf } from './hosts.ts';
import { makeRoles } from './rights.ts';

const folder = join(import.meta.dirname, '../../migrations');

/** A migration file: its name and its text. */
export interface Migration {
  name: string;
  text: string;
}

/** The migrations of this version, in order. The first, the baseline, is a folder with a file for each area. */
export function migrations(): Migration[] {
  return readdirSync(folder)
    .filter((name) => /^\d{4}_[a-z0-9_]+(\.sql)?$/.test(name))
    .sort()
    .map((name) => ({ name, text: textOf(join(folder, name)) }));
}

function textOf(path: string): string {
  if (!statSync(path).isDirectory()) return readFileSync(path, 'utf8');
  const files = readdirSync(path).filter((name) => name.endsWith('.sql'));
  return files
    .sort()
    .map((name) => readFileSync(join(path, name), 'utf8'))
    .join('\n');
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Where version 0.1.0 left a database: the last of its migrations, which the baseline replaces, and a hash of them all. */
const BEFORE = {
  version: '0.1.0',
  baseline: '0001_baseline',
  last: '0227_attention.sql',
  hash: '352a3dd3822eedc99f0651d2739561050da3181fbbd7e12927be643f3f35eafe',
};

interface Applied {
  name: string;
  hash: string;
  /** Null in a database that does not keep it yet. */
  is_contract: boolean | null;
}

/**
 * Returns the migrations that the database has. One that stands where version 0.1.0 left it has the same schema as the
 * baseline makes (server/test/upgrade.test.ts), so the baseline is recorded in place of that version's migrations.
 * @throws Error if the database is older, or if a migration of that version was edited
 */
async function takeOver(client: pg.Client, known: Migration[]): Promise<Applied[]> {
  const applied: Applied[] = (
    await client.query(
      `select name, hash, (to_jsonb(m) ->> 'is_contract')::boolean as is_contract from migration m order by name collate "C"`,
    )
  ).rows;
  const baseline = known.find(({ name }) => name === BEFORE.baseline);
  const former = applied.filter(({ name }) => name <= BEFORE.last && name !== BEFORE.baseline);
  const last = former.at(-1)?.name;
  if (!baseline || !last) return applied;
  if (last !== BEFORE.last)
    throw new Error(
      `The database is at migration ${last}, which is older than version ${BEFORE.version} left it. ` +
        `Start version ${BEFORE.version} once, then this version. Nothing was changed.`,
    );
  if (hashOf(former.map(({ name, hash }) => `${name} ${hash}\n`).join('')) !== BEFORE.hash)
    throw new Error(`A migration of version ${BEFORE.version} was edited after it was applied`);
  const { rows } = await client.query(
    `with former as (delete from migration where name = any($1) returning applied_at)
     insert into migration (name, hash, applied_at) select $2, $3, min(applied_at) from former returning name, hash, false as is_contract`,
    [former.map(({ name }) => name), baseline.name, hashOf(baseline.text)],
  );
  return [...rows, ...applied.filter((one) => !former.includes(one))];
}

/**
 * Migrates the database at `adminUrl` to this version, in one transaction, and returns the names applied now. Safe to
 * run from several processes at once (advisory lock). Everything is owned by the role lead_owner, which no one connects
 * as. A newer version's database is left as it is, if its migrations only added to it. Throws if the database is older than
 * version 0.1.0 left it, if an applied migration was edited since, or if a newer version took something away from it.
 * Then nothing has changed.
 * @param known the migrations of the version; other lists are for tests of upgrades
 * @throws MissingRights
 */
export async function migrate(adminUrl: string, known = migrations()): Promise<string[]> {
  const client = new pg.Client(connectionOf(adminUrl));
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

    // All or none: if one fails, the previous version still fits the database.
    await client.query('begin');
    const found = await takeOver(client, known);
    const applied = new Map(found.map(({ name, hash }) => [name, hash]));
    const newer = found.filter(({ name }) => !known.some((one) => one.name === name));
    const contract = newer.find((one) => one.is_contract !== false);
    if (contract)
      throw new Error(
        `The database has migration ${contract.name}, which this version does not recognize and cannot run with. ` +
          'Start the version that made it, or a newer one. Nothing was changed.',
      );
    const pending = known.filter(({ name, text }) => {
      if (!applied.has(name)) return true;
      if (applied.get(name) !== hashOf(text))
        throw new Error(`Migration ${name} was edited after it was applied`);
      return false;
    });
    if (newer[0] && pending[0])
      throw new Error(
        `The database has migration ${newer[0].name}, which this version does not recognize, but not ${pending[0].name}. ` +
          'They belong to different versions, and neither is newer. Nothing was changed.',
      );
    for (const { name, text } of pending) {
      try {
        // What a migration changes in tables with data is checked at once: tables with pending checks cannot be
        // altered.
        await client.query('set constraints all immediate');
        await client.query(text);
        await client.query('insert into migration (name, hash) values ($1, $2)', [name, hashOf(text)]);
        if (unusedSince(text))
          await client.query('update migration set is_contract = true where name = $1', [name]);
      } catch (error) {
        throw new Error(`Migration ${name}: ${(error as Error).message}`, { cause: error });
      }
    }
    await client.query('commit');
    return pending.map(({ name }) => name);
  } finally {
    // Rolls back what was not committed.
    await client.end();
  }
}

type Query = (text: string, values?: unknown[]) => Promise<{ rows: unknown[] }>;

/** Returns whether every migration of this version has been applied, using the given query function. */
export async function isMigrated(query: Query): Promise<boolean> {
  const { rows } = await query(`select migrations_applied() as applied`);
  return Number((rows[0] as { applied: number }).applied) >= migrations().length;
}

/** Returns a migration of a newer version that took something away that this one uses; null if there is none. */
export async function outdatedBy(query: Query): Promise<string | null> {
  const { rows } = await query(`select contracts_unknown($1) as name limit 1`, [
    migrations().map(({ name }) => name),
  ]);
  return (rows[0] as { name: string } | undefined)?.name ?? null;
}
