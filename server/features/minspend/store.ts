import { type Insertable, sql } from 'kysely';
import { TRANSFER_KINDS } from '../../../contract/ledger.ts';
import type { Schema } from '../../platform/db/schema.ts';
import type { Tx } from '../../platform/db/scope.ts';
import { SPEND_KINDS } from './policy.ts';

const OTHER_KINDS = TRANSFER_KINDS.filter((kind) => !SPEND_KINDS.includes(kind));

/**
 * What of the change of an agency's wallet and payable between two instants was not spent: top-ups, invoices, payments and
 * the like, micro-dollars. Few rows, whatever the number of leads.
 */
export async function notSpent(tx: Tx, agencyId: string, from: Date, to: Date): Promise<bigint> {
  const { rows } = await sql<{ sum: bigint }>`
    select coalesce(sum(e.amount), 0)::bigint as sum from transfer t
    join entry e on e.transfer_id = t.id and e.company_id = ${agencyId} and e.account_code in (10, 11)
    where t.agency_id = ${agencyId} and t.kind <> 'lead' and t.kind = any(${OTHER_KINDS}::text[])
      and t.created_at >= ${from} and t.created_at < ${to}`.execute(tx);
  return rows[0]!.sum;
}

/** The agencies of a root. */
export async function agencies(tx: Tx, rootId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('company')
    .select('id')
    .where('root_id', '=', rootId)
    .where('kind', '=', 'agency')
    .where('removed_at', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map((row) => row.id);
}

/** Keeps everybody else from deciding an agency's months until the transaction ends. */
export async function lockAgency(tx: Tx, agencyId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${agencyId}, 56))`.execute(tx);
}

export async function isDecided(tx: Tx, agencyId: string, month: string): Promise<boolean> {
  const row = await tx
    .selectFrom('minspend_month')
    .select('month')
    .where('company_id', '=', agencyId)
    .where('month', '=', month)
    .executeTakeFirst();
  return row !== undefined;
}

export async function insertMonth(tx: Tx, row: Insertable<Schema['minspend_month']>): Promise<void> {
  await tx.insertInto('minspend_month').values(row).execute();
}

/** The months of an agency that were decided, newest first. */
export const monthsOf = (tx: Tx, agencyId: string, limit: number) =>
  tx
    .selectFrom('minspend_month')
    .selectAll()
    .where('company_id', '=', agencyId)
    .orderBy('month', 'desc')
    .limit(limit)
    .execute();

/** The first month of a root that is not decided yet; where nothing has been so far, `first` is noted. */
export async function nextMonth(tx: Tx, rootId: string, first: string): Promise<string> {
  await tx
    .insertInto('minspend_close')
    .values({ root_id: rootId, agency_id: null, company_id: rootId, next_month: first })
    .onConflict((c) => c.column('root_id').doNothing())
    .execute();
  const row = await tx
    .selectFrom('minspend_close')
    .select('next_month')
    .where('root_id', '=', rootId)
    .executeTakeFirstOrThrow();
  return row.next_month;
}

/** Goes on to a later month. */
export async function advance(tx: Tx, rootId: string, month: string): Promise<void> {
  await tx
    .updateTable('minspend_close')
    .set({ next_month: month })
    .where('root_id', '=', rootId)
    .where('next_month', '<', month)
    .execute();
}
