import { type Insertable, sql, type Updateable } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { ModuleRight } from './role.policy.ts';

export async function insertUser(tx: Tx, row: Insertable<Schema['user_account']>): Promise<void> {
  await tx.insertInto('user_account').values(row).execute();
}

/** A user with the company, by email within the scope's root. */
export async function userByEmail(tx: Tx, email: string) {
  return tx
    .selectFrom('user_account as u')
    .innerJoin('company as c', 'c.id', 'u.company_id')
    .select([
      'u.id',
      'u.root_id',
      'u.agency_id',
      'u.company_id',
      'u.role',
      'u.password_hash',
      'u.disabled_at',
      'u.name',
      'c.kind',
      'c.removed_at',
    ])
    .where('u.email', '=', email)
    .executeTakeFirst();
}

/** A user with the company, by id, within the scope. */
export async function userById(tx: Tx, id: string) {
  return tx
    .selectFrom('user_account as u')
    .innerJoin('company as c', 'c.id', 'u.company_id')
    .select([
      'u.id',
      'u.name',
      'u.email',
      'u.role',
      'u.is_account_executive',
      'u.role_id',
      'u.agency_id',
      'c.id as company_id',
      'c.name as company_name',
      'c.kind',
      'c.parent_id',
      'c.agency_id',
      'c.root_id',
      'c.is_master',
      'c.time_zone',
      'u.disabled_at',
      'c.removed_at',
    ])
    .select(sql<ModuleRight[] | null>`rights_of(u.id)`.as('rights'))
    .where('u.id', '=', id)
    .executeTakeFirst();
}

/** What authenticates a user and how to reach them, by id, within the scope. */
export async function userSecret(tx: Tx, id: string) {
  return tx
    .selectFrom('user_account')
    .select(['id', 'root_id', 'agency_id', 'company_id', 'email', 'name', 'password_hash', 'disabled_at'])
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Serializes changes to one user. */
export async function lockUser(tx: Tx, id: string): Promise<void> {
  await tx.selectFrom('user_account').select('id').where('id', '=', id).forNoKeyUpdate().execute();
}

/**
 * Serializes changes to one user; returns whether they may still sign in with this very password. Whoever proved it did
 * so before the transaction, because hashing takes a while: the password may have been replaced since.
 */
export async function lockIfPassword(tx: Tx, id: string, passwordHash: string | null): Promise<boolean> {
  const row = await tx
    .selectFrom('user_account')
    .select(['password_hash', 'disabled_at'])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row !== undefined && !row.disabled_at && row.password_hash === passwordHash;
}

export async function setPassword(tx: Tx, id: string, passwordHash: string): Promise<void> {
  await tx.updateTable('user_account').set({ password_hash: passwordHash }).where('id', '=', id).execute();
}

/**
 * Who is notified of a company's affairs, by email: the owners and administrators who have chosen to be. If there are
 * none, the default administrator, or else the owners, so there is always someone.
 */
export async function incharge(tx: Tx, companyId: string) {
  const all = await tx
    .selectFrom('user_account')
    .select(['id', 'name', 'email', 'role', 'is_default_admin', 'gets_notices', 'mail_off'])
    .where('company_id', '=', companyId)
    .where('role', 'in', ['owner', 'administrator'])
    .where('disabled_at', 'is', null)
    .orderBy('email')
    .execute();
  const [wanting, first] = [
    all.filter((one) => one.gets_notices && !one.mail_off),
    all.filter((one) => one.is_default_admin),
  ];
  if (wanting.length > 0) return wanting;
  return first.length > 0 ? first : all.filter((one) => one.role === 'owner');
}

/** The contact for a company's customers: of the people in that function, the one who has been there longest. */
export async function customerCare(tx: Tx, companyId: string) {
  return tx
    .selectFrom('user_account')
    .select(['name', 'email', 'phone', 'phone_calling'])
    .where('company_id', '=', companyId)
    .where('customer_care', '=', true)
    .where('disabled_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}

/** Takes the default administrator flag from whoever has it. */
export async function noDefault(tx: Tx, companyId: string): Promise<void> {
  await tx
    .updateTable('user_account')
    .set({ is_default_admin: false })
    .where('company_id', '=', companyId)
    .where('is_default_admin', '=', true)
    .execute();
}

/** Sets some of a user's values and increments the version. */
export async function setValues(
  tx: Tx,
  id: string,
  values: Updateable<Schema['user_account']>,
): Promise<void> {
  await tx
    .updateTable('user_account')
    .set({ ...values, version: sql<number>`version + 1` })
    .where('id', '=', id)
    .execute();
}
