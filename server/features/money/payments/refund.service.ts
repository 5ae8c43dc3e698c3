import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { usd } from '../../../../contract/primitives.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { GatewayError, type ListedRefund, type PaymentGateway } from '../../../platform/payments.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Audit } from '../../accounts/audit/index.ts';
import { type ChargeCore, refundSeen, seen } from './charge.service.ts';
import * as store from './charge.store.ts';
import * as policy from './policy.ts';

type Stand = 'succeeded' | 'pending' | 'failed' | 'unknown';

/** Errors after which the same request may be tried again later. */
const PASSING = ['busy', 'unavailable', 'no_answer', 'credentials'];

/** When a refund that the bank has not accepted yet is looked at again. */
const PENDING_MS = 3_600_000;

/**
 * Refunds. The money leaves the books with the refund's row, before the provider is asked, so that no one spends it in
 * the meantime; if the refund fails, immediately or days later, the money is put back.
 */
export function createRefunds(
  { clock }: Pick<Platform, 'clock'>,
  { gateway, core, audit }: { gateway: PaymentGateway; core: ChargeCore; audit: Audit },
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
            next_ask_at: answer.status === 'pending' ? new Date(at.getTime() + PENDING_MS) : null,
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

  /**
   * Books a refund that is listed at the provider, unless it is known: returns the known row. Two reports of it wait for
   * each other at the charge, and our own row was committed before the provider was asked, so each is booked once.
   * @throws Error if the charge has not succeeded (yet), or one of our own refunds that did not go through still holds
   * the amount: its failure must be booked first
   */
  async function bookOutside(
    tx: Tx,
    chargeId: string,
    listed: ListedRefund,
  ): Promise<store.RefundRow | null> {
    const charge = (await store.lockCharge(tx, chargeId))!;
    const known = (await store.refundsOf(tx, chargeId)).find((row) => policy.isSame(row, listed));
    if (known || listed.status === 'failed') return known ?? null;
    if (!policy.isPaid(charge.state)) throw new Error('The refunded charge has not succeeded yet');
    const left = charge.amount_cents - charge.refunded_cents;
    if (listed.amountCents > left) throw new Error('More was refunded than is left of the charge');
    const at = clock.now();
    const owner = { root_id: charge.root_id, agency_id: charge.agency_id, company_id: charge.company_id };
    const row = await store.addRefund(tx, {
      id: newId(at),
      ...owner,
      charge_id: charge.id,
      amount_cents: listed.amountCents,
      idempotency_key: policy.outsideKey(listed.refund),
      reason: 'Refunded at the card provider',
      state: listed.status,
      provider_reference: listed.refund,
      next_ask_at: listed.status === 'pending' ? new Date(at.getTime() + PENDING_MS) : null,
      created_at: at,
      sent_at: at,
      settled_at: at,
    });
    const isAll = listed.amountCents === left && charge.state === 'succeeded';
    const now = await store.changeCharge(tx, charge.id, {
      refunded_cents: charge.refunded_cents + listed.amountCents,
      ...(isAll ? { state: 'refunded' as const } : {}),
    });
    await handlerOf(charge.purpose).refunded(tx, seen(now), refundSeen(row), at);
    await audit.recordSystem(tx, at, owner, {
      action: 'payment.refunded',
      objectKind: 'charge',
      objectId: charge.id,
      description: `Booked a refund of ${usd(policy.microsOfCents(row.amount_cents))} that was made at the card provider`,
    });
    return null;
  }

  /**
   * Reads a charge's refunds at the provider: books those that were made there, and settles ours.
   * @throws Refusal 404, GatewayError if the provider does not answer, Error as bookOutside says
   */
  async function hear(rootId: string, chargeId: string): Promise<void> {
    const read = async (): Promise<store.ChargeRow> => {
      const row = await within(rootId, (tx) => store.chargeById(tx, chargeId));
      if (!row) throw new Refusal('not_found', ownMessages.notFound);
      return row;
    };
    let charge = await read();
    // Its success may not have been reported yet.
    if (!policy.isPaid(charge.state) || !charge.provider_reference) {
      await core.ask(rootId, chargeId);
      charge = await read();
    }
    if (!charge.provider_reference) throw new Error('The provider does not know the refunded charge yet');
    for (const listed of await gateway.listRefunds({
      charge: charge.provider_reference,
      ...on(charge.account),
    })) {
      const known = await within(rootId, (tx) => bookOutside(tx, chargeId, listed));
      if (known && known.state !== listed.status) await settle(rootId, known.id, policy.answerOf(listed));
    }
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
    const place = { charge: charge.provider_reference!, ...on(charge.account) };
    if (policy.isOutside(row.idempotency_key)) {
      const listed = await gateway.listRefunds(place).catch(() => []);
      const same = listed.find((one) => policy.isSame(row, one));
      return standOf(await settle(rootId, id, same ? policy.answerOf(same) : { status: 'none' }));
    }
    const found = await gateway
      .findRefund({ ...place, idempotencyKey: row.id })
      .catch((error: unknown): policy.RefundAnswer => ({ status: 'unknown', why: String(error) }));
    const now = await settle(rootId, id, found);
    const young = clock.now().getTime() - (row.sent_at ?? row.created_at).getTime() < policy.KEY_LIVES_MS;
    if (found.status !== 'none' || !policy.refundIsOpen(now.state) || !young) return standOf(now);
    return standOf(await deliver(charge, now));
  }

  return {
    ask,
    hear,

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
      // One that was settled by hand is not known by its id at the provider yet.
      const paid = await within(given.rootId, (tx) => store.chargeById(tx, given.chargeId));
      if (paid?.state === 'succeeded' && !paid.provider_reference) await core.ask(given.rootId, paid.id);
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
        if (charge.state !== 'succeeded' || left === 0)
          throw new Refusal('conflict', ownMessages.notRefundable);
        if (!charge.provider_reference) throw new Refusal('conflict', ownMessages.notAtProvider);
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
  };
}
