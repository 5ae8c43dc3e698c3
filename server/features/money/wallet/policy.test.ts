import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { daysLeft, daysUpTo, expiryOf, lastDay, noticeDue, WalletBook } from './policy.ts';

const chicago = 'America/Chicago';
const at = (text: string) => new Date(text);

describe('[BEY-02] [WALL-07] when a lot ends', () => {
  test.each([
    // Purchase time, time zone, last day, end: the same calendar day twelve months later, until its last moment.
    ['2026-03-10T15:00:00Z', chicago, '2027-03-10', '2027-03-11T06:00:00.000Z'],
    ['2026-01-31T15:00:00Z', chicago, '2027-01-31', '2027-02-01T06:00:00.000Z'],
    // A day that does not exist in the next year.
    ['2028-02-29T15:00:00Z', chicago, '2029-02-28', '2029-03-01T06:00:00.000Z'],
    // February 28 before a leap year does not become the 29th.
    ['2027-02-28T15:00:00Z', chicago, '2028-02-28', '2028-02-29T06:00:00.000Z'],
    // Late in the evening, the agency's local date counts, not the UTC date.
    ['2026-07-01T03:30:00Z', chicago, '2027-06-30', '2027-07-01T05:00:00.000Z'],
    ['2026-07-01T03:30:00Z', 'Asia/Tokyo', '2027-07-01', '2027-07-01T15:00:00.000Z'],
    // The clocks change on the night it ends: midnight before and after the change.
    ['2026-03-13T18:00:00Z', chicago, '2027-03-13', '2027-03-14T06:00:00.000Z'],
    ['2026-03-14T18:00:00Z', chicago, '2027-03-14', '2027-03-15T05:00:00.000Z'],
    ['2026-11-07T18:00:00Z', chicago, '2027-11-07', '2027-11-08T06:00:00.000Z'],
    // There is no midnight when Cairo's clocks go forward: the day begins at 1 a.m.
    ['2026-04-29T12:00:00Z', 'Africa/Cairo', '2027-04-29', '2027-04-29T22:00:00.000Z'],
  ])('bought %s in %s: usable until the end of %s', (bought, zone, last, ends) => {
    const expires = expiryOf(at(bought), zone);
    expect(expires.toISOString()).toBe(ends);
    expect(lastDay(expires, zone)).toBe(last);
  });

  test('the days of a history run to today, where the agency is', () => {
    const days = (month: string) => daysUpTo(month, chicago, at('2026-03-03T05:30:00Z'));
    expect(days('2026-03')).toEqual([
      { day: '2026-03-01', ends: at('2026-03-02T06:00:00Z') },
      { day: '2026-03-02', ends: at('2026-03-03T06:00:00Z') },
    ]);
    expect(days('2026-02')).toHaveLength(28);
    expect(days('2027-01')).toEqual([]);
  });

  test('notices 30, 7 and 1 days before, each once, and only the most pressing of those that were missed', () => {
    const expires_at = expiryOf(at('2026-03-10T15:00:00Z'), chicago); // Ends at the end of March 10, 2027.
    const due = (now: string, noticed: number | null) => noticeDue({ expires_at, noticed }, at(now), chicago);
    expect(due('2027-02-08T12:00:00Z', null)).toBeNull(); // 31 days
    expect(due('2027-02-09T05:59:59Z', null)).toBeNull(); // Still the 8th in Chicago.
    expect(due('2027-02-09T06:00:00Z', null)).toBe(30);
    expect(due('2027-02-20T12:00:00Z', 30)).toBeNull();
    expect(due('2027-03-04T12:00:00Z', 30)).toBe(7);
    expect(due('2027-03-04T12:00:00Z', null)).toBe(7);
    expect(due('2027-03-10T12:00:00Z', 7)).toBe(1);
    expect(due('2027-03-10T12:00:00Z', null)).toBe(1);
    expect(due('2027-03-10T12:00:00Z', 1)).toBeNull();
    expect(due('2027-03-11T06:00:00Z', null)).toBeNull(); // Over.
    expect(daysLeft(at('2027-03-10T12:00:00Z'), expires_at, chicago)).toBe(1);
  });
});

test('[BEY-02] lots are drawn soonest end first, and all or nothing', () => {
  const lot = fc.record({
    id: fc.uuid(),
    remaining: fc.bigInt(0n, 100n),
    expires_at: fc.date({ min: at('2026-01-01'), max: at('2026-02-01'), noInvalidDate: true }),
    created_at: fc.constant(at('2025-01-01')),
  });
  fc.assert(
    fc.property(
      fc.uniqueArray(lot, { selector: (l) => l.id, maxLength: 8 }),
      fc.array(fc.bigInt(1n, 150n), { maxLength: 8 }),
      (lots, draws) => {
        const book = new WalletBook(lots);
        const left = new Map(lots.map((l) => [l.id, l.remaining]));
        for (const amount of draws) {
          const total = [...left.values()].reduce((a, b) => a + b, 0n);
          expect(book.available).toBe(total);
          const parts = book.draw(amount);
          if (amount > total) {
            expect(parts).toBeNull();
            continue;
          }
          expect(parts!.reduce((sum, part) => sum + part.amount, 0n)).toBe(amount);
          for (const part of parts!) {
            left.set(part.lotId, left.get(part.lotId)! - part.amount);
            expect(left.get(part.lotId)! >= 0n).toBe(true);
          }
          // Every lot that ends before the last lot that was drawn from is used up.
          const ends = new Map(lots.map((l) => [l.id, l.expires_at.getTime()]));
          const last = Math.max(...parts!.map((part) => ends.get(part.lotId)!));
          for (const [id, rest] of left) if (ends.get(id)! < last) expect(rest).toBe(0n);
        }
      },
    ),
  );
});
