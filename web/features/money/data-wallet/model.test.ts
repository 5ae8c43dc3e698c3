import { describe, expect, test } from 'vitest';
import { cleanAmount, dollars, keyAllowed, missed, presetOf, raised, signed, switched } from './model.ts';

const key = (name: string, ctrlKey = false) => ({ key: name, ctrlKey, metaKey: false });

describe('[WALL-03] the amount of the Data Wallet', () => {
  test('takes digits and one decimal point, and the keys that type nothing', () => {
    for (const name of ['0', '7', '.', 'Backspace', 'ArrowLeft', 'ArrowRight', 'Tab', 'Escape'])
      expect(keyAllowed(key(name), '25')).toBe(true);
    for (const name of ['a', 'e', '-', '+', ',', ' ', '٣', '５'])
      expect(keyAllowed(key(name), '25')).toBe(false);
    expect(keyAllowed(key('.'), '2.5')).toBe(false);
    expect(keyAllowed(key('a', true), '')).toBe(true);
  });

  test('what gets in another way is held to the same', () => {
    for (const typed of ['', '2500', '0.5', '12.34', '.5']) expect(cleanAmount(typed, 'x')).toBe(typed);
    for (const typed of ['1,000', '-1', '1e3', '1.2.3', '0.001', 'NaN', '１２', '1234567'])
      expect(cleanAmount(typed, '7')).toBe('7');
  });

  test('below the minimum it says so, and leaving the field raises it', () => {
    expect(missed('2499.99', true)).toBe('2500');
    expect(missed('2500', true)).toBeNull();
    expect(raised('20', true)).toBe('2500');
    expect(raised('', true)).toBe('2500');
    expect(raised('3000', true)).toBe('3000');
    expect(missed('0', false)).toBeNull();
    expect(raised('', false)).toBe('0');
    expect(raised('0.2', false)).toBe('0.5');
    expect(raised('007', false)).toBe('7');
  });

  test('a preset is highlighted when chosen or typed, in custom mode none is', () => {
    for (const preset of [0, 250, 500, 1000]) expect(presetOf(String(preset), false)).toBe(preset);
    expect(presetOf('250.00', false)).toBe(250);
    expect(presetOf('251', false)).toBeNull();
    expect(presetOf('', false)).toBeNull();
    expect(presetOf('1000', true)).toBeNull();
  });

  test('custom mode raises the amount, without it the amount begins at 0', () => {
    expect(switched('500', true)).toBe('2500');
    expect(switched('4000', true)).toBe('4000');
    expect(switched('4000', false)).toBe('0');
  });

  test('amounts in words', () => {
    expect(dollars('1000')).toBe('1,000');
    expect(dollars('2500.5')).toBe('2,500.50');
    expect(signed('-12.5')).toBe('−$12.50');
    expect(signed('0.450000')).toBe('$0.45');
  });
});
