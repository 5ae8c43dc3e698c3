import type { Insertable, Updateable } from 'kysely';
import type { Schema } from '../../platform/db/schema.ts';
import type { Tx } from '../../platform/db/scope.ts';

/** The card on file of a company. */
export async function cardOf(tx: Tx, companyId: string) {
  return tx
    .selectFrom('payment_card')
    .select(['id', 'provider', 'reference', 'brand', 'last4', 'exp_month', 'exp_year'])
    .where('company_id', '=', companyId)
    .where('removed_at', 'is', null)
    .executeTakeFirst();
}

/** Takes the card on file away, if there is one, and puts this one there. */
export async function replaceCard(tx: Tx, row: Insertable<Schema['payment_card']>): Promise<void> {
  await tx
    .updateTable('payment_card')
    .set({ removed_at: row.created_at })
    .where('company_id', '=', row.company_id)
    .where('removed_at', 'is', null)
    .execute();
  await tx.insertInto('payment_card').values(row).execute();
}

/** An agency's account at the card provider. */
export async function connectedAccount(tx: Tx, agencyId: string) {
  return tx
    .selectFrom('connected_account')
    .select(['provider', 'reference', 'status', 'charges_enabled', 'payouts_enabled', 'requirements'])
    .where('company_id', '=', agencyId)
    .executeTakeFirst();
}

export async function saveConnectedAccount(
  tx: Tx,
  row: Insertable<Schema['connected_account']>,
): Promise<void> {
  const { root_id, agency_id, company_id, ...values } = row;
  await tx
    .insertInto('connected_account')
    .values({ root_id, agency_id, company_id, ...values })
    .onConflict((c) => c.column('company_id').doUpdateSet(values))
    .execute();
}

/** How a company is billed; undefined: nothing has been set yet. */
export async function billingOf(tx: Tx, companyId: string) {
  return tx.selectFrom('company_billing').selectAll().where('company_id', '=', companyId).executeTakeFirst();
}

/** Sets some of what a company is billed by; the rest stays as it was. */
export async function saveBilling(
  tx: Tx,
  owner: { root_id: string; agency_id: string; company_id: string },
  values: Omit<Updateable<Schema['company_billing']>, 'root_id' | 'agency_id' | 'company_id'> & {
    updated_at: Date;
  },
): Promise<void> {
  await tx
    .insertInto('company_billing')
    .values({ ...owner, ...values })
    .onConflict((c) => c.column('company_id').doUpdateSet(values))
    .execute();
}
