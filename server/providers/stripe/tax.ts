import Stripe from 'stripe';
import { GatewayError } from '../../platform/payments.ts';
import type { TaxQuestion, TaxService } from '../../platform/tax.ts';
import { createStripeClient, type StripeParts } from './client.ts';
import { thrown } from './errors.ts';

/** Members of the European Union by VAT number prefix: Greece uses EL. */
const EU = 'AT BE BG CY CZ DE DK EE EL ES FI FR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' ');

/**
 * Stripe's type for a tax number, by the payer's country and its format; undefined if Stripe does not recognize it (it
 * is printed on the document all the same).
 */
export function taxIdOf(
  text: string,
  country: string,
): Stripe.Tax.CalculationCreateParams.CustomerDetails.TaxId | undefined {
  const value = text.replaceAll(/[\s.]/g, '').toUpperCase();
  if (EU.includes(value.slice(0, 2)) && /^[A-Z]{2}[0-9A-Z+*]{2,12}$/.test(value))
    return { type: 'eu_vat', value };
  if (/^GB(\d{9}|\d{12})$/.test(value)) return { type: 'gb_vat', value };
  if (country === 'US' && /^\d{2}-?\d{7}$/.test(value)) return { type: 'us_ein', value };
  if (country === 'CA' && /^\d{9}RT\d{4}$/.test(value)) return { type: 'ca_gst_hst', value };
  if (country === 'AU' && /^\d{11}$/.test(value)) return { type: 'au_abn', value };
  if (country === 'NZ' && /^\d{8,9}$/.test(value)) return { type: 'nz_gst', value };
  return undefined;
}

const KINDS: Record<string, string> = {
  sales_tax: 'Sales tax',
  vat: 'VAT',
  gst: 'GST',
  hst: 'HST',
  pst: 'PST',
  qst: 'QST',
};

/** The tax as shown on documents: its kinds and rates together, or why there is none. */
export function nameOf(breakdown: Stripe.Tax.Calculation.TaxBreakdown[]): string {
  const charged = breakdown.filter((one) => one.amount > 0);
  if (charged.length === 0) {
    const reasons = breakdown.map((one) => one.taxability_reason);
    if (reasons.includes('reverse_charge')) return 'Reverse charge';
    return reasons.includes('customer_exempt') ? 'Tax exempt' : '';
  }
  const rates = new Map<string, number>();
  for (const { tax_rate_details: rate } of charged) {
    const kind = rate.tax_type ?? 'tax';
    rates.set(kind, (rates.get(kind) ?? 0) + Number(rate.percentage_decimal));
  }
  return [...rates]
    .map(([kind, percent]) => {
      const plain = kind.replaceAll('_', ' ');
      const name = KINDS[kind] ?? plain.charAt(0).toUpperCase() + plain.slice(1);
      return `${name} ${Number(percent.toFixed(4))}%`;
    })
    .join(', ');
}

/** What a failed call means. Stripe's own message may quote what was sent and is left out. */
function failure(error: unknown): GatewayError {
  if (error instanceof Stripe.errors.StripeError) {
    if (error.code === 'customer_tax_location_invalid')
      return new GatewayError('invalid', 'Stripe: the address is incomplete', 'address');
    if (error.code === 'tax_id_invalid')
      return new GatewayError('invalid', 'Stripe: no such tax ID', 'tax_id');
    if (error.code === 'stripe_tax_inactive')
      return new GatewayError('account_not_ready', 'Stripe: Stripe Tax is not set up on the account');
  }
  return thrown(error);
}

/**
 * Stripe Tax through its SDK: one calculation per document, with its amount as a single line, recorded as a tax
 * transaction once the document is issued, and reversed by credits. The kind of product is the account's preset tax
 * category.
 */
export function createStripeTax(parts: StripeParts): TaxService {
  const client = createStripeClient({ timeoutMs: 10_000, ...parts });
  const ask = <T>(run: (stripe: Stripe) => Promise<T>): Promise<T> =>
    client.call(run).catch((error) => {
      throw failure(error);
    });
  const options = (given: { account: string; idempotencyKey: string }): Stripe.RequestOptions => ({
    idempotencyKey: given.idempotencyKey,
    ...(given.account ? { stripeAccount: given.account } : {}),
  });
  const addressOf = ({ address }: TaxQuestion) => ({
    country: address.country,
    ...(address.line1 ? { line1: address.line1 } : {}),
    ...(address.city ? { city: address.city } : {}),
    ...(address.zip ? { postal_code: address.zip } : {}),
    ...(address.state ? { state: address.state } : {}),
  });

  return {
    provider: 'stripe',
    async calculate(question) {
      const taxId = taxIdOf(question.taxId, question.address.country);
      const made = await ask((stripe) =>
        stripe.tax.calculations.create(
          {
            currency: 'usd',
            line_items: [
              {
                amount: question.amountCents,
                reference: 'total',
                tax_behavior: question.included ? 'inclusive' : 'exclusive',
              },
            ],
            customer_details: {
              address: addressOf(question),
              address_source: 'billing',
              ...(taxId ? { tax_ids: [taxId] } : {}),
              ...(question.isExempt ? { taxability_override: 'customer_exempt' } : {}),
            },
          },
          options(question),
        ),
      );
      const taxCents = question.included ? made.tax_amount_inclusive : made.tax_amount_exclusive;
      // Money is never guessed: an answer that does not add up counts as no answer.
      if (!made.id || made.amount_total !== question.amountCents + (question.included ? 0 : taxCents))
        throw new GatewayError('no_answer', 'Stripe: the tax calculation does not add up');
      return { calculation: made.id, name: nameOf(made.tax_breakdown), taxCents };
    },
    async record(given) {
      const { calculation, reference } = given;
      const made = await ask((stripe) =>
        stripe.tax.transactions.createFromCalculation({ calculation, reference }, options(given)),
      );
      return made.id;
    },
    async reverse(given) {
      const made = await ask((stripe) =>
        stripe.tax.transactions.createReversal(
          {
            mode: 'partial',
            original_transaction: given.transaction,
            reference: given.reference,
            flat_amount: -given.amountCents,
          },
          options(given),
        ),
      );
      return made.id;
    },
  };
}
