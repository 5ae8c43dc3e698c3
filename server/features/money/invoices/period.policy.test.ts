import { describe, expect, test } from 'vitest';
import { endedPeriods, monthName, monthOf, periodOf } from './period.policy.ts';

const hours = (from: Date, to: Date): number => (to.getTime() - from.getTime()) / 3_600_000;

describe('[PAY-04] periods', () => {
  test('a week is from Monday 00:00 to Monday 00:00 where the root is', () => {
    const week = periodOf(new Date('2026-03-15T23:59:59Z'), 'America/Chicago', 'Weekly');
    expect(week).toEqual({
      from: new Date('2026-03-09T05:00:00Z'),
      to: new Date('2026-03-16T05:00:00Z'),
      key: 'Weekly:2026-03-09',
    });
    // The first instant of a period belongs to it, not to the previous one.
    expect(periodOf(week.to, 'America/Chicago', 'Weekly').from).toEqual(week.to);
    expect(periodOf(new Date(week.to.getTime() - 1), 'America/Chicago', 'Weekly')).toEqual(week);
  });

  test('weeks with a change of clocks are an hour shorter or longer', () => {
    const spring = periodOf(new Date('2026-03-08T12:00:00Z'), 'America/Chicago', 'Weekly');
    expect(hours(spring.from, spring.to)).toBe(167);
    const autumn = periodOf(new Date('2026-11-01T12:00:00Z'), 'America/Chicago', 'Weekly');
    expect(hours(autumn.from, autumn.to)).toBe(169);
  });

  test('a day without a midnight begins when it begins', () => {
    // Clocks went from 23:59:59 to 01:00 on Sunday, November 4, 2018 in São Paulo, and on March 26, 2023 in Beirut.
    const month = periodOf(new Date('2018-11-10T12:00:00Z'), 'America/Sao_Paulo', 'Monthly');
    expect(month.from).toEqual(new Date('2018-11-01T03:00:00Z'));
    expect(month.to).toEqual(new Date('2018-12-01T02:00:00Z'));
  });

  test.each([
    ['2028-02-10T00:00:00Z', 29],
    ['2027-02-10T00:00:00Z', 28],
    ['2100-02-10T00:00:00Z', 28],
  ])('February of %s has %i days', (at, days) => {
    const month = periodOf(new Date(at), 'UTC', 'Monthly');
    expect(hours(month.from, month.to) / 24).toBe(days);
    expect(monthOf(new Date(at), 'UTC')).toBe(at.slice(0, 7));
  });

  test('all that have ended, none that has not', () => {
    const weeks = endedPeriods(
      new Date('2027-12-20T06:00:00Z'),
      new Date('2028-03-06T06:00:00Z'),
      'America/Chicago',
      'Weekly',
    );
    expect(weeks).toHaveLength(11);
    for (const [i, week] of weeks.entries()) if (i) expect(week.from).toEqual(weeks[i - 1]!.to);
    expect(weeks.at(-1)?.to).toEqual(new Date('2028-03-06T06:00:00Z'));
    expect(endedPeriods(weeks.at(-1)!.to, weeks.at(-1)!.to, 'America/Chicago', 'Weekly')).toEqual([]);
  });

  test('names its months', () => expect(monthName('2028-02')).toBe('February 2028'));
});
