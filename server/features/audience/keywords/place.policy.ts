import { hash } from 'node:crypto';
import { US_STATES } from '../../../../contract/choices.ts';

/** The kinds of places a target can have: national, or matched by one of a signal's numbers. */
export const PLACE = { national: 0, state: 1, city: 2, zip: 3 } as const;

/** A target's location as users set it: two-letter states, cities as 'Austin, TX', five-digit zip codes. */
export interface Target {
  location: 'national' | 'state' | 'zip';
  states: string[];
  cities: string[];
  zips: string[];
}

export interface Place {
  kind: (typeof PLACE)[keyof typeof PLACE];
  place: bigint;
}

const CODES = new Map(
  Object.entries(US_STATES).flatMap(([code, name]) => [
    [code, code],
    [name.toUpperCase(), code],
  ]),
);

/** The code of a state by its code or name in any case, or null. */
export function stateCode(text: string): string | null {
  return CODES.get(text.trim().toUpperCase()) ?? null;
}

/** The number of a state by its two-letter code. */
export function stateNumber(code: string): number {
  return (code.charCodeAt(0) - 65) * 26 + code.charCodeAt(1) - 64;
}

/** The two-letter code of a state's number. */
export function stateOfNumber(number: number): string {
  return String.fromCharCode(65 + Math.floor((number - 1) / 26), 65 + ((number - 1) % 26));
}

/** The zip code for its number. */
export const zipOfNumber = (number: number): string => String(number).padStart(5, '0');

/** The number of a zip code (five digits, or ZIP+4; leading zeros may be missing), or null. */
export function zipNumber(text: string): number | null {
  const digits = /^(\d{3,5})(?:-?\d{4})?$/.exec(text.trim())?.[1];
  return digits === undefined ? null : Number(digits);
}

const SHORT: Record<string, string> = { st: 'saint', ste: 'sainte', ft: 'fort', mt: 'mount' };
const cities = new Map<string, bigint>();

/**
 * The number of a city in a state (two-letter code); the same for 'St. Louis' and 'saint louis'. Null if there is no
 * name.
 */
export function cityNumber(city: string, code: string): bigint | null {
  const given = `${code}|${city}`;
  let number = cities.get(given);
  if (number === undefined) {
    const name = city
      .normalize('NFKD')
      .replace(/\p{M}+/gu, '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim()
      .split(' ')
      .map((word) => SHORT[word] ?? word)
      .join(' ');
    if (name === '') return null;
    if (cities.size >= 100_000) cities.clear();
    // 62 bits of a hash: no two cities are expected to share a number until there are hundreds of millions of them.
    number = hash('sha256', `${code} ${name}`, 'buffer').readBigUInt64BE(0) >> 2n;
    cities.set(given, number);
  }
  return number;
}

/** The city and state of 'Austin, TX', or null. */
export function cityOf(text: string): { city: string; code: string } | null {
  const comma = text.lastIndexOf(',');
  const city = text.slice(0, Math.max(0, comma)).trim();
  const code = city && stateCode(text.slice(comma + 1).trim());
  return code ? { city, code } : null;
}

/**
 * A target in the form used for matching: the kind and number of each place, without duplicates. If cities of a state
 * are named, the state means only those cities.
 */
export function placesOf(target: Target): Place[] {
  if (target.location === 'national') return [{ kind: PLACE.national, place: 0n }];
  const found = new Map<string, Place>();
  const add = (kind: Place['kind'], place: bigint | number | null) => {
    if (place !== null) found.set(`${kind} ${place}`, { kind, place: BigInt(place) });
  };
  if (target.location === 'zip') {
    for (const zip of target.zips) add(PLACE.zip, zipNumber(zip));
    return [...found.values()];
  }
  const narrowed = new Set<string>();
  for (const text of target.cities) {
    const one = cityOf(text);
    if (!one) continue;
    narrowed.add(one.code);
    add(PLACE.city, cityNumber(one.city, one.code));
  }
  for (const text of target.states) {
    const code = stateCode(text);
    if (code && !narrowed.has(code)) add(PLACE.state, stateNumber(code));
  }
  return [...found.values()];
}
