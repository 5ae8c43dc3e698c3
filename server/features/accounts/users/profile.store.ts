import { type Insertable, sql, type Updateable } from 'kysely';
import type { PersonalPermission } from '../../../platform/db/columns.ts';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { ModuleRight } from './role.policy.ts';

/** Everything that is known about a person apart from their company. */
export interface PersonRow {
  id: string;
  root_id: string;
  agency_id: string | null;
  company_id: string;
  role: 'owner' | 'administrator' | 'sales';
  is_account_executive: boolean;
  email: string;
  name: string;
  phone: string;
  phone_country: string;
  phone_calling: string;
  address: string;
  city: string;
  zip: string;
  state_code: string;
  country_code: string;
  picture: string | null;
  permission_active: boolean;
  permissions: PersonalPermission[];
  profile_done: boolean;
  role_id: string | null;
  role_name: string | null;
  /** The rows of an administrator's role; null if there are no limits within their user type. */
  rights: ModuleRight[] | null;
  industry_id: string | null;
  franchise: boolean | null;
  franchise_director: boolean | null;
  office_manager: boolean | null;
  questionnaire_done: boolean;
}

/** A person in the scope with their role's name and answers; undefined if there is none. */
export async function personById(tx: Tx, id: string): Promise<PersonRow | undefined> {
  const { rows } = await sql<PersonRow>`
    select u.id, u.root_id, u.agency_id, u.company_id, u.role, u.is_account_executive, u.email, u.name, u.phone,
           u.phone_country, u.phone_calling, u.address, u.city, u.zip, u.state_code, u.country_code, u.picture,
           u.permission_active, u.permissions, u.profile_done, u.role_id, r.name as role_name, rights_of(u.id) as rights, q.industry_id,
           q.franchise, q.franchise_director, q.office_manager, q.user_id is not null as questionnaire_done
    from user_account u
    left join role r on r.id = u.role_id
    left join questionnaire q on q.user_id = u.id
    where u.id = ${id}`.execute(tx);
  return rows[0];
}

/** The owner who has been with a company the longest. */
export async function ownerOf(tx: Tx, companyId: string) {
  return tx
    .selectFrom('user_account')
    .select(['id', 'name', 'email', 'phone', 'phone_calling'])
    .where('company_id', '=', companyId)
    .where('role', '=', 'owner')
    .where('disabled_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}

/** Marks a person's profile as complete; returns false if it already was. */
export async function finishProfile(tx: Tx, id: string): Promise<boolean> {
  const done = await tx
    .updateTable('user_account')
    .set({ profile_done: true })
    .where('id', '=', id)
    .where('profile_done', '=', false)
    .executeTakeFirst();
  return done.numUpdatedRows > 0n;
}

type Profile = Pick<
  Updateable<Schema['user_account']>,
  | 'name'
  | 'phone'
  | 'phone_country'
  | 'phone_calling'
  | 'address'
  | 'city'
  | 'zip'
  | 'state_code'
  | 'country_code'
  | 'picture'
>;

/** Sets some fields of a person's profile; the rest stays as it was. */
export async function setProfile(tx: Tx, id: string, values: Profile): Promise<void> {
  await tx.updateTable('user_account').set(values).where('id', '=', id).execute();
}

/** Changes a person's email address. Throws on the unique constraint if another account of the root has it. */
export async function setEmail(tx: Tx, id: string, email: string): Promise<void> {
  await tx.updateTable('user_account').set({ email }).where('id', '=', id).execute();
}

/** A person's answers; null if there are none yet. */
export async function answersOf(tx: Tx, userId: string): Promise<Record<string, unknown> | null> {
  const row = await tx
    .selectFrom('questionnaire')
    .select('answers')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row?.answers ?? null;
}

export async function saveAnswers(tx: Tx, row: Insertable<Schema['questionnaire']>): Promise<void> {
  const { user_id: _user, root_id: _root, agency_id: _agency, company_id: _company, ...values } = row;
  await tx
    .insertInto('questionnaire')
    .values(row)
    .onConflict((c) => c.column('user_id').doUpdateSet(values))
    .execute();
}
