import { sql } from 'kysely';
import type { Owner } from '../../../platform/db/owner.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { Cycle } from './policy.ts';

/** The instant up to which the periods of a root's cycle are closed; null if none has been closed. */
export async function closedTo(tx: Tx, rootId: string, cycle: Cycle): Promise<Date | null> {
  const row = await tx
    .selectFrom('billing_close')
    .select('closed_to')
    .where('root_id', '=', rootId)
    .where('term', '=', cycle)
    .executeTakeFirst();
  return row?.closed_to ?? null;
}

/** Records that the periods of a cycle are closed up to an instant; never moves backward. */
export async function setClosedTo(tx: Tx, owner: Owner, cycle: Cycle, closed_to: Date): Promise<void> {
  await tx
    .insertInto('billing_close')
    .values({ ...owner, term: cycle, closed_to })
    .onConflict((c) =>
      c
        .columns(['root_id', 'term'])
        .doUpdateSet({ closed_to })
        .where('billing_close.closed_to', '<', closed_to),
    )
    .execute();
}

/**
 * Payers that may have something to be billed on a side: their arrears are not zero, or have changed since an instant.
 * Always in the same order.
 */
export async function parties(tx: Tx, rootId: string, side: 'retail' | 'wholesale', since: Date) {
  const [kind, code] = side === 'retail' ? ['client_unbilled', 2] : ['agency_payable', 11];
  const { rows } = await sql<{ root_id: string; agency_id: string; company_id: string }>`
    select p.root_id, p.agency_id, p.company_id
    from (select distinct root_id, agency_id, company_id from account where root_id = ${rootId}::uuid and kind = ${kind}) p
    where exists (select from entry e where e.company_id = p.company_id and e.account_code = ${code}::smallint and e.created_at >= ${since}::timestamptz)
      or balance_of(p.company_id, array[${code}]::smallint[], 'infinity') <> 0
    order by p.agency_id, p.company_id`.execute(tx);
  return rows;
}
