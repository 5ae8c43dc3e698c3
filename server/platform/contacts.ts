import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { strip } from '../../contract/text.ts';
import { type CountryCode, HOME_COUNTRY } from './countries.ts';

/** Returns an email address in its comparable form (trimmed, unquoted, lowercase), or null if it is not valid. */
export function normalEmail(text: string): string | null {
  const email = strip(text.trim(), '"\'<>').trim().toLowerCase().normalize('NFC');
  if (email.length > 254) return null;
  if (email.indexOf('@') > 64) return null;
  return /^[^\s@"'(),:;<>[\\\]\p{Cc}]+@(?:[\p{L}\p{N}]+(?:-+[\p{L}\p{N}]+)*\.)+[\p{L}\p{N}-]{2,}$/u.test(
    email,
  )
    ? email
    : null;
}

const NORTH_AMERICAN = /^(?:\+?1[ .-]?)?\(?([2-9]\d\d)\)?[ .-]?([2-9]\d\d)[ .-]?(\d{4})$/;
/** Whether North American numbers with these first six digits are valid: no rule looks at the last four. */
const prefixes = new Map<string, boolean>();

/**
 * Returns a phone number in E.164 (+15046218927), read as one of `country` if it does not include a country code; null
 * if it is not valid there. Without a country, only numbers that include theirs (+44 ...) are read.
 */
export function normalPhone(text: string, country: CountryCode | null = HOME_COUNTRY): string | null {
  const given = text.trim();
  const usual = country === 'US' || given.startsWith('+1') ? NORTH_AMERICAN.exec(given) : null;
  if (usual) {
    const prefix = usual[1]! + usual[2]!;
    const e164 = `+1${prefix}${usual[3]}`;
    let valid = prefixes.get(prefix);
    if (valid === undefined) {
      valid = parsePhoneNumberFromString(e164)?.isValid() ?? false;
      prefixes.set(prefix, valid);
    }
    return valid ? e164 : null;
  }
  const number = parsePhoneNumberFromString(given, country ?? undefined);
  return number?.isValid() ? number.number : null;
}
