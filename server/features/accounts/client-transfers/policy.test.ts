import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TRANSFER_SIDES, type TransferSide } from '../../../../contract/accounts/transfer-rules.ts';
import { type Consents, endOf, type Facts, isReady, mayAgree, stepsOf, waitsFor } from './policy.ts';

const START = Date.parse('2026-03-10T15:00:00Z');
const DAY = 86_400_000;
const fresh = (by: 'giving' | 'client'): Consents & { started_by: 'giving' | 'client' } => ({
  state: 'offered',
  started_by: by,
  to_agency_id: 'agency',
  expires_at: new Date(START + 14 * DAY),
  giving_at: null,
  receiving_at: null,
  client_at: null,
  [`${by}_at`]: new Date(START),
});
const settled: Facts = {
  running: 0,
  ads: 0,
  charges: 0,
  refunds: 0,
  confirmable: 0,
  has: 0n,
  refundable: 0n,
  owes: 0n,
  exports: 0,
  imports: 0,
  returns: 0,
  isOffboarding: false,
};

describe('[BEY-13] who agrees to a transfer', () => {
  test('in whatever order and whenever people answer, it begins only once all three have agreed in time', () => {
    const step = fc.tuple(
      fc.constantFrom(...TRANSFER_SIDES),
      fc.constantFrom('agree' as const, 'end' as const),
      fc.integer({ min: 0, max: 5 * DAY }),
    );
    fc.assert(
      fc.property(fc.constantFrom('giving' as const, 'client' as const), fc.array(step), (by, steps) => {
        const row = fresh(by);
        const agreed = new Set<TransferSide>([by]);
        let now = START;
        for (const [side, what, later] of steps) {
          now += later;
          const at = new Date(now);
          if (what === 'agree' && mayAgree(row, side, at)) {
            expect([agreed.has(side), at < row.expires_at]).toEqual([false, true]);
            // A client that did not name the agency agrees to one that it knows.
            if (side === 'client') expect(agreed.has('receiving')).toBe(true);
            row[`${side}_at`] = at;
            agreed.add(side);
            if (waitsFor(row).length === 0) row.state = 'settling';
          } else if (what === 'end') {
            const to = endOf(row, side, at);
            if (to) row.state = to;
            // Nothing can be ended twice, or once it is over.
            if (to) expect(endOf(row, side, at)).toBeNull();
          }
          if (row.state === 'settling') expect(agreed.size).toBe(3);
        }
      }),
    );
  });

  test('it moves only if nothing is left that could change its money', () => {
    const facts = fc.record({
      running: fc.nat(2),
      ads: fc.nat(1),
      charges: fc.nat(1),
      refunds: fc.nat(1),
      confirmable: fc.nat(1),
      has: fc.bigInt(0n, 2n),
      owes: fc.bigInt(-1n, 1n),
      exports: fc.nat(1),
      imports: fc.nat(1),
      returns: fc.nat(1),
      isOffboarding: fc.boolean(),
    });
    const all = {
      ...fresh('giving'),
      state: 'settling' as const,
      receiving_at: new Date(),
      client_at: new Date(),
    };
    expect(isReady(stepsOf({ ...all, keeps_balance: false }, settled))).toBe(true);
    fc.assert(
      fc.property(facts, fc.boolean(), fc.boolean(), (given, isByCard, keeps_balance) => {
        const refundable = isByCard ? given.has : 0n;
        const isSettled =
          given.running + given.ads + given.charges + given.refunds + given.exports + given.imports === 0 &&
          given.returns + given.confirmable === 0 &&
          !given.isOffboarding &&
          given.owes <= 0n &&
          (given.has === 0n || (refundable === 0n && keeps_balance));
        expect(isReady(stepsOf({ ...all, keeps_balance }, { ...given, refundable }))).toBe(isSettled);
      }),
    );
  });
});
