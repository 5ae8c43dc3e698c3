import { describe, expect, it } from 'vitest';
import { type CurrentTopUp, isUnderWay, purchaseState, standing } from './model.ts';

const current: CurrentTopUp = {
  topup: 'continual',
  leads_buy: 20,
  amount_micros: 20_000_000,
  renews_below_micros: 2_000_000,
  status: 'armed',
  next_try: null,
  declines: 0,
  reason: '',
  data: [],
};
const purchase: CurrentTopUp['data'][number] = {
  id: '1',
  created_at: '2026-03-10T15:00:00.000Z',
  leads: 20,
  amount_micros: 20_000_000,
  refunded_micros: 0,
  automatic: false,
  status: 'succeeded',
  reason: '',
  card: 'visa 4242',
};

describe('[PAY-09] the continual top-up in words', () => {
  it('says what is bought when, and why not', () => {
    expect(standing(current)).toBe(
      '20 leads for $20.00 are bought with the card on file whenever the balance falls below $2.00.',
    );
    expect(standing({ ...current, status: 'idle' })).toContain('Starts with the next purchase');
    expect(standing({ ...current, status: 'charging' })).toBe('Buying 20 leads for $20.00 now.');
    expect(standing({ ...current, status: 'stopped', reason: 'Declined.' })).toContain('Stopped: Declined.');
    expect(
      standing({ ...current, status: 'waiting', reason: 'Declined.', next_try: '2026-03-10T16:00:00.000Z' }),
    ).toMatch(/^Declined\. Next attempt: /);
    expect(standing({ ...current, topup: 'onetime', renews_below_micros: null, status: 'idle' })).toMatch(
      /^Off/,
    );
  });

  it('knows what changes by itself', () => {
    expect(isUnderWay(current)).toBe(false);
    expect(isUnderWay({ ...current, status: 'due' })).toBe(true);
    expect(isUnderWay({ ...current, data: [{ ...purchase, status: 'charging' }] })).toBe(true);
  });

  it('names a purchase that was given back in part', () => {
    expect(purchaseState(purchase).words).toBe('Paid');
    expect(purchaseState({ ...purchase, refunded_micros: 1 }).words).toBe('Partially refunded');
    expect(purchaseState({ ...purchase, status: 'refused' }).words).toBe('Not attempted');
  });
});
