import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { FileFault } from './model.ts';

/** The columns of a Parquet file, and how many rows it has. */
export interface ParquetHead {
  names: string[];
  rows: number;
}

/** Rows of a Parquet file: their cells as texts in the columns' order, and the number of the first (from 1). */
export interface ParquetRows {
  first: number;
  rows: string[][];
}

/** What the thread is to read: these columns (undefined: all) from a row on (from 0), so many rows an answer. */
export interface ParquetTask {
  path: string;
  wanted?: number[];
  from: number;
  most: number;
}

/** What it answers: the head first, then rows (a column's cells parted by NUL), then the end; or what is wrong. */
export type ParquetAnswer =
  | ParquetHead
  | { first: number; count: number; columns: { at: number; cells: string }[] }
  | { done: true }
  | { fault: string };

/** A thread that has not answered for so long is lost in a damaged file. */
const ANSWER_MS = 60_000;
const MOST_MEMORY_MB = 2048;

/** The answers of a thread, one asked at a time. Throws FileFault. */
async function* ask(task: ParquetTask, answerMs: number): AsyncGenerator<ParquetAnswer> {
  const worker = new Worker(new URL('./parquet-worker.ts', import.meta.url), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
    stderr: true,
  });
  try {
    for (;;) {
      const limit = new AbortController();
      const timer = setTimeout(() => limit.abort(), answerMs);
      let answer: ParquetAnswer;
      try {
        const came = once(worker, 'message', { signal: limit.signal });
        worker.postMessage('next');
        [answer] = (await came) as [ParquetAnswer];
      } catch {
        throw new FileFault('The file cannot be read as Parquet: it is damaged.');
      } finally {
        clearTimeout(timer);
      }
      if ('fault' in answer) throw new FileFault(answer.fault);
      if ('done' in answer) return;
      yield answer;
    }
  } finally {
    await worker.terminate();
  }
}

/** Reads the foot of a Parquet file, and its first rows. Throws FileFault when it is none. */
export async function parquetHead(
  path: string,
  most: number,
  answerMs = ANSWER_MS,
): Promise<ParquetHead & { first: string[][] }> {
  const thread = ask({ path, from: 0, most }, answerMs);
  try {
    const head = (await thread.next()).value as ParquetHead;
    const { value } = await thread.next();
    return { ...head, first: value && 'columns' in value ? rowsOf(value, head.names.length).rows : [] };
  } finally {
    await thread.return(undefined);
  }
}

/**
 * Reads rows of a Parquet file from a row on (from 0), `most` at a time, in a thread of its own. One row group is in memory at
 * a time, of the columns in `wanted` only: the cells of the others are empty.
 * @throws FileFault when the file is damaged, or a row group too large
 */
export async function* readParquet(
  path: string,
  { head, from, most, wanted }: { head: ParquetHead; from: number; most: number; wanted: number[] },
): AsyncGenerator<ParquetRows> {
  for await (const answer of ask({ path, wanted, from, most }, ANSWER_MS))
    if ('columns' in answer) yield rowsOf(answer, head.names.length);
}

function rowsOf(
  { first, count, columns }: { first: number; count: number; columns: { at: number; cells: string }[] },
  width: number,
): ParquetRows {
  const rows = Array.from({ length: count }, () => new Array<string>(width).fill(''));
  for (const { at, cells } of columns) {
    const values = cells.split('\0');
    for (let i = 0; i < count; i++) rows[i]![at] = values[i]!;
  }
  return { first, rows };
}
