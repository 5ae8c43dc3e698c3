import type { Exchange } from '../../contract/campaigns/destinations.ts';
import { printable } from '../platform/printable.ts';
import { type Answer, type Ask, type Http, LostAnswer, NotSent } from './http.ts';
import type { Lead } from './port.ts';

const MOST_EXCHANGES = 12;
const LONGEST_BODY = 4_000;
const LONGEST_ANSWER = 2_000;
const LONGEST_URL = 1_000;
/** What is longer is not parsed for its beginning. */
const LONGEST_PARSED = 262_144;
const MOST_ITEMS = 20;
const LONGEST_PHONE = 30;
const MOST_DEPTH = 12;
/** Values of a document that are looked at, each of them for all of the lead's: far more than what is kept has. */
const MOST_VALUES = 1_000;
const MASK = '•••';

/** Facts about the lead that are not about the person. */
const IMPERSONAL: ReadonlySet<string> = new Set([
  'lead_id',
  'campaign_id',
  'campaign_name',
  'campaign_type',
  'match_type',
  'confidence',
  'created_at',
  'is_test',
  // 'yes', 'no', and 'unknown' are words of any response.
  'phone_dnc',
  'phone_dnc_checked_at',
  'phone_dnc_source',
  'phone2_dnc',
  'phone2_dnc_checked_at',
  'phone2_dnc_source',
]);

/** Names of values that are credentials, whatever they hold: tokens that are made from a credential are not known here. */
const SECRET_NAME =
  /token|secret|password|passwd|jwt|assertion|authorization|cookie|api[-_]?key|^code(_verifier)?$/i;
/** What a successful answer is kept for; everything else in it may be about other people. */
const TELLING =
  /id$|^id|status|state|success|result|code|type|trace|count|range|message|error|new|job|url|version/i;

/** An email address: a response may name someone else. */
const ADDRESS = /[^\s"'<>@,;:()]{1,64}@[^\s"'<>@,;:()]{1,255}/g;

export type Redactor = ReturnType<typeof createRedactor>;

/**
 * Makes what is sent about leads storable: the log then holds no personal data, and nothing in it has to be erased. Of
 * a batch, values that are no lead's own are hidden as well, because looking for all values within each would take too
 * long. `secrets`: the values of credentials.
 */
export function createRedactor(leads: readonly Lead[], secrets: readonly string[]) {
  const isBatch = leads.length > 1;
  const all = leads.flatMap((lead) => Object.entries(lead)).filter(([, value]) => value.trim() !== '');
  const personal = all.filter(([key]) => !IMPERSONAL.has(key));
  const open = new Set(all.flatMap(([key, value]) => (IMPERSONAL.has(key) ? [value] : [])));
  const exact = new Map(personal.toReversed().map(([key, value]) => [fold(value), key]));
  const parts = personal
    .flatMap(([key, value]) =>
      (isBatch ? [value.trim()] : variants(value.trim())).map((text) => ({
        key,
        written: text,
        text: text.toLowerCase(),
      })),
    )
    .filter(({ text }) => text.length > 1)
    .sort((a, b) => b.text.length - a.text.length);
  const phones = personal
    .map(([key, value]) => [lastDigits(value), key] as const)
    .filter(([digits, key]) => digits !== undefined && /phone/.test(key));
  const hidden = secrets
    .filter((secret) => secret.length >= 6)
    .flatMap(variants)
    .sort((a, b) => b.length - a.length);

  /** Text with what is secret or personal in it replaced. */
  function words(text: string): string {
    const bare = hidden.reduce((rest, secret) => rest.replaceAll(secret, MASK), text);
    let rest = bare;
    let lower = rest.toLowerCase();
    for (const { key, written, text: value } of parts) {
      // Nearly all are not there, and looking is all that most texts cost.
      if (lower.length === rest.length && !lower.includes(value)) continue;
      rest = replaced(rest, written, `{{${key}}}`);
      lower = rest.toLowerCase();
    }
    return rest;
  }

  /** The field that a value is, as a whole. */
  function fieldOf(text: string): string | undefined {
    const key = exact.get(fold(text));
    if (key || text.length >= LONGEST_PHONE) return key && `{{${key}}}`;
    const digits = lastDigits(text);
    const phone = digits && phones.find(([known]) => known === digits);
    return phone && `{{${phone[1]}}}`;
  }

  /** One value: a field of a form, a string in JSON, a part of an address. */
  const leaf = (text: string): string => fieldOf(text) ?? words(text);
  const sent = (text: string): string => fieldOf(text) ?? (isBatch && !open.has(text) ? MASK : words(text));

  /** `show` is what becomes of a text by the name that it stands under. */
  function walk(
    value: unknown,
    name: string,
    show: (text: string, name: string) => string,
    depth = 0,
    left = { values: MOST_VALUES },
  ): unknown {
    if (--left.values < 0) return '…';
    if (value === null || typeof value === 'boolean') return value;
    if (SECRET_NAME.test(name) && typeof value !== 'object') return MASK;
    if (typeof value === 'string') return show(value, name);
    if (typeof value === 'number') return fieldOf(String(value)) ?? value;
    if (depth >= MOST_DEPTH) return '…';
    if (Array.isArray(value)) {
      const shown = value.slice(0, MOST_ITEMS).map((item) => walk(item, name, show, depth + 1, left));
      return value.length > shown.length ? [...shown, `… ${value.length - shown.length} more`] : shown;
    }
    return Object.fromEntries(
      Object.entries(value as object)
        .slice(0, Math.max(0, left.values))
        .map(([key, item]) => [
          // A few services name records by their address.
          key.includes('@') || lastDigits(key) ? leaf(key) : key,
          walk(item, key, show, depth + 1, left),
        ]),
    );
  }

  function form(text: string): string {
    return [...new URLSearchParams(text)]
      .map(([name, value]) => `${leaf(name)}=${SECRET_NAME.test(name) ? MASK : leaf(value)}`)
      .join('&');
  }

  return {
    words,
    /** A body as it is sent. */
    body(text: string, contentType: string): string {
      if (contentType.includes('json')) {
        const json = parsed(text);
        if (json !== undefined) return printable(JSON.stringify(walk(json, '', sent)), LONGEST_BODY);
      }
      return printable(contentType.includes('form-urlencoded') ? form(text) : words(text), LONGEST_BODY);
    },
    /** A response. Of a success, only what tells what became of the request. */
    answer(text: string, status: number): string {
      const json = text.length <= LONGEST_PARSED ? parsed(text) : undefined;
      const isSuccess = status >= 200 && status < 300;
      const show = (value: string, name: string) => (isSuccess && !TELLING.test(name) ? MASK : leaf(value));
      const said =
        json === undefined ? words(text.slice(0, LONGEST_PARSED)) : JSON.stringify(walk(json, '', show));
      return printable(said.replace(ADDRESS, MASK), LONGEST_ANSWER);
    },
    /** An address: each part of its path and each value of its query. */
    url(text: string): string {
      const url = URL.parse(text);
      if (!url) return printable(words(text), LONGEST_URL);
      const path = url.pathname
        .split('/')
        .map((part) => leaf(decoded(part)))
        .join('/');
      const query = url.search ? `?${form(url.search.slice(1))}` : '';
      return printable(words(url.origin + path + query), LONGEST_URL);
    },
    headers: (headers: Readonly<Record<string, string>>): [string, string][] =>
      Object.entries(headers).map(([name, value]) => [
        name,
        printable(SECRET_NAME.test(name) ? MASK : words(value), LONGEST_URL),
      ]),
  };
}

/** Records what goes through a way to a vendor. */
export function recorded(
  http: Http,
  redact: Redactor,
): { http: Http; exchanges: Exchange[]; calls: () => number } {
  const exchanges: Exchange[] = [];
  let calls = 0;
  const record = (ask: Ask, began: number, answer: Answer | null, failure: string | null): void => {
    if (exchanges.length >= MOST_EXCHANGES) return;
    const text = ask.json !== undefined ? JSON.stringify(ask.json) : ask.form?.toString();
    const type = ask.json !== undefined ? 'application/json' : 'application/x-www-form-urlencoded';
    exchanges.push({
      method: ask.method ?? 'GET',
      url: redact.url(ask.url),
      headers: redact.headers({ ...(text === undefined ? {} : { 'content-type': type }), ...ask.headers }),
      body: text === undefined ? null : redact.body(text, type),
      status: answer?.status ?? null,
      answer: answer ? redact.answer(answer.text, answer.status) : failure && redact.words(failure),
      ms: Math.round(performance.now() - began),
    });
  };
  return {
    exchanges,
    /** How many requests were made, also those that are not recorded. */
    calls: () => calls,
    async http(ask) {
      calls++;
      const began = performance.now();
      try {
        const answer = await http(ask);
        record(ask, began, answer, null);
        return answer;
      } catch (error) {
        if (error instanceof NotSent || error instanceof LostAnswer) record(ask, began, null, error.message);
        throw error;
      }
    },
  };
}

const fold = (text: string): string => text.trim().toLowerCase();

/** How a value may be written in what is sent or comes back. */
const variants = (value: string): string[] => [
  ...new Set([
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value.toWellFormed()),
    new URLSearchParams({ v: value }).toString().slice(2),
    escaped(value, '&#39;'),
    escaped(value, '&#x27;'),
    value.replace(/[&<>]/g, (sign) => ENTITIES[sign]!),
  ]),
];
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (value: string, apostrophe: string): string =>
  value.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? apostrophe);

/** Replaces a value, in lowercase, wherever it stands; one of up to three characters only as a whole word. */
function replaced(text: string, written: string, by: string): string {
  const value = written.toLowerCase();
  const lower = text.toLowerCase();
  // A few letters change their length in lowercase: positions in the two texts then differ.
  if (lower.length !== text.length) return text.replaceAll(written, by);
  let out = '';
  let from = 0;
  for (let at = lower.indexOf(value); at >= 0; at = lower.indexOf(value, at + value.length)) {
    const end = at + value.length;
    if (value.length <= 3 && (isLetter(lower[at - 1]) || isLetter(lower[end]))) continue;
    // “or” and “in” are words, “OR” and “IN” are states.
    if (value.length === 2 && text.slice(at, end) !== written) continue;
    out += text.slice(from, at) + by;
    from = end;
  }
  return out + text.slice(from);
}
const isLetter = (sign: string | undefined): boolean => sign !== undefined && /[\p{L}\p{N}]/u.test(sign);

/** The last ten digits of something that can be a phone number. */
function lastDigits(text: string): string | undefined {
  if (text.length > 40) return undefined;
  const digits = text.replace(/\D/g, '');
  return digits.length >= 7 ? digits.slice(-10) : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
