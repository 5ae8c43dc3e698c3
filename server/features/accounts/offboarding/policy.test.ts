import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Facts, isReady, stepsOf } from './policy.ts';

const Count = fc.constantFrom(0, 1, 3);
const AnyFacts: fc.Arbitrary<Facts> = fc
  .record({
    ...{ isRemoved: fc.boolean(), campaigns: Count, charges: Count, refunds: Count, confirmable: Count },
    ...{ deliveries: Count, connections: Count },
    has: fc.constantFrom(0n, 5_000_000n),
    owes: fc.constantFrom(0n, 1_000_000n),
    share: fc.constantFrom(0n, 1n, 2n),
    decided: fc.option(
      fc.record({
        keepsBalance: fc.boolean(),
        deleteOn: fc.constant('2027-01-31'),
        isExported: fc.boolean(),
      }),
    ),
  })
  .map(({ share, ...facts }) => ({ ...facts, refundable: (facts.has * share) / 2n }));

test('[BEY-13] a client is signed out only when nothing runs, is under way, is refundable, or is owed, and people have decided', () => {
  fc.assert(
    fc.property(AnyFacts, (facts) => {
      const isNothingLeft =
        facts.campaigns + facts.charges + facts.refunds + facts.confirmable === 0 &&
        facts.deliveries + facts.connections === 0 &&
        facts.refundable === 0n &&
        facts.owes <= 0n &&
        facts.decided?.isExported === true &&
        (facts.has === 0n || facts.decided.keepsBalance);
      expect(isReady(stepsOf(facts))).toBe(isNothingLeft);
    }),
  );
});

test('[UX-04] [BEY-13] what is left of a client is told in cents, and never as nothing', () => {
  const words = (has: bigint) =>
    stepsOf({
      ...{ isRemoved: false, campaigns: 0, charges: 0, refunds: 0, confirmable: 0 },
      ...{ deliveries: 0, connections: 0 },
      ...{ has, refundable: 0n, owes: 0n, decided: null },
    }).find(({ step }) => step === 'balance')?.words;
  expect(words(3_496_138_928n)).toContain('$3,496.14 cannot be refunded to a card');
  expect(words(4_000n)).toContain('$0.004 cannot be refunded to a card');
});
