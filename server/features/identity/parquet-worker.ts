import { isUtf8 } from 'node:buffer';
import { parentPort, workerData } from 'node:worker_threads';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import {
  asyncBufferFromFile,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetScan,
  snappyUncompress,
} from 'hyparquet';
import type { ParquetAnswer, ParquetTask } from './parquet-file.ts';

// Reads a Parquet file in a thread of its own (parquet-file.ts): decoding would hold up everything else, and what a damaged
// file makes of the decoder ends with the thread.

/** What of one row group is held in memory at most, uncompressed, and how many rows it may have. */
const MOST_GROUP_BYTES = 512 * 1024 ** 2;
const MOST_GROUP_ROWS = 4_000_000;
const MOST_PAGE_BYTES = 128 * 1024 ** 2;
const CODECS = new Set(['UNCOMPRESSED', 'SNAPPY', 'GZIP', 'BROTLI', 'ZSTD']);

const limited =
  (unpack: (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array) =>
  (bytes: Uint8Array, length: number): Uint8Array => {
    // A page says itself how long it is: a few bytes may claim gigabytes.
    if (length > MOST_PAGE_BYTES)
      throw new Fault(
        `A page of ${length.toLocaleString('en-US')} bytes is too large. Write the file with smaller pages.`,
      );
    return unpack(bytes, { maxOutputLength: Math.max(1, length) });
  };
const compressors: Compressors = {
  SNAPPY: limited((bytes, { maxOutputLength }) => {
    const page = new Uint8Array(maxOutputLength);
    snappyUncompress(bytes, page);
    return page;
  }),
  GZIP: limited(gunzipSync),
  BROTLI: limited(brotliDecompressSync),
  ZSTD: limited(zstdDecompressSync),
};

/** What is wrong with the file, in words for who gave it. */
class Fault extends Error {}

/** The names of the root's columns: as many as it says, each followed by its own. */
function namesOf({ schema }: FileMetaData): string[] {
  const after = (at: number): number => {
    const children = schema[at]?.num_children ?? 0;
    let next = at + 1;
    for (let child = 0; child < children && next < schema.length; child++) next = after(next);
    return next;
  };
  const names: string[] = [];
  for (let at = 1; at < schema.length; at = after(at)) names.push(schema[at]!.name);
  return names;
}

async function* answers({ path, wanted, from, most }: ParquetTask): AsyncGenerator<ParquetAnswer> {
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  const names = namesOf(metadata);
  const all = metadata.row_groups.reduce((sum, group) => sum + Number(group.num_rows), 0);
  if (names.length === 0 || all === 0) throw new Fault('The file is empty.');
  yield { names, rows: all };
  const columns = wanted ?? names.map((_, at) => at);
  let start = 0;
  for (const group of metadata.row_groups) {
    const rowStart = start;
    const rowEnd = start + Number(group.num_rows);
    start = rowEnd;
    if (rowEnd <= from) continue;
    const bytes = group.columns.reduce(
      (sum, { meta_data }) =>
        columns.some((at) => names[at] === meta_data?.path_in_schema[0])
          ? sum + Number(meta_data!.total_uncompressed_size)
          : sum,
      0,
    );
    if (bytes > MOST_GROUP_BYTES || rowEnd - rowStart > MOST_GROUP_ROWS)
      throw new Fault(
        `A row group of ${(rowEnd - rowStart).toLocaleString('en-US')} rows is too large. Write the file with at most 1,000,000 rows a group.`,
      );
    for (const { meta_data } of group.columns)
      if (
        meta_data &&
        !CODECS.has(meta_data.codec) &&
        columns.some((at) => names[at] === meta_data.path_in_schema[0])
      )
        throw new Fault(
          `Column ${meta_data.path_in_schema[0]} is compressed with ${meta_data.codec}, which cannot be read. Write the file with Snappy, gzip, zstd, Brotli or none.`,
        );
    // One a row group: a scan keeps the columns that it has read.
    const scan = await parquetScan({
      file,
      metadata,
      rowStart,
      rowEnd,
      compressors,
      useOffsetIndex: false,
      utf8: false,
    });
    const data: { at: number; values: ArrayLike<unknown> }[] = [];
    for (const at of columns) {
      const values = await scan.readColumn({ column: names[at]!, rowStart, rowEnd });
      if (values.length !== rowEnd - rowStart)
        throw new Fault(
          `Column ${names[at]} has ${values.length} values where there are ${rowEnd - rowStart} rows.`,
        );
      data.push({ at, values });
    }
    for (let row = Math.max(from, rowStart); row < rowEnd; row += most) {
      const count = Math.min(most, rowEnd - row);
      yield {
        first: row + 1,
        count,
        columns: data.map(({ at, values }) => {
          const cells = new Array<string>(count);
          for (let i = 0; i < count; i++) cells[i] = cellOf(values[row - rowStart + i]);
          return { at, cells: cells.join('\0') };
        }),
      };
    }
  }
}

/** A value as a CSV file would have it. */
function cellOf(value: unknown): string {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString();
  // Bytes of no further type are texts where they can be, and raw hashes else.
  if (value instanceof Uint8Array)
    return isUtf8(value) ? cellOf(Buffer.from(value).toString()) : Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return value.map(cellOf).join(',');
  return typeof value === 'object'
    ? JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner))
    : String(value);
}

const task = workerData as ParquetTask;
const source = answers(task);
parentPort!.on('message', async () => {
  try {
    const { value, done } = await source.next();
    parentPort!.postMessage(done ? { done: true } : value);
  } catch (error) {
    const words = String((error as Error)?.message ?? error).slice(0, 200);
    parentPort!.postMessage({
      fault: error instanceof Fault ? error.message : `The file cannot be read as Parquet: ${words}.`,
    });
  }
});
