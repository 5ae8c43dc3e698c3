import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { GatewayError, type PaymentGateway } from '../../../platform/payments.ts';
import type { Platform } from '../../../platform/platform.ts';
import { type ChargeCore, refundSeen, seen } from './charge.service.ts';
import * as store from './charge.store.ts';
import * as policy from './policy.ts';

type Stand = 'succeeded' | 'pending' | 'failed' | 'unknown';

/** Errors after which the same request may be tried again later. */
const PASSING = ['busy', 'unavailable', 'no_answer', 'credentials'];

/**
 * Refunds. The money leaves the books with the refund's row, before the provider is asked, so that no one spends it in
 * the meantime; if the refund fails, immediately or days later, the money is put back.
 */
export function createRefunds(
  { clock }: Pick<Platform, 'clock'>,
  { gateway, core }: { gateway: PaymentGateway; core: ChargeCore },
) {
  const { within, handlerOf } = core;
  const on = (account: string) => (account ? { account } : {});

  /** Applies the current state of a refund. */
  async function settle(rootId: string, id: string, answer: policy.RefundAnswer): Promise<store.RefundRow> {
    return within(rootId, async (tx) => {
      const known = await store.refundById(tx, id);
      // The charge first: everyone locks in this order.
      const charge = known && (await store.lockCharge(tx, known.charge_id));
      const row = await store.lockRefund(tx, id);
      if (!row || !charge) throw new Refusal('not_found', ownMessages.notFound);
      const at = clock.now();
      const next = policy.nextAsk(row.sent_at ?? row.created_at, at);
      switch (answer.status) {
        case 'succeeded':
        case 'pending': {
          if (row.state === 'failed') return row;
          return store.changeRefund(tx, id, {
            state: answer.status,
            provider_reference: answer.refund,
            next_ask_at: answer.status === 'pending' ? new Date(at.getTime() + 3_600_000) : null,
            settled_at: at,
          });
        }
        case 'failed': {
          if (row.state === 'failed') return row;
          const now = await store.changeRefund(tx, id, {
            state: 'failed',
            provider_reference: answer.refund || row.provider_reference,
            failure: answer.code,
            next_ask_at: null,
            settled_at: at,
          });
          const back = await store.changeCharge(tx, charge.id, {
            refunded_cents: charge.refunded_cents - row.amount_cents,
            ...(charge.state === 'refunded' ? { state: 'succeeded' as const } : {}),
          });
          await handlerOf(charge.purpose).refundFailed(tx, seen(back), refundSeen(now), at);
          return now;
        }
        case 'none':
        case 'unknown':
          return policy.refundIsOpen(row.state)
            ? store.changeRefund(tx, id, {
                ...(row.state === 'pending' ? {} : { state: 'unknown' as const }),
                next_ask_at: next,
              })
            : row;
      }
    });
  }

  async function deliver(charge: store.ChargeRow, row: store.RefundRow): Promise<store.RefundRow> {
    const sent = await within(row.root_id, (tx) =>
      store.changeRefund(tx, row.id, { sent_at: row.sent_at ?? clock.now() }),
    );
    const answer = await gateway
      .refund({
        charge: charge.provider_reference!,
        amountCents: row.amount_cents,
        idempotencyKey: row.id,
        ...on(charge.account),
      })
      .catch((error: unknown): policy.RefundAnswer => {
        if (!row.sent_at && error instanceof GatewayError && !PASSING.includes(error.code))
          return { status: 'failed', refund: '', code: error.code };
        return { status: 'unknown', why: String(error) };
      });
    return settle(sent.root_id, sent.id, answer);
  }

  const standOf = (row: store.RefundRow): Stand => (row.state === 'intended' ? 'unknown' : row.state);

  /**
   * Asks for the outcome of a refund; a refund that the provider does not know is sent again, as long as its key is
   * valid.
   */
  async function ask(rootId: string, id: string): Promise<Stand> {
    const { row, charge } = await within(rootId, async (tx) => {
      const row = await store.refundById(tx, id);
      const charge = row && (await store.chargeById(tx, row.charge_id));
      if (!row || !charge) throw new Refusal('not_found', ownMessages.notFound);
      return { row, charge };
    });
    if (row.state === 'intended' && !row.sent_at) return standOf(await deliver(charge, row));
    const found = await gateway
      .findRefund({ charge: charge.provider_reference!, idempotencyKey: row.id, ...on(charge.account) })
      .catch((error: unknown): policy.RefundAnswer => ({ status: 'unknown', why: String(error) }));
    const now = await settle(rootId, id, found);
    const young = clock.now().getTime() - (row.sent_at ?? row.created_at).getTime() < policy.KEY_LIVES_MS;
    if (found.status !== 'none' || !policy.refundIsOpen(now.state) || !young) return standOf(now);
    return standOf(await deliver(charge, now));
  }

  return {
    ask,

    /** See Charges.refund. */
    async refund(given: {
      rootId: string;
      chargeId: string;
      amountMicros?: bigint;
      key: string;
      reason: string;
      /** Runs once, with the refund's row. */
      note?: (tx: Tx) => Promise<void>;
    }): Promise<{ status: Stand; id: string; amountMicros: bigint }> {
      const asked =
        given.amountMicros === undefined ? undefined : policy.centsOf(given.amountMicros, 'amount', 1);
      const { charge, row } = await within(given.rootId, async (tx) => {
        const charge = await store.lockCharge(tx, given.chargeId);
        if (!charge) throw new Refusal('not_found', ownMessages.notFound);
        const before = await store.refundByKey(tx, charge.id, given.key);
        if (before) {
          if (asked !== undefined && before.amount_cents !== asked)
            throw new Refusal('conflict', 'idempotency_key: was already used for another refund', {
              errors: { idempotency_key: ['was already used for another refund'] },
            });
          return { charge, row: before };
        }
        const left = charge.amount_cents - charge.refunded_cents;
        if (charge.state !== 'succeeded' || left === 0 || !charge.provider_reference)
          throw new Refusal('conflict', ownMessages.notRefundable);
        const cents = asked ?? left;
        if (cents > left)
          throw new Refusal('conflict', 'amount: is more than the remaining amount of the charge', {
            errors: { amount: ['is more than the remaining amount of the charge'] },
          });
        const at = clock.now();
        const row = await store.addRefund(tx, {
          id: newId(at),
          root_id: charge.root_id,
          agency_id: charge.agency_id,
          company_id: charge.company_id,
          charge_id: charge.id,
          amount_cents: cents,
          idempotency_key: given.key,
          reason: given.reason,
          state: 'intended',
          next_ask_at: policy.nextAsk(at, at),
          created_at: at,
        });
        const now = await store.changeCharge(tx, charge.id, {
          refunded_cents: charge.refunded_cents + cents,
          ...(cents === left ? { state: 'refunded' as const } : {}),
        });
        await handlerOf(charge.purpose).refunded(tx, seen(now), refundSeen(row), at);
        await given.note?.(tx);
        return { charge, row };
      });
      const now = row.state === 'intended' ? await deliver(charge, row) : row;
      return { status: standOf(now), id: now.id, amountMicros: policy.microsOfCents(now.amount_cents) };
    },

    /**
     * Handles a notice that part of a charge was refunded: asks about our own refunds of it (`refundKey`: only that
     * one). Returns the result; false if it is not ours.
     */
    async heard(rootId: string, chargeId: string, refundKey: string | undefined): Promise<boolean> {
      const rows = await within(rootId, (tx) => store.refundsOf(tx, chargeId));
      const about = refundKey ? rows.filter((row) => row.id === refundKey) : rows;
      // One that succeeded may have failed since.
      for (const row of about) if (row.state !== 'failed') await ask(rootId, row.id);
      return about.length > 0;
    },
  };
}
