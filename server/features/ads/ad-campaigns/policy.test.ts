import { describe, expect, test } from 'vitest';
import { bidOf, costsOf, dayIn, dueOf, pacedTo, remainingDays, roomOf } from './policy.ts';

const USD = 1_000_000n;
const budgets = { daily_micros: 10n * USD, monthly_micros: 200n * USD, total_micros: null };

describe('[SIMP-01] what an impression costs', () => {
  test('the share and the markup are added one after the other, and the supplier gets the media', () => {
    expect(costsOf(4_000n, { share_bp: 1_000, markup_bp: 2_500, is_own: false })).toEqual({
      media: 4_000n,
      supplier: 4_000n,
      wholesale: 4_400n,
      price: 5_500n,
    });
  });
  test('own media costs the agency the platform’s share only', () => {
    expect(costsOf(4_000n, { share_bp: 1_000, markup_bp: 2_500, is_own: true })).toMatchObject({
      supplier: 0n,
      wholesale: 400n,
      price: 5_500n,
    });
  });
  test('a bid is the highest whose price is within the maximum', () => {
    for (const share_bp of [0, 1, 777, 1_000, 99_999])
      for (const markup_bp of [0, 1, 2_500, 33_333, 100_000])
        for (const most of [1n, 2n, 3n, 999n, 5_000n, 123_457n]) {
          const rates = { share_bp, markup_bp, is_own: false };
          const bid = bidOf(most, rates);
          expect(costsOf(bid, rates).price <= most).toBe(true);
          expect(costsOf(bid + 1n, rates).price > most).toBe(true);
        }
  });
});

describe('[SIMP-02] what is left of budgets', () => {
  test('the least of day, month, flight, and balance', () => {
    const used = { day: 4n * USD, month: 199n * USD, total: 500n * USD, funds: 50n * USD };
    expect(roomOf(budgets, used)).toMatchObject({ day: 6n * USD, month: USD, total: null, all: USD });
    expect(roomOf({ ...budgets, total_micros: 400n * USD }, used)).toMatchObject({ total: 0n, all: 0n });
    expect(roomOf(budgets, { ...used, month: 0n, funds: -1n }).all).toBe(0n);
  });
  test('remaining days include today and end with the month or the flight', () => {
    const open = { starts_on: null, ends_on: null };
    expect(remainingDays('2026-02-27', open)).toBe(2);
    expect(remainingDays('2028-02-28', open)).toBe(2);
    expect(remainingDays('2026-12-31', open)).toBe(1);
    expect(remainingDays('2026-03-10', { starts_on: '2026-03-20', ends_on: '2026-03-24' })).toBe(5);
    expect(remainingDays('2026-03-10', { starts_on: '2026-04-01', ends_on: null })).toBe(0);
    expect(remainingDays('2026-03-10', { starts_on: null, ends_on: '2026-03-09' })).toBe(0);
  });
  test('what is due is the rest of today and whole days after it, within the month, less the balance', () => {
    const used = { day: 4n * USD, month: 40n * USD, total: 40n * USD, funds: 5n * USD };
    expect(dueOf(budgets, used, 3)).toBe(21n * USD);
    expect(dueOf(budgets, { ...used, month: 190n * USD }, 3)).toBe(5n * USD);
    expect(dueOf({ ...budgets, total_micros: 44n * USD }, used, 3)).toBe(0n);
    expect(dueOf(budgets, used, 0)).toBe(0n);
  });
  test('pacing follows the length of the day where clocks change', () => {
    const zone = 'America/Chicago';
    const day = { from: new Date('2026-03-08T06:00:00Z'), ends: new Date('2026-03-09T05:00:00Z') };
    expect(dayIn(day.from, zone)).toBe('2026-03-08');
    expect(dayIn(new Date(day.ends.getTime() - 1), zone)).toBe('2026-03-08');
    expect(dayIn(day.ends, zone)).toBe('2026-03-09');
    expect(pacedTo(23n * USD, day.from, day)).toBe(USD);
    expect(pacedTo(23n * USD, new Date('2026-03-08T16:00:00Z'), day)).toBe(11n * USD);
    expect(pacedTo(23n * USD, day.ends, day)).toBe(23n * USD);
  });
});
