import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  acknowledgeBy,
  businessDaysAfter,
  dueAt,
  extendedDueAt,
  fitsName,
  receivedAt,
  urgencyOf,
  warningsOf,
  whoseRequest,
} from './policy.ts';

const at = (text: string) => new Date(text);
const DAY_MS = 86_400_000;

describe('[BEY-07] the clocks of privacy requests', () => {
  test('opt-outs have 15 business days, all others 45 days, and 90 once extended', () => {
    // A Friday.
    const friday = at('2026-11-27T15:00:00Z');
    expect(acknowledgeBy(friday)).toEqual(at('2026-12-11T15:00:00Z'));
    expect(dueAt('opt_out', friday)).toEqual(at('2026-12-18T15:00:00Z'));
    for (const kind of ['access', 'delete', 'correct'] as const)
      expect(dueAt(kind, friday)).toEqual(at('2027-01-11T15:00:00Z'));
    expect(extendedDueAt(friday)).toEqual(at('2027-02-25T15:00:00Z'));
    // Received on a Saturday, the first business day is Monday.
    expect(businessDaysAfter(at('2026-11-28T00:00:00Z'), 1)).toEqual(at('2026-11-30T00:00:00Z'));
  });

  test('a business day is never a weekend, and that many of them have passed', () => {
    fc.assert(
      fc.property(
        fc.date({ min: at('2020-01-01'), max: at('2050-01-01'), noInvalidDate: true }),
        fc.integer({ min: 1, max: 60 }),
        (from, days) => {
          const end = businessDaysAfter(from, days);
          expect([0, 6]).not.toContain(end.getUTCDay());
          let passed = 0;
          for (let t = from.getTime() + DAY_MS; t <= end.getTime(); t += DAY_MS)
            if (![0, 6].includes(new Date(t).getUTCDay())) passed++;
          expect(passed).toBe(days);
        },
      ),
    );
  });

  test('is late at the deadline, soon five days before, and done once decided', () => {
    const due_at = at('2026-12-18T15:00:00Z');
    const received_at = at('2026-11-27T15:00:00Z');
    const of = (now: string, state = 'open', acknowledged_at: Date | null = received_at) =>
      urgencyOf({ state, due_at, received_at, acknowledged_at }, at(now));
    expect(of('2026-12-13T14:59:59Z')).toBe('fine');
    expect(of('2026-12-13T15:00:00Z')).toBe('soon');
    expect(of('2026-12-18T14:59:59Z')).toBe('soon');
    expect(of('2026-12-18T15:00:00Z')).toBe('late');
    expect(of('2027-12-18T15:00:00Z', 'refused')).toBe('done');
    // Receipt that is not confirmed is due first.
    expect(of('2026-12-06T14:59:59Z', 'open', null)).toBe('fine');
    expect(of('2026-12-06T15:00:00Z', 'open', null)).toBe('soon');
    expect(of('2026-12-11T15:00:00Z', 'open', null)).toBe('late');
  });

  test('warns of what is near or past, and not of the answer to a duplicate', () => {
    const received_at = at('2026-11-27T15:00:00Z');
    const row = {
      ...{
        state: 'open',
        received_at,
        acknowledged_at: null as Date | null,
        duplicate_of: null as string | null,
      },
      due_at: dueAt('opt_out', received_at),
    };
    const of = (now: string, more: Partial<typeof row> = {}) =>
      warningsOf({ ...row, ...more }, at(now)).map(({ step, isLate }) => [step, isLate]);
    expect(of('2026-12-05T15:00:00Z')).toEqual([]);
    expect(of('2026-12-07T15:00:00Z')).toEqual([['acknowledge', false]]);
    expect(of('2026-12-14T15:00:00Z')).toEqual([
      ['acknowledge', true],
      ['answer', false],
    ]);
    expect(of('2026-12-14T15:00:00Z', { acknowledged_at: received_at })).toEqual([['answer', false]]);
    expect(of('2026-12-19T15:00:00Z', { acknowledged_at: received_at })).toEqual([['answer', true]]);
    expect(of('2026-12-19T15:00:00Z', { duplicate_of: 'x' })).toEqual([['acknowledge', true]]);
    expect(of('2026-12-19T15:00:00Z', { state: 'completed' })).toEqual([]);
  });

  test('a day of receipt begins where the platform is, is not in the future, and not more than a year ago', () => {
    const now = at('2026-11-28T03:00:00Z');
    expect(receivedAt('2026-11-27', 'America/Chicago', now)).toEqual(at('2026-11-27T06:00:00Z'));
    expect(receivedAt('2026-11-28', 'America/Chicago', now)).toBe('is in the future');
    expect(receivedAt('2025-11-01', 'America/Chicago', now)).toBe('is more than a year ago');
  });
});

describe('[BEY-07] whose request it is', () => {
  const person = (first_name: string | null) => ({ first_name });

  test('the only person with the address, whatever they are called there', () => {
    const one = [person('Robert')];
    expect(whoseRequest(one, 'Bob Jones')).toEqual({ own: one, others: [] });
    expect(whoseRequest([], 'Bob Jones')).toEqual({ own: [], others: [] });
  });

  test('of several, those whose first name fits; none: it is a household’s', () => {
    const [ann, bob, nobody] = [person('Ann'), person('Bob'), person(null)];
    expect(whoseRequest([ann, bob], 'Ann Jones')).toEqual({ own: [ann], others: [bob] });
    expect(whoseRequest([ann, bob, nobody], 'JONES, BOB')).toEqual({ own: [bob, nobody], others: [ann] });
    expect(whoseRequest([ann, bob], 'The Joneses')).toBeNull();
  });

  test('compares names without accents and case', () => {
    expect(fitsName('José', 'jose garcia')).toBe(true);
    expect(fitsName('Ann Marie', 'Ann Jones')).toBe(true);
    expect(fitsName('Annabel', 'Ann Jones')).toBe(false);
  });
});
