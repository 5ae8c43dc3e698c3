import { microsOf } from '../../../../contract/dollars.ts';
import type { api } from '../../../api/client.ts';
import { currencyFault, currencyPlain, isBelow } from '../../../ui/currency.ts';
import { money } from '../../../ui/format.ts';

export type Limit = Awaited<ReturnType<typeof api.spendingLimits.list>>['data'][number];
export type Subject = Limit['subject'];

/** Returns a limit's name in the address: subject, period, and who set it. */
export const keyOf = (limit: Pick<Limit, 'subject_id' | 'period' | 'set_by'>): string =>
  `${limit.subject_id}.${limit.period}.${limit.set_by}`;

export const PERIOD_WORDS: Record<Limit['period'], string> = { day: 'a day', month: 'a month' };

/** Describes what a limit applies to: 'Data Wallet', 'All campaigns of Acme', or the campaign's name. */
export const nameOf = (limit: Pick<Limit, 'subject' | 'name'>): string =>
  limit.subject === 'wallet'
    ? 'Data Wallet'
    : limit.subject === 'client'
      ? `All campaigns of ${limit.name}`
      : limit.name;

export interface LimitValues {
  subject: Subject;
  subject_id: string;
  period: Limit['period'];
  hard: string;
  soft: string;
}

/** Returns what is wrong with a limit, by field. */
export function limitFaults(values: LimitValues): Partial<Record<keyof LimitValues, string>> {
  const faults: Partial<Record<keyof LimitValues, string>> = {};
  if (!values.subject_id) faults.subject_id = `Choose a ${values.subject}`;
  for (const field of ['hard', 'soft'] as const) {
    const fault = values[field] && currencyFault(values[field], 6);
    if (fault) faults[field] = fault;
  }
  if (!values.hard && !values.soft) faults.hard = 'Enter an amount here or a notification amount';
  if (values.hard && values.soft && isBelow(values.hard, values.soft))
    faults.soft = 'Enter an amount up to the one at which spending stops';
  return faults;
}

/** Returns an amount as the call takes it; null if there is none. */
export const amountOf = (text: string): string | null => currencyPlain(text.trim()) || null;

/** Returns how much of a limit is used: the share of the amount that matters, and what that means. */
export function spentOf(limit: Pick<Limit, 'hard' | 'soft' | 'spent'>): {
  share: number;
  state: 'below' | 'told' | 'reached';
  words: string;
} {
  const spent = microsOf(limit.spent);
  const hard = limit.hard === null ? null : microsOf(limit.hard);
  const soft = limit.soft === null ? null : microsOf(limit.soft);
  const most = hard ?? soft ?? 0n;
  const share = most === 0n ? 1 : Math.min(1, Number(spent) / Number(most));
  const state =
    hard !== null && spent >= hard ? 'reached' : soft !== null && spent >= soft ? 'told' : 'below';
  return { share, state, words: `${money(spent)} of ${money(most)}` };
}
