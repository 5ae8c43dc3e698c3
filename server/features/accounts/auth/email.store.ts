import type { Insertable } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

export async function insertChange(tx: Tx, row: Insertable<Schema['email_change']>): Promise<void> {
  await tx.insertInto('email_change').values(row).execute();
}

/** Whether an account is in use: it has a password, or someone has signed in as it, such as from an agency's program. */
export async function hasEntered(tx: Tx, userId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('user_account as u')
    .select('u.id')
    .where('u.id', '=', userId)
    .where((e) =>
      e.or([
        e('u.password_hash', 'is not', null),
        e.exists(
          e
            .selectFrom('session as s')
            .select('s.id')
            .whereRef('s.user_id', '=', 'u.id')
            .where('s.viewer_session_id', 'is', null),
        ),
      ]),
    )
    .executeTakeFirst();
  return row !== undefined;
}

/** Ends a person's pending changes. */
export async function endChanges(tx: Tx, userId: string, at: Date): Promise<void> {
  await tx
    .updateTable('email_change')
    .set({ used_at: at })
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .execute();
}

/** Changes requested by others that are now due. */
export async function dueChanges(tx: Tx, at: Date): Promise<string[]> {
  const rows = await tx
    .selectFrom('email_change')
    .select('id')
    .where('used_at', 'is', null)
    .where('effective_at', '<=', at)
    .where('expires_at', '>', at)
    .execute();
  return rows.map((row) => row.id);
}

/** The pending address that another person has entered for a user. */
export async function heldChange(tx: Tx, userId: string, at: Date): Promise<string | null> {
  const row = await tx
    .selectFrom('email_change')
    .select('email')
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .where('effective_at', 'is not', null)
    .where('expires_at', '>', at)
    .executeTakeFirst();
  return row?.email ?? null;
}

/** Keeps sending the codes of an email factor to the account's previous address. */
export async function keepFactorAddress(tx: Tx, userId: string, address: string): Promise<void> {
  await tx
    .updateTable('user_factor')
    .set({ address })
    .where('user_id', '=', userId)
    .where('kind', '=', 'email')
    .where('address', 'is', null)
    .execute();
}

export async function lockChange(tx: Tx, id: string) {
  return tx.selectFrom('email_change').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** The address that a person has not confirmed yet. */
export async function openChange(tx: Tx, userId: string, at: Date): Promise<string | null> {
  const row = await tx
    .selectFrom('email_change')
    .select('email')
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .where('expires_at', '>', at)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.email ?? null;
}
