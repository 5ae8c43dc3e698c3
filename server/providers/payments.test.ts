import { expect, test } from 'vitest';
import { ManualClock } from '../platform/clock.ts';
import { createGateway } from './payments.ts';
import { memoryStore } from './sandbox-cards/index.ts';

const parts = {
  clock: new ManualClock('2026-03-01T12:00:00Z'),
  store: memoryStore(),
  onboardingUrl: (token: string) => `https://app.test/${token}`,
};
const appKey = Buffer.alloc(32, 1);

test('[PAY-02] without Stripe the sandbox, and it says so', () => {
  expect(createGateway({ appKey, stripe: undefined }, parts)).toMatchObject({
    provider: 'sandbox',
    mode: 'sandbox',
    publishableKey: '',
  });
});

test.each([
  ['sk_test_1', 'test'],
  ['rk_test_1', 'test'],
  ['sk_live_1', 'live'],
  ['rk_live_1', 'live'],
])('[PAY-02] with a Stripe key %s, Stripe in mode %s', (secretKey, mode) => {
  const stripe = {
    secretKey,
    publishableKey: 'pk_1',
    webhookSecrets: ['whsec_1'],
    apiBase: 'https://stripe.test',
  };
  expect(createGateway({ appKey, stripe }, parts)).toMatchObject({
    provider: 'stripe',
    mode,
    publishableKey: 'pk_1',
  });
});
