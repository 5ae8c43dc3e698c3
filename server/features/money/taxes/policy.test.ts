import fc from 'fast-check';
import { expect, test } from 'vitest';
import { percentOf, ppmOf, rateOf, reversalOf, taxMicros } from './policy.ts';

test('a rate of its own goes before the state, the state before the country, and an exemption before all', () => {
  const state = { name: 'Sales tax', rate_ppm: 62_500 };
  const country = { name: 'VAT', rate_ppm: 200_000 };
  const plain = { is_exempt: false, rate_name: '', rate_ppm: null };
  expect(rateOf(undefined, state, country)).toEqual(state);
  expect(rateOf(plain, undefined, country)).toEqual(country);
  expect(rateOf({ ...plain, rate_ppm: 10_000 }, state, country)).toEqual({ name: 'Tax', rate_ppm: 10_000 });
  expect(rateOf({ ...plain, rate_ppm: 0 }, state, country)).toBeNull();
  expect(rateOf({ ...plain, is_exempt: true }, state, country)).toBeNull();
  expect(rateOf(plain, undefined, undefined)).toBeNull();
});

test('credits of a document that is a sale only in part reverse exactly that part together', () => {
  const sale = { amount_micros: 20_000_000n, tax_micros: 1_650_000n };
  const document = { total_micros: 31_650_000n, credited_micros: 0n };
  const first = reversalOf(sale, document, 10_000_000n);
  const rest = reversalOf(sale, { ...document, credited_micros: 10_000_000n }, 21_650_000n);
  expect([first, first + rest]).toEqual([6_840_000n, 21_650_000n]);
  const receipt = { total_micros: 20_000_000n, credited_micros: 0n };
  expect(reversalOf(sale, receipt, 5_000_000n)).toBe(5_000_000n);
});

test('tax is in whole cents and within half a cent, on top or included, and both agree', () => {
  expect(taxMicros(100_000_000n, 82_500, false)).toBe(8_250_000n);
  expect(taxMicros(108_250_000n, 82_500, true)).toBe(8_250_000n);
  expect(taxMicros(180_000n, 250_000, false)).toBe(50_000n); // 4.5 cents
  fc.assert(
    fc.property(fc.bigInt(0n, 10_000_000n), fc.integer({ min: 0, max: 500_000 }), (cents, ppm) => {
      const amount = cents * 10_000n;
      const tax = taxMicros(amount, ppm, false);
      expect(tax % 10_000n).toBe(0n);
      const off = tax * 1_000_000n - amount * BigInt(ppm);
      expect((off < 0n ? -off : off) <= 5_000n * 1_000_000n).toBe(true);
      expect(taxMicros(amount + tax, ppm, true)).toBe(tax);
      expect(ppmOf(percentOf(ppm))).toBe(ppm);
    }),
  );
});
