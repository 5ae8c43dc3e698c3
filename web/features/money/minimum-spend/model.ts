import { dollarsOf, microsOf } from '../../../../contract/dollars.ts';
import { messages } from '../../../../contract/messages.ts';
import { currencyFault, currencyPlain } from '../../../ui/currency.ts';
import { money } from '../../../ui/format.ts';

/** Formats a dollar amount: '250' -> '$250.00'. */
export const amountWords = (dollars: string): string => money(microsOf(dollars));

/** Returns why a text is not an amount of whole cents; null if it is one. */
export function centsFault(text: string): string | null {
  return text.trim() === '' ? messages.onboardInvalid : currencyFault(text, 2);
}

/** Converts an amount that `centsFault` accepts to the calls' format. */
export const cents = (text: string): string => dollarsOf(microsOf(currencyPlain(text)));

const ORDINALS = ['First', 'Second', 'Third', 'Fourth', 'Fifth', 'Sixth', 'Seventh', 'Eighth', 'Ninth'];

/** Returns the label of a plan's field for a month, counted from 0. */
export const monthLabel = (at: number): string =>
  ORDINALS[at] ? `${ORDINALS[at]} month` : `Month ${at + 1}`;

/** Describes a plan's amounts in one line: '$0.00, $250.00, then $349.00'. */
export const planWords = (months: readonly string[], flat: string): string =>
  months.length === 0
    ? `${amountWords(flat)} each month`
    : `${months.map(amountWords).join(', ')}, then ${amountWords(flat)}`;

interface Progress {
  amount_micros: number | null;
  spent_micros: number;
  shortfall_micros: number;
  days_left: number;
  minimum_spend: { status: boolean };
}

/** Describes how much of the month is left. */
const leftWords = (days: number): string =>
  days === 1 ? 'Today is the last day of the month' : `${days} days left in the month`;

/** Returns an agency's progress during a month, and what follows at its end; null if no minimum applies. */
export function standOf(
  progress: Progress & { excluded_minimum_spend: 0 | 1 },
): { spent: string; asked: string; percent: number; text: string; isMet: boolean } | null {
  const { amount_micros: asked, spent_micros, shortfall_micros: lacks } = progress;
  if (!progress.minimum_spend.status || progress.excluded_minimum_spend === 1 || !asked) return null;
  const spent = Math.max(0, spent_micros);
  const left = leftWords(progress.days_left);
  return {
    spent: money(spent),
    asked: money(asked),
    // Never shows as full before the minimum is met.
    percent: lacks === 0 ? 100 : Math.min(99, Math.floor((spent / asked) * 100)),
    isMet: lacks === 0,
    text:
      lacks === 0
        ? `${left}. The minimum has been reached, so nothing is added when the month ends.`
        : `${left}. Any shortfall when it ends, currently ${money(lacks)}, is invoiced to your agency.`,
  };
}

/** Returns the warning to an agency before a month ends below its minimum; null if there is none (yet). */
export function noticeOf(progress: Progress, days = 7): { title: string; text: string } | null {
  const { amount_micros: asked, spent_micros: spent, shortfall_micros: lacks, days_left } = progress;
  if (!progress.minimum_spend.status || asked === null || lacks === 0 || days_left >= days) return null;
  return {
    title: `${money(Math.max(0, spent))} of ${money(asked)} this month`,
    text: `${leftWords(days_left)}. Any shortfall when it ends, currently ${money(lacks)}, is invoiced as your minimum spend.`,
  };
}

const dayWords = (day: string): string =>
  new Date(`${day}T12:00:00Z`).toLocaleDateString('en-US', { timeZone: 'UTC', dateStyle: 'long' });

/** Describes when an announced minimum spend would start to apply, and that nothing is charged before that. */
export const offerWords = (offer: { charged_from: string }): string =>
  `If you accept now, the first month that counts starts on ${dayWords(offer.charged_from)}. Nothing is charged for the time before that or until you accept.`;

/** Describes the amounts: for the first month that counts, and for every later month if that differs. */
export const amountsOf = (offer: { amount_micros: number; flat: string }): string =>
  microsOf(offer.flat) === BigInt(offer.amount_micros)
    ? `${money(offer.amount_micros)} a month`
    : `${money(offer.amount_micros)} for the first month, then ${amountWords(offer.flat)} a month`;
