import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { brotliDecompressSync } from 'node:zlib';
import pg from 'pg';
import { from } from 'pg-copy-streams';
import { describe, expect, inject, test } from 'vitest';
import { auditLedger } from '../features/money/ledger/index.ts';
import { ensureDatabase } from '../platform/db/connect.ts';
import { migrate, migrations } from '../platform/db/migrate.ts';

const folder = join(import.meta.dirname, 'data/schemas');
const current = migrations();

/** A demo as left by an earlier version, see data/README.md. */
interface Kept {
  migrations: string[];
  tables: { name: string; columns: string; rows: string[] }[];
}

function read(file: string): Kept {
  const lines = brotliDecompressSync(readFileSync(join(folder, file)))
    .toString()
    .split('\n');
  const [, names] = lines[0]!.split('\t');
  const tables: Kept['tables'] = [];
  for (let at = 1; at < lines.length - 1; ) {
    const [, name, columns, count] = lines[at]!.split('\t');
    const end = at + 1 + Number(count);
    tables.push({ name: name!, columns: columns!, rows: lines.slice(at + 1, end) });
    at = end;
  }
  return { migrations: names!.split(','), tables };
}

/** Creates the version's tables and fills them, in a new database. */
async function load(kept: Kept, database: string): Promise<{ url: string; client: pg.Client }> {
  const admin = new pg.Client({ connectionString: inject('adminUrl') });
  await admin.connect();
  await admin.query(`drop database if exists ${database} with (force)`);
  await admin.end();
  const url = await ensureDatabase(inject('adminUrl'), database);
  await migrate(
    url,
    current.filter(({ name }) => kept.migrations.includes(name)),
  );
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('set session_replication_role = replica');
  for (const { name, columns, rows } of kept.tables) {
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
  return { url, client };
}

const broken = async (client: pg.Client) =>
  (await auditLedger(client)).checks.filter(({ violations }) => violations > 0);

describe('upgrade of a database full of data', () => {
  for (const file of readdirSync(folder)) {
    const kept = read(file);

    test(`with ${file.replace('.br', '').replace('-', ' ')}: at once, one by one, and all or none`, async () => {
      const pending = current.filter(({ name }) => !kept.migrations.includes(name)).map(({ name }) => name);
      const { url, client } = await load(kept, `lead_upgrade_${kept.migrations.length}`);
      const count = async (what: string) =>
        Number((await client.query(`select count(*) as n from ${what}`)).rows[0].n);
      const rows = {
        leads: await count('lead'),
        entries: await count('entry'),
        people: await count('person'),
      };
      expect(Math.min(...Object.values(rows))).toBeGreaterThan(100);

      const bad = {
        name: '9999_bad.sql',
        text: 'update company set name = name; alter table nowhere add x int',
      };
      await expect(migrate(url, [...current, bad])).rejects.toThrow(/Migration 9999_bad\.sql: .*nowhere/);
      expect(await count('migration')).toBe(kept.migrations.length);

      expect(await migrate(url)).toEqual(pending);
      expect(await broken(client)).toEqual([]);
      expect({
        leads: await count('lead'),
        entries: await count('entry'),
        people: await count('person'),
      }).toEqual(rows);
      await client.end();

      // Like an installation that applies every version.
      const steps = await load(kept, `lead_upgrade_${kept.migrations.length}_steps`);
      const applied = new Set(kept.migrations);
      for (const name of pending) {
        applied.add(name);
        expect(
          await migrate(
            steps.url,
            current.filter((one) => applied.has(one.name)),
          ),
        ).toEqual([name]);
      }
      await steps.client.end();
    });
  }
});
