// Apart from primitives.ts, which brings zod along: screens reckon with these, too.

/** Micro-dollars of an amount of dollars ('2.50' -> 2500000n). */
export function microsOf(dollars: string): bigint {
  const [whole = '0', part = ''] = dollars.split('.');
  return BigInt(whole) * 1_000_000n + BigInt(part.padEnd(6, '0'));
}

/** An amount of dollars, with two to six places, of micro-dollars (2500000 -> '2.50'). */
export function dollarsOf(micros: bigint | number): string {
  const value = BigInt(micros);
  const digits = (value < 0n ? -value : value).toString().padStart(7, '0');
  const part = digits.slice(-6).replace(/0{1,4}$/, '');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -6)}.${part}`;
}

/** The same as people read it, with sign and thousands separators (1234500000 -> '$1,234.50'). */
export function usd(micros: bigint | number): string {
  const [whole = '', part = ''] = dollarsOf(micros).split('.');
  const digits = new Intl.NumberFormat('en-US').format(BigInt(whole.replace('-', '')));
  return `${whole.startsWith('-') ? '-' : ''}${'$'}${digits}.${part}`;
}
