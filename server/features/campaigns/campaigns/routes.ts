import type { contract } from '../../../../contract/index.ts';
import { messages } from '../../../../contract/messages.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import { page } from '../../../platform/page.ts';
import type { Campaigns } from './service.ts';

/** The calls of the feature. */
export function campaignsRoutes(campaigns: Campaigns): Handlers<typeof contract.campaigns> {
  const saved = { result: 'success' as const };
  return {
    create: async (ctx, input) => ({
      ...saved,
      message: messages.added,
      data: await campaigns.create(ctx, input),
    }),
    update: async (ctx, input) => ({
      ...saved,
      message: messages.updated,
      data: await campaigns.update(ctx, input),
    }),
    updateLocator: async (ctx, input) => ({
      ...saved,
      message: messages.updated,
      data: await campaigns.update(ctx, input, 'locator'),
    }),
    keywordTags: async (_ctx, { keyword }) => campaigns.tags(keyword),
    activePause: async (ctx, { leadspeekID, status }) => ({
      ...saved,
      message: messages.updated,
      data: await campaigns.setState(
        ctx,
        leadspeekID,
        status,
        status === 'active' ? 'campaign.activate' : 'campaign.pause',
      ),
    }),
    archive: async (ctx, { leadspeekID, status }) => ({
      ...saved,
      message: messages.updated,
      data: await campaigns.setState(
        ctx,
        leadspeekID,
        status,
        status === 'archived' ? 'campaign.archive' : 'campaign.unarchive',
      ),
    }),
    async remove(ctx, { leadspeekID }) {
      await campaigns.remove(ctx, leadspeekID);
      return { ...saved, message: messages.updated };
    },
    async list(ctx, input) {
      const { rows, total } = await campaigns.list(ctx, {
        companyId: input.companyID,
        groupId: input.companyGroupID || undefined,
        status: input.status,
        modules: input.leadspeekType,
        search: input.searchQuery,
        sort: input.sortby ?? 'created_at',
        order: input.order ?? 'desc',
        limit: input.PerPage,
        offset: (input.Page - 1) * input.PerPage,
      });
      return page(rows, total, input);
    },
    get: (ctx, { leadspeekID }) => campaigns.get(ctx, leadspeekID),
    snippet: (ctx, { leadspeekID }) => campaigns.snippet(ctx, leadspeekID),
    checkPixel: (ctx, { leadspeekID }) => campaigns.checkPixel(ctx, leadspeekID),
    foreignHosts: async (ctx, { leadspeekID }) => ({
      data: (await campaigns.foreignHosts(ctx, leadspeekID)).map((row) => ({
        host: row.host,
        count: Number(row.count),
        last_at: row.last_at.toISOString(),
      })),
    }),
    topUp: async (ctx, { leadspeekID, amount, idempotencyKey }) => ({
      ...saved,
      message: 'The balance has been added',
      balance_micros: Number(await campaigns.topUp(ctx, leadspeekID, amount, idempotencyKey)),
    }),
    refusals: async (ctx, { leadspeekID }) => ({
      data: (await campaigns.refusals(ctx, leadspeekID)).map((row) => ({
        reason: row.reason,
        count: Number(row.count),
        last_at: row.last_at.toISOString(),
      })),
    }),
  };
}

/** The calls of contract/campaigns/campaign-more.ts. */
export function campaignMoreRoutes(campaigns: Campaigns): Handlers<typeof contract.campaignMore> {
  const saved = { result: 'success' as const };
  return {
    updateLocal: async (ctx, input) => ({
      ...saved,
      message: messages.updated,
      data: await campaigns.update(ctx, input, 'local'),
    }),
    duplicate: async (ctx, { leadspeekID }) => ({
      ...saved,
      message: messages.added,
      data: await campaigns.duplicate(ctx, leadspeekID),
    }),
    getCampaignResource: (ctx, { companyID, leadspeekType }) =>
      campaigns.resource(ctx, companyID, leadspeekType),
  };
}
