import { describe, expect, test } from 'vitest';
import { limitSince, periodOf } from './period.policy.ts';

const ZONE = 'America/Chicago';
const at = (text: string) => new Date(text);
const none = { limit_starts_on: null, limit_ends_on: null };

describe('[CAMP-06] periods in a time zone', () => {
  test.each([
    ['day', '2026-03-10T04:59:59.999Z', '2026-03-09T05:00:00.000Z', '2026-03-10T05:00:00.000Z'],
    ['day', '2026-03-10T05:00:00.000Z', '2026-03-10T05:00:00.000Z', '2026-03-11T05:00:00.000Z'],
    // 8 March 2026 has 23 hours there.
    ['day', '2026-03-08T12:00:00.000Z', '2026-03-08T06:00:00.000Z', '2026-03-09T05:00:00.000Z'],
    ['week', '2026-03-09T04:59:59.999Z', '2026-03-02T06:00:00.000Z', '2026-03-09T05:00:00.000Z'],
    ['week', '2026-03-09T05:00:00.000Z', '2026-03-09T05:00:00.000Z', '2026-03-16T05:00:00.000Z'],
    ['month', '2026-04-01T04:59:59.999Z', '2026-03-01T06:00:00.000Z', '2026-04-01T05:00:00.000Z'],
    ['month', '2026-12-31T12:00:00.000Z', '2026-12-01T06:00:00.000Z', '2027-01-01T06:00:00.000Z'],
  ] as const)('the %s of %s', (every, now, from, to) => {
    const period = periodOf(at(now), every, ZONE);
    expect([period.from.toISOString(), period.to.toISOString()]).toEqual([from, to]);
  });

  test.each([
    ['no limit', { daily_cap: null, limit_every: 'day', ...none }, null],
    ['a day', { daily_cap: 5, limit_every: 'day', ...none }, '2026-03-10T05:00:00.000Z'],
    ['a week', { daily_cap: 5, limit_every: 'week', ...none }, '2026-03-09T05:00:00.000Z'],
    ['a month', { daily_cap: 5, limit_every: 'month', ...none }, '2026-03-01T06:00:00.000Z'],
    [
      'a month, from its second week on',
      { daily_cap: 5, limit_every: 'month', limit_starts_on: '2026-03-08', limit_ends_on: null },
      '2026-03-08T06:00:00.000Z',
    ],
    [
      'from tomorrow',
      { daily_cap: 5, limit_every: 'day', limit_starts_on: '2026-03-11', limit_ends_on: null },
      null,
    ],
    [
      'from today to today',
      { daily_cap: 5, limit_every: 'day', limit_starts_on: '2026-03-10', limit_ends_on: '2026-03-10' },
      '2026-03-10T05:00:00.000Z',
    ],
    [
      'until yesterday',
      { daily_cap: 5, limit_every: 'month', limit_starts_on: null, limit_ends_on: '2026-03-09' },
      null,
    ],
  ] as const)('a limit, %s', (_, campaign, since) => {
    expect(limitSince(campaign, at('2026-03-10T15:00:00Z'), ZONE)?.toISOString() ?? null).toBe(since);
  });
});
