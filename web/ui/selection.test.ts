import { describe, expect, test } from 'vitest';
import { coverage, rangeOf } from './selection.ts';

const keys = ['a', 'b', 'c', 'd'];

describe('the selection of a table', () => {
  test.each([
    [[], 'none'],
    [['b'], 'some'],
    [['a', 'b', 'c', 'd'], 'all'],
    [['x'], 'none'],
    [['a', 'b', 'c', 'd', 'x'], 'all'],
  ])('%j of the page is %s', (selected, expected) => {
    expect(coverage(keys, (key) => (selected as string[]).includes(key))).toBe(expected);
  });

  test('an empty page has nothing selected', () => {
    expect(coverage([], () => true)).toBe('none');
  });

  test('a range goes both ways and includes both ends', () => {
    expect(rangeOf(keys, 'b', 'd')).toEqual(['b', 'c', 'd']);
    expect(rangeOf(keys, 'd', 'b')).toEqual(['b', 'c', 'd']);
    expect(rangeOf(keys, 'c', 'c')).toEqual(['c']);
  });

  test('a range that starts on another page, or nowhere, is the one row', () => {
    expect(rangeOf(keys, 'x', 'b')).toEqual(['b']);
    expect(rangeOf(keys, undefined, 'b')).toEqual(['b']);
    expect(rangeOf(keys, 'a', 'x')).toEqual([]);
  });
});
