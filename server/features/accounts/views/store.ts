import type { Insertable, Updateable } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

/** How a person looks at each list. */
export const looksOf = (tx: Tx, userId: string) =>
  tx.selectFrom('list_look').select(['list', 'density', 'columns']).where('user_id', '=', userId).execute();

/** Whether a person has a look for a list. */
export const hasLook = async (tx: Tx, userId: string, list: string): Promise<boolean> =>
  (await tx
    .selectFrom('list_look')
    .select('list')
    .where('user_id', '=', userId)
    .where('list', '=', list)
    .executeTakeFirst()) !== undefined;

export async function saveLook(tx: Tx, row: Insertable<Schema['list_look']>): Promise<void> {
  const { density, columns, updated_at } = row;
  await tx
    .insertInto('list_look')
    .values(row)
    .onConflict((c) => c.columns(['user_id', 'list']).doUpdateSet({ density, columns, updated_at }))
    .execute();
}

const views = (tx: Tx) =>
  tx
    .selectFrom('list_view as v')
    .innerJoin('user_account as u', 'u.id', 'v.user_id')
    .select([
      'v.id',
      'v.user_id',
      'v.list',
      'v.name',
      'v.is_shared',
      'v.params',
      'v.columns',
      'u.name as by',
    ]);

/** The views that a person can use: their own, and those shared in their company. */
export const viewsFor = (tx: Tx, companyId: string, userId: string) =>
  views(tx)
    .where((eb) =>
      eb.or([
        eb('v.user_id', '=', userId),
        eb.and([eb('v.company_id', '=', companyId), eb('v.is_shared', '=', true)]),
      ]),
    )
    .orderBy('v.name')
    .orderBy('v.id')
    .execute();

export type ViewRow = Awaited<ReturnType<typeof viewsFor>>[number];

/** One of those views, locked. */
export async function viewFor(
  tx: Tx,
  companyId: string,
  userId: string,
  id: string,
): Promise<ViewRow | undefined> {
  await tx.selectFrom('list_view').select('id').where('id', '=', id).forUpdate().executeTakeFirst();
  const rows = await views(tx)
    .where('v.id', '=', id)
    .where('v.company_id', '=', companyId)
    .where((eb) => eb.or([eb('v.user_id', '=', userId), eb('v.is_shared', '=', true)]))
    .execute();
  return rows[0];
}

export async function insertView(tx: Tx, row: Insertable<Schema['list_view']>): Promise<void> {
  await tx.insertInto('list_view').values(row).execute();
}

export async function updateView(tx: Tx, id: string, change: Updateable<Schema['list_view']>): Promise<void> {
  await tx.updateTable('list_view').set(change).where('id', '=', id).execute();
}

export async function deleteView(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('list_view').where('id', '=', id).execute();
}
