import { describe, expect, test } from 'vitest';
import { changedWords, colourOf } from './model.ts';

describe('colours as people type them', () => {
  test('become six digits, nothing, or are refused', () => {
    expect(colourOf(' #0AF ')).toBe('#00aaff');
    expect(colourOf('0b7285')).toBe('#0b7285');
    expect(colourOf('')).toBeNull();
    for (const text of ['red', '#12', '#12345678', 'url(x)']) expect(colourOf(text)).toBeUndefined();
  });
});

describe('what a save has changed', () => {
  test('is told by the labels of the fields', () => {
    const labels = { a: 'Name', b: 'Links' };
    expect(changedWords({ a: 'x', b: null }, { a: 'y', b: null }, labels)).toBe('Changed: Name.');
    expect(changedWords({ a: 'x' }, { a: 'x' }, labels)).toBe('Nothing was different.');
  });
});
