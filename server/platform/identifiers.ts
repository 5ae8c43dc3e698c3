import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Addresses that many machines share, so that they reveal nothing about a person. */
const SHARED_RANGES = new Set([
  'private',
  'loopback',
  'linkLocal',
  'uniqueLocal',
  'unspecified',
  'broadcast',
  'multicast',
  'carrierGradeNat',
]);

/**
 * Returns an IP address as hex of 16 bytes, IPv4 in its mapped form. Null for an invalid address, and for private and
 * similar ranges.
 */
export function ipHex(text: string): string | null {
  const plain = text.trim();
  if (isIP(plain) === 0) return null; // ipaddr.js would parse 1.2 as 1.0.0.2
  const address = ipaddr.process(plain);
  if (SHARED_RANGES.has(address.range())) return null;
  const bytes =
    address.kind() === 'ipv4'
      ? (address as ipaddr.IPv4).toIPv4MappedAddress().toByteArray()
      : address.toByteArray();
  return Buffer.from(bytes).toString('hex');
}

/** The address of such bytes, as it is written. */
export const ipText = (bytes: Uint8Array): string => {
  const address = ipaddr.fromByteArray([...bytes]) as ipaddr.IPv6;
  return address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : address.toString();
};

/**
 * Returns a UUID (visitor id, advertising id) as hex; null if it is not one, and for the all-zero id of people who opted
 * out.
 */
export function uuidHex(text: string): string | null {
  const value = text.trim().toLowerCase().replaceAll('-', '');
  return /^[0-9a-f]{32}$/.test(value) && !/^0+$/.test(value) ? value : null;
}
