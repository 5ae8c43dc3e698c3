import type { Client } from '../../../contract/index.ts';
import { exactTime, money, num } from '../../ui/format.ts';
import type { Tone } from '../../ui/StatusBadge.tsx';

/** How a campaign's balance is bought, what is left of it, and what a purchase has come to, as the server tells it. */
export type CurrentTopUp = Awaited<ReturnType<Client['prepaid']['current']>>;
export type Remaining = Awaited<ReturnType<Client['prepaid']['remaining']>>;
export type Bought = Awaited<ReturnType<Client['prepaid']['topUp']>>;
type Purchase = CurrentTopUp['data'][number];

export const leadWords = (count: number): string => (count === 1 ? '1 lead' : `${num(count)} leads`);

/** Whether leads of a payment term are paid in advance. */
export const isPrepaid = (term: string): boolean => term === 'Prepaid' || term === 'One Time';

/** Whether something of it is under way, so that the answer will change by itself. */
export const isUnderWay = (current: CurrentTopUp): boolean =>
  current.status === 'due' ||
  current.status === 'charging' ||
  current.data.some(({ status }) => status === 'charging');

/** How the continual top-up stands, in words. */
export function standing(current: CurrentTopUp): string {
  const { status, leadsbuy, amount_micros, renews_below_micros, next_try, reason } = current;
  const order =
    leadsbuy !== null && amount_micros !== null ? `${leadWords(leadsbuy)} for ${money(amount_micros)}` : '';
  if (status === 'due' || status === 'charging') return `Buying ${order} at the moment.`;
  if (current.topupoptions === 'onetime') return 'Off. Leads are bought only when somebody does it here.';
  if (status === 'waiting' && next_try) return `${reason} It is tried again on ${exactTime(next_try)}.`;
  if (status === 'stopped') return `Stopped: ${reason} It goes on when leads are bought here.`;
  if (renews_below_micros === null) return 'It cannot buy: the leads of this campaign cost nothing.';
  if (status === 'armed')
    return `${order} are bought by the card on file whenever the balance falls below ${money(renews_below_micros)}.`;
  return `It begins with the next purchase: then ${order} are bought whenever the balance falls below ${money(renews_below_micros)}.`;
}

/** The state of a purchase, as a tone and words. */
export function purchaseState(one: Purchase): { tone: Tone; words: string } {
  if (one.status === 'succeeded' && one.refunded_micros > 0)
    return { tone: 'good', words: 'Partly given back' };
  const states: Record<Purchase['status'], { tone: Tone; words: string }> = {
    charging: { tone: 'info', words: 'Under way' },
    succeeded: { tone: 'good', words: 'Paid' },
    declined: { tone: 'bad', words: 'Declined' },
    refused: { tone: 'warn', words: 'Not tried' },
    refunded: { tone: 'plain', words: 'Given back' },
    disputed: { tone: 'bad', words: 'Disputed' },
  };
  return states[one.status];
}
