// node scripts/run.mjs scripts/keep-demo.ts FILE: saves the database of DATA_DIR, a small demo, in the form that the
// upgrade tests read (server/test/upgrade.test.ts). Make the demo with DEMO_DAYS=10 and with the application key and
// password of the test app (server/test/app.ts). Of numerous similar rows only some are kept, but the books are whole.
import { writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, constants } from 'node:zlib';
import pg from 'pg';
import { to } from 'pg-copy-streams';
import { loadConfig } from '../server/platform/config.ts';
import { findDatabase } from './find-database.ts';

const SOME_PEOPLE = 'select id from person order by id limit 120';
const SOME_LEADS = 'select id from lead order by id desc limit 120';
const only: Record<string, string> = {
  campaign_refusal: 'limit 120',
  identity_key: `where person_id in (${SOME_PEOPLE})`,
  intent_candidate: `where person_id in (${SOME_PEOPLE})`,
  lead_contact: `where lead_id in (${SOME_LEADS})`,
  lead_data: `where lead_id in (${SOME_LEADS})`,
  mail: 'order by id limit 5',
  person: `where id in (${SOME_PEOPLE})`,
  person_profile: `where person_id in (${SOME_PEOPLE})`,
  signal: 'limit 120',
  signup: 'limit 60',
  visit: 'limit 120',
};
/** What is read instead of a column: nothing looks at the pictures. */
const instead: Record<string, string> = { 'picture.bytes': 'substring(bytes for 64)' };

const file = process.argv[2];
if (!file) throw new Error('FILE is missing.');
const database = await findDatabase(loadConfig({ ...process.env, SEED: 'none' }));
const client = new pg.Client({ connectionString: database.url });
await client.connect();
const { rows: migrations } = await client.query('select name from migration order by name');
const lines = [`migrations\t${migrations.map((row) => row.name).join(',')}\n`];
const { rows: tables } = await client.query(`
  select relname as name, (select array_agg(quote_ident(attname) order by attnum) from pg_attribute
                           where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
  from pg_class c
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relname <> 'migration'
  order by 1`);
for (const { name, columns } of tables as { name: string; columns: string[] }[]) {
  const read = columns.map((column) => instead[`${name}.${column}`] ?? column);
  const rows = await text(
    client.query(to(`copy (select ${read} from ${name} ${only[name] ?? ''}) to stdout`)),
  );
  if (rows) lines.push(`table\t${name}\t${columns}\t${rows.split('\n').length - 1}\n`, rows);
}
await client.end();
await database.close();
const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
writeFileSync(file, brotliCompressSync(lines.join(''), { params }));
process.exit(0);
