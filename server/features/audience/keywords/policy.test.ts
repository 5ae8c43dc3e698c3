import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cityNumber, placesOf, stateCode, stateNumber, zipNumber } from './place.policy.ts';
import {
  distinctKeywords,
  keywordOf,
  lookUpOf,
  matchesAnyOrder,
  matchesWords,
  runsOf,
  stemsOf,
  tagsOf,
} from './policy.ts';

const words = (text: string) => keywordOf(text)?.words ?? null;

describe('[KEYW-01] keywords have one comparable form', () => {
  test('case, white space, punctuation, accents and endings do not matter', () => {
    for (const [one, other] of [
      ['Running Shoes', 'running shoe'],
      ['  RUNNING\u00a0-  shoes!! ', 'running shoes'],
      ['Café tables', 'cafe table'],
      ['ｆｕｌｌ　ｗｉｄｔｈ', 'full width'],
      ["dentist's chair", 'dentist chair'],
      ['“solar panels”', 'solar panel'],
    ])
      expect(words(one!)).toBe(words(other!));
  });

  test('what makes a word another one stays', () => {
    for (const [one, other] of [
      ['c++', 'c'],
      ['c#', 'c++'],
      ['iphone 15', 'iphone 16'],
      ['новый дом', 'новый'],
      ['गाड़ी', 'गड'],
    ])
      expect(words(one!)).not.toBe(words(other!));
    expect(words('日本 旅行')).toBe('日本 旅行');
  });

  test('what must contain a letter or digit is no keyword', () => {
    for (const text of ['', ' ', '!?', '“ ”', '++', '\u200b']) expect(words(text)).toBeNull();
  });

  test('any text gives a form of words with one space between, whatever its case', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 60 }), (text) => {
        const one = keywordOf(text);
        if (!one) return;
        expect(one.words).toMatch(/^\S+( \S+)*$/);
        expect(keywordOf(text.toUpperCase().toLowerCase())?.words).toBe(keywordOf(text.toLowerCase())?.words);
        expect(matchesWords(one.words, one.words)).toBe(true);
      }),
    );
  });

  test('a phrase matches within, in order and side by side only', () => {
    const signal = words('best running shoes for women')!;
    for (const yes of [
      'running shoes',
      'Best run',
      'woman',
      'shoe for women',
      'best running shoes for women',
    ])
      expect([yes, matchesWords(words(yes === 'woman' ? 'women' : yes)!, signal)]).toEqual([yes, true]);
    for (const no of ['shoes running', 'running women', 'hoe', 'running shoes for men'])
      expect([no, matchesWords(words(no)!, signal)]).toEqual([no, false]);
  });

  test('whatever matches is found by its look-up', () => {
    const word = fc.constantFrom('red', 'car', 'loan', 'best', 'near', 'me', 'solar');
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 12 }),
        fc.array(word, { minLength: 1, maxLength: 7 }),
        (a, b) => {
          const [signal, keyword] = [words(a.join(' '))!, words(b.join(' '))!];
          if (matchesWords(keyword, signal)) expect(runsOf(signal)).toContain(lookUpOf(keyword));
        },
      ),
    );
  });

  test('[CAMP-13] a pasted text becomes distinct tags', () => {
    const { keywords, ...left } = tagsOf('Running shoes, running shoe;"Trail shoes"\n\n,,!\tHats | HAT');
    expect(keywords.map((one) => one.text)).toEqual(['Running shoes', 'Trail shoes', 'Hats']);
    expect(left).toEqual({ repeated: 2, empty: ['!'] });
    expect(distinctKeywords(['b', 'a', 'B']).map((one) => one.text)).toEqual(['b', 'a']);
  });
});

describe('[CAMP-02] places', () => {
  test('states by code or name, zip codes with or without their leading zero, cities however they are written', () => {
    expect([stateCode('tx'), stateCode(' Texas '), stateCode('Ontario'), stateCode('')]).toEqual([
      'TX',
      'TX',
      null,
      null,
    ]);
    expect([
      zipNumber('02116'),
      zipNumber('2116'),
      zipNumber('02116-1234'),
      zipNumber('x'),
      zipNumber('123456'),
    ]).toEqual([2116, 2116, 2116, null, null]);
    expect(cityNumber('St. Louis', 'MO')).toBe(cityNumber('SAINT LOUIS', 'MO'));
    expect(cityNumber('Portland', 'OR')).not.toBe(cityNumber('Portland', 'ME'));
    expect(new Set(['AL', 'LA', 'TX', 'WY'].map(stateNumber)).size).toBe(4);
  });

  test('a state of which cities are named is these cities; the others are whole', () => {
    const target = {
      location: 'state' as const,
      states: ['TX', 'FL'],
      cities: ['Austin, TX'],
      zips: ['78701'],
    };
    expect(placesOf(target)).toEqual([
      { kind: 2, place: cityNumber('Austin', 'TX') },
      { kind: 1, place: BigInt(stateNumber('FL')) },
    ]);
    expect(placesOf({ ...target, location: 'zip', zips: ['78701', '78701', '2116'] })).toEqual([
      { kind: 3, place: 78701n },
      { kind: 3, place: 2116n },
    ]);
    expect(placesOf({ ...target, location: 'national' })).toEqual([{ kind: 0, place: 0n }]);
  });
});

test('[CAMP-03] in any order: the single stems of a signal are among its runs, so that equality finds them', () => {
  const word = fc.constantFrom('run', 'shoe', 'red', 'for', 'trail');
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 3 }),
      fc.array(word, { minLength: 1, maxLength: 8 }),
      (keyword, signal) => {
        const runs = new Set(runsOf(signal.join(' ')));
        const found = stemsOf(keyword.join(' ')).every((stem) => runs.has(stem));
        expect(found).toBe(matchesAnyOrder(keyword.join(' '), signal.join(' ')));
        // Any match of the exact phrase is found, too.
        if (matchesWords(keyword.join(' '), signal.join(' '))) expect(found).toBe(true);
      },
    ),
  );
  expect(stemsOf('new york new')).toHaveLength(2);
});
