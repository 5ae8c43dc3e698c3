import { describe, expect, test } from 'vitest';
import { Packages } from '../../../../contract/accounts/settings.ts';
import { feeWords, idOf, type PackageRow, packageFaults, packagesOf, rowsOf } from './packages.ts';

const row = (given: Partial<PackageRow> = {}): PackageRow => ({
  key: 'new 0',
  package_id: 'gold',
  name: 'Gold',
  amount: '99',
  description: '',
  ...given,
});
const standard = row({ key: 'standard', package_id: 'standard', name: 'Standard', amount: '0' });

describe('[CONF-06] packages as a root writes them', () => {
  test('what the form lets through the server takes, and comes back as it was', () => {
    const rows = [standard, row({ name: ' Gold ', amount: '99.5', description: ' All of it ' })];
    expect(packageFaults(rows)).toEqual({});
    const value = packagesOf(rows);
    expect(value.packages[1]).toEqual({
      package_id: 'gold',
      name: 'Gold',
      amount: '99.50',
      description: 'All of it',
    });
    expect(Packages.parse(value)).toEqual(value);
    expect(packagesOf(rowsOf(value))).toEqual(value);
  });

  test.each([
    [{ name: ' ' }, 'name', 'Enter a name'],
    [{ name: 'x'.repeat(256) }, 'name', 'Use up to 255 characters'],
    [{ package_id: '' }, 'package_id', 'Enter an ID'],
    [{ package_id: 'Gold Plus' }, 'package_id', /^Use only lowercase letters/],
    [{ package_id: '-gold' }, 'package_id', /^Use only lowercase letters/],
    [{ package_id: 'x'.repeat(41) }, 'package_id', /^Use only lowercase letters/],
    [{ package_id: ' standard ' }, 'package_id', 'Another package has this ID'],
    [{ amount: '' }, 'amount', /./],
    [{ amount: '1.234' }, 'amount', 'Use whole cents'],
    [{ description: 'x'.repeat(256) }, 'description', 'Use up to 255 characters'],
  ])('%j is refused under its field, as the server does', (given, field, words) => {
    const rows = [standard, row(given)];
    const faults = packageFaults(rows);
    expect(Object.keys(faults)).toEqual([`packages.1.${field}`]);
    expect(faults[`packages.1.${field}`]).toMatch(words);
    const { key: _, ...sent } = row(given);
    expect(Packages.safeParse({ packages: [packagesOf([standard]).packages[0], sent] }).success).toBe(false);
  });

  test('an id is suggested by the name, and is no other one', () => {
    expect(idOf('Gold Plus (Café)', [])).toBe('gold-plus-cafe');
    expect(idOf('Gold', ['gold', 'gold-2'])).toBe('gold-3');
    expect(idOf('金', [''])).toBe('');
    expect(packageFaults([row({ package_id: idOf(`${'x'.repeat(35)} y`, []) })])).toEqual({});
  });

  test('a fee is told by the month', () => {
    expect([0, 1_250_000_000].map(feeWords)).toEqual(['Free', '$1,250.00 a month']);
  });
});
