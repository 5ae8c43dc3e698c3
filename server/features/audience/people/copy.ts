import { PROFILE_KEYS } from '../../../../contract/audience/enrichment-fields.ts';
import { CONTENT, type Key, type Person } from './model.ts';
import { employeesOf } from './row.policy.ts';
import type { Signal } from './signal.policy.ts';

// What an import reads, in the format of the database's COPY. Kept apart from the stores, because a thread that reads a
// file needs no database.

/**
 * A person about to be added to the graph: `id` is the one they get when new, `at` where in its file the row begins.
 */
export interface Staged extends Person {
  id: string;
  at: number;
}

/** A key as `person.keys` lists it, in hex: a byte of kind, then the value. */
export const listed = ({ kind, value }: Key): string => `0${kind}${value}`;

/** One person in COPY's text format, for stageByCopy. */
export function copyLine({ id, ref, at, content, keys }: Staged): string {
  let line = `${id}\t\\\\x${ref}\t${at}\t{`;
  for (let i = 0; i < keys.length; i++) line += `${i ? ',' : ''}"\\\\\\\\x${listed(keys[i]!)}"`;
  line += '}';
  for (const column of CONTENT) line += `\t${copyText(content[column])}`;
  return `${line}\n`;
}

/** A person's profile in COPY's text format, for stageProfiles. */
export function profileLine({ ref, at, profile }: Pick<Staged, 'ref' | 'at' | 'profile'>): string {
  let line = `\\\\x${ref}\t${at}\t${employeesOf(profile?.company_size) ?? '\\N'}`;
  for (const key of PROFILE_KEYS) line += `\t${copyText(profile?.[key])}`;
  return `${line}\n`;
}

/** A value in COPY's text format. */
function copyText(text: string | undefined): string {
  if (text === undefined) return '\\N';
  return /[\\\n\r\t]/.test(text)
    ? text.replace(/[\\\n\r\t]/g, (c) =>
        c === '\\' ? '\\\\' : c === '\n' ? '\\n' : c === '\r' ? '\\r' : '\\t',
      )
    : text;
}

/** How many keys some signals have, and of which kinds they are. */
export interface SignalKeys {
  count: number;
  kinds: number[];
}

/**
 * Signals in COPY's binary format, which costs the database half as much as the text format. The key that identifies a
 * signal's person is sent once: its first signal carries it, and all carry its number.
 */
export class SignalCopy {
  #data = Buffer.allocUnsafe(256 * 1024);
  #at = HEADER.copy(this.#data);
  /** The keys' numbers, by kind and value. */
  #keys = new Map<string, number>();
  #kinds = new Set<number>();
  /** The number of signals. */
  rows = 0;

  /** Adds a signal. `at` is where its row begins, `term` its keyword's position in the batch's list, counted from 1. */
  add({ kind, value, state, city, zip, url, at: seen }: Signal, at: number, term: number): void {
    const longest = 128 + value.length + (url ? url.length * 3 : 0);
    if (this.#at + longest > this.#data.length) {
      const larger = Buffer.allocUnsafe(2 * this.#data.length + longest);
      this.#data.copy(larger, 0, 0, this.#at);
      this.#data = larger;
    }
    const data = this.#data;
    const name = `${kind}${value}`;
    const known = this.#keys.get(name);
    const key = known ?? this.#keys.size;
    let to = data.writeInt16BE(10, this.#at);
    to = int64(data, at, to);
    to = data.writeInt32BE(key, data.writeInt32BE(4, to));
    to = data.writeInt16BE(kind, data.writeInt32BE(2, to));
    if (known === undefined) {
      this.#keys.set(name, key);
      this.#kinds.add(kind);
      data.writeInt32BE(value.length / 2, to);
      to += 4 + data.write(value, to + 4, 'hex');
    } else to = data.writeInt32BE(-1, to);
    to = data.writeInt32BE(term, data.writeInt32BE(4, to));
    to = int64(data, (seen - EPOCH_MS) * 1000, to);
    to = state === null ? data.writeInt32BE(-1, to) : data.writeInt16BE(state, data.writeInt32BE(2, to));
    to = zip === null ? data.writeInt32BE(-1, to) : data.writeInt32BE(zip, data.writeInt32BE(4, to));
    to = city === null ? data.writeInt32BE(-1, to) : data.writeBigInt64BE(city, data.writeInt32BE(8, to));
    if (url === null) to = data.writeInt32BE(-1, to);
    else {
      const bytes = data.write(url, to + 4);
      to = data.writeInt32BE(bytes, to) + bytes;
    }
    this.#at = to;
    this.rows++;
  }

  /** All of them, for `copy ... (format binary)`, and how many keys they have. */
  end(): { data: Buffer; keys: SignalKeys } {
    const data = Buffer.concat([this.#data.subarray(0, this.#at), TRAILER]);
    const keys = { count: this.#keys.size, kinds: [...this.#kinds] };
    this.#data = EMPTY;
    this.#keys = new Map();
    return { data, keys };
  }
}

const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const TRAILER = Buffer.from([0xff, 0xff]);
const EMPTY = Buffer.alloc(0);
/** The beginning of 2000, the epoch of the database's timestamps. */
const EPOCH_MS = 946_684_800_000;
const TWO_32 = 2 ** 32;

/** Writes an 8-byte field: an integer that a double holds exactly. */
function int64(data: Buffer, value: number, at: number): number {
  const high = Math.floor(value / TWO_32);
  data.writeInt32BE(8, at);
  data.writeInt32BE(high, at + 4);
  return data.writeUInt32BE(value - high * TWO_32, at + 8);
}
