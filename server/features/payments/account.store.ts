import { type Insertable, sql } from 'kysely';
import type { Owner } from '../../platform/db/owner.ts';
import type { Schema } from '../../platform/db/schema.ts';
import type { Db, Tx } from '../../platform/db/scope.ts';

export type AgencyOwner = Owner & { agency_id: string };
/**
 * Whose an account at the card provider is: an agency's, on which it charges its clients; or (with user_id) a sales person's
 * own, which their commissions are paid to.
 */
export type Holder = AgencyOwner | (Owner & { user_id: string });

type State = Omit<Insertable<Schema['connected_account']>, keyof AgencyOwner>;

const COLUMNS = [
  'provider',
  'reference',
  'status',
  'charges_enabled',
  'payouts_enabled',
  'requirements',
  'updated_at',
] as const;

/** An agency's account. */
export async function agencyAccount(tx: Tx, agencyId: string) {
  return tx
    .selectFrom('connected_account')
    .select(COLUMNS)
    .where('company_id', '=', agencyId)
    .executeTakeFirst();
}

/** A sales person's own account. */
export async function salesAccount(tx: Tx, userId: string) {
  return tx.selectFrom('sales_account').select(COLUMNS).where('user_id', '=', userId).executeTakeFirst();
}

/** The account of whoever it is; undefined: they never had one. */
export const accountOf = (tx: Tx, holder: Holder) =>
  'user_id' in holder ? salesAccount(tx, holder.user_id) : agencyAccount(tx, holder.company_id);

/** The same, with all others who would change it waiting for the end of the transaction. */
export async function accountToChange(tx: Tx, holder: Holder) {
  const id = 'user_id' in holder ? holder.user_id : holder.company_id;
  await sql`select pg_advisory_xact_lock(hashtext('connected_account'), hashtext(${id}))`.execute(tx);
  return accountOf(tx, holder);
}

export async function saveAccount(tx: Tx, holder: Holder, state: State): Promise<void> {
  if ('user_id' in holder) {
    await tx
      .insertInto('sales_account')
      .values({ ...holder, ...state })
      .onConflict((c) => c.column('user_id').doUpdateSet(state))
      .execute();
    return;
  }
  await tx
    .insertInto('connected_account')
    .values({ ...holder, ...state })
    .onConflict((c) => c.column('company_id').doUpdateSet(state))
    .execute();
}

/** Whose account it is, by the provider's id of it; undefined: nobody's here. */
export async function holderOfAccount(db: Db, reference: string): Promise<Holder | undefined> {
  const { rows } = await sql<Owner & { user_id: string | null }>`
    select * from account_holder(${reference})`.execute(db);
  const row = rows[0];
  if (!row) return undefined;
  const { user_id, ...owner } = row;
  return user_id ? { ...owner, user_id } : { ...owner, agency_id: owner.agency_id! };
}
