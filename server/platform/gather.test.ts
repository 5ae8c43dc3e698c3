import { expect, test } from 'vitest';
import { createGather, Overfull } from './gather.ts';

const sizes = { batch: 3, runs: 1, waiting: 5 };
const soon = () => new Promise((done) => setImmediate(done));

test('what comes during a run waits for the next, and each gets its own answer', async () => {
  const runs: number[][] = [];
  const add = createGather(sizes, async (items: number[]) => {
    runs.push(items);
    await soon();
    return items.map((item) => item * 2);
  });
  const first = [add(1), add(2)];
  await soon();
  const more = [3, 4, 5, 6].map(add);
  expect(await Promise.all([...first, ...more])).toEqual([2, 4, 6, 8, 10, 12]);
  expect(runs).toEqual([[1, 2], [3, 4, 5], [6]]);
});

test('a run that fails fails its own items, and no others; too many are refused', async () => {
  let isBroken = true;
  const add = createGather(sizes, async (items: number[]) => {
    await soon();
    if (isBroken) throw new Error('broken');
    return items;
  });
  const failed = add(1);
  await expect(failed).rejects.toThrow('broken');
  isBroken = false;
  const all = await Promise.allSettled([1, 2, 3, 4, 5, 6, 7, 8, 9].map(add));
  const refused = all.filter((one) => one.status === 'rejected');
  expect(refused.length).toBeGreaterThan(0);
  for (const one of refused) expect(one.reason).toBeInstanceOf(Overfull);
  expect(await add(7)).toBe(7);
});
