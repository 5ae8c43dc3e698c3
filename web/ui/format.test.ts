import { describe, expect, it } from 'vitest';
import { ago, briefTime, dayWords, money, phoneWords, prettyCode } from './format.ts';

describe('money', () => {
  it('shows sign, separators and two places; more only for a unit price', () => {
    expect(money(1_234_500_000)).toBe('$1,234.50');
    expect(money(-2_500_000)).toBe('−$2.50');
    expect(money(123_456)).toBe('$0.12');
    expect(money(123_456, { unit: true })).toBe('$0.123456');
    expect(money(2_500_000n, { unit: true })).toBe('$2.50');
    expect(money(1_234_500_000, { whole: true })).toBe('$1,235');
  });
});

describe('dates and codes', () => {
  it('never moves a calendar day', () => {
    expect(dayWords('2026-01-01')).toMatch(/1/);
    expect(dayWords('2026-01-01', { dateStyle: 'short' })).toMatch(/26/);
  });
  it('says how long ago', () => {
    const now = new Date('2026-01-02T12:00:00Z');
    expect(ago('2026-01-02T11:55:00Z', now)).toBe('5 minutes ago');
    expect(ago('2026-01-01T11:00:00Z', now)).toBe('yesterday');
  });
  it('says the time of today and the day of anything else', () => {
    const now = new Date('2026-03-02T12:00:00Z');
    expect(briefTime('2026-03-02T15:05:00Z', now, 'UTC').replace('\u202f', ' ')).toBe('3:05 PM');
    expect(briefTime('2026-03-01T15:05:00Z', now, 'UTC')).toBe('Mar 1');
    expect(briefTime('2025-03-02T15:05:00Z', now, 'UTC')).toBe('Mar 2, 2025');
  });
  it('writes a phone number as people do', () => {
    expect(phoneWords('+15045550100')).toBe('(504) 555-0100');
    expect(phoneWords('+442079460018')).toBe('+442079460018');
    expect(phoneWords('504')).toBe('504');
  });
  it('turns a code into words', () => {
    expect(prettyCode('seen_recently')).toBe('Seen recently');
    expect(prettyCode('')).toBe('');
  });
});
