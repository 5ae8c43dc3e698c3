import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { missedMinimum } from '../../../../contract/money/data-wallet.ts';
import { titleOf } from './history.policy.ts';
import * as policy from './policy.ts';

const USD = 1_000_000n;
const at = (text: string) => new Date(text);
const idle: policy.Auto = { state: 'idle', declines: 0, retryAt: null, reason: '', gaveBack: false };
const wish = { amount: 500n * USD, continual: true };

describe('[WALL-03] minimum amounts', () => {
  test('custom from 2500, otherwise 0 or what a card can be charged', () => {
    expect(missedMinimum(2499_990_000n, true)).toBe(2500);
    expect(missedMinimum(2500n * USD, true)).toBeNull();
    expect(missedMinimum(0n, true)).toBe(2500);
    for (const amount of [0n, 500_000n, 250n * USD, 1000n * USD])
      expect(missedMinimum(amount, false)).toBeNull();
    expect(missedMinimum(490_000n, false)).toBe(0.5);
  });
});

describe('[WALL-06] [BEY-03] the automatic top-up', () => {
  test('is armed above 10% only, and due once when it falls to it', () => {
    expect(policy.rearm(idle, wish, 50n * USD).state).toBe('idle');
    const armed = policy.rearm(idle, wish, 50n * USD + 1n);
    expect(armed.state).toBe('armed');
    expect(policy.onDrawn(armed, wish, 50n * USD + 1n)).toBeNull();
    const due = policy.onDrawn(armed, wish, 50n * USD)!;
    expect(due.state).toBe('due');
    expect(policy.onDrawn(due, wish, 40n * USD)).toBeNull();
    for (const off of [
      { ...wish, continual: false },
      { ...wish, amount: 0n },
    ])
      expect(policy.onDrawn(armed, off, 0n)).toBeNull();
  });

  test('after declines it waits 1 h, 6 h and 24 h, then stops', () => {
    const now = at('2026-03-10T15:00:00Z');
    let auto: policy.Auto = { ...idle, state: 'charging' };
    const pauses = [];
    for (let n = 0; n < 4; n++) {
      auto = policy.onDeclined(auto, now, 'no');
      pauses.push(auto.retryAt && (auto.retryAt.getTime() - now.getTime()) / 3_600_000);
      expect(auto.declines).toBe(n + 1);
      if (auto.state === 'waiting') auto = { ...auto, state: 'charging', retryAt: null };
    }
    expect(pauses).toEqual([1, 6, 24, null]);
    expect(auto).toMatchObject({ state: 'stopped', reason: 'no' });
  });

  test('days and months are the agency’s, over daylight saving', () => {
    expect(policy.periodOf(at('2026-03-09T04:30:00Z'), 'America/Chicago', 'day')).toEqual({
      from: at('2026-03-08T06:00:00Z'),
      ends: at('2026-03-09T05:00:00Z'),
    });
    expect(policy.periodOf(at('2028-02-29T12:00:00Z'), 'America/Chicago', 'month')).toEqual({
      from: at('2028-02-01T06:00:00Z'),
      ends: at('2028-03-01T06:00:00Z'),
    });
  });

  test('whatever happens: one charge at a time, one for each crossing, never above a ceiling, never after it stopped', () => {
    const events = fc.array(
      fc.oneof(
        {
          weight: 6,
          arbitrary: fc.record({
            kind: fc.constant('draw' as const),
            cents: fc.integer({ min: 1, max: 40_000 }),
          }),
        },
        { weight: 4, arbitrary: fc.record({ kind: fc.constant('job' as const) }) },
        { weight: 2, arbitrary: fc.record({ kind: fc.constant('succeed' as const) }) },
        { weight: 2, arbitrary: fc.record({ kind: fc.constant('decline' as const) }) },
        {
          weight: 3,
          arbitrary: fc.record({
            kind: fc.constant('wait' as const),
            minutes: fc.integer({ min: 1, max: 1800 }),
          }),
        },
        { weight: 1, arbitrary: fc.record({ kind: fc.constant('byHand' as const) }) },
        { weight: 1, arbitrary: fc.record({ kind: fc.constant('toggle' as const), on: fc.boolean() }) },
        { weight: 1, arbitrary: fc.record({ kind: fc.constant('card' as const), on: fc.boolean() }) },
      ),
      { maxLength: 120 },
    );
    fc.assert(
      fc.property(
        events,
        fc.option(fc.bigInt({ min: 400n, max: 3000n }), { nil: null }),
        fc.option(fc.bigInt({ min: 400n, max: 6000n }), { nil: null }),
        (list, day, month) => {
          let now = at('2026-03-07T15:00:00Z');
          const want = { ...wish };
          let balance = 500n * USD;
          let auto = policy.rearm(idle, want, balance);
          let hasCard = true;
          let crossings = 0;
          let rearmed = 1;
          const charges: { at: Date; state: 'under way' | 'done' | 'declined' }[] = [];
          const spent = (period: 'day' | 'month') =>
            charges.filter(
              (c) => c.state !== 'declined' && c.at >= policy.periodOf(now, 'America/Chicago', period).from,
            ).length;
          const period = (name: 'day' | 'month', dollars: bigint | null) => ({
            spent: BigInt(spent(name)) * want.amount,
            ceiling: dollars && dollars * USD,
            ends: policy.periodOf(now, 'America/Chicago', name).ends,
          });
          for (const event of list) {
            if (event.kind === 'draw') {
              const part = BigInt(event.cents) * 10_000n;
              balance = balance > part ? balance - part : 0n;
              const next = policy.onDrawn(auto, want, balance);
              if (next) {
                crossings++;
                auto = next;
              }
            } else if (event.kind === 'job') {
              const wasStopped = auto.state === 'stopped';
              const before = { day: spent('day'), month: spent('month') };
              const plan = policy.decide(auto, want, {
                available: balance,
                now,
                refusal: hasCard ? null : 'no card',
                day: period('day', day),
                month: period('month', month),
              });
              if (plan.act === 'charge') {
                expect(wasStopped).toBe(false);
                expect(want.continual && hasCard && balance <= 50n * USD).toBe(true);
                expect(charges.some((c) => c.state === 'under way')).toBe(false);
                if (day !== null) expect(BigInt(before.day + 1) * want.amount <= day * USD).toBe(true);
                if (month !== null) expect(BigInt(before.month + 1) * want.amount <= month * USD).toBe(true);
                charges.push({ at: now, state: 'under way' });
              }
              if (plan.act !== 'charge' && plan.next.state === 'armed') rearmed++;
              auto = plan.next;
            } else if (event.kind === 'succeed' || event.kind === 'decline') {
              const open = charges.find((c) => c.state === 'under way');
              if (!open) continue;
              open.state = event.kind === 'succeed' ? 'done' : 'declined';
              if (event.kind === 'succeed') {
                balance += want.amount;
                auto = policy.onSucceeded(auto, want, balance);
                rearmed++;
              } else auto = policy.onDeclined(auto, now, 'declined');
            } else if (event.kind === 'wait') now = new Date(now.getTime() + event.minutes * 60_000);
            else if (event.kind === 'byHand') {
              if (charges.some((c) => c.state === 'under way')) continue;
              balance += want.amount;
              auto = policy.rearm(auto, want, balance);
              rearmed++;
            } else if (event.kind === 'toggle') {
              want.continual = event.on;
              auto = policy.rearm(auto, want, balance);
              rearmed++;
            } else hasCard = event.on;
            expect((auto.state === 'waiting') === (auto.retryAt !== null)).toBe(true);
            expect(auto.state === 'charging').toBe(charges.some((c) => c.state === 'under way'));
            expect(charges.filter((c) => c.state === 'under way').length).toBeLessThanOrEqual(1);
          }
          // Each crossing requires that the balance was above the threshold since the previous one, and is paid once.
          expect(crossings).toBeLessThanOrEqual(rearmed);
          expect(charges.filter((c) => c.state === 'done').length).toBeLessThanOrEqual(crossings);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

test.each([
  ['', 26n, null],
  ['', 25n, 'low'],
  ['low', 20n, null],
  ['low', 2n, 'empty'],
  ['', 0n, 'empty'],
  ['empty', 0n, null],
] as const)(
  '[WALL-06] told %j at %s of 250 dollars: %s; never while it tops itself up',
  (told, left, news) => {
    const off = { amount: 250n * USD, continual: false };
    expect(policy.newsOf(told, off, left * USD)).toBe(news);
    expect(policy.newsOf(told, { ...off, continual: true }, left * USD)).toBeNull();
    expect(policy.newsOf(told, { ...off, amount: 0n }, left * USD)).toBeNull();
  },
);

test('[WALL-07] lines of the history have words', () => {
  expect(titleOf({ kind: 'lead', campaign: 'Shop' })).toBe('Lead, Shop');
  expect(titleOf({ kind: 'wallet_top_up', campaign: null })).toBe('Top-up');
  expect(titleOf({ kind: 'adjustment', campaign: null })).toBe('Adjustment');
  expect(titleOf({ kind: 'ad_spend', campaign: null })).toBe('Ad spend');
});
