import type { GatewayError } from '../../../platform/payments.ts';

/** Why a document is waiting for the tax service, in words for users. */
export const failureWords = {
  waits: 'The invoice is waiting for its tax. Nothing was changed.',
  noKeys: 'This platform’s Stripe keys are missing. Nothing was changed.',
  address: 'Stripe Tax requires a complete address: street, city, ZIP code, state, and country.',
  of(error: GatewayError): string {
    if (error.field === 'address') return this.address;
    if (error.field === 'tax_id') return 'Stripe did not accept the tax ID.';
    if (error.code === 'account_not_ready')
      return 'Stripe Tax is not set up for the Stripe account of the company that issues the invoice.';
    if (error.code === 'credentials') return 'Stripe rejected this platform’s keys.';
    if (error.code === 'invalid' || error.code === 'not_found' || error.code === 'key_reused')
      return 'Stripe Tax could not calculate this invoice.';
    return 'Stripe Tax could not be reached.';
  },
};
