import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/scope.ts';
import { detailsOf, type ScoredLead } from './score.policy.ts';

/** How many days before they were last seen count, and how many views of a person and of their browser are looked at. */
const SEEN_DAYS = 30;
const MOST_VIEWS = 100;
/** How many views of a browser are read for that. */
const MOST_READ = 1000;
const DAY_MS = 86_400_000;
/** Two pages that are the same so far count as one. */
export const LONGEST_PAGE = 300;

/** A lead whose visits are asked for, and its own visit, if it came from one. */
export interface Visitor {
  leadId: string;
  campaignId: string;
  personId: string | null;
  visitDay: string | null;
  visitEventId: string | null;
  /** When the person was last seen, as far as is known. */
  seenAt: Date;
}

/**
 * What the people behind leads have viewed of their campaigns' sites in the 30 days before they were last seen, also
 * before they were recognized in the same browser: the pages, without their queries, and when the last visit was. By
 * lead.
 */
export async function pagesOf(
  tx: Tx,
  of: readonly Visitor[],
  now: Date,
): Promise<Map<string, { pages: string[]; seenAt: Date | null }>> {
  if (of.length === 0) return new Map();
  // Bounds for all of them leave out the partitions that none of them needs.
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  const first = day(Math.min(...of.map(({ seenAt }) => seenAt.getTime())) - (SEEN_DAYS + 1) * DAY_MS);
  const last = day(now.getTime() + DAY_MS);
  const { rows } = await sql<{
    lead_id: string;
    pages: string[];
    seen_at: Date | null;
  }>`/* kept: lead_pages */
    select w.lead_id, max(v.received_at) as seen_at,
      coalesce(array_agg(distinct left(split_part(split_part(v.url, '#', 1), '?', 1), ${LONGEST_PAGE}))
        filter (where v.event = 'view' and v.url is not null), '{}') as pages
    from unnest(${of.map((one) => one.leadId)}::uuid[], ${of.map((one) => one.campaignId)}::uuid[],
      ${of.map((one) => one.personId)}::uuid[], ${of.map((one) => one.visitDay)}::date[],
      ${of.map((one) => one.visitEventId)}::uuid[], ${of.map((one) => one.seenAt)}::timestamptz[])
      w (lead_id, campaign_id, person_id, day, event_id, seen_at)
    left join visit own on own.day = w.day and own.event_id = w.event_id
    cross join lateral (
      (select v.url, v.event, v.received_at from visit v
       where v.campaign_id = w.campaign_id and v.person_id = w.person_id
         and v.received_at > w.seen_at - make_interval(days => ${SEEN_DAYS}) and v.day between ${first}::date and ${last}::date
       order by v.received_at desc limit ${MOST_VIEWS})
      union all
      (select b.url, b.event, b.received_at
       -- Bounded before it is filtered: anyone can send what they like in the name of a browser.
       from (select v.url, v.event, v.received_at, v.campaign_id from visit v
             where v.visitor_id = own.visitor_id and v.event = 'view' and v.day between ${first}::date and ${last}::date limit ${MOST_READ}) b
       where b.campaign_id = w.campaign_id
         and b.received_at > w.seen_at - make_interval(days => ${SEEN_DAYS})
       limit ${MOST_VIEWS})
      union all
      select own.url, own.event, own.received_at where own.event_id is not null) v
    group by w.lead_id`.execute(tx);
  return new Map(rows.map((row) => [row.lead_id, { pages: row.pages, seenAt: row.seen_at }]));
}

/**
 * Sets scores, null: none any more, and when the people were last seen; one statement for all. Returns the leads whose
 * scores or reasons are others than before.
 */
export async function setScores(
  tx: Tx,
  rows: readonly (ScoredLead & { leadId: string })[],
): Promise<string[]> {
  if (rows.length === 0) return [];
  const { rows: set } = await sql<{ id: string; is_other: boolean }>`
    update lead l set score = u.score, score_details = u.details, seen_at = u.seen_at, score_due_at = u.due_at
    from unnest(${rows.map((row) => row.leadId)}::uuid[], ${rows.map(({ score }) => score?.score ?? -1)}::smallint[],
      ${rows.map((row) => JSON.stringify(detailsOf(row)))}::jsonb[],
      ${rows.map((row) => row.seenAt)}::timestamptz[], ${rows.map(({ score }) => score?.dueAt ?? null)}::timestamptz[])
      u (id, score, details, seen_at, due_at)
      join lead before on before.id = u.id
    where l.id = u.id
    returning l.id, (before.score, before.score_details) is distinct from (l.score, l.score_details) as is_other`.execute(
    tx,
  );
  return set.filter((row) => row.is_other).map((row) => row.id);
}

const scored = (tx: Tx) =>
  tx
    .selectFrom('lead')
    .select([
      'id',
      'campaign_id',
      'person_id',
      'visit_day',
      'visit_event_id',
      'evidence',
      'score',
      'score_details',
      'seen_at',
      'created_at',
    ]);
export type ScoredRow = Awaited<ReturnType<typeof newestScored>>[number];

/** Leads of a root whose score is due, locked; those that are being changed come next time. */
export const dueLeads = (tx: Tx, rootId: string, now: Date, most: number): Promise<ScoredRow[]> =>
  scored(tx)
    .where('root_id', '=', rootId)
    .where('score_due_at', '<=', now)
    .orderBy('score_due_at')
    .limit(most)
    .forNoKeyUpdate()
    .skipLocked()
    .execute();

/** Makes a lead due again at an instant. */
export async function putOff(tx: Tx, id: string, at: Date): Promise<void> {
  await tx
    .updateTable('lead')
    .set({ score_due_at: at })
    .where('id', '=', id)
    .where('score_due_at', 'is not', null)
    .execute();
}

/** Leads by their ids, locked. */
export const leadsToScore = (tx: Tx, ids: readonly string[]): Promise<ScoredRow[]> =>
  scored(tx).where('id', '=', sql<string>`any(${ids}::uuid[])`).orderBy('id').forNoKeyUpdate().execute();

/** The newest leads of a campaign that are not tests. */
export const newestScored = (tx: Tx, campaignId: string, most: number) =>
  scored(tx)
    .where('campaign_id', '=', campaignId)
    .where('is_test', '=', false)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(most)
    .execute();

/** Makes the scores of a campaign's leads since an instant due. */
export async function makeDue(tx: Tx, campaignId: string, since: Date, now: Date): Promise<void> {
  await tx
    .updateTable('lead')
    .set({ score_due_at: now })
    .where('campaign_id', '=', campaignId)
    .where('created_at', '>=', since)
    .where('is_test', '=', false)
    .execute();
}
