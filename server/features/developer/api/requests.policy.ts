/** Texts that say nothing of a person: ids, dates, amounts, and the words of choices. */
const PLAIN =
  /^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\d{4}-\d\d-\d\d(?:T[\d:.]{5,12}Z)?|\d{1,9}(?:\.\d{1,6})?|[a-z]{1,20}(?:[_/][a-z]{1,20}){0,3})$/i;
/** The longest such text. */
const MOST_PLAIN = 40;
/** Entries of a list, and characters of a body, that are kept. */
const MOST_ENTRIES = 10;
const MOST_CHARACTERS = 8_000;
/** Fields whose texts are choices or amounts; the texts of all others could name someone. */
const NAMED =
  /(^id$|_id$|_on$|_at$|^at$|price|fee|^product$|^status$|^location$|^payment_term$|period$|^country$|^method$|^types$|^since$|^until$|^jsonrpc$|^cursor$|^limit$|^view$|^kind$)/;

function plain(name: string, value: unknown): unknown {
  if (typeof value === 'string')
    return NAMED.test(name) && value.length <= MOST_PLAIN && PLAIN.test(value)
      ? value
      : `[${value.length} characters]`;
  if (Array.isArray(value)) {
    const kept = value.slice(0, MOST_ENTRIES).map((one) => plain(name, one));
    return value.length > kept.length ? [...kept, `and ${value.length - kept.length} more`] : kept;
  }
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key.slice(0, 60), plain(key, one)]));
  return value;
}

/** A request's body for the log: its structure, numbers, and choices, without what people typed. Null if there is none. */
export function redacted(body: unknown): string | null {
  if (body === undefined) return null;
  const text = JSON.stringify(plain('', body));
  return text.length <= MOST_CHARACTERS ? text : JSON.stringify(`[${text.length} characters]`);
}

/** Parameters whose texts are what someone typed. */
const TYPED = ['search'];
const MOST_PATH = 1_000;

/** A request's address for the log; false if something was left out of it. */
export function safePath(url: string): { path: string; isWhole: boolean } {
  const [path = '', query] = url.split('?');
  if (query === undefined) return { path: path.slice(0, MOST_PATH), isWhole: path.length <= MOST_PATH };
  const params = new URLSearchParams(query);
  const typed = TYPED.filter((name) => params.has(name));
  for (const name of typed) params.set(name, '…');
  const whole = `${path}?${params}`;
  return { path: whole.slice(0, MOST_PATH), isWhole: typed.length === 0 && whole.length <= MOST_PATH };
}
