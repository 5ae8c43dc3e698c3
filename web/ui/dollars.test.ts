import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dollarsOf, microsOf, microsOrNull, microsTyped, usd } from '../../contract/dollars.ts';
import { amountFault, amountOf } from '../features/campaigns/campaigns/model.ts';
import { cleanAmount, dollars, missed, raised, signed } from '../features/money/data-wallet/model.ts';
import { currencyFault, currencyPlain, currencyShown, currencyTyped, isBelow } from './currency.ts';
import { money } from './format.ts';

const root = join(import.meta.dirname, '../..');
/**
 * The files that format amounts; everything else calls them. The spec's texts put their own sign before the given
 * value.
 */
const HOMES = ['contract/dollars.ts', 'contract/messages.ts', 'contract/screen-messages.ts'];
/** A manually added dollar sign, a manually rounded amount, or a custom currency format. */
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
    [-1_234_500_000, '−$1,234.50'],
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

/** Any amount in micro-dollars, positive or negative. */
const micros = fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n });
/** What people type and paste into fields: amounts of all kinds, and text that is not an amount. */
const typed = fc.oneof(
  fc.stringMatching(/^[-+$]?[0-9]{0,12}([.,][0-9]{0,8})?$/),
  fc.stringMatching(/^[0-9.,eE$ -]{0,12}$/),
  fc.string({ maxLength: 12 }),
);
const hold = <T>(property: fc.IProperty<T>): void => fc.assert(property, { numRuns: 1000 });

describe('whatever the amount', () => {
  test('written and read again it is the same, below zero too', () => {
    hold(
      fc.property(micros, (amount) => {
        expect(microsOf(dollarsOf(amount))).toBe(amount);
        expect(microsOf(usd(amount).replaceAll(/[$,]/g, '').replace('−', '-'))).toBe(amount);
        expect(microsOf(dollarsOf(-amount))).toBe(-amount);
      }),
    );
    // 20 % off 199 dollars.
    expect(money(microsOf('-39.80'))).toBe('−$39.80');
  });

  test('on screens it is at most half a step from what it is, with one sign and none for nothing', () => {
    hold(
      fc.property(micros, fc.boolean(), (amount, whole) => {
        const words = money(amount, { whole });
        expect(words).toMatch(whole ? /^−?\$\d{1,3}(,\d{3})*$/ : /^−?\$\d{1,3}(,\d{3})*\.\d\d$/);
        const shown = microsOf(words.replaceAll(/[$,]/g, '').replace('−', '-'));
        const off = shown > amount ? shown - amount : amount - shown;
        expect(off).toBeLessThanOrEqual(whole ? 500_000n : 5000n);
        expect(words.startsWith('−')).toBe(shown < 0n);
        // The negated amount differs only in its sign.
        if (shown !== 0n) expect(money(-amount, { whole }).replace('−', '')).toBe(words.replace('−', ''));
      }),
    );
  });

  test('what is no amount is never read as one, and nothing throws but the strict reader', () => {
    hold(
      fc.property(typed, (text) => {
        const read = microsOrNull(text);
        expect(microsTyped(text)).toBe(Number(read ?? 0n));
        if (read === null) expect(() => microsOf(text)).toThrow(RangeError);
        else {
          expect(text).toMatch(/^-?(\d+\.?\d*|\.\d+)$/);
          expect(Number(dollarsOf(read))).toBeCloseTo(Number(text), 5);
        }
      }),
    );
  });

  test('what a field hands on is read as it was typed, or a fault is named', () => {
    hold(
      fc.property(typed, (text) => {
        const plain = currencyPlain(currencyTyped(text));
        if (plain !== '' && currencyFault(plain, 6) === null) {
          const amount = microsOf(plain);
          expect(microsOf(currencyShown(plain).replaceAll(',', ''))).toBe(amount);
          expect(isBelow(plain, dollarsOf(amount + 1n))).toBe(true);
          expect(isBelow(plain, dollarsOf(amount))).toBe(false);
        }
        if (amountFault(text, 6) === null) expect(microsOrNull(amountOf(text))).not.toBeNull();
        const kept = cleanAmount(text, '7');
        expect(missed(raised(kept, false), false)).toBeNull();
        expect(missed(raised(kept, true), true)).toBeNull();
        expect(signed(kept).replace('$', '').replace(/\.00$/, '')).toBe(dollars(kept));
      }),
    );
  });
});

test('[BEY-33] percentages are written one way: no space before the sign', () => {
  const faults: string[] = [];
  for (const folder of ['web', 'contract'])
    for (const path of sources(join(root, folder)))
      for (const line of readFileSync(path, 'utf8').split('\n'))
        if (/[}\d] %[`'"<.]|["'] %["']/.test(line)) faults.push(`${relative(root, path)}: ${line.trim()}`);
  expect(faults).toEqual([]);
});
