import type { z } from 'zod';
import { matchKindOf } from '../../../../contract/campaigns/leads.ts';
import type { ApiScope } from '../../../../contract/developer/developer-rules.ts';
import { HOOK_EVENTS } from '../../../../contract/developer/hook-events.ts';
import {
  ApiCampaignDetail,
  ApiCampaigns,
  ApiClient,
  ApiClients,
  ApiDeliveries,
  ApiEndpoint,
  ApiEndpoints,
  ApiEventTypes,
  ApiExclusionList,
  ApiExclusionLists,
  ApiKeywordCountDetail,
  ApiKeywordCounts,
  ApiLead,
  ApiLeads,
  ApiMessageDetail,
  ApiMessages,
  ApiStatement,
  ApiUsage,
  ApiWallet,
  ApiWebhook,
  ApiWebhookSamples,
  ApiWebhooks,
  CampaignQuery,
  ClientQuery,
  DeliveryQuery,
  ExclusionListQuery,
  KeywordCountQuery,
  LeadQuery,
  MessageQuery,
  NoQuery,
  PRODUCTS,
  StatementQuery,
  UsageQuery,
  WebhookQuery,
} from '../../../../contract/developer/v1.ts';
import { refusalOf } from '../../../../contract/errors.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Auth } from '../../accounts/auth/index.ts';
import type { Companies } from '../../accounts/companies/index.ts';
import type { Exclusions } from '../../audience/exclusions/index.ts';
import type { Signals } from '../../audience/signals/index.ts';
import type { Campaigns } from '../../campaigns/campaigns/index.ts';
import type { Delivery } from '../../campaigns/delivery/index.ts';
import type { Leads } from '../../campaigns/leads/index.ts';
import type { DataWallet } from '../../money/data-wallet/index.ts';
import type { createStatement } from '../../money/ledger/index.ts';
import { cursorOf, type Place, placeOf } from './cursor.policy.ts';
import { HOOK_EXAMPLES } from './hook.examples.ts';
import { bodyOf } from './hook.policy.ts';
import type { Hooks } from './hook.service.ts';
import type { Requests } from './requests.service.ts';
import type { Sandbox } from './sandbox.service.ts';
import * as shapes from './v1.shapes.ts';

/** The features that the developer API reads from and writes to. */
export interface Sources {
  auth: Auth;
  companies: Companies;
  campaigns: Campaigns;
  leads: Leads;
  signals: Signals;
  exclusions: Exclusions;
  delivery: Delivery;
  dataWallet: DataWallet;
  sandbox: Sandbox;
  hooks: Hooks;
  requests: Requests;
  statement: ReturnType<typeof createStatement>;
}

/** A GET address of the developer API. */
export interface Resource {
  url: string;
  /** Its name as a tool of the MCP server. */
  tool: string;
  summary: string;
  scope: ApiScope;
  query: z.ZodObject;
  answer: z.ZodObject;
  /** Answers a checked request, in the shape of `answer`. */
  read(sources: Sources, ctx: Ctx, query: unknown, id: string): Promise<object>;
}

interface Listed<Q extends z.ZodObject, T> {
  url: string;
  tool: string;
  summary: string;
  scope: ApiScope;
  query: Q;
  answer: z.ZodObject & z.ZodType<unknown, { data: T[]; next_cursor: string | null }>;
  /** The order of a list that has more than one: a cursor is good only for the order that it was made in. */
  order?: (query: z.output<Q>) => string;
  /** The next items after a position, and the position of the last one if there are more. */
  read(
    sources: Sources,
    ctx: Ctx,
    query: z.output<Q>,
    after: Place | null,
  ): Promise<{ data: T[]; end: Place | null }>;
}

/** A list that is read page by page. */
function list<Q extends z.ZodObject, T>({ order, ...given }: Listed<Q, T>): Resource {
  return {
    ...given,
    async read(sources, ctx, checked, _id) {
      const query = checked as z.output<Q> & { cursor?: string };
      const name = `${given.url.slice('/v1/'.length)}${order ? ` ${order(query)}` : ''}`;
      const after = query.cursor === undefined ? null : placeOf(name, query.cursor);
      if (query.cursor !== undefined && !after)
        throw refusalOf('cursor', 'is not a cursor of this list with these parameters');
      const { data, end } = await given.read(sources, ctx, query, after);
      return { data, next_cursor: end && cursorOf(name, end) };
    },
  };
}

/** One item, by its id. */
const item = <O extends z.ZodObject>(given: {
  url: string;
  tool: string;
  summary: string;
  scope: ApiScope;
  answer: O;
  read(sources: Sources, ctx: Ctx, id: string): Promise<z.input<O>>;
}): Resource => ({
  ...given,
  query: NoQuery,
  read: (sources, ctx, _query, id) => given.read(sources, ctx, id),
});

const MOST_DAYS = 366;
const dayBefore = (day: string, days: number): string =>
  Temporal.PlainDate.from(day).subtract({ days }).toString();

/** How long a transaction may take until what it changed is visible; those that begin later have later dates. */
const LATE_MS = 60_000;
/** From which change on a list that is asked for changes has them. */
const changedSince = (text: string | undefined): Date | undefined =>
  text === undefined ? undefined : new Date(Date.parse(text) - LATE_MS);
/** A list by date, or by change. */
const byChange = ({ updated_since }: { updated_since?: string | undefined }): string =>
  updated_since === undefined ? 'desc' : 'changed';

const moduleOf = (product: keyof typeof PRODUCTS | undefined) => product && PRODUCTS[product];

/** The catalog of events. */
export const EVENT_TYPES: z.input<typeof ApiEventTypes>['data'] = Object.entries(HOOK_EVENTS).map(
  ([type, { title, data, scope }]) => ({
    ...{ type, title, data, scope },
    example: JSON.parse(
      bodyOf({ type, is_test: true, created_at: new Date('2026-12-01T15:00:00Z') }, HOOK_EXAMPLES[data]),
    ) as Record<string, unknown>,
  }),
);

export const resources: readonly Resource[] = [
  list({
    url: '/v1/clients',
    tool: 'list_clients',
    summary: 'Lists your clients, newest first, or by their last change with updated_since',
    scope: 'clients.read',
    query: ClientQuery,
    answer: ApiClients,
    order: byChange,
    async read({ companies }, ctx, { limit, search, product, updated_since }, after) {
      const asked = {
        search: search ?? '',
        module: moduleOf(product),
        changedSince: changedSince(updated_since),
      };
      const { rows, end } = await companies.clients.after(ctx, asked, after, limit);
      return { data: rows.map(shapes.clientOf), end };
    },
  }),
  item({
    url: '/v1/clients/:id',
    tool: 'get_client',
    summary: 'Returns one client',
    scope: 'clients.read',
    answer: ApiClient,
    read: async ({ companies }, ctx, id) => shapes.clientOf(await companies.clients.one(ctx, id)),
  }),
  list({
    url: '/v1/campaigns',
    tool: 'list_campaigns',
    summary: 'Lists campaigns of your clients, newest first, or by their last change with updated_since',
    scope: 'campaigns.read',
    query: CampaignQuery,
    answer: ApiCampaigns,
    order: byChange,
    async read({ campaigns }, ctx, { limit, client_id, product, status, search, updated_since }, after) {
      const module = moduleOf(product);
      const asked = {
        companyId: client_id,
        modules: module && [module],
        status,
        search,
        changedSince: changedSince(updated_since),
      };
      const { rows, end } = await campaigns.reads.after(ctx, asked, after, limit);
      return { data: rows.map(shapes.campaignOf), end };
    },
  }),
  item({
    url: '/v1/campaigns/:id',
    tool: 'get_campaign',
    summary: 'Returns one campaign with its targeting',
    scope: 'campaigns.read',
    answer: ApiCampaignDetail,
    read: async ({ campaigns }, ctx, id) => shapes.campaignDetailOf(await campaigns.reads.one(ctx, id)),
  }),
  list({
    url: '/v1/leads',
    tool: 'list_leads',
    summary:
      'Lists leads, newest first, oldest first with created_since, or by their last change with updated_since',
    scope: 'leads.read',
    query: LeadQuery,
    answer: ApiLeads,
    order: ({ created_since, updated_since }) => (updated_since ? 'changed' : created_since ? 'asc' : 'desc'),
    async read({ leads }, ctx, { limit, client_id, campaign_id, product, match, ...given }, after) {
      const instant = (text: string | undefined) => (text === undefined ? undefined : new Date(text));
      const asked = {
        companyId: client_id,
        campaignId: campaign_id,
        module: moduleOf(product),
        kind: given.kind,
        search: given.search,
        minScore: given.min_score,
        maxScore: given.max_score,
        matchKind: match && matchKindOf(match),
        changedSince: changedSince(given.updated_since),
        from: instant(given.created_since),
        before: instant(given.created_before),
        order: given.created_since ? ('asc' as const) : ('desc' as const),
      };
      const { rows, end } = await leads.reads.after(ctx, asked, after, limit);
      return { data: rows.map(shapes.leadOf), end };
    },
  }),
  item({
    url: '/v1/leads/:id',
    tool: 'get_lead',
    summary: 'Returns one lead',
    scope: 'leads.read',
    answer: ApiLead,
    read: async ({ leads }, ctx, id) => shapes.leadOf(await leads.reads.one(ctx, id)),
  }),
  list({
    url: '/v1/keyword-counts',
    tool: 'list_keyword_counts',
    summary: 'Lists requested keyword counts, newest first',
    scope: 'keywords.read',
    query: KeywordCountQuery,
    answer: ApiKeywordCounts,
    async read({ signals }, ctx, { limit, client_id, campaign_id, product }, after) {
      const asked = {
        companyId: client_id,
        campaignId: campaign_id,
        module: product && PRODUCTS[product],
      };
      const { rows, end } = await signals.counts.reads.after(ctx, asked, after, limit);
      return { data: rows.map(shapes.keywordCountOf), end };
    },
  }),
  item({
    url: '/v1/keyword-counts/:id',
    tool: 'get_keyword_count',
    summary: 'Returns one keyword count with its keywords and locations',
    scope: 'keywords.read',
    answer: ApiKeywordCountDetail,
    read: async ({ signals }, ctx, id) =>
      shapes.keywordCountDetailOf(await signals.counts.reads.one(ctx, id)),
  }),
  list({
    url: '/v1/exclusion-lists',
    tool: 'list_exclusion_lists',
    summary: 'Lists your exclusion lists, or those of a client or campaign, newest first',
    scope: 'exclusions.read',
    query: ExclusionListQuery,
    answer: ApiExclusionLists,
    order: ({ client_id, campaign_id }) => campaign_id ?? client_id ?? 'own',
    async read({ exclusions }, ctx, { limit, client_id, campaign_id }, after) {
      if (client_id && campaign_id) throw refusalOf('campaign_id', 'cannot be combined with client_id');
      const level = campaign_id ? 'campaign' : client_id ? 'client' : 'agency';
      const owner = campaign_id ?? client_id ?? ctx.actor.companyId;
      const { rows, end } = await exclusions.after(ctx, level, owner, after, limit);
      return { data: rows.map(shapes.exclusionListOf), end };
    },
  }),
  item({
    url: '/v1/exclusion-lists/:id',
    tool: 'get_exclusion_list',
    summary: 'Returns one exclusion list, even if it is still being loaded or was removed',
    scope: 'exclusions.read',
    answer: ApiExclusionList,
    read: async ({ exclusions }, ctx, id) => shapes.exclusionListOf(await exclusions.one(ctx, id)),
  }),
  list({
    url: '/v1/deliveries',
    tool: 'list_deliveries',
    summary: 'Lists what was sent to the webhooks of a campaign, newest first',
    scope: 'deliveries.read',
    query: DeliveryQuery,
    answer: ApiDeliveries,
    async read({ delivery }, ctx, { limit, campaign_id, status }, after) {
      const asked = { campaignId: campaign_id, state: status };
      const { rows, end } = await delivery.after(ctx, asked, after, limit);
      return { data: rows.map(shapes.deliveryOf), end };
    },
  }),
  list({
    url: '/v1/webhook-endpoints',
    tool: 'list_webhook_endpoints',
    summary: 'Lists your webhook endpoints, newest first',
    scope: 'webhooks.write',
    query: NoQuery,
    answer: ApiEndpoints,
    // There are few, all of which are on the first page.
    async read({ hooks }, ctx, _query, after) {
      const rows = after ? [] : await hooks.list(ctx);
      return { data: rows.map((row) => shapes.endpointOf(row, ctx.clock.now())), end: null };
    },
  }),
  item({
    url: '/v1/webhook-endpoints/:id',
    tool: 'get_webhook_endpoint',
    summary: 'Returns one webhook endpoint',
    scope: 'webhooks.write',
    answer: ApiEndpoint,
    read: async ({ hooks }, ctx, id) => shapes.endpointOf(await hooks.one(ctx, id), ctx.clock.now()),
  }),
  list({
    url: '/v1/webhook-messages',
    tool: 'list_webhook_messages',
    summary: 'Lists what was sent to a webhook endpoint, newest first',
    scope: 'webhooks.write',
    query: MessageQuery,
    answer: ApiMessages,
    async read({ hooks }, ctx, { limit, endpoint_id, status, type }, after) {
      const { rows, end } = await hooks.after(
        ctx,
        { hookId: endpoint_id, state: status, type },
        after,
        limit,
      );
      return { data: rows.map(shapes.messageOf), end };
    },
  }),
  item({
    url: '/v1/webhook-messages/:id',
    tool: 'get_webhook_message',
    summary: 'Returns one webhook message with its attempts',
    scope: 'webhooks.write',
    answer: ApiMessageDetail,
    read: async ({ hooks }, ctx, id) => shapes.messageDetailOf(await hooks.message(ctx, id)),
  }),
  {
    url: '/v1/webhook-event-types',
    tool: 'list_webhook_event_types',
    summary: 'Lists the events that webhook endpoints can receive, with examples',
    scope: 'webhooks.write',
    query: NoQuery,
    answer: ApiEventTypes,
    read: async () => ({ data: EVENT_TYPES }),
  },
  {
    url: '/v1/webhooks',
    tool: 'list_webhooks',
    summary: 'Lists the webhooks of a campaign, oldest first',
    scope: 'deliveries.read',
    query: WebhookQuery,
    answer: ApiWebhooks,
    async read({ delivery }, ctx, query) {
      const { campaign_id } = query as z.output<typeof WebhookQuery>;
      const all = await delivery.list(ctx, campaign_id);
      return { data: all.filter(({ kind }) => kind === 'webhook').map(shapes.webhookOf) };
    },
  },
  item({
    url: '/v1/webhooks/:id',
    tool: 'get_webhook',
    summary: 'Returns one webhook',
    scope: 'deliveries.read',
    answer: ApiWebhook,
    read: async ({ delivery }, ctx, id) => shapes.webhookOf(await delivery.webhook(ctx, id)),
  }),
  {
    url: '/v1/webhook-samples',
    tool: 'list_webhook_samples',
    summary: 'Returns what a flat webhook of a campaign sends, for its newest leads',
    scope: 'leads.read',
    query: WebhookQuery,
    answer: ApiWebhookSamples,
    async read({ delivery }, ctx, query) {
      const { campaign_id } = query as z.output<typeof WebhookQuery>;
      return { data: await delivery.samples(ctx, campaign_id) };
    },
  },
  {
    url: '/v1/wallet',
    tool: 'get_wallet',
    summary: 'Returns your Data Wallet',
    scope: 'wallet.read',
    query: NoQuery,
    answer: ApiWallet,
    read: async ({ dataWallet }, ctx) =>
      shapes.walletOf(await dataWallet.brief(ctx)) satisfies z.input<typeof ApiWallet>,
  },
  {
    url: '/v1/usage',
    tool: 'get_usage',
    summary: 'Returns what your keys requested and your campaigns found, by day',
    scope: 'statements.read',
    query: UsageQuery,
    answer: ApiUsage,
    async read({ requests }, ctx, query) {
      const { start_date, end_date } = query as z.output<typeof UsageQuery>;
      const to = end_date ?? ctx.clock.now().toISOString().slice(0, 10);
      const from = start_date ?? dayBefore(to, 29);
      if (from > to) throw refusalOf('start_date', 'must not be after end_date');
      if (dayBefore(to, MOST_DAYS - 1) > from)
        throw refusalOf('start_date', `must not be more than ${MOST_DAYS} days before end_date`);
      return { data: (await requests.usage(ctx, from, to)).map(shapes.usageOf) };
    },
  },
  list({
    url: '/v1/statement',
    tool: 'list_statement_lines',
    summary: 'Lists the lines of your statement, newest first',
    scope: 'statements.read',
    query: StatementQuery,
    answer: ApiStatement,
    order: ({ view }) => view,
    async read({ statement }, ctx, { limit, view, kind, client_id, campaign_id, ...span }, after) {
      const filter = {
        view,
        kind,
        client_id: client_id,
        campaign_id: campaign_id,
        starts_on: span.start_date,
        ends_on: span.end_date,
      };
      const { lines, end } = await statement.after(ctx, filter, after, limit);
      return { data: lines.map(shapes.statementLineOf), end };
    },
  }),
];
