import { sql } from 'kysely';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { MergeStep } from '../../audience/people/index.ts';
import { READ_APART_MS, type StepRow } from './journey.policy.ts';

/** How many visits, the newest, a journey goes back. */
export const MOST_VISITS = 5_000;
/** Browsers of the person whose earlier, unrecognized visits belong to the journey. */
const MOST_BROWSERS = 20;

/**
 * A page of what happened around a lead, the newest first, and how much there is: the visits of its person to the
 * campaign's sites, also those before they were recognized in the same browser, its deliveries, its return, and the ad that brought it. What goes through a
 * connection that the scope does not see is told without its answer. `people`: who the person of the lead is known as.
 */
export async function journeyOf(
  tx: Tx,
  lead: { id: string; campaign_id: string },
  { people, merges }: { people: string[]; merges: MergeStep[] },
  asked: { limit: number; offset: number },
): Promise<{ rows: StepRow[]; total: number }> {
  const { campaign_id: campaign } = lead;
  const { rows } = await sql<StepRow & { total: bigint }>`
    with own as materialized (
      select v.event_id, v.received_at, v.event, v.url, v.title, v.referrer, v.visitor_id, true as is_recognized
      from unnest(${people}::uuid[]) p(id) cross join lateral (
        select * from visit v where v.campaign_id = ${campaign}::uuid and v.person_id = p.id
        order by v.received_at desc limit ${MOST_VISITS}) v
      order by v.received_at desc limit ${MOST_VISITS}),
    browsers as materialized (select distinct visitor_id from own where visitor_id is not null limit ${MOST_BROWSERS}),
    before as (
      select v.event_id, v.received_at, v.event, v.url, v.title, v.referrer, v.visitor_id, false as is_recognized
      from browsers b cross join lateral (
        select * from visit v where v.visitor_id = b.visitor_id and v.event = 'view' limit ${MOST_VISITS}) v
      where v.campaign_id = ${campaign}::uuid and v.person_id is null),
    visits as (
      select v.*, extract(epoch from lead(received_at) over (partition by visitor_id order by received_at) - received_at) * 1000 as ms
      from (select * from own union all select * from before) v),
    steps as (
      select 'visit' as kind, event_id as id, received_at as at, event, url, title, referrer,
             case when visitor_id is not null and ms <= ${READ_APART_MS} then ms::int end as ms, is_recognized,
             null as destination, null as state, null as error, null as reason, null as decision, null as note,
             null::int as match_kind, null::int as confidence, null::bigint as price_micros, null as keyword, null::int[] as shared
      from visits
      union all
      -- The ad that brought them, with the site that showed it and its campaign.
      select 'ad', a.impression_id, a.touched_at, a.way, null, x.name, null, null, null, a.place, null, null, null, null, c.name,
              null, null, null, null, null
      from ad_lead a join creative x on x.id = a.creative_id join campaign c on c.id = a.campaign_id
      where a.lead_id = ${lead.id}::uuid
      union all
      select 'lead', l.id, l.created_at, null, null, null, null, null, null, null, null, null, null, null, null,
             l.match_kind, l.confidence, l.price_micros, null, null
      from lead l where l.id = ${lead.id}::uuid
      union all
      select 'signal', l.id, (s.signal ->> 'at')::timestamptz, null, s.signal ->> 'url', null, null, null, null, null, null, null, null, null, null,
             null, null, null, s.signal ->> 'keyword', null
      from lead l cross join lateral jsonb_array_elements(l.evidence -> 'signals') s(signal) where l.id = ${lead.id}::uuid
      union all
      select m.kind, m.id, m.at, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, m.shared
      from jsonb_to_recordset(${JSON.stringify(mergeSteps(merges))}::jsonb) m(kind text, id uuid, at timestamptz, shared int[])
      union all
      select 'delivery', d.id, coalesce(d.delivered_at, d.created_at), null, null, null, null, null, null,
             coalesce(i.name, ''), d.state,
             case when d.cause is null then null
                  when i.connection_id is not null and k.id is null then ${ownMessages.agencyDestinationFailed}
                  else d.cause end, null, null, null, null, null, null, null, null
      from delivery d join integration i on i.id = d.integration_id left join connection k on k.id = i.connection_id
      where d.lead_id = ${lead.id}::uuid
      union all
      select 'return', r.id, r.created_at, null, null, null, null, null, null, null, null, null, r.reason, null, r.note, null, null, null, null, null
      from return_request r where r.lead_id = ${lead.id}::uuid
      union all
      select 'decision', r.id, r.decided_at, null, null, null, null, null, null, null, null, null, null, r.state, r.answer, null, null, null, null, null
      from return_request r where r.lead_id = ${lead.id}::uuid and r.decided_at is not null)
    select *, count(*) over () as total from steps
    -- At the same moment, a visit comes before the lead that it became, and that before its deliveries.
    order by at desc, array_position(array['decision', 'return', 'unmerge', 'merge', 'delivery', 'lead', 'signal', 'visit', 'ad'], kind), id
    limit ${asked.limit} offset ${asked.offset}`.execute(tx);
  return { rows, total: Number(rows[0]?.total ?? 0) };
}

/** A merge that was undone is two steps. */
const mergeSteps = (merges: MergeStep[]) =>
  merges.flatMap(({ id, merged_at, undone_at, shared }) => [
    { kind: 'merge', id, at: merged_at, shared },
    ...(undone_at ? [{ kind: 'unmerge', id, at: undone_at, shared }] : []),
  ]);
