import Stripe from 'stripe';
import { type ChargeOutcome, GatewayError, type GatewayErrorCode } from '../../platform/payments.ts';
import { AnswerLost, NotSent } from './client.ts';

/** What a failed SDK call means. */
export type Failure =
  /** It may have been carried out. */
  | { kind: 'unknown'; why: string }
  /** The card was refused. */
  | { kind: 'card'; error: Stripe.errors.StripeCardError }
  /** Nothing was done. */
  | { kind: 'refused'; error: GatewayError };

/** The provider's error fields that contain no secrets: never the message, which may quote what was sent. */
const words = (error: Stripe.errors.StripeError): string =>
  [error.statusCode, error.rawType, error.code, error.param, error.requestId].filter(Boolean).join(' ');

/** Codes of a connected account that cannot do what was asked. */
const notReady = new Set([
  'account_invalid',
  'capability_not_active',
  'insufficient_capabilities_for_transfer',
  'platform_account_required',
  'no_account',
]);

export function readFailure(error: unknown): Failure {
  const refused = (code: GatewayErrorCode, why: string, field?: string): Failure => ({
    kind: 'refused',
    error: new GatewayError(code, `Stripe: ${why}`, field),
  });
  if (error instanceof GatewayError) return { kind: 'refused', error };
  if (error instanceof AnswerLost) return { kind: 'unknown', why: error.message };
  if (error instanceof NotSent) return refused('unavailable', error.message);
  if (!(error instanceof Stripe.errors.StripeError)) throw error;
  const status = error.statusCode ?? 0;
  if (error.code === 'idempotency_key_in_use' || status === 409)
    return { kind: 'unknown', why: 'still in progress' };
  // Also a success whose body could not be read (StripeAPIError without a status).
  if (status === 0 || status === 424 || status >= 500)
    return { kind: 'unknown', why: `answered ${words(error) || 'unreadably'}` };
  if (status === 429 || error.code === 'lock_timeout' || error.code === 'rate_limit')
    return refused('busy', words(error));
  if (error instanceof Stripe.errors.StripeCardError) return { kind: 'card', error };
  if (error instanceof Stripe.errors.StripeIdempotencyError)
    return refused('key_reused', words(error), 'idempotencyKey');
  if (notReady.has(error.code ?? '')) return refused('account_not_ready', words(error), 'account');
  if (status === 401 || status === 403) return refused('credentials', words(error));
  if (status === 404 || error.code === 'resource_missing')
    return refused('not_found', words(error), error.param);
  return refused('invalid', words(error), error.param);
}

/** For calls that are safe to repeat: the failure as an error. */
export function thrown(error: unknown): GatewayError {
  const failure = readFailure(error);
  if (failure.kind === 'refused') return failure.error;
  if (failure.kind === 'unknown') return new GatewayError('no_answer', `Stripe: ${failure.why}`);
  return new GatewayError('invalid', `Stripe: ${words(failure.error)}`, failure.error.param);
}

/** What a card error means for a charge. */
export function declinedBy(error: Stripe.errors.StripeCardError): ChargeOutcome {
  const intent = error.payment_intent;
  return declined(
    { code: error.code, decline_code: error.decline_code, message: error.message },
    intent && { id: intent.id, clientSecret: intent.client_secret },
  );
}

const authentication = new Set([
  'authentication_required',
  'payment_intent_authentication_failure',
  'authentication_failure',
]);

export function declined(
  error: { code?: string | undefined; decline_code?: string | undefined; message?: string | undefined },
  intent?: { id: string; clientSecret: string | null },
): ChargeOutcome {
  const code = error.decline_code || error.code || 'generic_decline';
  const needsAuthentication = authentication.has(code) || authentication.has(error.code ?? '');
  return {
    status: 'declined',
    ...(intent ? { charge: intent.id } : {}),
    code,
    message: error.message || 'Your card was declined.',
    needsAuthentication,
    ...(needsAuthentication && intent?.clientSecret ? { clientSecret: intent.clientSecret } : {}),
  };
}
