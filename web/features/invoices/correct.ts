/** What a credit note of this much does: what it takes off what is due, and what it gives back of what was paid. */
export function splitCredit(
  invoice: { total_micros: number; credited_micros: number; due_micros: number; paid_micros: number },
  micros: number,
): { off: number; back: number; most: number } {
  const off = Math.min(micros, invoice.due_micros);
  return { off, back: micros - off, most: invoice.total_micros - invoice.credited_micros };
}
