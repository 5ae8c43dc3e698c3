import { hash } from 'node:crypto';
import { domainToASCII } from 'node:url';
import { strip } from '../../../contract/text.ts';
import { normalEmail, normalPhone } from '../../platform/contacts.ts';

/** Kinds of an exclusion's value; 1, 3 and 6 are those of the identity keys. */
export const KIND = { sha256: 1, md5: 3, phone: 6, domain: 8 } as const;
export type Kind = (typeof KIND)[keyof typeof KIND];

/** What a file may hold: e-mail addresses, plain or as MD5 (spec calls 5), or entries of every kind. */
export type Accepts = 'email' | 'all';

/** The levels a list can stand at, from the widest. */
export type Level = 'root' | 'agency' | 'client' | 'campaign';

/** One entry as it is compared, in lowercase hex: a plain address by both of its hashes, the first of which counts it. */
export interface Entry {
  values: { kind: Kind; value: string }[];
  /** Known by this one hash alone, so that who is known by the other one alone cannot be compared. */
  only?: 'md5' | 'sha256';
}

/** Longer than any address; the patterns below take their time over dots. */
const LONGEST = 320;

/** What one value of a list says, or why it is none that may stand there. */
export function readEntry(text: string, accepts: Accepts): Entry | string {
  if (text.includes('\0')) return 'contains a NUL byte';
  const value = strip(text.trim(), '"\'<>').trim().toLowerCase();
  if (value.length > LONGEST) return `is longer than ${LONGEST} characters`;
  if (value.startsWith('=')) return 'is a formula, not an entry';
  if (/^[0-9a-f]{32}$/.test(value)) return { values: [{ kind: KIND.md5, value }], only: 'md5' };
  const email = normalEmail(value);
  if (email) {
    return {
      values: [
        { kind: KIND.sha256, value: hash('sha256', email) },
        { kind: KIND.md5, value: hash('md5', email) },
      ],
    };
  }
  if (accepts === 'email') return 'is not an e-mail address or an MD5 hash of one';
  if (/^[0-9a-f]{64}$/.test(value)) return { values: [{ kind: KIND.sha256, value }], only: 'sha256' };
  if (/^[0-9a-f]{40}$/.test(value)) return 'is a SHA-1 hash: use SHA-256, MD5 or the address itself';
  const phone = /^\+?[\d\s().-]{7,24}$/.test(value) ? phoneOf(value) : null;
  if (phone) return { values: [{ kind: KIND.phone, value: hex(phone) }] };
  const domain = value.includes('@', 1) ? null : domainOf(value.replace(/^@/, ''));
  if (domain) return { values: [{ kind: KIND.domain, value: hex(domain) }] };
  return 'is not an e-mail address, an MD5 or SHA-256 hash of one, a phone number or a domain';
}

const hex = (text: string): string => Buffer.from(text).toString('hex');

function phoneOf(text: string): string | null {
  if (/^\+\d{8,15}$/.test(text)) return text; // E.164 already, of whatever country
  return normalPhone(text);
}

function domainOf(text: string): string | null {
  const ascii = domainToASCII(text);
  return /^(?:[a-z0-9]+(?:-+[a-z0-9]+)*\.)+(?:[a-z]{2,}|xn--[a-z0-9-]+)$/.test(ascii) ? ascii : null;
}

/** The domain of an address and those above it (shop.acme.com, acme.com): who excludes one excludes what is below it. */
export function domainsOf(email: string): string[] {
  const labels = domainToASCII(email.toLowerCase().slice(email.lastIndexOf('@') + 1)).split('.');
  return labels.slice(0, -1).map((_, i) => labels.slice(i).join('.'));
}

const COLUMN_NAMES = new Set([
  ...[
    'email',
    'emails',
    'emailaddress',
    'mail',
    'emailmd5',
    'md5',
    'md5email',
    'hash',
    'emailhash',
    'md5hash',
  ],
  ...['sha256', 'emailsha256', 'sha256email', 'sha256hash', 'hashedemail'],
  ...['phone', 'phonenumber', 'phones', 'mobile', 'mobilephone', 'cell', 'domain', 'domains', 'emaildomain'],
]);

/** Which columns hold entries, where the first line names them; null: it names none, and is a row like any other. */
export function entryColumns(first: readonly string[]): number[] | null {
  const columns = first.flatMap((cell, i) =>
    COLUMN_NAMES.has(
      cell
        .trim()
        .toLowerCase()
        .replace(/[\s_"'-]/g, ''),
    )
      ? [i]
      : [],
  );
  return columns.length > 0 ? columns : null;
}

/** Reads a row: its entries, and the first value that is none with the reason. Without `columns` a row is one value. */
export function readRow(
  cells: readonly string[],
  columns: readonly number[] | null,
  accepts: Accepts,
): { entries: Entry[]; fault?: { reason: string; value: string } } {
  const given = columns ? columns.map((i) => cells[i] ?? '') : [...cells];
  const values = given.filter((cell) => cell.trim() !== '');
  if (!columns && values.length > 1) {
    const value = cells.slice(0, 20).join(',');
    return { entries: [], fault: { reason: 'holds more than one value', value: shown(value) } };
  }
  const entries: Entry[] = [];
  let fault: { reason: string; value: string } | undefined;
  if (values.length === 0) fault = { reason: 'holds no value', value: '' };
  for (const value of values) {
    const read = readEntry(value, accepts);
    if (typeof read !== 'string') entries.push(read);
    else fault ??= { reason: read, value: shown(value) };
  }
  return { entries, ...(fault ? { fault } : {}) };
}

const shown = (value: string): string => value.slice(0, 200).replaceAll('\0', '\ufffd');

/**
 * A file's name as it is kept (spec calls 5): spaces as underscores, lowercase, only letters, digits, underscore, dot and
 * dash. What is left of nothing is called list.csv.
 */
export function safeName(name: string): string {
  const safe = name
    .toLowerCase()
    .replace(/\s+/g, '_')
    .replace(/[^a-z0-9_.-]/g, '')
    .slice(-200);
  return /^[._-]*(csv)?$/.test(safe) ? 'list.csv' : safe;
}

/** Whether a file's name says that it is a CSV file. */
export const isCsv = (name: string): boolean => /\.csv$/i.test(name.trim());
