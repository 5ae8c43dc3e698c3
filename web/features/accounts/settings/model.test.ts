import { describe, expect, test } from 'vitest';
import { RESERVED_SLUGS } from '../../../../contract/choices.ts';
import { PAGES } from '../../../../contract/routing/routing-pages.ts';
import { changedWords, colorOf } from './model.ts';

describe('colors as people type them', () => {
  test('become six digits, nothing, or are refused', () => {
    expect(colorOf(' #0AF ')).toBe('#00aaff');
    expect(colorOf('0b7285')).toBe('#0b7285');
    expect(colorOf('')).toBeNull();
    for (const text of ['red', '#12', '#12345678', 'url(x)']) expect(colorOf(text)).toBeUndefined();
  });
});

describe('what a save has changed', () => {
  test('is told by the labels of the fields', () => {
    const labels = { a: 'Name', b: 'Links' };
    expect(changedWords({ a: 'x', b: null }, { a: 'y', b: null }, labels)).toBe('Changed: Name.');
    expect(changedWords({ a: 'x' }, { a: 'x' }, labels)).toBe('Nothing changed.');
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
