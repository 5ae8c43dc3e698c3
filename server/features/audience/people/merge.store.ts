import { type Selectable, sql } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import { ownerOf } from './graph.store.ts';
import type { Place } from './merge.policy.ts';

export type MergeRow = Selectable<Schema['person_merge']>;

/** Whether anyone in a root is merged. */
export async function hasMerges(tx: Tx, rootId: string): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (select from person_merge where root_id = ${rootId} and undone_at is null) as has`.execute(
    tx,
  );
  return rows[0]!.has;
}

/** Makes a root's merges and undos run one after the other. */
export async function lockMerges(tx: Tx, rootId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`merges of ${rootId}`}, 0))`.execute(tx);
}

/** Returns which of these rows of the graph exist, protected from erasure until the transaction ends. */
export async function heldPeople(tx: Tx, rootId: string, ids: string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from person where root_id = ${rootId} and id = any(${ids}::uuid[]) order by id for key share`.execute(
    tx,
  );
  return rows.map((row) => row.id);
}

/** Returns the merge by which a person was absorbed. */
export const absorption = (tx: Tx, rootId: string, personId: string): Promise<MergeRow | undefined> =>
  tx
    .selectFrom('person_merge')
    .selectAll()
    .where('root_id', '=', rootId)
    .where('person_id', '=', personId)
    .where('undone_at', 'is', null)
    .executeTakeFirst();

/** Returns everyone whom a person represents, including themselves. */
export async function groupOf(tx: Tx, rootId: string, topId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('person_merge')
    .select('person_id')
    .where('root_id', '=', rootId)
    .where('top_id', '=', topId)
    .where('undone_at', 'is', null)
    .execute();
  return [topId, ...rows.map((row) => row.person_id)];
}

/** A merge of someone's, or the end of one, as a lead's journey shows it. */
export interface MergeStep {
  id: string;
  merged_at: Date;
  undone_at: Date | null;
  /** The kinds of keys that a source gave both people. */
  shared: number[];
}
/** How many merges a journey shows. */
const MOST_TOLD = 100;

/**
 * Returns everyone who is the same person as someone, and the newest merges that made them so, with those of this very
 * person that were undone.
 */
export async function mergesAbout(
  tx: Tx,
  rootId: string,
  personId: string,
): Promise<{ group: string[]; merges: MergeStep[] }> {
  const own = await absorption(tx, rootId, personId);
  const group = await groupOf(tx, rootId, own?.top_id ?? personId);
  const { rows } = await sql<MergeStep>`
    select m.id, m.merged_at, m.undone_at,
           array(select distinct get_byte(key, 0) from (select unnest(a.keys) intersect select unnest(b.keys)) both_have (key)
                 order by 1) as shared
    from person_merge m
    left join person a on a.root_id = m.root_id and a.id = m.person_id
    left join person b on b.root_id = m.root_id and b.id = m.into_id
    where m.root_id = ${rootId} and (
      (m.undone_at is null and m.person_id = any(${group}::uuid[]))
      or (m.undone_at is not null and (m.person_id = ${personId} or m.into_id = ${personId})))
    order by m.merged_at desc, m.id limit ${MOST_TOLD}`.execute(tx);
  return { group, merges: rows };
}

/** Makes `kept` absorb `absorbed` and everyone whom that person represents. Before that, both represent themselves. */
export async function addMerge(
  tx: Tx,
  rootId: string,
  merge: { id: string; kept: string; absorbed: string; by: string; at: Date },
): Promise<void> {
  const { id, kept, absorbed, by, at } = merge;
  await tx
    .updateTable('person_merge')
    .set({ top_id: kept })
    .where('root_id', '=', rootId)
    .where('top_id', '=', absorbed)
    .where('undone_at', 'is', null)
    .execute();
  await tx
    .insertInto('person_merge')
    .values({
      id,
      ...ownerOf(rootId),
      person_id: absorbed,
      into_id: kept,
      top_id: kept,
      merged_by: by,
      merged_at: at,
    })
    .execute();
}

/** Undoes a merge: the absorbed person again represents themselves and everyone they had absorbed. */
export async function endMerge(tx: Tx, row: MergeRow, by: string, at: Date): Promise<void> {
  await tx
    .updateTable('person_merge')
    .set({ undone_at: at, undone_by: by })
    .where('id', '=', row.id)
    .execute();
  await sql`
    with recursive below as (
      select id, person_id from person_merge
      where root_id = ${row.root_id} and into_id = ${row.person_id} and top_id = ${row.top_id} and undone_at is null
      union
      select m.id, m.person_id from below b
      join person_merge m on m.root_id = ${row.root_id} and m.into_id = b.person_id and m.top_id = ${row.top_id} and m.undone_at is null
    ) update person_merge m set top_id = ${row.person_id} from below b where m.id = b.id`.execute(tx);
}

const merges = (tx: Tx) =>
  tx
    .selectFrom('person_merge as m')
    .leftJoin('person as k', (join) =>
      join.onRef('k.root_id', '=', 'm.root_id').onRef('k.id', '=', 'm.into_id'),
    )
    .leftJoin('person as a', (join) =>
      join.onRef('a.root_id', '=', 'm.root_id').onRef('a.id', '=', 'm.person_id'),
    )
    .selectAll('m')
    .select(['k.id as kept_id', 'k.first_name as kept_first_name', 'k.last_name as kept_last_name'])
    .select(['k.email as kept_email', 'k.phone as kept_phone'])
    .select([
      'a.id as absorbed_id',
      'a.first_name as absorbed_first_name',
      'a.last_name as absorbed_last_name',
    ])
    .select(['a.email as absorbed_email', 'a.phone as absorbed_phone']);

/** A merge with the people it is about. */
export type ShownMerge = Awaited<ReturnType<typeof pageOfMerges>>['rows'][number];

/** Returns a page of the scope's merges, newest first, and the total count. */
export async function pageOfMerges(tx: Tx, limit: number, offset: number) {
  const rows = await merges(tx)
    .orderBy('m.merged_at', 'desc')
    .orderBy('m.id')
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await tx
    .selectFrom('person_merge')
    .select((eb) => eb.fn.countAll<bigint>().as('total'))
    .executeTakeFirstOrThrow();
  return { rows, total: Number(total) };
}

/** A merge that the scope may see. */
export const mergeById = (tx: Tx, id: string): Promise<ShownMerge | undefined> =>
  merges(tx).where('m.id', '=', id).executeTakeFirst();

/** A key that several rows of the graph have, in the order of the index. */
export interface Shared {
  value: Buffer;
  ids: string[];
}

/**
 * Returns the shared keys among the next `most` keys of a kind, and the last key that was fully examined (null if there
 * are no more).
 */
export async function sharedKeys(
  tx: Tx,
  rootId: string,
  { kind, after }: Place,
  most: number,
): Promise<{ shared: Shared[]; last: Buffer | null }> {
  const { rows } = await sql<{ value: Buffer; ids: string[]; total: number; final: Buffer }>`
    with scanned as materialized (
      select value, person_id from identity_key
      where root_id = ${rootId} and kind = ${kind} ${after ? sql`and value > ${after}` : sql``}
      order by value, person_id limit ${most}
    ), final as (
      select (select count(*) from scanned)::int as total, (select value from scanned order by value desc limit 1) as final
    )
    select s.value, s.ids, f.total, f.final from final f
    left join (select value, array_agg(person_id order by person_id) as ids from scanned group by value having count(*) > 1) s on true
    order by s.value`.execute(tx);
  const { total, final } = rows[0]!;
  const shared = rows.flatMap(({ value, ids }) => (value ? [{ value, ids }] : []));
  if (total < most) return { shared, last: null };
  // The last key may have been cut off: it is examined again from its beginning, unless it filled all the room there
  // was.
  if (shared[0]?.ids.length === most) return { shared, last: final };
  return { shared: shared.filter(({ value }) => !value.equals(final)), last: before(final) };
}

/**
 * Returns the greatest key before another one that its bytes have room for: the same with its last byte one less, or
 * shorter.
 */
function before(value: Buffer): Buffer {
  const less = Buffer.from(value);
  const end = less.length - 1;
  if (less[end] === 0) return less.subarray(0, end);
  less[end] = less[end]! - 1;
  return Buffer.concat([less, Buffer.alloc(8, 0xff)]);
}
