import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { prepaidMessages } from '../../../../contract/money/prepaid-messages.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { Campaigns } from '../../campaigns/campaigns/index.ts';
import type { Billing } from '../billing/index.ts';
import type { Payments } from '../payments/index.ts';
import { FREE, type Pricing } from '../pricing/index.ts';
import type { ClientOwner } from './book.ts';
import type { Wish } from './policy.ts';

export type CampaignRow = NonNullable<Awaited<ReturnType<Campaigns['visible']>>>;

export const ownerOf = (row: { root_id: string; agency_id: string; company_id: string }): ClientOwner => ({
  root_id: row.root_id,
  agency_id: row.agency_id,
  company_id: row.company_id,
});

/** The payment terms of a campaign at an instant. */
export type Terms = Wish & Pick<typeof FREE, 'term' | 'topup'> & { setup: bigint; month: bigint };

/** The payment terms of campaigns at an instant; a campaign without any costs set is free. */
export async function termsOf(
  pricing: Pricing,
  tx: Tx,
  ids: string[],
  at: Date,
): Promise<(id: string) => Terms> {
  const rows = new Map((await pricing.retailOf(tx, ids, at)).map((row) => [row.campaign_id, row]));
  const prices = await pricing.leadPrices(tx, ids, at);
  return (id) => {
    const row = rows.get(id) ?? FREE;
    return {
      term: row.term,
      leads: row.leads_buy ?? 0,
      price: prices.get(id) ?? 0n,
      topup: row.topup,
      continual: row.topup === 'continual' && row.term === 'Prepaid',
      setup: row.setup_micros,
      month: row.month_micros,
    };
  };
}

/**
 * Why a client's card can't currently be charged for a campaign; null if it can. `retries`: the client can't fix it.
 * Reads in the scope of the root.
 */
export async function cardRefusal(
  { billing, payments }: { billing: Billing; payments: Payments },
  tx: Tx,
  owner: ClientOwner,
): Promise<{ words: string; retries: boolean } | null> {
  if ((await billing.accounts.terms(tx, owner.agency_id)).manual_bill)
    return { words: prepaidMessages.manual, retries: true };
  try {
    await payments.cards.chargeable(tx, owner);
    return null;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { words: error.message, retries: error.message !== ownMessages.noCard };
  }
}
