import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../../platform/db/scope.ts';
import { ANYBODY, type Search, type SearchModule } from '../../campaigns/campaigns/index.ts';
import { distinctKeywords, lookUpOf, PLACE, type Place, placesOf, stemsOf } from '../keywords/index.ts';
import { hasMerges } from '../people/index.ts';
import { fitting, keepAudiences } from './audience.store.ts';

/** For a job's statement over millions of rows: more memory, and more time than a request's statement gets. */
const LONG = sql`set local work_mem = '256MB'; set local statement_timeout = '30min'`;
/** Gives a job's transaction the time and memory that statements over millions of rows need. */
export async function takeLong(tx: Tx): Promise<void> {
  await LONG.execute(tx);
}

/** If one count has more terms than this, the planner chooses the query plan by itself. */
const FEW_TERMS = 20_000;

/** What the one query looks for. */
export interface Wanted {
  /** Rows of target (a number), term_id, kind of place, scope and bits of the target's places of that kind. */
  terms: RawBuilder<unknown>;
  /** Rows of key. */
  places: RawBuilder<unknown>;
  /**
   * A single search's terms and places, if its terms are few enough to be looked up one by one, so that nothing has to
   * be joined.
   */
  one?: { terms: number[]; places: Place[] };
  /**
   * Whether people of the root are merged, so that each signal's person has to be mapped to the one who represents
   * them.
   */
  merged: boolean;
  /** Whether some targets have an audience, which `keepAudiences` has staged. */
  hasAudiences: boolean;
}

/** What is counted: a search, matched the way its module does (Search ID's unless it says otherwise). */
export type Counted = Search & { module?: SearchModule };

/** Which signals are looked at: after `from` (exclusive) up to `until`, only from these batches. */
export interface Span {
  from: Date;
  until: Date;
  batches?: { first: bigint; last: bigint };
}

/** Returns what distinguishes the places of a target and kind from all others, in their keys. */
const scopeOf = (target: RawBuilder<unknown>, kind: RawBuilder<unknown>) =>
  sql`((${target}::bigint * 4 + ${kind}) << 40)`;
/**
 * Returns a place of a target as one number, so that the places of millions of signals can be looked up by it alone:
 * the numbers of states and zip codes stay below the scope, a city's is already a hash.
 */
const keyOf = (scope: RawBuilder<unknown>, place: RawBuilder<unknown>) => sql`(${scope} # ${place})`;
/**
 * Returns one of 64 bits for a place or its key: it rules out most places that a target does not want, so they need not
 * be looked up.
 */
const bitOf = (place: RawBuilder<unknown>) => sql`(1::bigint << (${place} & 63)::int)`;
/** The place of a signal, in the wanted kind. */
const PLACED = sql`case w.kind when 0 then 0 when 1 then s.state::bigint when 2 then s.city when 3 then s.zip::bigint end`;

/**
 * Returns the signals behind the one query: for each target's keywords, as rows of target, person_id, term_id, at,
 * strength and here (in the target's place). `onlyHere` leaves out all others.
 */
function signalsFor(rootId: string, wanted: Wanted, span: Span, onlyHere: boolean): RawBuilder<unknown> {
  const { batches, from, until } = span;
  const person = wanted.merged ? sql`coalesce(o.top_id, s.person_id) as person_id` : sql`s.person_id`;
  const tops = wanted.merged
    ? sql`left join person_merge o on o.root_id = ${rootId} and o.person_id = s.person_id and o.undone_at is null`
    : sql``;
  const looked = sql`s.root_id = ${rootId} and s.at > ${from} and s.at <= ${until}
    ${batches ? sql`and s.batch_id between ${batches.first} and ${batches.last}` : sql``}`;
  if (wanted.one) {
    const { terms, places } = wanted.one;
    const here = hereIn(places);
    return sql`
      select 0 as target, ${person}, s.term_id, s.at, s.strength, ${here} as here
      from signal s ${tops}
      where ${looked} and s.term_id = any(${terms}::int[]) ${onlyHere ? sql`and ${here}` : sql``}`;
  }
  return sql`
    select w.target, ${person}, s.term_id, s.at, s.strength, p.key is not null as here
    from (${wanted.terms}) w
    join signal s on s.term_id = w.term_id and ${looked} ${onlyHere ? sql`and w.bits & ${bitOf(PLACED)} <> 0` : sql``}
    ${tops}
    ${onlyHere ? sql`` : sql`left`} join (${wanted.places}) p on p.key = ${keyOf(sql`w.scope`, PLACED)}`;
}

/** Whether a signal is in one of some places. */
function hereIn(places: Place[]): RawBuilder<boolean> {
  const some = (kind: Place['kind'], column: RawBuilder<unknown>, type: RawBuilder<unknown>) => {
    const numbers = places.filter((one) => one.kind === kind).map((one) => one.place.toString());
    return numbers.length > 0 ? [sql`${column} = any(${numbers}::${type})`] : [];
  };
  if (places.some((one) => one.kind === PLACE.national)) return sql`true`;
  const ways = [
    ...some(PLACE.state, sql`s.state`, sql`smallint[]`),
    ...some(PLACE.city, sql`s.city`, sql`bigint[]`),
    ...some(PLACE.zip, sql`s.zip`, sql`integer[]`),
  ];
  return ways.length > 0 ? sql`((${sql.join(ways, sql` or `)}) is true)` : sql`false`;
}

/**
 * Returns the one query of counts and delivery (decision 0066): who showed signals of each target's keywords, as rows
 * of target, person_id, here (a signal in the target's place), and for those in the place signals, last_at and
 * strength. `onlyHere` leaves out everyone else, and adds the terms.
 */
export function matches(rootId: string, wanted: Wanted, span: Span, onlyHere: boolean): RawBuilder<unknown> {
  const found = sql`
    select m.target, m.person_id, bool_or(m.here) as here, count(*) filter (where m.here)::int as signals,
      max(m.at) filter (where m.here) as last_at, max(m.strength) filter (where m.here) as strength
      ${onlyHere ? sql`, (array_agg(m.term_id))[1:20] as terms` : sql``}
    from (${signalsFor(rootId, wanted, span, onlyHere)}) m
    group by m.target, m.person_id`;
  return wanted.hasAudiences ? fitting(rootId, found, wanted.merged) : found;
}

/**
 * Returns the terms that keywords (rows of target, words, hash, stems) match, as rows of target, term_id (a pair may
 * repeat): a phrase where stems is empty, otherwise all stems in any order, found by equality alone starting with the
 * rarest. A keyword shared by several targets is looked up once.
 */
function termsOf(rootId: string, keywords: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    with keyword as materialized (${keywords}),
    loose as materialized (select distinct stems from keyword where stems <> '{}'),
    held as materialized (
      select s.hash, (select count(*) from intent_phrase r where r.root_id = ${rootId} and r.hash = s.hash) as terms
      from (select distinct unnest(stems) as hash from loose) s),
    rare as materialized (
      select l.stems, (select h.hash from unnest(l.stems) s (hash) join held h on h.hash = s.hash order by h.terms, h.hash limit 1) as hash
      from loose l)
    select k.target, f.term_id from (
      select p.words, t.id as term_id from (select distinct words, hash from keyword where stems = '{}') p
      join intent_phrase r on r.root_id = ${rootId} and r.hash = p.hash
      join intent_term t on t.id = r.term_id and strpos(' ' || t.words || ' ', ' ' || p.words || ' ') > 0) f
    join keyword k on k.words = f.words and k.stems = '{}'
    union all
    select k.target, r.term_id from rare
    join intent_phrase r on r.root_id = ${rootId} and r.hash = rare.hash
    join keyword k on k.stems = rare.stems
    where not exists (
      select from unnest(rare.stems) s (hash) where s.hash <> rare.hash and not exists (
        select from intent_phrase o where o.root_id = ${rootId} and o.hash = s.hash and o.term_id = r.term_id))`;
}

/** Returns what one search looks for, by the root's current dictionary. */
export async function wantedBy(tx: Tx, rootId: string, search: Counted): Promise<Wanted> {
  const { module = 'locator' } = search;
  const words = distinctKeywords(search.keywords).map((one) => one.words);
  const stems = words.map((one) => (module === 'locator' ? '{}' : `{${stemsOf(one).join(',')}}`));
  const keywords = sql`
    select 0 as target, k.words, k.hash, k.stems::bigint[] as stems
    from unnest(${words}::text[], ${words.map((one) => lookUpOf(one).toString())}::bigint[], ${stems}::text[]) k (words, hash, stems)`;
  const { rows } = await sql<{ id: number }>`
    select distinct term_id as id from (${termsOf(rootId, keywords)}) found`.execute(tx);
  if (module === 'b2b') await keepAudiences(tx, [{ ...ANYBODY, ...search, target: 0 }]);
  const terms = rows.map((row) => row.id);
  const places = placesOf(search);
  const kinds = [...new Set(places.map((one) => one.kind))];
  return {
    terms: sql`select 0 as target, t.term_id, k.kind, ${scopeOf(sql`0`, sql`k.kind`)} as scope, -1::bigint as bits
      from unnest(${terms}::int[]) t (term_id), unnest(${kinds}::smallint[]) k (kind)`,
    places: sql`select ${keyOf(scopeOf(sql`0`, sql`p.kind`), sql`p.place`)} as key
      from unnest(${places.map((one) => one.kind)}::smallint[], ${places.map((one) => one.place.toString())}::bigint[]) p (kind, place)`,
    ...(terms.length <= FEW_TERMS ? { one: { terms, places } } : {}),
    merged: await hasMerges(tx, rootId),
    hasAudiences: module === 'b2b',
  };
}

/** Returns what a root's active campaigns with keywords, or one of them, look for; staged for the transaction. */
export async function wantedByCampaigns(tx: Tx, rootId: string, campaignId?: string): Promise<Wanted> {
  await sql`
    create temp table intent_target on commit drop as
    select (row_number() over ())::int as target, c.id as campaign_id, c.module, c.root_id, c.agency_id, c.company_id,
      (select coalesce(bit_or(a.theme), 0)::smallint from keyword_allowance a
        where a.root_id = c.root_id and a.for_company in (c.root_id, c.agency_id, c.company_id)) as themes
    from campaign c
    where c.root_id = ${rootId} and c.module in ('locator', 'enhance', 'b2b') and c.state = 'active'
      ${campaignId ? sql`and c.id = ${campaignId}` : sql``}`.execute(tx);
  // A small sample is enough for the planner.
  await sql`set local default_statistics_target = 10`.execute(tx);
  await sql`analyze pg_temp.intent_target`.execute(tx);
  await sql`
    create temp table intent_place on commit drop as
    select c.target, p.kind, ${keyOf(scopeOf(sql`c.target`, sql`p.kind`), sql`p.place`)} as key
    from pg_temp.intent_target c join campaign_place p on p.campaign_id = c.campaign_id`.execute(tx);
  const keywords = sql`
    select c.target, k.words, k.hash, k.stems
    from pg_temp.intent_target c join campaign_keyword k on k.campaign_id = c.campaign_id
    -- Keywords on a theme that is blocked since they were chosen are not looked for.
    where k.themes & ~c.themes = 0`;
  // In the order in which signals arrive, so that each look-up falls near the one before.
  await sql`
    create temp table intent_wanted on commit drop as
    select distinct t.target, t.term_id, p.kind, ${scopeOf(sql`t.target`, sql`p.kind`)} as scope, p.bits
    from (${termsOf(rootId, keywords)}) t
    join (select target, kind, bit_or(${bitOf(sql`key`)}) as bits from pg_temp.intent_place group by target, kind) p on p.target = t.target
    order by t.term_id`.execute(tx);
  const { rows: audiences } = await sql<Parameters<typeof keepAudiences>[1][number]>`
    select c.target, t.titles, t.seniorities, t.departments, t.industries, t.sizes
    from pg_temp.intent_target c join campaign_target t on t.campaign_id = c.campaign_id where c.module = 'b2b'`.execute(
    tx,
  );
  if (audiences.length > 0) await keepAudiences(tx, audiences);
  await sql`analyze pg_temp.intent_wanted, pg_temp.intent_place`.execute(tx);
  return {
    terms: sql`select target, term_id, kind, scope, bits from pg_temp.intent_wanted`,
    places: sql`select key from pg_temp.intent_place`,
    merged: await hasMerges(tx, rootId),
    hasAudiences: audiences.length > 0,
  };
}

/**
 * Makes a count, and stages the people found in the place for `foundPeople` (for the transaction). `shown`: everyone
 * with the signals, `people`: those of them whom the audience wants, `placed`: those of them in the place.
 */
export async function countMatches(
  tx: Tx,
  rootId: string,
  search: Counted,
  span: Span,
): Promise<{ shown: number; people: number; placed: number }> {
  await sql`${LONG}`.execute(tx);
  const wanted = await wantedBy(tx, rootId, search);
  const all = matches(rootId, { ...wanted, hasAudiences: false }, span, false);
  let shown: number | undefined;
  if (wanted.hasAudiences) {
    await sql`create temp table intent_shown on commit drop as ${all}`.execute(tx);
    await sql`analyze pg_temp.intent_shown`.execute(tx);
    const { rows } = await sql<{ n: string }>`select count(*) as n from pg_temp.intent_shown`.execute(tx);
    shown = Number(rows[0]!.n);
  }
  const found = wanted.hasAudiences
    ? fitting(rootId, sql`select * from pg_temp.intent_shown`, wanted.merged)
    : all;
  await sql`create temp table intent_found on commit drop as ${found}`.execute(tx);
  const { rows } = await sql<{ people: string; placed: string }>`
    select count(*) as people, count(*) filter (where here) as placed from pg_temp.intent_found`.execute(tx);
  const people = Number(rows[0]!.people);
  return { shown: shown ?? people, people, placed: Number(rows[0]!.placed) };
}

/** A person to whom signals led. */
export interface Found {
  person_id: string;
  signals: number;
  last_at: Date;
  strength: number;
}

/** The people in the place of the count that was just made, some at a time. */
export async function* foundPeople(tx: Tx, most: number): AsyncGenerator<Found[]> {
  await sql`declare intent_people no scroll cursor for
    select person_id, signals, last_at, strength from pg_temp.intent_found where here`.execute(tx);
  for (;;) {
    const { rows } = await sql<Found>`fetch ${sql.raw(String(most))} from intent_people`.execute(tx);
    if (rows.length === 0) break;
    yield rows;
  }
  await sql`close intent_people`.execute(tx);
}

// Signals are joined with terms first and then places, as written, each by a hash table: sorting what the signals are
// joined with costs more than everything else, and a campaign's terms multiplied by its places can be 40 million rows.
const HASHED = sql`set local enable_mergejoin = off; set local join_collapse_limit = 1`;

/**
 * Packs what the wanted campaigns found in the batches of a span and stores it for `unpack`. One row per campaign: a
 * row for each person would cost more than the whole search.
 */
export async function packMatches(
  tx: Tx,
  rootId: string,
  wanted: Wanted,
  span: Span & { batches: { last: bigint } },
  now: Date,
): Promise<void> {
  await sql`${LONG}`.execute(tx);
  await sql`${HASHED}; set local enable_sort = off`.execute(tx);
  const signals = signalsFor(rootId, wanted, span, true);
  await sql`
    insert into intent_match (campaign_id, batch_id, root_id, agency_id, company_id, people, terms, ats, strengths, signals, created_at)
    select c.campaign_id, ${span.batches.last}::bigint, c.root_id, c.agency_id, c.company_id, m.people, m.terms, m.ats, m.strengths, m.signals, ${now}::timestamptz
    from (
      select target, array_agg(person_id) as people, array_agg(term_id) as terms, array_agg(at) as ats, array_agg(strength) as strengths,
        count(*)::int as signals
      from (${wanted.hasAudiences ? fitting(rootId, signals, wanted.merged) : signals}) s
      group by target) m
    join pg_temp.intent_target c on c.target = m.target`.execute(tx);
}

/** Turns some campaigns' packs into candidates, oldest first; returns how many packs that were. */
export async function unpack(tx: Tx, rootId: string, most: number, now: Date): Promise<number> {
  await sql`${LONG}`.execute(tx);
  const packs = await sql<{ campaign_id: string; batch_id: string }>`
    select campaign_id, batch_id::text from intent_match where root_id = ${rootId}
    order by batch_id limit ${most} for update skip locked`.execute(tx);
  const ids = packs.rows;
  if (ids.length === 0) return 0;
  // People merged since then are mapped to the person they are now.
  const merged = await hasMerges(tx, rootId);
  await keepCandidates(
    tx,
    sql`
    select p.campaign_id, ${merged ? sql`coalesce(o.top_id, s.person_id)` : sql`s.person_id`} as person_id,
      count(*)::int as signals, max(s.at) as last_at, max(s.strength) as strength, (array_agg(s.term_id))[1:20] as terms
    from unnest(${ids.map((one) => one.campaign_id)}::uuid[], ${ids.map((one) => one.batch_id)}::bigint[]) w (campaign_id, batch_id)
    join intent_match p on p.campaign_id = w.campaign_id and p.batch_id = w.batch_id
    cross join lateral unnest(p.people, p.terms, p.ats, p.strengths) s (person_id, term_id, at, strength)
    ${merged ? sql`left join person_merge o on o.root_id = ${rootId} and o.person_id = s.person_id and o.undone_at is null` : sql``}
    group by 1, 2`,
    now,
  );
  await sql`
    delete from intent_match p
    using unnest(${ids.map((one) => one.campaign_id)}::uuid[], ${ids.map((one) => one.batch_id)}::bigint[]) w (campaign_id, batch_id)
    where p.campaign_id = w.campaign_id and p.batch_id = w.batch_id`.execute(tx);
  return ids.length;
}

/** Adds the people that the wanted campaigns found as candidates. */
export async function addCandidates(
  tx: Tx,
  rootId: string,
  wanted: Wanted,
  span: Span,
  now: Date,
): Promise<void> {
  await sql`${LONG}`.execute(tx);
  await sql`${HASHED}`.execute(tx);
  const found = sql`
    select c.campaign_id, m.* from (${matches(rootId, wanted, span, true)}) m join pg_temp.intent_target c on c.target = m.target`;
  await keepCandidates(tx, found, now);
}

/**
 * Stores rows of `matches`, with their campaign_id, as candidates; a new signal of a settled person reopens the
 * candidate.
 */
async function keepCandidates(tx: Tx, found: RawBuilder<unknown>, now: Date): Promise<void> {
  await sql`
    insert into intent_candidate (campaign_id, person_id, root_id, agency_id, company_id, terms, signals, strength, last_at, retry_at, created_at)
    select m.campaign_id, m.person_id, c.root_id, c.agency_id, c.company_id, m.terms, m.signals, m.strength, m.last_at,
      ${now}::timestamptz, ${now}::timestamptz
    from (${found}) m join campaign c on c.id = m.campaign_id
    order by m.campaign_id, m.person_id
    on conflict (campaign_id, person_id) do update set
      terms = (array(select distinct one from unnest(excluded.terms || intent_candidate.terms) one))[1:20],
      signals = excluded.signals, strength = greatest(excluded.strength, intent_candidate.strength), last_at = excluded.last_at,
      retry_at = excluded.retry_at, outcome = null, settled_at = null
      where intent_candidate.last_at < excluded.last_at`.execute(tx);
}
