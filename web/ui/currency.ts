import { microsOrNull } from '../../contract/dollars.ts';
import { LOCALE } from './format.ts';

/**
 * Returns what a price input holds after a keystroke: digits and one decimal point only, otherwise it is reset to 0
 * (spec product 5).
 */
export function currencyTyped(text: string): string {
  return /^[0-9]*(\.[0-9]*)?$/.test(text) ? text : '0';
}

/** Converts a typed amount to the calls' format: '' stays, '.5' becomes '0.5', '007.' becomes '7'. */
export function currencyPlain(text: string): string {
  if (text === '') return '';
  const [whole = '', part = ''] = text.split('.');
  const bare = whole.replace(/^0+/, '') || '0';
  return part === '' ? bare : `${bare}.${part}`;
}

/** Formats an amount for display after the field loses focus, without the dollar sign: '1234.5' -> '1,234.50'. */
export function currencyShown(text: string): string {
  if (text === '') return '';
  const [whole = '0', part = ''] = currencyPlain(text).split('.');
  return `${new Intl.NumberFormat(LOCALE).format(BigInt(whole))}.${part.padEnd(2, '0')}`;
}

/** Whether an amount is less than another; neither has to be well-formed ('' is 0). */
export const isBelow = (text: string, least: string): boolean =>
  (microsOrNull(text, Infinity) ?? 0n) < (microsOrNull(least, Infinity) ?? 0n);

/** Returns why a text is not an amount with at most `places` decimal places, in words; null if it is one. */
export function currencyFault(text: string, places: number): string | null {
  const [whole = '', part = ''] = currencyPlain(text).split('.');
  if (whole.length > 9) return 'Enter 999,999,999 or less';
  if (/[1-9]/.test(part.slice(places)))
    return places === 2 ? 'Use whole cents' : `Use up to ${places} decimal places`;
  return null;
}
