import { type CountryCode, HOME_COUNTRY } from '../../../platform/countries.ts';
import { readFileApart } from '../../../platform/file-thread.ts';
import type { Batch } from './batch.service.ts';
import type { FileQuestion, FileTask, Head } from './file-worker.ts';
import type { PersonField } from './model.ts';
import type { SignalBatch } from './signal-batch.service.ts';

export type { Head };

const SCRIPT = new URL('./file-worker.ts', import.meta.url);
/** A batch of a legitimate file takes a second; a row group of a Parquet file may hold 512 MB, and its texts as much. */
const ANSWER_MS = 60_000;
const CSV_MEMORY_MB = 512;
const PARQUET_MEMORY_MB = 2048;

/**
 * Opens a file in a separate thread: its head, and its batches by the columns' meanings and the country of phone
 * numbers. `batches` has to be iterated or `close` called, otherwise the thread keeps running.
 * @throws FileFault when the first line cannot be column names, and later when the file cannot be read to its end
 */
export async function openApart(
  task: FileTask,
  now: () => Date,
  answerMs = ANSWER_MS,
): Promise<{
  head: Head;
  batches: (plan: PersonField[], country: CountryCode) => AsyncIterable<Batch | SignalBatch>;
  close: () => Promise<void>;
}> {
  const isParquet = task.path.endsWith('.parquet');
  const question: FileQuestion = { now: now().getTime(), plan: [], country: HOME_COUNTRY };
  const thread = readFileApart<Head | Batch | SignalBatch>(
    SCRIPT,
    task,
    isParquet
      ? { what: 'Parquet', answerMs, memoryMb: PARQUET_MEMORY_MB }
      : { what: 'CSV', answerMs, memoryMb: CSV_MEMORY_MB },
    () => Object.assign(question, { now: now().getTime() }),
  );
  const { value } = await thread.next();
  return {
    head: value as Head,
    batches(plan, country) {
      question.plan = plan;
      question.country = country;
      return thread as AsyncGenerator<Batch | SignalBatch>;
    },
    close: async () => {
      await thread.return(undefined);
    },
  };
}

/** The header of a stored file, and its first rows. Throws FileFault when it cannot be column names. */
export async function readHead(path: string, answerMs?: number): Promise<Head> {
  const task: FileTask = {
    kind: 'people',
    path,
    fileBytes: 0,
    at: 0,
    line: 0,
    size: { rows: 1, bytes: 1 },
  };
  const { head, close } = await openApart(task, () => new Date(0), answerMs);
  await close();
  return head;
}
