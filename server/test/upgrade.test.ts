import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { brotliDecompressSync } from 'node:zlib';
import pg from 'pg';
import { from } from 'pg-copy-streams';
import { describe, expect, inject, test } from 'vitest';
import { auditLedger } from '../features/money/ledger/index.ts';
import { ManualClock } from '../platform/clock.ts';
import { ensureDatabase } from '../platform/db/connect.ts';
import { type Migration, migrate, migrations } from '../platform/db/migrate.ts';
import { setUpJobs } from '../platform/jobs.ts';
import { testApp } from './app.ts';
import { createTestDatabase } from './database.ts';
import { describeSchema } from './describe-schema.ts';

const folder = join(import.meta.dirname, 'data/schemas');
const read = (file: string): string => brotliDecompressSync(readFileSync(join(folder, file))).toString();

/** The migrations of version 0.1.0, which the baseline replaced. */
const former: Migration[] = JSON.parse(read('0.1.0-migrations.json.br'));
const current = migrations();

/** A demo as left by an earlier version, see data/README.md. */
interface Kept {
  migrations: Migration[];
  tables: { name: string; columns: string; rows: string[] }[];
}

function readKept(file: string): Kept {
  const lines = read(file).split('\n');
  const names = lines[0]!.split('\t')[1]!.split(',');
  const tables: Kept['tables'] = [];
  for (let at = 1; at < lines.length - 1; ) {
    const [, name, columns, count] = lines[at]!.split('\t');
    const end = at + 1 + Number(count);
    tables.push({ name: name!, columns: columns!, rows: lines.slice(at + 1, end) });
    at = end;
  }
  return { migrations: [...former, ...current].filter(({ name }) => names.includes(name)), tables };
}

/** Creates a database as the given migrations make it. */
async function create(
  name: string,
  known: Migration[],
): Promise<{ url: string; client: pg.Client; drop: () => Promise<void> }> {
  const drop = async () => {
    const admin = new pg.Client({ connectionString: inject('adminUrl') });
    await admin.connect();
    await admin.query(`drop database if exists ${name} with (force)`);
    await admin.end();
  };
  await drop();
  const url = await ensureDatabase(inject('adminUrl'), name);
  await migrate(url, known);
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return { url, client, drop };
}

/** Fills the tables of a database. */
async function fill(client: pg.Client, { tables }: Kept): Promise<void> {
  await client.query('set session_replication_role = replica');
  for (const { name, columns, rows } of tables) {
    await client.query(`delete from ${name}`);
    const day = columns.split(',').indexOf({ visit: 'day', signal: 'at' }[name] ?? '');
    if (day >= 0) {
      const days = rows.map((row) => row.split('\t')[day]!.slice(0, 10)).sort();
      await client.query(`call ensure_${name}_partitions('${days[0]}', '${days.at(-1)}')`);
    }
    const text = rows.map((row) => `${row}\n`);
    await pipeline(Readable.from(text), client.query(from(`copy ${name} (${columns}) from stdin`)));
  }
  await client.query('reset session_replication_role');
}

/** The schema of a database that this version made. */
async function schemaOfNew(): Promise<string[]> {
  const { url, drop } = await createTestDatabase(inject('adminUrl'));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const facts = await describeSchema(client);
  await client.end();
  await drop();
  return facts;
}

const list = async (client: pg.Client, text: string): Promise<unknown[]> =>
  (await client.query({ text, rowMode: 'array' })).rows.map(([value]) => value);
const sizes = (client: pg.Client): Promise<unknown[]> =>
  list(
    client,
    'select count(*) from lead union all select count(*) from entry union all select count(*) from person',
  );
const applied = (client: pg.Client): Promise<unknown[]> =>
  list(client, 'select name from migration order by name');

describe('an upgrade of a database full of data', () => {
  for (const file of readdirSync(folder).filter((name) => !name.includes('migrations'))) {
    const version = file.replace('.br', '');
    const kept = readKept(file);
    const names = current.map(({ name }) => name);
    const had = new Set(kept.migrations.map(({ name }) => name));
    // Of a version from before the baseline, the baseline itself is not run.
    const pending = names.filter((name, at) => !had.has(name) && !(at === 0 && version === '0.1.0'));

    test(`from ${version}: all or none, and then the same schema as a new one, whole books, and people who sign in`, async () => {
      const it = await create('lead_upgrade', kept.migrations);
      const { url, client } = it;
      await fill(client, kept);
      const before = await sizes(client);
      expect(Math.min(...before.map(Number))).toBeGreaterThan(100);

      const bad = {
        name: '9999_bad.sql',
        text: 'update company set name = name; alter table nowhere add x int',
      };
      await expect(migrate(url, [...current, bad])).rejects.toThrow(/Migration 9999_bad\.sql: .*nowhere/);
      expect(await applied(client)).toEqual([...had]);

      expect(await migrate(url)).toEqual(pending);
      expect(await migrate(url)).toEqual([]);
      expect(await applied(client)).toEqual(names);
      expect(await sizes(client)).toEqual(before);
      expect((await auditLedger(client)).checks.filter(({ violations }) => violations > 0)).toEqual([]);
      expect(await describeSchema(client)).toEqual(await schemaOfNew());

      const [newest] = await list(client, 'select max(created_at) from lead');
      await client.end();
      await setUpJobs(url);
      const app = await testApp({ database: it, clock: new ManualClock((newest as Date).toISOString()) });
      try {
        const token = await app.signIn('client@demo.test', 'acme.localhost');
        const leads = '/api/leadspeek/report/lead?PerPage=5';
        const { body } = await app.call('GET', leads, { host: 'acme.localhost', token });
        expect(body.data).toHaveLength(5);
      } finally {
        await app.close();
      }
    });

    test(`from ${version}: one by one`, async () => {
      // Like an installation that applies every version.
      const { url, client, drop } = await create('lead_upgrade_steps', kept.migrations);
      await fill(client, kept);
      const known = current.filter(({ name }) => !pending.includes(name));
      for (const one of current.filter(({ name }) => pending.includes(name))) {
        known.push(one);
        expect(await migrate(url, known)).toEqual([one.name]);
      }
      await client.end();
      await drop();
    });
  }
});

describe('a database from before version 0.2.0', () => {
  test('that is older than 0.1.0 left it is refused, with the version that brings it there, and left as it is', async () => {
    const { url, client, drop } = await create('lead_upgrade_older', former.slice(0, 12));
    const before = await describeSchema(client);
    await expect(migrate(url)).rejects.toThrow(
      'The database is at migration 0012_grants.sql, which is older than version 0.1.0 left it. ' +
        'Start version 0.1.0 once, then this version. Nothing was changed.',
    );
    expect(await describeSchema(client)).toEqual(before);
    expect(await applied(client)).toEqual(former.slice(0, 12).map(({ name }) => name));
    await client.end();
    await drop();
  });

  test('whose migrations were edited after they were applied is refused', async () => {
    const { url, client, drop } = await create('lead_upgrade_edited', []);
    await client.query(
      `insert into migration (name, hash) select name, encode(sha256(convert_to(text, 'UTF8')), 'hex')
       from jsonb_to_recordset($1) as one (name text, text text)`,
      [JSON.stringify([...former.slice(1), { ...former[0]!, text: 'select 1' }])],
    );
    await expect(migrate(url)).rejects.toThrow(
      'A migration of version 0.1.0 was edited after it was applied',
    );
    await client.end();
    await drop();
  });
});
