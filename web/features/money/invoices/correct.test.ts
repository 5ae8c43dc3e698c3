import { describe, expect, test } from 'vitest';
import { splitCredit } from './correct.ts';

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
});
