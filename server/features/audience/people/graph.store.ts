import { once } from 'node:events';
import { type Selectable, sql } from 'kysely';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { type InformationKey, PROFILE_KEYS } from '../../../../contract/audience/enrichment-fields.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import { listed, type Staged } from './copy.ts';
import { CONTENT, KIND, MOST_CONTACT_KEYS, MOST_PEOPLE, MOST_PLACE_KEYS, PLACE_KINDS } from './model.ts';
import { employeesOf } from './row.policy.ts';

/** The result of a merge; `same` counts staged people who did not change. */
export interface Merged {
  added: number;
  changed: number;
  same: number;
  keysAdded: number;
  /** Those of whom nothing was merged, because their person would have too many keys, by `at`. */
  refused: number[];
  /** How many devices and IP addresses of the others no room was left for, by `at`. */
  cut: { at: number; count: number }[];
}

/** The owner columns of everything in a root's graph. */
export const ownerOf = (rootId: string): Owner => ({ root_id: rootId, agency_id: null, company_id: rootId });

async function makeStage(tx: Tx): Promise<void> {
  // A temporary table has no row security and is invisible to other sessions; its content still passes through the real
  // tables' protections.
  await sql`create temp table if not exists person_stage (
    id uuid not null, known_id uuid, known_keys int, ref bytea not null, at bigint not null, keys bytea[] not null,
    ${sql.raw(CONTENT.map((column) => `${column} text`).join(', '))}
  ) on commit drop`.execute(tx);
  await sql`truncate pg_temp.person_stage`.execute(tx);
}

/** Writes the staged profiles; returns the ids of the people whose profiles changed. */
function upsertProfiles(rootId: string, file: Buffer | null, now: Date) {
  const columns = sql.raw(PROFILE_KEYS.join(', '));
  const merged = (key: string) => sql.raw(`coalesce(excluded.${key}, p.${key})`);
  return sql`insert into person_profile as p (root_id, agency_id, company_id, person_id, employees, ${columns}, source_file, source_at, updated_at)
    select ${rootId}::uuid, null, ${rootId}::uuid, coalesce(s.known_id, s.id), f.employees,
      ${sql.raw(PROFILE_KEYS.map((key) => `f.${key}`).join(', '))}, ${file}::bytea, f.at, ${now}::timestamptz
    from pg_temp.profile_stage f join pg_temp.person_stage s on s.ref = f.ref
    on conflict (root_id, person_id) do update
      set ${sql.join(PROFILE_KEYS.map((key) => sql`${sql.raw(key)} = ${merged(key)}`))},
        employees = case when excluded.company_size is null then p.employees else excluded.employees end,
        source_file = excluded.source_file, source_at = excluded.source_at, updated_at = excluded.updated_at
      where (${sql.join(PROFILE_KEYS.map(merged))}) is distinct from (${sql.join(PROFILE_KEYS.map((key) => sql.raw(`p.${key}`)))})
        and not coalesce(p.source_file = excluded.source_file and p.source_at > excluded.source_at, false)
    returning p.person_id`;
}

/** Stages people by COPY; `client` must be the connection of `tx`. */
export async function stageByCopy(tx: Tx, client: pg.ClientBase, data: Uint8Array): Promise<void> {
  await makeStage(tx);
  const stream = client.query(
    copyFrom(`copy pg_temp.person_stage (id, ref, at, keys, ${CONTENT.join(', ')}) from stdin`),
  );
  const finished = once(stream, 'finish');
  stream.end(data);
  await finished;
}

async function makeProfileStage(tx: Tx): Promise<void> {
  await sql`create temp table if not exists profile_stage (
    ref bytea not null, at bigint not null, employees int, ${sql.raw(PROFILE_KEYS.map((key) => `${key} text`).join(', '))}
  ) on commit drop`.execute(tx);
  await sql`truncate pg_temp.profile_stage`.execute(tx);
}

/** Stages profiles of staged people by COPY; `client` must be the connection of `tx`. */
export async function stageProfiles(tx: Tx, client: pg.ClientBase, data: Uint8Array): Promise<void> {
  await makeProfileStage(tx);
  const stream = client.query(
    copyFrom(`copy pg_temp.profile_stage (ref, at, employees, ${PROFILE_KEYS.join(', ')}) from stdin`),
  );
  const finished = once(stream, 'finish');
  stream.end(data);
  await finished;
}

/** Stages a few people where there is no connection for COPY; returns whether they have profiles. */
export async function stageByInsert(tx: Tx, people: readonly Staged[]): Promise<boolean> {
  await makeStage(tx);
  const rows = people.map(({ id, ref, at, content, keys }) => ({
    id,
    ref: `\\x${ref}`,
    at,
    keys: keys.map((key) => `\\x${listed(key)}`),
    ...content,
  }));
  const columns = sql.raw(`id, ref, at, keys, ${CONTENT.join(', ')}`);
  await sql`insert into pg_temp.person_stage (${columns})
    select ${columns} from json_populate_recordset(null::pg_temp.person_stage, ${JSON.stringify(rows)}::json)`.execute(
    tx,
  );
  const profiles = people.flatMap(({ ref, at, profile }) =>
    profile ? [{ ref: `\\x${ref}`, at, employees: employeesOf(profile.company_size), ...profile }] : [],
  );
  if (profiles.length === 0) return false;
  await makeProfileStage(tx);
  await sql`insert into pg_temp.profile_stage
    select * from json_populate_recordset(null::pg_temp.profile_stage, ${JSON.stringify(profiles)}::json)`.execute(
    tx,
  );
  return true;
}

/**
 * Merges what is staged (each `ref` once) into a root's graph. What a source does not state stays as it was; a row does
 * not undo the change made by a later row of the same file.
 * @param file the first bytes of the file's SHA-256, null where there is no file
 * @param profiled whether profiles are staged, too: they are merged by the same rules, each separately
 */
export async function mergeStage(
  tx: Tx,
  rootId: string,
  source: string,
  file: Buffer | null,
  staged: number,
  now: Date,
  profiled = false,
): Promise<Merged> {
  await lockGraph(tx, rootId);
  await sql`set local work_mem = '64MB'`.execute(tx);
  const columns = sql.raw(`keys, ${CONTENT.join(', ')}`);
  const added = await count(
    tx,
    sql`insert into person (id, root_id, agency_id, company_id, ref, ${columns}, source, source_file, source_at, created_at, updated_at)
      select id, ${rootId}::uuid, null, ${rootId}::uuid, ref, ${columns}, ${source}, ${file}::bytea, at, ${now}::timestamptz, ${now}::timestamptz
      from pg_temp.person_stage
      on conflict (root_id, ref) do nothing`,
  );
  const addKeys = (people: ReturnType<typeof sql>) =>
    sql`insert into identity_key (root_id, agency_id, company_id, kind, value, person_id, source, seen_at)
      select ${rootId}::uuid, null, ${rootId}::uuid, get_byte(key, 0), substring(key from 2), person_id, ${source}, ${now}::timestamptz
      from (${people}) found (person_id, keys), unnest(keys) key
      order by key`; // neighbors in the index one after the other
  const upsert = upsertProfiles(rootId, file, now);
  if (added === staged) {
    if (profiled) await upsert.execute(tx);
    const keysAdded = await count(tx, addKeys(sql`select id, keys from pg_temp.person_stage`));
    return { added, changed: 0, same: 0, keysAdded, refused: [], cut: [] };
  }
  // The inner look-up has a limit so that it uses the index, row by row, whatever the planner estimates the sizes to
  // be.
  await sql`update pg_temp.person_stage s set known_id = found.id, known_keys = found.held
    from (select t.id as staged_id, p.id, p.held from pg_temp.person_stage t
          cross join lateral (select id, cardinality(keys) as held from person where root_id = ${rootId} and ref = t.ref limit 1) p) found
    where s.id = found.staged_id and found.id <> s.id`.execute(tx);
  const { refused, cut } = await fitKeys(tx, rootId);
  const merged = (column: string) => sql.raw(`coalesce(s.${column}, p.${column})`);
  const set = sql.join(CONTENT.map((column) => sql`${sql.raw(column)} = ${merged(column)}`));
  const update = sql`update person p
      set ${set}, source = ${source}, source_file = ${file}::bytea, source_at = s.at, updated_at = ${now}::timestamptz
      from pg_temp.person_stage s
      where p.root_id = ${rootId} and p.id = s.known_id
        and (${sql.join(CONTENT.map(merged))}) is distinct from (${sql.join(CONTENT.map((column) => sql.raw(`p.${column}`)))})
        and not coalesce(p.source_file = ${file}::bytea and p.source_at > s.at, false)`;
  const changed = profiled
    ? (
        await sql<{ count: number }>`
          with changed as (${update} returning p.id), profiled as (${upsert})
          select count(*)::int as count from (select id from changed
            union select p.person_id from profiled p join pg_temp.person_stage s on s.known_id = p.person_id) either`.execute(
          tx,
        )
      ).rows[0]!.count
    : await count(tx, update);
  await sql`update person p set keys = p.keys || array(select key from unnest(s.keys) key where key <> all (p.keys))
    from pg_temp.person_stage s
    where p.root_id = ${rootId} and p.id = s.known_id and s.known_keys + cardinality(s.keys) <= ${MOST_UNCHECKED}
      and not p.keys @> s.keys`.execute(tx);
  const keysAdded = await count(
    tx,
    sql`${addKeys(sql`select coalesce(known_id, id), keys from pg_temp.person_stage`)} on conflict do nothing`,
  );
  return { added, changed, same: staged - added - changed - refused.length, keysAdded, refused, cut };
}

/** Two rows with this many keys between them reach no limit, and may be compared key by key. */
const MOST_UNCHECKED = Math.min(MOST_CONTACT_KEYS, MOST_PLACE_KEYS);

/**
 * Gives known people with many keys those of their staged keys that are new and fit, and leaves only those staged. Takes
 * people from the stage whose addresses and numbers do not fit: nothing is kept of a person but what finds them. Linear
 * in the number of keys, also for people from before there were limits.
 */
async function fitKeys(tx: Tx, rootId: string): Promise<Pick<Merged, 'refused' | 'cut'>> {
  const isPlace = sql`get_byte(key, 0) in (${sql.join(PLACE_KINDS.map((kind) => sql.lit(kind)))})`;
  const { rows } = await sql<{ at: string; refused: boolean; cut: number }>`
    with many as materialized (
      select s.id, s.known_id, s.at, p.keys as known, array(select unnest(s.keys) except select unnest(p.keys)) as fresh
      from pg_temp.person_stage s
      cross join lateral (select keys from person where root_id = ${rootId} and id = s.known_id limit 1) p
      where s.known_keys + cardinality(s.keys) > ${MOST_UNCHECKED}
    ), parts as materialized (
      select id, known_id, at, cardinality(known) as held,
        (select count(*) from unnest(known) key where ${isPlace})::int as held_places,
        array(select key from unnest(fresh) key where not ${isPlace} order by 1) as contacts,
        array(select key from unnest(fresh) key where ${isPlace} order by 1) as places
      from many
    ), fitted as materialized (
      select id, known_id, at, contacts || places[1:greatest(0, ${MOST_PLACE_KEYS}::int - held_places)] as kept,
        cardinality(contacts) > 0 and held - held_places + cardinality(contacts) > ${MOST_CONTACT_KEYS} as refused,
        greatest(0, cardinality(places) - greatest(0, ${MOST_PLACE_KEYS}::int - held_places)) as cut
      from parts
    ), gone as (
      delete from pg_temp.person_stage s using fitted f where s.id = f.id and f.refused
    ), left_staged as (
      update pg_temp.person_stage s set keys = f.kept from fitted f where s.id = f.id and not f.refused
    ), given as (
      update person p set keys = p.keys || f.kept from fitted f
      where p.root_id = ${rootId} and p.id = f.known_id and not f.refused and cardinality(f.kept) > 0
    )
    select at, refused, cut from fitted where refused or cut > 0`.execute(tx);
  return {
    refused: rows.filter((row) => row.refused).map((row) => Number(row.at)),
    cut: rows.filter((row) => !row.refused).map(({ at, cut }) => ({ at: Number(at), count: cut })),
  };
}

/** Merges into one graph run one after the other: two that touched the same people would deadlock. */
async function lockGraph(tx: Tx, rootId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`people of ${rootId}`}, 0))`.execute(tx);
}

async function count(tx: Tx, statement: ReturnType<typeof sql>): Promise<number> {
  return Number((await statement.execute(tx)).numAffectedRows ?? 0n);
}

/** One key to look up: `visit` is the index of the visit it came with. */
export interface Probe {
  visit: number;
  kind: number;
  value: Buffer;
}

/** A row of the graph that a probe led to, and the person who represents it. */
export interface Hit {
  visit: number;
  kind: number;
  person_id: string;
  top_id: string;
  source: string;
  seen_at: Date;
}

/** Looks up keys of many visits in one query, each by the primary key's index and for at most MOST_PEOPLE people. */
export async function findPeople(tx: Tx, rootId: string, probes: readonly Probe[]): Promise<Hit[]> {
  const { rows } = await sql<Hit>`
    select p.visit, p.kind, k.person_id, coalesce(m.top_id, k.person_id) as top_id, k.source, k.seen_at
    from unnest(${probes.map((p) => p.visit)}::int[], ${probes.map((p) => p.kind)}::smallint[], ${probes.map((p) => p.value)}::bytea[])
      p (visit, kind, value)
    cross join lateral (
      select person_id, source, seen_at from identity_key
      where root_id = ${rootId} and kind = p.kind and value = p.value
      order by person_id limit ${MOST_PEOPLE}) k
    left join person_merge m on m.root_id = ${rootId} and m.person_id = k.person_id and m.undone_at is null`.execute(
    tx,
  );
  return rows;
}

/** A key that a visit showed to belong to a person. */
export interface Learned {
  personId: string;
  kind: number;
  value: Buffer;
  at: Date;
}

/**
 * Remembers keys of people (each person, kind and value once). A known key's last-seen time is only updated when it is
 * more than a day old; an IP address already shared by MOST_PEOPLE is not given to another person.
 */
export async function rememberKeys(
  tx: Tx,
  rootId: string,
  keys: readonly Learned[],
  source: string,
): Promise<void> {
  // The people are found by the index, row by row, whatever the planner estimates the sizes to be, and locked once.
  await sql`
    with p as materialized (
      select found.id from unnest(${[...new Set(keys.map((k) => k.personId))]}::uuid[]) wanted (id)
      cross join lateral (select id from person where root_id = ${rootId} and id = wanted.id limit 1 for key share) found)
    insert into identity_key (root_id, agency_id, company_id, kind, value, person_id, source, seen_at)
    select ${rootId}::uuid, null, ${rootId}::uuid, l.kind, l.value, l.person_id, ${source}, l.at
    from unnest(${keys.map((k) => k.personId)}::uuid[], ${keys.map((k) => k.kind)}::smallint[], ${keys.map((k) => k.value)}::bytea[],
                ${keys.map((k) => k.at)}::timestamptz[]) l (person_id, kind, value, at)
    join p on p.id = l.person_id
    where l.kind <> ${KIND.ip} or ${MOST_PEOPLE} > (
      select count(*) from (
        select from identity_key k where k.root_id = ${rootId} and k.kind = l.kind and k.value = l.value limit ${MOST_PEOPLE}) shared)
    order by l.kind, l.value, l.person_id
    on conflict (root_id, kind, value, person_id) do update set seen_at = excluded.seen_at
      where identity_key.seen_at < excluded.seen_at - interval '1 day'`.execute(tx);
}

export type PersonRow = Selectable<Schema['person']>;

/** `members`: the rows of the graph that each of these ids stands for, with the person who represents them. */
const members = (rootId: string, ids: readonly string[]) => sql`
    tops as (
      select w.id as wanted_id, coalesce(m.top_id, w.id) as top_id from unnest(${ids}::uuid[]) w (id)
      left join person_merge m on m.root_id = ${rootId} and m.person_id = w.id and m.undone_at is null
    ), members as (
      select wanted_id, top_id, top_id as id, null::timestamptz as merged_at from tops
      union all
      select t.wanted_id, t.top_id, m.person_id, m.merged_at from tops t
      join person_merge m on m.root_id = ${rootId} and m.top_id = t.top_id and m.undone_at is null
    )`;

/**
 * Returns the rows with these ids (those that exist), each with all rows merged with it; the one that represents them
 * comes first.
 */
export async function peopleByIds(
  tx: Tx,
  rootId: string,
  ids: readonly string[],
): Promise<(PersonRow & { wanted_id: string; top_id: string })[]> {
  const { rows } = await sql<PersonRow & { wanted_id: string; top_id: string }>`
    with ${members(rootId, ids)}
    select p.*, w.wanted_id, w.top_id from members w
    cross join lateral (select * from person where root_id = ${rootId} and id = w.id limit 1) p
    order by w.merged_at nulls first, p.id`.execute(tx);
  return rows;
}

/** What is known about people beyond how to reach them, by the catalog's keys. */
export type Profile = Record<InformationKey, string | null>;

/** Returns the profiles of the people with these ids; people who do not exist are left out. */
export async function profilesOf(
  tx: Tx,
  rootId: string,
  ids: readonly string[],
): Promise<Map<string, Profile>> {
  if (ids.length === 0) return new Map();
  const columns = sql.raw(PROFILE_KEYS.map((key) => `f.${key}`).join(', '));
  const { rows } = await sql<Profile & { wanted_id: string }>`
    with ${members(rootId, ids)}
    select w.wanted_id, p.job_title, p.company_name, ${columns} from members w
    cross join lateral (select job_title, company_name from person where root_id = ${rootId} and id = w.id limit 1) p
    left join lateral (select * from person_profile where root_id = ${rootId} and person_id = w.id limit 1) f on true
    order by w.merged_at nulls first, w.id`.execute(tx);
  // For merged people, fields missing from the one who represents them are filled in from the others.
  const known = new Map<string, Profile>();
  for (const { wanted_id, ...profile } of rows) {
    const first = known.get(wanted_id);
    if (!first) known.set(wanted_id, profile as Profile);
    else
      Object.assign(
        first,
        Object.fromEntries(Object.entries(profile).filter(([key]) => first[key as keyof Profile] === null)),
      );
  }
  return known;
}

/** Returns what is kept apart from people, by their ids: only of rows that have any of it. */
export async function profileRows(
  tx: Tx,
  rootId: string,
  ids: readonly string[],
): Promise<Map<string, Partial<Profile>>> {
  const columns = sql.raw(PROFILE_KEYS.map((key) => `f.${key}`).join(', '));
  const { rows } = await sql<Partial<Profile> & { person_id: string }>`
    select f.person_id, ${columns} from unnest(${ids}::uuid[]) w (id)
    cross join lateral (select * from person_profile where root_id = ${rootId} and person_id = w.id limit 1) f`.execute(
    tx,
  );
  return new Map(rows.map(({ person_id, ...profile }) => [person_id, profile as Partial<Profile>]));
}

/** How many people and keys the scope's graph holds. */
export async function countGraph(tx: Tx): Promise<{ people: number; keys: number }> {
  const { rows } = await sql<{ people: bigint; keys: bigint }>`
    select (select count(*) from person) - (select count(*) from person_merge where undone_at is null) as people, (select count(*) from identity_key) as keys`.execute(
    tx,
  );
  return { people: Number(rows[0]!.people), keys: Number(rows[0]!.keys) };
}

/** Everyone who has one of these keys, by the keys' positions: for merged people, who represents them. */
export async function holdersOf(
  tx: Tx,
  rootId: string,
  keys: readonly { kind: number; value: Buffer }[],
): Promise<Set<string>[]> {
  const { rows } = await sql<{ n: bigint; id: string }>`
    select distinct w.n, coalesce(m.top_id, k.person_id) as id
    from unnest(${keys.map((key) => key.kind)}::smallint[], ${keys.map((key) => key.value)}::bytea[])
      with ordinality w (kind, value, n)
    join identity_key k on k.root_id = ${rootId}::uuid and k.kind = w.kind and k.value = w.value
    left join person_merge m on m.root_id = k.root_id and m.person_id = k.person_id and m.undone_at is null`.execute(
    tx,
  );
  const holders = keys.map(() => new Set<string>());
  for (const { n, id } of rows) holders[Number(n) - 1]!.add(id);
  return holders;
}

/**
 * Deletes these people, with everyone they were merged with, their keys and profiles, and what imports left out that names
 * them. Returns how many rows of the graph there were.
 */
export async function erasePeople(
  tx: Tx,
  rootId: string,
  ids: readonly string[],
  named: readonly string[],
): Promise<number> {
  await sql`delete from import_error where root_id = ${rootId}::uuid and lower(value) = any(${named}::text[])`.execute(
    tx,
  );
  const { rows } = await sql<{ id: string }>`
    delete from person where root_id = ${rootId}::uuid and id = any(${ids}::uuid[]) returning id`.execute(tx);
  return rows.length;
}
