import { expect, test } from 'vitest';
import { inHalves } from './halves.ts';

/** A queue whose batches fail as a whole if they have one of `bad`. */
function queueOf(all: number, bad: Record<number, unknown>) {
  let due = Array.from({ length: all }, (_, n) => n);
  const done: number[] = [];
  const aside: [number, unknown][] = [];
  let tries = 0;
  const run = (most: number) =>
    inHalves<number>(
      most,
      async (count, onTaken) => {
        tries++;
        const taken = due.slice(0, count);
        onTaken(taken);
        const fault = taken.find((one) => one in bad);
        if (fault !== undefined) throw bad[fault];
        due = due.slice(taken.length);
        done.push(...taken);
        return taken.length;
      },
      async (one, error) => {
        aside.push([one, error]);
        due = due.filter((other) => other !== one);
      },
    );
  return { run, done, aside, tries: () => tries, due: () => due };
}

test('what fails alone is set aside, and all others are done in their order', async () => {
  const wrong = Object.assign(new Error('out of range'), { code: '22003' });
  const slow = Object.assign(new Error('canceled'), { code: '57014' });
  const bug = new TypeError('x is undefined');
  const queue = queueOf(1_000, { 0: wrong, 377: slow, 999: bug });
  expect(await queue.run(1_000)).toBe(1_000);
  expect(queue.aside).toEqual([
    [0, wrong],
    [377, slow],
    [999, bug],
  ]);
  expect(queue.done).toEqual(
    Array.from({ length: 1_000 }, (_, n) => n).filter((n) => ![0, 377, 999].includes(n)),
  );
  expect(queue.tries()).toBeLessThan(70);
});

test('what goes away by itself is thrown, and nothing is set aside for it', async () => {
  for (const fault of [
    { code: '40001' },
    { code: '55P03' },
    { code: '53100' },
    { code: '42703' },
    { code: 'EMFILE', syscall: 'open' },
    { code: '57P01' },
    { code: '08006' },
    { code: 'ECONNREFUSED' },
    { code: 'ENOSPC' },
    new Error('Connection terminated unexpectedly'),
  ]) {
    const queue = queueOf(10, { 3: fault });
    await expect(queue.run(10)).rejects.toBe(fault);
    expect([queue.aside, queue.done]).toEqual([[], []]);
  }
});

test('a short queue is done at once', async () => {
  const queue = queueOf(3, {});
  expect(await queue.run(1_000)).toBe(3);
  expect(queue.tries()).toBe(1);
});

test('what fails before anything was taken is thrown as it is', async () => {
  const fault = new Error('no table');
  let tries = 0;
  const work = async () => {
    tries++;
    throw fault;
  };
  await expect(inHalves(1_000, work, async () => {})).rejects.toBe(fault);
  expect(tries).toBe(1);
});
