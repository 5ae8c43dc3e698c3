import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/scope.ts';
import { WAIT_MS } from './policy.ts';

/** Returns batches of imports that no campaign has processed yet, oldest first; locked until the transaction ends. */
export async function newBatches(tx: Tx, rootId: string, most: number): Promise<bigint[]> {
  const rows = await tx
    .selectFrom('signal_batch')
    .select('id')
    .where('root_id', '=', rootId)
    .where('matched_at', 'is', null)
    .orderBy('id')
    .limit(most)
    .forUpdate()
    .skipLocked()
    .execute();
  return rows.map((row) => row.id);
}

/** A candidate to be judged. */
export interface Candidate {
  campaign_id: string;
  person_id: string;
  root_id: string;
  agency_id: string;
  company_id: string;
  terms: number[];
  strength: number;
  last_at: Date;
}

/**
 * The campaigns of a root with a candidate whose time has come, as rows of campaign_id, from_at (exclusive; earlier ones
 * wait with their campaign), retry_at (the first). Each is looked up by itself: what waits can be millions, and is not read.
 */
const dueCampaigns = (rootId: string, now: Date) => sql`
    select t.campaign_id, t.from_at, f.retry_at
    from (
      select campaign_id, case when waits_since > ${new Date(now.getTime() - WAIT_MS)} then waits_since else '-infinity' end as from_at
      from campaign_target where root_id = ${rootId}) t
    cross join lateral (
      select retry_at from intent_candidate
      where campaign_id = t.campaign_id and outcome is null and retry_at > t.from_at and retry_at <= ${now}
      order by retry_at limit 1) f`;

/**
 * Returns candidates whose time has come, locked until the transaction ends: first those of the campaign whose have waited
 * longest.
 */
export async function dueCandidates(tx: Tx, rootId: string, now: Date, most: number): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    with due as materialized (${dueCampaigns(rootId, now)} order by f.retry_at limit ${most})
    select c.* from due cross join lateral (
      select campaign_id, person_id, root_id, agency_id, company_id, terms, strength, last_at from intent_candidate
      where campaign_id = due.campaign_id and outcome is null and retry_at > due.from_at and retry_at <= ${now}
      order by retry_at limit ${most} for update skip locked) c
    limit ${most}`.execute(tx);
  return rows;
}

/** Settles candidates; those without an outcome wait until `retryAt`. */
export async function settle(
  tx: Tx,
  rows: { campaign_id: string; person_id: string; outcome: string | null }[],
  retryAt: Date,
  now: Date,
): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    update intent_candidate c set outcome = s.outcome, retry_at = case when s.outcome is null then ${retryAt}::timestamptz else c.retry_at end,
      settled_at = case when s.outcome is null then null else ${now}::timestamptz end
    from unnest(${rows.map((row) => row.campaign_id)}::uuid[], ${rows.map((row) => row.person_id)}::uuid[], ${rows.map((row) => row.outcome)}::text[])
      s (campaign_id, person_id, outcome)
    where c.campaign_id = s.campaign_id and c.person_id = s.person_id and c.outcome is null`.execute(tx);
}

/** Deletes the people a campaign found and has not yet judged. */
export async function dropWaiting(tx: Tx, campaignId: string): Promise<void> {
  await tx.deleteFrom('intent_match').where('campaign_id', '=', campaignId).execute();
  await tx
    .deleteFrom('intent_candidate')
    .where('campaign_id', '=', campaignId)
    .where('outcome', 'is', null)
    .execute();
}

/** A signal behind a candidate. */
export interface Shown {
  campaign_id: string;
  person_id: string;
  keyword: string;
  url: string | null;
  state: number | null;
  zip: number | null;
  at: Date;
  key_kind: number;
  strength: number;
  /** The key that identified the signal's person, if others have it as well. */
  shared_key: Buffer | null;
  /** The number of all signals of the candidate in the span. */
  count: number;
  best: number;
}

/**
 * Deletes these people as candidates, except those who became leads, because their identity has changed; returns the
 * active campaigns that have to search again.
 */
export async function forgetPeople(tx: Tx, rootId: string, personIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ campaign_id: string }>`
    with found as materialized (
      select k.campaign_id, k.person_id, c.state, k.outcome from campaign c
      join intent_candidate k on k.campaign_id = c.id and k.person_id = any(${personIds}::uuid[])
      where c.root_id = ${rootId}
    ), gone as (
      delete from intent_candidate k using found f
      where k.campaign_id = f.campaign_id and k.person_id = f.person_id and f.outcome is distinct from 'lead'
    )
    select distinct campaign_id from found where state = 'active'`.execute(tx);
  return rows.map((row) => row.campaign_id);
}

/** Whose campaigns these are, of those that search. */
export const agenciesOf = async (
  tx: Tx,
  campaignIds: string[],
): Promise<{ id: string; agency_id: string }[]> =>
  campaignIds.length === 0
    ? []
    : tx
        .selectFrom('campaign')
        .select(['id', 'agency_id'])
        .where('id', 'in', campaignIds)
        .where('module', 'in', ['locator', 'enhance', 'b2b'])
        .execute();

/** Returns all rows of the graph that are the same person as each of these, including the rows themselves. */
export async function membersOf(
  tx: Tx,
  rootId: string,
  personIds: readonly string[],
): Promise<Map<string, string[]>> {
  const members = new Map(personIds.map((id) => [id, [id]]));
  const { rows } = await sql<{ person_id: string; top_id: string }>`
    select g.person_id, g.top_id from person_merge m
    join person_merge g on g.root_id = m.root_id and g.top_id = m.top_id and g.undone_at is null
    where m.root_id = ${rootId} and m.undone_at is null
      and (m.person_id = any(${personIds}::uuid[]) or m.top_id = any(${personIds}::uuid[]))
    group by 1, 2`.execute(tx);
  for (const group of Map.groupBy(rows, (row) => row.top_id).values()) {
    const all = [group[0]!.top_id, ...group.map((row) => row.person_id)];
    for (const id of all) if (members.has(id)) members.set(id, all);
  }
  return members;
}

/** The newest signals behind candidates since an instant, `most` each, in the campaigns' places. */
export async function signalsOf(
  tx: Tx,
  rootId: string,
  candidates: readonly Candidate[],
  span: { from: Date; until: Date },
  most: number,
): Promise<Shown[]> {
  const members = await membersOf(
    tx,
    rootId,
    candidates.map((one) => one.person_id),
  );
  const pairs = candidates.flatMap((one) =>
    [...new Set(one.terms)].flatMap((term) =>
      members.get(one.person_id)!.map((row_id) => ({ ...one, term, row_id })),
    ),
  );
  const { rows } = await sql<Shown>`
    select campaign_id, person_id, keyword, url, state, zip, at, key_kind, strength, shared_key, count, best from (
      select c.campaign_id, c.person_id, t.keyword, s.url, s.state, s.zip, s.at, s.key_kind, s.strength, s.shared_key,
        row_number() over mine as n, (count(*) over (partition by c.campaign_id, c.person_id))::int as count,
        (max(s.strength) over (partition by c.campaign_id, c.person_id))::int as best
      from unnest(${pairs.map((one) => one.campaign_id)}::uuid[], ${pairs.map((one) => one.person_id)}::uuid[], ${pairs.map((one) => one.term)}::int[],
          ${pairs.map((one) => one.row_id)}::uuid[]) c (campaign_id, person_id, term_id, row_id)
      join signal s on s.root_id = ${rootId} and s.term_id = c.term_id and s.person_id = c.row_id
        and s.at > ${span.from} and s.at <= ${span.until}
      join intent_term t on t.id = s.term_id
      where exists (
        select from campaign_place p where p.campaign_id = c.campaign_id and (p.kind = 0
          or (p.kind = 1 and p.place = s.state) or (p.kind = 2 and p.place = s.city) or (p.kind = 3 and p.place = s.zip)))
      window mine as (partition by c.campaign_id, c.person_id order by s.at desc, t.id)
    ) f where n <= ${most} order by at desc`.execute(tx);
  return rows;
}

/** Returns the outcomes of a campaign's candidates, with a count for each; those that wait are under 'waiting'. */
export async function outcomesOf(tx: Tx, campaignId: string, since: Date): Promise<Map<string, number>> {
  const { rows } = await sql<{ outcome: string; count: string }>`
    select outcome, sum(count) as count from (
      select coalesce(outcome, 'waiting') as outcome, count(*) as count from intent_candidate
      where campaign_id = ${campaignId} and (outcome is null or settled_at >= ${since}) group by 1
      union all
      select 'waiting', count(distinct s.person_id) from intent_match p cross join unnest(p.people) s (person_id)
      where p.campaign_id = ${campaignId} having count(*) > 0) f
    group by 1`.execute(tx);
  return new Map(rows.map((row) => [row.outcome, Number(row.count)]));
}

/** Whether a root has candidates to judge, or something new to match or unpack (in the root's scope). */
export async function hasWork(tx: Tx, rootId: string, now: Date): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (select from signal_batch where root_id = ${rootId} and matched_at is null)
        or exists (select from intent_match where root_id = ${rootId})
        or exists (${dueCampaigns(rootId, now)}) as has`.execute(tx);
  return rows[0]!.has;
}
