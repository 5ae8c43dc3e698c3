import { defineConfig } from 'vitest/config';

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
          // One browser and one server at a time: the journeys share nothing, but the machine may be small.
          maxWorkers: 1,
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 180_000,
          // A real browser on a machine that is busy with something else: once more, and no more.
          retry: process.env.CI ? 1 : 0,
        },
      },
    ],
  },
});
