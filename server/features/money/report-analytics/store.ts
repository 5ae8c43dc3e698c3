import { sql } from 'kysely';
import type { LEAD_MODULES } from '../../../../contract/choices.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { CampaignFacts } from './policy.ts';

/** Whether a user has the permission report_analytics. */
export async function mayReport(tx: Tx, userId: string): Promise<boolean> {
  const { rows } = await sql<{ may: boolean }>`
    select u.permission_active and exists (
      select from jsonb_array_elements(u.permissions) p
      where p->>'name' = 'report_analytics' and (p->>'active')::boolean) as may
    from user_account u where u.id = ${userId}::uuid`.execute(tx);
  return rows[0]?.may ?? false;
}

/** An agency (of a root) or client (of an agency), and what it owes. */
export interface PartyRow {
  id: string;
  name: string;
  created_at: Date;
  removed_at: Date | null;
  clients: number;
  campaigns: number;
  unpaid: bigint;
  overdue: number;
}

/** The agencies of a root or the clients of an agency, also those that were removed. */
export async function parties(
  tx: Tx,
  parentId: string,
  kind: 'agency' | 'client',
  now: Date,
): Promise<PartyRow[]> {
  const isAgency = kind === 'agency';
  const { rows } = await sql<PartyRow>`
    with running as (
      select ${isAgency ? sql`c.agency_id` : sql`c.company_id`} as id, count(*)::int as campaigns from campaign c
      where c.state = 'active' group by 1),
    clients as (
      select k.agency_id as id, count(*)::int as clients from company k
      where k.kind = 'client' and k.removed_at is null group by 1),
    unpaid as (
      select i.company_id as id, sum(i.total_micros - i.paid_micros - i.credited_micros)::bigint as due,
        count(*) filter (where i.due_at < ${now} or i.first_failed_at is not null)::int as overdue
      from invoice i where i.status = 'open' and i.side = ${isAgency ? 'wholesale' : 'retail'} group by 1)
    select k.id, k.name, k.created_at, k.removed_at, coalesce(${isAgency ? sql`n.clients` : sql`0`}, 0) as clients,
      coalesce(r.campaigns, 0) as campaigns, coalesce(u.due, 0)::bigint as unpaid, coalesce(u.overdue, 0) as overdue
    from company k
    left join running r on r.id = k.id left join clients n on n.id = k.id left join unpaid u on u.id = k.id
    where k.parent_id = ${parentId}::uuid and k.kind = ${kind}
    order by lower(k.name), k.id`.execute(tx);
  return rows;
}

/** A campaign that runs, or is paused, with what is known about it. */
export type CampaignRow = Omit<CampaignFacts, 'price' | 'cost'> & {
  id: string;
  number: bigint;
  name: string;
  module: (typeof LEAD_MODULES)[number];
  company_name: string;
  agency_name: string;
};

/** The scope's campaigns with their visits and leads since an instant, and their leads since one before it. */
export async function campaigns(tx: Tx, at: { prior: Date; from: Date; now: Date }): Promise<CampaignRow[]> {
  const { rows } = await sql<CampaignRow>`
    with c as materialized (
      select id, company_id, agency_id, number, name, module, state, state_reason, created_at
      from campaign where state in ('active', 'paused') and module <> 'simplifi'),
    hours as (
      select h.campaign_id as id, sum(h.visits) filter (where h.hour >= ${at.from})::bigint as visits,
        sum(h.matched) filter (where h.hour >= ${at.from})::bigint as matched,
        sum(h.leads) filter (where h.hour >= ${at.from})::bigint as leads,
        sum(h.leads) filter (where h.hour < ${at.from})::bigint as leads_before
      from campaign_hour h where h.hour >= ${at.prior} and h.hour < ${at.now} group by 1),
    returned as (
      select r.campaign_id as id, count(*)::int as leads from return_request r
      where r.created_at >= ${at.from} and r.state <> 'declined' group by 1),
    failed as (
      select d.campaign_id as id, count(distinct d.lead_id)::int as leads from delivery d
      where d.state = 'failed' and not d.is_test and d.created_at >= ${at.from}
        and d.company_id in (select company_id from c) group by 1)
    select c.id, c.number, c.name, c.module, c.state, c.state_reason, c.created_at, k.name as company_name,
      a.name as agency_name, coalesce(h.visits, 0)::bigint as visits, coalesce(h.matched, 0)::bigint as matched,
      coalesce(h.leads, 0)::bigint as leads, coalesce(h.leads_before, 0)::bigint as leads_before,
      coalesce(r.leads, 0) as returned, coalesce(f.leads, 0) as undelivered,
      case when c.state = 'active' and c.module = 'local' then pixel_silence(c.id, ${at.now}) end as silent_since
    from c join company k on k.id = c.company_id join company a on a.id = c.agency_id
    left join hours h on h.id = c.id left join returned r on r.id = c.id left join failed f on f.id = c.id
    order by c.number`.execute(tx);
  return rows;
}
