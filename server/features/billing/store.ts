import { type Insertable, sql } from 'kysely';
import type { Schema } from '../../platform/db/schema.ts';
import type { Tx } from '../../platform/db/scope.ts';

export async function insertLeadCost(tx: Tx, row: Insertable<Schema['lead_cost']>): Promise<void> {
  await tx.insertInto('lead_cost').values(row).execute();
}

/** What the root asks of each agency for a lead at an instant: the newest price that had begun by then. */
export async function leadCosts(
  tx: Tx,
  agencyIds: string[],
  module: string,
  at: Date,
): Promise<Map<string, bigint>> {
  const { rows } = await sql<{ agency_id: string; cost_micros: bigint }>`
    select distinct on (agency_id) agency_id, cost_micros from lead_cost
    where agency_id = any(${agencyIds}::uuid[]) and module = ${module} and valid_from <= ${at}
    order by agency_id, valid_from desc`.execute(tx);
  return new Map(rows.map((row) => [row.agency_id, row.cost_micros]));
}
