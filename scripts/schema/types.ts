import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';

const root = join(import.meta.dirname, '../..');
/** Types of single columns, by hand. */
const COLUMNS = 'server/platform/db/columns.ts';
export const SCHEMA = 'server/platform/db/schema.ts';

/** What the driver makes of each type (server/platform/db/connect.ts). */
const TYPES: Record<string, string> = {
  bool: 'boolean',
  bytea: 'Buffer',
  cidr: 'string',
  date: 'string',
  float8: 'number',
  inet: 'string',
  int2: 'number',
  int4: 'number',
  int8: 'bigint',
  numeric: 'string',
  text: 'string',
  timestamptz: 'Date',
  uuid: 'string',
};

interface Column {
  table: string;
  name: string;
  /** Of an array, that of its elements. */
  type: string;
  is_array: boolean;
  is_nullable: boolean;
  has_default: boolean;
  /** Never written: generated, or an identity. */
  is_generated: boolean;
  /** The checks of this column alone. */
  checks: string[];
}

/** Tables and their columns, in the order in which they are shown; partitions are like their table. */
const COLUMNS_OF_TABLES = `
  select c.relname as table, a.attname as name, coalesce(e.typname, t.typname) as type, e.oid is not null as is_array,
    not a.attnotnull as is_nullable, a.atthasdef or a.attidentity <> '' as has_default,
    a.attgenerated <> '' or a.attidentity = 'a' as is_generated,
    array(select pg_get_constraintdef(o.oid) from pg_constraint o
          where o.conrelid = c.oid and o.contype = 'c' and o.conkey = array[a.attnum] order by o.conname) as checks
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_type t on t.oid = a.atttypid
  left join pg_type e on e.oid = t.typelem and t.typcategory = 'A'
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm') and not c.relispartition
  order by c.relname collate "C", a.attnum`;

/** A union of the texts that a column can contain, if a check of it alone lists them. */
function union({ checks }: Column): string | undefined {
  for (const check of checks) {
    const list = /^CHECK \(\(\w+ = ANY \(ARRAY\[((?:'[^']*'::text(?:, )?)+)\]\)\)\)$/.exec(check);
    const one = /^CHECK \(\(\w+ = ('[^']*')::text\)\)$/.exec(check);
    if (list) return list[1]!.replaceAll('::text, ', ' | ').replace('::text', '');
    if (one) return one[1];
  }
  return undefined;
}

/** The TypeScript type of a column; those of `byHand` are in columns.ts. */
function typeOf(column: Column, byHand: ReadonlySet<string>): string {
  const name = `${column.table}.${column.name}`;
  const isJson = column.type === 'jsonb';
  if (isJson && !byHand.has(name)) throw new Error(`${name} is JSON: say in ${COLUMNS} what it contains`);
  let type = byHand.has(name) ? `Columns['${name}']` : (union(column) ?? TYPES[column.type]);
  if (!type)
    throw new Error(`${name} has the type ${column.type}, which scripts/schema/types.ts does not know`);
  if (column.is_array) type += '[]';
  if (column.is_nullable) type += ' | null';
  if (isJson) return `${column.has_default ? 'DefaultJson' : 'Json'}<${type}>`;
  if (column.is_generated) return `GeneratedAlways<${type}>`;
  return column.has_default ? `Generated<${type}>` : type;
}

/** Returns the text of schema.ts: the types of the tables of a database, as Kysely wants them. */
export async function schemaTypes(client: pg.Client): Promise<string> {
  const byHand = new Set(
    [...readFileSync(join(root, COLUMNS), 'utf8').matchAll(/^ {2}'(\w+\.\w+)':/gm)].map(([, name]) => name!),
  );
  const columns = (await client.query(COLUMNS_OF_TABLES)).rows as Column[];
  for (const name of byHand)
    if (!columns.some((one) => `${one.table}.${one.name}` === name))
      throw new Error(`${COLUMNS}: there is no column ${name}`);
  const tables = Map.groupBy(columns, ({ table }) => table);
  const text = `// Made by \`npm run schema\` from the tables of the database. Do not edit.
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { Columns } from './columns.ts';

/** Read as a value, and written as JSON.stringify makes it. */
type Json<T> = ColumnType<T, JsonText<T>, JsonText<T>>;
type DefaultJson<T> = ColumnType<T, JsonText<T> | undefined, JsonText<T>>;
type JsonText<T> = null extends T ? string | null : string;

/** Column types of every table (bigint columns are JS bigints, dates 'YYYY-MM-DD', timestamps Date). */
export interface Schema {
${[...tables]
  .map(
    ([table, list]) =>
      `  ${table}: {\n${list.map((one) => `    ${one.name}: ${typeOf(one, byHand)};\n`).join('')}  };\n`,
  )
  .join('')}}
`;
  return execFileSync(
    process.execPath,
    [join(root, 'node_modules/@biomejs/biome/bin/biome'), 'format', `--stdin-file-path=${SCHEMA}`],
    { input: text, cwd: root, encoding: 'utf8' },
  );
}
