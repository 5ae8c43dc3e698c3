import { type Insertable, sql } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

/** Returns the lots of these accounts with something left. */
export async function openLots(tx: Tx, accountIds: string[]) {
  return tx
    .selectFrom('wallet_lot')
    .select(['id', 'account_id', 'remaining', 'expires_at', 'created_at'])
    .where('account_id', 'in', accountIds)
    .where('is_open', '=', true)
    .execute();
}

export async function insertLot(tx: Tx, row: Insertable<Schema['wallet_lot']>): Promise<void> {
  await tx.insertInto('wallet_lot').values(row).execute();
}

/** One lot, by id. */
export async function lotById(tx: Tx, id: string) {
  return tx.selectFrom('wallet_lot').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Returns the lot that a posted top-up created. */
export async function lotOfTopUp(tx: Tx, transferId: string) {
  return tx
    .selectFrom('wallet_lot as l')
    .innerJoin('entry as e', 'e.lot_id', 'l.id')
    .selectAll('l')
    .where('e.transfer_id', '=', transferId)
    .executeTakeFirst();
}

/** Returns how often what was left of each lot has been booked as expired. */
export async function expiriesOf(tx: Tx, lotIds: string[]): Promise<Map<string, number>> {
  const rows = await tx
    .selectFrom('transfer')
    .select(['reference_id', (eb) => eb.fn.countAll<bigint>().as('count')])
    .where('reference_id', 'in', lotIds)
    .where('kind', '=', 'wallet_expiry')
    .groupBy('reference_id')
    .execute();
  return new Map(rows.map((row) => [row.reference_id!, Number(row.count)]));
}

/** Returns a root's agencies with lots that have something left and are expired or end before an instant. */
export async function endingLots(tx: Tx, rootId: string, before: Date) {
  return tx
    .selectFrom('wallet_lot as l')
    .innerJoin('company as c', 'c.id', 'l.company_id')
    .select([
      'l.id',
      'l.root_id',
      'l.agency_id',
      'l.company_id',
      'l.remaining',
      'l.expires_at',
      'l.noticed',
      'c.time_zone',
    ])
    .where('l.root_id', '=', rootId)
    .where('l.is_open', '=', true)
    .where('l.expires_at', '<=', before)
    .orderBy('l.expires_at')
    .execute();
}

/** Marks a notice as given; returns false if it or a more urgent one had already been given. */
export async function markNoticed(tx: Tx, lotId: string, days: number): Promise<boolean> {
  const done = await tx
    .updateTable('wallet_lot')
    .set({ noticed: days })
    .where('id', '=', lotId)
    .where('is_open', '=', true)
    .where((eb) => eb.or([eb('noticed', 'is', null), eb('noticed', '>', days)]))
    .executeTakeFirst();
  return done.numUpdatedRows > 0n;
}

/** Returns what is left of lots that have not expired at an instant, and of expired lots that have not been booked. */
export async function sums(tx: Tx, companyId: string, at: Date): Promise<{ usable: bigint; over: bigint }> {
  const { rows } = await sql<{ usable: bigint; over: bigint }>`
    select coalesce(sum(remaining) filter (where expires_at > ${at}), 0)::bigint as usable,
           coalesce(sum(remaining) filter (where expires_at <= ${at}), 0)::bigint as over
    from wallet_lot where company_id = ${companyId} and is_open`.execute(tx);
  return rows[0]!;
}

/** Returns a company's lots, newest first. */
export async function lotsOf(tx: Tx, companyId: string) {
  return tx
    .selectFrom('wallet_lot')
    .selectAll()
    .where('company_id', '=', companyId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(500)
    .execute();
}

/** Returns the details of a wallet's events; for a top-up or credit, the end of its lot. */
export async function about(tx: Tx, transferIds: string[]) {
  const { rows } = await sql<{ id: string; kind: string; campaign: string | null; expires_at: Date | null }>`
    select t.id, t.kind, c.name as campaign,
      case when t.kind in ('wallet_top_up', 'wallet_grant') then
        (select w.expires_at from entry e join wallet_lot w on w.id = e.lot_id where e.transfer_id = t.id) end as expires_at
    from transfer t left join campaign c on c.id = t.campaign_id
    where t.id = any(${transferIds}::uuid[])`.execute(tx);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Returns what was added to a wallet in [from, before), in micro-dollars by day in the time zone. */
export async function putInByDay(tx: Tx, companyId: string, from: Date, before: Date, zone: string) {
  const { rows } = await sql<{ day: string; sum: bigint }>`
    select (created_at at time zone ${zone})::date::text as day, sum(amount)::bigint as sum from wallet_lot
    where company_id = ${companyId} and created_at >= ${from} and created_at < ${before} group by 1`.execute(
    tx,
  );
  return new Map(rows.map((row) => [row.day, row.sum]));
}
