import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

export type SettingRow = Selectable<Schema['wallet_setting']>;

/** Returns a wallet's settings; undefined if none have been chosen yet. */
export async function setting(tx: Tx, companyId: string): Promise<SettingRow | undefined> {
  return tx.selectFrom('wallet_setting').selectAll().where('company_id', '=', companyId).executeTakeFirst();
}

/** Returns a wallet's settings and locks them until the transaction ends. */
export async function lockSetting(tx: Tx, companyId: string): Promise<SettingRow | undefined> {
  return tx
    .selectFrom('wallet_setting')
    .selectAll()
    .where('company_id', '=', companyId)
    .forUpdate()
    .executeTakeFirst();
}

/** Sets some of a wallet's settings. */
export async function putSetting(
  tx: Tx,
  owner: { root_id: string; agency_id: string; company_id: string },
  values: Omit<Updateable<Schema['wallet_setting']>, 'root_id' | 'agency_id' | 'company_id'> & {
    updated_at: Date;
  },
): Promise<void> {
  await tx
    .insertInto('wallet_setting')
    .values({ ...owner, ...values })
    .onConflict((c) => c.column('company_id').doUpdateSet(values))
    .execute();
}

export async function insertAttempt(tx: Tx, row: Insertable<Schema['wallet_attempt']>): Promise<void> {
  await tx.insertInto('wallet_attempt').values(row).execute();
}

export async function endAttempt(
  tx: Tx,
  id: string,
  values: { state: 'succeeded' | 'declined'; reason: string; ended_at: Date },
): Promise<void> {
  await tx.updateTable('wallet_attempt').set(values).where('id', '=', id).execute();
}

/** Automatic top-ups, newest first. */
export async function attempts(tx: Tx, companyId: string, limit: number) {
  return tx
    .selectFrom('wallet_attempt')
    .selectAll()
    .where('company_id', '=', companyId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** Returns the micro-dollars of automatic top-ups since an instant that succeeded or still may. */
export async function spentSince(tx: Tx, companyId: string, from: Date): Promise<bigint> {
  const { rows } = await sql<{ sum: bigint }>`
    select coalesce(sum(amount_micros), 0)::bigint as sum from wallet_attempt
    where company_id = ${companyId} and created_at >= ${from} and state in ('charging', 'succeeded')`.execute(
    tx,
  );
  return rows[0]!.sum;
}

/** Returns the total ever put into a wallet, in micro-dollars. */
export async function totalOf(tx: Tx, companyId: string): Promise<bigint> {
  const { rows } = await sql<{ sum: bigint }>`
    select coalesce(sum(amount), 0)::bigint as sum from wallet_lot where company_id = ${companyId}`.execute(
    tx,
  );
  return rows[0]!.sum;
}

/**
 * Returns the agencies of a root whose automatic top-up needs attention: it is due, its pause is over, or the balance
 * has fallen without a draw.
 */
export async function wanting(tx: Tx, rootId: string, now: Date): Promise<string[]> {
  const { rows } = await sql<{ company_id: string }>`
    select company_id from wallet_setting s
    where root_id = ${rootId} and continual
      and (state = 'due' or (state = 'waiting' and retry_at <= ${now})
        or (state = 'armed' and amount_micros / 10 >=
          (select coalesce(sum(l.remaining), 0) from wallet_lot l
           where l.company_id = s.company_id and l.is_open and l.expires_at > ${now})))`.execute(tx);
  return rows.map((row) => row.company_id);
}
