import { stat } from 'node:fs/promises';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Approximate durations, in seconds, of files whose length is not a good measure, by path prefix (the first match). A
 * long one that starts last leaves one processor waiting for the other.
 */
export const SECONDS: [path: string, seconds: number][] = [
  ['server/test/faults/charge', 60],
  ['server/test/faults/', 40],
  ['server/test/matrix', 60],
  ['scripts/import-people', 30],
  ['server/providers/stripe/', 30],
  ['server/features/invoices/pdf', 25],
  ['server/features/prepaid/', 20],
  ['server/features/invoices/model', 17],
  ['server/platform/db/embedded', 17],
  ['server/features/collection/random', 13],
];
/** For the others: the shorter the file, the later it starts. */
const BYTES_A_SECOND = 4000;

/** The estimated duration of a test file, in seconds. */
export function secondsOf(path: string, bytes: number): number {
  const known = SECONDS.find(([begin]) => path.startsWith(begin));
  return known ? known[1] : bytes / BYTES_A_SECOND;
}

/** Starts the slowest test files first, so that the workers finish together; the order is the same on every machine. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const begin = `${this.ctx.config.root}/`.length;
    const sorted = await Promise.all(
      files.map(async (file) => ({
        file,
        seconds: secondsOf(file.moduleId.slice(begin), await sizeOf(file)),
      })),
    );
    return sorted.sort((a, b) => b.seconds - a.seconds).map(({ file }) => file);
  }
}

const sizeOf = async ({ moduleId }: TestSpecification): Promise<number> => (await stat(moduleId)).size;
