import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/scope.ts';

/**
 * Makes a root's visits of these people nobody's, and those of the same browsers from before they were recognized: without
 * address, browser, hash, and pages, as under a privacy signal. `hashes`: of their email addresses, in sign-ups that are
 * held. Returns how many visits there were.
 */
export async function eraseVisits(
  tx: Tx,
  rootId: string,
  people: readonly string[],
  hashes: readonly Buffer[],
): Promise<number> {
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
      update visit v set visitor_id = null, hash_kind = null, hash = null, ip = null, url = null, referrer = null,
        title = null, user_agent = null, person_id = null
      from (select day, event_id from own union select day, event_id from before) w
      where v.day = w.day and v.event_id = w.event_id returning 1)
    select count(*)::float8 as count from gone`.execute(tx);
  await sql`update held_visit set hash = null where root_id = ${rootId}::uuid and hash = any(${hashes}::bytea[])`.execute(
    tx,
  );
  return rows[0]!.count;
}
