import { describe, expect, test } from 'vitest';
import { microsOf, splitCredit } from './correct.ts';

describe('[PAY-04] what a credit note does', () => {
  const invoice = {
    total_micros: 100_000_000,
    credited_micros: 10_000_000,
    paid_micros: 60_000_000,
    due_micros: 30_000_000,
  };
  test('it lowers what is due first; the rest was paid and goes back', () => {
    expect(splitCredit(invoice, 20_000_000)).toEqual({ off: 20_000_000, back: 0, most: 90_000_000 });
    expect(splitCredit(invoice, 50_000_000)).toEqual({ off: 30_000_000, back: 20_000_000, most: 90_000_000 });
  });
  test('an amount is whole cents', () => {
    expect(microsOf('2.5')).toBe(2_500_000);
    expect(microsOf('1234.05')).toBe(1_234_050_000);
    expect(microsOf('0.1')).toBe(100_000);
    for (const wrong of ['', '-1', '1.234', '1e3', 'x']) expect(microsOf(wrong)).toBeNull();
  });
});
