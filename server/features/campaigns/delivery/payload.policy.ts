import { TEXT_PREFIX } from '../../../../contract/campaigns/destinations.ts';
import {
  CLOSE,
  LONGEST_HEADER_VALUE,
  MOST_HEADERS,
  OPEN,
  type Payload,
  type PayloadField,
  type PayloadHeader,
} from '../../../../contract/campaigns/payloads.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import type { Lead } from '../../../integrations/index.ts';
import { readJson } from '../../../platform/http/json.ts';
import { leadOf, SOURCES } from './lead.policy.ts';
import type { LeadData } from './policy.ts';

const MOST_TEMPLATE_DEPTH = 20;
const MOST_PLACEHOLDERS = 500;
/** How many characters the values in one body can have together. */
const MOST_VALUES = 1_000_000;

/** What is sent about one lead. */
export interface Message {
  contentType: string;
  body: string;
}

/**
 * Makes the body of one lead. Values of the lead are data in it: none can change its structure.
 * @throws Refusal 422 if the template is not valid, or the lead's values are too long for it
 */
export function messageOf(payload: Payload, data: LeadData): Message {
  const lead = leadOf(data);
  switch (payload.format) {
    case 'standard':
      return json({ type: 'lead.created', timestamp: data.created_at, data });
    case 'flat': {
      const find = finder(lead, 'fields');
      // Written by hand, because an object would move names that are numbers to the front.
      const entries = payload.fields.map(
        ({ name, source }) => `${JSON.stringify(name)}:${JSON.stringify(find(source))}`,
      );
      return { contentType: 'application/json', body: `{${entries.join(',')}}` };
    }
    case 'form': {
      const find = finder(lead, 'fields');
      const pairs = payload.fields.map(({ name, source }) => [name, find(source) ?? '']);
      return {
        contentType: 'application/x-www-form-urlencoded',
        body: new URLSearchParams(pairs).toString(),
      };
    }
    case 'template':
      return json(filled(parsed(payload.template), finder(lead, 'template')));
  }
}

const json = (value: unknown): Message => ({ contentType: 'application/json', body: JSON.stringify(value) });

/** Looks up values of a lead, by the key of a field or as in field mappings. */
type Find = (source: string) => string | null;

/** @throws Refusal 422 naming the field once the values become too long for one body */
function finder(lead: Lead, field: 'fields' | 'template'): Find {
  let left = MOST_VALUES;
  return (source) => {
    const value = source.startsWith(TEXT_PREFIX)
      ? source.slice(TEXT_PREFIX.length)
      : Object.hasOwn(lead, source)
        ? (lead[source] ?? null)
        : null;
    left -= value?.length ?? 0;
    if (left < 0)
      throw refusalOf(field, `must not become longer than ${MOST_VALUES.toLocaleString('en-US')} characters`);
    return value;
  };
}

/** A text of a template: what stands in it, and the keys of the fields between. */
type Part = { text: string } | { key: string };

/** @throws Refusal 422 naming the template */
function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (let open = text.indexOf(OPEN); open >= 0; open = text.indexOf(OPEN, from)) {
    const close = text.indexOf(CLOSE, open + OPEN.length);
    if (close < 0) throw refusalOf('template', `has a ${OPEN} without a ${CLOSE}`);
    if (open > from) parts.push({ text: text.slice(from, open) });
    parts.push({ key: text.slice(open + OPEN.length, close).trim() });
    from = close + CLOSE.length;
  }
  if (from < text.length) parts.push({ text: text.slice(from) });
  return parts;
}

/** The template with a lead's values in the place of its placeholders. */
function filled(value: unknown, find: Find): unknown {
  if (typeof value === 'string') {
    const parts = partsOf(value);
    const [only] = parts;
    if (parts.length === 1 && only && 'key' in only) return find(only.key);
    return parts.map((part) => ('key' in part ? (find(part.key) ?? '') : part.text)).join('');
  }
  if (Array.isArray(value)) return value.map((one) => filled(one, find));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filled(one, find)]));
}

/** @throws Refusal 422 naming the template */
function parsed(template: string): unknown {
  try {
    return readJson(template);
  } catch (error) {
    const { message } = error as SyntaxError;
    if (message.startsWith('JSON nested'))
      throw refusalOf('template', `must not be nested deeper than ${MOST_TEMPLATE_DEPTH} levels`);
    if (message.includes('prototype')) throw refusalOf('template', 'must not use names such as “__proto__”');
    throw refusalOf('template', `must be valid JSON, with each placeholder inside quotes${placeIn(message)}`);
  }
}

/** Where the parser of JSON stopped, as far as it says so: ' (line 3)'. */
function placeIn(message: string): string {
  const line = /\(line (\d{1,6}) column/.exec(message)?.[1];
  return line ? ` (line ${line})` : '';
}

/** @throws Refusal 422 naming the template */
export function checkTemplate(template: string): void {
  if (!template.trim()) throw refusalOf('template', 'is required');
  let placeholders = 0;
  const check = (value: unknown, depth: number): void => {
    if (typeof value === 'string') {
      for (const part of partsOf(value)) {
        if (!('key' in part)) continue;
        if (!SOURCES.has(part.key)) throw refusalOf('template', `has an unknown field “${short(part.key)}”`);
        if (++placeholders > MOST_PLACEHOLDERS)
          throw refusalOf('template', `must have at most ${MOST_PLACEHOLDERS} placeholders`);
      }
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    if (depth > MOST_TEMPLATE_DEPTH)
      throw refusalOf('template', `must not be nested deeper than ${MOST_TEMPLATE_DEPTH} levels`);
    for (const [name, one] of Object.entries(value)) {
      if (name.includes(OPEN))
        throw refusalOf('template', `must not have placeholders in names (“${short(name)}”)`);
      check(one, depth + 1);
    }
  };
  check(parsed(template), 1);
}

const short = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text).toWellFormed();

/** @throws Refusal 422 naming the row and its part: `fields.3.name` */
export function checkFields(fields: readonly PayloadField[]): void {
  const errors: Record<string, string[]> = {};
  if (fields.length === 0) errors.fields = ['must have at least one field'];
  const names = new Set<string>();
  for (const [i, { name, source }] of fields.entries()) {
    if (names.has(name)) errors[`fields.${i}.name`] = ['is used twice'];
    names.add(name);
    if (!source.startsWith(TEXT_PREFIX) && !SOURCES.has(source))
      errors[`fields.${i}.source`] = ['is not a field of a lead'];
  }
  refuse(errors);
}

/** Names that HTTP itself, the body or the signature uses. */
const RESERVED: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'content-type',
  'content-encoding',
  'connection',
  'proxy-connection',
  'keep-alive',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'http2-settings',
  'proxy-authenticate',
  'proxy-authorization',
]);
const SIGNATURE_PREFIX = 'webhook-';

/** What is wrong with the name of a header, in words; undefined if nothing is. */
function nameFault(name: string): string | undefined {
  if (name === '') return 'is required';
  if (name.length > 100) return 'must not exceed 100 characters';
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return 'must have only letters, digits, and signs such as hyphens';
  const lower = name.toLowerCase();
  if (RESERVED.has(lower) || lower.startsWith(SIGNATURE_PREFIX)) return 'is a reserved header';
  return undefined;
}

/** What is wrong with the value of a header, in words; undefined if nothing is. */
function valueFault(value: string): string | undefined {
  if (value.length > LONGEST_HEADER_VALUE)
    return `must not exceed ${LONGEST_HEADER_VALUE.toLocaleString('en-US')} characters`;
  if (!/^[\x20-\x7e\xa0-\xff]*$/.test(value)) return 'must have only Latin characters, without line breaks';
  return undefined;
}

/**
 * Returns the headers to send, names in lowercase; one whose value is left empty keeps the value it had.
 * @param before the headers until now; undefined: values do not matter, as in a preview
 * @throws Refusal 422 naming the row and its part: `headers.0.value`
 */
export function headersFrom(
  given: readonly PayloadHeader[],
  before: readonly PayloadHeader[] | undefined,
): PayloadHeader[] {
  const errors: Record<string, string[]> = {};
  if (given.length > MOST_HEADERS) errors.headers = [`must have at most ${MOST_HEADERS} rows`];
  const names = new Set<string>();
  const headers = given.slice(0, MOST_HEADERS).map((header, i) => {
    const { name } = header;
    const lower = name.toLowerCase();
    const fault = nameFault(name) ?? (names.has(lower) ? 'is used twice' : undefined);
    if (fault) errors[`headers.${i}.name`] = [fault];
    names.add(lower);
    const kept = before?.find((one) => one.name.toLowerCase() === lower)?.value;
    const value = header.value.trim() || kept || '';
    const wrong = valueFault(header.value) ?? (before && !value ? 'is required' : undefined);
    if (wrong) errors[`headers.${i}.value`] = [wrong];
    return { name, value };
  });
  refuse(errors);
  return headers;
}

function refuse(errors: Record<string, string[]>): void {
  const [first] = Object.entries(errors);
  if (first) throw new Refusal('invalid', `${first[0]}: ${first[1][0]}`, { errors });
}

/**
 * What to hide in a response, the longest first: an endpoint may repeat the values of headers, or their words, such as
 * the token after “Bearer”, and as JSON.
 */
export function secretsOf(headers: readonly PayloadHeader[]): string[] {
  const parts = headers.flatMap(({ value }) => [
    value,
    ...value.split(' ').filter((word) => word.length >= 8),
  ]);
  const all = parts.flatMap((part) => [part, JSON.stringify(part).slice(1, -1)]);
  return [...new Set(all)].filter((part) => part.length >= 6).sort((a, b) => b.length - a.length);
}
