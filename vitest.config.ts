import { defineConfig } from 'vitest/config';
import { SlowestFirst } from './scripts/slowest-first.ts';

const shared = {
  environment: 'node' as const,
  pool: 'forks' as const,
  testTimeout: 30_000,
  hookTimeout: 60_000,
  globalSetup: ['server/test/global-setup.ts'],
  maxWorkers: 2,
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
          // Three browsers on two processors, since each waits half of the time; each has a server and a database of its own.
          maxWorkers: 3,
          testTimeout: 120_000,
          hookTimeout: 180_000,
          // A real browser on a machine that is busy with something else: once more, and no more.
          retry: process.env.CI ? 1 : 0,
        },
      },
    ],
  },
});
