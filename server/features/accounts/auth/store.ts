import { type Insertable, sql } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Db, Tx } from '../../../platform/db/scope.ts';

type KeyRow = Insertable<Schema['signing_key']>;

/** The installation's keys of a purpose, the current one first. */
export async function keysOf(db: Db, purpose: 'access' | 'body') {
  return db
    .selectFrom('signing_key')
    .selectAll()
    .where('purpose', '=', purpose)
    .orderBy(sql`retired_at is not null`)
    .orderBy('created_at', 'desc')
    .execute();
}

/** Adds a key unless another process has just made the current one of its purpose. */
export async function addKey(db: Db, row: KeyRow): Promise<void> {
  await db
    .insertInto('signing_key')
    .values(row)
    .onConflict((c) => c.column('purpose').where('retired_at', 'is', null).doNothing())
    .execute();
}

export async function insertDownloadToken(tx: Tx, row: Insertable<Schema['download_token']>): Promise<void> {
  await tx.insertInto('download_token').values(row).execute();
  await tx
    .deleteFrom('download_token')
    .where('expires_at', '<', new Date(row.created_at.getTime() - 86_400_000))
    .execute();
}

/** Uses up a download token for this path; undefined if it is not valid (anymore). */
export async function useDownloadToken(db: Db, hash: Buffer, path: string, at: Date) {
  const { rows } = await sql<{
    user_id: string;
    root_id: string;
    agency_id: string | null;
    company_id: string;
    viewer_id: string | null;
  }>`
    select * from use_download_token(${hash}, ${path}, ${at})`.execute(db);
  return rows[0];
}

export async function insertSetupLink(db: Db, row: Insertable<Schema['setup_link']>): Promise<void> {
  await db.insertInto('setup_link').values(row).execute();
}

/** Uses up a setup link, inside the transaction that creates the first root. */
export async function useSetupLink(tx: Tx, hash: Buffer, at: Date): Promise<boolean> {
  const done = await tx
    .updateTable('setup_link')
    .set({ used_at: at })
    .where('token_hash', '=', hash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', at)
    .executeTakeFirst();
  return done.numUpdatedRows > 0n;
}

/** Makes first setups queue up behind each other. */
export async function lockSetup(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('first_owner'))`.execute(tx);
}
