import { LEAD_MODULES, MODULES } from '../../../../contract/choices.ts';
import { dollarsOf, microsOf } from '../../../../contract/primitives.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import { beginOf, boundPlanned } from './policy.ts';
import * as store from './supplier.store.ts';

/** What a root pays its own suppliers for a lead, by product and date. Leads already sold keep the cost they had. */
export function createSuppliers(
  { db, clock }: Platform,
  { tenants, audit }: { tenants: Tenants; audit: Audit },
) {
  const zoneOf = async (tx: Tx, rootId: string): Promise<string> =>
    (await tenants.company(tx, rootId))?.time_zone ?? 'UTC';

  async function read(tx: Tx, rootId: string) {
    const { now, planned } = await store.changes(tx, rootId, clock.now());
    const current = new Map(now.map((row) => [row.module, row]));
    return LEAD_MODULES.map((module) => ({
      module,
      name: MODULES.find((one) => one.module === module)!.name,
      cost: dollarsOf(current.get(module)?.cost_micros ?? 0n),
      is_set: current.has(module),
      planned: planned
        .filter((row) => row.module === module)
        .map((row) => ({ cost: dollarsOf(row.cost_micros), effective_from: row.valid_from.toISOString() })),
    }));
  }

  return {
    costAt: store.costAt,

    /** Sets what a lead of a module costs the root from an instant on. */
    insert: (
      tx: Tx,
      given: { rootId: string; module: string; costMicros: bigint; from: Date },
    ): Promise<void> =>
      store.insert(
        tx,
        given.rootId,
        { module: given.module, valid_from: given.from, cost_micros: given.costMicros },
        clock.now(),
      ),

    list: (ctx: Ctx) =>
      inScope(db.app, ctx.scope, async (tx) => ({
        time_zone: await zoneOf(tx, ctx.scope.rootId),
        data: await read(tx, ctx.scope.rootId),
      })),

    /**
     * Sets the supplier cost of a lead, from now on or from the start of a given day.
     * @throws Refusal 422 when the day is over, too far ahead, or one too many
     */
    set: (
      ctx: Ctx,
      given: { module: (typeof LEAD_MODULES)[number]; cost: string; effective_from?: string | undefined },
    ) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const { rootId } = ctx.scope;
        const now = clock.now();
        const from = beginOf(given.effective_from, await zoneOf(tx, rootId), now);
        const before = await store.costAt(tx, rootId, given.module, from);
        const after = microsOf(given.cost);
        if (before !== after) {
          if (from > now) {
            const { planned } = await store.changes(tx, rootId, now);
            boundPlanned(
              planned.filter((row) => row.module === given.module),
              from,
            );
          }
          await store.insert(tx, rootId, { module: given.module, valid_from: from, cost_micros: after }, now);
          await audit.record(tx, ctx, {
            action: 'supplier_cost.set',
            objectKind: 'company',
            objectId: rootId,
            description: `Changed the supplier cost of ${given.module}: ${dollarsOf(before)} to ${dollarsOf(after)}${given.effective_from ? ` from ${given.effective_from}` : ''}`,
          });
        }
        return read(tx, rootId);
      }),
  };
}
