import type { z } from 'zod';
import { companyFieldsOfApi } from '../../../../contract/accounts/company-fields.ts';
import { leadTextsOf } from '../../../../contract/audience/person-texts.ts';
import { rulesOfApi } from '../../../../contract/campaigns/campaign-rules.ts';
import {
  type ApiCampaign,
  type ApiCampaignDetail,
  type ApiClient,
  type ApiDelivery,
  type ApiEndpoint,
  type ApiExclusionList,
  type ApiKeywordCount,
  type ApiKeywordCountDetail,
  type ApiLead,
  type ApiMessage,
  type ApiMessageDetail,
  type ApiStatementLine,
  type ApiUsageDay,
  type ApiWallet,
  type ApiWebhook,
  PRODUCTS,
  type Product,
} from '../../../../contract/developer/v1.ts';
import { dollarsOf } from '../../../../contract/dollars.ts';
import type { Companies } from '../../accounts/companies/index.ts';
import type { Exclusions } from '../../audience/exclusions/index.ts';
import type { Signals } from '../../audience/signals/index.ts';
import { audienceWire, type Campaigns } from '../../campaigns/campaigns/index.ts';
import type { Delivery, Webhook } from '../../campaigns/delivery/index.ts';
import { type ReadLead, sourceShown } from '../../campaigns/leads/index.ts';
import type { DataWallet } from '../../money/data-wallet/index.ts';
import type { createStatement } from '../../money/ledger/index.ts';
import type { Hooks } from './hook.service.ts';
import type { Requests } from './requests.service.ts';

// What the features return, in the shapes of the developer API (contract/developer/v1.ts).

type Statement = ReturnType<typeof createStatement>;
type Wire<T extends z.ZodType> = z.input<T>;

const NAMES = new Map(Object.entries(PRODUCTS).map(([name, module]) => [module as string, name as Product]));
/** The API's name of a module. */
export const productOf = (module: string): Product => {
  const name = NAMES.get(module);
  if (!name) throw new Error(`a module without a name in the API: ${module}`);
  return name;
};

const instant = (at: Date | null): string | null => at?.toISOString() ?? null;

export function clientOf(row: Awaited<ReturnType<Companies['clients']['one']>>): Wire<typeof ApiClient> {
  const calling = row.phone_calling?.replace(/^\+/, '') ?? '';
  return {
    id: row.id,
    name: row.name,
    owner: row.owner_id
      ? {
          name: row.owner_name,
          email: row.owner_email,
          phone: row.phone ? `+${calling}${row.phone}` : null,
        }
      : null,
    can_add_campaigns: !row.campaigns_closed,
    ...companyFieldsOfApi(row),
    active_campaigns: Number(row.active_campaigns),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

type Campaign = Awaited<ReturnType<Campaigns['reads']['after']>>['rows'][number];

export const campaignOf = (row: Campaign): Wire<typeof ApiCampaign> => ({
  id: row.id,
  number: Number(row.number),
  client_id: row.company_id,
  name: row.name,
  product: productOf(row.module),
  status: row.state as 'active',
  status_reason: row.reason,
  site_url: row.site_url || null,
  site_hosts: row.site_hosts,
  thank_you_url: row.thank_you_url,
  ...rulesOfApi(row),
  lead_limit: row.daily_cap,
  lead_limit_period: row.limit_every,
  starts_on: row.starts_on,
  ends_on: row.ends_on,
  price_per_lead: row.costs.lead_price,
  price_per_lead_advanced: row.costs.lead_price_advanced,
  price_per_lead_b2b: row.costs.lead_price_b2b,
  price_per_company: row.costs.lead_price_company,
  max_price_per_lead: row.costs.lead_price_max,
  monthly_fee: row.costs.monthly_fee,
  one_time_fee: row.costs.platform_fee,
  payment_term: row.costs.term,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

type Target = NonNullable<Awaited<ReturnType<Campaigns['reads']['one']>>['target']>;

const targetingOf = (
  of: Omit<
    Target,
    | 'campaign_id'
    | 'description'
    | 'size'
    | 'updated_at'
    | 'themes_version'
    | 'waits_since'
    | 'root_id'
    | 'agency_id'
    | 'company_id'
  >,
) => {
  const audience = audienceWire(of);
  return {
    keywords: of.keywords,
    location: of.location,
    states: of.states,
    cities: of.cities,
    zips: of.zips,
    job_titles: audience.job_titles,
    seniorities: audience.seniority,
    departments: audience.department,
    industries: audience.industry,
    company_sizes: audience.company_size,
  };
};

export const campaignDetailOf = (
  row: Awaited<ReturnType<Campaigns['reads']['one']>>,
): Wire<typeof ApiCampaignDetail> => ({
  ...campaignOf(row),
  targeting: row.target && targetingOf(row.target),
});

export const leadOf = (row: ReadLead): Wire<typeof ApiLead> => ({
  id: row.id,
  client_id: row.company_id,
  campaign_id: row.campaign_id,
  product: productOf(row.module),
  test: row.is_test,
  kind: row.company_domain === null ? 'person' : 'company',
  price: dollarsOf(row.price_micros),
  match: { type: row.match_type, confidence: row.confidence },
  score: row.isExcluded ? null : row.score,
  excluded: row.isExcluded,
  person:
    row.isExcluded || row.company_domain !== null
      ? null
      : {
          ...leadTextsOf(row),
          email: row.email,
          phone: row.phone,
          phone_do_not_call: row.phone_dnc,
          phone_scrubbed_at: instant(row.phone_scrubbed_at),
          phone_scrub_source: sourceShown(row.phone_scrub_source),
          phone2: row.phone2,
          phone2_do_not_call: row.phone2_dnc,
          phone2_scrubbed_at: instant(row.phone2_scrubbed_at),
          phone2_scrub_source: sourceShown(row.phone2_scrub_source),
        },
  company:
    row.isExcluded || row.company_domain === null
      ? null
      : { name: row.company_name, domain: row.company_domain },
  data: row.isExcluded ? {} : row.data,
  visit: row.isExcluded ? null : { page_url: row.page_url, referrer: row.referrer },
  delivery: row.delivery,
  converted_at: instant(row.converted_at),
  created_at: row.created_at.toISOString(),
  updated_at: row.changed_at.toISOString(),
});

const number = (value: bigint | null): number | null => (value === null ? null : Number(value));

export const keywordCountOf = (
  row: Awaited<ReturnType<Signals['counts']['reads']['after']>>['rows'][number],
): Wire<typeof ApiKeywordCount> => ({
  id: row.id,
  client_id: row.company_id,
  campaign_id: row.campaign_id,
  product: productOf(row.module),
  status: row.state,
  keyword_total: row.keyword_total,
  location: row.location,
  people: number(row.people),
  people_in_location: number(row.placed),
  forecast: row.steps && {
    not_excluded: row.steps.not_excluded,
    not_customers: row.steps.not_customers,
    contactable: row.steps.contactable,
    fitting: row.steps.fitting,
    confident: row.steps.sure_enough,
    not_delivered: row.steps.not_delivered,
    deliverable: row.steps.deliverable,
  },
  counted_at: instant(row.counted_at),
  finished_at: instant(row.finished_at),
  applied_to: row.applied_to,
  applied_at: instant(row.applied_at),
  created_at: row.created_at.toISOString(),
});

export const keywordCountDetailOf = (
  row: Awaited<ReturnType<Signals['counts']['reads']['one']>>,
): Wire<typeof ApiKeywordCountDetail> => ({ ...keywordCountOf(row), targeting: targetingOf(row) });

export const exclusionListOf = (
  row: Awaited<ReturnType<Exclusions['after']>>['rows'][number],
): Wire<typeof ApiExclusionList> => ({
  id: row.id,
  level: row.level,
  client_id: row.level === 'client' || row.level === 'campaign' ? row.company_id : null,
  campaign_id: row.level === 'campaign' ? row.owner_id : null,
  name: row.name,
  status: row.state,
  error: row.error,
  rows_read: Number(row.rows_read),
  rows_invalid: Number(row.rows_bad),
  entries_added: Number(row.rows_added),
  entries_duplicate: Number(row.rows_same),
  emails: Number(row.emails),
  phones: Number(row.phones),
  domains: Number(row.domains),
  created_at: row.created_at.toISOString(),
  finished_at: instant(row.finished_at),
  removed_at: instant(row.removed_at),
});

export const deliveryOf = (
  row: Awaited<ReturnType<Delivery['after']>>['rows'][number],
): Wire<typeof ApiDelivery> => ({
  id: row.id,
  campaign_id: row.campaign_id,
  lead_id: row.lead_id,
  message_id: row.message_id,
  webhook_id: row.integration_id,
  url: row.url,
  test: row.is_test,
  status: row.state === 'unknown' ? 'pending' : row.state,
  attempts: row.attempts,
  last_attempt_at: instant(row.last_at),
  last_status: row.last_status,
  last_error: row.last_error,
  next_attempt_at: instant(row.next_at),
  delivered_at: instant(row.delivered_at),
  created_at: row.created_at.toISOString(),
});

export const webhookOf = (row: Webhook): Wire<typeof ApiWebhook> => ({
  id: row.id,
  campaign_id: row.campaign_id,
  url: row.url ?? '',
  format: row.payload.format,
  status: row.state,
  status_reason: row.state === 'disabled' ? row.state_reason : null,
  created_at: row.created_at.toISOString(),
});

export const walletOf = (found: Awaited<ReturnType<DataWallet['brief']>>): Wire<typeof ApiWallet> => ({
  balance: dollarsOf(found.balanceMicros),
  total_added: dollarsOf(found.totalMicros),
  automatic_top_up: {
    enabled: found.automatic.isOn,
    status: found.automatic.state,
    amount: dollarsOf(found.automatic.amountMicros),
    threshold: dollarsOf(found.automatic.thresholdMicros),
  },
});

export const usageOf = (row: Awaited<ReturnType<Requests['usage']>>[number]): Wire<typeof ApiUsageDay> => ({
  date: row.day,
  requests: Number(row.requests),
  requests_refused: Number(row.refused),
  leads: Number(row.leads),
  spend: dollarsOf(row.spend),
});

export const endpointOf = (row: Awaited<ReturnType<Hooks['one']>>, now: Date): Wire<typeof ApiEndpoint> => ({
  id: row.id,
  url: row.url,
  description: row.description,
  types: row.types,
  client_ids: row.client_ids,
  status: row.state as 'enabled',
  status_reason: row.state_reason,
  previous_secret_until:
    row.previous_until && row.previous_until > now ? row.previous_until.toISOString() : null,
  version: row.version,
  messages_7d: row.total,
  failed_7d: row.failed,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

export const messageOf = (
  row: Awaited<ReturnType<Hooks['after']>>['rows'][number] | Awaited<ReturnType<Hooks['message']>>,
): Wire<typeof ApiMessage> => ({
  id: row.id,
  endpoint_id: row.hook_id,
  message_id: row.message_id,
  type: row.type,
  object_id: row.object_id,
  test: row.is_test,
  status: row.state,
  attempts: row.attempts,
  next_attempt_at: instant(row.state === 'pending' ? row.next_at : null),
  delivered_at: instant(row.delivered_at),
  created_at: row.created_at.toISOString(),
});

export const messageDetailOf = (
  row: Awaited<ReturnType<Hooks['message']>>,
): Wire<typeof ApiMessageDetail> => ({
  ...messageOf(row),
  tries: row.tries.map(({ number, started_at, duration_ms, status, answer, error }) => ({
    ...{ number, duration_ms, status, answer, error },
    started_at: started_at.toISOString(),
  })),
});

const dollars = (micros: number | null): string | null => (micros === null ? null : dollarsOf(micros));

export const statementLineOf = (
  line: Awaited<ReturnType<Statement['after']>>['lines'][number],
): Wire<typeof ApiStatementLine> => ({
  id: line.id,
  kind: line.kind,
  amount: dollarsOf(line.amount_micros),
  balance: dollarsOf(line.balance_micros),
  price: dollars(line.price_micros),
  cost: dollars(line.cost_micros),
  campaign_id: line.campaign_id,
  reference_id: line.reference_id,
  company_name: line.company_name,
  memo: line.memo,
  created_at: line.created_at,
});
