import { expect, test } from 'vitest';
import { together } from './together.ts';

test('what is given at once is done in one go for each key, what comes meanwhile in the next', async () => {
  const calls: string[][] = [];
  let later: Promise<string> | undefined;
  const run = together(
    1,
    (item: string) => item[0]!,
    async (items) => {
      calls.push(items);
      if (calls.length === 1) later = run('a3');
      return items.map((item) => item.toUpperCase());
    },
  );
  expect(await Promise.all(['a1', 'b1', 'a2'].map(run))).toEqual(['A1', 'B1', 'A2']);
  expect(await later).toBe('A3');
  expect(calls).toEqual([['a1', 'a2'], ['b1'], ['a3']]);
});

test('if it fails, each is done alone, and only those fail that cannot be done', async () => {
  const run = together(
    1,
    () => '',
    async (items: number[]) => {
      if (items.includes(2)) throw new Error('two');
      return items;
    },
  );
  expect(await Promise.allSettled([1, 2, 3].map(run))).toMatchObject([
    { status: 'fulfilled', value: 1 },
    { status: 'rejected', reason: { message: 'two' } },
    { status: 'fulfilled', value: 3 },
  ]);
});
