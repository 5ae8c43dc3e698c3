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
import { type AudienceValues, audienceOf, NEW_AUDIENCE } from './audience.ts';
import { type MoreValues, moreInputOf, moreOf, NEW_MORE, sameMinimum } from './more.ts';
import { NEW_TARGET, type TargetValues, targetOf } from './target.ts';

/** A campaign as the server returns it. */
export type Campaign = Awaited<ReturnType<Client['campaigns']['get']>>;
/** A campaign in a list: without what may be too long for one, such as 40,000 zip codes. */
export type CampaignRow = Awaited<ReturnType<Client['campaigns']['list']>>['data'][number];

/** Whether a module's campaigns use keywords instead of a site. */
export const isSearch = (module: Campaign['leadspeekType']): boolean => module !== 'local';

/** The campaign's settings as the form holds them; unset values are empty strings. */
export interface CampaignValues extends TargetValues, MoreValues, AudienceValues, RuleInputs {
  leadspeekType: Campaign['leadspeekType'];
  locatordesc: string;
  companyID: string;
  campaignName: string;
  urlCode: string;
  urlCodeThankyou: string;
  /** One per line. */
  siteHosts: string;
  LimitLead: number | string;
  startDate: string;
  endDate: string;
  advanceInformation: number[];
  b2bInformation: number[];
  CostSet: string;
  CostSetAdvanced: string;
  CostSetB2b: string;
  CostMaxLead: string;
  CostMonth: string;
  PlatformFee: string;
  PaymentTerm: Campaign['PaymentTerm'] | '';
  topupoptions: Campaign['topupoptions'] | '';
  leadsbuy: number | string;
  effective_from: string;
}

export type CampaignFormState = UseFormReturnType<CampaignValues>;

/** The amounts of a campaign's costs, by field. */
export const AMOUNTS = [
  'CostSet',
  'CostSetAdvanced',
  'CostSetB2b',
  'CostMaxLead',
  'CostMonth',
  'PlatformFee',
] as const;

/** The form values of a campaign that does not exist yet. */
export const NEW_VALUES: CampaignValues = {
  ...NEW_TARGET,
  ...NEW_AUDIENCE,
  leadspeekType: 'local',
  locatordesc: '',
  ...NEW_MORE,
  companyID: '',
  campaignName: '',
  urlCode: '',
  urlCodeThankyou: '',
  siteHosts: '',
  ...ruleInputsOf(rulesShown(NEW_RULES)),
  LimitLead: '',
  startDate: '',
  endDate: '',
  advanceInformation: [],
  b2bInformation: [],
  CostSet: '',
  CostSetAdvanced: '',
  CostSetB2b: '',
  CostMaxLead: '',
  CostMonth: '',
  PlatformFee: '',
  PaymentTerm: '',
  topupoptions: '',
  leadsbuy: '',
  effective_from: '',
};

/** Returns the form values of a campaign. */
export function valuesOf(campaign: Campaign): CampaignValues {
  return {
    ...targetOf(campaign),
    ...audienceOf(campaign),
    advanceInformation: campaign.advanceInformation,
    b2bInformation: campaign.b2bInformation,
    leadspeekType: campaign.leadspeekType,
    locatordesc: campaign.locatordesc,
    ...moreOf(campaign),
    companyID: campaign.company_id,
    campaignName: campaign.campaignName,
    urlCode: campaign.urlCode,
    urlCodeThankyou: campaign.urlCodeThankyou ?? '',
    siteHosts: campaign.siteHosts.join('\n'),
    ...ruleInputsOf(campaign),
    LimitLead: campaign.LimitLead ?? '',
    startDate: campaign.startDate ?? '',
    endDate: campaign.endDate ?? '',
    CostSet: campaign.CostSet,
    CostSetAdvanced: campaign.CostSetAdvanced,
    CostSetB2b: campaign.CostSetB2b,
    CostMaxLead: campaign.CostMaxLead,
    CostMonth: campaign.CostMonth,
    PlatformFee: campaign.PlatformFee,
    PaymentTerm: campaign.PaymentTerm,
    topupoptions: campaign.topupoptions,
    leadsbuy: campaign.leadsbuy ?? '',
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
  const topupoptions =
    values.PaymentTerm === 'Prepaid' || !values.PaymentTerm ? values.topupoptions : 'onetime';
  return {
    ...amounts,
    ...(values.PaymentTerm ? { PaymentTerm: values.PaymentTerm } : {}),
    ...(topupoptions ? { topupoptions } : {}),
    ...(values.PaymentTerm ? { leadsbuy: values.leadsbuy === '' ? null : Number(values.leadsbuy) } : {}),
  };
}

/** Returns the form as the calls take it. `withPrice`: only users who may set a price may send one. */
export function inputOf(values: CampaignValues, withPrice: boolean) {
  return {
    ...moreInputOf(values, withPrice),
    campaignName: values.campaignName.trim(),
    ...(values.leadspeekType === 'local'
      ? {
          urlCode: siteOf(values.urlCode),
          urlCodeThankyou: siteOf(values.urlCodeThankyou),
          siteHosts: linesOf(values.siteHosts),
        }
      : {
          locatorkeyword: values.locatorkeyword,
          locationtarget: values.locationtarget,
          locatorstate: values.locatorstate,
          locatorcity: values.locatorcity,
          locatorzip: values.locatorzip,
          locatordesc: values.locatordesc.trim(),
        }),
    ...(values.leadspeekType === 'b2b'
      ? { ...audienceOf(values), b2bInformation: values.b2bInformation }
      : { advanceInformation: values.advanceInformation }),
    ...ruleInputsSent(values),
    LimitLead: values.LimitLead === '' ? null : Number(values.LimitLead),
    startDate: values.startDate,
    endDate: values.endDate,
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
  const { LimitLead, startDate, endDate, ...input } = inputOf(values, withPrice);
  return {
    ...input,
    ...(LimitLead === null ? {} : { LimitLead }),
    ...(startDate ? { startDate } : {}),
    ...(endDate ? { endDate } : {}),
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
export function statusWords(campaign: Pick<Campaign, 'status' | 'statusReason'>): string {
  if (campaign.status === 'paused' && campaign.statusReason === 'balance_empty') return 'Balance used up';
  if (campaign.status === 'paused' && campaign.statusReason === 'below_cost') return 'Price update needed';
  if (campaign.status === 'paused' && campaign.statusReason?.startsWith('cap_')) return 'Limit reached';
  if (campaign.status === 'paused' && campaign.statusReason === 'payment_failed') return 'Payment failed';
  if (campaign.status === 'paused' && campaign.statusReason === 'agency_unpaid')
    return 'Agency payment failed';
  if (campaign.status === 'paused' && campaign.statusReason === 'agency_paused') return 'Paused by agency';
  if (campaign.status === 'paused' && campaign.statusReason === 'cancelled') return 'Subscription ended';
  if (campaign.status === 'paused' && campaign.statusReason === 'billing_changed') return 'Billing changed';
  if (campaign.status === 'paused' && campaign.statusReason === 'company_removed') return 'Company removed';
  return { active: 'Active', paused: 'Paused', archived: 'Archived', removed: 'Removed' }[campaign.status];
}

/**
 * Describes what is known about the tag on the site: a tone and words. A visit proves that it works, no matter what a
 * check found.
 */
export function pixelState(campaign: Pick<Campaign, 'pixel_check' | 'last_visit_at'>): {
  tone: 'good' | 'warn' | 'bad' | 'plain';
  words: string;
} {
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
export function quoted({ campaignName }: Pick<Campaign, 'campaignName'>): string {
  return `“${campaignName.length > 60 ? `${campaignName.slice(0, 57).trimEnd()}…` : campaignName}”`;
}
