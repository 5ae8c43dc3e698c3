import { describe, expect, test } from 'vitest';
import { messages } from '../../../../contract/messages.ts';
import { type CouponValues, couponFaults, couponState, endOfDay, worthWords } from './coupon.model.ts';

const now = new Date(2026, 2, 10, 15);
const good: CouponValues = {
  coupon_code: 'spring-26',
  kind: 'percent',
  percent: '12.5',
  amount: '',
  max_uses: '',
  last_day: '2026-03-10',
};

describe('[CONF-08] the coupon form', () => {
  test('takes a percentage or an amount, uses and a last day', () => {
    expect(couponFaults(good, now)).toEqual({});
    expect(
      couponFaults({ ...good, kind: 'amount', percent: '', amount: '1,0'.replace(',', '') }, now),
    ).toEqual({});
  });
  test.each([
    [{ coupon_code: 'abc' }, 'coupon_code', 'Use 4 to 40 letters, digits, hyphens or underscores'],
    [{ percent: '0' }, 'percent', 'Enter a percentage above 0 and up to 100, such as 12.5'],
    [{ percent: '100.01' }, 'percent', 'Enter a percentage above 0 and up to 100, such as 12.5'],
    [{ kind: 'amount', amount: '' }, 'amount', messages.onboardInvalid],
    [{ kind: 'amount', amount: '0.00' }, 'amount', messages.onboardInvalid],
    [{ kind: 'amount', amount: '1.234' }, 'amount', 'Use whole cents'],
    [{ max_uses: '0' }, 'max_uses', 'Enter a whole number from 1 to 1,000,000, or leave it blank'],
    [{ max_uses: '1.5' }, 'max_uses', 'Enter a whole number from 1 to 1,000,000, or leave it blank'],
    [{ last_day: '2026-03-09' }, 'last_day', 'Choose today or a later date'],
  ])('%o is wrong at %s: %s', (change, field, fault) =>
    expect(couponFaults({ ...good, ...change } as CouponValues, now)).toEqual({ [field]: fault }),
  );
  test('a last day lasts to its end', () => expect(endOfDay('2026-03-31')).toEqual(new Date(2026, 3, 1)));
});

test('a coupon in words', () => {
  expect(worthWords({ percent: '50.00', amount: null })).toBe('50%');
  expect(worthWords({ percent: null, amount: '1250.5' })).toBe('$1,250.50');
  const coupon = { uses: 1, max_uses: 2, expires_at: null };
  expect(couponState(coupon, now)).toBe('usable');
  expect(couponState({ ...coupon, uses: 2 }, now)).toBe('used_up');
  expect(couponState({ ...coupon, expires_at: now.toISOString() }, now)).toBe('expired');
});
