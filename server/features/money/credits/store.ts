import { type Insertable, sql } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

const leads = (tx: Tx) =>
  tx
    .selectFrom('lead')
    .select([
      'id',
      'root_id',
      'agency_id',
      'company_id',
      'campaign_id',
      'price_micros',
      'cost_micros',
      'is_test',
      'created_at',
    ]);

/** Returns the financial data of a lead; undefined where the scope does not see it. */
export const leadById = (tx: Tx, id: string) => leads(tx).where('id', '=', id).executeTakeFirst();

/** Returns the same for several leads. */
export const leadsByIds = (tx: Tx, ids: readonly string[]) =>
  leads(tx)
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .execute();

/** Whether a campaign was removed. */
export async function isRemoved(tx: Tx, campaignId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('campaign')
    .select('id')
    .where('id', '=', campaignId)
    .where('state', '=', 'removed')
    .executeTakeFirst();
  return row !== undefined;
}

export async function insertCredit(tx: Tx, row: Insertable<Schema['credit']>): Promise<void> {
  await tx.insertInto('credit').values(row).execute();
}

const shown = (tx: Tx) =>
  tx
    .selectFrom('credit as d')
    .innerJoin('company as k', 'k.id', 'd.company_id')
    .leftJoin('campaign as c', 'c.id', 'd.campaign_id')
    .select([
      'd.id',
      'd.company_id',
      'k.name as company_name',
      'd.lead_id',
      'd.campaign_id',
      'd.giver_id',
      'c.name as campaign_name',
      'd.amount_micros',
      'd.reason',
      'd.note',
      'd.created_at',
    ]);

/** Returns what was refunded of a lead, for each side that the scope sees. */
export const ofLead = (tx: Tx, leadId: string) =>
  shown(tx).where('d.lead_id', '=', leadId).orderBy('d.created_at').execute();

/** Returns a page of what a company received, newest first, and the total count. */
export async function pageOf(tx: Tx, companyId: string, limit: number, offset: number) {
  const { total } = await tx
    .selectFrom('credit')
    .select(sql<bigint>`count(*)`.as('total'))
    .where('company_id', '=', companyId)
    .executeTakeFirstOrThrow();
  const rows = await shown(tx)
    .where('d.company_id', '=', companyId)
    .orderBy('d.created_at', 'desc')
    .orderBy('d.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return { rows, total: Number(total) };
}
