import type { AudienceKind } from '../../../../contract/ads/audience-rules.ts';
import { readFileApart } from '../../../platform/file-thread.ts';
import type { Member } from './row.policy.ts';

/** The work of one transaction: the members of a part of a file, and where it ends. */
export interface Batch {
  before: number;
  end: number;
  line: number;
  rows: number;
  members: Member[];
  errors: { line: number; reason: string; value: string }[];
}

/** What a thread is to read: how many records a file has, or its batches from a byte on (0: from the beginning). */
export type FileTask =
  | { read: 'count'; path: string; kind: AudienceKind; mostRows: number }
  | { read: 'batches'; path: string; kind: AudienceKind; at: number; line: number };

const SCRIPT = new URL('./file-worker.ts', import.meta.url);
const BOUNDS = { answerMs: 60_000, memoryMb: 512 };

/** Reads a list in a separate thread. Throws FileFault. */
export const readApart = <Answer extends Batch | number>(task: FileTask): AsyncGenerator<Answer> =>
  readFileApart<Answer>(SCRIPT, task, { ...BOUNDS, what: 'CSV' });
