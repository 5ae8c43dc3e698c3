import { PACKAGE_ID } from '../../../../contract/accounts/package-rules.ts';
import { money } from '../../../ui/format.ts';
import { cents, centsFault } from '../../money/minimum-spend/model.ts';
import type { SettingValue } from './model.ts';

/** A package as its form holds it. `key` identifies rows that have no id yet. */
export interface PackageRow {
  key: string;
  package_id: string;
  name: string;
  amount: string;
  description: string;
}

/** Returns the form's rows for the saved packages. */
export const rowsOf = (value: SettingValue<'packages'>): PackageRow[] =>
  value.packages.map((one) => ({ ...one, key: one.package_id }));

/** Returns the value to save from rows that `packageFaults` accepts. */
export const packagesOf = (rows: readonly PackageRow[]): SettingValue<'packages'> => ({
  packages: rows.map((row) => ({
    package_id: row.package_id.trim(),
    name: row.name.trim(),
    amount: cents(row.amount),
    description: row.description.trim(),
  })),
});

/**
 * Suggests an id for a name, one that no other package has: 'Gold Plus' -> 'gold-plus'. Empty for a name without
 * letters.
 */
export function idOf(name: string, taken: readonly string[]): string {
  const id = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 36);
  if (!id || !taken.includes(id)) return id;
  let at = 2;
  while (taken.includes(`${id}-${at}`)) at++;
  return `${id}-${at}`;
}

/** Returns what is wrong, by the path of the field. Only the server knows whether a package is in use. */
export function packageFaults(rows: readonly PackageRow[]): Record<string, string> {
  const faults: Record<string, string> = {};
  const seen = new Set<string>();
  for (const [at, row] of rows.entries()) {
    const wrong = (field: keyof PackageRow, text: string): void => {
      faults[`packages.${at}.${field}`] = text;
    };
    const id = row.package_id.trim();
    if (!row.name.trim()) wrong('name', 'Enter a name');
    else if (row.name.trim().length > 255) wrong('name', 'Use up to 255 characters');
    if (!id) wrong('package_id', 'Enter an ID');
    else if (!PACKAGE_ID.test(id))
      wrong('package_id', 'Use only lowercase letters, digits, -, and _, up to 40 characters');
    else if (seen.has(id)) wrong('package_id', 'Another package has this ID');
    seen.add(id);
    const fault = centsFault(row.amount);
    if (fault) wrong('amount', fault);
    if (row.description.trim().length > 255) wrong('description', 'Use up to 255 characters');
  }
  return faults;
}

/** Describes what a package costs: '$99.00 a month', 'Free'. */
export const feeWords = (micros: number): string => (micros === 0 ? 'Free' : `${money(micros)} a month`);
