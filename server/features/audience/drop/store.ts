import { pipeline } from 'node:stream/promises';
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import { listNumber, type Row } from './policy.ts';

export type AccountRow = Selectable<Schema['drop_account']>;
export type BatchRow = Selectable<Schema['drop_batch']>;

/** The numbers of the lists that can be compared with the graph, and the kinds of its keys. */
const EMAIL = listNumber('Email');
const PHONE = listNumber('Phone');
const MAID = listNumber('MAID');

/** For statements over a whole list or the whole graph, which take minutes where there are millions of rows. */
const allowLong = (tx: Tx) => sql`set local statement_timeout = '2h'`.execute(tx);

export const accountOf = (tx: Tx, rootId: string, lock = false): Promise<AccountRow | undefined> => {
  const query = tx.selectFrom('drop_account').selectAll().where('root_id', '=', rootId);
  return (lock ? query.forUpdate() : query).executeTakeFirst();
};

export async function keepAccount(tx: Tx, row: Insertable<Schema['drop_account']>): Promise<void> {
  const { root_id: _, created_at: __, ...set } = row;
  await tx
    .insertInto('drop_account')
    .values(row)
    .onConflict((conflict) => conflict.column('root_id').doUpdateSet(set))
    .execute();
}

export async function updateAccount(
  tx: Tx,
  rootId: string,
  set: Updateable<Schema['drop_account']>,
): Promise<void> {
  await tx.updateTable('drop_account').set(set).where('root_id', '=', rootId).execute();
}

export async function insertBatch(tx: Tx, row: Insertable<Schema['drop_batch']>): Promise<void> {
  await tx.insertInto('drop_batch').values(row).execute();
}

export async function updateBatch(tx: Tx, id: string, set: Updateable<Schema['drop_batch']>): Promise<void> {
  await tx.updateTable('drop_batch').set(set).where('id', '=', id).execute();
}

/** The download that is not complete yet, if there is one. */
export const openBatch = (tx: Tx, rootId: string): Promise<BatchRow | undefined> =>
  tx
    .selectFrom('drop_batch')
    .selectAll()
    .where('root_id', '=', rootId)
    .where('state', '!=', 'complete')
    .executeTakeFirst();

/** The latest downloads, the newest first. */
export const batches = (tx: Tx, rootId: string, limit: number): Promise<BatchRow[]> =>
  tx
    .selectFrom('drop_batch')
    .selectAll()
    .where('root_id', '=', rootId)
    .orderBy('downloaded_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();

export async function countBatches(tx: Tx, rootId: string): Promise<number> {
  const row = await tx
    .selectFrom('drop_batch')
    .select((eb) => eb.fn.countAll<bigint>().as('n'))
    .where('root_id', '=', rootId)
    .executeTakeFirstOrThrow();
  return Number(row.n);
}

/** Adds rows of a list to a batch by COPY. An ID that comes again is asked for again. */
export async function copyRows(
  tx: Tx,
  client: pg.PoolClient,
  batch: { id: string; root_id: string },
  list: number,
  rows: readonly Row[],
): Promise<number> {
  await sql`create temp table if not exists drop_stage (drop_id text not null, hash bytea not null) on commit drop`.execute(
    tx,
  );
  const lines = rows.map((row) => `${row.id}\t\\\\x${row.hash.toString('hex')}\n`).join('');
  await pipeline([Buffer.from(lines)], client.query(copyFrom('copy pg_temp.drop_stage from stdin')));
  const { numAffectedRows } = await sql`
    insert into drop_entry (root_id, company_id, list, drop_id, hash, batch_id)
    select distinct on (drop_id) ${batch.root_id}::uuid, ${batch.root_id}::uuid, ${list}::smallint, drop_id, hash, ${batch.id}::uuid
    from pg_temp.drop_stage order by drop_id
    on conflict (root_id, list, drop_id) do update set hash = excluded.hash, batch_id = excluded.batch_id, status = null,
      answered = null, removed_at = null`.execute(tx);
  await sql`truncate pg_temp.drop_stage`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

/**
 * Takes withdrawn entries out of force. Returns the hashes of those lists that nobody else wants suppressed: the same
 * hash can be on a list by several IDs.
 */
export async function removeRows(
  tx: Tx,
  rootId: string,
  list: number,
  ids: readonly string[],
  at: Date,
): Promise<{ removed: number; hashes: Buffer[] }> {
  const { rows } = await sql<{ hash: Buffer }>`
    update drop_entry set removed_at = ${at} where root_id = ${rootId}::uuid and list = ${list}::smallint
      and drop_id = any(${ids}::text[]) and removed_at is null returning hash`.execute(tx);
  const gone = await sql<{ hash: Buffer }>`
    select distinct v.hash from unnest(${rows.map((row) => row.hash)}::bytea[]) v (hash)
    where not exists (select from drop_entry e where e.root_id = ${rootId}::uuid and e.list = ${list}::smallint
      and e.hash = v.hash and e.removed_at is null)`.execute(tx);
  return { removed: rows.length, hashes: gone.rows.map((row) => row.hash) };
}

/**
 * Finds whom entries in force belong to, in one join per list, by the hashes as California makes them: of addresses, of
 * the last ten digits of numbers, of advertising IDs in hex. Entries that were answered with an opt-out are left out: it
 * is not known who of the several people asked. Returns how many pairs there are.
 */
export async function findMatches(tx: Tx, rootId: string): Promise<number> {
  await sql`set local work_mem = '64MB'`.execute(tx);
  await allowLong(tx);
  // The graph's keys of each kind, in California's form. Only addresses have an index in that form.
  const forms = [
    { list: EMAIL, kind: 1, form: sql`k.value` },
    {
      list: PHONE,
      kind: 6,
      form: sql`sha256(substr(ltrim(k.value, '\\x2b'::bytea), greatest(1, length(ltrim(k.value, '\\x2b'::bytea)) - 9)))`,
    },
    { list: MAID, kind: 5, form: sql`sha256(convert_to(encode(k.value, 'hex'), 'UTF8'))` },
  ];
  let found = 0;
  for (const { list, kind, form } of forms) {
    const { numAffectedRows } = await sql`
      insert into drop_match (root_id, company_id, list, drop_id, person_id)
      select e.root_id, e.root_id, e.list, e.drop_id, coalesce(m.top_id, k.person_id)
      from drop_entry e
      join identity_key k on k.root_id = ${rootId}::uuid and k.kind = ${kind}::smallint and ${form} = e.hash
      left join person_merge m on m.root_id = ${rootId}::uuid and m.person_id = k.person_id and m.undone_at is null
      where e.root_id = ${rootId}::uuid and e.list = ${list}::smallint and e.removed_at is null and e.status is distinct from 4
        and exists (select from drop_entry any_of where any_of.root_id = ${rootId}::uuid and any_of.list = ${list}::smallint)
      on conflict do nothing`.execute(tx);
    found += Number(numAffectedRows ?? 0n);
  }
  return found;
}

/** The next entries with the people whom they belong to. */
export async function nextMatches(tx: Tx, rootId: string, limit: number) {
  const { rows } = await sql<{ list: number; drop_id: string; people: string[] }>`
    with next as (
      select distinct list, drop_id from drop_match where root_id = ${rootId}::uuid order by list, drop_id limit ${limit})
    select n.list, n.drop_id, array_agg(m.person_id order by m.person_id) as people
    from next n join drop_match m on m.root_id = ${rootId}::uuid and m.list = n.list and m.drop_id = n.drop_id
    group by n.list, n.drop_id order by n.list, n.drop_id`.execute(tx);
  return rows;
}

/** Notes what was done about entries, and that nothing more is to be done. */
export async function settle(
  tx: Tx,
  rootId: string,
  entries: readonly { list: number; drop_id: string; status: number }[],
): Promise<void> {
  const lists = entries.map((one) => one.list);
  const ids = entries.map((one) => one.drop_id);
  await sql`
    update drop_entry e set status = v.status
    from unnest(${lists}::smallint[], ${ids}::text[], ${entries.map((one) => one.status)}::smallint[]) v (list, drop_id, status)
    where e.root_id = ${rootId}::uuid and e.list = v.list and e.drop_id = v.drop_id`.execute(tx);
  await sql`
    delete from drop_match m using unnest(${lists}::smallint[], ${ids}::text[]) v (list, drop_id)
    where m.root_id = ${rootId}::uuid and m.list = v.list and m.drop_id = v.drop_id`.execute(tx);
}

/** Notes that nobody has the rest of a batch's entries. */
export async function settleRest(tx: Tx, batch: { id: string; root_id: string }): Promise<void> {
  await allowLong(tx);
  await sql`update drop_entry set status = 5
    where root_id = ${batch.root_id}::uuid and batch_id = ${batch.id}::uuid and status is null`.execute(tx);
}

/** How many entries of a batch have each status. */
export async function statuses(tx: Tx, batch: { id: string; root_id: string }): Promise<Map<number, bigint>> {
  const { rows } = await sql<{ status: number; n: bigint }>`
    select status, count(*) as n from drop_entry
    where root_id = ${batch.root_id}::uuid and batch_id = ${batch.id}::uuid and status is not null group by status`.execute(
    tx,
  );
  return new Map(rows.map((row) => [row.status, row.n]));
}

/** The next entries of one list of one batch whose answer California lacks (`amend`: has, but another one). */
export async function unanswered(tx: Tx, rootId: string, amend: boolean, limit: number) {
  const lacking = amend
    ? sql`e.answered is not null and e.answered <> e.status`
    : sql`e.answered is null and e.status is not null`;
  const { rows } = await sql<{ batch_id: string; list: number; drop_id: string; status: number }>`
    with first as (
      select batch_id, list from drop_entry e
      where root_id = ${rootId}::uuid and (status is null or answered is null or answered <> status) and ${lacking}
      order by batch_id, list limit 1)
    select e.batch_id, e.list, e.drop_id, e.status from first f
    join drop_entry e on e.root_id = ${rootId}::uuid and e.batch_id = f.batch_id and e.list = f.list
    where (e.status is null or e.answered is null or e.answered <> e.status) and ${lacking}
    order by e.drop_id limit ${limit}`.execute(tx);
  return rows;
}

/** Notes what California was told. */
export async function noteAnswers(
  tx: Tx,
  rootId: string,
  rows: readonly { list: number; drop_id: string; status: number }[],
): Promise<void> {
  await sql`
    update drop_entry e set answered = v.status
    from unnest(${rows.map((one) => one.list)}::smallint[], ${rows.map((one) => one.drop_id)}::text[],
      ${rows.map((one) => one.status)}::smallint[]) v (list, drop_id, status)
    where e.root_id = ${rootId}::uuid and e.list = v.list and e.drop_id = v.drop_id`.execute(tx);
}

/** A batch of the root. */
export const batchById = (tx: Tx, id: string): Promise<BatchRow | undefined> =>
  tx.selectFrom('drop_batch').selectAll().where('id', '=', id).executeTakeFirst();

/** Counts the entries in force by list, and keeps the numbers: the page asks for them every few seconds. */
export async function keepStanding(tx: Tx, rootId: string): Promise<void> {
  await allowLong(tx);
  await sql`
    update drop_account set standing = coalesce(
      (select jsonb_object_agg(c.list, c.n) from (
        select list, count(*) as n from drop_entry where root_id = ${rootId}::uuid and removed_at is null group by list) c), '{}')
    where root_id = ${rootId}::uuid`.execute(tx);
}

/** The hashes of a list in force, in steps by ID. */
export async function hashesAfter(tx: Tx, rootId: string, list: number, after: string, limit: number) {
  const { rows } = await sql<{ drop_id: string; hash: Buffer }>`
    select drop_id, hash from drop_entry where root_id = ${rootId}::uuid and list = ${list}::smallint and drop_id > ${after}
      and removed_at is null
    order by drop_id limit ${limit}`.execute(tx);
  return rows;
}

/** Deletes everything that came from a test service. */
export async function clear(tx: Tx, rootId: string): Promise<void> {
  await allowLong(tx);
  for (const table of ['drop_match', 'drop_entry', 'drop_batch'] as const)
    await tx.deleteFrom(table).where('root_id', '=', rootId).execute();
}

export async function insertEvent(tx: Tx, row: Insertable<Schema['drop_event']>): Promise<void> {
  await tx.insertInto('drop_event').values(row).execute();
}

/** The latest events, the newest first. */
export const events = (tx: Tx, rootId: string, limit: number) =>
  tx
    .selectFrom('drop_event')
    .select(['id', 'is_fault', 'words', 'at'])
    .where('root_id', '=', rootId)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

/** The owners of a root who can sign in, to be warned. */
export const ownersOf = (tx: Tx, rootId: string) =>
  tx
    .selectFrom('user_account')
    .select(['name', 'email'])
    .where('company_id', '=', rootId)
    .where('role', '=', 'owner')
    .where('disabled_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .limit(20)
    .execute();
