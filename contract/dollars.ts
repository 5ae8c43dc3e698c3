// All parsing and formatting of amounts. Separate from primitives.ts, which pulls in zod, because screens also
// calculate with these.

const MICROS = 1_000_000n;
/** The sign of negative numbers wherever people read them; programs and files get a hyphen. */
export const MINUS = '−';
/** Digits with at most one decimal point, and a minus sign if negative; nothing else is an amount. */
const AMOUNT = /^(-?)(\d*)(?:\.(\d*))?$/;

/**
 * Micro-dollars of a dollar amount ('2.50' -> 2500000n, '-.5' -> -500000n); null if it is not an amount or has more
 * decimals than `places`.
 */
export function microsOrNull(text: string, places = 6): bigint | null {
  const found = AMOUNT.exec(text);
  const [, sign = '', whole = '', part = ''] = found ?? [];
  if (!found || whole + part === '' || /[1-9]/.test(part.slice(places))) return null;
  const value = BigInt(whole) * MICROS + BigInt(part.slice(0, 6).padEnd(6, '0'));
  return sign ? -value : value;
}

/**
 * Micro-dollars of a dollar amount ('2.50' -> 2500000n, '-38.20' -> -38200000n).
 * @throws RangeError if it is not an amount
 */
export function microsOf(dollars: string): bigint {
  const micros = microsOrNull(dollars);
  if (micros === null) throw new RangeError(`${JSON.stringify(dollars)} is not a dollar amount`);
  return micros;
}

/** A dollar amount, with two to six decimal places, from micro-dollars (2500000 -> '2.50'). */
export function dollarsOf(micros: bigint | number): string {
  const value = BigInt(micros);
  const digits = (value < 0n ? -value : value).toString().padStart(7, '0');
  const part = digits.slice(-6).replace(/0{1,4}$/, '');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -6)}.${part}`;
}

/**
 * An amount as people read it: sign, dollar sign, thousands separators (1234500000 -> '$1,234.50'). Two decimal places,
 * rounded half away from zero; `unit` prices keep up to six, `whole` dollars have none. Amounts that round to zero have
 * no sign.
 * @param micros whole micro-dollars
 */
export function money(micros: bigint | number, options: { unit?: boolean; whole?: boolean } = {}): string {
  const value = BigInt(micros);
  const step = options.unit ? 1n : options.whole ? MICROS : 10_000n;
  const size = value < 0n ? -value : value;
  const rounded = ((size + step / 2n) / step) * step;
  const [whole = '', part = ''] = dollarsOf(rounded).split('.');
  const digits = new Intl.NumberFormat('en-US').format(BigInt(whole));
  return `${value < 0n && rounded > 0n ? MINUS : ''}${'$'}${digits}${options.whole ? '' : `.${part}`}`;
}

/** An amount in emails and on paper, where nothing is rounded (1234123400 -> '$1,234.1234'). */
export const usd = (micros: bigint | number): string => money(micros, { unit: true });

/** Micro-dollars of a field's content, as a number for screens to calculate with; 0 if it is not an amount. */
export const microsTyped = (text: string): number => Number(microsOrNull(text) ?? 0n);
