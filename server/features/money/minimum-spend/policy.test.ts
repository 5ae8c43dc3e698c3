import { describe, expect, test } from 'vitest';
import {
  askedOf,
  daysLeft,
  isSame,
  lifeOf,
  lowerOf,
  monthOf,
  raises,
  shortfallOf,
  spanOf,
} from './policy.ts';

const CHICAGO = 'America/Chicago';
const month = (text: string) => Temporal.PlainDate.from(`${text}-01`);
const USD = 1_000_000n;

describe('what was agreed and what holds now', () => {
  const plan = (flat: bigint, ...months: bigint[]) => ({ months, flat });
  test('a raise is more in any month of life', () => {
    expect(raises(null, plan(0n, 0n))).toBe(false);
    expect(raises(null, plan(0n, 5n))).toBe(true);
    expect(raises(plan(10n), plan(10n, 5n, 10n))).toBe(false);
    expect(raises(plan(10n), plan(3n, 5n, 11n))).toBe(true);
    expect(raises(plan(10n, 1n), plan(2n))).toBe(true);
    expect(isSame(plan(10n, 10n), plan(10n))).toBe(true);
  });
  test('of two the lower one is asked, month by month', () => {
    expect(lowerOf(null, plan(10n))).toBeNull();
    expect(lowerOf(plan(10n, 1n), plan(7n, 2n, 20n))).toEqual({ months: [1n, 10n], flat: 7n });
    expect(lowerOf(plan(10n), plan(12n))).toEqual({ months: [], flat: 10n });
  });
});

describe('[PAY-07] months of minimum spend', () => {
  test('lie between midnights where the root is, summer time included', () => {
    expect(monthOf(new Date('2026-04-01T04:59:59Z'), CHICAGO).toString()).toBe('2026-03-01');
    expect(monthOf(new Date('2026-04-01T05:00:00Z'), CHICAGO).toString()).toBe('2026-04-01');
    expect(spanOf(month('2026-03'), CHICAGO)).toEqual({
      from: new Date('2026-03-01T06:00:00Z'),
      to: new Date('2026-04-01T05:00:00Z'),
    });
  });

  test.each([
    ['2026-03', 0],
    ['2026-04', 1],
    ['2026-05', 2],
    ['2027-03', 12],
    ['2028-04', 25],
    ['2026-02', -1],
  ])('an agency that began on 14 March 2026: %s is month %i', (text, life) =>
    expect(lifeOf(month(text), new Date('2026-03-14T12:00:00Z'), CHICAGO)).toBe(life),
  );
  test('the day of the beginning is that of the root', () =>
    expect(lifeOf(month('2026-04'), new Date('2026-04-01T02:00:00Z'), CHICAGO)).toBe(1));

  test.each([
    [null, null],
    [-1, null],
    [0, null],
    [1, 0n],
    [2, 250n],
    [3, 349n],
    [99, 349n],
  ])('month %s of a plan asks %s', (life, asked) =>
    expect(askedOf({ months: [0n, 250n], flat: 349n }, life)).toBe(asked),
  );

  test.each([
    [349n * USD, 0n, 349n * USD],
    [349n * USD, 12_345_678n, 336_650_000n],
    [349n * USD, 349n * USD, 0n],
    [349n * USD, 348_990_001n, 0n],
    [100n * USD, -5n * USD, 105n * USD],
    [null, 0n, 0n],
  ])('asked %s, spent %s: %s is charged, in whole cents', (asked, spent, charged) =>
    expect(shortfallOf(asked, spent)).toBe(charged),
  );

  test.each([
    ['2026-02-01T06:00:00Z', 28],
    ['2026-02-28T12:00:00Z', 1],
    ['2026-03-01T05:59:00Z', 1],
    ['2026-03-26T12:00:00Z', 6],
  ])('at %s %i days are left', (at, left) => expect(daysLeft(new Date(at), CHICAGO)).toBe(left));
});
