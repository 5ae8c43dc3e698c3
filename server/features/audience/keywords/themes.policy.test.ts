import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KeywordTheme } from '../../../../contract/audience/keyword-themes.ts';
import { keywordOf } from './policy.ts';
import { themeBit, themesIn, themesOf } from './themes.policy.ts';

const themes = (text: string): KeywordTheme[] => themesIn(themesOf(keywordOf(text)?.words ?? ''));

describe('[BEY-27] themes of keywords', () => {
  test.each([
    ['Cancer treatment', ['health']],
    ['diabetic shoes', ['health']],
    ['best therapist near me', ['health']],
    ['is my  PREGNANCY test right', ['health']],
    ['teens’ summer games for children', ['minors']],
    ['middle school students', ['minors']],
    ['Catholic churches in Austin', ['religion']],
    ['kosher catering', ['religion']],
    ['how to stop foreclosure', ['distress']],
    ['relief from debt', ['distress']],
    ['christian debt relief', ['religion', 'distress']],
    // A harmless phrase excuses only what lies within it.
    ['bad credit card no annual fee', ['distress']],
    ['credit card no annual fee with no credit check', ['distress']],
    ['great depression and depression', ['health']],
    ['christian dior for christian women', ['religion']],
    ['church shoes christian church', ['religion']],
    ['kosher salt kosher wedding', ['religion']],
  ] as const)('%s', (text, expected) => {
    expect(themes(text)).toEqual(expected);
  });

  test.each([
    'running shoes',
    'dentist near me',
    'school uniforms',
    'shoes for kids',
    'Christian Louboutin heels',
    'kosher salt',
    'great depression history',
    'great depression great depression',
    'best credit card no annual fee',
    'christian dior kosher salt',
    'house rehab',
    'chapter 7 summary',
    'cash register',
    'mortgage calculator',
    'credit card',
    'minor league baseball',
    'four stroke engine',
    '',
  ])('nothing: %s', (text) => {
    expect(themes(text)).toEqual([]);
  });

  test('more words never take a theme away, unless they make it harmless', () => {
    const word = fc.constantFrom('red', 'car', 'buy', 'now', 'austin');
    fc.assert(
      fc.property(
        fc.constantFrom('cancer', 'debt relief', 'mosque', 'teen dating'),
        fc.array(word, { maxLength: 4 }),
        fc.array(word, { maxLength: 4 }),
        (listed, before, after) => {
          const set = themesOf(keywordOf(listed)!.words);
          const longer = themesOf(keywordOf([...before, listed, ...after].join(' '))!.words);
          expect(set).not.toBe(0);
          expect(longer & set).toBe(set);
        },
      ),
    );
  });

  test('a harmless phrase beside a listed one, or through it, hides nothing of it', () => {
    const harmless = fc.constantFrom(
      'credit card no annual fee',
      'great depression',
      'christian dior',
      'kosher salt',
    );
    const listed = fc.constantFrom(
      'cancer',
      'bad credit',
      'no credit check',
      'poor credit',
      'debt relief',
      'mosque',
    );
    fc.assert(
      fc.property(harmless, listed, fc.nat(6), (phrase, text, cut) => {
        const set = themesOf(keywordOf(text)!.words);
        const words = phrase.split(' ');
        // The listed words stand before, after, and between those of the phrase.
        const mixed = [...words.slice(0, cut), text, ...words.slice(cut)].join(' ');
        expect(themesOf(keywordOf(mixed)!.words) & set).toBe(set);
      }),
    );
  });

  test('a set and its themes are the same', () => {
    for (let set = 0; set < 16; set++)
      expect(themesIn(set).reduce((sum, theme) => sum | themeBit(theme), 0)).toBe(set);
  });
});
