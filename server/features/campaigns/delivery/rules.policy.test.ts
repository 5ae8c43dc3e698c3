import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import {
  type Condition,
  type Hours,
  hoursWords,
  RULE_MATCHES,
  RULE_OPS,
  type RuleOp,
  type Rules,
  rulesWords,
} from '../../../../contract/campaigns/rules.ts';
import { isTrue, objectionOf, opensAt, rulesFrom, turnOf } from './rules.policy.ts';

const OPS = Object.keys(RULE_OPS) as RuleOp[];
const rules = (more: Partial<Rules> = {}): Rules => ({
  match: 'all',
  conditions: [],
  hours: null,
  rotation: false,
  ...more,
});
const state = (value: string, op: RuleOp = 'is'): Condition => ({ field: 'state', op, value });

describe('[BEY-23] a condition', () => {
  it.each<[RuleOp, string, string | undefined, boolean]>([
    ['is', 'tx', ' TX ', true],
    ['is', 'TX', 'T', false],
    ['is', 'José', 'JOSE\u0301', true],
    ['is', 'TX', undefined, false],
    ['is_not', 'TX', 'tx', false],
    ['is_not', 'TX', 'OK', true],
    ['is_not', 'TX', undefined, true],
    ['contains', 'VICE', 'Vice President', true],
    ['contains', '.*', 'anything', false],
    ['contains', 'x', undefined, false],
    ['does_not_contain', 'intern', 'Internal Auditor', false],
    ['does_not_contain', 'intern', undefined, true],
    ['is_one_of', 'TX, ok ,,', 'OK', true],
    ['is_one_of', '78701,78702', '78703', false],
    ['is_one_of', 'TX', undefined, false],
    ['is_known', '', 'x', true],
    ['is_known', '', '  ', false],
    ['is_known', '', undefined, false],
    ['is_unknown', '', undefined, true],
    ['is_unknown', '', 'x', false],
    ['at_least', '90', '90', true],
    ['at_least', '90', '89.9', false],
    ['at_least', '90', '9e3', false],
    ['at_least', '90', '51-200', false],
    ['at_least', '90', undefined, false],
    ['at_most', '-1.5', '-2', true],
    ['at_most', '90', '100', false],
    ['at_most', '90', '', false],
    ['at_most', '90', 'Infinity', false],
  ])('%s %j with %j: %j', (op, value, lead, expected) => {
    expect(isTrue({ field: 'state', op, value }, lead === undefined ? {} : { state: lead })).toBe(expected);
  });

  it('reads only what a lead has itself', () => {
    for (const field of ['constructor', '__proto__', 'toString'])
      expect(isTrue({ field, op: 'is_known', value: '' }, {})).toBe(false);
  });

  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom(
      '(a+)+$',
      '\u0000',
      '\ud800',
      'İ',
      'ß',
      '\u202e',
      '%_',
      "'; drop table lead; --",
      '[',
      '\\',
    ),
  );
  it('never throws, and opposites are never both true', () => {
    fc.assert(
      fc.property(text, text, (value, lead) => {
        const is = (op: RuleOp) => isTrue({ field: 'city', op, value }, { city: lead });
        for (const op of OPS) is(op);
        expect(is('is')).toBe(!is('is_not'));
        expect(is('contains')).toBe(!is('does_not_contain'));
        expect(is('is_known')).toBe(!is('is_unknown'));
        if (is('is')) expect(is('contains')).toBe(true);
        if (!value.includes(',') && value.trim()) expect(is('is_one_of')).toBe(is('is'));
      }),
    );
  });

  it('is not about case, spaces around it, or the form of its accents', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 30 }), (value) => {
        for (const lead of [value.toUpperCase().toLowerCase(), ` ${value}\n`, value.normalize('NFD')])
          expect(isTrue(state(value.toUpperCase().toLowerCase()), { state: lead })).toBe(true);
      }),
    );
  });

  it('is quick for long texts', () => {
    const at = performance.now();
    for (const op of OPS)
      isTrue(
        { field: 'city', op, value: `${'a'.repeat(250)},${'1'.repeat(249)}` },
        { city: '1'.repeat(500_000) },
      );
    expect(performance.now() - at).toBeLessThan(1000);
  });
});

describe('[BEY-23] rules match', () => {
  const both = [state('TX'), { field: 'city', op: 'is' as const, value: 'Austin' }];
  it.each([
    ['all', { state: 'TX', city: 'Austin' }, null],
    ['all', { state: 'TX' }, 'the rules of this destination don’t match: City is Austin.'],
    ['any', { state: 'TX' }, null],
    ['any', {}, 'the rules of this destination don’t match: State is TX or City is Austin.'],
    ['none', {}, null],
    ['none', { state: 'tx' }, 'the rules of this destination leave out leads when State is TX.'],
  ] as const)('%s of %j: %s', (match, lead, expected) => {
    expect(objectionOf(rules({ match, conditions: both }), lead)).toBe(expected);
  });
  it('every lead where there are no conditions', () => {
    for (const match of RULE_MATCHES) expect(objectionOf(rules({ match }), {})).toBeNull();
  });
  it('none exactly when not any, and all implies any', () => {
    const condition = fc.record({
      field: fc.constantFrom('city', 'state'),
      op: fc.constantFrom(...OPS),
      value: fc.constantFrom('a', 'b', 'a,b', '1'),
    });
    const lead = fc.dictionary(fc.constantFrom('city', 'state'), fc.constantFrom('a', 'b', '1', ''));
    fc.assert(
      fc.property(fc.array(condition, { minLength: 1, maxLength: 5 }), lead, (conditions, one) => {
        const [all, any, none] = RULE_MATCHES.map(
          (match) => objectionOf(rules({ match, conditions }), one) === null,
        );
        expect(none).toBe(!any);
        if (all) expect(any).toBe(true);
      }),
    );
  });
});

it('[BEY-23] turns are shared evenly', () => {
  const counts = new Map<string, number>();
  for (let turn = 0; turn < 9; turn++) {
    const one = turnOf(['a', 'b', 'c'], turn)!;
    counts.set(one, (counts.get(one) ?? 0) + 1);
  }
  expect([...counts.values()]).toEqual([3, 3, 3]);
  expect(turnOf([], 3)).toBeUndefined();
});

describe('[BEY-23] hours', () => {
  const ZONE = 'America/Chicago';
  const opens = (hours: Hours, at: string) =>
    opensAt(hours, ZONE, new Date(Temporal.ZonedDateTime.from(`${at}[${ZONE}]`).epochMilliseconds));
  const shown = (date: Date | null) =>
    date &&
    Temporal.Instant.fromEpochMilliseconds(date.getTime())
      .toZonedDateTimeISO(ZONE)
      .toString({ smallestUnit: 'minute', timeZoneName: 'never' });
  const office: Hours = { days: [1, 2, 3, 4, 5], from: '09:00', to: '17:00' };
  const night: Hours = { days: [5], from: '22:00', to: '06:00' };
  const early: Hours = { days: [7], from: '02:30', to: '05:00' };
  it.each<[string, Hours, string, string | null]>([
    ['inside', office, '2026-06-01T09:00', null],
    ['just before the end', office, '2026-06-01T16:59:59', null],
    ['at the end', office, '2026-06-01T17:00', '2026-06-02T09:00-05:00'],
    ['before the start', office, '2026-06-01T08:59', '2026-06-01T09:00-05:00'],
    ['on Friday evening', office, '2026-06-05T18:00', '2026-06-08T09:00-05:00'],
    ['over a clock change', office, '2026-10-30T18:00', '2026-11-02T09:00-06:00'],
    ['at night', night, '2026-06-05T23:00', null],
    ['after midnight', night, '2026-06-06T05:59', null],
    ['after a night', night, '2026-06-06T06:00', '2026-06-12T22:00-05:00'],
    ['after midnight of a day before', night, '2026-06-05T03:00', '2026-06-05T22:00-05:00'],
    // On March 8, 2026, 2:00 becomes 3:00; on November 1, 1:00 to 2:00 comes twice.
    ['in a lost hour', early, '2026-03-08T01:00', '2026-03-08T03:00-05:00'],
    ['all of them lost', { ...early, to: '02:45' }, '2026-03-08T01:00', '2026-03-15T02:30-05:00'],
    [
      'in a repeated hour',
      { ...early, from: '01:30', to: '02:00' },
      '2026-11-01T00:30',
      '2026-11-01T01:30-05:00',
    ],
    ['the second time', { ...early, from: '01:30', to: '02:00' }, '2026-11-01T01:40-06:00', null],
    ['between', { ...early, from: '01:30', to: '02:00' }, '2026-11-01T01:10-06:00', '2026-11-01T01:30-06:00'],
  ])('%s', (_, hours, at, expected) => {
    expect(shown(opens(hours, at))).toBe(expected);
  });
  it('open at the time that they name, and never earlier', () => {
    const time = fc.record({ h: fc.integer({ min: 0, max: 23 }), m: fc.constantFrom(0, 15, 30, 59) });
    const clock = ({ h, m }: { h: number; m: number }) =>
      `${String(h).padStart(2, '0')}:${String(m).padStart(2, '0')}`;
    const zones = fc.constantFrom(ZONE, 'America/St_Johns', 'Pacific/Apia', 'Australia/Lord_Howe', 'UTC');
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
        time,
        time,
        zones,
        fc.date({ min: new Date('2026-01-01'), max: new Date('2027-12-31'), noInvalidDate: true }),
        (days, a, b, zone, at) => {
          fc.pre(clock(a) !== clock(b));
          const hours = { days, from: clock(a), to: clock(b) };
          const next = opensAt(hours, zone, at);
          if (!next) return;
          expect(next.getTime()).toBeGreaterThan(at.getTime());
          expect(opensAt(hours, zone, next)).toBeNull();
          const before = new Date(next.getTime() - 1000);
          if (before > at) expect(opensAt(hours, zone, before)).not.toBeNull();
        },
      ),
    );
  });
});

describe('[BEY-23] rules in words', () => {
  it.each<[Rules | null, string]>([
    [null, 'Every lead at any time'],
    [
      rules({
        conditions: [state('tx,OK', 'is_one_of')],
        hours: { days: [1, 2, 3, 4, 5], from: '09:00', to: '17:00' },
        rotation: true,
      }),
      'Only when State is one of tx, OK · Mon–Fri 9:00–17:00 · takes turns',
    ],
    [rules({ match: 'none', conditions: [state('', 'is_unknown')] }), 'Not when State is unknown'],
    [
      rules({ match: 'any', conditions: [1, 2, 3, 4, 5].map((n) => state(String(n))) }),
      'Only when State is 1 or State is 2 or State is 3 or 2 more',
    ],
    [rules({ rotation: true }), 'Every lead · takes turns'],
  ])('%j: %s', (given, expected) => expect(rulesWords(given)).toBe(expected));
  it('days and times', () => {
    expect(hoursWords({ days: [7, 1, 2, 4], from: '22:00', to: '06:30' })).toBe(
      'Mon, Tue, Thu, Sun 22:00–6:30',
    );
    expect(hoursWords({ days: [1, 2, 3, 4, 5, 6, 7], from: '00:00', to: '12:00' })).toBe(
      'Every day 0:00–12:00',
    );
  });
});

describe('[BEY-23] rules as stored', () => {
  it('are none if they let everything through', () => {
    expect(rulesFrom(null)).toBeNull();
    expect(rulesFrom(rules({ match: 'none' }))).toBeNull();
  });
  it('are tidied', () => {
    expect(
      rulesFrom(
        rules({
          match: 'any',
          conditions: [state(' TX '), state('x', 'is_known')],
          hours: { days: [5, 1, 5], from: '22:00', to: '06:00' },
        }),
      ),
    ).toEqual(
      rules({
        match: 'any',
        conditions: [state('TX'), state('', 'is_known')],
        hours: { days: [1, 5], from: '22:00', to: '06:00' },
      }),
    );
  });
});

it('[BEY-31] a hundred leads read a condition’s list once, and each field of a lead once', () => {
  const conditions = Array.from({ length: 20 }, () => ({
    field: 'city',
    op: 'is_one_of' as const,
    value: 'a,'.repeat(250),
  }));
  const leads = Array.from({ length: 100 }, (_, i) => ({ city: `City ${i}` }));
  const reads = vi.spyOn(String.prototype, 'normalize');
  for (const lead of leads)
    objectionOf({ match: 'none', conditions, hours: null, rotation: true }, lead as never);
  expect(reads.mock.calls.length).toBeLessThanOrEqual(2 * (20 + 100));
  reads.mockRestore();
});
