const CENT = 10_000;

/** Whole micro-dollars of an amount as CurrencyInput gives it; null when it is none or has parts of a cent. */
export function microsOf(amount: string): number | null {
  if (!/^\d{1,9}(\.\d{1,2})?$/.test(amount)) return null;
  const [whole = '', part = ''] = amount.split('.');
  return Number(whole) * 1_000_000 + Number(part.padEnd(2, '0')) * CENT;
}

/** What a credit note of this much does: what it takes off what is due, and what it gives back of what was paid. */
export function splitCredit(
  invoice: { total_micros: number; credited_micros: number; due_micros: number; paid_micros: number },
  micros: number,
): { off: number; back: number; most: number } {
  const off = Math.min(micros, invoice.due_micros);
  return { off, back: micros - off, most: invoice.total_micros - invoice.credited_micros };
}
