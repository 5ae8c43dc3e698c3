// Every reading and writing of an amount. Apart from primitives.ts, which brings zod along: screens reckon with these, too.

const MICROS = 1_000_000n;
/** Digits with at most one point between or beside them, with a sign below zero; nothing else is an amount. */
const AMOUNT = /^(-?)(\d*)(?:\.(\d*))?$/;

/** Micro-dollars of an amount of dollars ('2.50' -> 2500000n, '-.5' -> -500000n); null for what is none, or is finer than `places`. */
export function microsOrNull(text: string, places = 6): bigint | null {
  const found = AMOUNT.exec(text);
  const [, sign = '', whole = '', part = ''] = found ?? [];
  if (!found || whole + part === '' || /[1-9]/.test(part.slice(places))) return null;
  const value = BigInt(whole) * MICROS + BigInt(part.slice(0, 6).padEnd(6, '0'));
  return sign ? -value : value;
}

/** Micro-dollars of an amount of dollars ('2.50' -> 2500000n, '-38.20' -> -38200000n). @throws RangeError for what is none */
export function microsOf(dollars: string): bigint {
  const micros = microsOrNull(dollars);
  if (micros === null) throw new RangeError(`${JSON.stringify(dollars)} is not a dollar amount`);
  return micros;
}

/** An amount of dollars, with two to six places, of micro-dollars (2500000 -> '2.50'). */
export function dollarsOf(micros: bigint | number): string {
  const value = BigInt(micros);
  const digits = (value < 0n ? -value : value).toString().padStart(7, '0');
  const part = digits.slice(-6).replace(/0{1,4}$/, '');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -6)}.${part}`;
}

/**
 * An amount as people read it: sign, dollar sign, thousands separators (1234500000 -> '$1,234.50'). Two places, rounded half
 * away from zero; `unit` prices keep up to six, `whole` dollars have none. What rounds to nothing has no sign.
 * @param micros whole micro-dollars
 */
export function money(micros: bigint | number, options: { unit?: boolean; whole?: boolean } = {}): string {
  const value = BigInt(micros);
  const step = options.unit ? 1n : options.whole ? MICROS : 10_000n;
  const size = value < 0n ? -value : value;
  const rounded = ((size + step / 2n) / step) * step;
  const [whole = '', part = ''] = dollarsOf(rounded).split('.');
  const digits = new Intl.NumberFormat('en-US').format(BigInt(whole));
  return `${value < 0n && rounded > 0n ? '-' : ''}${'$'}${digits}${options.whole ? '' : `.${part}`}`;
}

/** An amount in mails and on paper, where nothing is rounded away (1234123400 -> '$1,234.1234'). */
export const usd = (micros: bigint | number): string => money(micros, { unit: true });

/** Micro-dollars of what stands in a field, as a number that screens reckon with; 0 for what is no amount. */
export const microsTyped = (text: string): number => Number(microsOrNull(text) ?? 0n);
