import { createHash, hash } from 'node:crypto';
import { boundJson } from '../../../platform/http/json.ts';

/** A value of a row, as JSON has it. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };
export type JsonRow = Record<string, JsonValue>;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const ONE_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
export const isUuid = (value: unknown): value is string => typeof value === 'string' && ONE_UUID.test(value);

/** How many values one row may have: more than the places and keywords of the largest search. */
const MOST_VALUES = 100_000;
const LONG = 16;
const isDigit = (char: string | undefined): boolean => char !== undefined && char >= '0' && char <= '9';

/** JSON in which whole numbers that a JavaScript number cannot hold, such as the hashes of places, are texts. */
function withTexts(json: string): string {
  let [made, from, at] = ['', 0, 0];
  while (at < json.length) {
    const char = json[at];
    if (char === '"') {
      for (at++; at < json.length && json[at] !== '"'; at++) if (json[at] === '\\') at++;
      at++;
    } else if (char === '-' || isDigit(char)) {
      const begin = at++;
      while (isDigit(json[at])) at++;
      const isWhole = json[at] === ',' || json[at] === ']' || json[at] === '}';
      if (isWhole && at - begin >= LONG) {
        made += `${json.slice(from, begin)}"${json.slice(begin, at)}"`;
        from = at;
      } else while (at < json.length && /[\d.eE+-]/.test(json[at]!)) at++;
    } else at++;
  }
  return made + json.slice(from);
}

/**
 * Reads a line of an archive. Whole numbers of 16 digits and more become texts, which PostgreSQL takes for numbers just as well.
 * @throws SyntaxError if it is not a JSON object, or so large that reading and comparing it would hold the process
 */
export function readRow(line: string): JsonRow {
  boundJson(line, MOST_VALUES);
  const safe = /\d{16}/.test(line) ? withTexts(line) : line;
  const row: unknown = JSON.parse(safe);
  if (typeof row !== 'object' || row === null || Array.isArray(row)) throw new SyntaxError('not an object');
  return row as JsonRow;
}

const NUL = /(?:^|[^\\])(?:\\\\)*\\u0000/;
/** Whether JSON has a character that the database keeps in no text, and stumbles over when it reads it in JSON. */
export const hasNul = (json: string): boolean => NUL.test(json);

/** What a row's ids are called here. */
export interface Ids {
  one: (id: string) => string;
  text: (id: string) => string;
}

export const SAME: Ids = { one: (id) => id, text: (id) => id };

/**
 * Ids that follow from those of the archive and the import, so that an import that goes on gives the same ones. The time
 * inside an id stays, and with it the order.
 */
export function idsOf(importId: string): Ids {
  const salt = importId.replaceAll('-', '');
  return {
    one(id) {
      const made = hash('sha256', `${salt}:${id}`);
      const variant = '89ab'[Number.parseInt(made[16]!, 16) & 3];
      return `${id.slice(0, 13)}-7${made.slice(13, 16)}-${variant}${made.slice(17, 20)}-${made.slice(20, 32)}`;
    },
    text(id) {
      const at = id.indexOf('_') + 1;
      return id.slice(0, at) + hash('sha256', `${salt}:${id}`).slice(0, 32);
    },
  };
}

/** The columns of a table in which ids are: as ids, lists of ids, inside a text, or as a text. */
export interface IdColumns {
  uuid: readonly string[];
  texts: readonly string[];
  ids: readonly string[];
}

/** A row with the ids that it has here. */
export function mapped(row: JsonRow, columns: IdColumns, ids: Ids): JsonRow {
  if (ids === SAME) return row;
  const one = (value: JsonValue): JsonValue =>
    typeof value === 'string'
      ? isUuid(value)
        ? ids.one(value)
        : value
      : Array.isArray(value)
        ? value.map(one)
        : value;
  const made = { ...row };
  for (const column of columns.uuid) if (column in made) made[column] = one(made[column]!);
  for (const column of columns.ids)
    if (typeof made[column] === 'string') made[column] = ids.text(made[column]);
  for (const column of columns.texts)
    if (made[column])
      made[column] = JSON.parse(JSON.stringify(made[column]).replace(UUID, (id) => ids.one(id))) as JsonValue;
  return made;
}

/** The name of a row in its table. */
export const keyOf = (row: JsonRow, key: readonly string[]): string =>
  key.map((column) => (row[column] === null ? '' : String(row[column]))).join('|');

const sorted = (value: JsonValue): JsonValue =>
  Array.isArray(value)
    ? value.map(sorted)
    : value !== null && typeof value === 'object'
      ? Object.fromEntries(
          Object.keys(value)
            .sort()
            .map((key) => [key, sorted(value[key]!)]),
        )
      : value;

/** A row as a text that is the same for the same values of these columns, in whatever order they come. */
export const canonical = (row: JsonRow, columns: readonly string[]): string =>
  JSON.stringify(columns.map((column) => sorted(row[column] ?? null)));

const MASK = (1n << 128n) - 1n;

/**
 * A fingerprint of rows that does not depend on their order: the sum of their hashes. In 64 parts, by key, so that rows
 * that differ can be found a part at a time.
 */
export class Digest {
  static readonly PARTS = 64;
  rows = 0;
  private readonly parts: bigint[] = Array.from({ length: Digest.PARTS }, () => 0n);

  static partOf(key: string): number {
    return hash('sha256', key, 'buffer')[0]! % Digest.PARTS;
  }
  static of(text: string): string {
    return hash('sha256', text).slice(0, 32);
  }
  add(key: string, text: string): void {
    const part = Digest.partOf(key);
    this.parts[part] = (this.parts[part]! + BigInt(`0x${Digest.of(text)}`)) & MASK;
    this.rows++;
  }
  /** The parts that are not those of another. */
  unlike(other: Digest): number[] {
    return this.parts.flatMap((sum, part) => (sum === other.parts[part] ? [] : [part]));
  }
  get hex(): string {
    const whole = createHash('sha256');
    for (const part of this.parts) whole.update(part.toString(16).padStart(32, '0'));
    return whole.digest('hex');
  }
}
