import type { Client } from '../../../../contract/index.ts';
import { exactTime, money, num } from '../../../ui/format.ts';
import type { Tone } from '../../../ui/StatusBadge.tsx';

/** How a campaign's balance is bought, what is left of it, and the result of a purchase, as the server returns them. */
export type CurrentTopUp = Awaited<ReturnType<Client['prepaid']['current']>>;
export type Remaining = Awaited<ReturnType<Client['prepaid']['remaining']>>;
export type Bought = Awaited<ReturnType<Client['prepaid']['topUp']>>;
type Purchase = CurrentTopUp['data'][number];

export const leadWords = (count: number): string => (count === 1 ? '1 lead' : `${num(count)} leads`);

/** Whether leads of a payment term are paid in advance. */
export const isPrepaid = (term: string): boolean => term === 'Prepaid' || term === 'One Time';

/** Whether a purchase is in progress, so that the response will change without user action. */
export const isUnderWay = (current: CurrentTopUp): boolean =>
  current.status === 'due' ||
  current.status === 'charging' ||
  current.data.some(({ status }) => status === 'charging');

/** Describes the status of the continual top-up. */
export function standing(current: CurrentTopUp): string {
  const { status, leads_buy, amount_micros, renews_below_micros, next_try, reason } = current;
  const order =
    leads_buy !== null && amount_micros !== null ? `${leadWords(leads_buy)} for ${money(amount_micros)}` : '';
  if (status === 'due' || status === 'charging') return `Buying ${order} now.`;
  if (current.topup === 'onetime') return 'Off. Leads are bought only when someone buys them here.';
  if (status === 'waiting' && next_try) return `${reason} Next attempt: ${exactTime(next_try)}.`;
  if (status === 'stopped') return `Stopped: ${reason} It resumes when leads are bought here.`;
  if (renews_below_micros === null)
    return 'Nothing can be bought automatically because this campaign’s leads cost nothing.';
  if (status === 'armed')
    return `${order} are bought with the card on file whenever the balance falls below ${money(renews_below_micros)}.`;
  return `Starts with the next purchase. After that, ${order} are bought whenever the balance falls below ${money(renews_below_micros)}.`;
}

/** Returns the status of a purchase, as a tone and words. */
export function purchaseState(one: Purchase): { tone: Tone; words: string } {
  if (one.status === 'succeeded' && one.refunded_micros > 0)
    return { tone: 'good', words: 'Partially refunded' };
  const states: Record<Purchase['status'], { tone: Tone; words: string }> = {
    charging: { tone: 'info', words: 'In progress' },
    succeeded: { tone: 'good', words: 'Paid' },
    declined: { tone: 'bad', words: 'Declined' },
    refused: { tone: 'warn', words: 'Not attempted' },
    refunded: { tone: 'plain', words: 'Refunded' },
    disputed: { tone: 'bad', words: 'Disputed' },
  };
  return states[one.status];
}
