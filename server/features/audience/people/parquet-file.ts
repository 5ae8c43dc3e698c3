import { isUtf8 } from 'node:buffer';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import {
  asyncBufferFromFile,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetScan,
  snappyUncompress,
} from 'hyparquet';
import { FileFault } from '../../../platform/csv-reader.ts';

// Reads Parquet files. Decoding takes time and memory, and a damaged file can make it do anything, so it belongs in a
// thread (file-worker.ts), never in the process that handles requests.

/** The columns of a Parquet file, and how many rows it has. */
export interface ParquetHead {
  names: string[];
  rows: number;
}

/** Rows of a Parquet file: their cells as text in column order, and the number of the first (from 1). */
export interface ParquetRows {
  first: number;
  rows: string[][];
}

/** The maximum uncompressed size of one row group in memory, and how many rows it may have. */
const MOST_GROUP_BYTES = 512 * 1024 ** 2;
const MOST_GROUP_ROWS = 4_000_000;
const MOST_PAGE_BYTES = 128 * 1024 ** 2;
const CODECS = new Set(['UNCOMPRESSED', 'SNAPPY', 'GZIP', 'BROTLI', 'ZSTD']);

/**
 * Unpacks the pages of one row group. What a file says about its own sizes is not believed: they are counted as they
 * are unpacked, since its author may write anything.
 */
function groupCompressors(tooLarge: () => FileFault): Compressors {
  let unpacked = 0;
  const limited =
    (unpack: (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array) =>
    (bytes: Uint8Array, length: number): Uint8Array => {
      // A page states its own length: a few bytes may claim gigabytes.
      if (length > MOST_PAGE_BYTES)
        throw new FileFault(
          `A page of ${length.toLocaleString('en-US')} bytes is too large. Save the file with smaller pages.`,
        );
      unpacked += length;
      if (unpacked > MOST_GROUP_BYTES) throw tooLarge();
      return unpack(bytes, { maxOutputLength: Math.max(1, length) });
    };
  return {
    SNAPPY: limited((bytes, { maxOutputLength }) => {
      const page = new Uint8Array(maxOutputLength);
      snappyUncompress(bytes, page);
      return page;
    }),
    GZIP: limited(gunzipSync),
    BROTLI: limited(brotliDecompressSync),
    ZSTD: limited(zstdDecompressSync),
  };
}

/** Returns the names of the root's columns: as many as it declares, each followed by its own children. */
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

/**
 * Reads the footer of a Parquet file, and its first rows.
 * @throws FileFault when it is not a Parquet file, or `fault` says why its columns cannot be used
 */
export async function parquetHead(
  path: string,
  most: number,
  fault: (names: string[]) => string | null = () => null,
): Promise<ParquetHead & { first: string[][] }> {
  return inWords(async () => {
    const { head, metadata } = await footOf(path);
    const found = fault(head.names);
    if (found) throw new FileFault(`${found.charAt(0).toUpperCase()}${found.slice(1)}.`);
    const wanted = head.names.map((_, at) => at);
    for await (const { rows } of rowsOf(path, metadata, { names: head.names, from: 0, most, wanted }))
      return { ...head, first: rows };
    return { ...head, first: [] };
  });
}

/**
 * Reads rows of a Parquet file from a row on (from 0), `most` at a time. Only one row group is in memory at a time,
 * with only the columns in `wanted`: the cells of the others are empty.
 * @throws FileFault when the file is damaged, or a row group too large
 */
export async function* readParquet(
  path: string,
  { from, most, wanted }: { from: number; most: number; wanted: number[] },
): AsyncGenerator<ParquetRows> {
  const { head, metadata } = await inWords(() => footOf(path));
  const rows = rowsOf(path, metadata, { names: head.names, from, most, wanted });
  for (;;) {
    const { value, done } = await inWords(() => rows.next());
    if (done) return;
    yield value;
  }
}

/** Turns the decoder's errors on a damaged file into a FileFault. */
async function inWords<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof FileFault) throw error;
    const words = String((error as Error)?.message ?? error).slice(0, 200);
    throw new FileFault(`The file cannot be read as Parquet: ${words}.`);
  }
}

async function footOf(path: string): Promise<{ head: ParquetHead; metadata: FileMetaData }> {
  const metadata = await parquetMetadataAsync(await asyncBufferFromFile(path));
  const names = namesOf(metadata);
  const rows = metadata.row_groups.reduce((sum, group) => sum + Number(group.num_rows), 0);
  if (names.length === 0 || rows === 0) throw new FileFault('The file is empty.');
  return { head: { names, rows }, metadata };
}

async function* rowsOf(
  path: string,
  metadata: FileMetaData,
  { names, from, most, wanted }: { names: string[]; from: number; most: number; wanted: number[] },
): AsyncGenerator<ParquetRows> {
  const file = await asyncBufferFromFile(path);
  const isWanted = (column: string | undefined) => wanted.some((at) => names[at] === column);
  let start = 0;
  for (const group of metadata.row_groups) {
    const rowStart = start;
    const rowEnd = start + Number(group.num_rows);
    start = rowEnd;
    if (rowEnd <= from) continue;
    const bytes = group.columns.reduce(
      (sum, { meta_data }) =>
        isWanted(meta_data?.path_in_schema[0]) ? sum + Number(meta_data!.total_uncompressed_size) : sum,
      0,
    );
    const tooLarge = () =>
      new FileFault(
        `A row group of ${(rowEnd - rowStart).toLocaleString('en-US')} rows is too large. Save the file with up to 1,000,000 rows per group.`,
      );
    if (bytes > MOST_GROUP_BYTES || rowEnd - rowStart > MOST_GROUP_ROWS) throw tooLarge();
    for (const { meta_data } of group.columns)
      if (meta_data && !CODECS.has(meta_data.codec) && isWanted(meta_data.path_in_schema[0]))
        throw new FileFault(
          `Column ${meta_data.path_in_schema[0]} uses ${meta_data.codec} compression, which is not supported. Save the file with Snappy, gzip, zstd, Brotli, or no compression.`,
        );
    // One scan per row group, because a scan keeps the columns that it has read.
    const scan = await parquetScan({
      file,
      metadata,
      rowStart,
      rowEnd,
      compressors: groupCompressors(tooLarge),
      useOffsetIndex: false,
      utf8: false,
    });
    const data: { at: number; values: ArrayLike<unknown> }[] = [];
    for (const at of wanted) {
      const values = await scan.readColumn({ column: names[at]!, rowStart, rowEnd });
      if (values.length !== rowEnd - rowStart)
        throw new FileFault(
          `Column ${names[at]} has ${values.length} values but there are ${rowEnd - rowStart} rows.`,
        );
      data.push({ at, values });
    }
    for (let row = Math.max(from, rowStart); row < rowEnd; row += most) {
      const rows: string[][] = [];
      for (let i = row; i < Math.min(rowEnd, row + most); i++) {
        const cells = new Array<string>(names.length).fill('');
        for (const { at, values } of data) cells[at] = cellOf(values[i - rowStart]);
        rows.push(cells);
      }
      yield { first: row + 1, rows };
    }
  }
}

/** A value as a CSV file would have it. */
function cellOf(value: unknown): string {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString();
  // Bytes without a further type are text where possible, and raw hashes otherwise.
  if (value instanceof Uint8Array)
    return isUtf8(value) ? cellOf(Buffer.from(value).toString()) : Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return value.map(cellOf).join(',');
  return typeof value === 'object'
    ? JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner))
    : String(value);
}
