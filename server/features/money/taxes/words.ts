import type { GatewayError } from '../../../platform/payments.ts';
import type { TaxQuestion } from '../../../platform/tax.ts';

/** What is wrong with an address that the service did not accept. */
function addressWords({ line1, city, zip, state, country }: TaxQuestion['address']): string {
  const needsState = country === 'US' || country === 'CA' || country === '';
  const missing = [
    !line1 && 'street',
    !city && 'city',
    !zip && 'ZIP code',
    needsState && !state && 'state',
    !country && 'country',
  ].filter(Boolean);
  return missing.length === 0
    ? 'Stripe Tax did not recognize the address. Check its street, city, ZIP code, state, and country.'
    : `Stripe Tax requires a complete address. Missing: ${missing.join(', ')}.`;
}

/** Why a document is waiting for the tax service, in words for users. */
export const failureWords = {
  waits: 'The invoice is waiting for its tax. Nothing was changed.',
  noKeys: 'This platform’s Stripe keys are missing.',
  unknownPayer: 'The company that pays the invoice does not exist.',
  of(error: GatewayError, address: TaxQuestion['address']): string {
    if (error.field === 'address') return addressWords(address);
    if (error.field === 'tax_id') return 'Stripe did not accept the tax ID.';
    if (error.code === 'account_not_ready')
      return 'Stripe Tax is not set up for the Stripe account of the company that issues the invoice.';
    if (error.code === 'credentials') return 'Stripe rejected this platform’s keys.';
    if (error.code === 'invalid' || error.code === 'not_found' || error.code === 'key_reused')
      return 'Stripe Tax could not calculate this invoice.';
    return 'Stripe Tax could not be reached.';
  },
};
