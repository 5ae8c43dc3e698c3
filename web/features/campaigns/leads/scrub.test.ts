import { expect, test } from 'vitest';
import { scrubDays, scrubWords } from './scrub.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const ago = (ms: number) => scrubDays(new Date(NOW - ms).toISOString(), NOW);
const DAY = 86_400_000;

test('[BEY-27] a comparison with do-not-call lists is stale after 31 days', () => {
  expect(ago(0)).toEqual({ days: 0, isStale: false });
  expect(ago(31 * DAY)).toEqual({ days: 31, isStale: false });
  expect(ago(31 * DAY + 1)).toEqual({ days: 31, isStale: true });
  // A clock that is ahead.
  expect(ago(-DAY)).toEqual({ days: 0, isStale: false });
  expect(scrubDays(null, NOW)).toEqual({ days: null, isStale: false });
});

test('[BEY-27] in words', () => {
  expect(scrubWords(ago(DAY))).toBe('Do-not-call lists checked yesterday');
  expect(scrubWords(ago(40 * DAY))).toBe('Do-not-call lists checked 40 days ago, too long ago to rely on');
  expect(scrubWords(scrubDays(null, NOW))).toBe('Not known whether it is on a do-not-call list');
});
