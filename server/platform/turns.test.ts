import { describe, expect, test } from 'vitest';
import { createTurns } from './turns.ts';

const bounds = { atOnce: 2, waiting: 3, waitingEach: 2, budgetMs: 60_000, windowMs: 600_000 };
const flush = () => new Promise<void>((done) => setImmediate(done));

/** Work that begins and ends when the test says so. */
function staged(inTurn: ReturnType<typeof createTurns>) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  return {
    begun,
    ask: (by: string, name = by) =>
      inTurn(by, async () => {
        begun.push(name);
        await new Promise<void>((done) => ends.push(done));
        return name;
      }),
    async end() {
      ends.shift()!();
      await flush();
    },
  };
}

describe('[BEY-31] turns', () => {
  test('two companies at once, each with one turn; who waits gets the next in order, without being held up by others', async () => {
    const { ask, begun, end } = staged(createTurns(bounds));
    const all = [ask('a', 'a1'), ask('a', 'a2'), ask('b', 'b1'), ask('c', 'c1')];
    await flush();
    expect(begun).toEqual(['a1', 'b1']);
    await end();
    expect(begun).toEqual(['a1', 'b1', 'a2']);
    await end();
    expect(begun).toEqual(['a1', 'b1', 'a2', 'c1']);
    await end();
    await end();
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'b1', 'c1']);
  });

  test('a company waits with two at most, everyone with three, and the others are told when to come again', async () => {
    const { ask, end } = staged(createTurns(bounds));
    const running = [ask('a'), ask('a'), ask('a')];
    await expect(ask('a')).rejects.toMatchObject({ code: 'too_many', retryAfter: 10 });
    const others = [ask('b'), ask('b')];
    await expect(ask('c')).rejects.toMatchObject({ code: 'too_many' });
    for (let i = 0; i < 5; i++) await end();
    await Promise.all([...running, ...others]);
  });

  test('a company whose time is used up waits for the next window, also if its work failed', async () => {
    const inTurn = createTurns({ ...bounds, budgetMs: 0 });
    await expect(inTurn('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(inTurn('a', async () => 1)).rejects.toMatchObject({ code: 'too_many' });
    expect(await inTurn('b', async () => 2)).toBe(2);
  });
});
