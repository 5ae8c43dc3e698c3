import { describe, expect, test } from 'vitest';
import type { Auto } from '../data-wallet/index.ts';
import { amountOf, decide, type Facts, floorOf, leadsFault, onDrawn, rearm, refundParts } from './policy.ts';

const USD = 1_000_000n;
const wish = { leads: 100, price: USD, continual: true };
const now = new Date('2026-03-10T15:00:00Z');
const state = (name: Auto['state'], more: Partial<Auto> = {}): Auto => ({
  state: name,
  declines: 0,
  retryAt: name === 'waiting' ? now : null,
  reason: '',
  gaveBack: false,
  ...more,
});
const facts = (available: bigint, more: Partial<Facts> = {}): Facts => ({
  available,
  now,
  runs: true,
  refusal: null,
  limits: [],
  ...more,
});

describe('[PAY-09] amounts', () => {
  test('leads cost whole cents, rounded up, and never less than what a card can be charged', () => {
    expect(amountOf(10, 333_333n)).toBe(3_340_000n);
    expect(amountOf(1, 500_000n)).toBe(500_000n);
    expect(leadsFault(1, 500_000n)).toBeNull();
    expect(leadsFault(1, 490_000n)).toContain('at least 2');
    expect(leadsFault(48, 10_001n)).toContain('at least 49');
    // Rounded up, 49 of them already come to $0.50.
    expect(leadsFault(49, 10_001n)).toBeNull();
    expect(leadsFault(1_000_000, USD)).toContain('$999,999.99');
  });

  test('the floor is a tenth of what is bought, and never less than a lead', () => {
    expect(floorOf(wish)).toBe(10n * USD);
    expect(floorOf({ ...wish, leads: 5 })).toBe(USD);
  });

  test('a refund takes newest purchases first and sums to the amount', () => {
    const charges = [
      { id: 'c', left: 5n * USD },
      { id: 'b', left: 0n },
      { id: 'a', left: 10n * USD },
    ];
    expect(refundParts(charges, 7n * USD)).toEqual([
      { charge: 'c', cents: 500 },
      { charge: 'a', cents: 200 },
    ]);
  });
});

describe('[PAY-09] [PAY-04] the continual top-up', () => {
  test('a fall below the floor makes it due once; at the floor it does not', () => {
    expect(onDrawn(state('armed'), wish, 11n * USD, 10n * USD)).toBeNull();
    expect(onDrawn(state('armed'), wish, 10n * USD, 10n * USD - 1n)?.state).toBe('due');
    for (const name of ['due', 'charging', 'waiting', 'stopped'] as const)
      expect(onDrawn(state(name), wish, 10n * USD, 0n)).toBeNull();
    expect(onDrawn(state('armed'), { ...wish, continual: false }, 10n * USD, 0n)).toBeNull();
  });

  test('idle counts as armed only while the balance was above: turning it on charges nobody', () => {
    expect(onDrawn(state('idle'), wish, 10n * USD, 9n * USD)?.state).toBe('due');
    expect(onDrawn(state('idle'), wish, 9n * USD, 8n * USD)).toBeNull();
    expect(rearm(state('stopped'), wish, 9n * USD).state).toBe('idle');
    expect(rearm(state('stopped'), wish, 10n * USD).state).toBe('armed');
    expect(rearm(state('charging'), wish, 100n * USD).state).toBe('charging');
  });

  test('what is due is charged whole; a running charge, a pause and a stop are left alone', () => {
    expect(decide(state('due'), wish, facts(9n * USD))).toMatchObject({ act: 'charge', amount: 100n * USD });
    expect(decide(state('waiting'), wish, facts(0n))).toMatchObject({ act: 'charge' });
    expect(decide(state('armed'), wish, facts(0n))).toMatchObject({ act: 'charge' });
    const later = new Date(now.getTime() + 1);
    for (const one of [
      state('charging'),
      state('waiting', { retryAt: later }),
      state('stopped'),
      state('idle'),
    ])
      expect(decide(one, wish, facts(0n))).toEqual({ act: 'nothing', next: one });
  });

  test('what is over its floor is armed, what is off is idle, and one that a person paused is not charged', () => {
    expect(decide(state('stopped'), wish, facts(10n * USD)).next.state).toBe('armed');
    expect(decide(state('waiting'), { ...wish, continual: false }, facts(0n)).next.state).toBe('idle');
    expect(decide(state('due'), wish, facts(0n, { runs: false }))).toMatchObject({
      act: 'nothing',
      next: { state: 'armed' },
    });
  });

  test('without a card it stops and counts as failed; what the agency has to mend is tried again', () => {
    expect(
      decide(state('due'), wish, facts(0n, { refusal: { words: 'No card', retries: false } })),
    ).toMatchObject({
      act: 'refuse',
      isFailure: true,
      next: { state: 'stopped', reason: 'No card' },
    });
    expect(
      decide(state('due'), wish, facts(0n, { refusal: { words: 'Away', retries: true } })),
    ).toMatchObject({
      act: 'refuse',
      isFailure: false,
      next: { state: 'waiting', retryAt: new Date(now.getTime() + 3_600_000) },
      isRepeat: false,
    });
    // The same hour after hour is one refusal.
    const away = state('waiting', { reason: 'Away' });
    expect(decide(away, wish, facts(0n, { refusal: { words: 'Away', retries: true } }))).toMatchObject({
      isRepeat: true,
    });
  });

  test('[BEY-03] a hard limit of the day refuses what would pass it by a cent, until the day is over', () => {
    const ends = new Date('2026-03-11T05:00:00Z');
    const limit = { of: 'client', period: 'day' as const, spent: 100n * USD, most: 200n * USD, ends };
    expect(decide(state('due'), wish, facts(0n, { limits: [limit] })).act).toBe('charge');
    expect(
      decide(state('due'), wish, facts(0n, { limits: [{ ...limit, spent: 100n * USD + 10_000n }] })),
    ).toMatchObject({ act: 'refuse', isFailure: false, next: { state: 'waiting', retryAt: ends } });
  });
});
