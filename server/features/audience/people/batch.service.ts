import { setImmediate as breathe } from 'node:timers/promises';
import type { CountryCode } from '../../../platform/countries.ts';
import { lineNumbers, readRows } from '../../../platform/csv-reader.ts';
import { newId } from '../../../platform/ids.ts';
import { hasProfile } from './columns.policy.ts';
import { copyLine, profileLine, type Staged } from './copy.ts';
import { type DncColumn, type DncMarks, dncColumns, readDnc } from './dnc.policy.ts';
import {
  type Fault,
  type Key,
  type Left,
  type LineFault,
  MOST_CONTACT_KEYS,
  MOST_PLACE_KEYS,
  type Person,
  type PersonField,
  PLACE_KINDS,
} from './model.ts';
import {
  type Cells,
  readPerson,
  readProfile,
  rowCountry,
  TOO_MANY_CONTACTS,
  TOO_MANY_PLACES,
} from './row.policy.ts';
import { scrubDate } from './scrub.policy.ts';

/** How many rows (or, approximately, bytes of the file) one transaction takes. */
export interface BatchSize {
  rows: number;
  bytes: number;
}

/** People ready for COPY (each at most once). */
export interface Copies {
  people: number;
  data: Uint8Array;
  /** How many rows those were combined from who come from several, by where the last of them begins. */
  combined: Map<number, number>;
  /** What else is known about them; null if nothing. */
  profiles: Uint8Array | null;
}

/** The work of one transaction: the part of a file from `at` to `end`, where `line` is the number of the next line. */
export interface Batch {
  at: number;
  end: number;
  line: number;
  rows: number;
  /**
   * Each person as their first row says, followed, for those with several rows, by what the later rows together say.
   */
  copies: Copies[];
  /** How many rows are not imported, how many values are left out of those that are, and both broken down by reason. */
  bad: number;
  valuesBad: number;
  leftOut: LeftOut[];
  errors: LineFault[];
  /** Numbers that rows mark as being on a do-not-call list, and those they mark as not being on one. */
  /** `dates` as in DncMarks. */
  dnc: { yes: string[]; no: string[]; dates: Map<string, number | null> };
}

/** How many rows, or values of rows that are imported otherwise, are left out for one reason. */
export interface LeftOut {
  what: 'row' | 'value';
  field: string | null;
  reason: string;
  count: number;
}

const UNCLEAR_DATE =
  'is not a past date, so it is not known when the number was compared with do-not-call lists';
const UNCLEAR_DNC = 'is not yes or no, so the number is treated as if it were on a do-not-call list';
/** The number of reasons listed separately; any others are grouped together. */
const MOST_REASONS = 40;
const OTHER = 'is skipped for another reason';

/** Adds newly left-out rows and values to the known totals. */
export function addLeftOut(known: readonly LeftOut[], more: readonly LeftOut[]): LeftOut[] {
  const sums = known.map((one) => ({ ...one }));
  for (const one of more) {
    const alike = (other: LeftOut) => other.what === one.what && other.field === one.field;
    const same = sums.find((other) => alike(other) && other.reason === one.reason);
    if (same) same.count += one.count;
    else if (sums.length < MOST_REASONS) sums.push({ ...one });
    else {
      const rest = sums.find((other) => other.what === one.what && other.reason === OTHER);
      if (rest) rest.count += one.count;
      else sums.push({ ...one, field: null, reason: OTHER });
    }
  }
  return sums;
}

/** Returns the totals of line faults, by reason. */
export function leftOutOf(faults: readonly (Fault & Partial<Left> & { place: number })[]): LeftOut[] {
  const sums = new Map<string, LeftOut>();
  for (const { field, reason, place, count = 1 } of faults) {
    const what = place === 0 ? 'row' : 'value';
    const key = `${what} ${field} ${reason}`;
    const known = sums.get(key);
    if (known) known.count += count;
    else sums.set(key, { what, field, reason, count });
  }
  return addLeftOut([], [...sums.values()]);
}

/** Rows read in one go before the database's responses and other requests get their turn. */
const GROUP = { most: 200, mostBytes: 1024 * 1024 };

/**
 * Reads a file's rows in batches. Where the batches end depends only on the file and `from`, so that an interrupted
 * import does the same as an uninterrupted one. Rows are turned into COPY's text at once: a batch of objects, living
 * until it is full, would cost more in garbage collection than the reading.
 * @param from a byte where a row begins, in line `line`
 */
export async function* readBatches(
  path: string,
  plan: PersonField[],
  {
    header,
    country,
    from,
    line,
    delimiter,
    size,
    now,
  }: {
    header: readonly string[];
    country: CountryCode;
    from: number;
    line: number;
    delimiter: string;
    size: BatchSize;
    now: () => Date;
  },
): AsyncGenerator<Batch> {
  let batch = newBatch(from);
  const profiled = hasProfile(plan);
  const marked = dncColumns(header, plan);
  const dated = plan.flatMap((field, at) => (field === 'phone_dnc_date' ? [at] : []));
  for await (const group of readRows(path, {
    from,
    delimiter,
    most: Math.min(GROUP.most, size.rows),
    mostBytes: GROUP.mostBytes,
  })) {
    const at = now();
    let lines = '';
    let profiles = '';
    for (const { cells, at: begins, end } of group) {
      batch.end = end;
      batch.rows++;
      const read = readRow(cells, plan, profiled, country, { marked, dated, now: at.getTime() }, batch.dnc);
      if (!('ref' in read)) {
        batch.faults.push({ ...read, at: begins, place: 0 });
        continue;
      }
      read.left?.forEach((one, i) => {
        batch.faults.push({ ...one, at: begins, place: i + 1 });
      });
      if (!batch.seen.has(read.ref)) {
        batch.seen.add(read.ref);
        lines += copyLine({ ...read, id: newId(at), at: begins });
        if (read.profile) profiles += profileLine({ ...read, at: begins });
      } else {
        const before = batch.later.get(read.ref);
        const whole = before ? combine(before, read) : { ...read, places: 0 };
        if (!whole) {
          batch.faults.push({ ...TOO_MANY_CONTACTS, at: begins, place: 0 });
          continue;
        }
        if (whole.places > 0) batch.faults.push({ ...tooManyPlaces(whole.places), at: begins });
        batch.later.set(read.ref, { ...whole, id: newId(at), at: begins, rows: (before?.rows ?? 0) + 1 });
      }
    }
    batch.first.push(Buffer.from(lines));
    if (profiles) batch.profiles.push(Buffer.from(profiles));
    if (batch.rows >= size.rows || batch.end - batch.at >= size.bytes) {
      const full = await close(path, batch, line);
      yield full;
      batch = newBatch(full.end);
      line = full.line;
    }
    await breathe();
  }
  if (batch.rows > 0) yield close(path, batch, line);
}

interface OpenBatch {
  at: number;
  end: number;
  rows: number;
  seen: Set<string>;
  first: Buffer[];
  profiles: Buffer[];
  later: Map<string, Staged & { rows: number }>;
  faults: (Fault & { at: number; place: number; count?: number })[];
  dnc: DncMarks;
}

const newBatch = (at: number): OpenBatch => ({
  at,
  end: at,
  rows: 0,
  seen: new Set(),
  first: [],
  profiles: [],
  later: new Map(),
  faults: [],
  dnc: { yes: new Set(), no: new Set(), dates: new Map() },
});

async function close(path: string, batch: OpenBatch, line: number): Promise<Batch> {
  const { at, end, rows, faults, later } = batch;
  const lines = await lineNumbers(path, at, line, [...faults.map((fault) => fault.at), end]);
  const joined = (parts: Buffer[]) => (parts.length > 0 ? Buffer.concat(parts) : null);
  const copies: Copies[] = [
    {
      people: batch.seen.size,
      data: Buffer.concat(batch.first),
      combined: new Map(),
      profiles: joined(batch.profiles),
    },
  ];
  if (later.size > 0) {
    const people = [...later.values()];
    copies.push({
      people: later.size,
      data: Buffer.from(people.map(copyLine).join('')),
      combined: new Map(people.flatMap((one) => (one.rows > 1 ? [[one.at, one.rows] as const] : []))),
      profiles: joined(people.filter((one) => one.profile).map((one) => Buffer.from(profileLine(one)))),
    });
  }
  const { yes, no, dates } = batch.dnc;
  const leftOut = leftOutOf(faults);
  const count = (what: LeftOut['what']) =>
    leftOut.reduce((sum, one) => (one.what === what ? sum + one.count : sum), 0);
  return {
    at,
    end,
    line: lines.at(-1)!,
    rows,
    copies,
    bad: count('row'),
    valuesBad: count('value'),
    leftOut,
    dnc: { yes: [...yes], no: [...no].filter((number) => !yes.has(number)), dates },
    errors: faults.map(({ field, reason, value, place }, i) => ({
      field,
      reason,
      value,
      place,
      line: lines[i]!,
    })),
  };
}

/**
 * Combines two rows about one person. The last row wins; what it does not state, and the keys, stay as an earlier row
 * stated them. `places`: how many devices and IP addresses no room was left for. Null where there is none for the others.
 */
function combine(earlier: Person, later: Person): (Person & { places: number }) | null {
  const known = new Set(earlier.keys.map((key) => `${key.kind}${key.value}`));
  const added = later.keys.filter((key) => !known.has(`${key.kind}${key.value}`));
  const places = added.filter(isPlace);
  const heldPlaces = earlier.keys.filter(isPlace).length;
  const contacts = added.length - places.length;
  if (contacts > 0 && earlier.keys.length - heldPlaces + contacts > MOST_CONTACT_KEYS) return null;
  const kept = new Set(places.slice(0, Math.max(0, MOST_PLACE_KEYS - heldPlaces)));
  return {
    ref: later.ref,
    content: { ...earlier.content, ...later.content },
    keys: [...earlier.keys, ...added.filter((key) => !isPlace(key) || kept.has(key))],
    profile:
      earlier.profile && later.profile
        ? { ...earlier.profile, ...later.profile }
        : (later.profile ?? earlier.profile),
    places: places.length - kept.size,
  };
}

const isPlace = ({ kind }: Key): boolean => PLACE_KINDS.some((one) => one === kind);

/** After any values of a row that were left out when it was read. */
const LAST_PLACE = 1000;

/** What is reported about a row some of whose devices and IP addresses were not kept. */
export const tooManyPlaces = (count: number): Left & { place: number } => ({
  ...{ field: null, reason: TOO_MANY_PLACES, value: null },
  ...{ count, place: LAST_PLACE },
});

function readRow(
  cells: string[],
  plan: PersonField[],
  profiled: boolean,
  country: CountryCode,
  { marked, dated, now }: { marked: readonly DncColumn[]; dated: readonly number[]; now: number },
  dnc: DncMarks,
): Person | Fault {
  if (
    cells.length < plan.length ||
    (cells.length > plan.length && cells.slice(plan.length).some((cell) => cell !== ''))
  ) {
    const reason = `has ${cells.length} values but the first line has ${plan.length} column names`;
    return { field: null, reason, value: null };
  }
  let length = 0;
  for (const cell of cells) length += cell.length;
  if (length > 1_000_000) return { field: null, reason: 'is longer than 1 MB', value: null };
  const byField: Cells = {};
  for (let i = 0; i < plan.length; i++) {
    const field = plan[i]!;
    const cell = cells[i]!;
    if (field === 'ignore' || cell === '') continue;
    const before = byField[field];
    if (before) before.push(cell);
    else byField[field] = [cell];
  }
  const read = readPerson(byField, country);
  if (!('ref' in read)) return read;
  if (profiled) read.profile = readProfile(byField, country);
  if (marked.length > 0) {
    const left = (field: PersonField, reason: string) => (value: string) => {
      const known = read.left?.find((one) => one.field === field);
      if (known) known.count++;
      else read.left = [...(read.left ?? []), { field, reason, value: value.slice(0, 200), count: 1 }];
    };
    const date = scrubDate(cells, dated, now, left('phone_dnc_date', UNCLEAR_DATE));
    readDnc(cells, marked, rowCountry(byField, country), dnc, left('phone_dnc', UNCLEAR_DNC), date);
  }
  return read;
}
