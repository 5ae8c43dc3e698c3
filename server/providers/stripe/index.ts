import type Stripe from 'stripe';
import type { Clock } from '../../platform/clock.ts';
import {
  type Card,
  type ChargeOutcome,
  checkCharge,
  checkKey,
  checkRefund,
  GatewayError,
  type ListedCharge,
  type ListedPayout,
  type ListedRefund,
  noAccount,
  type PaymentGateway,
  type PayoutPart,
  type RefundOutcome,
} from '../../platform/payments.ts';
import { accountState } from './account.policy.ts';
import { createStripeClient, type StripeParts } from './client.ts';
import { declined, declinedBy, readFailure, thrown } from './errors.ts';
import { readStripeNotice } from './notices.ts';

/**
 * Stripe through its SDK. Charges carry their idempotency key as metadata `charge_key`, refunds as `refund_key`: unlike
 * search, lists show new objects immediately, and that is how a lost answer is looked up.
 */
export function createStripeGateway({ clock, ...parts }: StripeParts & { clock: Clock }) {
  const client = createStripeClient(parts);
  const live = /^[sr]k_live_/.test(parts.secretKey);
  /** Makes one call whose failure is an error. */
  const ask = <T>(run: (stripe: Stripe) => Promise<T>): Promise<T> =>
    client.call(run).catch((error) => {
      throw thrown(error);
    });
  const options = (input: {
    idempotencyKey?: string;
    account?: string | undefined;
  }): Stripe.RequestOptions => {
    if (input.idempotencyKey !== undefined) checkKey(input.idempotencyKey);
    return {
      ...(input.idempotencyKey === undefined ? {} : { idempotencyKey: input.idempotencyKey }),
      ...(input.account ? { stripeAccount: input.account } : {}),
    };
  };
  const missing = (error: unknown): undefined => {
    if (error instanceof GatewayError && error.code === 'not_found') return undefined;
    throw error;
  };

  const gateway: PaymentGateway & { provider: 'stripe' } = {
    provider: 'stripe',
    mode: live ? 'live' : 'test',
    publishableKey: parts.publishableKey,

    async createCustomer(input) {
      const made = await ask((stripe) =>
        stripe.customers.create(
          {
            metadata: { reference: input.reference },
            ...(input.name ? { name: input.name } : {}),
            ...(input.email ? { email: input.email } : {}),
          },
          options(input),
        ),
      );
      return made.id;
    },

    async startCard(input) {
      const made = await ask((stripe) =>
        stripe.setupIntents.create(
          { customer: input.customer, usage: 'off_session', allowed_payment_method_types: ['card'] },
          options(input),
        ),
      );
      return { setup: made.id, clientSecret: made.client_secret! };
    },

    async finishCard(input) {
      const setup = await ask((stripe) =>
        stripe.setupIntents.retrieve(
          input.setup,
          { expand: ['payment_method'] },
          options({ account: input.account }),
        ),
      );
      if (setup.status === 'succeeded') {
        const card = typeof setup.payment_method === 'string' ? undefined : cardOf(setup.payment_method);
        if (!card)
          throw new GatewayError('invalid', 'Stripe: the saved payment method is not a card', 'setup');
        return { status: 'saved', card };
      }
      const failure = setup.last_setup_error;
      if (setup.status === 'canceled')
        return { status: 'failed', code: 'canceled', message: 'The form was closed.' };
      if (setup.status !== 'requires_payment_method' || !failure) return { status: 'pending' };
      return {
        status: 'failed',
        code: failure.decline_code || failure.code || 'generic_decline',
        message: failure.message ?? 'Your card was declined.',
      };
    },

    async getCard(input) {
      const found = await ask((stripe) =>
        stripe.paymentMethods.retrieve(input.card, {}, options({ account: input.account })),
      ).catch(missing);
      // A detached card can still be read, but belongs to no customer.
      return found?.customer ? cardOf(found) : undefined;
    },

    async removeCard(input) {
      if (!(await gateway.getCard(input))) return;
      await ask((stripe) => stripe.paymentMethods.detach(input.card, {}, options(input)));
    },

    async charge(request) {
      checkCharge(request);
      const { applicationFeeCents: fee, metadata, idempotencyKey } = request;
      try {
        const intent = await client.call((stripe) =>
          stripe.paymentIntents.create(
            {
              amount: request.amountCents,
              currency: request.currency,
              customer: request.customer,
              payment_method: request.card,
              allowed_payment_method_types: ['card'],
              off_session: true,
              confirm: true,
              description: request.description,
              metadata: { ...metadata, charge_key: idempotencyKey },
              ...(fee ? { application_fee_amount: fee } : {}),
            },
            options(request),
          ),
        );
        return outcomeOf(intent);
      } catch (error) {
        const failure = readFailure(error);
        if (failure.kind === 'refused') throw failure.error;
        return failure.kind === 'card' ? declinedBy(failure.error) : { status: 'unknown', why: failure.why };
      }
    },

    async findCharge(input) {
      checkKey(input.idempotencyKey);
      // Our clock and theirs may differ slightly.
      const since = Math.floor(input.since.getTime() / 1000) - 300;
      const found = await ask(async (stripe) => {
        const list = { customer: input.customer, created: { gte: since }, limit: 100 };
        for await (const intent of stripe.paymentIntents.list(list, options({ account: input.account })))
          if (intent.metadata.charge_key === input.idempotencyKey) return intent;
        return undefined;
      });
      return found ? outcomeOf(found) : { status: 'none' };
    },

    async listCharges(input) {
      const since = Math.floor(input.since.getTime() / 1000);
      return ask(async (stripe) => {
        const listed: ListedCharge[] = [];
        const list = { created: { gte: since }, limit: 100, expand: ['data.latest_charge'] };
        for await (const intent of stripe.paymentIntents.list(list, options({ account: input.account }))) {
          const { status } = outcomeOf(intent);
          const latest = intent.latest_charge;
          const customer = intent.customer;
          listed.push({
            charge: intent.id,
            chargeKey: intent.metadata.charge_key || undefined,
            customer: (typeof customer === 'string' ? customer : customer?.id) || undefined,
            status,
            amountCents: intent.amount,
            refundedCents: latest && typeof latest === 'object' ? latest.amount_refunded : 0,
            createdAt: new Date(intent.created * 1000),
          });
        }
        return listed;
      });
    },

    async listPayouts(input) {
      const since = Math.floor(input.since.getTime() / 1000);
      return ask(async (stripe) => {
        const listed: ListedPayout[] = [];
        const list = { created: { gte: since }, limit: 100 };
        for await (const one of stripe.payouts.list(list, options({ account: input.account })))
          listed.push({
            payout: one.id,
            amountCents: one.amount,
            status:
              one.status === 'paid' || one.status === 'failed' || one.status === 'canceled'
                ? one.status
                : 'pending',
            createdAt: new Date(one.created * 1000),
            arrivesAt: new Date(one.arrival_date * 1000),
          });
        return listed;
      });
    },

    async payoutParts(input) {
      return ask(async (stripe) => {
        const parts: PayoutPart[] = [];
        const list = { payout: input.payout, limit: 100, expand: ['data.source'] };
        for await (const one of stripe.balanceTransactions.list(list, options({ account: input.account }))) {
          // The payout itself is included.
          if (one.type === 'payout') continue;
          const kind = /^(charge|payment)$/.test(one.type)
            ? 'charge'
            : /refund$/.test(one.type)
              ? 'refund'
              : 'other';
          const source = one.source;
          const intent =
            source && typeof source === 'object' && 'payment_intent' in source
              ? source.payment_intent
              : undefined;
          parts.push({
            kind,
            amountCents: one.amount,
            feeCents: one.fee,
            charge: (typeof intent === 'string' ? intent : intent?.id) || undefined,
            description: one.description ?? '',
            at: new Date(one.created * 1000),
          });
        }
        return parts.sort((a, b) => a.at.getTime() - b.at.getTime());
      });
    },

    async cancelCharge(input) {
      const intent = await ask((stripe) =>
        stripe.paymentIntents.retrieve(input.charge, {}, options({ account: input.account })),
      );
      if (!/^requires_/.test(intent.status)) return outcomeOf(intent);
      try {
        return outcomeOf(
          await client.call((stripe) => stripe.paymentIntents.cancel(input.charge, {}, options(input))),
        );
      } catch (error) {
        const failure = readFailure(error);
        if (failure.kind === 'unknown') return { status: 'unknown', why: failure.why };
        // The holder was faster: return the current state.
        const now = await ask((stripe) =>
          stripe.paymentIntents.retrieve(input.charge, {}, options({ account: input.account })),
        );
        if (now.status === 'succeeded') return outcomeOf(now);
        throw thrown(error);
      }
    },

    async refund(request) {
      checkRefund(request);
      // Stripe refuses to refund a fee that was not charged.
      const charged = request.account
        ? await ask((stripe) =>
            stripe.paymentIntents.retrieve(request.charge, {}, options({ account: request.account })),
          )
        : undefined;
      try {
        const refund = await client.call((stripe) =>
          stripe.refunds.create(
            {
              payment_intent: request.charge,
              metadata: { refund_key: request.idempotencyKey },
              ...(request.amountCents === undefined ? {} : { amount: request.amountCents }),
              ...(charged?.application_fee_amount ? { refund_application_fee: true } : {}),
            },
            options(request),
          ),
        );
        return refundOf(refund);
      } catch (error) {
        const failure = readFailure(error);
        if (failure.kind === 'unknown') return { status: 'unknown', why: failure.why };
        throw thrown(error);
      }
    },

    async findRefund(input) {
      checkKey(input.idempotencyKey);
      const found = await ask(async (stripe) => {
        const list = { payment_intent: input.charge, limit: 100 };
        for await (const refund of stripe.refunds.list(list, options({ account: input.account })))
          if (refund.metadata?.refund_key === input.idempotencyKey) return refund;
        return undefined;
      });
      return found ? refundOf(found) : { status: 'none' };
    },

    async listRefunds(input) {
      return ask(async (stripe) => {
        const listed: ListedRefund[] = [];
        const list = { payment_intent: input.charge, limit: 100 };
        for await (const refund of stripe.refunds.list(list, options({ account: input.account })))
          listed.push({
            ...refundOf(refund),
            refund: refund.id,
            refundKey: refund.metadata?.refund_key || undefined,
            amountCents: refund.amount,
            createdAt: new Date(refund.created * 1000),
          });
        // The newest is first.
        return listed.reverse();
      });
    },

    async createAccount(input) {
      const made = await ask((stripe) =>
        stripe.accounts.create(
          {
            // The account's owner has the dashboard, pays the fees and bears disputes, as direct charges require.
            type: 'standard',
            metadata: { reference: input.reference },
            ...(input.email ? { email: input.email } : {}),
            ...(input.country ? { country: input.country } : {}),
          },
          options({ idempotencyKey: input.idempotencyKey }),
        ),
      );
      return made.id;
    },

    async accountLink(input) {
      const link = await ask((stripe) =>
        stripe.accountLinks.create(
          {
            account: input.account,
            type: 'account_onboarding',
            refresh_url: input.refreshUrl,
            return_url: input.returnUrl,
          },
          options({ idempotencyKey: input.idempotencyKey }),
        ),
      );
      return { url: link.url, expiresAt: new Date(link.expires_at * 1000) };
    },

    async getAccount(id) {
      if (!id) return noAccount;
      const found = await ask((stripe) => stripe.accounts.retrieve(id)).catch((error) => {
        // An account that has disconnected from us returns 403 account_invalid.
        if (error instanceof GatewayError && error.code === 'account_not_ready') return undefined;
        return missing(error);
      });
      return found ? accountState(found) : noAccount;
    },

    readNotice: (rawBody, headers) =>
      readStripeNotice(
        client.stripe,
        parts.webhookSecrets,
        live,
        clock.now(),
        rawBody,
        headers['stripe-signature'],
      ),
  };
  return gateway;
}

export type StripeGateway = ReturnType<typeof createStripeGateway>;

function cardOf(method: Stripe.PaymentMethod | null): Card | undefined {
  if (!method?.card) return undefined;
  const { brand, last4, exp_month, exp_year, fingerprint } = method.card;
  return {
    id: method.id,
    brand,
    last4,
    expMonth: exp_month,
    expYear: exp_year,
    fingerprint: fingerprint ?? '',
  };
}

function outcomeOf(intent: Stripe.PaymentIntent): ChargeOutcome {
  const { id, client_secret: clientSecret, last_payment_error: error } = intent;
  switch (intent.status) {
    case 'succeeded':
      return {
        status: 'succeeded',
        charge: id,
        amountCents: intent.amount_received,
        applicationFeeCents: intent.application_fee_amount ?? 0,
      };
    case 'canceled':
      return declined({ code: 'canceled', message: 'The charge was canceled.' }, { id, clientSecret });
    case 'requires_action':
      return declined({ code: 'authentication_required' }, { id, clientSecret });
    case 'requires_payment_method':
      // Without an error, the attempt is not over yet.
      if (!error) return { status: 'unknown', why: 'still in progress' };
      return declined(error, { id, clientSecret });
    default:
      return { status: 'unknown', why: `Stripe says ${intent.status}` };
  }
}

function refundOf({
  id,
  status,
  amount,
  failure_reason,
}: Stripe.Refund): Exclude<RefundOutcome, { status: 'unknown' }> {
  if (status === 'failed' || status === 'canceled')
    return { status: 'failed', refund: id, code: failure_reason ?? status };
  return { status: status === 'succeeded' ? 'succeeded' : 'pending', refund: id, amountCents: amount };
}
