import { setImmediate as breathe } from 'node:timers/promises';
import type { CountryCode } from '../../../platform/countries.ts';
import { lineNumbers, readRows } from '../../../platform/csv-reader.ts';
import { type Keyword, keywordOf } from '../keywords/index.ts';
import { SignalCopy, type SignalKeys } from './copy.ts';
import type { Fault, PersonField } from './model.ts';
import { type ParquetHead, readParquet } from './parquet-file.ts';
import { readSignal, type SignalPlan, signalPlan } from './signal.policy.ts';

/**
 * The work of one transaction: the signals of a part of a file. Places are bytes of a CSV file, rows of a Parquet file.
 */
export interface SignalBatch {
  /** Where the batch ends: the byte (proportional for a Parquet file), and the number of the next line or row. */
  end: number;
  line: number;
  rows: number;
  /** How many rows are signals; `data` holds them for COPY. */
  signals: number;
  data: Uint8Array;
  keys: SignalKeys;
  keywords: Keyword[];
  errors: (Fault & { line: number })[];
  /**
   * Where the batch begins in a CSV file: a byte and the number of its line; null for a Parquet file, whose places are
   * rows.
   */
  begin: { at: number; line: number } | null;
}

/**
 * Where reading a file resumes: for CSV, `from` is a byte whose line is `line`; for Parquet, `line` is the row, counted
 * from 1.
 */
interface From {
  plan: PersonField[];
  /** The country of phone numbers that do not state one. */
  country: CountryCode;
  from: number;
  line: number;
  size: { rows: number; bytes: number };
  now: () => Date;
}

/** Rows read in one go before the database's responses and other requests get their turn. */
const GROUP = { most: 100, mostBytes: 1024 * 1024 };

/**
 * Reads a CSV file's signals in batches. Where they end depends only on the file and `from`, so that an interrupted
 * import does the same as an uninterrupted one.
 */
export async function* csvSignals(
  path: string,
  { plan, country, from, line, delimiter, size, now }: From & { delimiter: string },
): AsyncGenerator<SignalBatch> {
  const places = signalPlan(plan);
  let batch = open(from);
  const close = async (): Promise<SignalBatch> => {
    const { at, end, faults } = batch;
    const first = line;
    const numbers = await lineNumbers(path, at, first, [...faults.map((fault) => fault.at), end]);
    line = numbers.at(-1)!;
    return {
      ...closed(batch),
      end,
      line,
      errors: faults.map((fault, i) => ({ ...fault, line: numbers[i]! })),
      begin: { at, line: first },
    };
  };
  for await (const group of readRows(path, {
    from,
    delimiter,
    most: Math.min(GROUP.most, size.rows),
    mostBytes: GROUP.mostBytes,
  })) {
    const at = now().getTime();
    for (const { cells, at: begins, end } of group) {
      add(batch, cells, { places, columns: plan.length, country }, begins, at);
      batch.end = end;
    }
    if (batch.rows >= size.rows || batch.end - batch.at >= size.bytes) {
      yield await close();
      batch = open(batch.end);
    }
    await breathe();
  }
  if (batch.rows > 0) yield close();
}

/** Reads a Parquet file's signals in batches; `line` is the first row to read, counted from 1. */
export async function* parquetSignals(
  path: string,
  { plan, country, line, size, now, head, fileBytes }: From & { head: ParquetHead; fileBytes: number },
): AsyncGenerator<SignalBatch> {
  const places = signalPlan(plan);
  const wanted = plan.flatMap((field, at) => (field === 'ignore' ? [] : [at]));
  for await (const { first, rows } of readParquet(path, { from: line - 1, most: size.rows, wanted })) {
    const batch = open(0);
    const at = now().getTime();
    for (let from = 0; from < rows.length; from += GROUP.most) {
      for (let i = from; i < Math.min(rows.length, from + GROUP.most); i++)
        add(batch, rows[i]!, { places, columns: plan.length, country }, first + i, at);
      await breathe();
    }
    const next = first + rows.length;
    yield {
      ...closed(batch),
      end: Math.floor((fileBytes * (next - 1)) / head.rows),
      line: next,
      errors: batch.faults.map((fault) => ({ ...fault, line: fault.at })),
      begin: null,
    };
  }
}

interface Open {
  at: number;
  end: number;
  rows: number;
  copy: SignalCopy;
  /**
   * Keywords as written, and in their comparable form, mapped to their position in `keywords`, counted from 1; 0 if it
   * is not a keyword.
   */
  written: Map<string, number>;
  byWords: Map<string, number>;
  keywords: Keyword[];
  faults: (Fault & { at: number })[];
}

const open = (at: number): Open => ({
  at,
  end: at,
  rows: 0,
  copy: new SignalCopy(),
  written: new Map(),
  byWords: new Map(),
  keywords: [],
  faults: [],
});

const closed = ({ rows, copy, keywords }: Open) => ({
  rows,
  signals: copy.rows,
  ...copy.end(),
  keywords,
});

/** Reads a row into a batch. */
function add(
  batch: Open,
  cells: string[],
  { places, columns, country }: { places: SignalPlan; columns: number; country: CountryCode },
  at: number,
  now: number,
): void {
  batch.rows++;
  if (
    cells.length !== columns &&
    (cells.length < columns || cells.slice(columns).some((cell) => cell !== ''))
  ) {
    const reason = `has ${cells.length} values but the first line has ${columns} column names`;
    batch.faults.push({ field: null, reason, value: null, at });
    return;
  }
  const signal = readSignal(cells, places, now, country);
  if ('reason' in signal) {
    batch.faults.push({ ...signal, value: signal.value?.replaceAll('\0', '\ufffd') ?? null, at });
    return;
  }
  let term = batch.written.get(signal.keyword);
  if (term === undefined) {
    const keyword = readKeyword(signal.keyword);
    term = keyword ? (batch.byWords.get(keyword.words) ?? 0) : 0;
    if (keyword && term === 0) {
      term = batch.keywords.push(keyword);
      batch.byWords.set(keyword.words, term);
    }
    batch.written.set(signal.keyword, term);
  }
  if (term === 0) {
    batch.faults.push({
      field: 'keyword',
      reason: 'must contain a letter or digit',
      value: signal.keyword,
      at,
    });
    return;
  }
  batch.copy.add(signal, at, term);
}

const keywords = new Map<string, Keyword | null>();

/** Returns a keyword's comparable form. Results are cached, because in most files the same few keywords recur. */
function readKeyword(text: string): Keyword | null {
  let keyword = keywords.get(text);
  if (keyword === undefined) {
    if (keywords.size >= 100_000) keywords.clear();
    keyword = keywordOf(text);
    // A string sliced from the file's text would keep the whole text in memory.
    keywords.set(Buffer.from(text).toString(), keyword);
  }
  return keyword;
}
