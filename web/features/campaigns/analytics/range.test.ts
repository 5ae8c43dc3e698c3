import { describe, expect, it } from 'vitest';
import { addDays, before, dayIn, lengthOf, rangeOf } from './range.ts';

describe('spans of days', () => {
  it('takes the day of the company, not of the browser', () => {
    const now = new Date('2026-03-01T03:00:00Z');
    expect(dayIn(now, 'America/New_York')).toBe('2026-02-28');
    expect(dayIn(now, 'Asia/Tokyo')).toBe('2026-03-01');
  });
  it('compares with the same number of days before, across months and clock changes', () => {
    expect(before({ start: '2026-03-01', end: '2026-03-30' })).toEqual({
      start: '2026-01-30',
      end: '2026-02-28',
    });
    expect(lengthOf({ start: '2026-03-01', end: '2026-03-30' })).toBe(30);
    expect(addDays('2024-02-28', 1)).toBe('2024-02-29');
  });
  it('reads the address and shrugs off nonsense', () => {
    const today = '2026-03-31';
    expect(rangeOf({ days: '7' }, today)).toEqual({ start: '2026-03-25', end: today, days: 7 });
    expect(rangeOf({ from: '2026-01-01', to: '2026-01-02' }, today)).toEqual({
      start: '2026-01-01',
      end: '2026-01-02',
    });
    for (const bad of [
      { days: '8' },
      { from: 'x', to: today },
      { from: today, to: '2026-01-01' },
      { from: '2026-13-45', to: '2026-14-01' },
    ]) {
      expect(rangeOf(bad, today).days).toBe(30);
    }
  });
});
