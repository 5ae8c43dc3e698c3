import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { GatewayError } from '../../../platform/payments.ts';

/**
 * Explains to the user why the card provider did not do what was requested; for `.catch`.
 * @throws Refusal 404, 409, 422, 503
 */
export function failed(error: unknown): never {
  if (!(error instanceof GatewayError)) throw error;
  switch (error.code) {
    case 'not_found':
      throw new Refusal('not_found', ownMessages.notFound);
    case 'account_not_ready':
      throw new Refusal('conflict', ownMessages.accountNotReady);
    case 'invalid':
      throw new Refusal('invalid', ownMessages.cardRefused, {
        errors: error.field ? { [error.field]: ['was rejected by the card provider'] } : {},
      });
    case 'key_reused':
      throw new Refusal('conflict', ownMessages.paymentUnderWay);
    default:
      throw new Refusal('unavailable', ownMessages.cardNetworkAway, { retryAfter: 60 });
  }
}
