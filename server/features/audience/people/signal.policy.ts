import { hash } from 'node:crypto';
import { SIGNAL_FIELDS, signalLack } from '../../../../contract/audience/import-rules.ts';
import { normalEmail, normalPhone } from '../../../platform/contacts.ts';
import { type CountryCode, countryOf, HOME_COUNTRY } from '../../../platform/countries.ts';
import { cityNumber, stateCode, stateNumber, zipNumber } from '../keywords/index.ts';
import { fieldOf } from './columns.policy.ts';
import { type Fault, KIND, type PersonField } from './model.ts';
import { hashKey, isNoId, phoneFault, phoneKey, uuidKey } from './row.policy.ts';

const DAY_MS = 86_400_000;
/** The number of days signals are kept; older ones are not imported. */
export const SIGNAL_DAYS = 35;
/** How far ahead the clocks of sources may be. */
const AHEAD_MS = 3_600_000;
const LONGEST_URL = 2048;
const LONGEST_CELL = 20_000;

const FIELDS = new Set<PersonField>(SIGNAL_FIELDS);

/** Names of columns that mean something else, or nothing, in a file of people. */
const NAMES: Record<string, PersonField> = Object.fromEntries(
  (
    [
      [
        'keyword',
        'keyword keywords searchterm searchterms query searchquery topic term intent intenttopic segment',
      ],
      ['page_url', 'url pageurl page website web referrer link sourceurl'],
      [
        'seen_at',
        'at time timestamp date datetime seenat seen eventtime eventdate eventat searchedat visitedat activitydate createdat',
      ],
      ['email', 'businessemail businessemails businessverifiedemails businessverifiedemail workemail'],
      ['zip', 'ipzip geozip'],
      ['state', 'ipstate geostate'],
      ['city', 'ipcity geocity'],
    ] as const
  ).flatMap(([field, names]) => names.split(' ').map((name) => [name, field])),
);

/** Returns what a column of a signals file probably means, judged by its name; 'ignore' when unknown. */
export function signalFieldOf(name: string): PersonField {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  if (Object.hasOwn(NAMES, plain)) return NAMES[plain]!;
  const field = fieldOf(name);
  return FIELDS.has(field) ? field : 'ignore';
}

const LACKS = {
  who: 'needs a column that identifies the person: an email, a hash, a phone number, a device ID, or an ID',
  keyword: 'needs a keyword column',
  time: 'needs a time column',
};

/** Why columns cannot make signals, or null. */
export function signalPlanFault(plan: readonly PersonField[]): string | null {
  const lack = signalLack(plan);
  return lack && LACKS[lack];
}

/** The kind for a person's id in its source: their `ref` is looked up, not a key. */
export const REF_KIND = 0;

/**
 * A signal as stated by a row. `keyword` is as written; `value` is the hex of the identity key, or of the person's ref.
 */
export interface Signal {
  kind: number;
  value: string;
  keyword: string;
  at: number;
  state: number | null;
  city: bigint | null;
  zip: number | null;
  url: string | null;
}

/** The columns of a row for each meaning; of several columns, the first that is not empty counts. */
export type SignalPlan = { [field in PersonField]?: number[] };

/** Returns a plan grouped by meaning. */
export function signalPlan(plan: readonly PersonField[]): SignalPlan {
  const found: SignalPlan = {};
  plan.forEach((field, at) => {
    if (field !== 'ignore') found[field] = [...(found[field] ?? []), at];
  });
  return found;
}

/**
 * Reads one row: its signal, or why it cannot be used. The person is identified only by the row's strongest identifier.
 * An invalid state, city, zip code or web address is left out.
 */
export function readSignal(
  cells: readonly string[],
  plan: SignalPlan,
  now: number,
  country: CountryCode = HOME_COUNTRY,
): Signal | Fault {
  const cell = (field: PersonField): string => {
    const places = plan[field];
    if (!places) return '';
    for (const at of places) {
      const text = cells[at];
      if (text) return text.length > LONGEST_CELL ? text.slice(0, LONGEST_CELL) : text;
    }
    return '';
  };
  const who = keyOf(cell, country);
  if ('reason' in who) return who;
  const keyword = cell('keyword');
  if (keyword === '') return { field: 'keyword', reason: 'is missing', value: null };
  if (keyword.includes('\0'))
    return { field: 'keyword', reason: 'contains a NUL byte', value: keyword.replaceAll('\0', '\ufffd') };
  const seen = cell('seen_at');
  const at = timeOf(seen);
  if (at === null)
    return {
      field: 'seen_at',
      reason: seen ? 'is not a date and time (ISO 8601) or a Unix timestamp' : 'is missing',
      value: seen,
    };
  if (at > now + AHEAD_MS) return { field: 'seen_at', reason: 'is in the future', value: seen };
  if (at < now - SIGNAL_DAYS * DAY_MS)
    return { field: 'seen_at', reason: `is more than ${SIGNAL_DAYS} days ago`, value: seen };
  const code = stateCode(cell('state'));
  const city = code ? cell('city') : '';
  const url = cell('page_url');
  return {
    kind: who.kind,
    value: who.value,
    keyword,
    at,
    state: code ? stateNumber(code) : null,
    city: city && code ? cityNumber(city, code) : null,
    zip: zipNumber(cell('zip')),
    url: url.length <= LONGEST_URL && /^https?:\/\/[^\s\0]+$/i.test(url) ? url : null,
  };
}

const FROM_FIELDS = ['email_sha256', 'email', 'email_sha1', 'email_md5'] as const;

function keyOf(
  cell: (field: PersonField) => string,
  country: CountryCode,
): { kind: number; value: string } | Fault {
  let invalid: Fault | undefined;
  for (const field of FROM_FIELDS) {
    const text = cell(field);
    if (text === '') continue;
    const key = hashKey(text);
    if (key) return key;
    const email = field === 'email' ? normalEmail(text) : null;
    if (email) return { kind: KIND.sha256, value: hash('sha256', email) };
    invalid ??= {
      field,
      reason:
        field === 'email' ? 'is not a valid email address' : 'is not a SHA-256, SHA-1, or MD5 hash in hex',
      value: text,
    };
  }
  const device = cell('device_id');
  if (device !== '') {
    const key = uuidKey(KIND.device, device);
    if (key) return key;
    invalid ??= { field: 'device_id', reason: 'is not a device ID', value: device };
  }
  const phone = cell('phone');
  if (phone !== '') {
    const named = cell('country');
    const from = named ? countryOf(named) : country;
    const number = normalPhone(phone, from);
    if (number) return phoneKey(number);
    invalid ??= { field: 'phone', reason: phoneFault(from), value: phone };
  }
  const id = cell('external_id').trim();
  // The same way identity's rows make their ref (row.policy.ts).
  if (id !== '' && !isNoId(id)) return { kind: REF_KIND, value: hash('sha256', `external_id:${id}`) };
  return (
    invalid ?? {
      field: null,
      reason: 'has nothing that identifies the person: no email, hash, phone number, device ID, or ID',
      value: null,
    }
  );
}

const daysIn = (year: number, month: number): number =>
  month === 2
    ? year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
      ? 29
      : 28
    : [4, 6, 9, 11].includes(month)
      ? 30
      : 31;

/**
 * Returns an instant in milliseconds: ISO 8601 (UTC if it has no zone), or a Unix time in seconds, milliseconds or
 * microseconds.
 */
export function timeOf(text: string): number | null {
  const given = text.trim();
  if (/^\d{9,17}(\.\d+)?$/.test(given)) {
    const number = Number(given);
    return number < 1e11 ? Math.round(number * 1000) : Math.round(number < 1e14 ? number : number / 1000);
  }
  const parts =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)\s?(Z|UTC|[+-]\d\d(?::?\d\d)?)?)?$/i.exec(
      given,
    );
  if (!parts) return null;
  const [, day, clock = '00:00', zone = 'Z'] = parts;
  const offset = /^[+-]/.test(zone)
    ? zone.replace(/^([+-]\d\d):?(\d\d)?$/, (_, h, m) => `${h}:${m ?? '00'}`)
    : 'Z';
  const at = Date.parse(`${day}T${clock.replace(',', '.').replace(/(\.\d{3})\d+/, '$1')}${offset}`);
  // Date.parse rolls February 31 over; a day that does not exist is not a valid time.
  return Number.isNaN(at) ||
    Number(day!.slice(8)) > daysIn(Number(day!.slice(0, 4)), Number(day!.slice(5, 7)))
    ? null
    : at;
}
