import type { Client } from '../../../../contract/index.ts';

type Campaign = Awaited<ReturnType<Client['campaigns']['get']>>;

/** A day, week, or month: for a lead limit, and for reports. */
export type Frequency = Campaign['LimitLeadFreq'];

export const FREQUENCY_WORDS: Record<Frequency, string> = {
  day: 'Day',
  week: 'Week (starts Monday)',
  month: 'Month',
};

/** When reports are sent, and 'none'. */
export type ReportFrequency = Campaign['reportFreq'];
export const REPORT_WORDS: Record<ReportFrequency | 'none', string> = {
  none: 'No reports',
  lead: 'As leads come in',
  hour: 'Every hour with leads',
  day: 'Every day',
  week: 'Every Monday',
  month: 'On the first of each month',
};

/** What reports contain, in words. */
export type ReportType = Exclude<Campaign['reportType'], 'none'>;
export const REPORT_TYPE_WORDS: Record<ReportType, string> = {
  link: 'A link to the leads',
  details: 'Details of up to 20 leads',
  CSV: 'A CSV file',
};

/** The fields of contract/campaigns/campaign-fields.ts as the form holds them, with one address per line. */
export interface MoreValues {
  companyGroupID: string;
  LimitLeadFreq: Frequency;
  LimitLeadStart: string;
  LimitLeadEnd: string;
  enableMinimumLimitLeads: boolean;
  minimumLimitLeads: number | string;
  leadsAmountNotification: number | string;
  adminNotifyTo: string;
  /** 'none', or how often. */
  report: ReportFrequency | 'none';
  reportType: ReportType;
  reportSentTo: string;
}

export const NEW_MORE: MoreValues = {
  companyGroupID: '',
  LimitLeadFreq: 'day',
  LimitLeadStart: '',
  LimitLeadEnd: '',
  enableMinimumLimitLeads: false,
  minimumLimitLeads: '',
  leadsAmountNotification: '',
  adminNotifyTo: '',
  report: 'none',
  reportType: 'link',
  reportSentTo: '',
};

export const moreOf = (campaign: Campaign): MoreValues => ({
  companyGroupID: campaign.companyGroupID ?? '',
  LimitLeadFreq: campaign.LimitLeadFreq,
  LimitLeadStart: campaign.LimitLeadStart ?? '',
  LimitLeadEnd: campaign.LimitLeadEnd ?? '',
  enableMinimumLimitLeads: campaign.enableMinimumLimitLeads === 'T',
  minimumLimitLeads: campaign.minimumLimitLeads ?? '',
  leadsAmountNotification: campaign.leadsAmountNotification ?? '',
  adminNotifyTo: campaign.adminNotifyTo.join('\n'),
  report: campaign.reportType === 'none' ? 'none' : campaign.reportFreq,
  reportType: campaign.reportType === 'none' ? 'link' : campaign.reportType,
  reportSentTo: campaign.reportSentTo.join('\n'),
});

/** Whether two forms have the same minimum limit. */
export const sameMinimum = (a: MoreValues, b: MoreValues): boolean =>
  a.enableMinimumLimitLeads === b.enableMinimumLimitLeads && a.minimumLimitLeads === b.minimumLimitLeads;

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
    companyGroupID: values.companyGroupID,
    LimitLeadFreq: values.LimitLeadFreq,
    LimitLeadStart: values.LimitLeadStart,
    LimitLeadEnd: values.LimitLeadEnd,
    ...(withMinimum
      ? {
          enableMinimumLimitLeads: values.enableMinimumLimitLeads ? ('T' as const) : ('F' as const),
          minimumLimitLeads: numberOf(values.minimumLimitLeads),
        }
      : {}),
    leadsAmountNotification: numberOf(values.leadsAmountNotification),
    adminNotifyTo: addressesOf(values.adminNotifyTo),
    ...(values.report === 'none'
      ? { reportType: 'none' as const }
      : { reportType: values.reportType, reportFreq: values.report }),
    reportSentTo: addressesOf(values.reportSentTo),
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
  LimitLeadEnd: (value: string, all: MoreValues) =>
    value && all.LimitLeadStart && value < all.LimitLeadStart
      ? 'Choose a day on or after the first day'
      : null,
  minimumLimitLeads: (value: number | string, all: MoreValues) =>
    all.enableMinimumLimitLeads && value === '' ? 'Enter the minimum limit' : countFault(value),
  leadsAmountNotification: countFault,
  adminNotifyTo: (value: string, all: MoreValues) =>
    addressesFault(value, all.leadsAmountNotification !== ''),
  reportSentTo: (value: string, all: MoreValues) => addressesFault(value, all.report !== 'none'),
};
