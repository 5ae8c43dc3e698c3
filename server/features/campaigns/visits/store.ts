import { sql } from 'kysely';
import type pg from 'pg';
import type { Db, Tx } from '../../../platform/db/scope.ts';
import type { VisitEvent } from './policy.ts';

/** A visit about to be added to the log. */
export interface NewVisit extends VisitEvent {
  rootId: string;
  agencyId: string;
  companyId: string;
  campaignId: string;
  at: Date;
  ip: string | null;
  userAgent: string | null;
}

const insert = `insert into visit (day, event_id, root_id, agency_id, company_id, campaign_id, received_at, visitor_id,
  hash_kind, hash, ip, url, referrer, title, user_agent, event, gpc)
  select * from unnest($1::date[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::uuid[], $7::timestamptz[], $8::uuid[],
    $9::smallint[], $10::bytea[], $11::inet[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::boolean[])
  on conflict do nothing`;

/** Appends visits in one statement; existing ones are left unchanged. Durable when it returns. */
export async function insertVisits(pool: pg.Pool, visits: NewVisit[]): Promise<void> {
  await pool.query({
    name: 'insert-visits',
    text: insert,
    values: [
      visits.map((v) => v.day),
      visits.map((v) => v.id),
      visits.map((v) => v.rootId),
      visits.map((v) => v.agencyId),
      visits.map((v) => v.companyId),
      visits.map((v) => v.campaignId),
      visits.map((v) => v.at.toISOString()),
      visits.map((v) => v.visitorId),
      visits.map((v) => v.hashKind),
      visits.map((v) => (v.hash ? `\\x${v.hash.toString('hex')}` : null)),
      visits.map((v) => v.ip),
      visits.map((v) => v.url),
      visits.map((v) => v.referrer),
      visits.map((v) => v.title),
      visits.map((v) => v.userAgent),
      visits.map((v) => v.event),
      visits.map((v) => v.gpc),
    ],
  });
}

/** Adds the refused events to the campaigns' counters. */
export async function countRefused(
  pool: pg.Pool,
  rows: { campaignId: string; hour: Date; reason: string; count: number }[],
  at: Date,
): Promise<void> {
  await pool.query('call count_refused($1, $2, $3, $4, $5)', [
    rows.map((r) => r.campaignId),
    rows.map((r) => r.hour),
    rows.map((r) => r.reason),
    rows.map((r) => r.count),
    at,
  ]);
}

/** Adds hosts that are not a site of the campaign they sent visits for; a campaign keeps ten a day. */
export async function countForeign(
  pool: pg.Pool,
  rows: { campaignId: string; host: string; count: number }[],
  at: Date,
): Promise<void> {
  await pool.query('call count_foreign($1, $2, $3, $4)', [
    rows.map((r) => r.campaignId),
    rows.map((r) => r.host),
    rows.map((r) => r.count),
    at,
  ]);
}

/** Records what waits in a spool, for the operator to see. */
export async function reportSpool(
  pool: pg.Pool,
  place: string,
  state: { records: number; bytes: number; oldest: number | null; damaged: number },
  at: Date,
): Promise<void> {
  await pool.query('call report_spool($1, $2, $3, $4, $5, $6)', [
    place,
    state.records,
    state.bytes,
    state.oldest && new Date(state.oldest),
    state.damaged,
    at,
  ]);
}

/** The spools of all processes as they were last reported, those with the most waiting first. */
export async function spools(tx: Tx) {
  return tx
    .selectFrom('visit_spool')
    .selectAll()
    .orderBy('records', 'desc')
    .orderBy('place')
    .limit(200)
    .execute();
}

export async function forgetForeignHosts(db: Db, before: string): Promise<void> {
  await sql`select forget_foreign_hosts(${before}::date)`.execute(db);
}

const unresolved = (tx: Tx) =>
  tx
    .selectFrom('visit')
    .select([
      'day',
      'event_id',
      'root_id',
      'agency_id',
      'company_id',
      'campaign_id',
      'received_at',
      'visitor_id',
      'hash_kind',
      'hash',
      sql<string | null>`host(ip)`.as('ip'),
      'url',
      'referrer',
      'event',
      'gpc',
      'outcome',
    ])
    .forUpdate()
    .skipLocked();

/** Returns the oldest unresolved visits of the scope's root, reserved for this transaction. */
export const takePending = (tx: Tx, rootId: string, most: number) =>
  unresolved(tx)
    .modifyFront(sql`/* kept: pending_visits */`)
    .where('root_id', '=', rootId)
    .where('resolved_at', 'is', null)
    .orderBy('received_at')
    .limit(most)
    .execute();

/** A visit that could not be resolved and was set aside, reserved for this transaction; none if it is no longer so. */
export const takeFailed = (tx: Tx, { day, eventId }: { day: string; eventId: string }) =>
  unresolved(tx)
    .where('day', '=', day)
    .where('event_id', '=', eventId)
    .where('outcome', '=', 'failed')
    .execute();

/** Records the outcome of visits. */
export async function settle(
  tx: Tx,
  rows: { day: string; eventId: string; outcome: string; personId: string | null }[],
  at: Date,
): Promise<void> {
  const days = [...new Set(rows.map((r) => r.day))];
  await sql`
    update visit v set resolved_at = ${at}, outcome = r.outcome, person_id = r.person_id
    from unnest(${rows.map((r) => r.day)}::date[], ${rows.map((r) => r.eventId)}::uuid[], ${rows.map((r) => r.outcome)}::text[],
      ${rows.map((r) => r.personId)}::uuid[]) r (day, event_id, outcome, person_id)
    where v.day = r.day and v.event_id = r.event_id and v.day = any(${days}::date[])`.execute(tx);
}

export async function rootsWithPending(db: Db): Promise<string[]> {
  return (await sql<{ id: string }>`select roots_with_pending_visits() as id`.execute(db)).rows.map(
    (row) => row.id,
  );
}

export async function ensurePartitions(db: Db, first: string, last: string): Promise<void> {
  await sql`call ensure_visit_partitions(${first}::date, ${last}::date)`.execute(db);
}

/** The days before one that have a partition, as YYYY-MM-DD, up to `most`, the oldest first. */
export async function oldDays(tx: Tx, before: string, most: number): Promise<string[]> {
  const { rows } = await sql<{ day: string }>`
    select to_char(to_date(right(c.relname, 8), 'YYYYMMDD'), 'YYYY-MM-DD') as day
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'visit'::regclass and c.relname ~ '^visit_\\d{8}$'
      and c.relname < 'visit_' || to_char(${before}::date, 'YYYYMMDD')
    order by 1 limit ${most}`.execute(tx);
  return rows.map(({ day }) => day);
}

/** Drops the partitions of all days before one; returns how many. */
export async function dropPartitions(db: Db, before: string): Promise<number> {
  return (
    (await sql<{ n: number }>`select drop_visit_partitions(${before}::date) as n`.execute(db)).rows[0]?.n ?? 0
  );
}
