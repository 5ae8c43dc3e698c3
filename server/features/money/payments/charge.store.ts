import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Db, Tx } from '../../../platform/db/scope.ts';
import type { Whose } from './model.ts';

export type ChargeRow = Selectable<Schema['charge']>;
export type RefundRow = Selectable<Schema['refund']>;
export type DisputeRow = Selectable<Schema['payment_dispute']>;

/** Adds an intent; undefined if its key, or another charge for the same thing, already exists. */
export async function addCharge(tx: Tx, row: Insertable<Schema['charge']>): Promise<ChargeRow | undefined> {
  return tx
    .insertInto('charge')
    .values(row)
    .onConflict((c) => c.doNothing())
    .returningAll()
    .executeTakeFirst();
}

export async function chargeByKey(tx: Tx, companyId: string, purpose: string, key: string) {
  return tx
    .selectFrom('charge')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('purpose', '=', purpose)
    .where('idempotency_key', '=', key)
    .executeTakeFirst();
}

export const chargeById = (tx: Tx, id: string): Promise<ChargeRow | undefined> =>
  tx.selectFrom('charge').selectAll().where('id', '=', id).executeTakeFirst();

/** Locks a charge so that no one else can change it until the transaction ends. */
export const lockCharge = (tx: Tx, id: string): Promise<ChargeRow | undefined> =>
  tx.selectFrom('charge').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

/** Charges for something, newest first. */
export async function chargesOf(
  tx: Tx,
  companyId: string,
  purpose: string,
  referenceId: string,
  limit: number,
): Promise<ChargeRow[]> {
  return tx
    .selectFrom('charge')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('purpose', '=', purpose)
    .where('reference_id', '=', referenceId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

export async function underWay(tx: Tx, companyId: string, purpose: string, referenceId: string) {
  return tx
    .selectFrom('charge')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('purpose', '=', purpose)
    .where('reference_id', '=', referenceId)
    .where('state', 'in', ['intended', 'sent', 'unknown'])
    .executeTakeFirst();
}

const theirs = (of: Whose) =>
  'agencyId' in of
    ? sql`c.agency_id = ${of.agencyId}`
    : 'purpose' in of
      ? sql`c.company_id = ${of.companyId} and c.purpose = ${of.purpose} and c.reference_id = ${of.referenceId}`
      : sql`c.company_id = ${of.companyId}`;

/** How many of these charges, and of their refunds, have no outcome yet. */
export async function unsettled(tx: Tx, of: Whose): Promise<{ charges: number; refunds: number }> {
  const { rows } = await sql<{ charges: number; refunds: number }>`
    select
      (select count(*) from charge c where ${theirs(of)} and c.state in ('intended', 'sent', 'unknown'))::float8 as charges,
      (select count(*) from refund r join charge c on c.id = r.charge_id
       where ${theirs(of)} and r.state in ('intended', 'unknown', 'pending'))::float8 as refunds`.execute(tx);
  return rows[0]!;
}

/** Those of these charges that were declined and that their cardholders could still complete, oldest first. */
export async function confirmable(tx: Tx, of: Whose, limit: number): Promise<ChargeRow[]> {
  const { rows } = await sql<ChargeRow>`
    select c.* from charge c where ${theirs(of)} and c.state = 'declined' and c.needs_authentication
      and c.provider_reference is not null order by c.id limit ${limit}`.execute(tx);
  return rows;
}

/** Claims an intent for sending; undefined if someone else already did, or it is past that state. */
export async function claim(tx: Tx, id: string, at: Date, nextAskAt: Date): Promise<ChargeRow | undefined> {
  return tx
    .updateTable('charge')
    .set((eb) => ({ state: 'sent', attempts: eb('attempts', '+', 1), sent_at: at, next_ask_at: nextAskAt }))
    .where('id', '=', id)
    .where('state', '=', 'intended')
    .returningAll()
    .executeTakeFirst();
}

export async function changeCharge(
  tx: Tx,
  id: string,
  values: Updateable<Schema['charge']>,
): Promise<ChargeRow> {
  return tx.updateTable('charge').set(values).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

/** Charges and refunds of all roots that are due to be checked with the provider. */
export async function toAsk(
  db: Db,
  now: Date,
  most: number,
): Promise<{ root_id: string; charge_id: string | null; refund_id: string | null }[]> {
  const { rows } = await sql<{ root_id: string; charge_id: string | null; refund_id: string | null }>`
    select * from payments_due(${now}, ${most})`.execute(db);
  return rows;
}

/** Postpones checking a charge or a refund, as long as it still has to be checked. */
export async function postpone(
  tx: Tx,
  due: { charge_id: string | null; refund_id: string | null },
  until: Date,
): Promise<void> {
  await tx
    .updateTable(due.charge_id ? 'charge' : 'refund')
    .set({ next_ask_at: until })
    .where('id', '=', (due.charge_id ?? due.refund_id)!)
    .where('next_ask_at', 'is not', null)
    .execute();
}

export const addRefund = (tx: Tx, row: Insertable<Schema['refund']>): Promise<RefundRow> =>
  tx.insertInto('refund').values(row).returningAll().executeTakeFirstOrThrow();

export async function refundByKey(tx: Tx, chargeId: string, key: string): Promise<RefundRow | undefined> {
  return tx
    .selectFrom('refund')
    .selectAll()
    .where('charge_id', '=', chargeId)
    .where('idempotency_key', '=', key)
    .executeTakeFirst();
}

export const refundById = (tx: Tx, id: string): Promise<RefundRow | undefined> =>
  tx.selectFrom('refund').selectAll().where('id', '=', id).executeTakeFirst();

export const lockRefund = (tx: Tx, id: string): Promise<RefundRow | undefined> =>
  tx.selectFrom('refund').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

export const changeRefund = (tx: Tx, id: string, values: Updateable<Schema['refund']>): Promise<RefundRow> =>
  tx.updateTable('refund').set(values).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

/** The refunds of a charge, oldest first. */
export const refundsOf = (tx: Tx, chargeId: string): Promise<RefundRow[]> =>
  tx.selectFrom('refund').selectAll().where('charge_id', '=', chargeId).orderBy('id').execute();

export const disputeById = (tx: Tx, id: string): Promise<DisputeRow | undefined> =>
  tx.selectFrom('payment_dispute').selectAll().where('id', '=', id).executeTakeFirst();

/** Whether a charge has another dispute that took money and was not won. */
export const isDisputedElse = async (tx: Tx, chargeId: string, id: string): Promise<boolean> =>
  (await tx
    .selectFrom('payment_dispute')
    .select('id')
    .where('charge_id', '=', chargeId)
    .where('id', '<>', id)
    .where('state', '<>', 'won')
    .executeTakeFirst()) !== undefined;

export const addDispute = (tx: Tx, row: Insertable<Schema['payment_dispute']>) =>
  tx.insertInto('payment_dispute').values(row).execute();

export const closeDispute = (tx: Tx, id: string, state: 'won' | 'lost', at: Date) =>
  tx.updateTable('payment_dispute').set({ state, closed_at: at }).where('id', '=', id).execute();

/** Records a difference between the provider and us; if it is already known, updates when it was last seen. */
export async function noteMismatch(tx: Tx, row: Insertable<Schema['payment_mismatch']>): Promise<void> {
  await tx
    .insertInto('payment_mismatch')
    .values(row)
    .onConflict((c) =>
      c
        .columns(['root_id', 'provider_reference', 'kind'])
        .where('resolved_at', 'is', null)
        .doUpdateSet({ seen_at: row.seen_at, ours: row.ours, theirs: row.theirs }),
    )
    .execute();
}

/**
 * The root that an object of the provider belongs to, by the ids in a notice; used before a scope is known (migration
 * 0032).
 */
export async function placeOf(
  db: Db,
  named: {
    chargeKey?: string | undefined;
    charge?: string | undefined;
    account?: string | undefined;
    customer?: string | undefined;
  },
) {
  const { rows } = await sql<{
    root_id: string;
    agency_id: string;
    company_id: string;
    charge_id: string | null;
  }>`select * from payment_place(${named.chargeKey ?? null}, ${named.charge ?? null}, ${named.account ?? null}, ${named.customer ?? null})`.execute(
    db,
  );
  return rows[0];
}

/** Who paid charges, by the provider's ids of the charges; those that the scope does not see are missing. */
export async function payersOf(tx: Tx, references: string[]): Promise<Map<string, string>> {
  if (references.length === 0) return new Map();
  const rows = await tx
    .selectFrom('charge as c')
    .innerJoin('company as k', 'k.id', 'c.company_id')
    .select(['c.provider_reference', 'k.name'])
    .where('c.provider_reference', '=', sql<string>`any(${references}::text[])`)
    .execute();
  return new Map(rows.map((row) => [row.provider_reference!, row.name]));
}
