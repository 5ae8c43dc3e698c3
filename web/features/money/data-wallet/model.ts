import { microsTyped } from '../../../../contract/dollars.ts';
import { minimumOf, missedMinimum, WALLET_PRESETS } from '../../../../contract/money/data-wallet.ts';
import { money } from '../../../ui/format.ts';

/** Returns what is kept of a typed amount: digits and one decimal point with at most two places after it. */
export function cleanAmount(typed: string, before: string): string {
  return /^\d{0,6}(\.\d{0,2})?$/.test(typed) ? typed : before;
}

/** Whether a key is allowed in the amount field (spec calls 5); keys that type nothing are allowed. */
export function keyAllowed(
  event: { key: string; ctrlKey: boolean; metaKey: boolean },
  value: string,
): boolean {
  if (event.ctrlKey || event.metaKey || event.key.length > 1) return true;
  return /^\d$/.test(event.key) || (event.key === '.' && !value.includes('.'));
}

/** Returns the minimum that the amount does not reach, as messages show it; null if there is none. */
export function missed(amount: string, custom: boolean): string | null {
  const minimum = missedMinimum(BigInt(microsTyped(amount)), custom);
  return minimum === null ? null : String(minimum);
}

/** Returns the amount after the field loses focus: raised to the minimum if it is below it. */
export function raised(amount: string, custom: boolean): string {
  return missed(amount, custom) ?? (amount === '' || amount === '.' ? '0' : String(Number(amount)));
}

/** Returns the preset that matches an amount; null if none does, or for a custom amount. */
export const presetOf = (amount: string, custom: boolean): number | null =>
  custom || amount === '' ? null : (WALLET_PRESETS.find((preset) => preset === Number(amount)) ?? null);

/** Returns the amount after custom mode is turned on (raised to its minimum) or off (0). */
export const switched = (amount: string, custom: boolean): string =>
  custom ? String(Math.max(Number(amount || '0'), minimumOf(true))) : '0';

/** Formats an amount, typed or received, as '1,000' or '1,000.50'. */
export const dollars = (amount: string): string => signed(amount).replace('$', '').replace(/\.00$/, '');

/** Formats US dollars with the sign before the currency symbol: '-12.5' -> '−$12.50'; `unit` shows parts of a cent. */
export const signed = (amount: string, unit = false): string => money(microsTyped(amount), { unit });
