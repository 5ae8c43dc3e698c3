import { type Insertable, sql } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

/** The sandbox of an agency; undefined if it has none yet. */
export const of = (tx: Tx, companyId: string) =>
  tx
    .selectFrom('developer_sandbox')
    .select(['sandbox_root_id', 'sandbox_agency_id'])
    .where('company_id', '=', companyId)
    .executeTakeFirst();

export async function insert(tx: Tx, row: Insertable<Schema['developer_sandbox']>): Promise<void> {
  await tx.insertInto('developer_sandbox').values(row).execute();
}

/** Goes on in another root's scope, within the transaction: what is made there and what it belongs to are one. */
export async function goOnIn(tx: Tx, rootId: string): Promise<void> {
  await sql`select set_config('scope.root_id', ${rootId}, true)`.execute(tx);
}

/** How many leads a campaign has: the next made-up person is the one after them. */
export async function leadsOf(tx: Tx, agencyId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('lead')
    .select((e) => e.fn.countAll<bigint>().as('count'))
    .where('agency_id', '=', agencyId)
    .executeTakeFirstOrThrow();
  return Number(count);
}
