import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { GatewayError } from '../../platform/payments.ts';
import type { TaxQuestion } from '../../platform/tax.ts';
import { openStripe } from '../../test/stripe-bench.ts';
import { nameOf, taxIdOf } from './tax.ts';

const texas = { line1: '1 Main St', city: 'Austin', zip: '78701', state: 'TX', country: 'US' };
const sale = (more: Partial<TaxQuestion> = {}) => ({
  account: '',
  amountCents: 10_000,
  included: false,
  address: texas,
  taxId: '',
  isExempt: false,
  idempotencyKey: `key-${Math.random()}`,
  ...more,
});

describe('the Stripe Tax adapter', () => {
  let bench: Awaited<ReturnType<typeof openStripe>>;
  beforeEach(async () => {
    bench = await openStripe();
    bench.server.taxRates['US-TX'] = 8.25;
    bench.server.taxRates.DE = 19;
  });
  afterEach(() => bench.close());
  const failureOf = (given: ReturnType<typeof sale>) =>
    bench.tax.calculate(given).then(
      () => undefined,
      (error: GatewayError) => [error.code, error.field],
    );

  test('[PAY-04] calculates tax on top and included, exempt, reversed, and where nothing is collected', async () => {
    const { tax } = bench;
    expect(await tax.calculate(sale())).toMatchObject({ name: 'Sales tax 8.25%', taxCents: 825 });
    expect(await tax.calculate(sale({ amountCents: 10_825, included: true }))).toMatchObject({
      name: 'Sales tax 8.25%',
      taxCents: 825,
    });
    expect(await tax.calculate(sale({ isExempt: true }))).toMatchObject({ name: 'Tax exempt', taxCents: 0 });
    const berlin = { line1: '', city: 'Berlin', zip: '10115', state: '', country: 'DE' };
    expect(await tax.calculate(sale({ address: berlin }))).toMatchObject({ name: 'VAT 19%', taxCents: 1900 });
    expect(await tax.calculate(sale({ address: berlin, taxId: 'DE 123456789' }))).toMatchObject({
      name: 'Reverse charge',
      taxCents: 0,
    });
    expect(await tax.calculate(sale({ address: { ...texas, state: 'OR' } }))).toMatchObject({
      name: '',
      taxCents: 0,
    });
    expect(bench.server.requests.at(-1)!.body).toMatchObject({
      currency: 'usd',
      customer_details: { address: { postal_code: '78701', line1: '1 Main St' }, address_source: 'billing' },
    });
  });

  test('[PAY-04] records a sale once and takes back no more than it was', async () => {
    const { tax, server } = bench;
    const { calculation } = await tax.calculate(sale());
    const given = { account: '', calculation, reference: 'inv', idempotencyKey: 'tax:inv' };
    const transaction = await tax.record(given);
    expect(await tax.record(given)).toBe(transaction);
    const back = (reference: string, amountCents: number) =>
      tax.reverse({ account: '', transaction, reference, amountCents, idempotencyKey: `tax:${reference}` });
    await back('note-1', 5000);
    await back('note-1', 5000);
    await back('note-2', 5825);
    await expect(back('note-3', 1)).rejects.toMatchObject({ code: 'invalid' });
    expect(server.taxReport()).toEqual([
      ['inv', 10_825],
      ['note-1', -5000],
      ['note-2', -5825],
    ]);
  });

  test('[PAY-04] says what is wrong, and never takes a lost answer for no tax', async () => {
    const { server } = bench;
    const path = /tax\/calculations$/;
    expect(await failureOf(sale({ address: { ...texas, zip: '' } }))).toEqual(['invalid', 'address']);
    expect(await failureOf(sale({ taxId: 'DE1+2' }))).toEqual(['invalid', 'tax_id']);
    server.taxInactive.add('');
    expect(await failureOf(sale())).toEqual(['account_not_ready', undefined]);
    server.taxInactive.clear();
    for (const [act, code] of [
      ['garbage', 'no_answer'],
      [{ status: 500, type: 'api_error' }, 'no_answer'],
      [{ status: 429, type: 'invalid_request_error' }, 'busy'],
      [{ status: 401, type: 'invalid_request_error' }, 'credentials'],
    ] as const) {
      server.faults.push({ path, at: 'before', act });
      expect(await failureOf(sale())).toEqual([code, undefined]);
    }
    server.faults.push({ path, at: 'before', act: 'drop', times: 2 });
    expect(await failureOf(sale())).toEqual(['no_answer', undefined]);
    await server.close();
    expect(await failureOf(sale())).toEqual(['unavailable', undefined]);
  });
});

test('tax numbers are told by how they are written, and rates of several places are one', () => {
  expect(taxIdOf('12-3456789', 'US')).toEqual({ type: 'us_ein', value: '12-3456789' });
  expect(taxIdOf('el 123456789', 'GR')).toEqual({ type: 'eu_vat', value: 'EL123456789' });
  expect(taxIdOf('GB123456789', 'GB')).toEqual({ type: 'gb_vat', value: 'GB123456789' });
  expect(taxIdOf('Certificate 7', 'US')).toBeUndefined();
  const rate = (percentage_decimal: string, amount: number, tax_type = 'sales_tax') => ({
    amount,
    inclusive: false,
    taxability_reason: 'standard_rated',
    taxable_amount: 1000,
    tax_rate_details: {
      country: 'US',
      state: 'TX',
      percentage_decimal,
      tax_type,
      flat_amount: null,
      rate_type: 'percentage',
    },
  });
  expect(
    nameOf([rate('6.25', 63), rate('2.0', 20), rate('1.5', 15, 'retail_delivery_fee'), rate('0.0', 0)]),
  ).toBe('Sales tax 8.25%, Retail delivery fee 1.5%');
});
