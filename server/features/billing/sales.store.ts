import type { Insertable } from 'kysely';
import type { Schema } from '../../platform/db/schema.ts';
import type { Tx } from '../../platform/db/scope.ts';

/** Where a sales person's account stands; undefined: there is none. */
export async function salesAccount(tx: Tx, userId: string) {
  return tx.selectFrom('sales_account').select(['status']).where('user_id', '=', userId).executeTakeFirst();
}

export async function saveSalesAccount(tx: Tx, row: Insertable<Schema['sales_account']>): Promise<void> {
  const { user_id, root_id, agency_id, company_id, ...values } = row;
  await tx
    .insertInto('sales_account')
    .values({ user_id, root_id, agency_id, company_id, ...values })
    .onConflict((c) => c.column('user_id').doUpdateSet(values))
    .execute();
}
