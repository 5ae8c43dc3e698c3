import { describe, expect, test } from 'vitest';
import { messages } from '../../../../contract/messages.ts';
import {
  amountsOf,
  cents,
  centsFault,
  monthLabel,
  noticeOf,
  offerWords,
  planWords,
  standOf,
} from './model.ts';

test.each([
  ['', messages.onboardInvalid],
  ['1.234', 'Use whole cents'],
  ['1.230', null],
  ['0', null],
  ['.5', null],
  ['1234567890', 'Enter 999,999,999 or less'],
])('an amount of %j: %s', (text, fault) => expect(centsFault(text)).toBe(fault));

test('amounts travel in dollars and cents', () =>
  expect(['349', '.5', '007.1'].map(cents)).toEqual(['349.00', '0.50', '7.10']));

test('a plan is one line', () => {
  expect(planWords([], '349')).toBe('$349.00 each month');
  expect(planWords(['0', '1250.5'], '349')).toBe('$0.00, $1,250.50, then $349.00');
  expect([monthLabel(0), monthLabel(8), monthLabel(9)]).toEqual(['First month', 'Ninth month', 'Month 10']);
});

describe('[PAY-07] the notice before a month ends', () => {
  const progress = {
    amount_micros: 349_000_000,
    spent_micros: 120_500_000,
    shortfall_micros: 228_500_000,
    days_left: 6,
    minimum_spend: { status: true },
  };
  test('says how much of the minimum is spent, and what happens with the rest', () => {
    expect(noticeOf(progress)).toEqual({
      title: '$120.50 of $349.00 this month',
      text: '6 days left in the month. Any shortfall when it ends, currently $228.50, is invoiced as your minimum spend.',
    });
    expect(noticeOf({ ...progress, days_left: 1 })?.text).toMatch(/^Today is the last day of the month\. /);
    expect(noticeOf({ ...progress, spent_micros: -5_000_000 })?.title).toBe('$0.00 of $349.00 this month');
  });
  test.each([
    [{ days_left: 7 }],
    [{ amount_micros: null }],
    [{ shortfall_micros: 0 }],
    [{ minimum_spend: { status: false } }],
  ])('is not there with %o', (change) => expect(noticeOf({ ...progress, ...change })).toBeNull());
});

describe('[PAY-07] how an agency stands during the month', () => {
  const progress = {
    amount_micros: 349_000_000,
    spent_micros: 120_500_000,
    shortfall_micros: 228_500_000,
    days_left: 12,
    excluded_minimum_spend: 0 as 0 | 1,
    minimum_spend: { status: true },
  };
  test('says what is spent, what is left of the month and what follows', () => {
    expect(standOf(progress)).toEqual({
      spent: '$120.50',
      asked: '$349.00',
      percent: 34,
      isMet: false,
      text: '12 days left in the month. Any shortfall when it ends, currently $228.50, is invoiced to your agency.',
    });
    expect(standOf({ ...progress, days_left: 1 })?.text).toMatch(/^Today is the last day of the month\. Any/);
    expect(standOf({ ...progress, spent_micros: 400_000_000, shortfall_micros: 0 })).toMatchObject({
      spent: '$400.00',
      percent: 100,
      isMet: true,
      text: '12 days left in the month. The minimum has been reached, so nothing is added when the month ends.',
    });
  });
  test('is never full before it is met, nor below nothing', () => {
    expect(standOf({ ...progress, spent_micros: 348_990_000, shortfall_micros: 10_000 })?.percent).toBe(99);
    expect(standOf({ ...progress, spent_micros: -5_000_000, shortfall_micros: 349_000_000 })).toMatchObject({
      spent: '$0.00',
      percent: 0,
    });
  });
  test('is not told where nothing is asked', () => {
    expect(standOf({ ...progress, excluded_minimum_spend: 1, shortfall_micros: 0 })).toBeNull();
    expect(standOf({ ...progress, amount_micros: null, shortfall_micros: 0 })).toBeNull();
    expect(standOf({ ...progress, amount_micros: 0, shortfall_micros: 0 })).toBeNull();
    expect(standOf({ ...progress, minimum_spend: { status: false } })).toBeNull();
  });
});

test('[PAY-07] what is announced says the amounts and the month from which they count', () => {
  expect(amountsOf({ amount_micros: 349_000_000, flat: '349.00' })).toBe('$349.00 a month');
  expect(amountsOf({ amount_micros: 99_000_000, flat: '349.00' })).toBe(
    '$99.00 for the first month, then $349.00 a month',
  );
  expect(offerWords({ charged_from: '2026-12-01' })).toContain(
    'the first month that counts starts on December 1, 2026',
  );
});
