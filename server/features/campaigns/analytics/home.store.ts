import { type RawBuilder, sql } from 'kysely';
import type { Module } from '../../../../contract/accounts/setup.ts';
import type { Tx } from '../../../platform/db/scope.ts';

/** Campaigns that someone has to see to: how many, or how many of their leads, and the first few by name. */
export interface Troubled {
  count: bigint;
  campaigns: { campaign_id: string; campaign_name: string; modules: Module }[];
}

const SHOWN = 3;

/** Counts what a query of campaign ids and numbers yields, and names the campaigns with the highest numbers. */
async function troubled(tx: Tx, found: RawBuilder<unknown>): Promise<Troubled> {
  const { rows } = await sql<Troubled>`
    with found as materialized (${found}),
      shown as (select c.id, c.name, c.module, f.number from found f join campaign c on c.id = f.id
                order by f.number desc, lower(c.name), c.id limit ${SHOWN})
    select coalesce((select sum(number) from found), 0)::bigint as count,
      coalesce((select json_agg(json_build_object('campaign_id', id, 'campaign_name', name, 'modules', module)
                                order by number desc, lower(name), id) from shown), '[]') as campaigns`.execute(
    tx,
  );
  return rows[0]!;
}

/** Active Site ID campaigns whose sites are silent. */
export const silentSites = (tx: Tx, now: Date): Promise<Troubled> =>
  troubled(
    tx,
    sql`select c.id, 1 as number from campaign c
      where c.state = 'active' and c.module = 'local' and pixel_silence(c.id, ${now}) is not null`,
  );

/** Campaigns that are paused for a reason. */
export const pausedFor = (tx: Tx, reason: 'balance_empty' | 'below_cost'): Promise<Troubled> =>
  troubled(
    tx,
    sql`select c.id, 1 as number from campaign c where c.state = 'paused' and c.state_reason = ${reason}`,
  );

/** Leads since an instant that a destination did not take after every attempt: those whose badge says so in lists. */
export const undelivered = (tx: Tx, since: Date): Promise<Troubled> =>
  troubled(
    tx,
    // By client, which the index of failed deliveries begins with.
    sql`select f.id, f.number from company k cross join lateral (
        select d.campaign_id as id, count(distinct d.lead_id) as number from delivery d
        where d.company_id = k.id and d.state = 'failed' and not d.is_test and d.created_at >= ${since}
        group by 1) f
      join campaign c on c.id = f.id and c.state in ('active', 'paused')
      where k.kind = 'client' and k.removed_at is null`,
  );

/** Open invoices whose charge was declined: those that the company pays, or those that its clients pay it. */
export async function failingInvoices(
  tx: Tx,
  of: { payerId: string } | { agencyId: string },
): Promise<{ count: bigint; due: bigint }> {
  const row = await tx
    .selectFrom('invoice')
    .select([
      sql<bigint>`count(*)`.as('count'),
      sql<bigint>`coalesce(sum(total_micros - paid_micros - credited_micros), 0)::bigint`.as('due'),
    ])
    .where('status', '=', 'open')
    .where('first_failed_at', 'is not', null)
    .$call((q) =>
      'payerId' in of
        ? q.where('company_id', '=', of.payerId)
        : q.where('agency_id', '=', of.agencyId).where('side', '=', 'retail'),
    )
    .executeTakeFirstOrThrow();
  return row;
}

/** How many clients an agency could not issue an invoice to. */
export async function uninvoiced(tx: Tx, agencyId: string): Promise<number> {
  const row = await tx
    .selectFrom('invoice_wait')
    .select(sql<bigint>`count(distinct company_id)`.as('count'))
    .where('agency_id', '=', agencyId)
    .where('side', '=', 'retail')
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** How far the scope has come: whether there is a client, a campaign, a visit, and a lead. */
export async function reached(
  tx: Tx,
): Promise<Record<'client' | 'campaign' | 'pixel' | 'lead' | 'has_site', boolean>> {
  const { rows } = await sql<Record<'client' | 'campaign' | 'pixel' | 'lead' | 'has_site', boolean>>`
    select exists (select 1 from company where kind = 'client' and removed_at is null) as client,
      exists (select 1 from campaign where state in ('active', 'paused', 'archived')) as campaign,
      exists (select 1 from campaign where module = 'local' and state in ('active', 'paused')) as has_site,
      exists (select 1 from campaign_hour where visits > 0) as pixel,
      exists (select 1 from campaign_hour where leads > 0) as lead`.execute(tx);
  return rows[0]!;
}

/** How many transfers of clients wait for a company to agree (docs/decisions/0476-client-transfers.md). */
export async function transfersFor(tx: Tx, companyId: string, now: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from client_transfer t
    where t.state = 'offered' and t.expires_at > ${now}
      and (t.agency_id = ${companyId} and t.giving_at is null or t.to_agency_id = ${companyId} and t.receiving_at is null
        or t.company_id = ${companyId} and t.client_at is null and t.receiving_at is not null)`.execute(tx);
  return rows[0]!.count;
}
