import type { z } from 'zod';
import { companyFieldsFromApi } from '../../../../contract/accounts/company-fields.ts';
import { CAMPAIGN_RULES } from '../../../../contract/campaigns/campaign-rules.ts';
import { CampaignUpdate, NewCampaign } from '../../../../contract/campaigns/campaigns.ts';
import type { ApiScope } from '../../../../contract/developer/developer-rules.ts';
import {
  ApiCampaignDetail,
  ApiClient,
  ApiEndpoint,
  ApiEndpointSecret,
  ApiExclusionList,
  ApiKeywordCountDetail,
  ApiLead,
  ApiMessageDetail,
  ApiNewWebhook,
  ApiWebhook,
  PRODUCTS,
} from '../../../../contract/developer/v1.ts';
import {
  ApiRecovered,
  ApiRemoved,
  ApiSsoToken,
  ApiTestLead,
  CampaignBody,
  CampaignChange,
  CampaignStatusBody,
  ClientBody,
  ClientChange,
  EndpointBody,
  EndpointChange,
  EndpointRecover,
  EndpointTest,
  ExclusionListBody,
  KeywordCountApply,
  KeywordCountBody,
  NoBody,
  SandboxLeadBody,
  SsoTokenBody,
  WebhookBody,
} from '../../../../contract/developer/v1-writes.ts';
import type { Version } from '../../../../contract/developer/versions.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { toWire, wireNames } from '../../../../contract/wire-schema.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { checkInput } from '../../../platform/http/input.ts';
import type { Hooks } from './hook.service.ts';
import type { Names } from './v1.check.ts';
import type { Sources } from './v1.resources.ts';
import * as shapes from './v1.shapes.ts';

/** The request that a write is made for. */
export interface Call {
  /** Refuses a key without a scope (ApiRefusal 403), and notes that the write took it. */
  need(scope: ApiScope): void;
  version: Version;
}

/** An address of the developer API that changes something. */
export interface Write {
  method: 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  url: string;
  /** Its name as a tool of the MCP server. */
  tool: string;
  summary: string;
  scope: ApiScope;
  /** Another scope that it needs. */
  also?: ApiScope;
  body: z.ZodObject;
  answer: z.ZodObject;
  status: 200 | 201;
  /** The features' names of the fields, by those that programs know. */
  names?: Names | undefined;
  /** Makes the change, for a checked request. */
  run(sources: Sources, ctx: Ctx, body: unknown, id: string, call: Call): Promise<unknown>;
  /**
   * What it answers: an item, by the id that the user log has for the change (one of `actions`), or something of what `run`
   * returned.
   */
  answers:
    | { actions: readonly string[]; read(sources: Sources, ctx: Ctx, id: string): Promise<object> }
    | { of(result: unknown): object };
}

type Given<B extends z.ZodObject> = Omit<Write, 'body' | 'run' | 'answer' | 'answers' | 'status'> & {
  status?: 201;
  body: B;
  run(sources: Sources, ctx: Ctx, body: z.output<B>, id: string, call: Call): Promise<unknown>;
};

/** A write that answers with the item it changed. */
const change = <B extends z.ZodObject, O extends z.ZodObject>(
  given: Given<B> & {
    actions: readonly string[];
    answer: O;
    read(sources: Sources, ctx: Ctx, id: string): Promise<z.input<O>>;
  },
): Write => {
  const { actions, read, status = 200, ...rest } = given;
  return { ...rest, status, answers: { actions, read }, run: given.run as Write['run'] };
};

/** A write that answers with what it returned. */
const act = <B extends z.ZodObject, O extends z.ZodObject, R>(
  given: Omit<Given<B>, 'run'> & {
    answer: O;
    run(sources: Sources, ctx: Ctx, body: z.output<B>, id: string): Promise<R>;
    of(result: R): z.input<O>;
  },
): Write => {
  const { of, status = 200, ...rest } = given;
  return {
    ...rest,
    status,
    answers: { of: of as (result: unknown) => object },
    run: given.run as Write['run'],
  };
};

/** The names inside of a campaign's fields, by those of the developer API. */
const CAMPAIGN: Names = {
  client_id: 'company_id',
  product: 'module',
  name: 'campaign_name',
  site_url: 'site_url',
  site_hosts: 'site_hosts',
  thank_you_url: 'thank_you_url',
  ...Object.fromEntries(Object.entries(CAMPAIGN_RULES).map(([name, { api }]) => [api.name, name])),
  lead_limit: 'daily_cap',
  lead_limit_period: 'limit_every',
  starts_on: 'starts_on',
  ends_on: 'ends_on',
  price_per_lead: 'lead_price',
  price_per_lead_advanced: 'lead_price_advanced',
  price_per_lead_b2b: 'lead_price_b2b',
  price_per_company: 'lead_price_company',
  max_price_per_lead: 'lead_price_max',
  monthly_fee: 'monthly_fee',
  one_time_fee: 'platform_fee',
  payment_term: 'term',
  paused: 'draft',
  'targeting.keywords': 'keywords',
  'targeting.location': 'location',
  'targeting.states': 'states',
  'targeting.cities': 'cities',
  'targeting.zips': 'zips',
  'targeting.job_titles': 'job_titles',
  'targeting.seniorities': 'seniority',
  'targeting.departments': 'department',
  'targeting.industries': 'industry',
  'targeting.company_sizes': 'company_size',
};
const wireName = wireNames(NewCampaign);
/** What refusals call these fields: features by the names inside, checks by those of the wire. */
const CAMPAIGN_NAMES: Names = Object.fromEntries(
  Object.entries(CAMPAIGN).flatMap(([api, inside]) =>
    [inside, wireName.get(inside) ?? inside].map((name) => [name, api]),
  ),
);

const LOCATIONS = { national: 'National Targeting', state: 'State', zip: 'Zip Code' } as const;
/** The features' form of a value. */
function insideOf(name: string, value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 'T' : 'F';
  if (name === 'product') return PRODUCTS[value as keyof typeof PRODUCTS];
  if (name === 'targeting.location') return LOCATIONS[value as keyof typeof LOCATIONS];
  return name === 'targeting.keywords' || name === 'targeting.zips' ? (value as string[]).join('\n') : value;
}

/** A request about a campaign with the names inside; fields left out stay out. */
function campaignOf({ targeting = {}, ...given }: { targeting?: object | undefined }): object {
  const fields = [
    ...Object.entries(given),
    ...Object.entries(targeting).map(([name, value]) => [`targeting.${name}`, value] as const),
  ];
  return Object.fromEntries(
    fields.flatMap(([name, value]) => (value === undefined ? [] : [[CAMPAIGN[name], insideOf(name, value)]])),
  );
}

const readCampaign = async ({ campaigns }: Sources, ctx: Ctx, id: string) =>
  shapes.campaignDetailOf(await campaigns.reads.one(ctx, id));
const readClient = async ({ companies }: Sources, ctx: Ctx, id: string) =>
  shapes.clientOf(await companies.clients.one(ctx, id));
const readList = async ({ exclusions }: Sources, ctx: Ctx, id: string) =>
  shapes.exclusionListOf(await exclusions.one(ctx, id));
const readCount = async ({ signals }: Sources, ctx: Ctx, id: string) =>
  shapes.keywordCountDetailOf(await signals.counts.reads.one(ctx, id));

/** An endpoint with its secret, for the two answers that have it. */
const readSecret = async ({ hooks }: Sources, ctx: Ctx, id: string) => ({
  ...shapes.endpointOf(await hooks.one(ctx, id), ctx.clock.now()),
  secret: await hooks.secret(ctx, id),
});
/** @throws ApiRefusal 403 for events whose data the key cannot read */
const mayReceive = (hooks: Hooks, types: readonly string[], { need }: Call): void =>
  hooks.scopesOf(types).forEach(need);

const CLIENT_NAMES: Names = {
  company_name: 'name',
  full_name: 'owner.name',
  email: 'owner.email',
  phone: 'owner.phone',
};
/** What a program cannot set of a client and its owner. */
const UNSET = {
  whiteLabelling: undefined,
  apiMode: undefined,
  ownerFlags: {},
  factor: undefined,
  sales: {},
  subdomain: undefined,
  domain: undefined,
};
/** A number with its country code. */
const phoneOf = (number: string) => ({ number, country: '', calling: '' });
const closedOf = (canAdd: boolean | undefined) => (canAdd === undefined ? undefined : !canAdd);

/** A file with one entry on each line, as an upload would bring it. */
async function* fileOf(entries: readonly string[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from(entries.map((entry) => `"${entry.replaceAll('"', '""')}"\n`).join(''));
}

const STATUS_ACTIONS = {
  active: 'campaign.activate',
  paused: 'campaign.pause',
  archived: 'campaign.archive',
} as const;

export const writes: readonly Write[] = [
  change({
    method: 'POST',
    url: '/v1/clients',
    tool: 'create_client',
    summary: 'Creates a client and invites its owner by email',
    scope: 'clients.write',
    status: 201,
    body: ClientBody,
    answer: ApiClient,
    names: CLIENT_NAMES,
    actions: ['company.create'],
    run: ({ companies }, ctx, { name, owner, can_add_campaigns, ...fields }) =>
      companies.create(ctx, ctx.actor.companyId, 'client', {
        ...UNSET,
        name,
        ownerName: owner.name,
        email: owner.email,
        phone: phoneOf(owner.phone),
        campaignsClosed: closedOf(can_add_campaigns),
        fields: companyFieldsFromApi(fields),
      }),
    read: readClient,
  }),
  change({
    method: 'PATCH',
    url: '/v1/clients/:id',
    tool: 'update_client',
    summary: 'Changes a client',
    scope: 'clients.write',
    body: ClientChange,
    answer: ApiClient,
    names: CLIENT_NAMES,
    actions: ['company.update'],
    async run({ companies }, ctx, { name, owner, can_add_campaigns, ...fields }, id) {
      const before = await companies.clients.one(ctx, id);
      if (!before.owner_id && owner) throw new Refusal('conflict', ownMessages.clientWithoutOwner);
      return companies.update(ctx, ctx.actor.companyId, id, {
        ...UNSET,
        name: name ?? before.name,
        ownerName: owner?.name ?? before.owner_name,
        email: before.owner_email,
        phone: owner?.phone === undefined ? undefined : phoneOf(owner.phone),
        campaignsClosed: closedOf(can_add_campaigns),
        fields: companyFieldsFromApi(fields),
        terms: undefined,
        modules: undefined,
        planId: undefined,
        betaUser: undefined,
        version: before.version,
      });
    },
    read: readClient,
  }),
  change({
    method: 'POST',
    url: '/v1/campaigns',
    tool: 'create_campaign',
    summary: 'Creates a campaign',
    scope: 'campaigns.write',
    status: 201,
    body: CampaignBody,
    answer: ApiCampaignDetail,
    names: CAMPAIGN_NAMES,
    actions: ['campaign.create'],
    run: async ({ campaigns }, ctx, body) =>
      campaigns.create(ctx, await checkInput(NewCampaign, toWire(NewCampaign, campaignOf(body)))),
    read: readCampaign,
  }),
  change({
    method: 'PATCH',
    url: '/v1/campaigns/:id',
    tool: 'update_campaign',
    summary: 'Changes a campaign',
    scope: 'campaigns.write',
    body: CampaignChange,
    answer: ApiCampaignDetail,
    names: CAMPAIGN_NAMES,
    actions: ['campaign.update'],
    run: async ({ campaigns }, ctx, body, id) =>
      campaigns.update(
        ctx,
        await checkInput(CampaignUpdate, toWire(CampaignUpdate, { ...campaignOf(body), campaign_id: id })),
      ),
    read: readCampaign,
  }),
  change({
    method: 'PUT',
    url: '/v1/campaigns/:id/status',
    tool: 'set_campaign_status',
    summary: 'Activates, pauses, or archives a campaign',
    scope: 'campaigns.write',
    body: CampaignStatusBody,
    answer: ApiCampaignDetail,
    actions: Object.values(STATUS_ACTIONS),
    run: ({ campaigns }, ctx, { status }, id) => campaigns.setState(ctx, id, status, STATUS_ACTIONS[status]),
    read: readCampaign,
  }),
  act({
    method: 'POST',
    url: '/v1/campaigns/:id/test-leads',
    tool: 'send_test_lead',
    summary: 'Sends a made-up lead to the destinations of a campaign, free of charge, once a minute',
    scope: 'campaigns.write',
    status: 201,
    body: NoBody,
    answer: ApiTestLead,
    run: ({ leads }, ctx, _body, id) => leads.sendTest(ctx, id),
    of: ({ lead_id, webhooks }) => ({ lead_id, destinations: webhooks }),
  }),
  act({
    method: 'POST',
    url: '/v1/sandbox/leads',
    tool: 'make_sandbox_lead',
    summary: 'Makes a lead in test mode, as if a campaign had found someone. Test keys only',
    scope: 'campaigns.write',
    status: 201,
    body: SandboxLeadBody,
    answer: ApiLead,
    run: async ({ sandbox, leads }, ctx, { campaign_id }) =>
      leads.reads.one(ctx, await sandbox.makeLead(ctx, campaign_id)),
    of: shapes.leadOf,
  }),
  change({
    method: 'POST',
    url: '/v1/exclusion-lists',
    tool: 'create_exclusion_list',
    summary: 'Adds an exclusion list: people who never become leads',
    scope: 'exclusions.write',
    status: 201,
    body: ExclusionListBody,
    answer: ApiExclusionList,
    names: { file: 'entries' },
    actions: ['exclusion.upload'],
    run({ exclusions }, ctx, body) {
      const { client_id, campaign_id } = body;
      if (client_id && campaign_id)
        throw new Refusal('invalid', 'campaign_id: cannot be combined with client_id', {
          errors: { campaign_id: ['cannot be combined with client_id'] },
        });
      const level = campaign_id ? 'campaign' : client_id ? 'client' : 'agency';
      return exclusions.submit(
        ctx,
        {
          level,
          id: campaign_id ?? client_id ?? ctx.actor.companyId,
          fileName: `${body.name}.csv`,
          accepts: 'all',
          ignoreAliases: body.ignore_gmail_aliases,
          country: body.country,
          field: 'file',
        },
        fileOf(body.entries),
      );
    },
    read: readList,
  }),
  change({
    method: 'DELETE',
    url: '/v1/exclusion-lists/:id',
    tool: 'remove_exclusion_list',
    summary: 'Removes an exclusion list',
    scope: 'exclusions.write',
    body: NoBody,
    answer: ApiExclusionList,
    actions: ['exclusion.undo'],
    run: ({ exclusions }, ctx, _body, id) => exclusions.undo(ctx, id, 'exclude'),
    read: readList,
  }),
  change({
    method: 'POST',
    url: '/v1/keyword-counts',
    tool: 'request_keyword_count',
    summary:
      'Requests a count of people who showed intent in the last 7 days. Read it to see when it is done',
    scope: 'keywords.write',
    status: 201,
    body: KeywordCountBody,
    answer: ApiKeywordCountDetail,
    names: {
      company_id: 'client_id',
      campaign_id: 'campaign_id',
      keyword: 'targeting.keywords',
      states: 'targeting.states',
      cities: 'targeting.cities',
      zips: 'targeting.zips',
      job_titles: 'targeting.job_titles',
      seniority: 'targeting.seniorities',
      department: 'targeting.departments',
      industry: 'targeting.industries',
      company_size: 'targeting.company_sizes',
    },
    actions: ['count.queue'],
    run: ({ signals }, ctx, { client_id, campaign_id, product, targeting: of }) =>
      signals.counts.queue(ctx, {
        search: {
          location: LOCATIONS[of.location],
          states: of.states,
          cities: of.cities,
          zips: of.zips?.join('\n'),
          keywords: of.keywords.join('\n'),
        },
        audience: {
          job_titles: of.job_titles,
          seniority: of.seniorities,
          department: of.departments,
          industry: of.industries,
          company_size: of.company_sizes,
        },
        module: product && PRODUCTS[product],
        rules: {},
        isTold: false,
        companyId: client_id,
        campaignId: campaign_id,
      }),
    read: readCount,
  }),
  change({
    method: 'POST',
    url: '/v1/keyword-counts/:id/retry',
    tool: 'retry_keyword_count',
    summary: 'Retries a keyword count that failed',
    scope: 'keywords.write',
    body: NoBody,
    answer: ApiKeywordCountDetail,
    actions: ['count.retry'],
    run: ({ signals }, ctx, _body, id) => signals.counts.retry(ctx, id),
    read: readCount,
  }),
  change({
    method: 'POST',
    url: '/v1/keyword-counts/:id/apply',
    tool: 'apply_keyword_count',
    summary: 'Makes a campaign search for the counted keywords',
    scope: 'campaigns.write',
    body: KeywordCountApply,
    answer: ApiCampaignDetail,
    names: { campaign_id: 'campaign_id' },
    actions: ['count.apply'],
    run: ({ signals }, ctx, { campaign_id }, id) => signals.counts.apply(ctx, id, campaign_id),
    read: readCampaign,
  }),
  change({
    method: 'POST',
    url: '/v1/webhook-endpoints',
    tool: 'create_webhook_endpoint',
    summary: 'Adds a webhook endpoint. Its signing secret is only in this response',
    scope: 'webhooks.write',
    status: 201,
    body: EndpointBody,
    answer: ApiEndpointSecret,
    actions: ['hook.create'],
    run({ hooks }, ctx, body, _id, call) {
      mayReceive(hooks, body.types, call);
      return hooks.create(ctx, { ...body, version: call.version });
    },
    read: readSecret,
  }),
  change({
    method: 'PATCH',
    url: '/v1/webhook-endpoints/:id',
    tool: 'update_webhook_endpoint',
    summary: 'Changes, disables, or enables a webhook endpoint',
    scope: 'webhooks.write',
    body: EndpointChange,
    answer: ApiEndpoint,
    actions: ['hook.update'],
    async run({ hooks }, ctx, body, id, call) {
      // Anyone who changes an endpoint's URL receives its events.
      mayReceive(hooks, [...(body.types ?? []), ...(await hooks.one(ctx, id)).types], call);
      return hooks.update(ctx, id, body);
    },
    read: async ({ hooks }, ctx, id) => shapes.endpointOf(await hooks.one(ctx, id), ctx.clock.now()),
  }),
  act({
    method: 'DELETE',
    url: '/v1/webhook-endpoints/:id',
    tool: 'remove_webhook_endpoint',
    summary: 'Removes a webhook endpoint',
    scope: 'webhooks.write',
    body: NoBody,
    answer: ApiRemoved,
    run: async ({ hooks }, ctx, _body, id) => {
      await hooks.remove(ctx, id);
      return id;
    },
    of: (id) => ({ id, removed: true as const }),
  }),
  change({
    method: 'POST',
    url: '/v1/webhook-endpoints/:id/rotate-secret',
    tool: 'rotate_webhook_secret',
    summary: 'Rotates the secret of a webhook endpoint. The previous one also signs for 24 hours',
    scope: 'webhooks.write',
    body: NoBody,
    answer: ApiEndpointSecret,
    actions: ['hook.rotate'],
    async run({ hooks }, ctx, _body, id, call) {
      mayReceive(hooks, (await hooks.one(ctx, id)).types, call);
      return hooks.rotate(ctx, id);
    },
    read: readSecret,
  }),
  act({
    method: 'POST',
    url: '/v1/webhook-endpoints/:id/test',
    tool: 'test_webhook_endpoint',
    summary: 'Sends the example of an event to a webhook endpoint now, once a minute',
    scope: 'webhooks.write',
    body: EndpointTest,
    answer: ApiMessageDetail,
    run: async ({ hooks }, ctx, { type }, id) => hooks.message(ctx, await hooks.test(ctx, id, type)),
    of: shapes.messageDetailOf,
  }),
  act({
    method: 'POST',
    url: '/v1/webhook-endpoints/:id/recover',
    tool: 'recover_webhook_messages',
    summary: 'Resends all messages that failed since a given time',
    scope: 'webhooks.write',
    body: EndpointRecover,
    answer: ApiRecovered,
    run: ({ hooks }, ctx, { since }, id) => hooks.recover(ctx, id, new Date(since)),
    of: (messages) => ({ messages }),
  }),
  change({
    method: 'POST',
    url: '/v1/webhook-messages/:id/resend',
    tool: 'resend_webhook_message',
    summary: 'Resends a webhook message, even if it was delivered',
    scope: 'webhooks.write',
    body: NoBody,
    answer: ApiMessageDetail,
    actions: ['hook.resend'],
    run: ({ hooks }, ctx, _body, id) => hooks.resend(ctx, id),
    read: async ({ hooks }, ctx, id) => shapes.messageDetailOf(await hooks.message(ctx, id)),
  }),
  act({
    method: 'POST',
    url: '/v1/webhooks',
    tool: 'add_webhook',
    summary: 'Sends each new lead of a campaign to an address, signed and retried. Needs leads.read as well',
    scope: 'webhooks.write',
    also: 'leads.read',
    status: 201,
    body: WebhookBody,
    answer: ApiNewWebhook,
    names: { campaign_id: 'campaign_id' },
    run: ({ delivery }, ctx, { campaign_id, url, format }) =>
      delivery.create(ctx, { campaign_id: campaign_id, url, format }),
    of: ({ row, secret }) => ({ ...shapes.webhookOf(row), secret }),
  }),
  act({
    method: 'DELETE',
    url: '/v1/webhooks/:id',
    tool: 'remove_webhook',
    summary: 'Removes a webhook. Nothing more is sent there',
    scope: 'webhooks.write',
    body: NoBody,
    answer: ApiWebhook,
    async run({ delivery }, ctx, _body, id) {
      const row = await delivery.webhook(ctx, id);
      await delivery.remove(ctx, id);
      return row;
    },
    of: (row) => ({ ...shapes.webhookOf(row), status: 'removed' as const }),
  }),
  act({
    method: 'POST',
    url: '/v1/sso-tokens',
    tool: 'create_sso_token',
    summary: 'Creates a link that signs in the owner of a client once, within 60 seconds',
    scope: 'sso.write',
    status: 201,
    body: SsoTokenBody,
    answer: ApiSsoToken,
    async run({ auth, companies }, ctx, { client_id }) {
      if (ctx.actor.rootId !== ctx.tenant.rootId) throw new Refusal('conflict', ownMessages.sandboxSignIn);
      const { owner_id } = await companies.clients.one(ctx, client_id);
      if (!owner_id) throw new Refusal('conflict', ownMessages.clientWithoutOwner);
      return auth.sso.mint(ctx, owner_id);
    },
    of: (made) => made,
  }),
];
