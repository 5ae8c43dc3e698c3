import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { usd } from '../../contract/dollars.ts';
import { money } from './format.ts';

const root = join(import.meta.dirname, '../..');
/** Where amounts are made into words; everybody else asks these. The spec's texts put their sign before what they are given. */
const HOMES = [
  'web/ui/format.ts',
  'contract/dollars.ts',
  'contract/messages.ts',
  'contract/screen-messages.ts',
];
/** A dollar sign put before a value by hand, an amount rounded by hand, or a currency of one's own. */
const BY_HAND = [
  /\$\$\{/,
  /['"]\$['"]\s*\+/,
  /(micros|dollars?|amount|price|cost|balance)\w*\)?(\s*\/\s*[\d_]+\)?)?\.(toFixed|toLocaleString)/i,
  /\bcurrency: '[A-Z]/,
];
/** In a component, text right after a tag. */
const IN_MARKUP = /^[^`]*>\s*\$\{/;
const faultsIn = (text: string, isMarkup: boolean): string[] =>
  text
    .split('\n')
    .filter((line) => BY_HAND.some((rule) => rule.test(line)) || (isMarkup && IN_MARKUP.test(line)));

function* sources(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else if (/\.tsx?$/.test(entry.name) && !/\.(test|bench)\.tsx?$/.test(entry.name)) yield path;
  }
}

describe('[UX-04] money is in US dollars with thousands separators', () => {
  test.each([
    [0, '$0.00'],
    [999_990_000, '$999.99'],
    [1_000_000_000, '$1,000.00'],
    [1_234_567_890_000, '$1,234,567.89'],
    [-1_234_500_000, '-$1,234.50'],
  ])('%d micro-dollars are %s, on screens and in mails', (micros, words) => {
    expect(money(micros)).toBe(words);
    expect(usd(BigInt(micros))).toBe(words);
  });

  test('a price below a cent keeps its places in a mail', () => {
    expect(usd(1_234_123_400n)).toBe('$1,234.1234');
  });

  test('nobody writes an amount by hand', () => {
    const faults: string[] = [];
    for (const folder of ['web', 'contract', 'server/features', 'server/platform']) {
      for (const path of sources(join(root, folder))) {
        const name = relative(root, path);
        if (HOMES.includes(name)) continue;
        for (const line of faultsIn(readFileSync(path, 'utf8'), path.endsWith('x')))
          faults.push(`${name}: ${line.trim()}`);
      }
    }
    expect(faults).toEqual([]);
  });

  test.each([
    'const a = `Paid $' + '$' + '{dollarsOf(micros)}`;',
    "return '$' + amount;",
    '      <Text>$' + '{row.amount}</Text>',
    '  return (micros / 1_000_000).toFixed(2);',
    "  new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })",
  ])('%s would be found', (line) => {
    expect(faultsIn(line, true)).toEqual([line]);
  });
});
