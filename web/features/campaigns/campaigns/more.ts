import type { Client } from '../../../../contract/index.ts';

type Campaign = Awaited<ReturnType<Client['campaigns']['get']>>;

/** A day, week, or month: for a lead limit, and for reports. */
export type Frequency = Campaign['limit_every'];

export const FREQUENCY_WORDS: Record<Frequency, string> = {
  day: 'Day',
  week: 'Week (starts Monday)',
  month: 'Month',
};

/** When reports are sent, and 'none'. */
export type ReportFrequency = Campaign['report_every'];
export const REPORT_WORDS: Record<ReportFrequency | 'none', string> = {
  none: 'No reports',
  lead: 'As leads come in',
  hour: 'Every hour with leads',
  day: 'Every day',
  week: 'Every Monday',
  month: 'On the first of each month',
};

/** What reports contain, in words. */
export type ReportType = Exclude<Campaign['report_type'], 'none'>;
export const REPORT_TYPE_WORDS: Record<ReportType, string> = {
  link: 'A link to the leads',
  details: 'Details of up to 20 leads',
  CSV: 'A CSV file',
};

/** The fields of contract/campaigns/campaign-fields.ts as the form holds them, with one address per line. */
export interface MoreValues {
  group_id: string;
  limit_every: Frequency;
  limit_starts_on: string;
  limit_ends_on: string;
  has_minimum_limit: boolean;
  minimum_limit: number | string;
  notify_every: number | string;
  notify_to: string;
  /** 'none', or how often. */
  report: ReportFrequency | 'none';
  report_type: ReportType;
  report_to: string;
}

export const NEW_MORE: MoreValues = {
  group_id: '',
  limit_every: 'day',
  limit_starts_on: '',
  limit_ends_on: '',
  has_minimum_limit: false,
  minimum_limit: '',
  notify_every: '',
  notify_to: '',
  report: 'none',
  report_type: 'link',
  report_to: '',
};

export const moreOf = (campaign: Campaign): MoreValues => ({
  group_id: campaign.group_id ?? '',
  limit_every: campaign.limit_every,
  limit_starts_on: campaign.limit_starts_on ?? '',
  limit_ends_on: campaign.limit_ends_on ?? '',
  has_minimum_limit: campaign.has_minimum_limit === 'T',
  minimum_limit: campaign.minimum_limit ?? '',
  notify_every: campaign.notify_every ?? '',
  notify_to: campaign.notify_to.join('\n'),
  report: campaign.report_type === 'none' ? 'none' : campaign.report_every,
  report_type: campaign.report_type === 'none' ? 'link' : campaign.report_type,
  report_to: campaign.report_to.join('\n'),
});

/** Whether two forms have the same minimum limit. */
export const sameMinimum = (a: MoreValues, b: MoreValues): boolean =>
  a.has_minimum_limit === b.has_minimum_limit && a.minimum_limit === b.minimum_limit;

const numberOf = (value: number | string): number | null => (value === '' ? null : Number(value));

/** Extracts email addresses from typed or pasted text, each once. */
export const addressesOf = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\s,;]+/)
      .map((one) => one.toLowerCase())
      .filter(Boolean),
  ),
];

/**
 * Returns the fields as the calls take them. `withMinimum`: only users who may set a price may set the minimum limit.
 */
export function moreInputOf(values: MoreValues, withMinimum: boolean) {
  return {
    group_id: values.group_id,
    limit_every: values.limit_every,
    limit_starts_on: values.limit_starts_on,
    limit_ends_on: values.limit_ends_on,
    ...(withMinimum
      ? {
          has_minimum_limit: values.has_minimum_limit ? ('T' as const) : ('F' as const),
          minimum_limit: numberOf(values.minimum_limit),
        }
      : {}),
    notify_every: numberOf(values.notify_every),
    notify_to: addressesOf(values.notify_to),
    ...(values.report === 'none'
      ? { report_type: 'none' as const }
      : { report_type: values.report_type, report_every: values.report }),
    report_to: addressesOf(values.report_to),
  };
}

const countFault = (value: number | string): string | null =>
  value === '' || (Number.isInteger(Number(value)) && Number(value) >= 1 && Number(value) <= 1_000_000)
    ? null
    : 'Enter a whole number from 1 to 1,000,000, or leave it blank';

/** Returns what is wrong with a list of addresses; null if nothing is. */
export function addressesFault(text: string, isNeeded: boolean): string | null {
  const all = addressesOf(text);
  if (all.length === 0) return isNeeded ? 'Enter at least one email address' : null;
  if (all.length > 10) return 'Enter up to 10 addresses';
  const wrong = all.find((one) => one.length > 70 || !/^[^@]+@[^@]+\.[^@.]{2,}$/.test(one));
  return wrong ? `“${wrong}” is not a valid email address` : null;
}

/** The rules that the form checks itself; the server has the final say. */
export const MORE_RULES = {
  limit_ends_on: (value: string, all: MoreValues) =>
    value && all.limit_starts_on && value < all.limit_starts_on
      ? 'Choose a day on or after the first day'
      : null,
  minimum_limit: (value: number | string, all: MoreValues) =>
    all.has_minimum_limit && value === '' ? 'Enter the minimum limit' : countFault(value),
  notify_every: countFault,
  notify_to: (value: string, all: MoreValues) => addressesFault(value, all.notify_every !== ''),
  report_to: (value: string, all: MoreValues) => addressesFault(value, all.report !== 'none'),
};
