/** Splits a credit note of this amount into what it takes off the amount due and what it refunds of the amount paid. */
export function splitCredit(
  invoice: { total_micros: number; credited_micros: number; due_micros: number; paid_micros: number },
  micros: number,
): { off: number; back: number; most: number } {
  const off = Math.min(micros, invoice.due_micros);
  return { off, back: micros - off, most: invoice.total_micros - invoice.credited_micros };
}
