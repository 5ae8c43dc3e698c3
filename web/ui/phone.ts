import {
  AsYouType,
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  getExampleNumber,
  isSupportedCountry,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { LOCALE } from './format.ts';
import type { PhoneValue, PhoneWire } from './phone.types.ts';

/**
 * Everything that is known about a number (spec product 3, Phone-number result); null for what cannot be determined.
 */
export interface PhoneResult {
  /** Two letters, such as US. */
  countryCode: string | null;
  isValid: boolean;
  /** As it was typed. */
  phoneNumber: string | null;
  /** Digits without the plus, such as 1. */
  countryCallingCode: string | null;
  nationalNumber: string | null;
  formatInternational: string | null;
  formatNational: string | null;
  e164: string | null;
  /** Such as MOBILE or FIXED_LINE; null if the number plan does not say. */
  type: string | null;
  /** tel:+12015550123 */
  uri: string | null;
}

const countryOf = (code: string): CountryCode | undefined => (isSupportedCountry(code) ? code : undefined);

/** Normalizes pasted text for the parser: drops 'tel:', treats '00' as '+', and converts other digits to ours. */
function plain(text: string): string {
  return text
    .normalize('NFKC')
    .trim()
    .replace(/^tel:/i, '')
    .replace(/^00(?=\s*[1-9])/, '+')
    .trim();
}

const isInternational = (text: string): boolean => plain(text).replace(/^\(/, '').startsWith('+');

function parse({ country, number }: PhoneValue): PhoneNumber | undefined {
  return parsePhoneNumberFromString(plain(number), countryOf(country));
}

/** Returns everything about a number. A number without a country is never valid. */
export function phoneResult(value: PhoneValue): PhoneResult {
  const found = parse(value);
  const country = found?.country ?? countryOf(value.country);
  return {
    countryCode: country ?? null,
    isValid: Boolean(found?.isValid() && found.country),
    phoneNumber: value.number.trim() || null,
    countryCallingCode: found?.countryCallingCode ?? (country ? getCountryCallingCode(country) : null),
    nationalNumber: found?.nationalNumber ?? null,
    formatInternational: found?.formatInternational() ?? null,
    formatNational: found?.formatNational() ?? null,
    e164: found?.number ?? null,
    type: found?.getType() ?? null,
    uri: found?.getURI() ?? null,
  };
}

/** Returns the value after typing or pasting; a number with a country code ('+44 …') selects its country. */
export function typed(value: PhoneValue, text: string): PhoneValue {
  if (!isInternational(text)) return { ...value, number: text };
  const asYouType = new AsYouType();
  asYouType.input(plain(text));
  const country = parsePhoneNumberFromString(plain(text))?.country ?? asYouType.getCountry();
  return { country: country ?? value.country, number: text };
}

/**
 * Returns the value after a country is chosen: a number typed with another country's code keeps only its national part.
 */
export function withCountry(value: PhoneValue, country: string): PhoneValue {
  if (!country || !isInternational(value.number)) return { ...value, country };
  const found = parse(value);
  return { country, number: found && found.country !== country ? found.nationalNumber : value.number };
}

/** Returns the value as it is shown when the field loses focus: a valid number in its country's own format. */
export function tidied(value: PhoneValue): PhoneValue {
  const result = phoneResult(value);
  if (!result.isValid || !result.countryCode || !result.formatNational) return value;
  return { country: result.countryCode, number: result.formatNational };
}

/** Returns a hint for fixing an unfinished number (spec product 5); empty if the number is valid or empty. */
export function hintOf(value: PhoneValue): { country?: string; number?: string } {
  const result = phoneResult(value);
  if (!value.number.trim() || result.isValid) return {};
  if (!result.countryCode) return { country: 'Choose country' };
  const example = getExampleNumber(result.countryCode as CountryCode, examples)?.formatNational();
  return example ? { number: `Example: ${example}` } : {};
}

/** Returns the parts to send; all are empty for an empty number. Undefined while the number is not valid. */
export function wireOf(value: PhoneValue): PhoneWire | undefined {
  if (!value.number.trim()) return { phone: '', phone_country: '', phone_calling: '' };
  const { isValid, nationalNumber, countryCode, countryCallingCode } = phoneResult(value);
  if (!isValid || !nationalNumber || !countryCode) return undefined;
  return {
    phone: nationalNumber,
    phone_country: countryCode,
    phone_calling: `+${countryCallingCode}`,
  };
}

export interface Country {
  code: string;
  name: string;
  /** With the plus: +1. */
  callingCode: string;
}

/** Every country that has numbers, by name. */
export function countries(): Country[] {
  const names = new Intl.DisplayNames([LOCALE], { type: 'region' });
  return getCountries()
    .map((code) => ({ code, name: names.of(code) ?? code, callingCode: `+${getCountryCallingCode(code)}` }))
    .sort((a, b) => a.name.localeCompare(b.name, LOCALE));
}
