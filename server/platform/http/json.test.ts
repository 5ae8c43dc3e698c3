import { expect, test } from 'vitest';
import { MOST_DEPTH, MOST_NAMES, readJson } from './json.ts';

const object = (names: number) => `{${Array.from({ length: names }, (_, i) => `"n${i}":",{["`).join()}}`;

test('[BEY-31] an object has at most a thousand names, each within it, however its texts look', () => {
  expect(Object.keys(readJson(object(MOST_NAMES)) as object)).toHaveLength(MOST_NAMES);
  expect(() => readJson(object(MOST_NAMES + 1))).toThrow('more than 1000 names');
  expect(() => readJson(`[{"a":[${object(MOST_NAMES + 1)}]}]`)).toThrow('more than 1000 names');
  // Each object is counted for itself, and lists are not.
  expect(readJson(`[${object(MOST_NAMES)},${object(MOST_NAMES)}]`)).toHaveLength(2);
  expect(readJson(`{"a":[${'0,'.repeat(5_000)}0]}`)).toMatchObject({ a: { length: 5_001 } });
});

test('[BEY-31] nothing is nested deeper than what stays on the stack', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  expect(readJson(nested(MOST_DEPTH))).toBeDefined();
  expect(() => readJson(nested(MOST_DEPTH + 1))).toThrow('deeper than 64 levels');
  expect(() => readJson('{"a":}')).toThrow(SyntaxError);
  expect(() => readJson(']]],')).toThrow(SyntaxError);
});
