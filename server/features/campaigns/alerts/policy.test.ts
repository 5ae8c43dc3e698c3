import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextAttempt, numbersReached, pathOf, type Told, tellNow, wordsOf, wouldBeTold } from './policy.ts';

const HOUR = 3_600_000;
const now = new Date('2026-03-02T15:00:00Z');
const ago = (ms: number) => new Date(now.getTime() - ms);

describe('[BEY-18] what is told now', () => {
  const some = (count: number, ms = 1000) =>
    Array.from({ length: count }, (_, i) => ({ id: `e${i}`, created_at: ago(ms) }));
  const given = { mostPerHour: 3, sentInHour: 0, hasGathered: false, now };

  test('each by itself, as long as there are few', () => {
    expect(tellNow(some(3), given).batches).toEqual([['e0'], ['e1'], ['e2']]);
  });
  test('what is beyond in one message, once an hour', () => {
    expect(tellNow(some(6), given).batches).toEqual([['e0'], ['e1'], ['e2'], ['e3', 'e4', 'e5']]);
    expect(tellNow(some(6), { ...given, sentInHour: 3, hasGathered: true }).batches).toEqual([]);
    expect(tellNow(some(1), { ...given, sentInHour: 3 }).batches).toEqual([['e0']]);
  });
  test('what waited for the morning in one message', () => {
    expect(tellNow(some(3, 8 * HOUR), given).batches).toEqual([['e0', 'e1', 'e2']]);
    expect(tellNow(some(1, 8 * HOUR), given).batches).toEqual([['e0']]);
  });

  test('never the same twice, never more messages than allowed, and nothing waits longer than an hour', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 5 * HOUR }), { maxLength: 40 }),
        fc.integer({ min: 1, max: 10 }),
        fc.nat({ max: 12 }),
        fc.boolean(),
        (ages, mostPerHour, sentInHour, hasGathered) => {
          const events = ages.sort((a, b) => b - a).map((ms, i) => ({ id: String(i), created_at: ago(ms) }));
          const { batches } = tellNow(events, { mostPerHour, sentInHour, hasGathered, now });
          const told = batches.flat();
          expect(new Set(told).size).toBe(told.length);
          expect(batches.every((batch) => batch.length > 0)).toBe(true);
          expect(batches.length).toBeLessThanOrEqual(
            Math.max(0, mostPerHour - sentInHour) + (hasGathered ? 0 : 1),
          );
          // An hour after the last gathering, everything goes out.
          if (!hasGathered) expect(told.length).toBe(events.length);
        },
      ),
    );
  });
});

describe('[BEY-18] what would have been told', () => {
  test('each person once in a cooldown; single messages, then one an hour', () => {
    const hits = ['a', 'b', 'a', 'c', 'd', 'e'].map((person_id, i) => ({
      person_id,
      at: new Date(now.getTime() + i * 60_000),
    }));
    const { told, messages } = wouldBeTold(hits, { cooldownHours: 24, mostPerHour: 3 });
    expect(told.map(({ person_id }) => person_id)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(messages).toBe(4);
  });
  test('no person twice within a cooldown, whatever comes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ person_id: fc.constantFrom('a', 'b', 'c'), at: fc.nat({ max: 100 * HOUR }) })),
        fc.integer({ min: 1, max: 48 }),
        (raw, cooldownHours) => {
          const hits = raw.sort((a, b) => a.at - b.at).map((hit) => ({ ...hit, at: new Date(hit.at) }));
          const { told, messages } = wouldBeTold(hits, { cooldownHours, mostPerHour: 2 });
          expect(messages).toBeLessThanOrEqual(told.length);
          for (const id of ['a', 'b', 'c']) {
            const times = told.filter(({ person_id }) => person_id === id).map(({ at }) => at.getTime());
            for (const [i, at] of times.slice(1).entries())
              expect(at - times[i]!).toBeGreaterThanOrEqual(cooldownHours * HOUR);
          }
        },
      ),
    );
  });
  test('a number of leads is reached once in a cooldown', () => {
    const hits = Array.from({ length: 10 }, (_, i) => ({ at: new Date(now.getTime() + i * 10 * 60_000) }));
    expect(numbersReached(hits, { perHour: 3, cooldownHours: 24 })).toEqual([hits[2]]);
    expect(numbersReached(hits, { perHour: 7, cooldownHours: 1 })).toEqual([]);
    expect(numbersReached(hits, { perHour: 6, cooldownHours: 1 })).toEqual([hits[5]]);
  });
});

test('[BEY-18] attempts end after about half a day', () => {
  expect(nextAttempt(1, now)).toEqual(new Date(now.getTime() + 60_000));
  expect(nextAttempt(1, now, 90_000)).toEqual(new Date(now.getTime() + 90_000));
  expect(nextAttempt(6, now)).toBeNull();
});

describe('[BEY-18] an alert in words', () => {
  const ada: Told = {
    kind: 'returned',
    count: null,
    person: { name: 'Ada Olsen', job: 'Buyer, Example', place: 'Austin, TX' },
    campaign: 'Shop',
    score: 82,
    page: '/pricing',
  };
  test('one, several, and a number', () => {
    expect(wordsOf('Hot', [ada], 10)).toEqual({
      title: 'Back on the site: Ada Olsen',
      lines: ['Buyer, Example · Austin, TX · score 82 · viewed /pricing', 'Campaign: Shop', 'Alert: Hot'],
    });
    const many = wordsOf('Hot', Array<Told>(12).fill(ada), 10);
    expect(many.title).toBe('12 alerts: Hot');
    expect(many.lines).toHaveLength(11);
    expect(many.lines.at(-1)).toBe('And 2 more.');
    // Of a batch that is too large to be read whole, it says how many there are.
    const huge = wordsOf('Hot', Array<Told>(12).fill(ada), 10, 500);
    expect([huge.title, huge.lines.at(-1)]).toEqual(['500 alerts: Hot', 'And 490 more.']);
    expect(wordsOf('Rush', [{ ...ada, kind: 'number', count: 40, person: null }], 10).title).toBe(
      '40 leads within an hour',
    );
  });
  test('a hostile address is a path without its query, cut', () => {
    expect(pathOf('https://shop.example/<script>alert(1)</script>?q=https://evil.example')).toBe(
      '/%3Cscript%3Ealert(1)%3C/script%3E',
    );
    expect(pathOf(`https://shop.example/${'a'.repeat(3000)}`)).toHaveLength(101);
    expect(pathOf('javascript:alert(1)')).toBe('alert(1)');
    expect(pathOf('no address')).toBe('');
    expect(pathOf(null)).toBe('');
  });
});
