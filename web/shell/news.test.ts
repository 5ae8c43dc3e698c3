import { expect, test } from 'vitest';
import { isKnownPath } from '../../contract/routing/routing.ts';
import { NEWS } from './news.ts';
import { NEWEST } from './news-seen.ts';

test('what is new is in order, leads to pages, and its newest day is the one that the menu asks for', () => {
  const days = NEWS.map(({ on }) => on);
  expect(days).toEqual(days.toSorted().toReversed());
  expect(days[0]).toBe(NEWEST);
  for (const { title, text, page } of NEWS)
    expect([title, text.length < 200, isKnownPath(page.path, null)]).toEqual([title, true, true]);
});
