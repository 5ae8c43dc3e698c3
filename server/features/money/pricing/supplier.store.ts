import type { Tx } from '../../../platform/db/scope.ts';

export interface SupplierChange {
  module: string;
  valid_from: Date;
  cost_micros: bigint;
}

/** Inserts a change of what a lead costs a root, in the root's own scope. */
export async function insert(tx: Tx, rootId: string, change: SupplierChange, madeAt: Date): Promise<void> {
  await tx
    .insertInto('supplier_cost')
    .values({ root_id: rootId, agency_id: null, company_id: rootId, ...change, recorded_at: madeAt })
    .execute();
}

/** Returns the changes in effect at an instant (one per module) and those planned after it, soonest first. */
export async function changes(
  tx: Tx,
  rootId: string,
  at: Date,
): Promise<{ now: SupplierChange[]; planned: SupplierChange[] }> {
  const base = tx
    .selectFrom('supplier_cost')
    .select(['module', 'valid_from', 'cost_micros'])
    .where('root_id', '=', rootId);
  const now = await base
    .distinctOn('module')
    .where('valid_from', '<=', at)
    .orderBy('module')
    .orderBy('valid_from', 'desc')
    .orderBy('serial', 'desc')
    .execute();
  const planned = await base
    .distinctOn(['valid_from', 'module'])
    .where('valid_from', '>', at)
    .orderBy('valid_from')
    .orderBy('module')
    .orderBy('serial', 'desc')
    .execute();
  return { now, planned };
}

/** Returns what a lead costs a root at an instant; zero when the root has not set a cost. */
export async function costAt(tx: Tx, rootId: string, module: string, at: Date): Promise<bigint> {
  const row = await tx
    .selectFrom('supplier_cost')
    .select('cost_micros')
    .where('root_id', '=', rootId)
    .where('module', '=', module)
    .where('valid_from', '<=', at)
    .orderBy('valid_from', 'desc')
    .orderBy('serial', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.cost_micros ?? 0n;
}
