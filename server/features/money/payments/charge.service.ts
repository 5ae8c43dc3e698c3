import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { AskFirst, inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import { type ChargeOutcome, GatewayError, type PaymentGateway } from '../../../platform/payments.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Cards } from './card.service.ts';
import type { CardTries } from './card-tries.service.ts';
import * as store from './charge.store.ts';
import type {
  Charge,
  ChargeAsk,
  ChargeResult,
  DisputeOf,
  Purpose,
  PurposeHandler,
  RefundOf,
  Whose,
} from './model.ts';
import * as policy from './policy.ts';
import { giveBackJob, sendJob } from './queue.ts';

/** Errors that say that a charge is nowhere where anyone could complete it. */
const OUT_OF_REACH = ['account_not_ready', 'not_found'];
/** How many charges are canceled one after another while someone waits. */
const ENDED_AT_ONCE = 50;

/** Points at which a process may die, so that tests can make it die there. */
export type ChargeStep = 'before intent' | 'intent' | 'claimed' | 'answer' | 'posting';
export type OnStep = (step: ChargeStep) => Promise<void> | void;

export type ChargeCore = ReturnType<typeof createChargeCore>;

/** A row as seen by purposes. */
export const seen = (row: store.ChargeRow): Charge => ({
  id: row.id,
  owner: { root_id: row.root_id, agency_id: row.agency_id, company_id: row.company_id },
  purpose: row.purpose as Purpose,
  referenceId: row.reference_id,
  state: row.state,
  key: row.idempotency_key,
  amountMicros: policy.microsOfCents(row.amount_cents),
  feeMicros: policy.microsOfCents(row.fee_cents),
  refundedMicros: policy.microsOfCents(row.refunded_cents),
  account: row.account,
  details: row.details,
  description: row.description,
  declineCode: row.decline_code,
  declineMessage: row.decline_message,
  needsAuthentication: row.needs_authentication,
  brand: row.brand,
  last4: row.last4,
  userId: row.user_id,
  createdAt: row.created_at,
  settledAt: row.settled_at,
});

const resultOf = (row: store.ChargeRow): ChargeResult => {
  const charge = seen(row);
  if (policy.isUnderWay(row.state)) return { status: 'unknown', charge };
  if (row.state === 'declined' || row.state === 'canceled')
    return {
      status: 'declined',
      charge,
      code: row.decline_code ?? '',
      message: row.decline_message ?? '',
      needsAuthentication: row.needs_authentication,
    };
  return { status: 'succeeded', charge };
};

const refuse = (text: string): never => {
  throw new Refusal('conflict', text);
};

/**
 * Charges, from the intent to the ledger (decision 32). The intent's row is committed before anything is sent, its id
 * is the provider's idempotency key, and the answer's row and its postings are one transaction: wherever a process
 * dies, the next request to the provider (`ask`, by the job) finds out what happened and continues from there.
 */
export function createChargeCore(
  { db, clock, jobs, events }: Pick<Platform, 'db' | 'clock' | 'jobs' | 'events'>,
  {
    gateway,
    cards,
    tries,
    onStep,
  }: { gateway: PaymentGateway; cards: Cards; tries: CardTries; onStep: OnStep },
) {
  const handlers = new Map<string, PurposeHandler>();
  const flights = new Map<string, Promise<ChargeResult>>();
  const handlerOf = (purpose: string): PurposeHandler => {
    const handler = handlers.get(purpose);
    if (!handler) throw new Error(`No handler takes charges for ${purpose}`);
    return handler;
  };
  const within = <T>(rootId: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
    inScope(db.app, { rootId }, work);
  const rowOf = async (rootId: string, id: string): Promise<store.ChargeRow> => {
    const row = await within(rootId, (tx) => store.chargeById(tx, id));
    if (!row) throw new Refusal('not_found', ownMessages.notFound);
    return row;
  };

  /** The charge of this key, or a new intent. @throws Refusal 409, 422 as Charges.charge says */
  async function intent(tx: Tx, ask: ChargeAsk): Promise<{ row: store.ChargeRow; fresh: boolean }> {
    const cents = policy.centsOf(ask.amountMicros);
    const fee = ask.feeMicros ? policy.centsOf(ask.feeMicros, 'fee', 0) : 0;
    handlerOf(ask.purpose);
    const { owner } = ask;
    const at = clock.now();
    const known = async (): Promise<store.ChargeRow | undefined> => {
      const row = await store.chargeByKey(tx, owner.company_id, ask.purpose, ask.key);
      if (
        row &&
        (row.amount_cents !== cents || row.reference_id !== ask.referenceId || row.fee_cents !== fee)
      )
        throw new Refusal('conflict', 'idempotency_key: was already used for another charge', {
          errors: { idempotency_key: ['was already used for another charge'] },
        });
      return row;
    };
    const before = await known();
    if (before) return { row: before, fresh: false };
    if (await store.underWay(tx, owner.company_id, ask.purpose, ask.referenceId)) {
      // It may be this very one, written since we looked.
      const own = await known();
      return own ? { row: own, fresh: false } : refuse(ownMessages.paymentUnderWay);
    }
    const card = await cards.chargeable(tx, owner);
    if (fee > 0 && !card.account) throw new Error('An application fee requires a connected account');
    const id = newId(at);
    const row = await store.addCharge(tx, {
      id,
      root_id: owner.root_id,
      agency_id: owner.agency_id,
      company_id: owner.company_id,
      purpose: ask.purpose,
      reference_id: ask.referenceId,
      idempotency_key: ask.key,
      amount_cents: cents,
      fee_cents: fee,
      description: ask.description.slice(0, 500),
      details: JSON.stringify(ask.details ?? {}),
      provider: gateway.provider,
      account: card.account,
      customer: card.customer,
      card: card.reference,
      brand: card.brand,
      last4: card.last4,
      state: 'intended',
      next_ask_at: policy.nextAsk(at, at),
      user_id: ask.userId ?? null,
      ip: ask.ip ?? null,
      created_at: at,
    });
    if (row) {
      await ask.check?.(tx);
      return { row, fresh: true };
    }
    const same = await known();
    return same ? { row: same, fresh: false } : refuse(ownMessages.paymentUnderWay);
  }

  /** Applies an answer: the charge's state and what its purpose posts, in one transaction. */
  async function settle(
    rootId: string,
    id: string,
    answer: policy.Answer,
    byHand?: { reason: string; note: (tx: Tx) => Promise<void> },
  ): Promise<store.ChargeRow> {
    return within(rootId, async (tx) => {
      const row = await store.lockCharge(tx, id);
      if (!row) throw new Refusal('not_found', ownMessages.notFound);
      const at = clock.now();
      const change = policy.changeOf(
        {
          state: row.state,
          amountCents: row.amount_cents,
          feeCents: row.fee_cents,
          sentAt: row.sent_at,
          createdAt: row.created_at,
        },
        answer,
        at,
      );
      const hand = byHand ? { settled_by_hand: byHand.reason } : {};
      if (byHand) await byHand.note(tx);
      const next = policy.nextAsk(row.sent_at ?? row.created_at, at);
      switch (change.to) {
        case 'succeeded': {
          const now = await store.changeCharge(tx, id, {
            state: 'succeeded',
            provider_reference: change.reference || row.provider_reference,
            needs_authentication: false,
            decline_code: null,
            decline_message: null,
            next_ask_at: null,
            settled_at: at,
            ...hand,
          });
          await handlerOf(row.purpose).succeeded(tx, seen(now), at);
          await onStep('posting');
          return now;
        }
        case 'declined':
        case 'canceled': {
          const now = await store.changeCharge(tx, id, {
            state: change.to,
            provider_reference: change.reference ?? row.provider_reference,
            needs_authentication: change.needsAuthentication,
            decline_code: change.code,
            decline_message: change.message,
            next_ask_at: null,
            settled_at: at,
            ...hand,
          });
          await handlerOf(row.purpose).declined(tx, seen(now), at);
          await onStep('posting');
          return now;
        }
        case 'noted':
          return store.changeCharge(tx, id, {
            needs_authentication: change.needsAuthentication,
            decline_code: change.code,
            decline_message: change.message,
          });
        case 'mismatch':
          await store.noteMismatch(tx, {
            id: newId(at),
            root_id: row.root_id,
            agency_id: row.agency_id,
            company_id: row.company_id,
            charge_id: id,
            provider_reference: (answer as ChargeOutcome & { status: 'succeeded' }).charge,
            kind: 'amount',
            ours: `${row.amount_cents} cents, fee ${row.fee_cents}`,
            theirs: change.theirs,
            found_at: at,
            seen_at: at,
          });
          return store.changeCharge(tx, id, { state: 'unknown', next_ask_at: null });
        case 'unknown':
          return store.changeCharge(tx, id, { state: 'unknown', next_ask_at: next });
        case 'again':
          return store.changeCharge(tx, id, { next_ask_at: next });
        case 'keep':
          // Settled by hand before the provider had answered: now it can be refunded there.
          if (!row.provider_reference && policy.isSameSale(row, answer))
            return store.changeCharge(tx, id, { provider_reference: answer.charge, next_ask_at: null });
          return row.next_ask_at && !policy.isUnderWay(row.state)
            ? store.changeCharge(tx, id, { next_ask_at: null })
            : row;
      }
    });
  }

  /** Sends a charge under its own id and applies the response. */
  async function deliver(row: store.ChargeRow): Promise<store.ChargeRow> {
    const answer: policy.Answer = await gateway
      .charge({
        customer: row.customer,
        card: row.card,
        amountCents: row.amount_cents,
        currency: 'usd',
        idempotencyKey: row.id,
        description: row.description,
        metadata: { company: row.company_id, purpose: row.purpose, reference: row.reference_id },
        ...(row.account ? { account: row.account } : {}),
        ...(row.fee_cents ? { applicationFeeCents: row.fee_cents } : {}),
      })
      .catch((error: unknown) => policy.answerOfError(error, row.attempts <= 1));
    await onStep('answer');
    return settle(row.root_id, row.id, answer);
  }

  /** Sends an intent, once: a second caller waits here, or learns that it is in progress. */
  function send(rootId: string, id: string): Promise<ChargeResult> {
    const flying = flights.get(id);
    if (flying) return flying;
    const flight = (async () => {
      const at = clock.now();
      const claimed = await within(rootId, (tx) => store.claim(tx, id, at, policy.nextAsk(at, at)));
      if (!claimed) return resultOf(await rowOf(rootId, id));
      await onStep('claimed');
      return resultOf(await deliver(claimed));
    })().finally(() => flights.delete(id));
    flights.set(id, flight);
    return flight;
  }

  /**
   * Asks the provider for the outcome of a charge and applies it. A charge that the provider does not know within the
   * hour is sent once more under the same key: it takes effect only once, whatever happened to the first attempt.
   */
  async function ask(rootId: string, id: string): Promise<ChargeResult> {
    const row = await rowOf(rootId, id);
    if (row.state === 'intended') {
      // Nothing was sent. After more than an hour, no one is waiting for it anymore.
      if (clock.now().getTime() - row.created_at.getTime() < policy.FINAL_AFTER_MS) return send(rootId, id);
      return resultOf(await settle(rootId, id, { status: 'none' }));
    }
    const flying = flights.get(id);
    if (flying) return flying;
    const found: policy.Answer = await gateway
      .findCharge({
        customer: row.customer,
        idempotencyKey: row.id,
        since: row.created_at,
        ...(row.account ? { account: row.account } : {}),
      })
      .catch((error: unknown) => ({ status: 'unknown', why: String(error) }));
    const now = await settle(rootId, id, found);
    if (found.status !== 'none' || !policy.isUnderWay(now.state)) return resultOf(now);
    const again = await within(rootId, (tx) => store.changeCharge(tx, id, { attempts: now.attempts + 1 }));
    return resultOf(await deliver(again));
  }

  /**
   * Ends a declined charge that its cardholder could still complete. 'paid': the cardholder was faster; 'unsure': the
   * provider has not said.
   */
  async function end(row: store.ChargeRow): Promise<'ended' | 'paid' | 'unsure'> {
    const outcome = await gateway
      .cancelCharge({
        charge: row.provider_reference!,
        idempotencyKey: `${row.id}:cancel`,
        ...(row.account ? { account: row.account } : {}),
      })
      .catch((error: unknown): ChargeOutcome => {
        // On an account that is not connected anymore, no one can complete it either.
        const isOut = error instanceof GatewayError && OUT_OF_REACH.includes(error.code);
        return isOut
          ? {
              status: 'declined',
              code: 'canceled',
              message: row.decline_message ?? '',
              needsAuthentication: false,
            }
          : { status: 'unknown', why: String(error) };
      });
    const now = await settle(row.root_id, row.id, outcome);
    if (now.state === 'succeeded') return 'paid';
    return outcome.status === 'unknown' ? 'unsure' : 'ended';
  }

  /**
   * Ends declined charges for the same thing that the cardholder could still complete; otherwise both might succeed.
   */
  async function endOpen(charge: ChargeAsk): Promise<void> {
    const { owner, purpose, referenceId } = charge;
    const rows = await within(owner.root_id, (tx) =>
      store.chargesOf(tx, owner.company_id, purpose, referenceId, 20),
    );
    for (const row of rows) {
      if (row.state !== 'declined' || !row.needs_authentication || row.idempotency_key === charge.key)
        continue;
      if (!row.provider_reference) continue;
      const how = await end(row);
      if (how === 'paid') refuse(ownMessages.paidMeanwhile);
      if (how === 'unsure') refuse(ownMessages.paymentUnderWay);
    }
  }

  return {
    handlerOf,
    within,
    settle,
    send,
    ask,

    /** See Charges.onSettled. */
    onSettled(purpose: Purpose, handler: PurposeHandler): void {
      if (handlers.has(purpose)) throw new Error(`A handler already takes charges for ${purpose}`);
      handlers.set(purpose, handler);
    },

    /** See Charges.charge. */
    async charge(asked: ChargeAsk): Promise<ChargeResult> {
      policy.centsOf(asked.amountMicros);
      await endOpen(asked);
      await onStep('before intent');
      const { row, attempt } = await within(asked.owner.root_id, async (tx) => {
        const { row, fresh } = await intent(tx, asked);
        // A charge that no one waits for tells no one whether the card works, and has pauses of its own.
        const attempt = fresh && asked.userId ? await tries.begin(asked.owner, tx) : undefined;
        return { row, attempt };
      });
      await onStep('intent');
      const result =
        row.state === 'intended'
          ? await send(row.root_id, row.id)
          : ((await flights.get(row.id)) ?? resultOf(row));
      await attempt?.end(result.status === 'declined' && !result.needsAuthentication);
      return result;
    },

    /** See Charges.intend. */
    async intend(tx: Tx, asked: ChargeAsk): Promise<string | null> {
      policy.centsOf(asked.amountMicros);
      try {
        const { row, fresh } = await intent(tx, asked);
        if (!fresh) return null;
        await jobs.send(tx, sendJob, [{ rootId: row.root_id, chargeId: row.id }]);
        return row.id;
      } catch (error) {
        if (error instanceof Refusal && error.code === 'conflict') return null;
        throw error;
      }
    },

    async byKey(tx: Tx, companyId: string, purpose: Purpose, key: string): Promise<Charge | null> {
      const row = await store.chargeByKey(tx, companyId, purpose, key);
      return row ? seen(row) : null;
    },
    async byId(tx: Tx, id: string): Promise<Charge | null> {
      const row = await store.chargeById(tx, id);
      return row ? seen(row) : null;
    },
    of: async (
      tx: Tx,
      companyId: string,
      purpose: Purpose,
      referenceId: string,
      limit = 20,
    ): Promise<Charge[]> => (await store.chargesOf(tx, companyId, purpose, referenceId, limit)).map(seen),

    /** See Charges.mustRest. */
    async mustRest(tx: Tx, of: Whose, name: string): Promise<void> {
      const { charges, refunds } = await store.unsettled(tx, of);
      if (charges > 0) refuse(ownMessages.chargeUnderWay(name));
      if (refunds > 0) refuse(ownMessages.refundUnderWay(name));
      const rows = await store.confirmable(tx, of, ENDED_AT_ONCE + 1);
      if (rows.length > 0)
        throw new AskFirst('confirmable', async () => {
          for (const row of rows.slice(0, ENDED_AT_ONCE))
            if ((await end(row)) === 'unsure') refuse(ownMessages.confirmationOpen(name));
          if (rows.length > ENDED_AT_ONCE) refuse(ownMessages.confirmationOpen(name));
        });
    },

    /** See Charges.endConfirmable. */
    async endConfirmable(rootId: string, companyId: string): Promise<void> {
      const of = { companyId };
      for (const row of await within(rootId, (tx) => store.confirmable(tx, of, ENDED_AT_ONCE)))
        await end(row);
    },

    /** See Charges.giveBack. */
    giveBack: (tx: Tx, given: { charge: Charge; amountMicros: bigint; key: string }): Promise<void> =>
      jobs.send(tx, giveBackJob, [
        {
          rootId: given.charge.owner.root_id,
          chargeId: given.charge.id,
          micros: given.amountMicros.toString(),
          key: given.key,
        },
      ]),

    async underWay(tx: Tx, companyId: string, purpose: Purpose, referenceId: string): Promise<Charge | null> {
      const row = await store.underWay(tx, companyId, purpose, referenceId);
      return row ? seen(row) : null;
    },

    /** Whether a charge is this company's, as far as the caller can see it. */
    ownedBy: async (tx: Tx, id: string, companyId: string): Promise<boolean> =>
      (await store.chargeById(tx, id))?.company_id === companyId,

    /** What the cardholder's browser needs to complete a declined charge; null if it can't be completed (any more). */
    async authentication(
      rootId: string,
      id: string,
    ): Promise<{ clientSecret: string; account: string } | null> {
      const row = await rowOf(rootId, id);
      if (row.state !== 'declined' || !row.needs_authentication) return null;
      const found = await gateway.findCharge({
        customer: row.customer,
        idempotencyKey: row.id,
        since: row.created_at,
        ...(row.account ? { account: row.account } : {}),
      });
      if (found.status === 'none' || found.status === 'unknown') return null;
      await settle(rootId, id, found);
      return found.status === 'declined' && found.clientSecret
        ? { clientSecret: found.clientSecret, account: row.account }
        : null;
    },

    /**
     * Books that a charge was disputed, or how the dispute ended; each only once, in whatever order the notices arrive.
     * @throws Error if the charge has not succeeded (yet)
     */
    async dispute(
      rootId: string,
      chargeId: string,
      given: { id: string; status: string; reason: string; amountCents: number; dueBy?: string | undefined },
    ): Promise<string> {
      const state = policy.disputeState(given.status);
      if (!state) return 'an inquiry: no money has moved';
      return within(rootId, async (tx) => {
        const row = (await store.lockCharge(tx, chargeId))!;
        if (!policy.isPaid(row.state)) throw new Error('The disputed charge has not succeeded yet');
        const at = clock.now();
        const before = await store.disputeById(tx, given.id);
        const about: DisputeOf = {
          id: given.id,
          amountMicros: policy.microsOfCents(
            Math.min(before?.amount_cents ?? given.amountCents, row.amount_cents),
          ),
          reason: given.reason,
        };
        if (before) {
          if (before.state !== 'open' || state === 'open') return 'known';
          await store.closeDispute(tx, given.id, state, at);
          if (state === 'won') {
            // It stays disputed while another one holds, and what had been refunded is still refunded.
            const isHeld = await store.isDisputedElse(tx, chargeId, given.id);
            const isBack = row.refunded_cents === row.amount_cents;
            const now = await store.changeCharge(tx, chargeId, {
              state: isHeld ? 'disputed' : isBack ? 'refunded' : 'succeeded',
            });
            await handlerOf(row.purpose).disputeWon(tx, seen(now), about, at);
          }
          return state;
        }
        await store.addDispute(tx, {
          id: given.id,
          root_id: row.root_id,
          agency_id: row.agency_id,
          company_id: row.company_id,
          charge_id: chargeId,
          amount_cents: given.amountCents,
          reason: given.reason,
          state,
          is_booked: state !== 'won',
          opened_at: at,
          closed_at: state === 'open' ? null : at,
        });
        if (state === 'won') return 'won before it was posted';
        const now = await store.changeCharge(tx, chargeId, { state: 'disputed' });
        await handlerOf(row.purpose).disputed(tx, seen(now), about, at);
        if (state === 'open')
          await events.emit(tx, 'charge.disputed', {
            owner: seen(now).owner,
            chargeId,
            amountMicros: about.amountMicros,
            reason: given.reason,
            dueBy: given.dueBy ?? null,
          });
        return state;
      });
    },
  };
}

/** A refund row as seen by purposes. */
export const refundSeen = (row: store.RefundRow): RefundOf => ({
  id: row.id,
  amountMicros: policy.microsOfCents(row.amount_cents),
  key: row.idempotency_key,
  reason: row.reason,
  isOutside: policy.isOutside(row.idempotency_key),
});
