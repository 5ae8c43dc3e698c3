import { type Insertable, type RawBuilder, sql, type Updateable } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { Parent } from './tables.ts';

type Import = Schema['company_import'];

/** Whose rows an import makes. */
export interface Owned {
  id: string;
  root_id: string;
  agency_id: string;
  company_id: string;
  company_kind: 'agency' | 'client';
}

export const importById = (tx: Tx, id: string, lock = false) =>
  tx
    .selectFrom('company_import')
    .selectAll()
    .where('id', '=', id)
    .$if(lock, (q) => q.forUpdate())
    .executeTakeFirst();

/** The imports of an archive into a root, the newest first. */
export const importsOf = (tx: Tx, rootId: string, sha256: Buffer) =>
  tx
    .selectFrom('company_import')
    .selectAll()
    .where('root_id', '=', rootId)
    .where('sha256', '=', sha256)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(100)
    .execute();

export async function insertImport(tx: Tx, row: Insertable<Import>): Promise<void> {
  await tx.insertInto('company_import').values(row).execute();
}
export async function updateImport(tx: Tx, id: string, set: Updateable<Import>): Promise<void> {
  await tx.updateTable('company_import').set(set).where('id', '=', id).execute();
}
export async function deleteImport(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('company_import').where('id', '=', id).execute();
}

/** Deletes imports of a root that were begun before an instant and never finished, with their rows. */
export async function deleteAbandoned(tx: Tx, rootId: string, before: Date): Promise<void> {
  await tx
    .deleteFrom('company_import')
    .where('root_id', '=', rootId)
    .where('state', '<>', 'done')
    .where('created_at', '<', before)
    .execute();
}

/** An agency of a root that can receive a client. */
export const agencyById = (tx: Tx, id: string) =>
  tx
    .selectFrom('company')
    .select(['id', 'name'])
    .where('id', '=', id)
    .where('kind', '=', 'agency')
    .where('removed_at', 'is', null)
    .executeTakeFirst();

/** Which of these ids belong to a company of any root. */
export async function companiesThere(tx: Tx, ids: string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select id from companies_there(${ids}::uuid[]) id`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Which of these emails people of the root have. */
export async function takenEmails(tx: Tx, rootId: string, emails: string[]): Promise<string[]> {
  const rows = await tx
    .selectFrom('user_account')
    .select('email')
    .where('root_id', '=', rootId)
    .where('email', 'in', emails)
    .execute();
  return rows.map(({ email }) => email);
}

/** Agencies or clients with a name, next to which one of the same name would come. */
export async function namesakes(tx: Tx, parentId: string, name: string): Promise<number> {
  const { count } = await tx
    .selectFrom('company')
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .where('parent_id', '=', parentId)
    .where('removed_at', 'is', null)
    .where(sql<boolean>`lower(name) = lower(${name})`)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Hosts of an archive that are in use in this root. */
export async function takenHosts(tx: Tx, importId: string): Promise<string[]> {
  const { rows } = await sql<{ host: string }>`
    select d.host from company_import_row r join domain d on d.host = r.content::json ->> 'host'
    where r.import_id = ${importId}::uuid and r.table_name = 'domain' order by 1 limit 20`.execute(tx);
  return rows.map(({ host }) => host);
}

export interface StagedRow {
  key: string;
  number: number;
  /** The company that it is about. */
  companyId: string;
  isDocument: boolean;
  content: string;
  kept: string | null;
}

/** Keeps rows of a table until they are imported. Throws unique_violation (23505) if one is there twice. */
export async function stageRows(tx: Tx, of: Owned, table: string, rows: readonly StagedRow[]): Promise<void> {
  await sql`
    insert into company_import_row (import_id, table_name, key, number, root_id, agency_id, company_id, is_document, content, kept)
    select ${of.id}::uuid, ${table}, r.key, r.number, ${of.root_id}::uuid, ${of.agency_id}::uuid, r.company_id,
      r.is_document, r.content, r.kept
    from unnest(${rows.map((one) => one.key)}::text[], ${rows.map((one) => one.number)}::bigint[],
      ${rows.map((one) => one.companyId)}::uuid[], ${rows.map((one) => one.isDocument)}::boolean[], ${rows.map((one) => one.content)}::text[], ${rows.map((one) => one.kept)}::text[])
      r (key, number, company_id, is_document, content, kept)`.execute(tx);
}

/** Keeps the file of a row; returns false if there is no such row. */
export async function stageFile(
  tx: Tx,
  importId: string,
  table: string,
  key: string,
  bytes: Buffer,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('company_import_row')
    .set({ bytes })
    .where('import_id', '=', importId)
    .where('table_name', '=', table)
    .where('key', '=', key)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** The kind of picture that a row says its file is. */
export async function typeOfFile(
  tx: Tx,
  importId: string,
  table: string,
  key: string,
): Promise<string | null> {
  const { rows } = await sql<{ type: string | null }>`
    select content::json ->> 'type' as type from company_import_row
    where import_id = ${importId}::uuid and table_name = ${table} and key = ${key}`.execute(tx);
  return rows[0]?.type ?? null;
}

const staged = (of: Owned, table: string) =>
  sql`r.import_id = ${of.id}::uuid and r.table_name = ${table} and not r.is_document`;

/** Whether a row of `p` is of the company that is imported. */
const own = (of: Owned) =>
  of.company_kind === 'client'
    ? sql`p.company_id = ${sql.lit(of.company_id)}`
    : sql`p.agency_id = ${sql.lit(of.agency_id)}`;

const textOf = (column: string) => sql`(r.content::json ->> ${sql.lit(column)})`;
const idOfParent = (table: string): string => (table === 'lead_contact' ? 'lead_id' : 'id');
const strayed = (of: Owned, { column, table }: Parent) => sql`${textOf(column)} is not null and not exists (
  select from ${sql.table(table)} p where ${sql.ref(`p.${idOfParent(table)}`)} = ${textOf(column)}::uuid and ${own(of)})`;

/** Rows whose parent is not of this import become documents. */
export async function keepStrays(
  tx: Tx,
  of: Owned,
  table: string,
  parent: Parent,
  adds: readonly string[],
): Promise<void> {
  await sql`update company_import_row r set is_document = true, content = coalesce(
      (select json_object_agg(c.key, coalesce(k.value, c.value)) from json_each(r.content::json) c
       left join json_each(r.kept::json) k on k.key = c.key
       where k.key is not null or c.key <> all(${adds}::text[]))::text, r.content), kept = null
    where ${staged(of, table)} and ${strayed(of, parent)}`.execute(tx);
}

/** The key of a row whose parent is not of this import. */
export async function stray(tx: Tx, of: Owned, table: string, parent: Parent): Promise<string | null> {
  const { rows } = await sql<{ key: string }>`
    select r.key from company_import_row r where ${staged(of, table)} and ${strayed(of, parent)} limit 1`.execute(
    tx,
  );
  return rows[0]?.key ?? null;
}

/** The key of a row that is about neither a company nor a campaign of this import. */
export async function strangeSubject(
  tx: Tx,
  of: Owned,
  table: string,
  column: string,
): Promise<string | null> {
  const { rows } = await sql<{ key: string }>`
    select r.key from company_import_row r where ${staged(of, table)} and ${textOf(column)}::uuid <> ${of.company_id}::uuid
      and not exists (select from campaign p where p.id = ${textOf(column)}::uuid and ${own(of)})
      and not exists (select from company p where p.id = ${textOf(column)}::uuid and p.agency_id = ${of.agency_id}::uuid
        and ${of.company_kind === 'agency' ? sql`true` : sql`p.id = ${of.company_id}::uuid`}) limit 1`.execute(
    tx,
  );
  return rows[0]?.key ?? null;
}

/** Inserts the rows of a table into it; returns how many. `file`: the column of the files' bytes. */
export async function insertRows(
  tx: Tx,
  of: Owned,
  table: string,
  columns: readonly string[],
  more: { file: string | undefined; inOrderOf: string | undefined },
): Promise<number> {
  const into: RawBuilder<unknown>[] = [sql.id('root_id'), sql.id('agency_id')];
  const values: RawBuilder<unknown>[] = [sql`${of.root_id}::uuid`, sql`${of.agency_id}::uuid`];
  for (const column of columns) {
    into.push(sql.id(column));
    values.push(sql.ref(`v.${column}`));
  }
  if (more.file) {
    into.push(sql.id(more.file));
    values.push(sql`r.bytes`);
  }
  const order = more.inOrderOf ? sql`${textOf(more.inOrderOf)}::bigint` : sql`r.number`;
  const { numAffectedRows } = await sql`
    insert into ${sql.table(table)} (${sql.join(into)})
    select ${sql.join(values)} from company_import_row r
    cross join lateral json_populate_record(null::${sql.table(table)}, r.content::json) v
    where ${staged(of, table)} order by ${order}`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

/** Forgets rows that are in their tables now, except for what only the archive said. */
export async function forgetInserted(tx: Tx, importId: string): Promise<void> {
  await sql`delete from company_import_row where import_id = ${importId}::uuid and not is_document and kept is null`.execute(
    tx,
  );
  await sql`update company_import_row set content = '{}', bytes = null where import_id = ${importId}::uuid and not is_document`.execute(
    tx,
  );
}

/** Documents of an import, by table. */
export async function documentsOf(tx: Tx, importId: string): Promise<Map<string, number>> {
  const { rows } = await sql<{ table_name: string; count: bigint }>`
    select table_name, count(*) as count from company_import_row
    where import_id = ${importId}::uuid and is_document group by 1`.execute(tx);
  return new Map(rows.map((row) => [row.table_name, Number(row.count)]));
}

/** An account whose balance is not the sum of its entries, as the archive has them. */
export async function crookedAccount(tx: Tx, importId: string): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    with rows as (select table_name, content::json as c from company_import_row
      where import_id = ${importId}::uuid and table_name in ('entry', 'account_balance', 'wallet_lot'))
    select coalesce(b.id, e.id) as id
    from (select c ->> 'account_id' as id, (c ->> 'balance')::numeric as total from rows where table_name = 'account_balance') b
    left join (select c ->> 'account_id' as id, sum((c ->> 'amount')::numeric) as total from rows where table_name = 'entry' group by 1) e
      on e.id = b.id
    left join (select c ->> 'account_id' as id, sum((c ->> 'remaining')::numeric) as total from rows where table_name = 'wallet_lot' group by 1) l
      on l.id = b.id
    where b.total <> coalesce(e.total, 0) or b.total < 0 or l.total is not null and l.total <> b.total limit 1`.execute(
    tx,
  );
  return rows[0]?.id ?? null;
}

/** Prepaid balances of an archive with something in them, and what is left of its wallets' lots. */
export async function balancesOf(tx: Tx, importId: string) {
  const { rows: prepaid } = await sql<{ company_id: string; campaign_id: string; amount: bigint }>`
    select a.c ->> 'company_id' as company_id, a.c ->> 'campaign_id' as campaign_id, (b.c ->> 'balance')::bigint as amount
    from (select content::json as c from company_import_row where import_id = ${importId}::uuid and table_name = 'account') a
    join (select content::json as c from company_import_row where import_id = ${importId}::uuid and table_name = 'account_balance') b
      on b.c ->> 'account_id' = a.c ->> 'id'
    where a.c ->> 'kind' = 'client_prepaid' and (b.c ->> 'balance')::bigint > 0 order by 2`.execute(tx);
  const { rows: lots } = await sql<{ id: string; is_granted: boolean; amount: bigint; expires_at: Date }>`
    select key as id, (content::json ->> 'is_granted')::boolean as is_granted, (content::json ->> 'remaining')::bigint as amount,
      (content::json ->> 'expires_at')::timestamptz as expires_at
    from company_import_row where import_id = ${importId}::uuid and table_name = 'wallet_lot'
      and (content::json ->> 'remaining')::bigint > 0 order by 4, 1`.execute(tx);
  return { prepaid, lots };
}

/** The campaign of a prepaid balance that is not one of the company that the balance is of, and of this import. */
export async function strangeBalance(
  tx: Tx,
  of: Owned,
  balances: readonly { company_id: string; campaign_id: string | null }[],
): Promise<string | null> {
  const { rows } = await sql<{ id: string | null }>`
    select b.campaign_id as id from unnest(${balances.map((one) => one.company_id)}::uuid[],
      ${balances.map((one) => one.campaign_id)}::uuid[]) b (company_id, campaign_id)
    where not exists (select from campaign p
      where p.id = b.campaign_id and p.company_id = b.company_id and ${own(of)}) limit 1`.execute(tx);
  return rows.length > 0 ? (rows[0]!.id ?? 'no campaign') : null;
}

/** What the accounts of an imported company hold now, by kind. */
export async function heldNow(tx: Tx, of: Owned): Promise<Map<string, bigint>> {
  const { rows } = await sql<{ kind: string; total: bigint }>`
    select p.kind, sum(b.balance)::bigint as total from account p join account_balance b on b.account_id = p.id
    where ${own(of)} group by 1`.execute(tx);
  return new Map(rows.map(({ kind, total }) => [kind, total]));
}

/** The columns with ids of these tables. */
export async function uuidColumns(tx: Tx, tables: readonly string[]): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ name: string; columns: string[] }>`
    select c.relname as name, array_agg(a.attname::text) as columns from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relname = any(${tables}::text[])
      and a.atttypid in ('uuid'::regtype, 'uuid[]'::regtype) group by 1`.execute(tx);
  return new Map(rows.map(({ name, columns }) => [name, columns]));
}

const CURSOR = 'compared';
/** A row of an archive may have 8 MB (archive.reader.ts), so few are in memory at once. */
const ROWS = 25;

/** A row as it is here, and what only the archive said of it; a document is whole. */
export interface RowHere {
  line: string;
  kept: string | null;
}

async function* fetched(tx: Tx, query: RawBuilder<unknown>): AsyncGenerator<RowHere[]> {
  await sql`declare ${sql.id(CURSOR)} no scroll cursor for ${query}`.execute(tx);
  for (;;) {
    const { rows } = await sql<RowHere>`fetch ${sql.lit(ROWS)} from ${sql.id(CURSOR)}`.execute(tx);
    if (rows.length > 0) yield rows;
    if (rows.length < ROWS) break;
  }
  await sql`close ${sql.id(CURSOR)}`.execute(tx);
}

/** The rows of a table that an import made, and those that stayed documents. `key`: null if there are only documents. */
export async function* rowsHere(
  tx: Tx,
  of: Owned,
  table: string,
  columns: readonly string[],
  key: readonly string[] | null,
): AsyncGenerator<RowHere[]> {
  if (key) {
    const name = sql.join(
      key.map((one) => sql`coalesce(to_jsonb(${sql.ref(`p.${one}`)}) #>> '{}', '')`),
      sql` || '|' || `,
    );
    const owner = table === 'company' ? [] : [sql.ref('p.company_id')];
    // A company has no company_id: it is one.
    const ours =
      table === 'company' && of.company_kind === 'client' ? sql`p.id = ${sql.lit(of.company_id)}` : own(of);
    yield* fetched(
      tx,
      sql`select (select row_to_json(x)::text from (select ${sql.join([...owner, ...columns.map((one) => sql.ref(`p.${one}`))])}) x) as line,
          k.kept
        from ${sql.table(table)} p left join company_import_row k
          on k.import_id = ${sql.lit(of.id)} and k.table_name = ${sql.lit(table)} and k.key = ${name} and not k.is_document
        where ${ours}`,
    );
  }
  yield* fetched(
    tx,
    sql`select content as line, null as kept from company_import_row
      where import_id = ${sql.lit(of.id)} and table_name = ${sql.lit(table)} and is_document`,
  );
}

/** Prepares a transaction for many rows: times are written in UTC, and a large table, or work between two, may take its time. */
export async function workAtLength(tx: Tx): Promise<void> {
  await sql`set local time zone 'UTC'`.execute(tx);
  await sql`set local statement_timeout = '60min'`.execute(tx);
  await sql`set local idle_in_transaction_session_timeout = '60min'`.execute(tx);
}

interface Found {
  count: number;
  examples: string[];
}

async function found(tx: Tx, query: RawBuilder<unknown>): Promise<Found> {
  const { rows } = await sql<{ count: bigint; examples: string[] | null }>`
    with f as (${query})
    select (select count(*) from f) as count, (select array_agg(name) from (select name from f order by name limit 20) x) as examples`.execute(
    tx,
  );
  return { count: Number(rows[0]!.count), examples: rows[0]!.examples ?? [] };
}

/** Users of an import whose email someone else has. */
export const placeholders = (tx: Tx, of: Owned): Promise<Found> =>
  found(
    tx,
    sql`select k.kept::json ->> 'email' as name from company_import_row k where k.import_id = ${of.id}::uuid
      and k.table_name = 'user_account' and k.kept::json ->> 'email' is not null`,
  );

/** Users of an import that can sign in once they have a password. */
export const withoutPassword = (tx: Tx, of: Owned): Promise<Found> =>
  found(
    tx,
    sql`select p.email as name from user_account p where ${own(of)} and p.disabled_at is null and p.password_hash is null`,
  );

/** Agencies of an import whose embed code stayed a document. */
export const withoutEmbed = (tx: Tx, of: Owned): Promise<Found> =>
  found(
    tx,
    sql`select p.name from company_import_row k join company p on p.id = k.company_id
      where k.import_id = ${of.id}::uuid and k.table_name = 'setting' and k.is_document
        and k.content::json ->> 'name' = 'embed_code' and k.content::json -> 'value' ->> 'code' <> ''`,
  );

/** Rows of an import in a state. */
export const stopped = (
  tx: Tx,
  of: Owned,
  table: 'campaign' | 'connection' | 'integration' | 'alert',
  state: string,
): Promise<Found> =>
  found(tx, sql`select p.name from ${sql.table(table)} p where ${own(of)} and p.state = ${state}`);
