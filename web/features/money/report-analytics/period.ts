import type { Comparison } from '../../../../contract/money/report-analytics.ts';
import { dayWords } from '../../../ui/format.ts';

/** The periods to choose from, in months up to today; 'last': the month before this one. */
export const PERIODS = [
  { value: '12', label: 'Last 12 months' },
  { value: '24', label: 'Last 24 months' },
  { value: '3', label: 'Last 3 months' },
  { value: '1', label: 'This month' },
  { value: 'last', label: 'Last month' },
] as const;

export const COMPARE_WORDS: Record<Comparison, string> = {
  previous: 'vs. period before',
  year: 'vs. year before',
};

/** The days that are asked for, and what they are compared with. */
export interface Asked {
  starts_on: string;
  ends_on: string;
  compare: Comparison;
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const DAYS =
  /^(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))_(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))$/;

/** The period in the address: whole months, the last one as far as it has come, or ('days') the days of an email. */
export function periodOf(
  params: Record<string, string | undefined>,
  today: string,
): { value: (typeof PERIODS)[number]['value'] | 'days'; asked: Asked } {
  const [, from, to] = DAYS.exec(params.days ?? '') ?? [];
  if (from && to && from <= to)
    return {
      value: 'days',
      asked: { starts_on: from, ends_on: to, compare: params.compare === 'year' ? 'year' : 'previous' },
    };
  const { value } = PERIODS.find((one) => one.value === params.period) ?? PERIODS[0];
  const compare = params.compare === 'year' ? 'year' : 'previous';
  const [year, month] = today.split('-').map(Number);
  const first = (back: number) => Date.UTC(year!, month! - 1 - back, 1);
  const asked =
    value === 'last'
      ? { starts_on: dayOf(first(1)), ends_on: dayOf(first(0) - 86_400_000) }
      : { starts_on: dayOf(first(Number(value) - 1)), ends_on: today };
  return { value, asked: { ...asked, compare } };
}

/** A month as it is written on an axis. */
export const monthLabel = (key: string): string =>
  new Date(`${key}-15T00:00:00Z`).toLocaleDateString('en-US', {
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  });

/** The days of a month (or a day) that are within others. */
export function daysOf(key: string, asked: Pick<Asked, 'starts_on' | 'ends_on'>) {
  if (key.length > 7) return { starts_on: key, ends_on: key };
  const [year, month] = key.split('-').map(Number);
  const last = dayOf(Date.UTC(year!, month!, 0));
  return {
    starts_on: [`${key}-01`, asked.starts_on].toSorted()[1]!,
    ends_on: [last, asked.ends_on].toSorted()[0]!,
  };
}

/** Days as a choice: Mar 1, 2026 to Mar 31, 2026. */
export const spanWords = ({ starts_on, ends_on }: Pick<Asked, 'starts_on' | 'ends_on'>): string =>
  [starts_on, ends_on].map((day) => dayWords(day, { dateStyle: 'medium' })).join(' to ');
