import { microsTyped } from '../../../contract/dollars.ts';
import { minimumOf, missedMinimum, WALLET_PRESETS } from '../../../contract/wallet.ts';
import { money } from '../../ui/format.ts';

/** What of a typed amount stays: digits and one decimal point, at most two places behind it. */
export function cleanAmount(typed: string, before: string): string {
  return /^\d{0,6}(\.\d{0,2})?$/.test(typed) ? typed : before;
}

/** Whether a key may be pressed in the amount field (spec calls 5); keys that type nothing pass. */
export function keyAllowed(
  event: { key: string; ctrlKey: boolean; metaKey: boolean },
  value: string,
): boolean {
  if (event.ctrlKey || event.metaKey || event.key.length > 1) return true;
  return /^\d$/.test(event.key) || (event.key === '.' && !value.includes('.'));
}

/** The minimum that the amount misses, as it stands in messages; null: none. */
export function missed(amount: string, custom: boolean): string | null {
  const minimum = missedMinimum(BigInt(microsTyped(amount)), custom);
  return minimum === null ? null : String(minimum);
}

/** The amount after the field was left: raised to the minimum that it misses. */
export function raised(amount: string, custom: boolean): string {
  return missed(amount, custom) ?? (amount === '' || amount === '.' ? '0' : String(Number(amount)));
}

/** The preset that an amount is; null: none, or a custom amount. */
export const presetOf = (amount: string, custom: boolean): number | null =>
  custom || amount === '' ? null : (WALLET_PRESETS.find((preset) => preset === Number(amount)) ?? null);

/** The amount after custom mode was turned on (raised to its minimum) or off (0). */
export const switched = (amount: string, custom: boolean): string =>
  custom ? String(Math.max(Number(amount || '0'), minimumOf(true))) : '0';

/** '1,000' or '1,000.50' of an amount as it was typed or as it came. */
export const dollars = (amount: string): string => signed(amount).replace('$', '').replace(/\.00$/, '');

/** US dollars with a sign before the currency's: '-12.5' -> '-$12.50'. */
export const signed = (amount: string): string => money(microsTyped(amount));
