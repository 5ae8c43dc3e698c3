import { describe, expect, test } from 'vitest';
import { SIGNUP_LIMITS, VISIT_LIMITS } from '../../../platform/config.ts';
import { createRates, MOST_REMEMBERED } from './rate.policy.ts';

const limits = { visitor: 10, address: 20, network: 60, key: 100 };
const NOW = Date.parse('2026-03-10T12:00:00Z');
const from = (ip: string, visitor = ip, key = 'shop') => ({ key, ip, visitors: [visitor] });
/** Returns how many of this many single events are accepted. */
const taken = (rates: ReturnType<typeof createRates>, times: number, of: (n: number) => object, now = NOW) =>
  Array.from({ length: times }, (_, n) => rates.take(of(n) as ReturnType<typeof from>, 1, now)).filter(
    (wait) => wait === 0,
  ).length;

describe('[BEY-30] how many events one sender may send', () => {
  test('each has its own limit: browser, address, network, site key', () => {
    expect(taken(createRates(limits), 30, () => from('10.0.0.1'))).toBe(10);
    expect(taken(createRates(limits), 30, (n) => from('10.0.0.1', `v${n}`))).toBe(20);
    expect(taken(createRates(limits), 90, (n) => from(`10.0.0.${n}`))).toBe(60);
    expect(taken(createRates(limits), 150, (n) => from(`10.0.${n}.1`))).toBe(100);
    expect(taken(createRates(limits), 150, (n) => from(`10.0.${n}.1`, `v${n}`, `site${n}`))).toBe(150);
  });

  test('an IPv6 line is one address, whatever it calls itself', () => {
    expect(taken(createRates(limits), 40, (n) => from(`2001:db8:1:2::${n.toString(16)}`, `v${n}`))).toBe(20);
  });

  test('a minute gives everything back, a part of it as much, and no time more than the limit', () => {
    const rates = createRates(limits);
    const one = () => from('10.0.0.1');
    expect(taken(rates, 30, one)).toBe(10);
    expect(rates.take(one(), 1, NOW)).toBe(6);
    expect(rates.take(one(), 1, NOW + 6_000)).toBe(0);
    expect(taken(rates, 30, one, NOW + 36_000)).toBe(5);
    expect(taken(rates, 30, one, NOW + 3_600_000)).toBe(10);
    // Setting the clock back grants nothing.
    expect(taken(rates, 30, one, NOW)).toBe(0);
  });

  test('what is turned away counts for nobody: one address does not use up a site key', () => {
    const rates = createRates(limits);
    expect(taken(rates, 1000, (n) => from('10.0.0.1', `v${n}`))).toBe(20);
    expect(taken(rates, 100, (n) => from(`10.0.${n + 1}.1`))).toBe(80);
  });

  test('a body is taken whole or not at all', () => {
    const rates = createRates(limits);
    expect(rates.take(from('10.0.0.1'), 8, NOW)).toBe(0);
    expect(rates.take(from('10.0.0.1'), 8, NOW)).toBe(36);
    expect(rates.take(from('10.0.0.1'), 2, NOW)).toBe(0);
  });

  test('what is remembered has a bound, and who is busy is not forgotten', () => {
    const rates = createRates({ visitor: 10, address: 20, network: 1_000_000, key: 1_000_000 });
    const busy = () => from('10.9.9.9', 'busy');
    expect(taken(rates, 10, busy)).toBe(10);
    let passed = 0;
    for (let n = 0; n < 2 * MOST_REMEMBERED; n++) {
      rates.take(from(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, `v${n}`), 1, NOW);
      if (n % 1000 === 0 && rates.take(busy(), 1, NOW) === 0) passed++;
    }
    expect(passed).toBe(0);
    const { address, visitor, key } = rates.remembered();
    expect(Math.max(address!, visitor!)).toBeLessThanOrEqual(MOST_REMEMBERED);
    expect(key).toBe(1);
  });
});

describe('[BEY-30] the limits that are set unless told otherwise', () => {
  test('an office of 2,000 people behind one address that all open three pages in a minute is not turned away', () => {
    const rates = createRates(VISIT_LIMITS);
    expect(taken(rates, 6000, (n) => from('203.0.113.7', `v${n % 2000}`))).toBe(6000);
  });

  test('a shop with a thousand views a second for an hour is not turned away', () => {
    const rates = createRates(VISIT_LIMITS);
    let refused = 0;
    for (let second = 0; second < 3600; second++)
      for (let body = 0; body < 100; body++) {
        const ip = `198.${body}.${second % 256}.1`;
        if (rates.take(from(ip, `v${second} ${body}`), 10, NOW + second * 1000) > 0) refused++;
      }
    expect(refused).toBe(0);
  });

  test('one browser that reads five pages a second is not, a program that sends without end is', () => {
    const rates = createRates(VISIT_LIMITS);
    expect(taken(rates, 300, () => from('203.0.113.7'))).toBe(300);
    expect(taken(rates, 100_000, (n) => from('203.0.113.7', `v${n}`))).toBe(5700);
  });

  test('they are far above those for sign-ups', () =>
    expect(VISIT_LIMITS.address).toBeGreaterThan(100 * SIGNUP_LIMITS.address));
});
