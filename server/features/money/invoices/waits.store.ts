import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/scope.ts';
import type { Payer, Side } from './store.ts';

/** What a payer is billed for again and again: by weeks, by months, or for the minimum spend of months. */
export type WaitCycle = 'Weekly' | 'Monthly' | 'minimum_spend';

/** A payer on one side and cycle. */
export interface Waits {
  owner: Payer;
  side: Side;
  cycle: WaitCycle;
}

/** The payers of a root whose invoices of a cycle wait, with the start of the oldest period; retail first. */
export async function waiting(tx: Tx, rootId: string, cycle: WaitCycle) {
  const rows = await tx
    .selectFrom('invoice_wait')
    .select(['root_id', 'agency_id', 'company_id', 'side', 'period_from'])
    .where('root_id', '=', rootId)
    .where('cycle', '=', cycle)
    .orderBy('side')
    .orderBy('agency_id')
    .orderBy('company_id')
    .execute();
  return rows.map(({ side, period_from: since, ...owner }) => ({ owner, side, cycle, since }));
}

/** Whether an invoice of a cycle for a payer waits. */
export async function isWaiting(tx: Tx, companyId: string, cycle: WaitCycle): Promise<boolean> {
  const row = await tx
    .selectFrom('invoice_wait')
    .select('company_id')
    .where('company_id', '=', companyId)
    .where('cycle', '=', cycle)
    .executeTakeFirst();
  return row !== undefined;
}

/** Notes the oldest period that a payer could not be billed for, and why. */
export async function note(
  tx: Tx,
  { owner, side, cycle }: Waits,
  period_from: Date,
  reason: string,
  at: Date,
): Promise<void> {
  await tx
    .insertInto('invoice_wait')
    .values({ ...owner, side, cycle, period_from, reason, since: at, tried_at: at })
    .onConflict((clash) =>
      clash.columns(['company_id', 'side', 'cycle']).doUpdateSet({ period_from, reason, tried_at: at }),
    )
    .execute();
}

export async function forget(tx: Tx, { owner, side, cycle }: Waits): Promise<void> {
  await tx
    .deleteFrom('invoice_wait')
    .where('company_id', '=', owner.company_id)
    .where('side', '=', side)
    .where('cycle', '=', cycle)
    .execute();
}

/** The payers whose invoices from an issuer wait, longest first, and their number. Roots issue wholesale, agencies retail. */
export async function waitingFor(tx: Tx, issuer: { id: string; isRoot: boolean }, limit: number) {
  const { rows } = await sql<{
    company_id: string;
    name: string;
    reason: string;
    since: Date;
    tried_at: Date;
    count: bigint;
  }>`
    select x.*, c.name, count(*) over () as count
    from (select distinct on (company_id) company_id, reason, since, tried_at from invoice_wait
      where side = ${issuer.isRoot ? 'wholesale' : 'retail'} and ${sql.ref(issuer.isRoot ? 'root_id' : 'agency_id')} = ${issuer.id}::uuid
      order by company_id, since) x
    join company c on c.id = x.company_id order by x.since, x.company_id limit ${limit}`.execute(tx);
  return { rows, count: Number(rows[0]?.count ?? 0n) };
}
