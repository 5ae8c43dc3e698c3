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

  // Days on which a clock change skips or repeats an hour; if it is the first hour, the day begins at one o'clock.
  test.each([
    ['America/Chicago', '2026-11-01T05:00Z', '2026-11-02T06:00Z'],
    ['Asia/Kolkata', '2026-03-09T18:30Z', '2026-03-10T18:30Z'],
    ['America/Santiago', '2026-09-06T04:00Z', '2026-09-07T03:00Z'],
    ['America/Santiago', '2026-04-04T03:00Z', '2026-04-05T04:00Z'],
    ['Africa/Cairo', '2026-04-23T22:00Z', '2026-04-24T21:00Z'],
    ['Africa/Cairo', '2026-10-28T21:00Z', '2026-10-29T22:00Z'],
  ])('the day in %s from %s to %s, whatever its instant', (zone, from, to) => {
    for (let instant = Date.parse(from); instant < Date.parse(to); instant += 20 * 60_000) {
      const day = periodOf(new Date(instant), 'day', zone);
      expect([day.from, day.to]).toEqual([at(from), at(to)]);
    }
    expect(periodOf(new Date(Date.parse(from) - 1), 'day', zone).to).toEqual(at(from));
    expect(periodOf(at(to), 'day', zone).from).toEqual(at(to));
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
