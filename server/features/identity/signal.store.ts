import { once } from 'node:events';
import { sql } from 'kysely';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Db, Tx } from '../../platform/db/scope.ts';
import { type Keyword, runsOf } from '../keywords/index.ts';
import { ownerOf } from './graph.store.ts';
import { KEY_WORTH, PER_SHARER } from './match.policy.ts';
import { hasMerges } from './merge.store.ts';
import { MOST_PEOPLE } from './model.ts';
import { REF_KIND, type Signal } from './signal.policy.ts';

/** Makes the table's partitions of these days (UTC), where they are missing. */
export async function ensurePartitions(db: Db, first: Date, last: Date): Promise<void> {
  const day = (date: Date) => date.toISOString().slice(0, 10);
  await sql`call ensure_signal_partitions(${day(first)}::date, ${day(last)}::date)`.execute(db);
}

/** Drops the signals of days before `before` (UTC); answers how many days that were. */
export async function dropBefore(db: Db, before: Date): Promise<number> {
  const { rows } = await sql<{ dropped: number }>`
    select drop_signal_partitions(${before.toISOString().slice(0, 10)}::date) as dropped`.execute(db);
  return rows[0]!.dropped;
}

/** The ids of keywords in a root's dictionary, by their comparable form; those that are new to it are added. */
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
  // In one order, so that two imports that add the same ones do not wait for each other for ever.
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
  const runs = added.flatMap(({ id, words }) => runsOf(words).map((hash) => ({ id, hash })));
  await sql`
    insert into intent_phrase (root_id, company_id, hash, term_id)
    select ${rootId}::uuid, ${company_id}::uuid, r.hash, r.id
    from unnest(${runs.map((run) => run.hash.toString())}::bigint[], ${runs.map((run) => run.id)}::int[]) r (hash, id)
    order by r.hash, r.id on conflict do nothing`.execute(tx);
  for (const row of added) ids.set(row.words, row.id);
  const others = missing.map((one) => one.words).filter((words) => !ids.has(words));
  if (others.length > 0) await look(others);
  return ids;
}

/** One signal in COPY's text format. `at` is where its row begins, `term` its keyword's place in the batch's list, from 1. */
export function signalLine(signal: Signal, at: number, term: number): string {
  const { kind, value, state, city, zip, url } = signal;
  const text = url && /[\\\t]/.test(url) ? url.replace(/[\\\t]/g, (c) => (c === '\\' ? '\\\\' : '\\t')) : url;
  return `${at}\t${kind}\t\\\\x${value}\t${term}\t${new Date(signal.at).toISOString()}\t${state ?? '\\N'}\t${zip ?? '\\N'}\t${city ?? '\\N'}\t${text ?? '\\N'}\n`;
}

/**
 * Takes a batch of signals in, in COPY's text format: each goes to the person whom its key leads to (of several the one seen last),
 * and one that is there already changes nothing. `client` is the connection of `tx`. Answers how many are new, and where the rows
 * begin that are about nobody who is known.
 */
export async function mergeSignals(
  tx: Tx,
  client: pg.ClientBase,
  given: { rootId: string; importId: string; data: Buffer; terms: number[]; now: Date },
): Promise<{ added: number; unknown: number[] }> {
  const { rootId, importId, data, terms, now } = given;
  await sql`create temp table if not exists signal_stage (
    row_at bigint not null, kind smallint not null, value bytea not null, term integer not null, at timestamptz not null,
    state smallint, zip integer, city bigint, url text
  ) on commit drop`.execute(tx);
  const stream = client.query(copyFrom('copy pg_temp.signal_stage from stdin'));
  const finished = once(stream, 'finish');
  stream.end(data);
  await finished;
  const batch = await sql<{ id: bigint }>`
    insert into signal_batch (root_id, company_id, import_id, signals, created_at)
    values (${rootId}, ${rootId}, ${importId}, 0, ${now}) returning id`.execute(tx);
  const batchId = batch.rows[0]!.id;
  const worth = Object.entries(KEY_WORTH);
  await sql`set local work_mem = '64MB'`.execute(tx);
  // Of merged people a key is one person's; where nobody is merged, counting rows is the cheaper way to the same.
  const merged = await hasMerges(tx, rootId);
  const people = merged
    ? sql`dense_rank() over (partition by row_at order by top_id) + dense_rank() over (partition by row_at order by top_id desc) - 1`
    : sql`count(*) over (partition by row_at)`;
  const top = merged
    ? sql`coalesce((select m.top_id from person_merge m where m.root_id = ${rootId} and m.person_id = k.person_id and m.undone_at is null), k.person_id)`
    : sql`k.person_id`;
  const { rows } = await sql<{ added: number; unknown: string[] | null }>`
    with led as (
      select s.*, k.person_id, ${top} as top_id, k.seen_at from pg_temp.signal_stage s
      left join lateral (
        select person_id, seen_at from identity_key
        where root_id = ${rootId} and kind = s.kind and value = s.value limit ${MOST_PEOPLE}) k on true
      where s.kind <> ${REF_KIND}
      union all
      select s.*, p.id, p.id, null from pg_temp.signal_stage s
      left join lateral (select id from person where root_id = ${rootId} and ref = s.value limit 1) p on true
      where s.kind = ${REF_KIND}
    ), found as materialized (
      select distinct on (row_at) *, (${people})::int as people
      from led order by row_at, seen_at desc, person_id
    ), taken as (
      insert into signal (root_id, company_id, term_id, person_id, at, state, zip, city, strength, key_kind, batch_id, url, shared_key)
      select ${rootId}::uuid, ${rootId}::uuid, (${terms}::int[])[f.term], f.person_id, f.at, f.state, f.zip, f.city,
        greatest((2 * w.worth + f.people) / (2 * f.people), w.worth - ${PER_SHARER} * (f.people - 1), 1), f.kind, ${batchId}, f.url,
        case when f.people > 1 then f.value end
      from found f
      join unnest(${worth.map(([kind]) => Number(kind))}::smallint[], ${worth.map(([, value]) => value)}::int[]) w (kind, worth) on w.kind = f.kind
      where f.person_id is not null
      order by (${terms}::int[])[f.term], f.person_id
      on conflict do nothing
      returning 1
    )
    select (select count(*)::int from taken) as added,
      (select array_agg(row_at order by row_at)::text[] from found where person_id is null) as unknown`.execute(
    tx,
  );
  const { added, unknown } = rows[0]!;
  if (added > 0) await sql`update signal_batch set signals = ${added} where id = ${batchId}`.execute(tx);
  else await sql`update signal_batch set matched_at = ${now} where id = ${batchId}`.execute(tx);
  return { added, unknown: (unknown ?? []).map(Number) };
}

/** How many signals came since an instant, and how many distinct keywords there are. */
export async function countSignals(tx: Tx, since: Date): Promise<{ signals: number; keywords: number }> {
  const { rows } = await sql<{ signals: string; keywords: string }>`
    select (select coalesce(sum(signals), 0) from signal_batch where created_at >= ${since}) as signals,
           (select count(*) from intent_term) as keywords`.execute(tx);
  return { signals: Number(rows[0]!.signals), keywords: Number(rows[0]!.keywords) };
}

/** The first and last day (UTC, YYYY-MM-DD) of those from `first` to `last` that a root has signals of; null: of none. */
export async function daysOfSignals(
  tx: Tx,
  rootId: string,
  first: Date,
  last: Date,
): Promise<{ startDate: string | null; endDate: string | null }> {
  // A probe a day into that day's partition: the whole log is never read.
  const { rows } = await sql<{ first: string | null; last: string | null }>`
    select to_char(min(day), 'YYYY-MM-DD') as first, to_char(max(day), 'YYYY-MM-DD') as last
    from generate_series(date_trunc('day', ${first}::timestamptz, 'UTC') at time zone 'UTC', ${last}::timestamptz at time zone 'UTC', interval '1 day') day
    where exists (select from signal s where s.root_id = ${rootId} and s.at >= day at time zone 'UTC'
                  and s.at < (day + interval '1 day') at time zone 'UTC')`.execute(tx);
  return { startDate: rows[0]!.first, endDate: rows[0]!.last };
}
