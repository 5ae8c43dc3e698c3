import { expect, test } from 'vitest';
import { ageWords, hostOf } from './evidence.ts';

const at = '2026-03-10T15:00:00.000Z';
const before = (ms: number) => new Date(Date.parse(at) - ms).toISOString();

test.each([
  [0, 'at the same time'],
  [59_000, 'at the same time'],
  [60_000, '1 minute before'],
  [5 * 3_600_000, '5 hours before'],
  [3 * 86_400_000, '3 days before'],
  [59 * 86_400_000, '59 days before'],
  [61 * 86_400_000, '2 months before'],
  [800 * 86_400_000, '2 years before'],
  [-2 * 86_400_000, '2 days after'],
])('[BEY-05] the age of what was known %d ms before a match', (ms, words) => {
  expect(ageWords(before(ms), at)).toBe(words);
});

test('[BEY-05] the host of a page', () => {
  expect(hostOf('https://www.news.example/a?b')).toBe('news.example');
  expect(hostOf('not an address')).toBe('not an address');
});
