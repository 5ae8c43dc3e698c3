import { hash } from 'node:crypto';
import { PROFILE_KEYS, type ProfileKey } from '../../../../contract/audience/enrichment-fields.ts';
import { personTexts } from '../../../../contract/audience/person-texts.ts';
import { strip } from '../../../../contract/text.ts';
import { normalEmail, normalPhone } from '../../../platform/contacts.ts';
import { type CountryCode, countryOf, HOME_COUNTRY } from '../../../platform/countries.ts';
import { ipHex, uuidHex } from '../../../platform/identifiers.ts';
import {
  type Content,
  type Fault,
  type Key,
  KIND,
  type Left,
  MOST_CONTACT_KEYS,
  MOST_PLACE_KEYS,
  type Person,
  type PersonField,
  type ProfileValues,
} from './model.ts';

/** The cells of one row by meaning; if several columns share a meaning, their cells are in column order. */
export type Cells = Partial<Record<PersonField, string[]>>;

const LONGEST_TEXT = 1_000;
const LONGEST_LIST = 20_000;
/** How much of a left-out value is shown. */
const SHOWN = 200;

/** Why a row is left out whose person would have too many keys. Nothing is kept of a person but what finds them. */
export const TOO_MANY_CONTACTS: Fault = {
  field: null,
  reason: `would give one person more than ${MOST_CONTACT_KEYS} email hashes and phone numbers`,
  value: null,
};
export const TOO_MANY_PLACES = `is beyond the ${MOST_PLACE_KEYS} devices and IP addresses kept for one person`;

/** What sources write where a person has no id, in lower case. */
const NO_IDS = new Set(
  'null (null) <null> none nil n/a #n/a na nan unknown undefined undef empty blank missing - -- --- . ? \\n'.split(
    ' ',
  ),
);

/** Whether a text stands for a missing id: believed, it would make everyone without one the same person. */
export const isNoId = (text: string): boolean => {
  const plain = text.trim().toLowerCase();
  return NO_IDS.has(plain) || /^[0\-.{}]+$/.test(plain);
};

/** The three keys of an email address in its comparable form. */
export function emailKeys(email: string): Key[] {
  return [
    { kind: KIND.sha256, value: hash('sha256', email) },
    { kind: KIND.sha1, value: hash('sha1', email) },
    { kind: KIND.md5, value: hash('md5', email) },
  ];
}

/**
 * Returns the key of a hashed email address, with its kind determined by its length (64, 40 or 32 hex digits); null
 * when it is not one.
 */
export function hashKey(text: string): Key | null {
  const value = strip(text.trim(), '"\'').toLowerCase();
  if (value.length > 64) return null;
  if (!/^[0-9a-f]+$/.test(value)) return null;
  if (value.length === 64) return { kind: KIND.sha256, value };
  if (value.length === 40) return { kind: KIND.sha1, value };
  if (value.length === 32) return { kind: KIND.md5, value };
  return null;
}

/** The key of a phone number in E.164. */
export function phoneKey(e164: string): Key {
  return { kind: KIND.phone, value: Buffer.from(e164).toString('hex') };
}

/** Returns the key of an IP address of a single connection; null if it is not one. */
export function ipKey(text: string): Key | null {
  const value = ipHex(text);
  return value === null ? null : { kind: KIND.ip, value };
}

/** Returns the key of a UUID (visitor id, advertising id); null if it is not one that tells someone apart. */
export function uuidKey(kind: typeof KIND.visitor | typeof KIND.device, text: string): Key | null {
  const value = uuidHex(text);
  return value === null ? null : { kind, value };
}

/**
 * Reads one row: its person, or why it cannot be used. A row is bad when nothing says who it is about (no external id,
 * email, hash, phone, or name with address), when a cell contains a NUL byte, when one is absurdly long, or when it has
 * more addresses and numbers than a person can have; an invalid address, hash, phone number, IP address or device id is
 * merely left out and reported in `left`, as is an id that stands for none.
 * @param country the country of phone numbers in a row that does not state one
 */
export function readPerson(cells: Cells, country: CountryCode = HOME_COUNTRY): Person | Fault {
  for (const [field, values] of Object.entries(cells)) {
    const most = LISTS.has(field) ? LONGEST_LIST : LONGEST_TEXT;
    for (const value of values) {
      if (value.includes('\0'))
        return { field, reason: 'contains a NUL byte', value: value.replaceAll('\0', '\ufffd') };
      if (value.length > most) return { field, reason: `is longer than ${most} characters`, value };
    }
  }
  const keys: Key[] = [];
  const add = (key: Key) => {
    for (const known of keys) if (known.kind === key.kind && known.value === key.value) return;
    keys.push(key);
  };
  let invalid: Fault | undefined;
  let left: Left[] | undefined;
  const leave = (field: PersonField, reason: string, text: string) => {
    const value = text.slice(0, SHOWN);
    const known = left?.find((one) => one.field === field && one.reason === reason);
    if (known) known.count++;
    else {
      left ??= [];
      left.push({ field, reason, value, count: 1 });
    }
    return { field, reason, value };
  };
  let email: string | undefined;
  let strongest: Key | undefined;

  // A business address identifies a person like any other; where there are both, the other one is used as the person's.
  const emailFields = ['email', 'business_email', 'email_sha256', 'email_sha1', 'email_md5'] as const;
  for (const field of emailFields) {
    for (const part of list(cells[field], /[,;|\s]+/)) {
      const key = hashKey(part);
      const plain = key || (field !== 'email' && field !== 'business_email') ? null : normalEmail(part);
      if (!key && !plain) {
        const what =
          field === 'email' || field === 'business_email'
            ? 'is not a valid email address'
            : 'is not a SHA-256, SHA-1, or MD5 hash in hex';
        const fault = leave(field, what, part);
        invalid ??= fault;
        continue;
      }
      email ??= plain ?? undefined;
      for (const one of key ? [key] : emailKeys(plain as string)) {
        if (!strongest || one.kind < strongest.kind) strongest = one;
        add(one);
      }
      if (keys.length > MOST_CONTACT_KEYS) return TOO_MANY_CONTACTS;
    }
  }

  const from = rowCountry(cells, country);
  if (!from) leave('country', 'is not a country', first(cells.country)!);
  const phones: string[] = [];
  for (const field of ['phone', 'phone2', 'company_phone'] as const) {
    for (const part of list(cells[field], /[,;|]+/)) {
      const number = normalPhone(part, from);
      if (!number) {
        const fault = leave(field, phoneFault(from), part);
        if (field !== 'company_phone') invalid ??= fault;
      } else if (field !== 'company_phone' && !phones.includes(number)) phones.push(number);
      if (keys.length + phones.length > MOST_CONTACT_KEYS) return TOO_MANY_CONTACTS;
    }
  }
  for (const number of phones) add(phoneKey(number));
  const most = keys.length + MOST_PLACE_KEYS;
  const addPlace = (field: PersonField, key: Key, text: string) => {
    if (keys.length < most) add(key);
    else leave(field, TOO_MANY_PLACES, text);
  };
  for (const part of list(cells.ip, /[,;|\s]+/)) {
    const key = ipKey(part);
    if (key) addPlace('ip', key, part);
    else leave('ip', 'is not an IP address of a single connection', part);
  }
  for (const part of list(cells.device_id, /[,;|\s]+/)) {
    const key = uuidKey(KIND.device, part);
    if (key) addPlace('device_id', key, part);
    else leave('device_id', 'is not a device ID', part);
  }

  const content: Content = {};
  for (const field of personTexts) {
    const text = first(cells[field]);
    if (text) content[field] = text;
  }
  const whole = first(cells.full_name);
  if (whole && !content.first_name && !content.last_name) {
    const [given, ...rest] = whole.split(' ');
    if (given) content.first_name = given;
    if (rest.length > 0) content.last_name = rest.join(' ');
  }
  const domain = content.website ? undefined : first(cells.company_domain);
  if (domain) content.website = domain;
  if (email) content.email = email;
  if (phones[0]) content.phone = phones[0];
  if (phones[1]) content.phone2 = phones[1];

  let externalId = first(cells.external_id);
  if (externalId && isNoId(externalId)) {
    leave('external_id', 'is a placeholder, not an ID', externalId);
    externalId = undefined;
  }
  const { first_name, last_name, address, zip } = content;
  const who = externalId
    ? `external_id:${externalId}`
    : strongest
      ? `${strongest.kind}:${strongest.value}`
      : phones[0]
        ? `phone:${phones[0]}`
        : (first_name || last_name) && address
          ? `name:${[first_name, last_name, address, zip].map((part) => part?.toLowerCase() ?? '').join('\u001f')}`
          : null;
  if (who === null) {
    return (
      invalid ?? {
        field: null,
        reason:
          'has nothing that identifies the person: no email, hash, phone number, ID, or name with an address',
        value: null,
      }
    );
  }
  return left
    ? { ref: hash('sha256', who), content, keys, left }
    : { ref: hash('sha256', who), content, keys };
}

/** Returns the country that a row names, otherwise the given one; null if the row names an invalid one. */
export function rowCountry(cells: Cells, country: CountryCode): CountryCode | null {
  const named = first(cells.country);
  return named === undefined ? country : countryOf(named);
}

/** Returns why a phone number is left out, by the country it was parsed for; null if the row's country is unknown. */
export const phoneFault = (country: CountryCode | null): string =>
  country
    ? `is not a valid phone number (read as a number in ${country})`
    : 'has no country code, and the country is unknown';

/** Reads what else a row says; undefined if nothing. An invalid business address or phone number is left out. */
export function readProfile(cells: Cells, country: CountryCode = HOME_COUNTRY): ProfileValues | undefined {
  let profile: ProfileValues | undefined;
  for (const key of PROFILE_KEYS) {
    const value = profileValue(key, cells[key], () => rowCountry(cells, country));
    if (value) {
      profile ??= {};
      profile[key] = value;
    }
  }
  return profile;
}

function profileValue(
  key: ProfileKey,
  cells: string[] | undefined,
  country: () => CountryCode | null,
): string | undefined {
  if (!cells) return undefined;
  const read =
    key === 'business_email'
      ? normalEmail
      : key === 'company_phone'
        ? (text: string) => normalPhone(text, country())
        : null;
  if (!read) return first(cells);
  for (const part of list(cells, /[,;|]+/)) {
    const value = read(part);
    if (value) return value;
  }
  return undefined;
}

/**
 * Returns the minimum number of employees that a company's size states ('51 to 200' -> 51, '10,000+' -> 10000, '1K-5K'
 * -> 1000), or null.
 */
export function employeesOf(size: string | undefined): number | null {
  const found = /(\d[\d,]*)(?:\.\d+)?\s*(k\b)?/i.exec(size ?? '');
  if (!found) return null;
  const number = Number(found[1]!.replaceAll(',', '')) * (found[2] ? 1000 : 1);
  return number <= 2_147_483_647 ? number : null;
}

/** Fields whose cells may hold several values. */
const LISTS = new Set<string>([
  'business_email',
  'company_phone',
  'email',
  'email_sha256',
  'email_sha1',
  'email_md5',
  'phone',
  'phone2',
  'ip',
  'device_id',
]);

function list(cells: string[] | undefined, separator: RegExp): string[] {
  if (!cells) return [];
  if (cells.length === 1 && !separator.test(cells[0]!)) return cells;
  return cells.flatMap((cell) => cell.split(separator)).filter((part) => part.trim() !== '');
}

function first(cells: string[] | undefined): string | undefined {
  if (!cells) return undefined;
  for (const cell of cells) {
    const text = cell.replace(UNTIDY, ' ').trim();
    if (text !== '') return text;
  }
  return undefined;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const UNTIDY = /\s{2,}|[^\S ]+|[\u0000-\u001f\u007f]+/g;
