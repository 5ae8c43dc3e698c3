import { type Insertable, sql } from 'kysely';
import type { Schema } from '../../platform/db/schema.ts';
import type { Tx } from '../../platform/db/scope.ts';
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

/** Whether a company has roles at all, removed ones included. */
export async function hasRoles(tx: Tx, companyId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('role')
    .select('id')
    .where('company_id', '=', companyId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
