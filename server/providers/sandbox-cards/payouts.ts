import {
  GatewayError,
  type ListedPayout,
  type PaymentGateway,
  type PayoutPart,
} from '../../platform/payments.ts';
import { outcomeNow, stateOf } from './charges.ts';
import type { Network } from './network.ts';
import type { SandboxTx } from './store.ts';

const DAY_MS = 86_400_000;
/** How long a payout takes to reach the bank. */
const ON_ITS_WAY_MS = 2 * DAY_MS;

interface Day {
  /** The midnight (UTC) at which it is sent. */
  at: Date;
  parts: PayoutPart[];
}

const netOf = (parts: PayoutPart[]): number =>
  parts.reduce((sum, part) => sum + part.amountCents - part.feeCents, 0);

/**
 * Payouts: at each midnight (UTC), what came in the day before is sent to the bank, less fees and refunds. A negative
 * total waits for the next day. Payouts are derived from the charges, so none of them are stored.
 */
export function createPayouts({
  store,
  clock,
}: Network): Pick<PaymentGateway, 'listPayouts' | 'payoutParts'> {
  /** An account's movements, oldest first. */
  async function movements(tx: SandboxTx, account: string): Promise<PayoutPart[]> {
    const now = clock.now().toISOString();
    const parts: PayoutPart[] = [];
    for (const customer of await tx.list('customer', account))
      for (const charge of await tx.list('charge', customer.id)) {
        if (outcomeNow(charge, now).status !== 'succeeded') continue;
        const about = { charge: charge.id, description: charge.description };
        parts.push({
          ...about,
          kind: 'charge',
          amountCents: charge.amountCents,
          feeCents: charge.applicationFeeCents,
          at: new Date(charge.createdAt),
        });
        for (const refund of await tx.list('refund', charge.id))
          if (stateOf(refund, now) !== 'failed')
            parts.push({
              ...about,
              kind: 'refund',
              amountCents: -refund.amountCents,
              // The platform returns its share.
              feeCents:
                0 - Math.round((charge.applicationFeeCents * refund.amountCents) / charge.amountCents),
              at: new Date(refund.createdAt),
            });
      }
    return parts.sort((a, b) => a.at.getTime() - b.at.getTime());
  }

  async function payouts(tx: SandboxTx, account: string): Promise<Map<string, Day>> {
    const sent = new Map<string, Day>();
    let waiting: Day | undefined;
    const close = (): void => {
      if (!waiting || waiting.at > clock.now() || netOf(waiting.parts) <= 0) return;
      sent.set(`po_sandbox_${account || 'platform'}_${waiting.at.toISOString().slice(0, 10)}`, waiting);
      waiting = undefined;
    };
    for (const part of await movements(tx, account)) {
      const at = new Date((Math.floor(part.at.getTime() / DAY_MS) + 1) * DAY_MS);
      if (waiting && waiting.at.getTime() !== at.getTime()) close();
      waiting = { at, parts: [...(waiting?.parts ?? []), part] };
    }
    close();
    return sent;
  }

  return {
    listPayouts: ({ account = '', since }) =>
      store.transaction(async (tx) =>
        [...(await payouts(tx, account))]
          .filter(([, { at }]) => at >= since)
          .map(([payout, { at, parts }]): ListedPayout => {
            const arrivesAt = new Date(at.getTime() + ON_ITS_WAY_MS);
            const status = arrivesAt <= clock.now() ? 'paid' : 'pending';
            return { payout, amountCents: netOf(parts), status, createdAt: at, arrivesAt };
          })
          .reverse(),
      ),

    payoutParts: ({ account = '', payout }) =>
      store.transaction(async (tx) => {
        const found = (await payouts(tx, account)).get(payout);
        if (!found) throw new GatewayError('not_found', `No such payout: ${payout}`, 'payout');
        return found.parts;
      }),
  };
}
