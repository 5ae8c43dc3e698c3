import { type Insertable, type Selectable, sql } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

export type AllowanceRow = Selectable<Schema['keyword_allowance']>;

/** The set of themes that a client may use; whatever the scope, since only the root sees the allowances themselves. */
export async function allowedThemes(
  tx: Tx,
  owner: { agency_id: string | null; company_id: string },
): Promise<number> {
  const { rows } = await sql<{ themes: number }>`
    select keyword_themes_allowed(${owner.agency_id}::uuid, ${owner.company_id}::uuid) as themes`.execute(tx);
  return rows[0]!.themes;
}

/** Adds an allowance. Returns false if the company already has one for this theme. */
export async function insertAllowance(
  tx: Tx,
  row: Insertable<Schema['keyword_allowance']>,
): Promise<boolean> {
  const added = await tx
    .insertInto('keyword_allowance')
    .values(row)
    .onConflict((conflict) => conflict.columns(['root_id', 'for_company', 'theme']).doNothing())
    .executeTakeFirst();
  return (added.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Deletes an allowance, and returns it; undefined if there is none. */
export const deleteAllowance = (tx: Tx, id: string): Promise<AllowanceRow | undefined> =>
  tx.deleteFrom('keyword_allowance').where('id', '=', id).returningAll().executeTakeFirst();

/** A root's allowances with the names of companies and people, the newest first. */
export const allowances = (tx: Tx) =>
  tx
    .selectFrom('keyword_allowance as a')
    .innerJoin('company as c', 'c.id', 'a.for_company')
    .leftJoin('user_account as u', 'u.id', 'a.allowed_by')
    .select(['a.id', 'a.for_company', 'a.theme', 'a.reason', 'a.created_at'])
    .select(['c.name as company_name', 'c.kind as company_kind', 'u.name as allowed_by_name'])
    .orderBy('a.created_at', 'desc')
    .orderBy('a.id')
    .execute();
