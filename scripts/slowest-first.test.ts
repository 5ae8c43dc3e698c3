import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SECONDS, secondsOf } from './slowest-first.ts';

test('the slowest test files are known, each by a path that exists, and start before long files of quick tests', async () => {
  const root = join(import.meta.dirname, '..');
  for (const [path] of SECONDS)
    expect((await Array.fromAsync(glob(`${path}*`, { cwd: root }))).length, path).toBeGreaterThan(0);
  const charge = secondsOf('server/test/faults/charge.test.ts', 700);
  expect(charge).toBeGreaterThan(secondsOf('server/features/money/ledger/ledger.test.ts', 60_000));
  expect(secondsOf('a.test.ts', 9000)).toBeGreaterThan(secondsOf('b.test.ts', 8000));
});
