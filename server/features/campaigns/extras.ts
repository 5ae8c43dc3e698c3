import type { z } from 'zod';
import type { MoreFields } from '../../../contract/campaign-fields.ts';
import type { Ctx } from '../../platform/ctx.ts';
import type { Tx } from '../../platform/db/scope.ts';
import type { Groups } from './groups.service.ts';

type More = z.output<typeof MoreFields>;

/** The fields of contract/campaign-fields.ts: each left out of a change stays as it is. */
export function createExtras({ groups }: { groups: Groups }) {
  return {
    /** Saves what was given of them. */
    async save(tx: Tx, ctx: Ctx, campaignId: string, given: More): Promise<void> {
      if (given.companyGroupID !== undefined) await groups.put(tx, ctx, campaignId, given.companyGroupID);
    },
    /** What campaigns tell of them. */
    async of(tx: Tx, ctx: Ctx, rows: { id: string }[]) {
      const inGroup = await groups.of(
        tx,
        ctx,
        rows.map((row) => row.id),
      );
      return (id: string) => ({ companyGroupID: inGroup.get(id) ?? null });
    },
  };
}
