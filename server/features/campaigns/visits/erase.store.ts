import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/scope.ts';
import { MOST } from './signup.store.ts';

const NOBODYS = sql`visitor_id = null, hash_kind = null, hash = null, ip = null, url = null, referrer = null, title = null,
  user_agent = null, person_id = null`;

/**
 * Makes a root's visits of these people nobody's, and those of the same browsers from before they were recognized: without
 * address, browser, hash, and pages, as under a privacy signal. Returns how many visits there were.
 */
export async function eraseVisits(tx: Tx, rootId: string, people: readonly string[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with own as materialized (
      select v.day, v.event_id, v.visitor_id from campaign c
      cross join unnest(${people}::uuid[]) p (id)
      cross join lateral (
        select v.day, v.event_id, v.visitor_id from visit v where v.campaign_id = c.id and v.person_id = p.id) v
      where c.root_id = ${rootId}::uuid),
    before as materialized (
      select v.day, v.event_id from (select distinct visitor_id from own where visitor_id is not null) b
      cross join lateral (
        select v.day, v.event_id from visit v
        where v.visitor_id = b.visitor_id and v.event = 'view' and v.root_id = ${rootId}::uuid and v.person_id is null) v),
    gone as (
      update visit v set ${NOBODYS}
      from (select day, event_id from own union select day, event_id from before) w
      where v.day = w.day and v.event_id = w.event_id returning 1)
    select count(*)::float8 as count from gone`.execute(tx);
  return rows[0]!.count;
}

/** A sign-up that was held or decided about, and whether it still waited for a decision. */
export interface ErasedHeld {
  agency_id: string;
  company_id: string;
  campaign_id: string;
  received_at: Date;
  waited: boolean;
}

/**
 * Erases up to `MOST.erased` of a root's held sign-ups by these hashes (a byte for the kind, then the digest), with their
 * visits and what the same browsers viewed in the 30 days before. Those that wait for a decision are discarded. Returns
 * them, and how many visits there were.
 */
export async function eraseHeld(
  tx: Tx,
  rootId: string,
  hashes: readonly Buffer[],
  at: Date,
): Promise<{ held: ErasedHeld[]; visits: number }> {
  const { rows: held } = await sql<ErasedHeld & { day: string; event_id: string }>`
    with own as materialized (
      select day, event_id, state = 'held' as waited from held_visit
      where root_id = ${rootId}::uuid and hash = any(${hashes}::bytea[]) limit ${MOST.erased} for update)
    update held_visit h set hash = null, source = '', state = case when own.waited then 'discarded' else h.state end,
      decided_at = coalesce(h.decided_at, ${at})
    from own where h.day = own.day and h.event_id = own.event_id
    returning h.day, h.event_id, h.agency_id, h.company_id, h.campaign_id, h.received_at, own.waited`.execute(
    tx,
  );
  if (held.length === 0) return { held, visits: 0 };
  const { rows } = await sql<{ count: number }>`
    with own as materialized (
      select v.day, v.event_id, v.visitor_id
      from unnest(${held.map((r) => r.day)}::date[], ${held.map((r) => r.event_id)}::uuid[]) h (day, event_id)
      join visit v on v.day = h.day and v.event_id = h.event_id),
    before as materialized (
      select v.day, v.event_id
      from (select visitor_id, max(day) as day from own where visitor_id is not null group by 1) b
      cross join lateral (
        select v.day, v.event_id from visit v
        where v.visitor_id = b.visitor_id and v.event = 'view' and v.root_id = ${rootId}::uuid and v.person_id is null
          and v.hash is null and v.day between b.day - 30 and b.day) v),
    gone as (
      update visit v set ${NOBODYS}, outcome = case when v.outcome = 'held' then 'discarded' else v.outcome end
      from (select day, event_id from own union select day, event_id from before) w
      where v.day = w.day and v.event_id = w.event_id returning 1)
    select count(*)::float8 as count from gone`.execute(tx);
  return { held, visits: rows[0]!.count };
}

/** Deletes up to `MOST.erased` of a root's sign-ups by these hashes from what the limits count; returns how many. */
export async function eraseSignUps(tx: Tx, rootId: string, hashes: readonly Buffer[]): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from signup where ctid = any (array(
      select s.ctid from campaign c
      cross join unnest(${hashes}::bytea[]) h (hash)
      cross join lateral (
        select ctid from signup where campaign_id = c.id and hash = h.hash limit ${MOST.erased}) s
      where c.root_id = ${rootId}::uuid limit ${MOST.erased}))`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}
