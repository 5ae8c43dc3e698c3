import { describe, expect, test } from 'vitest';
import { progressOf, stateOf, sumWords } from './model.ts';

describe('[BEY-13] an import as the page shows it', () => {
  test('its progress grows from step to step', () => {
    const at = (step: 'checking' | 'reading' | 'comparing' | null, step_done: number, step_of: number) =>
      progressOf({ step, step_done, step_of });
    expect([at(null, 0, 0), at('checking', 0, 1), at('reading', 5, 10), at('comparing', 3, 3)]).toEqual([
      0, 0, 37.5, 100,
    ]);
    expect(at('reading', 1, 0)).toBe(25);
  });

  test('what was tried is not called imported', () => {
    expect(stateOf({ phase: 'try', state: 'ready' }).words).toBe('Ready to import');
    expect(stateOf({ phase: 'import', state: 'ready' }).words).toBe('Imported');
  });

  test('sums are named in words', () => {
    const words = (kind: 'events' | 'ledger' | 'invoices' | 'charges' | 'leads', name: string) =>
      sumWords({ kind, name });
    expect(words('events', 'ad_spend')).toBe('Ads');
    expect(words('ledger', 'client_prepaid')).toBe('Prepaid balance');
    expect(words('ledger', 'balances of prepaid campaigns and wallets')).toBe(
      'Balances of prepaid campaigns and wallets',
    );
    expect(words('invoices', 'wholesale minimum_spend')).toBe('Wholesale minimum spend');
    expect(words('charges', 'wallet_top_up, succeeded')).toBe('Wallet top up, succeeded');
    // A campaign may be called anything.
    expect(words('leads', 'ad_spend, 2026-10')).toBe('ad_spend, 2026-10');
  });
});
