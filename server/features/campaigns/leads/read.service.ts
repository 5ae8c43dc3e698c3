import { MATCH_KINDS } from '../../../../contract/campaigns/leads.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Scope, type Tx } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Enrichment } from '../../audience/enrichment/index.ts';
import { scoreShown } from './score.policy.ts';
import * as store from './store.ts';
import type { createWithheld } from './withheld.ts';

type Row = Awaited<ReturnType<typeof store.leadsByIds>>[number];

/**
 * The scope of the one client whose leads are asked for, if the current scope can see it: only in that scope is a list
 * of millions read at index speed (the indexes of lead), and it shows the same leads there.
 */
export async function clientScope(
  tx: Tx,
  tenants: Tenants,
  { campaignId, companyId }: Pick<store.LeadList, 'campaignId' | 'companyId'>,
): Promise<Scope | undefined> {
  if (campaignId) return store.scopeOfCampaign(tx, campaignId);
  const company = companyId ? await tenants.company(tx, companyId) : undefined;
  if (company?.kind !== 'client' || !company.agency_id) return undefined;
  return { rootId: company.root_id, agencyId: company.agency_id, companyId: company.id };
}

/** Leads for programs: by cursor, and without the person where an exclusion list has come to name them. */
export function createReads(
  { db }: Platform,
  { tenants, enrichment }: { tenants: Tenants; enrichment: Enrichment },
  { withheld, mayWithhold }: Pick<ReturnType<typeof createWithheld>, 'withheld' | 'mayWithhold'>,
) {
  async function dressed(tx: Tx, rows: Row[]) {
    const ids = rows.map((row) => row.id);
    const data = await enrichment.dataOf(tx, ids);
    const states = await store.deliveryStates(tx, ids);
    return rows.map((row) => ({
      ...row,
      score: scoreShown(row),
      match_type: MATCH_KINDS[row.match_kind as keyof typeof MATCH_KINDS],
      data: data.get(row.id) ?? {},
      delivery: states.get(row.id) ?? ('none' as const),
    }));
  }
  /** The leads with these ids in a scope. `isExcluded`: of this lead only the sale may be given. */
  async function shown(scope: Scope, ids: string[]) {
    // Both are read at once, each in its own transaction.
    const [rows, excluded] = await Promise.all([
      inScope(db.app, scope, async (tx) => dressed(tx, await store.leadsByIds(tx, ids))),
      withheld(scope.rootId, ids),
    ]);
    return rows.map((row) => ({ ...row, isExcluded: excluded.has(row.id) }));
  }

  return {
    /**
     * The next leads by date, or by their last change, after a position, and the position of the last one if there are more. A lead whose contact
     * was erased has a position, but is not returned.
     */
    async after(ctx: Ctx, asked: Omit<store.LeadList, 'sort'>, after: store.Place | null, limit: number) {
      const scope =
        asked.campaignId || asked.companyId
          ? await inScope(db.app, ctx.scope, (tx) => clientScope(tx, tenants, asked))
          : undefined;
      const { places, ids, dressedRows } = await inScope(db.app, scope ?? ctx.scope, async (tx) => {
        const places = await store.nextLeads(tx, { ...asked, sort: 'created_at' }, after, limit + 1);
        const ids = places.slice(0, limit).map(({ id }) => id);
        // Where no list applies, one transaction does.
        const dressedRows = (await mayWithhold(tx, places))
          ? undefined
          : await dressed(tx, await store.leadsByIds(tx, ids));
        return { places, ids, dressedRows };
      });
      const rows =
        dressedRows?.map((row) => ({ ...row, isExcluded: false })) ?? (await shown(scope ?? ctx.scope, ids));
      const page = places.slice(0, limit);
      return { rows, end: places.length > limit ? page.at(-1)! : null };
    },

    /** @throws Refusal 404 */
    async one(ctx: Ctx, id: string) {
      const [row] = await shown(ctx.scope, [id]);
      if (!row) throw new Refusal('not_found', ownMessages.notFound);
      return row;
    },
  };
}

export type ReadLead = Awaited<ReturnType<ReturnType<typeof createReads>['one']>>;
