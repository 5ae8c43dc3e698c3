import { hash } from 'node:crypto';
import { domainToASCII, domainToUnicode } from 'node:url';
import { strip } from '../../../../contract/text.ts';
import { normalEmail, normalPhone } from '../../../platform/contacts.ts';
import { type CountryCode, HOME_COUNTRY } from '../../../platform/countries.ts';

/**
 * Kinds of an exclusion's value; 1, 3 and 6 are those of the identity keys. `mailbox`: an address without the parts
 * Gmail ignores.
 */
export const KIND = { sha256: 1, md5: 3, phone: 6, domain: 8, mailbox: 9, phoneHash: 10 } as const;
export type Kind = (typeof KIND)[keyof typeof KIND];

/**
 * What a file may hold: email addresses, plain or as MD5 (spec calls 5), entries of every kind, or customers, each with
 * their name.
 */
export type Accepts = 'email' | 'all' | 'customers';

/** What a list is for: people who never become leads, or known customers: never charged for, reported by alerts. */
export type Use = 'exclude' | 'customers';
/** What the user log calls a list. */
export const nounOf = (use: Use): string => (use === 'customers' ? 'customer list' : 'exclusion list');

/** The levels a list can have, from the widest. */
export type Level = 'root' | 'agency' | 'client' | 'campaign';

/**
 * One entry in the form used for comparison, in lowercase hex: a plain address by all hashes that it may be known by;
 * the first one counts it.
 */
export interface Entry {
  values: { kind: Kind; value: string }[];
  /** Known only by this hash, so that a person known only by the other one cannot be compared. */
  only?: 'md5' | 'sha256';
  /** What the client calls this customer; only on lists of customers. */
  label?: string;
}

/** Longer than any address; the patterns below are slow on many dots. */
const LONGEST = 320;

/**
 * Reads one value of a list, or returns why it is not a valid entry. `ignoreAliases`: Gmail addresses stand for all
 * that reach the same mailbox. `country`: the country of phone numbers that do not state one.
 */
export function readEntry(
  text: string,
  accepts: Accepts,
  ignoreAliases = false,
  country: CountryCode = HOME_COUNTRY,
): Entry | string {
  if (text.includes('\0')) return 'contains a NUL byte';
  const value = strip(text.trim(), '"\'<>').trim().toLowerCase().normalize('NFC');
  if (value.length > LONGEST) return `is longer than ${LONGEST} characters`;
  if (value.startsWith('=')) return 'is a formula, not an entry';
  if (/^[0-9a-f]{32}$/.test(value)) return { values: [{ kind: KIND.md5, value }], only: 'md5' };
  const email = normalEmail(value);
  if (email) {
    const mailbox = ignoreAliases ? mailboxOf(email) : null;
    const forms = new Set([...formsOf(email), ...(mailbox ? [mailbox] : [])]);
    return {
      values: [
        ...[...forms].flatMap((form) => [
          { kind: KIND.sha256, value: hash('sha256', form) },
          { kind: KIND.md5, value: hash('md5', form) },
        ]),
        ...(mailbox ? [mailboxKey(mailbox)] : []),
      ],
    };
  }
  if (accepts === 'email') return 'is not an email address or an MD5 hash of one';
  if (/^[0-9a-f]{64}$/.test(value)) return { values: [{ kind: KIND.sha256, value }], only: 'sha256' };
  if (/^[0-9a-f]{40}$/.test(value)) return 'is a SHA-1 hash. Use SHA-256, MD5, or the address itself';
  const phone = /^\+?[\d\s().-]{7,24}$/.test(value) ? phoneOf(value, country) : null;
  if (phone) return { values: [{ kind: KIND.phone, value: hex(phone) }] };
  if (accepts === 'customers')
    return 'is not an email address, an MD5 or SHA-256 hash of one, or a phone number';
  const domain = value.includes('@', 1) ? null : domainOf(value.replace(/^@/, ''));
  if (domain) return { values: [{ kind: KIND.domain, value: hex(domain) }] };
  return 'is not an email address, an MD5 or SHA-256 hash of one, a phone number, or a domain';
}

/**
 * Returns the spellings of one address that its hash may be based on: its domain in international letters and in ASCII
 * form, letters with their accents composed and decomposed. The first is the comparable form.
 */
function formsOf(email: string): string[] {
  if (isAscii(email) && !email.includes('xn--')) return [email];
  const at = email.lastIndexOf('@');
  const local = email.slice(0, at + 1);
  const ascii = domainToASCII(email.slice(at + 1));
  if (!ascii) return [email];
  const unicode = domainToUnicode(ascii);
  return [
    ...new Set(
      [email, `${local}${ascii}`, `${local}${unicode}`].flatMap((form) => [form, form.normalize('NFD')]),
    ),
  ];
}

const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;

/** Returns the canonical form of a Gmail address: no dots, nothing after a plus sign, one domain. Null for others. */
export function mailboxOf(email: string): string | null {
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1);
  if (domain !== 'gmail.com' && domain !== 'googlemail.com') return null;
  const [local = ''] = email.slice(0, at).split('+', 1);
  const plain = local.replaceAll('.', '');
  return plain === '' ? null : `${plain}@gmail.com`;
}

const mailboxKey = (mailbox: string): { kind: Kind; value: string } => ({
  kind: KIND.mailbox,
  value: hash('sha256', mailbox),
});

/**
 * Returns the key by which a Gmail address is looked up in lists that ignore its dots and plus part; null for others.
 */
export function aliasKey(email: string): { kind: Kind; value: Buffer } | null {
  const mailbox = mailboxOf(email.toLowerCase());
  return mailbox ? { kind: KIND.mailbox, value: Buffer.from(mailboxKey(mailbox).value, 'hex') } : null;
}

const hex = (text: string): string => Buffer.from(text).toString('hex');

function phoneOf(text: string, country: CountryCode): string | null {
  if (/^\+\d{8,15}$/.test(text)) return text; // E.164 already, of whatever country
  return normalPhone(text, country);
}

function domainOf(text: string): string | null {
  const ascii = domainToASCII(text);
  return /^(?:[a-z0-9]+(?:-+[a-z0-9]+)*\.)+(?:[a-z]{2,}|xn--[a-z0-9-]+)$/.test(ascii) ? ascii : null;
}

/**
 * Returns the domain of an address, or a domain, and those above it (shop.acme.com, acme.com): excluding a domain excludes everything
 * below it.
 */
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

/** The columns that say what a customer is called. */
const NAME_COLUMNS = new Set([
  ...['name', 'fullname', 'firstname', 'lastname', 'first', 'last', 'givenname', 'familyname'],
  ...['customer', 'customername', 'contact', 'contactname'],
]);
/** One customer is a person, not everyone with addresses at a domain. */
const DOMAIN_COLUMNS = new Set(['domain', 'domains', 'emaildomain']);

/** Which columns of a file hold entries, and which of them what a customer is called. */
export interface Columns {
  entries: number[];
  names: number[];
}

/**
 * Returns which columns hold entries, if the first line names them; null if it names none and is a row like any other.
 */
export function entryColumns(first: readonly string[], accepts: Accepts = 'all'): Columns | null {
  const heads = first.map((cell) =>
    cell
      .trim()
      .toLowerCase()
      .replace(/[\s_"'-]/g, ''),
  );
  const where = (names: ReadonlySet<string>): number[] =>
    heads.flatMap((head, i) => (names.has(head) ? [i] : []));
  const isCustomers = accepts === 'customers';
  const entries = where(COLUMN_NAMES).filter((i) => !isCustomers || !DOMAIN_COLUMNS.has(heads[i]!));
  return entries.length > 0 ? { entries, names: isCustomers ? where(NAME_COLUMNS) : [] } : null;
}

const LONGEST_LABEL = 160;

/** What a list calls a customer: the name, and the address or number that it has; without a name, that alone. */
export function labelOf(name: string, value: string): string {
  const plain = (text: string): string =>
    text
      .toWellFormed()
      .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
      .trim()
      .slice(0, LONGEST_LABEL);
  const [called, known] = [plain(name), plain(value)];
  const isHash = /^(?:[0-9a-f]{32}|[0-9a-f]{64})$/i.test(known);
  if (called === '') return known;
  return isHash || called === known ? called : `${called} (${known})`;
}

/** Reads a row: its entries, and the first invalid value with the reason. Without `columns` a row is one value. */
export function readRow(
  cells: readonly string[],
  columns: Columns | null,
  accepts: Accepts,
  ignoreAliases = false,
  country: CountryCode = HOME_COUNTRY,
): { entries: Entry[]; fault?: { reason: string; value: string } } {
  const given = columns ? columns.entries.map((i) => cells[i] ?? '') : [...cells];
  const values = given.filter((cell) => cell.trim() !== '');
  if (!columns && values.length > 1) {
    const value = cells.slice(0, 20).join(',');
    return { entries: [], fault: { reason: 'contains more than one value', value: shown(value) } };
  }
  const entries: Entry[] = [];
  let fault: { reason: string; value: string } | undefined;
  if (values.length === 0) fault = { reason: 'contains no value', value: '' };
  for (const value of values) {
    const read = readEntry(value, accepts, ignoreAliases, country);
    if (typeof read !== 'string') entries.push(read);
    else fault ??= { reason: read, value: shown(value) };
  }
  if (accepts === 'customers' && entries.length > 0) {
    const name = (columns?.names ?? []).map((i) => cells[i] ?? '').join(' ');
    const known = values.find(
      (value) => typeof readEntry(value, accepts, ignoreAliases, country) !== 'string',
    );
    for (const entry of entries) entry.label = labelOf(name, known ?? '');
  }
  return { entries, ...(fault ? { fault } : {}) };
}

const shown = (value: string): string => value.slice(0, 200).replaceAll('\0', '\ufffd');

/**
 * Returns a file's name as it is stored (spec calls 5): spaces as underscores, lowercase, only letters, digits,
 * underscore, dot and dash. If nothing is left, it is called list.csv.
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

/**
 * The hash of a number in any spelling as California's lists have it: SHA-256 of its last ten digits, or of all if it has
 * fewer.
 */
export const phoneHash = (phone: string): Buffer =>
  hash('sha256', phone.replaceAll(/\D/g, '').slice(-10), 'buffer');
