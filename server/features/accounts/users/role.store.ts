import { type Insertable, sql } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { ModuleRight } from './role.policy.ts';

export async function insertRole(
  tx: Tx,
  row: Insertable<Schema['role']>,
  rights: ModuleRight[],
): Promise<void> {
  await tx.insertInto('role').values(row).execute();
  await saveRights(tx, row, rights);
}

/** Sets a role's rows; modules that are not named keep theirs. */
export async function saveRights(
  tx: Tx,
  role: { id: string; root_id: string; agency_id?: string | null | undefined; company_id: string },
  rights: ModuleRight[],
): Promise<void> {
  if (rights.length === 0) return;
  await tx
    .insertInto('role_module')
    .values(
      rights.map((right) => ({
        role_id: role.id,
        root_id: role.root_id,
        agency_id: role.agency_id ?? null,
        company_id: role.company_id,
        module: right.module,
        may_see: right.see,
        may_create: right.create,
        may_update: right.update,
        may_delete: right.delete,
      })),
    )
    .onConflict((c) =>
      c.columns(['role_id', 'module']).doUpdateSet({
        may_see: sql`excluded.may_see`,
        may_create: sql`excluded.may_create`,
        may_update: sql`excluded.may_update`,
        may_delete: sql`excluded.may_delete`,
      }),
    )
    .execute();
}

/** The rows of a role. */
export async function rightsOf(tx: Tx, roleId: string): Promise<ModuleRight[]> {
  const rows = await tx
    .selectFrom('role_module')
    .select(['module', 'may_see', 'may_create', 'may_update', 'may_delete'])
    .where('role_id', '=', roleId)
    .execute();
  return rows.map((row) => ({
    module: row.module as ModuleRight['module'],
    see: row.may_see,
    create: row.may_create,
    update: row.may_update,
    delete: row.may_delete,
  }));
}

/** Whether a company has any roles at all, including removed ones. */
export async function hasRoles(tx: Tx, companyId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('role')
    .select('id')
    .where('company_id', '=', companyId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The roles of a company by name, with the number of people who hold each. */
export async function rolesOf(tx: Tx, companyId: string) {
  return tx
    .selectFrom('role as r')
    .select((eb) => [
      'r.id',
      'r.name',
      'r.created_at',
      eb
        .selectFrom('user_account as u')
        .whereRef('u.role_id', '=', 'r.id')
        .where('u.disabled_at', 'is', null)
        .select((u) => u.fn.countAll<bigint>().as('n'))
        .as('people'),
    ])
    .where('r.company_id', '=', companyId)
    .where('r.removed_at', 'is', null)
    .orderBy('r.name')
    .orderBy('r.id')
    .execute();
}

/** A role in the scope, locked against other changes; undefined if there is none. */
export async function roleById(tx: Tx, id: string) {
  return tx
    .selectFrom('role')
    .selectAll()
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
}

export async function renameRole(tx: Tx, id: string, name: string, at: Date): Promise<void> {
  await tx.updateTable('role').set({ name, updated_at: at }).where('id', '=', id).execute();
}

/** Removes a role; returns false while anyone holds it. */
export async function removeRole(tx: Tx, id: string, at: Date): Promise<boolean> {
  const done = await tx
    .updateTable('role')
    .set({ removed_at: at })
    .where('id', '=', id)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('user_account').select('id').where('role_id', '=', id).where('disabled_at', 'is', null),
        ),
      ),
    )
    .executeTakeFirst();
  return done.numUpdatedRows > 0n;
}

export async function giveRole(tx: Tx, userId: string, roleId: string | null): Promise<void> {
  await tx.updateTable('user_account').set({ role_id: roleId }).where('id', '=', userId).execute();
}
