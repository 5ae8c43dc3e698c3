import { describe, expect, it } from 'vitest';
import { currencyFault, currencyPlain, currencyShown, currencyTyped, isBelow } from './currency.ts';

describe('[AGCY-17] a price input', () => {
  it.each(['', '0', '12', '12.', '.5', '12.50'])('takes %j as it is typed', (text) =>
    expect(currencyTyped(text)).toBe(text),
  );
  it.each(['-1', '1,000', '1.2.3', '$5', '1e3', 'NaN', ' 1', '１', '٣', '½'])('resets %j to 0', (text) =>
    expect(currencyTyped(text)).toBe('0'),
  );
  it.each([
    ['', ''],
    ['.', '0'],
    ['.5', '0.5'],
    ['007.', '7'],
    ['000', '0'],
    ['12.50', '12.50'],
  ])('hands %j on as %j', (text, plain) => expect(currencyPlain(text)).toBe(plain));
  it.each([
    ['', ''],
    ['0', '0.00'],
    ['1234.5', '1,234.50'],
    ['0.000001', '0.000001'],
    ['999999999.999999', '999,999,999.999999'],
    ['123456789012345678901', '123,456,789,012,345,678,901.00'],
  ])('shows %j as %j', (text, shown) => expect(currencyShown(text)).toBe(shown));
  it('knows what is below a minimum', () => {
    expect(isBelow('0.09', '0.10')).toBe(true);
    expect(isBelow('', '0.10')).toBe(true);
    expect(isBelow('0.1', '0.10')).toBe(false);
    expect(isBelow('5', '')).toBe(false);
  });
  it('says what is wrong with an amount', () => {
    expect(currencyFault('1.005', 2)).toBe('Use whole cents');
    expect(currencyFault('1.50000', 2)).toBeNull();
    expect(currencyFault('0.0000001', 6)).toBe('Use up to 6 decimal places');
    expect(currencyFault('1000000000', 6)).toBe('Enter 999,999,999 or less');
    expect(currencyFault('', 2)).toBeNull();
  });
});
