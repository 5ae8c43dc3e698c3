import { type CountryCode, getCountries, isSupportedCountry } from 'libphonenumber-js/min';

export type { CountryCode };

/** The country of a phone number without a country code. */
export const HOME_COUNTRY: CountryCode = 'US';

/** Additional names that the language data lacks, in lower case, letters only. */
const ALSO: Record<string, CountryCode> = {
  usa: 'US',
  america: 'US',
  unitedstatesofamerica: 'US',
  uk: 'GB',
  gbr: 'GB',
  greatbritain: 'GB',
  britain: 'GB',
  england: 'GB',
  scotland: 'GB',
  wales: 'GB',
  northernireland: 'GB',
  can: 'CA',
  aus: 'AU',
  irl: 'IE',
  nzl: 'NZ',
  deu: 'DE',
  fra: 'FR',
  esp: 'ES',
  ita: 'IT',
  nld: 'NL',
  holland: 'NL',
  mex: 'MX',
  ind: 'IN',
  zaf: 'ZA',
};

let names: Map<string, CountryCode> | undefined;
const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}]/gu, '');

/** The country (two letters) that a text names by its code or its English name, or null. */
export function countryOf(text: string): CountryCode | null {
  const given = text.trim();
  if (given.length > 60) return null;
  const code = given.toUpperCase();
  if (code.length === 2 && isSupportedCountry(code)) return code;
  if (!names) {
    const english = new Intl.DisplayNames('en', { type: 'region' });
    names = new Map(getCountries().map((one) => [plain(english.of(one) ?? one), one]));
    for (const [name, one] of Object.entries(ALSO)) names.set(name, one);
  }
  return names.get(plain(given)) ?? null;
}
