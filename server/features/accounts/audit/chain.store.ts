import { type Insertable, sql } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Db, Tx } from '../../../platform/db/scope.ts';
import type { LogRow } from './chain.policy.ts';

/** A log row as its hash covers it, selected from user_log as `l`. */
export const logRow = sql<LogRow>`
  l.id, l.root_id, l.agency_id, l.company_id, l.actor_id, l.viewed_as_id, l.via, l.action, l.object_kind, l.object_id,
  l.request_id, l.detail_hash, (extract(epoch from l.created_at) * 1000000)::bigint as created_at`;

/** The systems that have rows to seal. */
export async function rootsToSeal(db: Db): Promise<string[]> {
  return (await sql<{ root: string }>`select roots_to_seal() as root`.execute(db)).rows.map(
    (row) => row.root,
  );
}

/** Makes the sealers of a root queue up behind each other; nothing else waits for it. */
export async function lockChain(tx: Tx, rootId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('log_seal ' || ${rootId}, 0))`.execute(tx);
}

/** The end of a root's chain. */
export async function lastSeal(tx: Tx, rootId: string) {
  return tx
    .selectFrom('log_seal')
    .select(['seq', 'last_position', 'hash'])
    .where('root_id', '=', rootId)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Committed rows that no seal contains yet, ordered by id, which means by time. */
export async function unsealedRows(tx: Tx, rootId: string, limit: number): Promise<LogRow[]> {
  const { rows } = await sql<LogRow>`
    select ${logRow} from log_unsealed n join user_log l on l.id = n.log_id
    where n.root_id = ${rootId} order by n.log_id limit ${limit}`.execute(tx);
  return rows;
}

/** Adds a seal and removes its rows from the list of rows to seal. */
export async function insertSeal(tx: Tx, seal: Insertable<Schema['log_seal']>): Promise<void> {
  await tx.insertInto('log_seal').values(seal).execute();
  await tx
    .deleteFrom('log_unsealed')
    .where('root_id', '=', seal.root_id)
    .where('log_id', 'in', seal.log_ids)
    .execute();
}

/** The hashes with which rows were sealed, by id. */
export async function hashesOf(tx: Tx, rootId: string, ids: string[]): Promise<Map<string, Buffer>> {
  const { rows } = await sql<{ id: string; hash: Buffer }>`
    select h.id, h.hash from log_seal s cross join unnest(s.log_ids, s.row_hashes) as h (id, hash)
    where s.root_id = ${rootId} and s.log_ids && ${ids}::uuid[] and h.id = any(${ids}::uuid[])`.execute(tx);
  return new Map(rows.map(({ id, hash }) => [id, hash]));
}

/** Those of the rows that wait for their seal. */
export async function waitingOf(tx: Tx, rootId: string, ids: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ log_id: string }>`
    select log_id from log_unsealed where root_id = ${rootId} and log_id = any(${ids}::uuid[])`.execute(tx);
  return new Set(rows.map(({ log_id }) => log_id));
}
