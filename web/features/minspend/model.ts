import { dollarsOf, microsOf } from '../../../contract/dollars.ts';
import { messages } from '../../../contract/messages.ts';
import { currencyFault, currencyPlain } from '../../ui/currency.ts';
import { money } from '../../ui/format.ts';

/** An amount of dollars in words: '250' -> '$250.00'. */
export const amountWords = (dollars: string): string => money(microsOf(dollars));

/** Why an amount of whole cents cannot be this; null when it can. */
export function centsFault(text: string): string | null {
  return text.trim() === '' ? messages.onboardInvalid : currencyFault(text, 2);
}

/** An amount as the calls take it, of one that `centsFault` lets through. */
export const cents = (text: string): string => dollarsOf(microsOf(currencyPlain(text)));

const ORDINALS = ['First', 'Second', 'Third', 'Fourth', 'Fifth', 'Sixth', 'Seventh', 'Eighth', 'Ninth'];

/** What a plan's field for a month is called; counted from 0. */
export const monthLabel = (at: number): string =>
  ORDINALS[at] ? `${ORDINALS[at]} month` : `Month ${at + 1}`;

/** What a plan asks, in one line: '$0.00, $250.00, then $349.00'. */
export const planWords = (months: readonly string[], flat: string): string =>
  months.length === 0
    ? `${amountWords(flat)} each month`
    : `${months.map(amountWords).join(', ')}, then ${amountWords(flat)}`;

/** What an agency is told before a month ends below its minimum; null: nothing (yet). */
export function noticeOf(
  progress: {
    amount_micros: number | null;
    spent_micros: number;
    shortfall_micros: number;
    days_left: number;
    minspend_setting: { status: boolean };
  },
  days = 7,
): { title: string; text: string } | null {
  const { amount_micros: asked, spent_micros: spent, shortfall_micros: lacks, days_left } = progress;
  if (!progress.minspend_setting.status || asked === null || lacks === 0 || days_left >= days) return null;
  const left =
    days_left === 1 ? 'This is the last day of the month' : `${days_left} days of the month are left`;
  return {
    title: `${money(Math.max(0, spent))} of ${money(asked)} this month`,
    text: `${left}. What is missing when it ends, ${money(lacks)} at present, is invoiced as your minimum spend.`,
  };
}
