import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

export type Grant = Selectable<Schema['developer_grant']>;

export async function insert(tx: Tx, row: Insertable<Schema['developer_grant']>): Promise<void> {
  await tx.insertInto('developer_grant').values(row).execute();
}

/** The grant of a root with a code, locked until the transaction ends. */
export const byCode = (tx: Tx, rootId: string, hash: Buffer): Promise<Grant | undefined> =>
  tx
    .selectFrom('developer_grant')
    .selectAll()
    .where('root_id', '=', rootId)
    .where('code_hash', '=', hash)
    .forUpdate()
    .executeTakeFirst();

/** The grant behind a key of a root, locked until the transaction ends. */
export const byKey = (tx: Tx, rootId: string, keyId: string): Promise<Grant | undefined> =>
  tx
    .selectFrom('developer_grant')
    .selectAll()
    .where('root_id', '=', rootId)
    .where('key_id', '=', keyId)
    .forUpdate()
    .executeTakeFirst();

export async function update(
  tx: Tx,
  keyId: string,
  set: Updateable<Schema['developer_grant']>,
): Promise<void> {
  await tx.updateTable('developer_grant').set(set).where('key_id', '=', keyId).execute();
}

/** Ends the key of a grant; false if it had ended. */
export const end = async (tx: Tx, keyId: string, at: Date): Promise<boolean> =>
  (
    await sql`update developer_key set disabled_at = ${at} where id = ${keyId} and disabled_at is null returning id`.execute(
      tx,
    )
  ).rows.length > 0;
