import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** A phone number in its parts: '2025550123', 'US', '+1'. */
export interface Phone {
  number: string;
  country: string;
  calling: string;
}

/**
 * Reads a phone number as a user entered it, with the country or calling code chosen next to it. Null if it is not a
 * valid number of that country.
 */
export function readPhone(number: string, country = '', calling = ''): Phone | null {
  const code = country.toUpperCase();
  if (code && !isSupportedCountry(code)) return null;
  const prefix = calling.replace(/[^\d]/g, '');
  const text = number.trim().startsWith('+') || code || !prefix ? number : `+${prefix}${number}`;
  const found = parsePhoneNumberFromString(text, (code || 'US') as CountryCode);
  if (!found?.isValid()) return null;
  // Countries share calling codes; the chosen country stays if it has this code.
  if (code && found.country !== code && found.countryCallingCode !== prefix) return null;
  return {
    number: found.nationalNumber,
    country: code || found.country || '',
    calling: `+${found.countryCallingCode}`,
  };
}
