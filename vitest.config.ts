import { globSync, readFileSync } from 'node:fs';
import { configDefaults, defineConfig } from 'vitest/config';
import { PATIENCE_MS } from './e2e/patience.ts';
import { ROOMY } from './scripts/roomy.mjs';
import { SlowestFirst } from './scripts/slowest-first.ts';

const shared = {
  environment: 'node' as const,
  pool: 'forks' as const,
  // Ends what hangs; far above what the slowest test takes on a busy machine.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  globalSetup: ['server/test/global-setup.ts'],
  // A file waits for its database, its processes and its clocks for half of its time.
  maxWorkers: 4,
  setupFiles: ['server/test/setup.ts'],
  execArgv: ROOMY,
  // Servers, workers and databases share two processors here: what fails is tried once more, and `npm test` names it.
  retry: process.env.CI ? 1 : 0,
};

const tests = '{contract,server,web,pixel,demo,bench,scripts}/**/*.test.{ts,tsx}';
/** Put something else in a module's place, so each needs modules of its own, which no other file has loaded before. */
const replacing = globSync(tests).filter((path) => /^vi\.mock\(/m.test(readFileSync(path, 'utf8')));

export default defineConfig({
  test: {
    sequence: { sequencer: SlowestFirst },
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: [tests],
          exclude: [...configDefaults.exclude, ...replacing],
          // Files share the modules of their worker: to load the server again for each was a third of the run.
          isolate: false,
        },
      },
      {
        test: {
          ...shared,
          name: 'replacing',
          include: replacing,
        },
      },
      {
        test: {
          ...shared,
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          globalSetup: ['e2e/global-setup.ts'],
          setupFiles: [...shared.setupFiles, 'e2e/setup.ts'],
          isolate: false,
          // Four browsers on two processors, since each waits half of the time; each has a server and its own database.
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
