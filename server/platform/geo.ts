import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import ipaddr from 'ipaddr.js';
import { type CountryResponse, Reader } from 'mmdb-lib';

const file = createRequire(import.meta.url).resolve(
  '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb',
);
let reader: Reader<CountryResponse> | undefined;
const names = new Intl.DisplayNames('en', { type: 'region' });

/**
 * Returns where an address is, from data that ships with the product (no request leaves the machine): the country in
 * English, 'Local network' for a local address, null if it is unknown or not an address.
 */
export function locate(ip: string | null): string | null {
  if (!ip || !ipaddr.isValid(ip)) return null;
  if (ipaddr.process(ip).range() !== 'unicast') return 'Local network';
  const code = countryOf(ip);
  return code ? (names.of(code) ?? code) : null;
}

/**
 * Returns an address in its familiar form: without the IPv6 form that a dual-stack socket gives an IPv4 address,
 * `::ffff:192.0.2.1`.
 */
export const plainAddress = (ip: string): string =>
  /^::ffff:/i.test(ip) && ipaddr.isValid(ip) ? ipaddr.process(ip).toString() : ip;

/** The country code (ISO 3166-1) of an address; null when it is unknown, local or not an address. */
export function countryOf(ip: string | null): string | null {
  if (!ip || !ipaddr.isValid(ip)) return null;
  const address = ipaddr.process(ip);
  if (address.range() !== 'unicast') return null;
  reader ??= new Reader<CountryResponse>(readFileSync(file));
  const found = reader.get(address.toString()) as {
    country_code?: string;
    country?: { iso_code?: string };
  } | null;
  return found?.country_code ?? found?.country?.iso_code ?? null;
}
