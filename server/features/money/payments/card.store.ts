import { type Insertable, sql } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

/** The card on file of a company. */
export async function cardOf(tx: Tx, companyId: string) {
  return tx
    .selectFrom('payment_card')
    .select([
      'id',
      'provider',
      'reference',
      'brand',
      'last4',
      'exp_month',
      'exp_year',
      'account',
      'customer',
      'created_at',
    ])
    .where('company_id', '=', companyId)
    .where('removed_at', 'is', null)
    .executeTakeFirst();
}

export async function removeCard(tx: Tx, companyId: string, at: Date): Promise<void> {
  await tx
    .updateTable('payment_card')
    .set({ removed_at: at })
    .where('company_id', '=', companyId)
    .where('removed_at', 'is', null)
    .execute();
}

/** Removes the card on file, if there is one, and saves this one instead. */
export async function replaceCard(tx: Tx, row: Insertable<Schema['payment_card']>): Promise<void> {
  // Two forms may be finished at the same time: the later one wins.
  await sql`select pg_advisory_xact_lock(hashtext('payment_card'), hashtext(${row.company_id}))`.execute(tx);
  await removeCard(tx, row.company_id, row.created_at as Date);
  await tx.insertInto('payment_card').values(row).execute();
}

/**
 * Saves what the provider says about a card on file. Returns the company, or undefined if no company has it on file.
 */
export async function changeCard(
  tx: Tx,
  reference: string,
  values: { exp_month: number; exp_year: number; brand: string; last4: string } | { removed_at: Date },
): Promise<string | undefined> {
  const row = await tx
    .updateTable('payment_card')
    .set(values)
    .where('reference', '=', reference)
    .where('removed_at', 'is', null)
    .returning('company_id')
    .executeTakeFirst();
  return row?.company_id;
}

export async function customerOf(tx: Tx, companyId: string, provider: 'sandbox' | 'stripe', account: string) {
  const row = await tx
    .selectFrom('payment_customer')
    .select('reference')
    .where('company_id', '=', companyId)
    .where('provider', '=', provider)
    .where('account', '=', account)
    .executeTakeFirst();
  return row?.reference;
}

/** All accounts on which companies of a root are known to the provider. */
export async function accountsOf(tx: Tx, provider: 'sandbox' | 'stripe'): Promise<string[]> {
  const rows = await tx
    .selectFrom('payment_customer')
    .select('account')
    .distinct()
    .where('provider', '=', provider)
    .execute();
  return rows.map((row) => row.account);
}

/** Saves the first customer of a company on an account; returns which one that is. */
export async function keepCustomer(tx: Tx, row: Insertable<Schema['payment_customer']>): Promise<string> {
  await tx
    .insertInto('payment_customer')
    .values(row)
    .onConflict((c) => c.doNothing())
    .execute();
  return (await customerOf(tx, row.company_id, row.provider, row.account))!;
}

/** A company's name, and whether a charge of its card has ever succeeded. */
export async function payerOf(tx: Tx, companyId: string): Promise<{ name: string; has_paid: boolean }> {
  return tx
    .selectFrom('company')
    .select((eb) => [
      'name',
      eb
        .exists(
          eb
            .selectFrom('charge')
            .select('charge.id')
            .where('charge.company_id', '=', companyId)
            .where('charge.state', '=', 'succeeded'),
        )
        .$castTo<boolean>()
        .as('has_paid'),
    ])
    .where('id', '=', companyId)
    .executeTakeFirstOrThrow();
}
