import type { Client } from '../../../../contract/index.ts';
import { LOCALE, prettyCode } from '../../../ui/format.ts';
import type { Tone } from '../../../ui/StatusBadge.tsx';

export type Row = Awaited<ReturnType<Client['invoices']['list']>>['data'][number];
export type Invoice = Awaited<ReturnType<Client['invoices']['one']>>;
export type Filter = 'open' | 'failing' | 'paid' | 'uncollectible';

/** The list's filters, in the order of their pills. */
export const FILTERS: readonly [Filter, string][] = [
  ['open', 'Open'],
  ['failing', 'Failing'],
  ['paid', 'Paid'],
  ['uncollectible', 'Uncollectible'],
];

/** Returns an invoice's status: a word and its color. */
export function standing(row: Pick<Row, 'status' | 'is_failing'>): { word: string; tone: Tone } {
  if (row.status === 'open')
    return row.is_failing ? { word: 'Failing', tone: 'bad' } : { word: 'Open', tone: 'info' };
  if (row.status === 'paid') return { word: 'Paid', tone: 'good' };
  return { word: prettyCode(row.status), tone: 'warn' };
}

const kinds: Record<Row['kind'], string> = {
  period: 'Invoice',
  to_date: 'To-date bill',
  receipt: 'Top-up receipt',
  onboarding: 'Onboarding',
  developer: 'Developer API',
  minimum_spend: 'Minimum spend',
  subscription: 'Subscription',
};

/** Describes the type of an invoice: 'Weekly invoice'. */
export const kindWords = (row: Pick<Row, 'kind' | 'term'>): string =>
  row.kind === 'period' && row.term ? `${row.term} invoice` : kinds[row.kind];

/** Formats the first and the last day of a period, whose end is exclusive, in the time zone that its days refer to. */
export function periodWords(from: string | null, to: string | null, timeZone: string): string {
  if (!to) return '';
  const format = new Intl.DateTimeFormat(LOCALE, {
    timeZone,
    year: 'numeric',
    month: 'short',
    day: 'numeric',
  });
  const last = new Date(Date.parse(to) - 1);
  // Browsers use different thin spaces in their ranges.
  return (from ? format.formatRange(new Date(from), last) : `through ${format.format(last)}`).replaceAll(
    /[\u2009\u202f]/g,
    ' ',
  );
}

const attempts: Record<Invoice['attempts'][number]['state'], { word: string; tone: Tone }> = {
  under_way: { word: 'In progress', tone: 'info' },
  succeeded: { word: 'Paid', tone: 'good' },
  declined: { word: 'Declined', tone: 'bad' },
  refunded: { word: 'Refunded', tone: 'plain' },
  disputed: { word: 'Disputed', tone: 'warn' },
};
/** Describes the result of an attempt to charge the card. */
export const attemptWords = (state: keyof typeof attempts) => attempts[state];

/** Formats 'visa 4242' the way people say it. */
export const cardWords = (card: string): string =>
  card ? prettyCode(card.replace(' ', ' ending in ')) : 'No card';
