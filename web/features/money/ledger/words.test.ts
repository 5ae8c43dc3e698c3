import { expect, test } from 'vitest';
import { accountWords, kindWords, viewWords } from './words.ts';

test('kinds, views and accounts have words, also those no one has named', () => {
  expect(kindWords('wallet_expiry')).toBe('Expired wallet balance');
  expect(kindWords('monthly_fee')).toBe('Monthly fee');
  expect(viewWords('agency', 'wallet').title).toBe('Data Wallet');
  expect(viewWords('client', 'wallet').title).toBe('Wallet');
  expect(accountWords('tax_due')).toBe('Tax due');
});
