import { once } from 'node:events';
import { sql } from 'kysely';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Db, Tx } from '../../../platform/db/scope.ts';
import { type Keyword, runsOf } from '../keywords/index.ts';
import type { SignalKeys } from './copy.ts';
import { ownerOf } from './graph.store.ts';
import { KEY_WORTH, PER_SHARER } from './match.policy.ts';
import { hasMerges } from './merge.store.ts';
import { MOST_PEOPLE } from './model.ts';
import { REF_KIND } from './signal.policy.ts';

/** Creates the table's partitions for these days (UTC) where they are missing. */
export async function ensurePartitions(db: Db, first: Date, last: Date): Promise<void> {
  const day = (date: Date) => date.toISOString().slice(0, 10);
  await sql`call ensure_signal_partitions(${day(first)}::date, ${day(last)}::date)`.execute(db);
}

/** Drops the signals of days before `before` (UTC); returns how many days that were. */
export async function dropBefore(db: Db, before: Date): Promise<number> {
  const { rows } = await sql<{ dropped: number }>`
    select drop_signal_partitions(${before.toISOString().slice(0, 10)}::date) as dropped`.execute(db);
  return rows[0]!.dropped;
}

/** Returns the ids of keywords in a root's dictionary, by their comparable form; keywords new to it are added. */
export async function ensureTerms(
  tx: Tx,
  rootId: string,
  keywords: readonly Keyword[],
): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  const look = async (words: string[]) => {
    const { rows } = await sql<{ id: number; words: string }>`
      select t.id, t.words from unnest(${words}::text[]) w (words)
      join intent_term t on t.root_id = ${rootId} and t.words = w.words`.execute(tx);
    for (const row of rows) ids.set(row.words, row.id);
  };
  await look(keywords.map((one) => one.words));
  // In a fixed order, so that two imports adding the same keywords do not deadlock.
  const missing = keywords
    .filter((one) => !ids.has(one.words))
    .sort((a, b) => (a.words < b.words ? -1 : a.words > b.words ? 1 : 0));
  if (missing.length === 0) return ids;
  const { company_id } = ownerOf(rootId);
  const { rows: added } = await sql<{ id: number; words: string }>`
    insert into intent_term (root_id, company_id, words, keyword)
    select ${rootId}::uuid, ${company_id}::uuid, n.words, n.keyword
    from unnest(${missing.map((one) => one.words)}::text[], ${missing.map((one) => one.text)}::text[]) n (words, keyword)
    on conflict (root_id, words) do nothing returning id, words`.execute(tx);
  const runs = added.flatMap(({ id, words }) => [...new Set(runsOf(words))].map((hash) => ({ id, hash })));
  await sql`
    insert into intent_phrase (root_id, company_id, hash, term_id)
    select ${rootId}::uuid, ${company_id}::uuid, r.hash, r.id
    from unnest(${runs.map((run) => run.hash.toString())}::bigint[], ${runs.map((run) => run.id)}::int[]) r (hash, id)
    order by r.hash, r.id`.execute(tx);
  for (const row of added) ids.set(row.words, row.id);
  const others = missing.map((one) => one.words).filter((words) => !ids.has(words));
  if (others.length > 0) await look(others);
  return ids;
}

/**
 * Stages a batch of signals (SignalCopy) for the transaction, and finds the people their keys lead to. `client` is the
 * connection of `tx`. Returns whether each key leads to someone.
 */
export async function stageSignals(
  tx: Tx,
  client: pg.ClientBase,
  rootId: string,
  given: { data: Uint8Array; signals: number; keys: SignalKeys },
): Promise<boolean> {
  await sql`set local work_mem = '64MB'`.execute(tx);
  await sql`create temp table signal_stage (
    row_at bigint not null, key integer not null, kind smallint not null, value bytea, term integer not null, at timestamptz not null,
    state smallint, zip integer, city bigint, url text
  ) on commit drop`.execute(tx);
  const stream = client.query(copyFrom('copy pg_temp.signal_stage from stdin (format binary)'));
  const finished = once(stream, 'finish');
  stream.end(given.data);
  await finished;
  return leadKeys(tx, rootId, given);
}

/**
 * Merges the staged signals: each goes to the person its key leads to (of several, the one seen last), and a signal
 * that already exists changes nothing. They are first written as if all were new, which costs half; if one is not, or
 * with `careful`, each one is looked up. Returns how many are new, where the rows begin that match no known person, and
 * whether some were not new.
 */
export async function mergeSignals(
  tx: Tx,
  given: {
    rootId: string;
    importId: string;
    terms: number[];
    now: Date;
    careful: boolean;
    allKnown: boolean;
  },
): Promise<{ added: number; unknown: number[]; again: boolean }> {
  const { rootId, importId, terms, now, allKnown } = given;
  const batch = await sql<{ id: bigint }>`
    insert into signal_batch (root_id, company_id, import_id, signals, created_at)
    values (${rootId}, ${rootId}, ${importId}, 0, ${now}) returning id`.execute(tx);
  const batchId = batch.rows[0]!.id;
  const worth = Object.entries(KEY_WORTH);
  const add = (more: ReturnType<typeof sql>) =>
    sql`insert into signal (root_id, company_id, term_id, person_id, at, state, zip, city, strength, key_kind, batch_id, url, shared_key)
      select distinct on (term_id, person_id, at) ${rootId}::uuid, ${rootId}::uuid, term_id, person_id, at, state, zip, city, strength, kind,
        ${batchId}::bigint, url, shared_key
      from (
        select (${terms}::int[])[s.term] as term_id, k.person_id, s.at, s.state, s.zip, s.city, s.kind, s.url, s.row_at,
          k.value as shared_key,
          greatest((2 * w.worth + n.people) / (2 * n.people), w.worth - ${PER_SHARER} * (n.people - 1), 1) as strength
        from pg_temp.signal_stage s
        join pg_temp.signal_key k on k.key = s.key
        join unnest(${worth.map(([kind]) => Number(kind))}::smallint[], ${worth.map(([, value]) => value)}::int[]) w (kind, worth)
          on w.kind = s.kind
        cross join lateral (select least(k.shared, ${MOST_PEOPLE})::int as people) n
      ) f
      order by term_id, person_id, at, row_at ${more}`.execute(tx);
  let again = given.careful;
  let added = 0;
  if (!again) {
    await sql`savepoint all_new`.execute(tx);
    try {
      added = Number((await add(sql``)).numAffectedRows);
      await sql`release savepoint all_new`.execute(tx);
    } catch (error) {
      if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error;
      await sql`rollback to savepoint all_new`.execute(tx);
      again = true;
    }
  }
  if (again) added = Number((await add(sql`on conflict do nothing`)).numAffectedRows);
  const strangers = allKnown
    ? []
    : (
        await sql<{ row_at: string }>`
            select row_at::text from pg_temp.signal_stage s
            where not exists (select from pg_temp.signal_key k where k.key = s.key) order by s.row_at`.execute(
          tx,
        )
      ).rows;
  if (added > 0) await sql`update signal_batch set signals = ${added} where id = ${batchId}`.execute(tx);
  else await sql`update signal_batch set matched_at = ${now} where id = ${batchId}`.execute(tx);
  return { added, unknown: strangers.map((row) => Number(row.row_at)), again };
}

const UNIQUE_VIOLATION = '23505';

/**
 * Finds the people the staged keys lead to, each key once: the person seen last, how many share it, and the key if
 * several do. All are looked up in one pass over the index; if so many people share some keys that this would read too
 * much, they are looked up one by one, with a limited number of people each. Returns whether each key leads to someone.
 */
async function leadKeys(
  tx: Tx,
  rootId: string,
  { signals, keys }: { signals: number; keys: SignalKeys },
): Promise<boolean> {
  const kinds = keys.kinds.filter((kind) => kind !== REF_KIND);
  const most = signals * MOST_PEOPLE;
  const given = sql`(select key, kind, value from pg_temp.signal_stage where value is not null)`;
  const values = (only: ReturnType<typeof sql>) =>
    sql`(select coalesce(array_agg(value), '{}') from ${given} g where ${only})::bytea[]`;
  const together = sql`
    select s.key, s.value, k.person_id, k.seen_at from (
      select kind, value, person_id, seen_at from identity_key
      where root_id = ${rootId} and kind = any(${kinds}::smallint[]) and value = any(${values(sql`kind <> ${REF_KIND}`)}) limit ${most}) k
    join ${given} s on s.kind = k.kind and s.value = k.value`;
  const oneByOne = sql`
    select s.key, s.value, k.person_id, k.seen_at from ${given} s
    cross join lateral (
      select person_id, seen_at from identity_key
      where root_id = ${rootId} and kind = s.kind and value = s.value limit ${MOST_PEOPLE}) k
    where s.kind <> ${REF_KIND}`;
  const byRef = sql`
    select s.key, s.value, p.id, null from person p join ${given} s on s.kind = ${REF_KIND} and s.value = p.ref
    where p.root_id = ${rootId} and p.ref = any(${values(sql`kind = ${REF_KIND}`)})`;
  // For merged people a key belongs to one person; where no one is merged, counting rows is the cheaper way to the same
  // result.
  const merged = await hasMerges(tx, rootId);
  const top = merged
    ? sql`coalesce((select m.top_id from person_merge m where m.root_id = ${rootId} and m.person_id = k.person_id and m.undone_at is null), k.person_id)`
    : sql`k.person_id`;
  const shared = merged
    ? sql`dense_rank() over (partition by key order by top_id) + dense_rank() over (partition by key order by top_id desc) - 1`
    : sql`count(*) over (partition by key)`;
  const lead = async (found: ReturnType<typeof sql>) => {
    await sql`create temp table signal_key on commit drop as
      select key, person_id, shared, rows, case when shared > 1 then value end as value
      from (
        select distinct on (key) key, value, person_id, ${shared} as shared, count(*) over (partition by key) as rows
        from (select k.*, ${top} as top_id from (${found} ${keys.kinds.includes(REF_KIND) ? sql`union all ${byRef}` : sql``}) k) k
        order by key, seen_at desc, person_id) k`.execute(tx);
    const { rows } = await sql<{ keys: string; rows: string }>`
      select count(*) as keys, coalesce(sum(rows), 0) as rows from pg_temp.signal_key`.execute(tx);
    return { keys: Number(rows[0]!.keys), rows: Number(rows[0]!.rows) };
  };
  let led = await lead(together);
  if (led.rows >= most) {
    await sql`drop table pg_temp.signal_key`.execute(tx);
    led = await lead(oneByOne);
  }
  return led.keys === keys.count;
}

/** Returns how many signals came in since an instant, and how many distinct keywords there are. */
export async function countSignals(tx: Tx, since: Date): Promise<{ signals: number; keywords: number }> {
  const { rows } = await sql<{ signals: string; keywords: string }>`
    select (select coalesce(sum(signals), 0) from signal_batch where created_at >= ${since}) as signals,
           (select count(*) from intent_term) as keywords`.execute(tx);
  return { signals: Number(rows[0]!.signals), keywords: Number(rows[0]!.keywords) };
}

/**
 * Returns the first and last day (UTC, YYYY-MM-DD) between `first` and `last` for which a root has signals; null if
 * there are none.
 */
export async function daysOfSignals(
  tx: Tx,
  rootId: string,
  first: Date,
  last: Date,
): Promise<{ starts_on: string | null; ends_on: string | null }> {
  // One probe per day into that day's partition, so that the whole log is never read.
  const { rows } = await sql<{ first: string | null; last: string | null }>`
    select to_char(min(day), 'YYYY-MM-DD') as first, to_char(max(day), 'YYYY-MM-DD') as last
    from generate_series(date_trunc('day', ${first}::timestamptz, 'UTC') at time zone 'UTC', ${last}::timestamptz at time zone 'UTC', interval '1 day') day
    where exists (select from signal s where s.root_id = ${rootId} and s.at >= day at time zone 'UTC'
                  and s.at < (day + interval '1 day') at time zone 'UTC')`.execute(tx);
  return { starts_on: rows[0]!.first, ends_on: rows[0]!.last };
}

/** Marks batches of signals as compared with every campaign. */
export async function markBatches(tx: Tx, ids: bigint[], at: Date): Promise<void> {
  await sql`update signal_batch set matched_at = ${at} where id = any(${ids.map(String)}::bigint[])`.execute(
    tx,
  );
}
