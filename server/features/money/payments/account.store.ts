import { type Insertable, sql } from 'kysely';
import type { Owner } from '../../../platform/db/owner.ts';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Db, Tx } from '../../../platform/db/scope.ts';

export type AgencyOwner = Owner & { agency_id: string };
/**
 * Whose account at the card provider it is: an agency's, on which it charges its clients; or (with user_id) a
 * salesperson's own, to which their commissions are paid.
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

/** A salesperson's own account. */
export async function salesAccount(tx: Tx, userId: string) {
  return tx.selectFrom('sales_account').select(COLUMNS).where('user_id', '=', userId).executeTakeFirst();
}

/** A holder's account; undefined if they never had one. */
export const accountOf = (tx: Tx, holder: Holder) =>
  'user_id' in holder ? salesAccount(tx, holder.user_id) : agencyAccount(tx, holder.company_id);

/** The same, but locked: everyone else who wants to change it waits for the end of the transaction. */
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

/** Whose account it is, by its id at the provider; undefined if it belongs to no one here. */
export async function holderOfAccount(db: Db, reference: string): Promise<Holder | undefined> {
  const { rows } = await sql<Owner & { user_id: string | null }>`
    select * from account_holder(${reference})`.execute(db);
  const row = rows[0];
  if (!row) return undefined;
  const { user_id, ...owner } = row;
  return user_id ? { ...owner, user_id } : { ...owner, agency_id: owner.agency_id! };
}

const holds = (holder: Holder) => ('user_id' in holder ? holder.user_id : null);

/** Records that an account was, or will be, disconnected. */
export async function insertAccountChange(
  tx: Tx,
  holder: Holder,
  row: Omit<Insertable<Schema['account_change']>, keyof Owner | 'user_id'>,
): Promise<void> {
  const { root_id, agency_id, company_id } = holder;
  await tx
    .insertInto('account_change')
    .values({ root_id, agency_id, company_id, user_id: holds(holder), ...row })
    .execute();
}

/** The pending change of a holder's account, with the user who requested it. */
export async function openAccountChange(tx: Tx, holder: Holder) {
  return tx
    .selectFrom('account_change as a')
    .leftJoin('user_account as u', 'u.id', 'a.asked_by')
    .select(['a.id', 'a.reference', 'a.effective_at', 'u.name as asked_by'])
    .where('a.company_id', '=', holder.company_id)
    .where('a.user_id', 'is not distinct from', holds(holder))
    .where('a.ended_at', 'is', null)
    .executeTakeFirst();
}

/** Ends the pending change; returns whether there was one. */
export async function endAccountChange(
  tx: Tx,
  holder: Holder,
  outcome: 'done' | 'stopped',
  at: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('account_change')
    .set({ ended_at: at, outcome })
    .where('company_id', '=', holder.company_id)
    .where('user_id', 'is not distinct from', holds(holder))
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The account that was disconnected last; '' if there was none. */
export async function formerAccount(tx: Tx, holder: Holder): Promise<string> {
  const row = await tx
    .selectFrom('account_change')
    .select('reference')
    .where('company_id', '=', holder.company_id)
    .where('user_id', 'is not distinct from', holds(holder))
    .where('outcome', '=', 'done')
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.reference ?? '';
}

export async function accountChangeById(tx: Tx, id: string) {
  return tx.selectFrom('account_change').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function personName(tx: Tx, userId: string): Promise<string> {
  const row = await tx.selectFrom('user_account').select('name').where('id', '=', userId).executeTakeFirst();
  return row?.name ?? 'Somebody';
}

/**
 * Whether a root is the one that owns the installation, and therefore also the provider account that we use for
 * requests.
 */
export async function holdsPlatform(tx: Tx, rootId: string): Promise<boolean> {
  const row = await tx.selectFrom('company').select('is_master').where('id', '=', rootId).executeTakeFirst();
  return row?.is_master ?? false;
}
