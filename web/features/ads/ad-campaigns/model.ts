import { CHANNELS, type Channel, GOAL_TYPES, type GoalType } from '../../../../contract/ads/ad-rules.ts';
import { MOST_AD_ZIPS } from '../../../../contract/ads/area-rules.ts';
import type { Client } from '../../../../contract/index.ts';
import { num } from '../../../ui/format.ts';
import { type AreaDraft, areaOf, draftFault, draftOf } from './areas.ts';

export type AdCampaign = Awaited<ReturnType<Client['adCampaigns']['details']>>;
export type AdCampaignRow = Awaited<ReturnType<Client['adCampaigns']['list']>>['data'][number];

/** An ad campaign's settings as the form holds them; unset values are empty strings. */
export interface AdValues {
  company_id: string;
  campaign_name: string;
  channel: Channel;
  max_bid: string;
  daily_budget: string;
  monthly_budget: string;
  total_budget: string;
  goal_type: GoalType | '';
  goal_value: string;
  agency_markup: number | string;
  starts_on: string;
  ends_on: string;
  frequency_cap: number | string;
  frequency_hours: number | string;
  click_days: number | string;
  view_hours: number | string;
  states: string[];
  cities: string[];
  zips: string;
  areas: AreaDraft[];
  audiences: string[];
  excluded_audiences: string[];
}

export const NEW_AD: AdValues = {
  company_id: '',
  campaign_name: '',
  channel: CHANNELS[0],
  max_bid: '5.00',
  daily_budget: '20.00',
  monthly_budget: '600.00',
  total_budget: '',
  goal_type: '',
  goal_value: '',
  agency_markup: 0,
  starts_on: '',
  ends_on: '',
  frequency_cap: '',
  frequency_hours: 24,
  click_days: 30,
  view_hours: 24,
  states: [],
  cities: [],
  zips: '',
  areas: [],
  audiences: [],
  excluded_audiences: [],
};

/** The form's values of a campaign. */
export const adValuesOf = (ad: AdCampaign): AdValues => ({
  company_id: ad.company_id,
  campaign_name: ad.campaign_name,
  channel: ad.channel,
  max_bid: ad.max_bid,
  daily_budget: ad.daily_budget,
  monthly_budget: ad.monthly_budget,
  total_budget: ad.total_budget ?? '',
  goal_type: ad.goal_type ?? '',
  goal_value: ad.goal_value ?? '',
  agency_markup: ad.agency_markup === null ? '' : Number(ad.agency_markup),
  starts_on: ad.starts_on ?? '',
  ends_on: ad.ends_on ?? '',
  frequency_cap: ad.frequency_cap ?? '',
  frequency_hours: ad.frequency_hours,
  click_days: ad.click_days,
  view_hours: ad.view_hours,
  states: ad.states,
  cities: ad.cities,
  zips: ad.zips.join('\n'),
  areas: ad.areas.map(draftOf),
  audiences: ad.audiences,
  excluded_audiences: ad.excluded_audiences,
});

/** What the form sends. */
export const adInputOf = (values: AdValues, mayPrice: boolean) => ({
  campaign_name: values.campaign_name,
  max_bid: values.max_bid,
  daily_budget: values.daily_budget,
  monthly_budget: values.monthly_budget,
  total_budget: values.total_budget || null,
  goal_type: values.goal_type || null,
  goal_value: (values.goal_type && values.goal_value) || null,
  ...(mayPrice ? { agency_markup: String(values.agency_markup || 0) } : {}),
  starts_on: values.starts_on || null,
  ends_on: values.ends_on || null,
  frequency_cap: values.frequency_cap === '' ? null : Number(values.frequency_cap),
  frequency_hours: Number(values.frequency_hours),
  click_days: Number(values.click_days),
  view_hours: Number(values.view_hours),
  states: values.states,
  cities: values.cities,
  zips: zipsIn(values.zips),
  areas: values.areas.map(areaOf),
  audiences: values.audiences,
  excluded_audiences: values.excluded_audiences,
});

/** The ZIP codes of a text, each once. */
export const zipsIn = (text: string): string[] => [...new Set(text.split(/\D+/).filter(Boolean))];

const amount = (text: string): string | null => (Number(text) > 0 ? null : 'Enter an amount above 0');

/** What is wrong with a value, by field. */
export const AD_RULES = {
  campaign_name: (value: string) => (value.trim() ? null : 'Enter a name'),
  max_bid: amount,
  daily_budget: amount,
  monthly_budget: (value: string, values: AdValues) =>
    amount(value) ??
    (Number(value) < Number(values.daily_budget) ? 'Must be at least the daily budget' : null),
  goal_value: (value: string, values: AdValues) => (values.goal_type ? amount(value) : null),
  zips: (value: string) => {
    const zips = zipsIn(value);
    const wrong = zips.find((zip) => !/^\d{5}$/.test(zip));
    if (wrong) return `${wrong} must be five digits`;
    return zips.length > MOST_AD_ZIPS
      ? `${num(zips.length)} ZIP codes. The most is ${num(MOST_AD_ZIPS)}`
      : null;
  },
  areas: (drafts: AreaDraft[]) => {
    const wrong = drafts.find((draft) => draftFault(draft) !== null);
    return wrong ? `${wrong.name || 'An area'} ${draftFault(wrong)}` : null;
  },
};

export const isGoal = (value: string | null): value is GoalType => GOAL_TYPES.some((one) => one === value);
