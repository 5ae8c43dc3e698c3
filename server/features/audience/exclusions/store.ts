import { pipeline } from 'node:stream/promises';
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Owner } from '../../../platform/db/owner.ts';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { Use } from './policy.ts';

export type ListRow = Selectable<Schema['exclusion_list']>;

/** Returns the positions of those (owner, kind, value) that are on a list in force, in any scope. */
export async function hits(
  tx: Tx,
  keys: { owner: string; kind: number; value: Buffer }[],
): Promise<Set<number>> {
  if (keys.length === 0) return new Set();
  const { rows } = await sql<{ n: bigint }>`
    select n from excluded_keys(${keys.map((k) => k.owner)}::uuid[], ${keys.map((k) => k.kind)}::smallint[],
                                ${keys.map((k) => k.value)}::bytea[]) n`.execute(tx);
  return new Set(rows.map((row) => Number(row.n) - 1));
}

/** Since when those (owner, kind, value), by position, have been on a list in force, in any scope. */
export async function hitsSince(
  tx: Tx,
  keys: { owner: string; kind: number; value: Buffer }[],
): Promise<Map<number, Date>> {
  if (keys.length === 0) return new Map();
  const { rows } = await sql<{ n: bigint; since: Date }>`
    select n, since from excluded_since(${keys.map((k) => k.owner)}::uuid[], ${keys.map((k) => k.kind)}::smallint[],
                                        ${keys.map((k) => k.value)}::bytea[])`.execute(tx);
  return new Map(rows.map(({ n, since }) => [Number(n) - 1, since]));
}

/** How many entries of each kind an owner's lists in force hold. */
export interface InForce {
  emails: bigint;
  phones: bigint;
  domains: bigint;
  md5_only: bigint;
  sha256_only: bigint;
  /** How many addresses are on lists that ignore Gmail's dots and plus parts. */
  aliases: bigint;
  /** How many numbers are known only as hashes. */
  phone_hashes: bigint;
}

/** Returns which of these owners have a list in force, in any scope. */
export async function inForce(tx: Tx, owners: string[]): Promise<Map<string, InForce>> {
  if (owners.length === 0) return new Map();
  const { rows } = await sql<InForce & { owner_id: string }>`
    select * from exclusions_in_force(${owners}::uuid[])`.execute(tx);
  return new Map(rows.map((row) => [row.owner_id, row]));
}

/** How many entries a company has, its agency with all its clients, and the root's whole system; in any scope. */
export async function entriesOf(
  tx: Tx,
  owner: Owner,
): Promise<{ company: bigint; agency: bigint; root: bigint }> {
  const { rows } = await sql<{ company: bigint; agency: bigint; root: bigint }>`
    select * from exclusion_entries(${owner.agency_id}::uuid, ${owner.company_id}::uuid)`.execute(tx);
  return rows[0]!;
}

/** Makes additions to the lists of a root wait for each other until the transaction ends. */
export async function holdEntries(tx: Tx, rootId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`exclusions:${rootId}`}, 0))`.execute(tx);
}

export async function insertList(tx: Tx, row: Insertable<Schema['exclusion_list']>): Promise<void> {
  await tx.insertInto('exclusion_list').values(row).execute();
}

/** Returns a list that the scope may see, including removed ones; `lock` prevents others from changing it in the meantime. */
export async function listById(tx: Tx, id: string, lock = false): Promise<ListRow | undefined> {
  const query = tx.selectFrom('exclusion_list').selectAll().where('id', '=', id);
  return (lock ? query.forUpdate() : query).executeTakeFirst();
}

export async function updateList(
  tx: Tx,
  id: string,
  set: Updateable<Schema['exclusion_list']>,
): Promise<void> {
  await tx.updateTable('exclusion_list').set(set).where('id', '=', id).execute();
}

/** Which of these owners have customers on lists in force, and on how many addresses Gmail's dots are ignored. */
export async function customersInForce(tx: Tx, owners: string[]): Promise<Map<string, { aliases: number }>> {
  if (owners.length === 0) return new Map();
  const { rows } = await sql<{ owner_id: string; aliases: number }>`
    select owner_id, coalesce(sum(emails) filter (where ignore_aliases), 0)::float8 as aliases
    from exclusion_list where owner_id = any(${owners}::uuid[]) and state = 'active' and use = 'customers'
    group by owner_id`.execute(tx);
  return new Map(rows.map((row) => [row.owner_id, row]));
}

/** The customers among these (owner, kind, value), by position: the list that had them first, and what it calls them. */
export async function customerHits(tx: Tx, keys: { owner: string; kind: number; value: Buffer }[]) {
  if (keys.length === 0) return [];
  const { rows } = await sql<{ n: bigint; list_id: string; label: string }>`
    select k.n, hit.list_id, hit.label
    from unnest(${keys.map((k) => k.owner)}::uuid[], ${keys.map((k) => k.kind)}::smallint[], ${keys.map((k) => k.value)}::bytea[])
      with ordinality k (owner, kind, value, n)
    cross join lateral (
      select e.list_id, e.label from exclusion e join exclusion_list l on l.id = e.list_id
      where e.owner_id = k.owner and e.kind = k.kind and e.value = k.value and l.state = 'active'
        and l.use = 'customers' and e.label is not null
      order by l.created_at, l.id limit 1) hit
    order by k.n`.execute(tx);
  return rows.map((row) => ({ at: Number(row.n) - 1, listId: row.list_id, label: row.label }));
}

/** How many customers a company's lists have, or may have once everything is loaded. */
export async function customerEntries(tx: Tx, companyId: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select coalesce(sum(case state when 'active' then rows_added else greatest(rows_added, total_rows) end), 0)::float8 as n
    from exclusion_list where company_id = ${companyId} and use = 'customers'
      and state in ('queued', 'loading', 'held', 'active')`.execute(tx);
  return rows[0]!.n;
}

/** Whether an owner has a list in force that a connection fills. */
export async function isConnected(tx: Tx, ownerId: string, connectionId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('exclusion_list')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('connection_id', '=', connectionId)
    .where('state', '=', 'active')
    .executeTakeFirst();
  return row !== undefined;
}

/** The lists of a root that are refreshed from a connection, by id. */
export async function connectedLists(tx: Tx, rootId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('exclusion_list')
    .select('id')
    .where('root_id', '=', rootId)
    .where('connection_id', 'is not', null)
    .where('state', '=', 'active')
    .orderBy('id')
    .execute();
  return rows.map((row) => row.id);
}

/** Deletes everything that a list contains. */
export async function deleteEntries(tx: Tx, list: { id: string; owner_id: string }): Promise<void> {
  await tx
    .deleteFrom('exclusion')
    .where('owner_id', '=', list.owner_id)
    .where('list_id', '=', list.id)
    .execute();
}

/** Returns the next of an owner's lists that exclude, after a position, the newest first. */
export async function nextLists(
  tx: Tx,
  ownerId: string,
  after: { at: Date; id: string } | null,
  limit: number,
): Promise<ListRow[]> {
  let query = tx
    .selectFrom('exclusion_list')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('use', '=', 'exclude');
  if (after) query = query.where(sql<boolean>`(created_at, id) < (${after.at}, ${after.id}::uuid)`);
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

/** Returns a page of an owner's lists, newest first, and the total count. */
export async function pageOfLists(
  tx: Tx,
  ownerId: string,
  use: Use,
  limit: number,
  offset: number,
): Promise<{ rows: ListRow[]; total: number }> {
  const query = tx.selectFrom('exclusion_list').where('owner_id', '=', ownerId).where('use', '=', use);
  const rows = await query
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await query
    .select((eb) => eb.fn.countAll<bigint>().as('total'))
    .executeTakeFirstOrThrow();
  return { rows, total: Number(total) };
}

/** Returns an owner's lists that are in progress, oldest first. */
export async function underWay(tx: Tx, ownerId: string, use: Use): Promise<ListRow[]> {
  return tx
    .selectFrom('exclusion_list')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('use', '=', use)
    .where('state', 'in', ['queued', 'loading'])
    .orderBy('created_at')
    .orderBy('id')
    .limit(100)
    .execute();
}

/** Returns an owner's lists that ended since then, newest first. */
export async function endedSince(tx: Tx, ownerId: string, use: Use, since: Date): Promise<ListRow[]> {
  return tx
    .selectFrom('exclusion_list')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('use', '=', use)
    .where('state', 'in', ['active', 'failed'])
    .where('created_at', '>', since)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(20)
    .execute();
}

/**
 * Takes an owner's lists out of force, either the one with this id or all of a use; returns those that were still in
 * force.
 */
export async function removeLists(
  tx: Tx,
  which: { ownerId: string; use: Use } | { id: string },
  at: Date,
): Promise<ListRow[]> {
  return tx
    .updateTable('exclusion_list')
    .set({ state: 'removed', removed_at: at })
    .where((eb) =>
      'id' in which
        ? eb('id', '=', which.id)
        : eb.and([eb('owner_id', '=', which.ownerId), eb('use', '=', which.use)]),
    )
    .where('state', '!=', 'removed')
    .where('is_standing', '=', false)
    .returningAll()
    .execute();
}

/** What a standing list is for: people who asked at the privacy desk, or California's lists. */
export type StandingFor = ListRow['standing_for'];

/** A root's standing list for a purpose, locked; undefined while it has none. */
export const standingList = (
  tx: Tx,
  rootId: string,
  standingFor: StandingFor,
): Promise<ListRow | undefined> =>
  tx
    .selectFrom('exclusion_list')
    .selectAll()
    .where('owner_id', '=', rootId)
    .where('is_standing', '=', true)
    .where('standing_for', '=', standingFor)
    .forUpdate()
    .executeTakeFirst();

/** Adds hashes of a kind to a list; returns how many were new to it. */
export async function insertHashes(
  tx: Tx,
  list: Owner & { id: string; owner_id: string },
  kind: number,
  hashes: readonly Buffer[],
): Promise<number> {
  const { numAffectedRows } = await sql`
    insert into exclusion (owner_id, kind, value, list_id, root_id, agency_id, company_id)
    select ${list.owner_id}::uuid, ${kind}::smallint, value, ${list.id}::uuid, ${list.root_id}::uuid, ${list.agency_id}::uuid, ${list.company_id}::uuid
    from unnest(${hashes}::bytea[]) e (value) order by value
    on conflict do nothing`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

/** Removes hashes of a kind from a list; returns how many it had. */
export async function deleteHashes(
  tx: Tx,
  list: { id: string; owner_id: string },
  kind: number,
  hashes: readonly Buffer[],
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from exclusion e using unnest(${hashes}::bytea[]) v (value)
    where e.owner_id = ${list.owner_id}::uuid and e.kind = ${kind}::smallint and e.value = v.value and e.list_id = ${list.id}::uuid`.execute(
    tx,
  );
  return Number(numAffectedRows ?? 0n);
}

/** Which of these values (kind, hex) a list does not contain yet, by position. */
export async function newTo(
  tx: Tx,
  list: { id: string; owner_id: string },
  values: readonly { kind: number; value: string }[],
): Promise<Set<number>> {
  const { rows } = await sql<{ n: bigint }>`
    select v.n from unnest(${values.map((v) => v.kind)}::smallint[], ${values.map((v) => v.value)}::text[])
      with ordinality v (kind, value, n)
    where not exists (select from exclusion e where e.owner_id = ${list.owner_id}::uuid and e.kind = v.kind
      and e.value = decode(v.value, 'hex') and e.list_id = ${list.id}::uuid)`.execute(tx);
  return new Set(rows.map((row) => Number(row.n) - 1));
}

/** Adds entries to a list without a file. */
export async function insertEntries(
  tx: Tx,
  list: Owner & { id: string; owner_id: string },
  entries: { kind: number; value: string; label?: string | undefined }[],
): Promise<void> {
  await sql`
    insert into exclusion (owner_id, kind, value, list_id, root_id, agency_id, company_id, label)
    select ${list.owner_id}::uuid, kind, decode(value, 'hex'), ${list.id}::uuid, ${list.root_id}::uuid, ${list.agency_id}::uuid, ${list.company_id}::uuid, label
    from unnest(${entries.map((e) => e.kind)}::smallint[], ${entries.map((e) => e.value)}::text[],
      ${entries.map((e) => e.label ?? null)}::text[]) e (kind, value, label)
    on conflict do nothing`.execute(tx);
}

/**
 * Adds entries to a list by COPY, each only once however often it occurs; no one else adds to the list in the meantime.
 * `data` is lines of kind, value (bytea in hex), whether it counts, and its label; `counting` of them do, each for the first time
 * in `data`. Returns how many of those were new to the list.
 */
export async function copyEntries(
  tx: Tx,
  client: pg.PoolClient,
  list: Owner & { id: string; owner_id: string },
  data: Uint8Array,
  counting: number,
): Promise<number> {
  await sql`create temp table exclusion_stage (kind smallint not null, value bytea not null, counts boolean not null, label text)
    on commit drop`.execute(tx);
  await pipeline([data], client.query(copyFrom('copy pg_temp.exclusion_stage from stdin')));
  await sql`set local work_mem = '64MB'`.execute(tx);
  const insert = sql`insert into exclusion (owner_id, kind, value, list_id, root_id, agency_id, company_id, label)
    select ${list.owner_id}::uuid, kind, value, ${list.id}::uuid, ${list.root_id}::uuid, ${list.agency_id}::uuid, ${list.company_id}::uuid, label
    from pg_temp.exclusion_stage`;
  // In key order: neighbors in the index, one after the other.
  const order = sql`order by kind, value`;
  // Usually there are no entries yet; checking before each one would take half as long again.
  await sql`savepoint fresh`.execute(tx);
  try {
    await sql`${insert} ${order}`.execute(tx);
    return counting;
  } catch (error) {
    if ((error as { code?: string }).code !== '23505') throw error;
    await sql`rollback to savepoint fresh`.execute(tx);
  }
  const add = async (counts: boolean) => {
    const { numAffectedRows } =
      await sql`${insert} where counts = ${counts} ${order} on conflict do nothing`.execute(tx);
    return Number(numAffectedRows ?? 0n);
  };
  const added = await add(true);
  await add(false);
  return added;
}

/** Stores bad rows of a list. */
export async function insertErrors(
  tx: Tx,
  list: Owner & { id: string },
  errors: { line: number; reason: string; value: string }[],
): Promise<void> {
  await sql`
    insert into exclusion_error (list_id, line, root_id, agency_id, company_id, reason, value)
    select ${list.id}::uuid, line, ${list.root_id}::uuid, ${list.agency_id}::uuid, ${list.company_id}::uuid, reason, value
    from unnest(${errors.map((e) => e.line)}::bigint[], ${errors.map((e) => e.reason)}::text[], ${errors.map((e) => e.value)}::text[])
      e (line, reason, value)
    on conflict do nothing`.execute(tx);
}

/** Returns the bad rows of a list after a given line, in order. */
export async function errorsAfter(tx: Tx, listId: string, after: bigint, limit: number) {
  return tx
    .selectFrom('exclusion_error')
    .select(['line', 'reason', 'value'])
    .where('list_id', '=', listId)
    .where('line', '>', after)
    .orderBy('line')
    .limit(limit)
    .execute();
}

export async function deleteErrors(tx: Tx, listId: string): Promise<void> {
  await tx.deleteFrom('exclusion_error').where('list_id', '=', listId).execute();
}

/** The position of a walk over an owner's entries. */
export interface Cursor {
  kind: number;
  value: Buffer;
  list_id: string;
}

/**
 * Deletes a list's entries among the next `step` entries of all the owner's lists; returns where that ended, or null at
 * the end.
 */
export async function deleteStep(
  tx: Tx,
  list: { id: string; owner_id: string },
  after: Cursor | null,
  step: number,
): Promise<Cursor | null> {
  const { kind, value, list_id } = after ?? { kind: 0, value: Buffer.alloc(0), list_id: NIL };
  const { rows } = await sql<Cursor & { n: bigint }>`
    with part as materialized (
      select ctid as place, kind, value, list_id from exclusion
      where owner_id = ${list.owner_id} and (kind, value, list_id) > (${kind}::smallint, ${value}::bytea, ${list_id}::uuid)
      order by kind, value, list_id limit ${step}),
    gone as (
      delete from exclusion where ctid = any(array(select place from part where list_id = ${list.id})))
    select kind, value, list_id, (select count(*) from part) as n from part
    order by kind desc, value desc, list_id desc limit 1`.execute(tx);
  const end = rows[0];
  return end && Number(end.n) === step ? { kind: end.kind, value: end.value, list_id: end.list_id } : null;
}
const NIL = '00000000-0000-0000-0000-000000000000';

/** A campaign that the scope may see, as the owner of lists. */
export async function campaignById(tx: Tx, id: string) {
  return tx
    .selectFrom('campaign')
    .select(['id', 'root_id', 'agency_id', 'company_id', 'name', 'number'])
    .where('id', '=', id)
    .where('state', '!=', 'removed')
    .executeTakeFirst();
}
