import { randomBytes } from 'node:crypto';
import {
  type ChargeOutcome,
  type ChargeRequest,
  checkCharge,
  checkRefund,
  GatewayError,
  type ListedCharge,
  type ListedRefund,
  type PaymentGateway,
  type RefundOutcome,
} from '../../platform/payments.ts';
import { accountState } from './accounts.ts';
import { type DeclineCode, declineMessages, isExpired } from './cards.ts';
import { delays, type Network } from './network.ts';
import type { CardRow, SandboxObjects, SandboxTx } from './store.ts';

type Charge = SandboxObjects['charge'];
type Refund = SandboxObjects['refund'];
type Charges = Pick<
  PaymentGateway,
  'charge' | 'findCharge' | 'listCharges' | 'cancelCharge' | 'refund' | 'findRefund' | 'listRefunds'
>;

/** Charges and refunds. */
export function createCharges(network: Network): Charges & {
  /**
   * The holder's answer to the bank's authentication prompt for a declined charge. Throws `not_found` for a wrong
   * secret.
   */
  authenticateCharge(clientSecret: string, passed: boolean): Promise<ChargeOutcome>;
} {
  const { store, clock } = network;
  const now = () => clock.now().toISOString();

  async function make(tx: SandboxTx, request: ChargeRequest): Promise<Charge> {
    const { account = '', customer, amountCents, description, metadata = {} } = request;
    if (account) {
      const holder = await tx.get('account', account);
      if (!holder || !accountState(holder, now()).charges_enabled)
        throw new GatewayError('account_not_ready', 'The account cannot make charges', 'account');
    }
    await network.find(tx, 'customer', customer, account);
    const card = await network.find(tx, 'card', request.card, account);
    if (card.customer !== customer || card.removed)
      throw new GatewayError('not_found', `No such card: ${card.id}`, 'card');
    const { behavior } = card;
    const late = behavior.answer === 'late' ? delays.lateAnswer * network.timeoutMs : 0;
    const declined = declineOf(card);
    const id = network.id('pi');
    const charge: Charge = {
      id,
      account,
      customer,
      card: card.id,
      key: request.idempotencyKey,
      amountCents,
      applicationFeeCents: request.applicationFeeCents ?? 0,
      description,
      metadata,
      clientSecret: `${id}_secret_${randomBytes(24).toString('base64url')}`,
      createdAt: now(),
      settlesAt: network.after(late),
      ...(declined ? { declined } : {}),
    };
    await tx.put('card', { ...card, charges: card.charges + 1 }, { owner: customer });
    await tx.put('charge', charge, { owner: customer });
    await tellOf(tx, charge, card);
    return charge;
  }

  function declineOf(card: CardRow): DeclineCode | undefined {
    if (isExpired(card.expMonth, card.expYear, clock.now())) return 'expired_card';
    return card.behavior.decline ?? (card.charges === 0 ? card.behavior.declineOnce : undefined);
  }

  async function tellOf(tx: SandboxTx, charge: Charge, card: CardRow): Promise<void> {
    const { notices, dispute } = card.behavior;
    const settled = new Date(charge.settlesAt);
    const later = (ms: number) => new Date(settled.getTime() + ms);
    const told = { at: settled, delaysMs: notices === 'twice' ? [0, delays.secondNoticeMs] : [0] };
    if (charge.declined) return network.notify(tx, 'charge.failed', objects(charge), told);
    if (notices === 'reordered')
      await network.notify(tx, 'charge.processing', objects(charge), {
        delaysMs: [delays.reorderedNoticeMs],
      });
    await network.notify(tx, 'charge.succeeded', objects(charge), told);
    if (!dispute) return;
    const dueBy = later(delays.disputeMs + delays.disputeClosedMs).toISOString();
    const one = { id: network.id('dp'), reason: dispute, amountCents: charge.amountCents, dueBy };
    const about = (status: string) => ({ ...objects(charge), dispute: { ...one, status } });
    await network.notify(tx, 'dispute.opened', about('needs_response'), { at: later(delays.disputeMs) });
    await network.notify(tx, 'dispute.closed', about('lost'), {
      at: later(delays.disputeMs + delays.disputeClosedMs),
    });
  }

  async function makeRefund(
    tx: SandboxTx,
    input: { charge: string; amountCents?: number; idempotencyKey: string; account?: string | undefined },
  ): Promise<Refund> {
    const charge = await network.find(tx, 'charge', input.charge, input.account);
    const outcome = outcomeNow(charge, now());
    const before = await tx.list('refund', charge.id);
    const given = before
      .filter((refund) => stateOf(refund, now()) !== 'failed')
      .reduce((sum, refund) => sum + refund.amountCents, 0);
    const left = charge.amountCents - given;
    const amountCents = input.amountCents ?? left;
    if (outcome.status !== 'succeeded' || amountCents > left || left === 0)
      throw new GatewayError('invalid', 'More than the remaining amount of this charge', 'amountCents');
    const { behavior } = (await tx.get('card', charge.card))!;
    const slow = behavior.refund !== undefined;
    const refund: Refund = {
      id: network.id('re'),
      account: charge.account,
      charge: charge.id,
      key: input.idempotencyKey,
      amountCents,
      createdAt: now(),
      settlesAt: network.after(slow ? delays.refundMs : 0),
      first: behavior.refund === 'pending' ? 'pending' : 'succeeded',
      last: behavior.refund === 'fails' ? 'failed' : 'succeeded',
    };
    await tx.put('refund', refund, { owner: charge.id });
    const told = { ...objects(charge), refund: refund.id, refundKey: refund.key };
    await network.notify(tx, 'charge.refunded', told);
    if (slow) await network.notify(tx, 'refund.changed', told, { at: new Date(refund.settlesAt) });
    return refund;
  }

  return {
    async charge(request) {
      checkCharge(request);
      const { charge, answer } = await store.transaction(async (tx) => {
        let fresh = false;
        const charge = await network.once(tx, 'charge', request, () => {
          fresh = true;
          return make(tx, request);
        });
        const card = await tx.get('card', charge.card);
        return { charge, answer: fresh ? card?.behavior.answer : undefined };
      });
      if (answer) {
        await network.wait(network.timeoutMs);
        return { status: 'unknown', why: `no answer within ${network.timeoutMs} ms` };
      }
      return charge.settlesAt > now() ? inProgress : firstOutcome(charge);
    },

    findCharge: (input) =>
      store.transaction(async (tx) => {
        const found = (await tx.list('charge', input.customer)).find(
          (charge) => charge.key === input.idempotencyKey && charge.account === (input.account ?? ''),
        );
        return found ? outcomeNow(found, now()) : { status: 'none' };
      }),

    listCharges: ({ account = '', since }) =>
      store.transaction(async (tx) => {
        const listed: ListedCharge[] = [];
        for (const customer of await tx.list('customer', account))
          for (const charge of await tx.list('charge', customer.id)) {
            if (charge.createdAt < since.toISOString()) continue;
            const refunds = await tx.list('refund', charge.id);
            const kept = refunds.filter((refund) => stateOf(refund, now()) !== 'failed');
            listed.push({
              charge: charge.id,
              chargeKey: charge.key,
              customer: customer.id,
              status: outcomeNow(charge, now()).status,
              amountCents: charge.amountCents,
              refundedCents: kept.reduce((sum, refund) => sum + refund.amountCents, 0),
              createdAt: new Date(charge.createdAt),
            });
          }
        return listed;
      }),

    cancelCharge: (input) =>
      store.transaction(async (tx) => {
        const charge = await network.find(tx, 'charge', input.charge, input.account);
        if (!charge.declined || charge.later === 'authenticated' || charge.later === 'canceled')
          return outcomeNow(charge, now());
        const canceled: Charge = { ...charge, later: 'canceled' };
        await tx.put('charge', canceled, { owner: charge.customer });
        await network.notify(tx, 'charge.canceled', objects(charge));
        return outcomeNow(canceled, now());
      }),

    authenticateCharge: (clientSecret, passed) =>
      store.transaction(async (tx) => {
        const charge = await tx.get('charge', clientSecret.split('_secret_')[0]!);
        if (charge?.clientSecret !== clientSecret)
          throw new GatewayError('not_found', 'No such charge', 'charge');
        const outcome = outcomeNow(charge, now());
        if (outcome.status !== 'declined' || !outcome.needsAuthentication) return outcome;
        const later = passed ? 'authenticated' : 'authentication_failed';
        await tx.put('charge', { ...charge, later }, { owner: charge.customer });
        await network.notify(tx, passed ? 'charge.succeeded' : 'charge.failed', objects(charge));
        return outcomeNow({ ...charge, later }, now());
      }),

    async refund(request) {
      checkRefund(request);
      return store.transaction(async (tx) => {
        const refund = await network.once(tx, 'refund', request, () => makeRefund(tx, request));
        return { status: refund.first, refund: refund.id, amountCents: refund.amountCents };
      });
    },

    findRefund: (input) =>
      store.transaction(async (tx): Promise<RefundOutcome | { status: 'none' }> => {
        const found = (await tx.list('refund', input.charge)).find(
          (refund) => refund.key === input.idempotencyKey && refund.account === (input.account ?? ''),
        );
        if (!found) return { status: 'none' };
        const status = stateOf(found, now());
        return status === 'failed'
          ? { status, refund: found.id, code: 'declined' }
          : { status, refund: found.id, amountCents: found.amountCents };
      }),

    listRefunds: (input) =>
      store.transaction(async (tx) => {
        await network.find(tx, 'charge', input.charge, input.account);
        return (await tx.list('refund', input.charge)).map((refund): ListedRefund => {
          const status = stateOf(refund, now());
          return {
            refund: refund.id,
            refundKey: refund.key,
            amountCents: refund.amountCents,
            status,
            ...(status === 'failed' ? { code: 'declined' } : {}),
            createdAt: new Date(refund.createdAt),
          };
        });
      }),
  };
}

const inProgress: ChargeOutcome = { status: 'unknown', why: 'still in progress' };

/** A refund's current state. */
export const stateOf = (refund: Refund, now: string) =>
  now >= refund.settlesAt ? refund.last : refund.first;

const objects = (charge: Charge) => ({
  ...(charge.account ? { account: charge.account } : {}),
  customer: charge.customer,
  charge: charge.id,
  chargeKey: charge.key,
});

const done = ({ id, amountCents, applicationFeeCents }: Charge): ChargeOutcome => ({
  status: 'succeeded',
  charge: id,
  amountCents,
  applicationFeeCents,
});

function declined(charge: Charge, code: DeclineCode): ChargeOutcome {
  const needsAuthentication = code === 'authentication_required' || code === 'authentication_failed';
  return {
    status: 'declined',
    charge: charge.id,
    code,
    message: declineMessages[code],
    needsAuthentication,
    ...(needsAuthentication ? { clientSecret: charge.clientSecret } : {}),
  };
}

/** What the network answered at first, and answers again on a repeat. */
const firstOutcome = (charge: Charge): ChargeOutcome =>
  charge.declined ? declined(charge, charge.declined) : done(charge);

/** A charge's current state. */
export function outcomeNow(charge: Charge, now: string): ChargeOutcome {
  if (charge.settlesAt > now) return inProgress;
  if (charge.later === 'authenticated') return done(charge);
  return charge.later ? declined(charge, charge.later) : firstOutcome(charge);
}
