import type { Client } from '../../../contract/index.ts';
import { LOCALE, prettyCode } from '../../ui/format.ts';
import type { Tone } from '../../ui/StatusBadge.tsx';

export type Row = Awaited<ReturnType<Client['invoices']['list']>>['data'][number];
export type Invoice = Awaited<ReturnType<Client['invoices']['one']>>;
export type Filter = 'open' | 'failing' | 'paid' | 'uncollectible';

/** What the list can be narrowed to, in the order of its pills. */
export const FILTERS: readonly [Filter, string][] = [
  ['open', 'Open'],
  ['failing', 'Failing'],
  ['paid', 'Paid'],
  ['uncollectible', 'Uncollectible'],
];

/** How an invoice stands: a word and its color. */
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

/** What an invoice is, in words: 'Weekly invoice'. */
export const kindWords = (row: Pick<Row, 'kind' | 'term'>): string =>
  row.kind === 'period' && row.term ? `${row.term} invoice` : kinds[row.kind];

/** The first and the last day of a period, whose end is the moment after it, in the zone in which its days are meant. */
export function periodWords(from: string | null, to: string | null, timeZone: string): string {
  if (!to) return '';
  const format = new Intl.DateTimeFormat(LOCALE, {
    timeZone,
    year: 'numeric',
    month: 'short',
    day: 'numeric',
  });
  const last = new Date(Date.parse(to) - 1);
  // The thin spaces of the browser's own ranges differ from one to the next.
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
/** How a try to charge the card ended. */
export const attemptWords = (state: keyof typeof attempts) => attempts[state];

/** 'visa 4242' as people say it. */
export const cardWords = (card: string): string =>
  card ? prettyCode(card.replace(' ', ' ending in ')) : 'No card';
