import type { UseFormReturnType } from '@mantine/form';
import {
  NEW_RULES,
  type RuleInputs,
  ruleInputsOf,
  ruleInputsSent,
  rulesShown,
} from '../../../../contract/campaigns/campaign-rules.ts';
import { MAX_SITE_HOSTS, siteHostOf } from '../../../../contract/campaigns/site-hosts.ts';
import { microsTyped } from '../../../../contract/dollars.ts';
import type { Client } from '../../../../contract/index.ts';
import { shortDay } from '../../../ui/format.ts';
import { type AudienceValues, audienceOf, NEW_AUDIENCE } from './audience.ts';
import { type MoreValues, moreInputOf, moreOf, NEW_MORE, sameMinimum } from './more.ts';
import { NEW_TARGET, type TargetValues, targetOf } from './target.ts';

/** A campaign as the server returns it. */
export type Campaign = Awaited<ReturnType<Client['campaigns']['get']>>;
/** A campaign in a list: without what may be too long for one, such as 40,000 zip codes. */
export type CampaignRow = Awaited<ReturnType<Client['campaigns']['list']>>['data'][number];

/** What the calls for the states of all campaigns answer about one that brings leads. */
export const asLead = (answer: { data: Omit<Campaign, 'module'> }): { data: Campaign } => ({
  data: answer.data as Campaign,
});

/** Whether a module's campaigns use keywords instead of a site. */
export const isSearch = (module: Campaign['module']): boolean => module !== 'local';

/** The campaign's settings as the form holds them; unset values are empty strings. */
export interface CampaignValues extends TargetValues, MoreValues, AudienceValues, RuleInputs {
  module: Campaign['module'];
  description: string;
  company_id: string;
  campaign_name: string;
  site_url: string;
  thank_you_url: string;
  /** One per line. */
  site_hosts: string;
  daily_cap: number | string;
  starts_on: string;
  ends_on: string;
  advance_information: number[];
  b2b_information: number[];
  lead_price: string;
  lead_price_advanced: string;
  lead_price_b2b: string;
  lead_price_company: string;
  lead_price_max: string;
  monthly_fee: string;
  platform_fee: string;
  term: Campaign['term'] | '';
  topup: Campaign['topup'] | '';
  leads_buy: number | string;
  effective_from: string;
}

export type CampaignFormState = UseFormReturnType<CampaignValues>;

/** The amounts of a campaign's costs, by field. */
export const AMOUNTS = [
  'lead_price',
  'lead_price_advanced',
  'lead_price_b2b',
  'lead_price_company',
  'lead_price_max',
  'monthly_fee',
  'platform_fee',
] as const;

/** The form values of a campaign that does not exist yet. */
export const NEW_VALUES: CampaignValues = {
  ...NEW_TARGET,
  ...NEW_AUDIENCE,
  module: 'local',
  description: '',
  ...NEW_MORE,
  company_id: '',
  campaign_name: '',
  site_url: '',
  thank_you_url: '',
  site_hosts: '',
  ...ruleInputsOf(rulesShown(NEW_RULES)),
  daily_cap: '',
  starts_on: '',
  ends_on: '',
  advance_information: [],
  b2b_information: [],
  lead_price: '',
  lead_price_advanced: '',
  lead_price_b2b: '',
  lead_price_company: '',
  lead_price_max: '',
  monthly_fee: '',
  platform_fee: '',
  term: '',
  topup: '',
  leads_buy: '',
  effective_from: '',
};

/** Returns the form values of a campaign. */
export function valuesOf(campaign: Campaign): CampaignValues {
  return {
    ...targetOf(campaign),
    ...audienceOf(campaign),
    advance_information: campaign.advance_information,
    b2b_information: campaign.b2b_information,
    module: campaign.module,
    description: campaign.description,
    ...moreOf(campaign),
    company_id: campaign.company_id,
    campaign_name: campaign.campaign_name,
    site_url: campaign.site_url,
    thank_you_url: campaign.thank_you_url ?? '',
    site_hosts: campaign.site_hosts.join('\n'),
    ...ruleInputsOf(campaign),
    daily_cap: campaign.daily_cap ?? '',
    starts_on: campaign.starts_on ?? '',
    ends_on: campaign.ends_on ?? '',
    lead_price: campaign.lead_price,
    lead_price_advanced: campaign.lead_price_advanced,
    lead_price_b2b: campaign.lead_price_b2b,
    lead_price_company: campaign.lead_price_company,
    lead_price_max: campaign.lead_price_max,
    monthly_fee: campaign.monthly_fee,
    platform_fee: campaign.platform_fee,
    term: campaign.term,
    topup: campaign.topup,
    leads_buy: campaign.leads_buy ?? '',
    effective_from: '',
  };
}

/** Whether two versions of a campaign have the same settings, no matter what else has changed. */
export function sameSetUp(a: Campaign, b: Campaign): boolean {
  return JSON.stringify(valuesOf(a)) === JSON.stringify(valuesOf(b));
}

const linesOf = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

/** Returns what is wrong with a campaign's other sites; null if nothing is. */
export function siteHostsFault(text: string): string | null {
  const hosts = linesOf(text);
  const wrong = hosts.find((host) => siteHostOf(host) === null);
  if (wrong) return `Enter a host such as shop.example.com or *.example.com instead of ${wrong.slice(0, 60)}`;
  return hosts.length > MAX_SITE_HOSTS ? `Enter up to ${MAX_SITE_HOSTS} sites` : null;
}

/**
 * Returns the form's costs as the calls take them. Empty fields are left out, so those costs keep their current value
 * or the default.
 */
export function costsOf(values: CampaignValues) {
  const amounts = Object.fromEntries(
    AMOUNTS.flatMap((field) => {
      const amount = amountOf(values[field]);
      return amount ? [[field, amount]] : [];
    }),
  ) as Partial<Record<(typeof AMOUNTS)[number], string>>;
  // Only a prepaid campaign is topped up.
  const topup = values.term === 'Prepaid' || !values.term ? values.topup : 'onetime';
  return {
    ...amounts,
    ...(values.term ? { term: values.term } : {}),
    ...(topup ? { topup } : {}),
    ...(values.term ? { leads_buy: values.leads_buy === '' ? null : Number(values.leads_buy) } : {}),
  };
}

/** Returns the form as the calls take it. `withPrice`: only users who may set a price may send one. */
export function inputOf(values: CampaignValues, withPrice: boolean) {
  return {
    ...moreInputOf(values, withPrice),
    campaign_name: values.campaign_name.trim(),
    ...(values.module === 'local'
      ? {
          site_url: siteOf(values.site_url),
          thank_you_url: siteOf(values.thank_you_url),
          site_hosts: linesOf(values.site_hosts),
        }
      : {
          keywords: values.keywords,
          location: values.location,
          states: values.states,
          cities: values.cities,
          zips: values.zips,
          description: values.description.trim(),
        }),
    ...(values.module === 'b2b'
      ? { ...audienceOf(values), b2b_information: values.b2b_information }
      : { advance_information: values.advance_information }),
    ...ruleInputsSent(values),
    daily_cap: values.daily_cap === '' ? null : Number(values.daily_cap),
    starts_on: values.starts_on,
    ends_on: values.ends_on,
    ...(withPrice ? costsOf(values) : {}),
  };
}

/**
 * Returns a change as the call takes it. Only changed costs are included, so that planned changes to the others stay.
 */
export function changeOf(values: CampaignValues, base: Campaign, withPrice: boolean) {
  const before: Record<string, unknown> = costsOf(valuesOf(base));
  const isSame = (field: string, value: unknown): boolean =>
    (AMOUNTS as readonly string[]).includes(field)
      ? microsTyped(String(value)) === microsTyped(String(before[field]))
      : value === before[field];
  const costs = Object.fromEntries(
    Object.entries(costsOf(values)).filter(([field, value]) => !isSame(field, value)),
  ) as ReturnType<typeof costsOf>;
  return {
    ...inputOf(values, false),
    ...(withPrice && !sameMinimum(values, moreOf(base)) ? moreInputOf(values, true) : {}),
    ...(withPrice ? costs : {}),
    ...(withPrice && values.effective_from ? { effective_from: values.effective_from } : {}),
  };
}

/** Returns a new campaign as the call takes it: empty fields start with what the agency has set for the client. */
export function newInputOf(values: CampaignValues, withPrice: boolean) {
  const { daily_cap, starts_on, ends_on, ...input } = inputOf(values, withPrice);
  return {
    ...input,
    ...(daily_cap === null ? {} : { daily_cap }),
    ...(starts_on ? { starts_on } : {}),
    ...(ends_on ? { ends_on } : {}),
  };
}

/** Returns the agency's margin on a lead's price, in micro-dollars; undefined if the price or the cost is unknown. */
export function marginOf(price: string, wholesale: string | undefined): number | undefined {
  const amount = amountOf(price);
  return amount === '' || wholesale === undefined ? undefined : microsTyped(amount) - microsTyped(wholesale);
}

/** Normalizes a pasted web address: trims it and adds https:// before a bare host. */
export function siteOf(text: string): string {
  const trimmed = text.trim();
  return trimmed === '' || /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`;
}

/** Returns why a text is not a site address, in words; null if it is one. */
export function siteFault(text: string): string | null {
  if (text.trim() === '') return 'Enter the address of the site, such as https://www.example.com';
  const url = URL.parse(siteOf(text));
  if (!url || !/^https?:$/.test(url.protocol) || !/\.[a-z0-9-]{2,}$|^localhost$/i.test(url.hostname)) {
    return 'Enter an address that starts with http:// or https://, such as https://www.example.com';
  }
  return null;
}

/**
 * Converts a pasted dollar amount ('$1,250.50', ' 2.5 ') to the calls' format ('1250.50'). A comma counts only as a
 * thousands separator: '2,50' is left alone, so that it is refused rather than read as 250.
 */
export function amountOf(text: string): string {
  const bare = text
    .trim()
    .replace(/^\$/, '')
    .replace(/(USD|\$)$/i, '')
    .trim();
  const plain = /^\d{1,3}(,\d{3})+(\.\d*)?$/.test(bare) ? bare.replaceAll(',', '') : bare;
  return plain.replace(/^\./, '0.').replace(/\.$/, '');
}

/** Returns why a text is not a dollar amount with at most `places` decimal places, in words; null if it is one. */
export function amountFault(text: string, places: number): string | null {
  const amount = amountOf(text);
  if (amount === '') return 'Enter an amount, such as 2.50';
  if (!/^\d{1,9}(\.\d+)?$/.test(amount)) return 'Enter an amount in US dollars, such as 2.50';
  if ((amount.split('.')[1]?.length ?? 0) > places) return `Use up to ${places} decimal places`;
  return null;
}

/** Returns how many more leads a balance pays for; null if leads cost nothing. Both are in micro-dollars. */
export function leadsLeft(balance: number, price: number): number | null {
  return price > 0 ? Math.max(0, Math.floor(balance / price)) : null;
}

/** Describes a campaign's status, with the reason, in words. */
export function statusWords(campaign: Pick<Campaign, 'status' | 'state_reason'>): string {
  if (campaign.status === 'paused' && campaign.state_reason === 'balance_empty') return 'Balance used up';
  if (campaign.status === 'paused' && campaign.state_reason === 'below_cost') return 'Price update needed';
  if (campaign.status === 'paused' && campaign.state_reason?.startsWith('cap_')) return 'Limit reached';
  if (campaign.status === 'paused' && campaign.state_reason === 'payment_failed') return 'Payment failed';
  if (campaign.status === 'paused' && campaign.state_reason === 'agency_unpaid')
    return 'Agency payment failed';
  if (campaign.status === 'paused' && campaign.state_reason === 'agency_paused') return 'Paused by agency';
  if (campaign.status === 'paused' && campaign.state_reason === 'cancelled') return 'Subscription ended';
  if (campaign.status === 'paused' && campaign.state_reason === 'billing_changed') return 'Billing changed';
  if (campaign.status === 'paused' && campaign.state_reason === 'company_removed') return 'Company removed';
  return { active: 'Active', paused: 'Paused', archived: 'Archived', removed: 'Removed' }[campaign.status];
}

/**
 * Describes what is known about the pixel on the site: a tone and words. A visit proves that it works, no matter what a
 * check found, until the site goes silent.
 */
export function pixelState(
  campaign: Pick<Campaign, 'pixel_check' | 'last_visit_at' | 'silent_since'>,
  now: Date,
): {
  tone: 'good' | 'warn' | 'bad' | 'plain';
  words: string;
} {
  if (campaign.silent_since)
    return { tone: 'warn', words: `Silent since ${shortDay(campaign.silent_since, now)}` };
  if (campaign.last_visit_at || campaign.pixel_check === 'found') return { tone: 'good', words: 'Found' };
  if (campaign.pixel_check === 'blocked') return { tone: 'warn', words: 'Blocked' };
  if (campaign.pixel_check === 'not_found') return { tone: 'bad', words: 'Not found' };
  return { tone: 'plain', words: 'Not seen yet' };
}

export type CampaignAction = 'activate' | 'pause' | 'archive' | 'restore' | 'remove';

/** Returns what can be done with a campaign in its current state. */
export function actionsOf(status: Campaign['status']): CampaignAction[] {
  if (status === 'active') return ['pause', 'archive', 'remove'];
  if (status === 'paused') return ['activate', 'archive', 'remove'];
  if (status === 'archived') return ['restore', 'remove'];
  return [];
}

/** Returns the campaign's name in quotation marks, truncated if it would fill a modal's title. */
export function quoted({ campaign_name: campaignName }: Pick<Campaign, 'campaign_name'>): string {
  return `“${campaignName.length > 60 ? `${campaignName.slice(0, 57).trimEnd()}…` : campaignName}”`;
}
