import { describe, expect, test } from 'vitest';
import { RESERVED_SLUGS } from '../../../contract/choices.ts';
import { PAGES } from '../../../contract/routing-pages.ts';
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

describe('[TEN-07] addresses of pages', () => {
  test('are all reserved, so that no module can hide one', () => {
    const first = PAGES.flatMap((page: { path: string; aliases?: readonly string[] }) => [
      page.path,
      ...(page.aliases ?? []),
    ])
      .map((path) => path.split('/')[1]!.toLowerCase())
      // Those below a module are that module's own.
      .filter((part) => part && part !== '{module}');
    expect(first.length).toBeGreaterThan(30);
    expect(first.filter((part) => !(RESERVED_SLUGS as readonly string[]).includes(part))).toEqual([]);
  });
});
