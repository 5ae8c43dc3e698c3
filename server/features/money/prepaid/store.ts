import { type Insertable, type Selectable, sql } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import { MINIMUM } from './policy.ts';

export type AutoRow = Selectable<Schema['prepaid_auto']>;
export type OrderRow = Selectable<Schema['prepaid_order']>;

/** The state of the continual top-ups of campaigns; those never processed are missing. */
export async function autos(tx: Tx, campaignIds: string[]): Promise<AutoRow[]> {
  if (campaignIds.length === 0) return [];
  return tx.selectFrom('prepaid_auto').selectAll().where('campaign_id', 'in', campaignIds).execute();
}

/** One of them, locked until the transaction ends. */
export const lockAuto = (tx: Tx, campaignId: string): Promise<AutoRow | undefined> =>
  tx
    .selectFrom('prepaid_auto')
    .selectAll()
    .where('campaign_id', '=', campaignId)
    .forUpdate()
    .executeTakeFirst();

export async function putAuto(tx: Tx, row: Insertable<Schema['prepaid_auto']>): Promise<void> {
  const { campaign_id, root_id, agency_id, company_id, ...values } = row;
  await tx
    .insertInto('prepaid_auto')
    .values(row)
    .onConflict((c) => c.column('campaign_id').doUpdateSet(values))
    .execute();
}

/**
 * Whether something other than this campaign keeps a client's payment in the failed state: another campaign, or an open
 * invoice large enough to charge to a card. Exact even if others fail or pay at the same time: the client's billing is
 * locked first.
 */
export async function failsElsewhere(tx: Tx, companyId: string, campaignId: string): Promise<boolean> {
  await sql`select from company_billing where company_id = ${companyId}::uuid for update`.execute(tx);
  const { rows } = await sql<{ fails: boolean }>`
    select exists (select from prepaid_auto where company_id = ${companyId}::uuid and is_failing and campaign_id <> ${campaignId}::uuid)
      or exists (select from invoice where company_id = ${companyId}::uuid and status = 'open' and first_failed_at is not null
        and total_micros - paid_micros - credited_micros >= ${MINIMUM}::bigint) as fails`.execute(tx);
  return rows[0]!.fails;
}

export async function insertAttempt(tx: Tx, row: Insertable<Schema['prepaid_attempt']>): Promise<void> {
  await tx.insertInto('prepaid_attempt').values(row).execute();
}

export async function endAttempt(
  tx: Tx,
  id: string,
  values: { state: 'succeeded' | 'declined'; reason: string; ended_at: Date },
): Promise<void> {
  await tx.updateTable('prepaid_attempt').set(values).where('id', '=', id).execute();
}

/** Renewals of a campaign that were refused before a charge was made, newest first. */
export const refusedAttempts = (tx: Tx, campaignId: string, limit: number) =>
  tx
    .selectFrom('prepaid_attempt')
    .selectAll()
    .where('campaign_id', '=', campaignId)
    .where('state', '=', 'refused')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

export const attemptById = (tx: Tx, id: string) =>
  tx.selectFrom('prepaid_attempt').selectAll().where('id', '=', id).executeTakeFirst();

/**
 * Micro-dollars of renewals since an instant that succeeded or still may: of a campaign, or of all campaigns of a
 * client.
 */
export async function renewedSince(
  tx: Tx,
  of: { companyId: string; campaignId?: string | undefined },
  from: Date,
): Promise<bigint> {
  const { rows } = await sql<{ sum: bigint }>`
    select coalesce(sum(amount_micros), 0)::bigint as sum from prepaid_attempt
    where company_id = ${of.companyId}::uuid and created_at >= ${from} and state in ('charging', 'succeeded')
      ${of.campaignId ? sql`and campaign_id = ${of.campaignId}::uuid` : sql``}`.execute(tx);
  return rows[0]!.sum;
}

/**
 * Campaigns of a root whose continual top-up needs attention: due, pause over, fallen without a draw, above its floor
 * without having been armed, or switched off. Each is judged again under the balance's lock.
 */
export async function wanting(tx: Tx, rootId: string, now: Date): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with ever as (select distinct campaign_id from retail_cost
                  where root_id = ${rootId}::uuid and campaign_id is not null and topup = 'continual'),
    stand as (
      select c.id, c.state = 'active' or (c.state = 'paused' and c.state_reason = 'balance_empty') as runs,
        c.state in ('active', 'paused') and r.topup = 'continual' and r.term = 'Prepaid' and r.leads_buy > 0 and r.price > 0 as is_on,
        coalesce(b.balance, 0) < greatest(ceil(r.leads_buy * r.price / 10000.0) * 1000, r.price) as is_low,
        coalesce(a.state, 'idle') as state, a.retry_at, coalesce(a.gave_back, false) as gave_back
      from ever join campaign c on c.id = ever.campaign_id
      join lateral (select term, topup, leads_buy,
                      lead_price(lead_micros, lead_advanced_micros, lead_b2b_micros, c.advance_information, c.b2b_information) as price
                    from retail_cost r where r.campaign_id = c.id and r.valid_from <= ${now}
                    order by r.valid_from desc, r.serial desc limit 1) r on true
      left join prepaid_auto a on a.campaign_id = c.id
      left join account p on p.campaign_id = c.id and p.kind = 'client_prepaid'
      left join account_balance b on b.account_id = p.id)
    select id from stand where state <> 'charging' and not gave_back and case
      when is_on is not true then state <> 'idle'
      when not is_low then state <> 'armed'
      else runs and (state in ('due', 'armed') or (state = 'waiting' and retry_at <= ${now})) end
    order by id`.execute(tx);
  return rows.map((row) => row.id);
}

/** What a person asked to buy under a key. */
export const orderByKey = (tx: Tx, campaignId: string, key: string): Promise<OrderRow | undefined> =>
  tx
    .selectFrom('prepaid_order')
    .selectAll()
    .where('campaign_id', '=', campaignId)
    .where('idempotency_key', '=', key)
    .executeTakeFirst();

export async function insertOrder(tx: Tx, row: Insertable<Schema['prepaid_order']>): Promise<void> {
  await tx.insertInto('prepaid_order').values(row).execute();
}

/** Lets only one user at a time order or request a refund for a campaign, until the transaction ends. */
export async function holdOrders(tx: Tx, campaignId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${campaignId}, 55))`.execute(tx);
}

export const refundByKey = (tx: Tx, campaignId: string, key: string) =>
  tx
    .selectFrom('prepaid_refund')
    .selectAll()
    .where('campaign_id', '=', campaignId)
    .where('idempotency_key', '=', key)
    .executeTakeFirst();

export async function insertRefund(tx: Tx, row: Insertable<Schema['prepaid_refund']>): Promise<void> {
  await tx.insertInto('prepaid_refund').values(row).execute();
}

/** What was put into and taken out of a campaign's balance, by kind of event, excluding leads and ads (account code 1). */
export async function movements(tx: Tx, companyId: string, campaignId: string): Promise<Map<string, bigint>> {
  const { rows } = await sql<{ kind: string; sum: bigint }>`
    select t.kind, coalesce(sum(e.amount), 0)::bigint as sum from transfer t
    join entry e on e.transfer_id = t.id and e.company_id = ${companyId}::uuid and e.account_code = 1
    where t.campaign_id = ${campaignId}::uuid and t.kind not in ('lead', 'lead_return')
      and t.kind <> 'ad_spend' group by t.kind`.execute(tx);
  return new Map(rows.map((row) => [row.kind, row.sum]));
}

/** How much of what a charge brought into a balance has not gone back to the card, micro-dollars (account code 1). */
export async function leftOf(tx: Tx, companyId: string, chargeId: string): Promise<bigint> {
  const { rows } = await sql<{ sum: bigint }>`
    select coalesce(sum(e.amount), 0)::bigint as sum from transfer t
    join entry e on e.transfer_id = t.id and e.company_id = ${companyId}::uuid and e.account_code = 1
    where t.reference_id = ${chargeId} and t.kind <> 'lead'`.execute(tx);
  return rows[0]!.sum;
}

/** Which fees a campaign's client has been charged since an instant. */
export async function feesSince(
  tx: Tx,
  of: { companyId: string; campaignId: string },
  month: Date,
): Promise<{ platform: boolean; month: boolean }> {
  const { rows } = await sql<{ platform: boolean; month: boolean }>`
    select coalesce(bool_or(kind = 'platform_fee'), false) as platform,
      coalesce(bool_or(kind = 'monthly_fee' and created_at >= ${month}), false) as month
    from transfer where campaign_id = ${of.campaignId}::uuid and company_id = ${of.companyId}::uuid
      and kind in ('platform_fee', 'monthly_fee')`.execute(tx);
  return rows[0]!;
}
