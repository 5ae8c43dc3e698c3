import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import '../../../platform/db/connect.ts'; // Makes bigint columns be read as bigints.
import { connectionOf } from '../../../platform/db/hosts.ts';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { LogDetail, LogRow, SealedBatch } from './chain.policy.ts';
import { logRow } from './chain.store.ts';

/** A log row with its detail, null when that is erased. */
export type RowWithDetail = LogRow & { detail: LogDetail | null };
type Seal = SealedBatch & { hash: Buffer; mac: Buffer };

const rowWithDetail = sql<RowWithDetail>`
  ${logRow}, case when d.log_id is not null then jsonb_build_object('name', d.name, 'type_user', d.type_user,
    'user_ip', host(d.user_ip), 'location', d.location, 'description', d.description, 'company_name', d.company_name) end as detail`;

/**
 * Runs `work` as the owner of everything on one consistent snapshot of the database at `adminUrl`, so that the database
 * can be in use in the meantime. Nothing can be written.
 */
export async function onSnapshot<T>(adminUrl: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  const pool = new pg.Pool({ ...connectionOf(adminUrl), max: 1 });
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  try {
    return await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (tx) => {
        await sql`set local role lead_owner`.execute(tx);
        return work(tx);
      });
  } finally {
    await db.destroy();
  }
}

/** Every root that has a log. */
export async function rootsWithLog(tx: Tx): Promise<string[]> {
  const { rows } = await sql<{ root_id: string }>`
    select root_id from log_seal union select root_id from log_unsealed union
    select id from company c where kind = 'root' and exists (select from user_log l where l.root_id = c.id)
    order by 1`.execute(tx);
  return rows.map((row) => row.root_id);
}

/** A root's seals after `seq`, in order. */
export async function sealsAfter(tx: Tx, rootId: string, seq: bigint, limit: number): Promise<Seal[]> {
  const { rows } = await sql<Seal>`
    select root_id, seq, first_position, last_position, log_ids, row_hashes, drained, previous_hash, hash, mac, key_id,
           (extract(epoch from sealed_at) * 1000000)::bigint as sealed_at
    from log_seal where root_id = ${rootId} and seq > ${seq} order by seq limit ${limit}`.execute(tx);
  return rows;
}

export async function rowsById(tx: Tx, ids: string[]): Promise<Map<string, RowWithDetail>> {
  const { rows } = await sql<RowWithDetail>`
    select ${rowWithDetail} from user_log l left join user_log_detail d on d.log_id = l.id
    where l.id = any(${ids})`.execute(tx);
  return new Map(rows.map((row) => [row.id, row]));
}

/** The rows that wait for their seal, after `id`; `row` is null where the row itself is gone. */
export async function waitingAfter(tx: Tx, rootId: string, id: string, limit: number) {
  const { rows } = await sql<{ log_id: string; is_there: boolean } & RowWithDetail>`
    select n.log_id, l.id is not null as is_there, ${rowWithDetail} from log_unsealed n
    left join user_log l on l.id = n.log_id left join user_log_detail d on d.log_id = n.log_id
    where n.root_id = ${rootId} and n.log_id > ${id} order by n.log_id limit ${limit}`.execute(tx);
  return rows.map(({ log_id, is_there, ...row }) => ({ log_id, row: is_there ? row : null }));
}

/** Rows of a root that no seal contains and that are not waiting for one: not written by the product. */
export async function strayRows(tx: Tx, rootId: string): Promise<{ id: string; at: Date }[]> {
  const { rows } = await sql<{ id: string; at: Date }>`
    select l.id, l.created_at as at from user_log l
    where l.root_id = ${rootId}
      and not exists (select from log_unsealed n where n.log_id = l.id)
      and not exists (select from log_seal s cross join unnest(s.log_ids) as held(id) where held.id = l.id)
    order by l.id`.execute(tx);
  return rows;
}

/** Rows that appear in more than one place in the chains. */
export async function doubleRows(tx: Tx, rootId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select held.id from log_seal s cross join unnest(s.log_ids) as held(id)
    where s.root_id = ${rootId} group by 1 having count(*) > 1 order by 1`.execute(tx);
  return rows.map((row) => row.id);
}
