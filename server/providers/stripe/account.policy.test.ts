import { describe, expect, test } from 'vitest';
import { requirements } from '../../test/stripe-bench.ts';
import { accountState } from './account.policy.ts';

describe("an account in the spec's words", () => {
  const account = (more: object, due: object = {}) =>
    accountState({
      charges_enabled: false,
      payouts_enabled: false,
      details_submitted: true,
      requirements: { ...requirements, ...due },
      ...more,
    } as unknown as Parameters<typeof accountState>[0]);
  const on = { charges_enabled: true, payouts_enabled: true };

  test.each<[string, object, object]>([
    ['pending', { details_submitted: false }, {}],
    ['pending', { details_submitted: false }, { disabled_reason: 'requirements.past_due' }],
    ['pending', {}, { disabled_reason: 'requirements.past_due', past_due: ['external_account'] }],
    ['pending', { charges_enabled: true }, { currently_due: ['external_account'] }],
    ['pending', {}, { disabled_reason: 'action_required.requested_capabilities' }],
    // Something is being verified and something is still requested: the owner has to act.
    ['pending', {}, { pending_verification: ['x'], currently_due: ['y'] }],
    ['inverification', {}, { pending_verification: ['individual.id_number'] }],
    ['inverification', {}, { disabled_reason: 'requirements.pending_verification' }],
    ['inverification', {}, { disabled_reason: 'under_review' }],
    ['inverification', {}, { disabled_reason: 'listed' }],
    ['inverification', {}, { disabled_reason: 'other' }],
    ['completed', on, {}],
    ['completed', on, { pending_verification: ['x'] }],
    ['failed', {}, { disabled_reason: 'rejected.fraud' }],
    ['failed', { details_submitted: false }, { disabled_reason: 'rejected.other' }],
    ['failed', {}, { disabled_reason: 'platform_paused' }],
  ])('[PAY-01] %s: %j %j', (status, more, due) => {
    expect(account(more, due).status).toBe(status);
  });

  test('[PAY-01] says what is still to be brought, each once', () => {
    const state = account({ charges_enabled: true }, { past_due: ['a'], currently_due: ['a', 'b'] });
    expect(state).toEqual({
      status: 'pending',
      charges_enabled: true,
      payouts_enabled: false,
      account_requirements: ['a', 'b'],
    });
    expect(account({ requirements: undefined }).account_requirements).toEqual([]);
  });
});
