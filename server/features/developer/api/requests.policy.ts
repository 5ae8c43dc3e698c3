import { z } from 'zod';

// What the log of API requests keeps of a request: only what its own description (the schemas of its parameters and its
// body) says cannot name anyone. Everything else becomes its type, wherever it was sent (docs/decisions/0252-request-log.md).

/** A part of a JSON schema, as far as the log asks. */
interface Shape {
  type?: string;
  format?: string;
  pattern?: string;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Shape>;
  items?: Shape;
  anyOf?: Shape[];
}

/** What a request may have, by which the log tells what is harmless. */
export interface Described {
  query: Shape;
  body: Shape;
}

/** The description of a request; one without a body or parameters has none that are harmless. */
export const describedOf = ({ query, body }: { query?: z.ZodObject; body?: z.ZodObject }): Described => ({
  query: query ? (z.toJSONSchema(query, { io: 'input' }) as Shape) : {},
  body: body ? (z.toJSONSchema(body, { io: 'input' }) as Shape) : {},
});

/** What stands for a text that is left out of an address or a message. */
const LEFT_OUT = '…';
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const DATE = /^\d{4}-\d\d-\d\d$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;
/** An amount, a count, or a country: too short for a phone number. */
const SHORT = /^(?:\d{1,6}(?:\.\d{1,6})?|[A-Z]{2})$/;
const MOST_NUMBER = 1_000_000;
/** Entries of a list, and characters, that are kept. */
const MOST_ENTRIES = 10;
const MOST_CHARACTERS = 8_000;
const MOST_PATH = 1_000;

/** Whether a text is one that its field can have without saying anything of a person. */
function isHarmless(text: string, shape: Shape): boolean {
  if (shape.enum) return shape.enum.includes(text);
  if (shape.format === 'uuid') return UUID.test(text);
  if (shape.format === 'date') return DATE.test(text);
  if (shape.format === 'date-time') return INSTANT.test(text);
  return shape.pattern !== undefined && SHORT.test(text);
}

const typeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value === 'string' ? 'text' : typeof value;

/** A value of a field as the log keeps it. */
function kept(value: unknown, shape: Shape): unknown {
  const shapes = shape.anyOf ?? [shape];
  if (value === null) return null;
  if (typeof value === 'string' && shapes.some((one) => isHarmless(value, one))) return value;
  if (typeof value === 'boolean' && shapes.some(({ type }) => type === 'boolean')) return value;
  if (typeof value === 'number' && Math.abs(value) <= MOST_NUMBER)
    if (shapes.some(({ type }) => type === 'integer' || type === 'number')) return value;
  if (Array.isArray(value)) {
    const items = shapes.find((one) => one.items)?.items;
    if (!items) return '[list]';
    const some = value.slice(0, MOST_ENTRIES).map((one) => kept(one, items));
    return value.length > some.length ? [...some, `and ${value.length - some.length} more`] : some;
  }
  if (typeof value === 'object') {
    const known = shapes.find((one) => one.properties)?.properties;
    if (!known) return '[object]';
    const entries = Object.entries(value);
    const unknown = entries.filter(([name]) => !Object.hasOwn(known, name));
    return {
      ...Object.fromEntries(
        entries
          .filter(([name]) => Object.hasOwn(known, name))
          .map(([name, one]) => [name, kept(one, known[name]!)]),
      ),
      // Their names could be anything, too.
      ...(unknown.length > 0
        ? { '[unknown]': unknown.slice(0, MOST_ENTRIES).map(([, one]) => `[${typeOf(one)}]`) }
        : {}),
    };
  }
  return `[${typeOf(value)}]`;
}

/** A request's body for the log: the structure of the fields that it may have, and their harmless values. */
export function redacted(body: unknown, { body: shape }: Described): string | null {
  if (body === undefined) return null;
  const text = JSON.stringify(kept(body, shape));
  return text.length <= MOST_CHARACTERS ? text : '"[object]"';
}

const Cursor = z.tuple([z.string().regex(/^[a-z][a-z-]{0,40}(?: [\da-z-]{1,36})?$/), z.int(), z.uuid()]);
/** Whether a text is a position in a list, and no other text. */
function isCursor(text: string): boolean {
  try {
    return Cursor.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))).success;
  } catch {
    return false;
  }
}

/** A request's address for the log. */
export function safePath(url: string, { query: shape }: Described): string {
  const [at = '', query] = url.split('?');
  const path = at
    .split('/')
    // The words of addresses are lower case; what is not one is a value.
    .map((part) =>
      /^(?:[a-z][a-z0-9-]{0,40}(?:#[a-z_]{1,40})?)?$/.test(part) || UUID.test(part) ? part : LEFT_OUT,
    )
    .join('/');
  if (!query) return path.slice(0, MOST_PATH);
  const known = shape.properties ?? {};
  const params = [...new URLSearchParams(query)].map(([name, value]) => {
    const one = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!one) return [LEFT_OUT, LEFT_OUT];
    const isPlain = name === 'cursor' ? isCursor(value) : isHarmless(value, one);
    return [name, isPlain ? value : LEFT_OUT];
  });
  return `${path}?${new URLSearchParams(params)}`.slice(0, MOST_PATH);
}

/** Whether an address of the log has everything that was sent. */
export const isWhole = (path: string): boolean =>
  path.length < MOST_PATH && !path.includes(LEFT_OUT) && !path.includes(encodeURIComponent(LEFT_OUT));

/** An Idempotency-Key for the log: a random one. People's own words could be anything. */
export const safeKey = (key: string): string =>
  UUID.test(key) || /^[\da-f]{16,64}$/i.test(key) || /^[\dA-HJKMNP-TV-Z]{26}$/.test(key) ? key : '[text]';

/** A program's name and version without what else it says of itself. */
export const safeAgent = (agent: string): string =>
  /^[\w.-]{1,60}(?:\/[\w.+-]{1,40})?(?= |$)/.exec(agent)?.[0] ?? (agent === '' ? '' : '[text]');

/** The longest part of a request whose words are looked for in what it was told. */
const MOST_TYPED = 64_000;
/** The words that someone typed: those of texts and names that are left out. */
function typedIn(url: string, body: unknown): Set<string> {
  let text = '';
  try {
    text = decodeURIComponent(url.replaceAll('+', ' '));
  } catch {
    text = url;
  }
  text += ` ${JSON.stringify(body ?? null).slice(0, MOST_TYPED)}`;
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu));
}

/** Whether a place in a request is one that it has: body.owner.phone, query.limit, header.Lead-Version. */
function isPlace(place: string, described: Described): boolean {
  const [part, ...names] = place.split('.');
  if (part === 'path') return place === 'path.id';
  if (part === 'header') return place === 'header.Idempotency-Key' || place === 'header.Lead-Version';
  if (part !== 'query' && part !== 'body') return false;
  let shapes: Shape[] = [described[part]];
  for (const name of names) {
    shapes = shapes.flatMap((one) => one.anyOf ?? [one]);
    shapes = /^\d{1,6}$/.test(name)
      ? shapes.flatMap(({ items }) => items ?? [])
      : shapes.flatMap(({ properties = {} }) => (Object.hasOwn(properties, name) ? properties[name]! : []));
    if (shapes.length === 0) return false;
  }
  return true;
}

/** A sentence without what it repeats: in quotes, or as in "has X, which is not a state". */
function withoutQuotes(text: string): string {
  const whole = text
    .split(/["“”]/)
    .map((part, at) => (at % 2 === 1 ? LEFT_OUT : part))
    .join('');
  const to = whole.lastIndexOf(', which ');
  const from = whole.indexOf('has ');
  return from >= 0 && from < to ? `${whole.slice(0, from)}has ${LEFT_OUT}${whole.slice(to)}` : whole;
}

interface Problem {
  detail?: string;
  errors?: { location: string; message: string; fix: string }[];
}

/** Why a request was refused, for the log: without the words, the names, and the numbers that it repeats. */
export function safeProblem(
  problem: object,
  { url, body }: { url: string; body: unknown },
  described: Described,
): string {
  const known =
    JSON.stringify(described)
      .toLowerCase()
      .match(/[a-z]{2,}/g) ?? [];
  const typed = typedIn(url, body).difference(new Set(known));
  const clean = (text: string): string =>
    withoutQuotes(text.slice(0, MOST_CHARACTERS))
      .split(' ')
      .map((word) =>
        word.includes('@') || (!DATE.test(word) && word.replace(/\D/g, '').length >= 8)
          ? LEFT_OUT
          : word.replace(/[\p{L}\p{N}]{2,}/gu, (part) =>
              typed.has(part.toLowerCase()) && !PLAIN.has(part.toLowerCase()) ? LEFT_OUT : part,
            ),
      )
      .join(' ');
  const { detail = '', errors, ...rest } = problem as Problem;
  const places = (errors ?? []).map(({ location }) => location);
  const safe = (place: string) => (isPlace(place, described) ? place : `${place.split('.')[0]}.[unknown]`);
  const named = places.find((place) => detail.startsWith(`${place}: `));
  return JSON.stringify({
    ...rest,
    detail: named ? `${safe(named)}: ${clean(detail.slice(named.length + 2))}` : clean(detail),
    ...(errors
      ? {
          errors: errors.map(({ location, message, fix }) => ({
            location: safe(location),
            message: clean(message),
            fix,
          })),
        }
      : {}),
  }).slice(0, MOST_CHARACTERS);
}

/** Words of every refusal, which stay readable whatever was typed. */
const PLAIN = new Set(
  'a an and api at be between by can cannot does exceed field for from has have id in is it key least list long must no not of one only or parameter request required scope send text than that the there this to too used valid was which with'.split(
    ' ',
  ),
);
