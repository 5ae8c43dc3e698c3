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
const MOST_DEPTH = 12;
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
 * Makes what is sent about a lead storable: the log then holds no personal data, and nothing in it has to be erased.
 * `secrets`: the values of credentials.
 */
export function createRedactor(lead: Lead, secrets: readonly string[]) {
  const personal = Object.entries(lead).filter(([key, value]) => !IMPERSONAL.has(key) && value.trim() !== '');
  const exact = new Map(personal.toReversed().map(([key, value]) => [fold(value), key]));
  const parts = personal
    .flatMap(([key, value]) => variants(value.trim()).map((text) => ({ key, text: text.toLowerCase() })))
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
    const open = hidden.reduce((rest, secret) => rest.replaceAll(secret, MASK), text);
    return parts.reduce((rest, { key, text: value }) => replaced(rest, value, `{{${key}}}`), open);
  }

  /** One value: a field of a form, a string in JSON, a part of an address. */
  function leaf(text: string): string {
    const key = exact.get(fold(text));
    if (key) return `{{${key}}}`;
    const digits = lastDigits(text);
    const phone = digits && phones.find(([known]) => known === digits);
    return phone && text.length < 30 ? `{{${phone[1]}}}` : words(text);
  }

  function walk(value: unknown, name: string, isTelling: (name: string) => boolean, depth = 0): unknown {
    if (value === null || typeof value === 'boolean') return value;
    if (SECRET_NAME.test(name) && typeof value !== 'object') return MASK;
    if (typeof value === 'string') return isTelling(name) ? leaf(value) : MASK;
    if (typeof value === 'number') return leaf(String(value)) === String(value) ? value : leaf(String(value));
    if (depth >= MOST_DEPTH) return '…';
    if (Array.isArray(value)) {
      const shown = value.slice(0, MOST_ITEMS).map((item) => walk(item, name, isTelling, depth + 1));
      return value.length > shown.length ? [...shown, `… ${value.length - shown.length} more`] : shown;
    }
    return Object.fromEntries(
      Object.entries(value as object).map(([key, item]) => [
        // A few services name records by their address.
        key.includes('@') || lastDigits(key) ? leaf(key) : key,
        walk(item, key, isTelling, depth + 1),
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
        if (json !== undefined) return printable(JSON.stringify(walk(json, '', () => true)), LONGEST_BODY);
      }
      return printable(contentType.includes('form-urlencoded') ? form(text) : words(text), LONGEST_BODY);
    },
    /** A response. Of a success, only what tells what became of the request. */
    answer(text: string, status: number): string {
      const json = text.length <= LONGEST_PARSED ? parsed(text) : undefined;
      const isTelling = status >= 200 && status < 300 ? (name: string) => TELLING.test(name) : () => true;
      const said =
        json === undefined ? words(text.slice(0, LONGEST_PARSED)) : JSON.stringify(walk(json, '', isTelling));
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
export function recorded(http: Http, redact: Redactor): { http: Http; exchanges: Exchange[] } {
  const exchanges: Exchange[] = [];
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
    async http(ask) {
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

/** Replaces a value, in lowercase, wherever it stands; one of up to three characters only as a word of its own. */
function replaced(text: string, value: string, by: string): string {
  const lower = text.toLowerCase();
  // A few letters change their length in lowercase: positions in the two texts then differ.
  if (lower.length !== text.length) return text.replaceAll(value, by);
  let out = '';
  let from = 0;
  for (let at = lower.indexOf(value); at >= 0; at = lower.indexOf(value, at + value.length)) {
    const end = at + value.length;
    if (value.length <= 3 && (isLetter(lower[at - 1]) || isLetter(lower[end]))) continue;
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
