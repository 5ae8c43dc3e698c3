import { SEARCH_MOST, type SearchHit } from '../../../../contract/accounts/search.ts';
import type { contract } from '../../../../contract/index.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope } from '../../../platform/db/scope.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Sales } from '../sales/index.ts';
import * as store from './store.ts';

/**
 * Takes at most `most` items from several lists, in their order and as evenly as possible: many hits of one kind do not
 * crowd out the few of another.
 */
export function shared<T>(lists: readonly (readonly T[])[], most: number): T[][] {
  const counts = lists.map(() => 0);
  let left = most;
  for (let round = 0; left > 0 && lists.some((list) => list.length > round); round++)
    for (const [at, list] of lists.entries()) {
      if (list.length <= round || left === 0) continue;
      counts[at]! += 1;
      left -= 1;
    }
  return lists.map((list, at) => list.slice(0, counts[at]));
}

const none = {
  user_id: '',
  full_name: '',
  company_name: '',
  agency_id: '',
  agency_name: '',
  modules: '',
  campaign_number: '',
  status: '',
} as const;

const ofCompany = (ctx: Ctx, row: store.FoundCompany): SearchHit => ({
  ...none,
  type: row.kind,
  id: row.id,
  name: row.name,
  user_id: (ctx.may('view.switch') && row.owner_id) || '',
  full_name: row.owner_name,
  agency_id: row.agency_id ?? '',
  agency_name: row.agency_name ?? '',
});

const ofCampaign = (row: store.FoundCampaign): SearchHit => ({
  ...none,
  type: 'campaign',
  id: row.id,
  name: row.name,
  company_name: row.company_name ?? '',
  agency_id: row.agency_id,
  agency_name: row.agency_name ?? '',
  modules: row.module,
  campaign_number: String(row.number),
  status: row.state,
});

/** Search by name over everything the user may see: users who may list companies or read campaigns find them here. */
export function searchRoutes(
  { db }: Platform,
  { sales }: { sales: Sales },
): Handlers<typeof contract.search> {
  /** Salespeople find only what is assigned to them. */
  async function assigned(ctx: Ctx, q: string, kind: 'agency' | 'client'): Promise<SearchHit[]> {
    if (kind === 'agency' && ctx.actor.kind !== 'root') return [];
    const asked = { kind, search: q, sort: 'company_name', page: 1, per_page: SEARCH_MOST + 1 };
    const { data } = await sales.downline(ctx, asked);
    return data.map((row) =>
      ofCompany(ctx, {
        ...row,
        kind,
        name: row.company_name,
        owner_id: row.user_id,
        owner_name: row.name ?? '',
      } as store.FoundCompany),
    );
  }

  return {
    async find(ctx, { q }) {
      const { kind } = ctx.actor;
      const most = SEARCH_MOST + 1;
      const found: SearchHit[] = [];
      if (ctx.may('sales.downline'))
        found.push(...(await assigned(ctx, q, 'agency')), ...(await assigned(ctx, q, 'client')));
      await inScope(db.app, ctx.scope, async (tx) => {
        const kinds = kind === 'root' ? (['agency', 'client'] as const) : (['client'] as const);
        // A client's own name has nothing to link to.
        if (kind !== 'client' && ctx.may('company.list'))
          found.push(...(await store.companies(tx, q, kinds, most)).map((row) => ofCompany(ctx, row)));
        if (ctx.may('campaign.read')) found.push(...(await store.campaigns(tx, q, most)).map(ofCampaign));
      });
      const groups = (['agency', 'client', 'campaign'] as const).map((type) =>
        found.filter((hit) => hit.type === type),
      );
      const data = shared(groups, SEARCH_MOST).flat();
      return { data, more: found.length > data.length ? ('T' as const) : ('F' as const) };
    },
  };
}
