import type { CountryCode } from '../../../platform/countries.ts';
import { readFileApart } from '../../../platform/file-thread.ts';
import type { Accepts } from './policy.ts';

/** The work of one transaction: the entries of a part of a file, and where it ends. */
export interface Batch {
  before: number;
  end: number;
  line: number;
  rows: number;
  entries: number;
  counts: { emails: number; phones: number; domains: number; md5_only: number; sha256_only: number };
  /** How many of the entries occur in the batch for the first time. */
  unique: number;
  data: Uint8Array;
  errors: { line: number; reason: string; value: string }[];
}

/** What a thread is to read: how many records a file has, or its batches from a byte on (0: from the beginning). */
export type ListTask =
  | { read: 'count'; path: string; accepts: Accepts; mostRows: number }
  | {
      read: 'batches';
      path: string;
      accepts: Accepts;
      ignoreAliases: boolean;
      /** The country of phone numbers that do not state one. */
      country: CountryCode;
      at: number;
      line: number;
      size: { rows: number; bytes: number };
    };

const SCRIPT = new URL('./list-worker.ts', import.meta.url);
/** A batch of a legitimate file takes a second. */
const BOUNDS = { answerMs: 60_000, memoryMb: 512 };

/** Reads a list's file in a separate thread. Throws FileFault. */
export const readApart = <Answer extends Batch | number>(task: ListTask): AsyncGenerator<Answer> =>
  readFileApart<Answer>(SCRIPT, task, { ...BOUNDS, what: 'CSV' });
