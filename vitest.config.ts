import { defineConfig } from 'vitest/config';
import { PATIENCE_MS } from './e2e/patience.ts';
import { SlowestFirst } from './scripts/slowest-first.ts';

const shared = {
  environment: 'node' as const,
  pool: 'forks' as const,
  // Ends what hangs; far above what the slowest test takes on a busy machine.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  globalSetup: ['server/test/global-setup.ts'],
  // A file waits for its database, its processes and its clocks for a third of its time.
  maxWorkers: 3,
};

export default defineConfig({
  test: {
    sequence: { sequencer: SlowestFirst },
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['{contract,server,web,pixel,demo,bench,scripts}/**/*.test.{ts,tsx}'],
        },
      },
      {
        test: {
          ...shared,
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          globalSetup: ['e2e/global-setup.ts'],
          // Four browsers on two processors, since each waits half of the time; each has a server and a database of its own.
          maxWorkers: 4,
          // A journey waits for many things in turn; none of them asks how long it took.
          testTimeout: 5 * PATIENCE_MS,
          hookTimeout: 5 * PATIENCE_MS,
          expect: { poll: { timeout: PATIENCE_MS, interval: 100 } },
          // A real browser may fail by itself: once more, and no more.
          retry: process.env.CI ? 1 : 0,
        },
      },
    ],
  },
});
