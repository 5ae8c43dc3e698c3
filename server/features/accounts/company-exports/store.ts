import { once } from 'node:events';
import { type Insertable, type RawBuilder, sql, type Updateable } from 'kysely';
import { to as copyTo } from 'pg-copy-streams';
import { LEAST_COUNTED } from '../../../../contract/ads/audience-rules.ts';
import type { Client } from '../../../platform/db/client.ts';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import { type AccountKind, codesOf } from '../../money/ledger/index.ts';
import type { ColumnRule, ExportedTable, RowRule } from './tables.ts';

type Row = Schema['company_export'];

/** Whose data an export has. */
export interface Subject {
  kind: 'agency' | 'client';
  companyId: string;
}

/** An agency or a client that the scope sees, removed ones included. */
export const companyById = (tx: Tx, id: string) =>
  tx
    .selectFrom('company')
    .select(['id', 'root_id', 'agency_id', 'kind', 'name'])
    .where('id', '=', id)
    .where('kind', 'in', ['agency', 'client'])
    .executeTakeFirst();

export async function insertExport(tx: Tx, row: Insertable<Row>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('company_export')
    .values(row)
    .onConflict((c) => c.column('company_id').where('state', 'in', ['queued', 'making', 'held']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

export const exportById = (tx: Tx, id: string, lock = false) =>
  tx
    .selectFrom('company_export')
    .selectAll()
    .where('id', '=', id)
    .$if(lock, (q) => q.forUpdate())
    .executeTakeFirst();

/** The newest exports of a company, and who asked for them. */
export const exportsOf = (tx: Tx, companyId: string, limit: number) =>
  tx
    .selectFrom('company_export as e')
    .leftJoin('user_account as u', 'u.id', 'e.asked_by')
    .select([
      'e.id',
      'e.state',
      'e.created_at',
      'e.finished_at',
      'e.expires_at',
      'e.bytes',
      'e.sha256',
      'e.error',
    ])
    .select(['e.tables', 'u.name as asked_by_name'])
    .where('e.company_id', '=', companyId)
    .where('e.state', '<>', 'removed')
    .orderBy('e.created_at', 'desc')
    .orderBy('e.id')
    .limit(limit)
    .execute();

export async function updateExport(tx: Tx, id: string, set: Updateable<Row>): Promise<void> {
  await tx.updateTable('company_export').set(set).where('id', '=', id).execute();
}

/** Exports of a root that have been kept for long enough. */
export const endedExports = (tx: Tx, rootId: string, at: Date, limit: number) =>
  tx
    .selectFrom('company_export')
    .selectAll()
    .where('root_id', '=', rootId)
    .where('state', '=', 'ready')
    .where('expires_at', '<=', at)
    .orderBy('expires_at')
    .limit(limit)
    .execute();

/** The accounts with a client's own money, and those with its agency's. */
const CLIENT_ACCOUNTS: AccountKind[] = ['client_prepaid', 'client_unbilled', 'client_receivable'];
const AGENCY_ACCOUNTS: AccountKind[] = [
  ...CLIENT_ACCOUNTS,
  'agency_wallet',
  'agency_payable',
  'agency_invoiced',
  'agency_revenue',
];

/** In addition to whose rows they are. The table is `t`. */
function ruleOf(rule: RowRule | undefined, kind: Subject['kind']): RawBuilder<unknown> {
  const own = kind === 'client' ? CLIENT_ACCOUNTS : AGENCY_ACCOUNTS;
  const codes = sql.join(codesOf(...own).map((code) => sql.lit(code)));
  const names = sql.join(own.map((name) => sql.lit(name)));
  switch (rule) {
    case undefined:
      return sql``;
    case 'listedMembers':
      // As in a file for an ad platform: whoever is missing is excluded, so nobody is told of a short list.
      return sql`and not t.is_excluded and t.kind <> 0
        and exists (select from audience a where a.id = t.audience_id and a.size >= ${sql.lit(LEAST_COUNTED)})`;
    case 'ownAccounts':
      return sql`and exists (select from account a where a.id = ${sql.ref('t.account_id')} and a.kind in (${names}))`;
    case 'ownAccount':
      return sql`and t.kind in (${names})`;
    case 'ownEntries':
      return sql`and t.account_code in (${codes})`;
    case 'ownTransfers':
      return sql`and exists (select from entry e where e.transfer_id = t.id and e.account_code in (${codes}))`;
    case 'ownInvoices':
      return kind === 'client' ? sql`and t.side = 'retail'` : sql``;
  }
}

/** A JSON object without the values that are named like secrets. */
const scrubbed = (column: string) => sql`(select coalesce(jsonb_object_agg(k.key, k.value), '{}')
  from jsonb_each(case when jsonb_typeof(${sql.ref(`t.${column}`)}) = 'object' then ${sql.ref(`t.${column}`)} else '{}' end) k
  where k.key !~* '(sealed|secret|password|token|key)')`;

/** A source that names a file of the root’s, in the text of a JSON value: quotes within its strings are escaped. */
const FILE_SOURCE = '"source": "import: (?:[^"\\\\]|\\\\.)*"';

/** Whether an answer came through a connection that the transaction sees. Its scope does not see its agency’s. */
const isOwnAnswer = (table: ExportedTable) =>
  sql`${table.name === 'delivery' ? sql`t.integration_id` : sql`(select d.integration_id from delivery d where d.id = t.delivery_id)`} in (
    select i.id from integration i where i.connection_id is null or i.connection_id in (select c.id from connection c))`;

/** A column as the screens show it. `o.is_own`: whether an answer is told. */
const shownAs = (rule: ColumnRule, of: RawBuilder<unknown>): RawBuilder<unknown> =>
  rule === 'sources'
    ? sql`regexp_replace(${of}::text, ${sql.lit(FILE_SOURCE)}, '"source": "import"', 'g')::json`
    : sql`case when o.is_own then ${of} end`;

/** The columns of a table that an export has, besides `company_id`. */
export const columnsOf = (table: ExportedTable, kind: Subject['kind']): string[] => [
  ...table.columns,
  ...(kind === 'agency' ? table.agencyOnly : []),
];

const ofSubject = (table: ExportedTable, { kind, companyId }: Subject) => {
  const column = kind === 'agency' ? 'agency_id' : table.name === 'company' ? 'id' : 'company_id';
  return sql`where ${sql.ref(`t.${column}`)} = ${sql.lit(companyId)} ${ruleOf(table.rows, kind)}`;
};

const CURSOR = 'exported';
/** How many rows are in memory at once, and how many files. */
const ROWS = 500;

/** A line of a table: a row as JSON, and the lead whose person it names. */
export interface Line {
  line: string;
  lead: string;
}

async function* fetched<T>(tx: Tx, query: RawBuilder<unknown>, count: number): AsyncGenerator<T[]> {
  await sql`declare ${sql.id(CURSOR)} no scroll cursor for ${query}`.execute(tx);
  for (;;) {
    const { rows } = await sql<T>`fetch ${sql.lit(count)} from ${sql.id(CURSOR)}`.execute(tx);
    if (rows.length > 0) yield rows;
    if (rows.length < count) break;
  }
  await sql`close ${sql.id(CURSOR)}`.execute(tx);
}

/** The rows of a table as `r`. The scope of the transaction decides what is seen, the subject besides. */
function rowsOf(table: ExportedTable, subject: Subject): RawBuilder<unknown> {
  const columns = columnsOf(table, subject.kind).map((column) =>
    column === table.scrubbed
      ? sql`${scrubbed(column)} as ${sql.id(column)}`
      : table.shown?.[column]
        ? sql`${shownAs(table.shown[column], sql.ref(`t.${column}`))} as ${sql.id(column)}`
        : sql.ref(`t.${column}`),
  );
  const owner = table.name === 'company' ? [] : [sql.ref('t.company_id')];
  // Once for a row, however many of its columns ask.
  const own = Object.values(table.shown ?? {}).includes('ownAnswers')
    ? sql`cross join lateral (select ${isOwnAnswer(table)} as is_own offset 0) o`
    : sql``;
  return sql`(select ${sql.join([...owner, ...columns])} from ${sql.table(table.name)} t ${own} ${ofSubject(table, subject)}) r`;
}

/** The rows of a table that names leads, a few hundred at a time: between them, the transaction can ask other things. */
export const linesOf = (tx: Tx, table: ExportedTable, subject: Subject): AsyncGenerator<Line[]> =>
  fetched<Line>(
    tx,
    sql`select row_to_json(r)::text as line, ${sql.ref(`r.${table.lead}`)}::text as lead from ${rowsOf(table, subject)}`,
    ROWS,
  );

const LINE_FEED = 10;

/**
 * The rows of a table as lines, by COPY: a few at a time, whole ones, with how many they are. However many there are, no
 * more are in memory. `client` must be the connection of `tx`, which can do nothing else until the end.
 */
export async function* copiedLinesOf(
  tx: Tx,
  client: Client,
  table: ExportedTable,
  subject: Subject,
): AsyncGenerator<{ text: Buffer; rows: number }> {
  // JSON has none of these two characters, so nothing is quoted.
  const { sql: text } =
    sql`copy (select row_to_json(r)::text from ${rowsOf(table, subject)}) to stdout (format csv, quote e'\\x01', delimiter e'\\x02')`.compile(
      tx,
    );
  const copy = client.query(copyTo(text));
  let isOver = false;
  for (const event of ['end', 'error'])
    copy.once(event, () => {
      isOver = true;
    });
  try {
    let rest: Buffer = Buffer.alloc(0);
    for await (const chunk of copy.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      const end = chunk.lastIndexOf(LINE_FEED) + 1;
      const lines = end === 0 ? chunk : chunk.subarray(0, end);
      const whole = rest.length === 0 ? lines : Buffer.concat([rest, lines]);
      rest = end === 0 ? whole : chunk.subarray(end);
      if (end > 0) yield { text: whole, rows: count(whole) };
    }
  } finally {
    // The connection is of no use until everything has been received.
    if (!isOver) {
      copy.resume();
      await once(copy, 'end').catch(() => {});
    }
  }
}

function count(text: Buffer): number {
  let lines = 0;
  for (let at = text.indexOf(LINE_FEED); at !== -1; at = text.indexOf(LINE_FEED, at + 1)) lines++;
  return lines;
}

/** Everyone whose exclusion lists apply to leads of the subject: its root, companies, and campaigns. */
export async function listOwners(tx: Tx, subject: Subject): Promise<string[]> {
  const column = subject.kind === 'agency' ? sql`agency_id` : sql`company_id`;
  const { rows } = await sql<{ id: string }>`
    select distinct unnest(array[root_id, agency_id, company_id, id]) as id from campaign where ${column} = ${subject.companyId}`.execute(
    tx,
  );
  return rows.map(({ id }) => id);
}

/** The files of a table, one at a time. */
export async function* filesOf(
  tx: Tx,
  table: ExportedTable,
  subject: Subject,
): AsyncGenerator<{ id: string; bytes: Buffer }> {
  const query = sql`select t.id::text as id, ${sql.ref(`t.${table.file}`)} as bytes from ${sql.table(table.name)} t ${ofSubject(table, subject)}`;
  for await (const rows of fetched<{ id: string; bytes: Buffer | null }>(tx, query, 1))
    for (const { id, bytes } of rows) if (bytes) yield { id, bytes };
}

/** Prepares a transaction for reading many rows: times are written in UTC, and a large table may take its time. */
export async function readAtLength(tx: Tx): Promise<void> {
  await sql`set local time zone 'UTC'`.execute(tx);
  await sql`set local statement_timeout = '6h'`.execute(tx);
}
