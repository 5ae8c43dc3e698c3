import type { CountryCode } from '../../../platform/countries.ts';
import { FileFault, findDelimiter, lineNumbers, readRows } from '../../../platform/csv-reader.ts';
import { serveThread } from '../../../platform/thread.ts';
import { type BatchSize, readBatches } from './batch.service.ts';
import { columnsFault, headerFault } from './columns.policy.ts';
import type { PersonField } from './model.ts';
import { type ParquetHead, parquetHead } from './parquet-file.ts';
import { csvSignals, parquetSignals } from './signal-batch.service.ts';

// Reads the files of imports in a separate thread (file-thread.ts).

/** The beginning of a file: its columns, where its data begins (CSV), and its first rows. */
export interface Head {
  delimiter: string;
  header: string[];
  dataFrom: number;
  rows: string[][];
  parquet?: ParquetHead;
}

/** What a thread has to read: a file's head and, if more is requested, its batches from a position on. */
export interface FileTask {
  kind: 'people' | 'signals';
  path: string;
  fileBytes: number;
  /** Where to resume: the byte and line (for Parquet, the row) where the last batch ended; 0 for the beginning. */
  at: number;
  line: number;
  size: BatchSize;
}

/**
 * What the thread is sent with each question: the current time, and from the second question on what the columns mean.
 */
export interface FileQuestion {
  now: number;
  plan: PersonField[];
  /** The country of phone numbers that do not state one. */
  country: CountryCode;
}

/** The beginning of the first cells, one for each column: a row may have millions. */
const sampled = (header: readonly string[], rows: string[][]): string[][] =>
  rows.map((cells) => cells.slice(0, header.length).map((cell) => cell.slice(0, 100)));

async function headOf(path: string): Promise<Head> {
  if (path.endsWith('.parquet')) {
    const { first, ...parquet } = await parquetHead(path, 5, columnsFault);
    return {
      delimiter: '',
      header: parquet.names,
      dataFrom: 0,
      rows: sampled(parquet.names, first),
      parquet,
    };
  }
  const delimiter = await findDelimiter(path);
  for await (const [first, ...rest] of readRows(path, { delimiter, most: 6, mostBytes: 1024 * 1024 })) {
    const fault = headerFault(first!.cells);
    if (fault) throw new FileFault(`Line 1: ${fault}.`);
    return {
      delimiter,
      header: first!.cells,
      dataFrom: first!.end,
      rows: sampled(
        first!.cells,
        rest.map((row) => row.cells),
      ),
    };
  }
  throw new FileFault('The file is empty.');
}

async function* answers(task: FileTask, asked: () => FileQuestion): AsyncGenerator<unknown> {
  const { path, size } = task;
  const about = await headOf(path);
  yield about;
  const { plan, country } = asked();
  const now = () => new Date(asked().now);
  if (about.parquet) {
    const line = Math.max(1, task.line);
    const { fileBytes } = task;
    yield* parquetSignals(path, { plan, country, from: 0, line, size, now, head: about.parquet, fileBytes });
    return;
  }
  const from = task.at > 0 ? task.at : about.dataFrom;
  const line = task.at > 0 ? task.line : (await lineNumbers(path, 0, 1, [from]))[0]!;
  const how = { header: about.header, plan, country, from, line, delimiter: about.delimiter, size, now };
  yield* task.kind === 'signals' ? csvSignals(path, how) : readBatches(path, plan, how);
}

serveThread(answers);
