import type { Insertable } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Db, Tx } from '../../../platform/db/scope.ts';

export async function insertPasskey(tx: Tx, row: Insertable<Schema['passkey']>): Promise<void> {
  await tx.insertInto('passkey').values(row).execute();
}

/** A person's passkeys, the newest first. */
export async function passkeysOf(tx: Tx, userId: string) {
  return tx
    .selectFrom('passkey')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(100)
    .execute();
}

/** Whether a person has a passkey that works at a host. */
export async function hasPasskeyAt(tx: Tx, userId: string, host: string): Promise<boolean> {
  const row = await tx
    .selectFrom('passkey')
    .select('id')
    .where('user_id', '=', userId)
    .where('host', '=', host)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whose a passkey is; undefined if the root has none with this authenticator id at a host. */
export async function ownerOf(tx: Tx, rootId: string, host: string, credentialId: string) {
  const row = await tx
    .selectFrom('passkey')
    .select('user_id')
    .where('root_id', '=', rootId)
    .where('host', '=', host)
    .where('credential_id', '=', credentialId)
    .executeTakeFirst();
  return row?.user_id;
}

/** The passkey with this authenticator id at a host, locked; undefined if the root has none. */
export async function lockPasskey(tx: Tx, rootId: string, host: string, credentialId: string) {
  return tx
    .selectFrom('passkey')
    .selectAll()
    .where('root_id', '=', rootId)
    .where('host', '=', host)
    .where('credential_id', '=', credentialId)
    .forUpdate()
    .executeTakeFirst();
}

export async function setPasskeyUsed(tx: Tx, id: string, counter: bigint, at: Date): Promise<void> {
  await tx.updateTable('passkey').set({ counter, last_used_at: at }).where('id', '=', id).execute();
}

/** Renames a user's passkey; undefined if it is not theirs. */
export async function renamePasskey(tx: Tx, userId: string, id: string, name: string) {
  return tx
    .updateTable('passkey')
    .set({ name })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returning('name')
    .executeTakeFirst();
}

/** Removes a user's passkey; undefined if it is not theirs. */
export async function deletePasskey(tx: Tx, userId: string, id: string) {
  return tx
    .deleteFrom('passkey')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returning(['name', 'host'])
    .executeTakeFirst();
}

/** Removes all passkeys of a user and returns them. */
export async function deletePasskeysOf(tx: Tx, userId: string) {
  return tx.deleteFrom('passkey').where('user_id', '=', userId).returning(['name', 'host']).execute();
}

/** Marks a challenge as answered. False if it already was. */
export async function useAnswer(db: Db, challenge: string, expiresAt: Date): Promise<boolean> {
  const done = await db
    .insertInto('passkey_answer')
    .values({ challenge, expires_at: expiresAt })
    .onConflict((c) => c.column('challenge').doNothing())
    .executeTakeFirst();
  return (done.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function deleteAnswers(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('passkey_answer').where('expires_at', '<', before).execute();
}
