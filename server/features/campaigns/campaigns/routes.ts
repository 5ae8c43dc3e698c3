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
    activePause: async (ctx, { campaign_id, status }) => ({
      ...saved,
      message: messages.updated,
      data: await campaigns.setState(
        ctx,
        campaign_id,
        status,
        status === 'active' ? 'campaign.activate' : 'campaign.pause',
      ),
    }),
    archive: async (ctx, { campaign_id, status }) => ({
      ...saved,
      message: messages.updated,
      data: await campaigns.setState(
        ctx,
        campaign_id,
        status,
        status === 'archived' ? 'campaign.archive' : 'campaign.unarchive',
      ),
    }),
    async remove(ctx, { campaign_id }) {
      await campaigns.remove(ctx, campaign_id);
      return { ...saved, message: messages.updated };
    },
    async list(ctx, input) {
      const { rows, total } = await campaigns.list(ctx, {
        companyId: input.company_id,
        groupId: input.group_id || undefined,
        status: input.status,
        modules: input.module,
        search: input.search,
        sort: input.sort ?? 'created_at',
        order: input.order ?? 'desc',
        limit: input.per_page,
        offset: (input.page - 1) * input.per_page,
      });
      return page(rows, total, input);
    },
    get: (ctx, { campaign_id }) => campaigns.get(ctx, campaign_id),
    foreignHosts: async (ctx, { campaign_id }) => ({
      data: (await campaigns.foreignHosts(ctx, campaign_id)).map((row) => ({
        host: row.host,
        count: Number(row.count),
        last_at: row.last_at.toISOString(),
      })),
    }),
    topUp: async (ctx, { campaign_id, amount, idempotency_key: idempotencyKey }) => ({
      ...saved,
      message: 'The balance has been added',
      balance_micros: Number(await campaigns.topUp(ctx, campaign_id, amount, idempotencyKey)),
    }),
    refusals: async (ctx, { campaign_id }) => ({
      data: (await campaigns.refusals(ctx, campaign_id)).map((row) => ({
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
    duplicate: async (ctx, { campaign_id }) => ({
      ...saved,
      message: messages.added,
      data: await campaigns.duplicate(ctx, campaign_id),
    }),
    getCampaignResource: (ctx, { company_id, module }) => campaigns.resource(ctx, company_id, module),
  };
}
