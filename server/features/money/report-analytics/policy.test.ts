import { describe, expect, test } from 'vitest';
import { type CampaignFacts, comparedWith, reasonsOf, standingOf } from './policy.ts';

const day = Temporal.PlainDate.from;
const compared = (first: string, last: string, compare: 'previous' | 'year') => {
  const found = comparedWith({ first: day(first), last: day(last) }, compare);
  return [found.first.toString(), found.last.toString(), found.months];
};

describe('[CONF-07] the period that another is compared with', () => {
  test.each([
    // Whole months with whole months, whatever their lengths.
    ['2026-02-01', '2026-02-28', 'previous', ['2026-01-01', '2026-01-31', 1]],
    ['2026-03-01', '2026-03-31', 'previous', ['2026-02-01', '2026-02-28', 1]],
    ['2026-01-01', '2026-03-31', 'previous', ['2025-10-01', '2025-12-31', 3]],
    // A month that is not over with the same days of the one before.
    ['2026-03-01', '2026-03-10', 'previous', ['2026-02-01', '2026-02-10', 1]],
    ['2026-03-01', '2026-03-30', 'previous', ['2026-02-01', '2026-02-28', 1]],
    ['2026-02-09', '2026-03-10', 'previous', ['2026-01-10', '2026-02-08', null]],
    ['2024-02-01', '2024-02-29', 'year', ['2023-02-01', '2023-02-28', 12]],
    ['2025-02-01', '2025-02-28', 'year', ['2024-02-01', '2024-02-29', 12]],
    ['2026-03-05', '2026-03-10', 'year', ['2025-03-05', '2025-03-10', 12]],
  ] as const)('%s to %s, %s', (first, last, compare, expected) => {
    expect(compared(first, last, compare)).toEqual(expected);
  });
});

describe('[CONF-07] why a campaign under-performs', () => {
  const now = new Date('2026-03-10T15:00:00Z');
  const fine: CampaignFacts = {
    module: 'local',
    state: 'active',
    state_reason: null,
    created_at: new Date('2025-01-01T00:00:00Z'),
    visits: 1000n,
    matched: 300n,
    leads: 40n,
    leads_before: 50n,
    price: 100n,
    cost: 50n,
    returned: 1,
    undelivered: 0,
    silent_since: null,
  };
  const reasons = (facts: Partial<CampaignFacts>) =>
    reasonsOf({ ...fine, ...facts }, 30, now, 'UTC').map(({ code, text }) => `${code}: ${text}`);
  test.each([
    [{}, []],
    [{ state: 'paused', leads: 0n }, []],
    [{ leads: 0n, created_at: new Date('2026-03-05T00:00:00Z') }, []],
    [{ leads: 0n }, ['no_leads: No leads in 30 days, from 1,000 visits']],
    [{ leads: 0n, module: 'locator' }, ['no_leads: No leads in 30 days']],
    [{ leads: 25n }, ['falling: 25 leads, after 50 in the 30 days before']],
    [{ leads: 26n }, []],
    [{ leads: 1n, leads_before: 9n }, []],
    [{ matched: 49n }, ['low_match: Only 4.9% of 1,000 visits were recognized']],
    [{ matched: 50n }, []],
    [{ matched: 0n, module: 'enhance' }, []],
    [{ returned: 8 }, ['returned: 8 leads were returned']],
    [{ returned: 7 }, []],
    [{ undelivered: 1 }, ['undelivered: 1 lead was not delivered']],
    [{ cost: 101n }, ['below_cost: Its leads cost more than their price']],
    [
      { state: 'paused', state_reason: 'below_cost' },
      ['below_cost: On hold because leads cost more than their price'],
    ],
    [
      { state: 'paused', state_reason: 'balance_empty' },
      ['no_balance: Paused because its balance is used up'],
    ],
    [{ silent_since: now }, ['silent: Its site has sent no visits since Mar 10, 2026']],
  ] as const)('%o: %o', (facts, expected) => {
    expect(reasons(facts)).toEqual(expected);
  });

  test('standings', () => {
    const has = (now: boolean, before: boolean, earlier: boolean) => ({ now, before, earlier });
    expect(standingOf(has(true, false, true), true)).toBe('new');
    expect(standingOf(has(true, false, true), false)).toBe('active');
    expect(standingOf(has(false, true, true), false)).toBe('lost');
    expect(standingOf(has(false, false, true), false)).toBe('idle');
    expect(standingOf(has(false, false, false), false)).toBe('never');
  });
});
