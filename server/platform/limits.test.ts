import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestApp, testApp } from '../test/app.ts';
import { createLimits, type LimitRule, networkOf, rangeOf } from './limits.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());
const rule: LimitRule = { name: 'test', max: 3, base: 10, cap: 35, window: 600 };
const waits = (error: unknown) => (error as { retryAfter?: number }).retryAfter;

test('[AUTH-21] pauses double up to the cap, hold for every process, and are forgotten after the window', async () => {
  const [one, two] = [createLimits(app.platform), createLimits(app.platform)];
  const seen: unknown[] = [];
  for (let i = 0; i < 12; i++) {
    const wait = await (i % 2 ? one : two).take(rule, 'a').then((tries) => tries * 1000, waits);
    seen.push(wait);
    if (wait! < 1000) app.clock.advance(wait! * 1000);
  }
  expect(seen).toEqual([1000, 2000, 3000, 10, 4000, 20, 5000, 35, 6000, 35, 7000, 35]);
  app.clock.advance(600_001);
  expect(await one.take(rule, 'a')).toBe(1);
});

test('[AUTH-21] of 60 tries at once exactly as many pass as are allowed; a try given back lifts its pause', async () => {
  const limits = createLimits(app.platform);
  const tries = await Promise.allSettled(Array.from({ length: 60 }, () => limits.take(rule, 'burst')));
  expect(tries.filter((one) => one.status === 'fulfilled')).toHaveLength(3);
  await limits.giveBack(rule, 'burst');
  expect(await limits.take(rule, 'burst')).toBe(3);
  await limits.clear(rule, 'burst');
  expect(await limits.take(rule, 'burst')).toBe(1);
});

test('several rules count together or not at all, and nothing in the table names anyone', async () => {
  const limits = createLimits(app.platform);
  const other = { ...rule, name: 'other' };
  for (let i = 0; i < 3; i++) await limits.take(other, 'ann@x.test');
  const both: [LimitRule, string][] = [
    [rule, 'ann@x.test'],
    [other, 'ann@x.test'],
  ];
  for (let i = 0; i < 5; i++)
    await expect(limits.takeAll(both)).rejects.toMatchObject({ code: 'too_many', retryAfter: 10 });
  expect(await limits.take(rule, 'ann@x.test')).toBe(1);
  const { rows } = await app.admin.query(`select convert_from(key, 'LATIN1') as key from attempt`);
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.filter(({ key }) => key.includes('ann') || key.length !== 32)).toEqual([]);
  app.clock.advance(3 * 86_400_000);
  await limits.sweep();
  expect((await app.admin.query('select from attempt')).rowCount).toBe(0);
});

test('an IPv6 line is one network, an IPv4 one written as IPv6 too', () => {
  expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe(networkOf('2001:db8:1:2::1'));
  expect(networkOf('2001:db8:1:3::1')).not.toBe(networkOf('2001:db8:1:2::1'));
  expect(networkOf('::ffff:203.0.113.5')).toBe('203.0.113.5');
  expect(rangeOf('::ffff:203.0.113.5')).toBe(rangeOf('203.0.113.200'));
  expect(rangeOf('203.0.114.5')).not.toBe(rangeOf('203.0.113.5'));
  expect(rangeOf('2001:db8:1:2::1')).toBe(rangeOf('2001:db8:1:ffff::1'));
  expect(rangeOf('2001:db8:2::1')).not.toBe(rangeOf('2001:db8:1::1'));
});
