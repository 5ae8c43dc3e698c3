import { stat } from 'node:fs/promises';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Approximate durations, in seconds, of files whose length is not a good measure, by path prefix (the first match). A
 * long one that starts last leaves one processor waiting for the other.
 */
export const SECONDS: [path: string, seconds: number][] = [
  ['server/test/matrix', 120],
  ['server/test/attack/calls', 80],
  ['server/features/audience/signals/bounds', 70],
  ['server/features/audience/signals/signals.test', 60],
  ['server/test/faults/import', 50],
  ['server/test/faults/worker', 30],
  ['server/features/audience/people/import.test', 50],
  ['server/platform/db/rights', 45],
  ['server/platform/db/embedded', 40],
  ['server/features/audience/exclusions/exclusions.test', 40],
  ['server/features/audience/people/signals', 40],
  ['server/test/demo.test', 36],
  ['server/features/audience/exclusions/order', 33],
  ['server/features/campaigns/leads/leads.test', 33],
  ['server/test/faults/charge', 28],
  ['server/test/upgrade', 28],
  ['server/test/faults/', 12],
  ['scripts/import-people', 20],
  ['server/features/money/data-wallet/data-wallet', 18],
  ['server/providers/stripe/', 17],
  ['server/platform/image', 13],
  ['server/platform/db/backup', 12],
  ['server/features/money/dunning/random', 11],
  ['e2e/main-job', 300],
  // These need no demo, and begin while the one that is copied is created.
  ['e2e/ways-in', 200],
  ['e2e/pixel', 190],
  ['e2e/invoices', 180],
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
