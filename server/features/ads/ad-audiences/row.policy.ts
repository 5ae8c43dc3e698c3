import { hash } from 'node:crypto';
import type { AudienceKind } from '../../../../contract/ads/audience-rules.ts';
import { US_STATES } from '../../../../contract/choices.ts';
import { strip } from '../../../../contract/text.ts';
import { normalEmail } from '../../../platform/contacts.ts';
import { ipHex, uuidHex } from '../../../platform/identifiers.ts';

/** The kinds of an audience's members; 1, 3, 5, and 7 are those of the graph's keys. */
export const MEMBER = { person: 0, sha256: 1, md5: 3, device: 5, ip: 7, address: 10 } as const;

/** One member of a list; the value is lowercase hex. */
export interface Member {
  kind: number;
  value: string;
  email?: string;
  address?: string;
  city?: string;
  state?: string;
  zip?: string;
}

const LONGEST = 320;
/** Columns with values that are read; a row of a thousand is no list of people. */
const MOST_COLUMNS = 5;
const shown = (value: string): string => value.slice(0, 200).replaceAll('\0', '\ufffd');

const NAMES: Record<Exclude<AudienceKind, 'address'>, ReadonlySet<string>> = {
  email: new Set([
    ...['email', 'emails', 'emailaddress', 'mail', 'emailsha256', 'sha256email', 'sha256', 'hashedemail'],
    ...['emailhash', 'emailmd5', 'md5email', 'md5', 'hash'],
  ]),
  device: new Set([
    ...['deviceid', 'device', 'mobiledeviceid', 'mobileid', 'madid', 'maid', 'idfa', 'gaid', 'aaid', 'adid'],
    ...['advertisingid'],
  ]),
  ip: new Set(['ip', 'ipaddress', 'ips', 'ipv4', 'ipv6']),
};
const PARTS = {
  address: new Set(['address', 'address1', 'addressline1', 'street', 'streetaddress', 'mailingaddress']),
  city: new Set(['city', 'town']),
  state: new Set(['state', 'statecode', 'region', 'province']),
  zip: new Set(['zip', 'zipcode', 'postalcode', 'postcode', 'zip5']),
} as const;
type Part = keyof typeof PARTS;

/** Which columns of a file are used: those with values of a kind, or the parts of an address. */
export type Columns = { values: number[] } | Record<Part, number>;

/**
 * Which columns the first line names; null if it names none and is a row like any other. Postal addresses need a line
 * that names them. Throws what is missing, for people to read.
 */
export function columnsOf(first: readonly string[], kind: AudienceKind): Columns | null {
  const heads = first.map((cell) =>
    cell
      .trim()
      .toLowerCase()
      .replace(/[\s_"'-]/g, ''),
  );
  if (kind !== 'address') {
    const values = heads.flatMap((head, i) => (NAMES[kind].has(head) ? [i] : []));
    return values.length > 0 ? { values: values.slice(0, MOST_COLUMNS) } : null;
  }
  const parts = Object.entries(PARTS).map(
    ([part, names]) => [part, heads.findIndex((head) => names.has(head))] as const,
  );
  const lacking = parts.filter(([, at]) => at < 0).map(([part]) => part);
  if (lacking.length > 0)
    throw new Error(
      `The first line must name the columns address, city, state, and zip. It has no ${lacking.join(', ')}.`,
    );
  return Object.fromEntries(parts) as Record<Part, number>;
}

const REASONS: Record<Exclude<AudienceKind, 'address'>, string> = {
  email: 'is not an email address, or the SHA-256 or MD5 hash of one',
  device: 'is not a mobile device ID (IDFA or GAID)',
  ip: 'is not an IP address of a single connection',
};

/** Reads one value, or returns why it cannot be used. */
export function readValue(text: string, kind: Exclude<AudienceKind, 'address'>): Member | string {
  if (text.includes('\0')) return 'contains a NUL byte';
  const value = strip(text.trim(), '"\'<>').trim().toLowerCase();
  if (value.length > LONGEST) return `is longer than ${LONGEST} characters`;
  if (kind === 'ip') {
    const ip = ipHex(value);
    return ip ? { kind: MEMBER.ip, value: ip } : REASONS.ip;
  }
  if (kind === 'device') {
    const id = uuidHex(value);
    return id ? { kind: MEMBER.device, value: id } : REASONS.device;
  }
  if (/^[0-9a-f]{64}$/.test(value)) return { kind: MEMBER.sha256, value };
  if (/^[0-9a-f]{32}$/.test(value)) return { kind: MEMBER.md5, value };
  const email = normalEmail(value);
  return email ? { kind: MEMBER.sha256, value: hash('sha256', email), email } : REASONS.email;
}

const STATE_CODES = new Map(
  Object.entries(US_STATES).flatMap(([code, name]) => [
    [code.toLowerCase(), code],
    [name.toLowerCase(), code],
  ]),
);

/** Reads a postal address of the United States, or returns why it cannot be used. */
export function readAddress(given: Record<Part, string>): Member | string {
  const plain = (text: string): string => text.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  const [address, city] = [plain(given.address), plain(given.city)];
  if (address === '') return 'has no street address';
  if (city === '') return 'has no city';
  if (address.length > 200 || city.length > 100) return 'is longer than an address can be';
  if (/^[=+@-]/.test(address)) return 'is a formula, not an address';
  const state = STATE_CODES.get(plain(given.state).toLowerCase());
  if (!state) return `has a state that is not one of the United States: ${shown(given.state.trim())}`;
  const zip = /^(\d{5})(?:-?\d{4})?$/.exec(plain(given.zip))?.[1];
  if (!zip) return `has a ZIP code that is not five digits: ${shown(given.zip.trim())}`;
  const form = address.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ');
  return { kind: MEMBER.address, value: hash('sha256', `${form}|${zip}`), address, city, state, zip };
}

/** Reads a row: its members, and the first value that cannot be used with the reason. Without `columns` a row is one value. */
export function readRow(
  cells: readonly string[],
  columns: Columns | null,
  kind: AudienceKind,
): { members: Member[]; fault?: { reason: string; value: string } } {
  if (columns && 'address' in columns) {
    const cell = (part: Part): string => cells[columns[part]] ?? '';
    const read = readAddress({
      address: cell('address'),
      city: cell('city'),
      state: cell('state'),
      zip: cell('zip'),
    });
    return typeof read === 'string'
      ? { members: [], fault: { reason: read, value: shown(cell('address')) } }
      : { members: [read] };
  }
  const values = (columns?.values.map((i) => cells[i] ?? '') ?? cells.slice(0, 1)).filter(
    (value) => value.trim() !== '',
  );
  if (values.length === 0) return { members: [], fault: { reason: 'contains no value', value: '' } };
  const members: Member[] = [];
  let fault: { reason: string; value: string } | undefined;
  for (const value of values) {
    const read = readValue(value, kind as Exclude<AudienceKind, 'address'>);
    if (typeof read !== 'string') members.push(read);
    else fault ??= { reason: read, value: shown(value) };
  }
  return { members, ...(fault ? { fault } : {}) };
}
