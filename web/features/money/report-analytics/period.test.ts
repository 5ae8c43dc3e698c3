import { expect, test } from 'vitest';
import { periodOf, spanWords } from './period.ts';

test('[CONF-07] the days of an emailed report are opened as they are; what is no period is the last 12 months', () => {
  const asked = { starts_on: '2026-02-23', ends_on: '2026-03-01', compare: 'year' };
  const found = periodOf({ days: '2026-02-23_2026-03-01', compare: 'year', period: '3' }, '2026-03-10');
  expect(found).toEqual({ value: 'days', asked });
  expect(spanWords(found.asked)).toBe('Feb 23, 2026 to Mar 1, 2026');
  for (const days of ['2026-03-01_2026-02-23', '2026-02-23', '2026-13-01_2026-13-02', 'x_y', undefined])
    expect([days, periodOf({ days }, '2026-03-10')]).toEqual([
      days,
      { value: '12', asked: { starts_on: '2025-04-01', ends_on: '2026-03-10', compare: 'previous' } },
    ]);
});
