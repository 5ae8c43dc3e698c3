import { type Insertable, sql } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

export type FeeRow = Insertable<Schema['campaign_fee']>;

export interface FeeCampaign {
  id: string;
  root_id: string;
  agency_id: string;
  company_id: string;
  module: string;
}

/** Active campaigns of a root that lack their platform fee or the monthly fee of a period, in id order. */
export async function campaignsWithoutFee(
  tx: Tx,
  rootId: string,
  period: string,
  after: string,
  limit: number,
): Promise<FeeCampaign[]> {
  const { rows } = await sql<FeeCampaign>`
    select c.id, c.root_id, c.agency_id, c.company_id, c.module from campaign c
    where c.root_id = ${rootId}::uuid and c.state = 'active' and c.id > ${after}::uuid
      and (not exists (select from campaign_fee f where f.campaign_id = c.id and f.kind = 'platform_fee')
        or not exists (select from campaign_fee f where f.campaign_id = c.id and f.kind = 'monthly_fee' and f.period = ${period}))
    order by c.id limit ${limit}`.execute(tx);
  return rows;
}

/** Locks a campaign so that no one else charges it in the meantime. */
export async function lockCampaign(tx: Tx, id: string): Promise<FeeCampaign | undefined> {
  return tx
    .selectFrom('campaign')
    .select(['id', 'root_id', 'agency_id', 'company_id', 'module'])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Of the fees due by a period, those that campaigns have already had: 'kind period'. */
export async function feesOf(tx: Tx, campaignIds: string[], period: string) {
  return tx
    .selectFrom('campaign_fee')
    .select(['campaign_id', 'kind'])
    .where('campaign_id', '=', sql<string>`any(${campaignIds}::uuid[])`)
    .where('period', 'in', ['once', period])
    .execute();
}

/** Records what fees were; existing records stay as they are. */
export async function addFees(tx: Tx, rows: FeeRow[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into campaign_fee (campaign_id, kind, period, root_id, agency_id, company_id, term, retail_micros, wholesale_micros, transfer_id, created_at)
    select * from unnest(${rows.map((r) => r.campaign_id)}::uuid[], ${rows.map((r) => r.kind)}::text[], ${rows.map((r) => r.period)}::text[],
      ${rows.map((r) => r.root_id)}::uuid[], ${rows.map((r) => r.agency_id)}::uuid[], ${rows.map((r) => r.company_id)}::uuid[],
      ${rows.map((r) => r.term)}::text[], ${rows.map((r) => r.retail_micros.toString())}::bigint[],
      ${rows.map((r) => r.wholesale_micros.toString())}::bigint[], ${rows.map((r) => r.transfer_id ?? null)}::uuid[],
      ${rows.map((r) => r.created_at)}::timestamptz[])
    on conflict do nothing`.execute(tx);
}
