import { describe, expect, it } from 'vitest';
import { keywordsOf, NEW_TARGET, placeWords, TARGET_RULES, zipText } from './target.ts';

describe('the target of a search', () => {
  it('[CAMP-12] the zip code field keeps digits and line breaks, and no blank lines', () => {
    expect(zipText('78701, 75201\n\n\n 70116x')).toBe('78701\n75201\n70116');
    expect(zipText(',,78701,')).toBe('78701\n');
    expect(zipText('abc')).toBe('');
  });
  it('knows what is missing', () => {
    expect(TARGET_RULES.keywords(' ,\n')).toBe('Enter at least one keyword');
    expect(TARGET_RULES.keywords('a, b')).toBeNull();
    expect(TARGET_RULES.keywords(Array.from({ length: 1001 }, (_, i) => i).join('\n'))).toMatch(
      /up to 1,000/,
    );
    const zips = { ...NEW_TARGET, location: 'Zip Code' as const };
    expect(TARGET_RULES.zips('', zips)).toBe('Enter at least one zip code');
    expect(TARGET_RULES.zips('7870', zips)).toBe('7870 is not a five-digit zip code');
    expect(TARGET_RULES.zips('78701\n', zips)).toBeNull();
    expect(TARGET_RULES.zips('', NEW_TARGET)).toBeNull();
    expect(TARGET_RULES.states([], { ...NEW_TARGET, location: 'State' })).toBe('Choose at least one state');
  });
  it('says a place in a few words', () => {
    const place = { location: 'State', states: ['FL', 'TX'], cities: ['Austin, TX'], zips: 0 };
    expect(placeWords(place)).toBe('Florida; Austin, TX');
    expect(placeWords({ ...place, states: ['AL', 'AK', 'AZ', 'AR'], cities: [] })).toBe(
      'Alabama; Alaska and 2 more',
    );
    expect(placeWords({ ...place, location: 'Zip Code', zips: 1 })).toBe('1 zip code');
    expect(keywordsOf('a, b;c\n\nd')).toEqual(['a', 'b', 'c', 'd']);
  });
});
