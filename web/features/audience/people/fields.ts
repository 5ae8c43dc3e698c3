import {
  INFORMATION_FIELDS,
  INFORMATION_TYPES,
  type InformationType,
} from '../../../../contract/audience/enrichment-fields.ts';
import { SIGNAL_FIELDS, signalLack } from '../../../../contract/audience/import-rules.ts';
import { personTextLabels, personTexts } from '../../../../contract/audience/person-texts.ts';
import type { Client } from '../../../../contract/index.ts';

/** An import of people as the server returns it. */
export type ImportJob = Awaited<ReturnType<Client['people']['get']>>;
/** A column of an uploaded file: its name, what it was recognized as, and a few of its values. */
export type PreviewColumn = Awaited<ReturnType<Client['people']['preview']>>['columns'][number];
export type PersonField = PreviewColumn['field'];

const texts = new Set<string>(personTexts);

/** What a column can mean, in words, in the order and groups of the select. */
export const FIELD_GROUPS: { group: string; fields: Partial<Record<PersonField, string>> }[] = [
  { group: 'Not used', fields: { ignore: 'Ignore this column' } },
  {
    group: 'Identifies people',
    fields: {
      email: 'Email address',
      email_sha256: 'Email hash, SHA-256',
      email_sha1: 'Email hash, SHA-1',
      email_md5: 'Email hash, MD5',
      phone: 'Phone number',
      phone2: 'Second phone number',
      phone_dnc: 'Do-not-call flag',
      phone_dnc_date: 'Do-not-call check date',
      country: 'Phone number country',
      external_id: 'Source ID',
      ip: 'IP address',
      device_id: 'Device ID',
    },
  },
  { group: 'Name', fields: { ...personTextLabels('Name'), full_name: 'Full name' } },
  {
    group: 'Place',
    fields: personTextLabels('Place'),
  },
  {
    group: 'Intent',
    fields: { keyword: 'Keyword', page_url: 'Page viewed', seen_at: 'Time' },
  },
  { group: 'Work', fields: personTextLabels('Work') },
  { group: `${INFORMATION_TYPES.advanced} data`, fields: informationOf('advanced') },
  { group: `${INFORMATION_TYPES.b2b} data`, fields: informationOf('b2b') },
];

/** Returns the data fields of a type except those listed under Work. */
function informationOf(type: InformationType): Partial<Record<PersonField, string>> {
  return Object.fromEntries(
    INFORMATION_FIELDS.filter((field) => field.type === type && !texts.has(field.key)).map((field) => [
      field.key,
      field.name,
    ]),
  );
}

/** Describes the meaning of a column. */
export function fieldWords(field: PersonField): string {
  return FIELD_GROUPS.map((one) => one.fields[field]).find(Boolean) ?? field;
}

/** The other file's fields are all fields except those of the group Intent. */
const OF_SIGNALS = new Set<PersonField>(SIGNAL_FIELDS);

/** What a file's columns can mean, by kind of file. */
export const groupsOf = (kind: ImportJob['kind']) =>
  FIELD_GROUPS.map(({ group, fields }) => ({
    group,
    items: Object.entries(fields)
      .filter(([field]) => (kind === 'signals' ? OF_SIGNALS.has(field as PersonField) : group !== 'Intent'))
      .map(([value, label]) => ({ value, label })),
  })).filter(({ items }) => items.length > 0);

const LACKS = {
  who: 'an email address or hash, a phone number, a device ID, or a source ID',
  keyword: 'the keyword',
  time: 'the time',
};

/** Returns what a file of signals still needs, in words; null if nothing. */
export function signalFault(fields: readonly PersonField[]): string | null {
  const lack = signalLack(fields);
  return lack && LACKS[lack];
}

/** Describes what was skipped: `what` is the field or the row, `why` the reason. */
export function leftOutWords(one: ImportJob['left_out'][number]): { what: string; why: string } {
  const what = one.field ? fieldWords(one.field as PersonField) : one.what === 'row' ? 'Row' : 'Value';
  return { what, why: one.reason.charAt(0).toUpperCase() + one.reason.slice(1) };
}

/** Whether an import continues without user action. */
export function isRunning(job: Pick<ImportJob, 'state'>): boolean {
  return job.state === 'queued' || job.state === 'running';
}

const MOST_BYTES = 2 * 1024 ** 3;

/** Returns why a file cannot be uploaded, in words; null if it can be tried. */
export function fileFault(
  file: { name: string; size: number },
  kind: ImportJob['kind'] = 'people',
): string | null {
  if (file.size === 0) return `“${file.name}” is empty.`;
  if (file.size > MOST_BYTES) return `“${file.name}” is larger than 2 GiB. Split it into several files.`;
  if (
    /\.(xlsx?|ods|numbers|zip|gz|pdf)$/i.test(file.name) ||
    (kind === 'people' && /\.(parquet|pq)$/i.test(file.name))
  ) {
    return `“${file.name}” is not a CSV file. Save the sheet as CSV (UTF-8), then choose that file.`;
  }
  return null;
}
