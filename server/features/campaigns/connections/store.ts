import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Database } from '../../../platform/db/connect.ts';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

export type ConnectionRow = Selectable<Schema['connection']>;
export interface CountedConnection extends ConnectionRow {
  campaigns: bigint;
  waiting: bigint;
}

/** The connections of a company, or one of them, oldest first, with what uses them and waits for them. */
export async function connections(
  tx: Tx,
  which: { companyId: string; vendor?: string | undefined } | { id: string },
): Promise<CountedConnection[]> {
  let query = tx
    .selectFrom('connection as c')
    .selectAll('c')
    .select([
      sql<bigint>`(select count(distinct i.campaign_id) from integration i
        where i.connection_id = c.id and i.state <> 'removed')`.as('campaigns'),
      sql<bigint>`(select count(*) from integration i join delivery d on d.integration_id = i.id
        and d.state in ('pending', 'unknown') and d.next_at is null where i.connection_id = c.id)`.as(
        'waiting',
      ),
    ])
    .where('c.state', '!=', 'removed')
    .orderBy('c.created_at')
    .orderBy('c.id');
  if ('id' in which) query = query.where('c.id', '=', which.id);
  else {
    query = query.where('c.company_id', '=', which.companyId);
    if (which.vendor) query = query.where('c.vendor', '=', which.vendor);
  }
  return query.execute();
}

/** One connection that is not removed; `lock` keeps others from changing it. */
export async function connectionById(
  tx: Tx,
  id: string,
  lock?: 'update',
): Promise<ConnectionRow | undefined> {
  const query = tx.selectFrom('connection').selectAll().where('id', '=', id).where('state', '!=', 'removed');
  return (lock ? query.forUpdate() : query).executeTakeFirst();
}

/** Connections that are not removed; they cannot be changed until this transaction has written what it read. */
export async function sharedConnections(tx: Tx, ids: readonly string[]): Promise<ConnectionRow[]> {
  if (ids.length === 0) return [];
  return tx
    .selectFrom('connection')
    .selectAll()
    .where('id', 'in', ids)
    .where('state', '!=', 'removed')
    .orderBy('id')
    .forShare()
    .execute();
}

export async function insertConnection(tx: Tx, row: Insertable<Schema['connection']>): Promise<void> {
  // From the other end than the webhooks of the company, with which they share its lanes.
  const lane = sql<number>`(select 15 - count(*) % 16 from connection where company_id = ${row.company_id})`;
  await tx
    .insertInto('connection')
    .values({ ...row, lane })
    .execute();
}

export async function updateConnection(
  tx: Tx,
  id: string,
  set: Updateable<Schema['connection']>,
): Promise<void> {
  await tx.updateTable('connection').set(set).where('id', '=', id).execute();
}

export async function insertSignIn(tx: Tx, row: Insertable<Schema['connection_sign_in']>): Promise<void> {
  await tx.insertInto('connection_sign_in').values(row).execute();
}

/** Deletes the sign-ins of a company that no one has ended in time. */
export async function forgetSignIns(tx: Tx, companyId: string, at: Date): Promise<void> {
  await tx
    .deleteFrom('connection_sign_in')
    .where('company_id', '=', companyId)
    .where('ends_at', '<=', at)
    .execute();
}

/** Uses up a sign-in of a session; undefined if there is none that is still open. */
export async function takeSignIn(tx: Tx, hash: Buffer, sessionId: string, at: Date) {
  return tx
    .deleteFrom('connection_sign_in')
    .where('state_hash', '=', hash)
    .where('session_id', '=', sessionId)
    .where('ends_at', '>', at)
    .returningAll()
    .executeTakeFirst();
}

/** Where the browser of an open sign-in goes on, in any scope. */
export async function returnOf(db: Database['app'], hash: Buffer, at: Date): Promise<string | undefined> {
  const { rows } = await sql<{ to: string | null }>`select sign_in_return(${hash}, ${at}) as to`.execute(db);
  return rows[0]?.to ?? undefined;
}

/** The connections of a root whose sign-in expires before a time and whose company has not been notified, locked. */
export async function ending(tx: Tx, rootId: string, before: Date): Promise<ConnectionRow[]> {
  return tx
    .selectFrom('connection')
    .selectAll()
    .where('root_id', '=', rootId)
    .where('state', '=', 'connected')
    .where('ends_at', '<', before)
    .where('told_ending', '=', false)
    .orderBy('ends_at')
    .limit(ENDING_AT_ONCE)
    .forUpdate()
    .skipLocked()
    .execute();
}
export const ENDING_AT_ONCE = 100;

type Account = Pick<ConnectionRow, 'root_id' | 'vendor' | 'account'>;

/** The queue of an account at a vendor, locked; a new one starts as given. */
export async function queueOf(tx: Tx, account: Account, fresh: { calls: number; at: Date }) {
  const { root_id, vendor } = account;
  const key = { root_id, vendor, account: account.account };
  await tx
    .insertInto('connection_queue')
    .values({ ...key, calls: fresh.calls, counted_at: fresh.at })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return tx
    .selectFrom('connection_queue')
    .selectAll()
    .where('root_id', '=', root_id)
    .where('vendor', '=', vendor)
    .where('account', '=', key.account)
    .forUpdate()
    .executeTakeFirstOrThrow();
}

export async function updateQueue(
  tx: Tx,
  { root_id, vendor, account }: Account,
  set: Updateable<Schema['connection_queue']>,
): Promise<void> {
  await tx
    .updateTable('connection_queue')
    .set(set)
    .where('root_id', '=', root_id)
    .where('vendor', '=', vendor)
    .where('account', '=', account)
    .execute();
}
