import { expect, test } from 'vitest';
import { byInvoice, type Cycle, spareCredits } from './policy.ts';

const group = (cycle: Cycle, unit: bigint, count = 1) => ({
  cycle,
  kind: 'leads' as const,
  campaignId: null,
  memo: null,
  unit,
  count,
});
const shown = (groups: ReturnType<typeof group>[]) => groups.map(({ unit, count }) => [Number(unit), count]);

test('[PAY-04] the smallest credits that bring a cycle back to zero are spare', () => {
  const credits = [
    { unit: -500n, count: 1 },
    { unit: -3n, count: 10 },
  ];
  const spare = (open: bigint) =>
    spareCredits(open, credits).map(({ group, count }) => [Number(group.unit), count]);
  expect(spare(0n)).toEqual([]);
  expect(spare(-9n)).toEqual([[-3, 3]]);
  expect(spare(-10n)).toEqual([[-3, 4]]);
  expect(spare(-31n)).toEqual([
    [-3, 10],
    [-500, 1],
  ]);
  expect(spareCredits(-5n, [])).toEqual([]);
});

test('[PAY-04] the next invoices show spare credits where there is something to deduct them from', () => {
  const used = byInvoice([group('Weekly', 15n), group('Monthly', 90n), group('Monthly', -10n)]);
  expect([shown(used.Weekly), shown(used.Monthly)]).toEqual([
    [[15, 1]],
    [
      [90, 1],
      [-10, 1],
    ],
  ]);
  const spare = byInvoice([group('Weekly', 15n), group('Monthly', 4n), group('Monthly', -2n, 5)]);
  expect([shown(spare.Weekly), shown(spare.Monthly)]).toEqual([
    [
      [15, 1],
      [-2, 3],
    ],
    [
      [4, 1],
      [-2, 2],
    ],
  ]);
  const nothing = byInvoice([group('Monthly', -10n)]);
  expect([nothing.Weekly, shown(nothing.Monthly)]).toEqual([[], [[-10, 1]]]);
});
