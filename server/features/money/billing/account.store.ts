import { sql, type Updateable } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

/** How a company is billed; undefined: nothing has been set yet. */
export async function billingOf(tx: Tx, companyId: string) {
  return tx.selectFrom('company_billing').selectAll().where('company_id', '=', companyId).executeTakeFirst();
}

/** Whether an agency bills its clients outside the system; also a client's scope may know. */
export async function billsManually(tx: Tx, agencyId: string): Promise<boolean> {
  const { rows } = await sql<{ manual: boolean }>`select bills_manually(${agencyId}) as manual`.execute(tx);
  return rows[0]!.manual;
}

/** Sets some of a company's billing terms; the rest stays unchanged. Each choice of a package is kept. */
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
  const { package_id, updated_at: chosen_at } = values;
  if (package_id !== undefined)
    await tx
      .insertInto('package_choice')
      .values({ ...owner, package_id, chosen_at })
      .execute();
}

/** Excludes an agency from the minimum spend, or includes it again; returns whether it is now excluded. */
export async function toggleMinimumSpend(
  tx: Tx,
  owner: { root_id: string; agency_id: string; company_id: string },
  at: Date,
): Promise<boolean> {
  const row = await tx
    .insertInto('company_billing')
    .values({ ...owner, excluded_minimum_spend: true, updated_at: at })
    .onConflict((c) =>
      c.column('company_id').doUpdateSet({
        excluded_minimum_spend: sql<boolean>`not company_billing.excluded_minimum_spend`,
        updated_at: at,
      }),
    )
    .returning('excluded_minimum_spend')
    .executeTakeFirstOrThrow();
  return row.excluded_minimum_spend;
}
