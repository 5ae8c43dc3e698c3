import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** A file that cannot be read; the message is for the user who provided it. */
export class FileFault extends Error {
  override name = 'FileFault';
}

/** A file that exceeds the size limit. */
export class TooLarge extends Error {
  override name = 'TooLarge';
}

const NEWLINE = 0x0a;

/**
 * Writes an incoming file to `path` as UTF-8 without a byte order mark. UTF-16 is recognized by its byte order mark;
 * anything else must be UTF-8. Whatever was written is removed if this throws.
 * @param most the maximum number of bytes
 * @returns the size as written, and the SHA-256 of the file as received
 * @throws TooLarge; FileFault if it is empty or not text in UTF-8, with the first wrong line
 */
export async function takeIn(
  source: AsyncIterable<Uint8Array>,
  path: string,
  most: number,
): Promise<{ bytes: number; sha256: Buffer }> {
  await mkdir(dirname(path), { recursive: true });
  const sha256 = createHash('sha256');
  let came = 0;
  let bytes = 0;
  async function* incoming(): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      came += chunk.length;
      if (came > most) throw new TooLarge(`The file is larger than ${most} bytes.`);
      sha256.update(chunk);
      yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    }
  }
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of asUtf8(incoming())) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  // Opened before anything can go wrong: a file opened later would reappear after it was removed.
  const file = await open(path, 'w', 0o600);
  try {
    await pipeline(counted(), file.createWriteStream());
    if (bytes === 0) throw new FileFault('The file is empty.');
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
  return { bytes, sha256: sha256.digest() };
}

/** Writes an incoming file to `path` as is. Whatever was written is removed if this throws. */
export async function takeRaw(
  source: AsyncIterable<Uint8Array>,
  path: string,
  most: number,
): Promise<{ bytes: number; sha256: Buffer }> {
  await mkdir(dirname(path), { recursive: true });
  const sha256 = createHash('sha256');
  let bytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      bytes += chunk.length;
      if (bytes > most) throw new TooLarge(`The file is larger than ${most} bytes.`);
      sha256.update(chunk);
      yield chunk;
    }
  }
  const file = await open(path, 'w', 0o600);
  try {
    await pipeline(counted(), file.createWriteStream());
    if (bytes === 0) throw new FileFault('The file is empty.');
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
  return { bytes, sha256: sha256.digest() };
}

async function* asUtf8(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0);
  let decoder: TextDecoder | undefined;
  let rest = Buffer.alloc(0); // the beginning of a character at the end of the last chunk
  let lines = 1;
  const check = (chunk: Buffer, last: boolean): Buffer => {
    const whole = rest.length ? Buffer.concat([rest, chunk]) : chunk;
    const end = whole.length - (last ? 0 : begunCharacter(whole));
    const text = whole.subarray(0, end);
    if (!isUtf8(text)) {
      for (let at = 0; at < text.length; lines++) {
        const next = text.indexOf(NEWLINE, at) + 1 || text.length;
        if (!isUtf8(text.subarray(at, next))) break;
        at = next;
      }
      throw new FileFault(`The file is not UTF-8 (line ${lines}). Save it as UTF-8 and try again.`);
    }
    lines += newlines(text);
    rest = Buffer.from(whole.subarray(end));
    return text;
  };
  const convert = (chunk: Buffer, last: boolean): Buffer => {
    if (!decoder) return check(chunk, last);
    try {
      return Buffer.from(decoder.decode(chunk, { stream: !last }));
    } catch {
      throw new FileFault('The file starts like UTF-16 but is not. Save it as UTF-8 and try again.');
    }
  };
  const begin = (first: Buffer): Buffer => {
    const mark = first.subarray(0, 2).toString('hex');
    if (mark === 'fffe' || mark === 'feff') {
      decoder = new TextDecoder(mark === 'fffe' ? 'utf-16le' : 'utf-16be', { fatal: true, ignoreBOM: false });
      return first;
    }
    return first.subarray(0, 3).toString('hex') === 'efbbbf' ? first.subarray(3) : first;
  };
  for await (const chunk of source) {
    if (head) {
      head = Buffer.concat([head, chunk]);
      if (head.length < 3) continue;
      yield convert(begin(head), false);
      head = undefined;
    } else {
      yield convert(chunk, false);
    }
  }
  yield convert(head ? begin(head) : Buffer.alloc(0), true);
}

/** Returns how many bytes at the end are the beginning of a multi-byte character (0 to 3). */
function begunCharacter(text: Buffer): number {
  for (let back = 1; back <= Math.min(3, text.length); back++) {
    const byte = text[text.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

/** The cells of one line (or several, if cells contain line breaks), and where in the file it begins and ends. */
export interface RawRow {
  cells: string[];
  at: number;
  end: number;
}

/** Maximum bytes of a row; beyond that, the rest of the file is considered to be inside a quotation. */
const LONGEST_ROW = 8 * 1024 * 1024;

/**
 * Reads the rows of a UTF-8 CSV file starting at a byte offset, in batches of `most` rows or about `mostBytes`,
 * whichever comes first. The batches depend only on the file and the starting byte. Blank lines are left out.
 * `aftermath` is what a fault says about the rows before it; `chunkBytes` of the file are read at a time. Reading is
 * half of an import's work: this takes a third of the time of csv-parse and returns the same rows (with its options
 * relax_quotes and relax_column_count; the tests compare them).
 * @throws FileFault with the line, if a quotation is not closed
 */
export async function* readRows(
  path: string,
  options: {
    from?: number;
    delimiter: string;
    most: number;
    mostBytes: number;
    aftermath?: string;
    chunkBytes?: number;
  },
): AsyncGenerator<RawRow[]> {
  const { delimiter, from = 0, aftermath = 'The rows before it were imported.' } = options;
  let rows: RawRow[] = [];
  let at = from;
  let batchFrom = from;
  const full: RawRow[][] = [];
  /** Cuts the rows off a text, and returns what is left of it: a row that does not end in it. */
  const take = (text: string, isAscii: boolean, isLast: boolean): string => {
    let begin = 0;
    const nextOf = { break: finder(text, '\n'), separator: finder(text, delimiter) };
    while (begin < text.length) {
      const row = cutRow(text, begin, delimiter, isLast, nextOf);
      if (!row) break;
      const { cells, next } = row;
      const end = at + (isAscii ? next - begin : Buffer.byteLength(text.slice(begin, next)));
      if (cells.length > 1 || cells[0] !== '') rows.push({ cells, at, end });
      at = end;
      begin = next;
      if (rows.length >= options.most || at - batchFrom >= options.mostBytes) {
        if (rows.length > 0) full.push(rows);
        rows = [];
        batchFrom = at;
      }
    }
    return text.slice(begin);
  };
  const highWaterMark = options.chunkBytes ?? 64 * 1024;
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let rest = '';
  let enough = 0;
  let hasBreak = false;
  for await (const chunk of createReadStream(path, { start: from, highWaterMark })) {
    const came = decoder.decode(chunk as Buffer, { stream: true });
    const text = rest + came;
    // A row ends with a line: without a line break there is nothing to look for. An incomplete row is read again only
    // when there is twice as much of it, so that a row of many chunks is not read that many times.
    hasBreak ||= came.includes('\n');
    rest = text;
    if (hasBreak && text.length >= Math.min(enough, LONGEST_ROW)) {
      rest = take(text, isAsciiOnly(text), false);
      enough = rest.length > highWaterMark ? 2 * rest.length : 0;
      hasBreak = false;
    }
    yield* full.splice(0);
    if (rest.length > LONGEST_ROW) break;
  }
  if (rest.length <= LONGEST_ROW) rest = take(rest + decoder.decode(), false, true);
  yield* full.splice(0);
  if (rows.length > 0) yield rows;
  if (rest !== '') {
    const line = (await lineNumbers(path, 0, 1, [at]))[0];
    // A row that never ends has an unclosed quotation, unless it contains no quotation mark.
    const what = rest.includes('"')
      ? 'a quotation mark opens a value but is never closed'
      : 'the row is longer than 8 MB. Check that each row ends with a line break';
    throw new FileFault(`Line ${line}: ${what}. ${aftermath}`);
  }
}

const isAsciiOnly = (text: string): boolean => Buffer.byteLength(text) === text.length;

/**
 * Returns the cells of the row that begins at a position in a text, and where the next row begins; null if the text
 * ends within it. A quotation mark that does not begin a cell, or that ends a quotation in the middle of one, is an
 * ordinary character. `isLast`: no more text follows.
 */
function cutRow(
  text: string,
  begin: number,
  delimiter: string,
  isLast: boolean,
  nextOf: { break: Next; separator: Next },
): { cells: string[]; next: number } | null {
  const newline = nextOf.break(begin);
  if (newline === -1 && !isLast) return null;
  const next = newline === -1 ? text.length : newline + 1;
  const line = text.slice(begin, newline === -1 ? next : lineEnd(text, begin, newline));
  if (!line.includes('"')) return { cells: line.split(delimiter), next };
  const cells: string[] = [];
  let at = begin;
  for (;;) {
    const cell = text[at] === '"' ? cutQuoted(text, at, delimiter, isLast) : { value: '', at };
    if (!cell) return null;
    // The rest of the cell, up to a separator or the end of the line.
    const separator = nextOf.separator(cell.at);
    const breaks = nextOf.break(cell.at);
    if (breaks === -1 && !isLast) return null;
    const stop = breaks === -1 ? text.length : lineEnd(text, cell.at, breaks);
    if (separator === -1 || separator >= stop) {
      cells.push(cell.value + text.slice(cell.at, stop));
      return { cells, next: breaks === -1 ? text.length : breaks + 1 };
    }
    cells.push(cell.value + text.slice(cell.at, separator));
    at = separator + 1;
  }
}

/**
 * Returns the next position of a mark at or after a place, or -1 if there is none; places must be asked for in
 * ascending order.
 */
type Next = (from: number) => number;

/**
 * Looks for a mark from front to end, and remembers where it was found: with a new search at each cell, a text of many
 * cells and one line break (or no separator) would be read to its end that many times.
 */
export function finder(text: string, mark: string): Next {
  let found = -2;
  return (from) => {
    if (found !== -1 && found < from) found = text.indexOf(mark, from);
    return found;
  };
}

/** Returns where the line ends whose line break is at `newline`: a carriage return before it belongs to the break. */
const lineEnd = (text: string, begin: number, newline: number): number =>
  newline > begin && text[newline - 1] === '\r' ? newline - 1 : newline;

/**
 * Returns the content of a cell that begins with a quotation mark up to the mark that ends the quotation, and the
 * position of that mark; null if the text ends first.
 */
function cutQuoted(
  text: string,
  begin: number,
  delimiter: string,
  isLast: boolean,
): { value: string; at: number } | null {
  let value = '';
  for (let from = begin + 1; ; ) {
    const mark = text.indexOf('"', from);
    if (mark === -1) return null;
    const after = text[mark + 1];
    if (after === undefined && !isLast) return null;
    value += text.slice(from, mark);
    if (after === '"') {
      value += '"';
      from = mark + 2;
      continue;
    }
    const ends =
      after === undefined ||
      after === delimiter ||
      after === '\n' ||
      (after === '\r' && text[mark + 2] === '\n');
    return ends ? { value, at: mark + 1 } : { value: `"${value}`, at: mark };
  }
}

/** Returns the number of line breaks. */
function newlines(text: Buffer): number {
  let count = 0;
  for (let at = text.indexOf(NEWLINE); at !== -1; at = text.indexOf(NEWLINE, at + 1)) count++;
  return count;
}

/**
 * The line numbers of places in a file.
 * @param from a byte whose line number `line` is known
 * @param places bytes at or after it, ascending
 */
export async function lineNumbers(
  path: string,
  from: number,
  line: number,
  places: number[],
): Promise<number[]> {
  const file = await open(path);
  try {
    const buffer = Buffer.alloc(1024 * 1024);
    const numbers: number[] = [];
    for (const place of places) {
      while (from < place) {
        const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, place - from), from);
        if (bytesRead === 0) break;
        line += newlines(buffer.subarray(0, bytesRead));
        from += bytesRead;
      }
      numbers.push(line);
    }
    return numbers;
  } finally {
    await file.close();
  }
}

/** Returns the separator that a header line uses: whichever of , ; tab | occurs most often. */
export async function findDelimiter(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64 * 1024), 0, 64 * 1024, 0);
    const [header = ''] = buffer
      .subarray(0, bytesRead)
      .toString()
      .replace(/"[^"]*"/g, '')
      .split('\n', 1);
    const counts = [',', ';', '\t', '|'].map((delimiter) => ({
      delimiter,
      count: header.split(delimiter).length,
    }));
    return counts.reduce((best, one) => (one.count > best.count ? one : best)).delimiter;
  } finally {
    await file.close();
  }
}
