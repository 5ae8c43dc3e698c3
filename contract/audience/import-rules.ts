// What information the columns of an imported file must provide, by the names of their meanings: rules shared by server
// and screens. No schema here, so that none is sent to the browser.

/** What a column of a file of signals can mean. */
export const SIGNAL_FIELDS = [
  'external_id',
  'email',
  'email_sha256',
  'email_sha1',
  'email_md5',
  'phone',
  'country',
  'device_id',
  'keyword',
  'page_url',
  'seen_at',
  'city',
  'state',
  'zip',
  'ignore',
] as const;

/** The fields that identify whom a signal is about. */
const SIGNAL_KEYS = ['external_id', 'email', 'email_sha256', 'email_sha1', 'email_md5', 'phone', 'device_id'];
/** The fields that identify a person. */
const PERSON_KEYS = [
  'external_id',
  'email',
  'business_email',
  'email_sha256',
  'email_sha1',
  'email_md5',
  'phone',
  'phone2',
];

/** What the columns are missing to make signals: whom they are about, the keyword or the time; null if nothing. */
export function signalLack(fields: readonly string[]): 'who' | 'keyword' | 'time' | null {
  if (!SIGNAL_KEYS.some((key) => fields.includes(key))) return 'who';
  if (!fields.includes('keyword')) return 'keyword';
  return fields.includes('seen_at') ? null : 'time';
}

/** Whether rows with these columns can identify whom they are about: by a key, or by name and street address. */
export function canIdentify(fields: readonly string[]): boolean {
  return (
    PERSON_KEYS.some((key) => fields.includes(key)) ||
    (['first_name', 'last_name', 'full_name'].some((name) => fields.includes(name)) &&
      fields.includes('address'))
  );
}
