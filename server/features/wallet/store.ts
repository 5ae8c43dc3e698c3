import { type Insertable, sql } from 'kysely';
import type { Schema } from '../../platform/db/schema.ts';
import type { Tx } from '../../platform/db/scope.ts';

/** Lots with something left, of these accounts. */
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

/** The lot that a posted top-up made. */
export async function lotOfTopUp(tx: Tx, transferId: string) {
  return tx
    .selectFrom('wallet_lot as l')
    .innerJoin('entry as e', 'e.lot_id', 'l.id')
    .selectAll('l')
    .where('e.transfer_id', '=', transferId)
    .executeTakeFirst();
}

/** How often what was left of a lot has been booked as expired. */
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

/** Agencies of a root with lots that are over and have something left, or whose end comes before an instant. */
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

/** Marks a notice as given; false when that or a more pressing one had been. */
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

/** What is left of lots that are not over at an instant, and of those that are but have not been booked. */
export async function sums(tx: Tx, companyId: string, at: Date): Promise<{ usable: bigint; over: bigint }> {
  const { rows } = await sql<{ usable: bigint; over: bigint }>`
    select coalesce(sum(remaining) filter (where expires_at > ${at}), 0)::bigint as usable,
           coalesce(sum(remaining) filter (where expires_at <= ${at}), 0)::bigint as over
    from wallet_lot where company_id = ${companyId} and is_open`.execute(tx);
  return rows[0]!;
}

/** Lots of a company, newest first. */
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

/** What happened to a wallet in [from, before), newest first; leads are summed by day of the zone and campaign. */
export async function history(tx: Tx, companyId: string, from: Date, before: Date, zone: string) {
  const { rows } = await sql<{
    id: string;
    kind: string;
    campaign: string | null;
    leads: bigint;
    amount: bigint;
    at: Date;
    expires_at: Date | null;
  }>`
    with lines as (
      select e.transfer_id, e.created_at, sum(e.amount)::bigint as amount,
        (array_agg(e.lot_id))[1] as lot_id
      from entry e where e.company_id = ${companyId} and e.account_code = 10 and e.created_at >= ${from} and e.created_at < ${before}
      group by 1, 2)
    select (array_agg(t.id order by t.id desc))[1] as id, t.kind, c.name as campaign, count(*) as leads, sum(l.amount)::bigint as amount,
      max(l.created_at) as at, max(case when t.kind in ('wallet_top_up', 'wallet_grant') then w.expires_at end) as expires_at
    from lines l join transfer t on t.id = l.transfer_id
    left join campaign c on c.id = t.campaign_id
    left join wallet_lot w on w.id = l.lot_id
    group by t.kind, c.name, case when t.kind = 'lead' then (l.created_at at time zone ${zone})::date::text else t.id::text end
    order by at desc, id desc limit 1000`.execute(tx);
  return rows;
}
