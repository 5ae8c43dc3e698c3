import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AGES, COMPANY_SIZES, INCOMES, SENIORITIES } from '../../../../contract/audience/audience.ts';
import { type CampaignRules, NEW_RULES } from '../../../../contract/campaigns/campaign-rules.ts';
import { type FitFacts, fitOf, rangeOf } from './fit.policy.ts';

const judge = (rules: Partial<CampaignRules>, facts: Partial<FitFacts>) =>
  fitOf({ ...NEW_RULES, ...rules })?.refuses({ state: null, zip: null, ...facts }) ?? false;

describe('[BEY-19] ranges as sources write them', () => {
  test.each([
    ['35-44', 35, 44],
    ['18 to 24', 18, 24],
    ['42', 42, 42],
    ['65+', 65, Infinity],
    ['65 and older', 65, Infinity],
    ['$75,000 to $99,999', 75_000, 99_999],
    ['$75K - $100K', 75_000, 99_999],
    ['$75000-$100000', 75_000, 99_999],
    ['Less than $25,000', 0, 24_999],
    ['$1.5M or more', 1_500_000, Infinity],
    ['10,000+', 10_000, Infinity],
  ])('%s', (text, from, to) => expect(rangeOf(text)).toEqual({ from, to }));

  test.each(['', 'K', 'unknown', `${'x'.repeat(1000)}42`])('nothing in %s', (text) =>
    expect(rangeOf(text)).toBeUndefined(),
  );
});

describe('[BEY-19] whom a filter lets through', () => {
  test('no filter: anyone', () => expect(fitOf(NEW_RULES)).toBeNull());

  test.each<[string, Partial<CampaignRules>, Partial<FitFacts>, boolean]>([
    [
      'words in any order',
      { fit_titles: ['marketing manager'] },
      { job_title: 'Manager of Marketing' },
      false,
    ],
    ['all words of an entry', { fit_titles: ['marketing manager'] }, { job_title: 'Manager' }, true],
    ['the headline instead of a title', { fit_titles: ['nurse'] }, { headline: 'Nurse, night owl' }, false],
    ['C++ is not C', { fit_titles: ['c++'] }, { job_title: 'C developer' }, true],
    ['a seniority by another name', { fit_seniorities: ['Vice president'] }, { seniority: 'VP' }, false],
    ['another seniority', { fit_seniorities: ['Owner'] }, { seniority: 'VP' }, true],
    ['industry words', { fit_industries: ['Software'] }, { industry: 'Computer Software' }, false],
    [
      'the size that a company has at least',
      { fit_sizes: ['51 to 200'] },
      { company_size: '51 to 500' },
      false,
    ],
    ['another size', { fit_sizes: ['51 to 200'] }, { company_size: '10,000+' }, true],
    ['a state', { fit_states: ['TX'] }, { state: 'TX' }, false],
    ['another state', { fit_states: ['TX'] }, { state: 'LA', zip: '70112' }, true],
    [
      'a ZIP prefix instead of the state',
      { fit_states: ['TX'], fit_zips: ['701'] },
      { state: 'LA', zip: '70112' },
      false,
    ],
    ['an age', { fit_ages: ['35 to 44'] }, { age_range: '35-44' }, false],
    ['an age across two neighbors', { fit_ages: ['25 to 34', '35 to 44'] }, { age_range: '30-39' }, false],
    ['another age', { fit_ages: ['35 to 44'] }, { age_range: '65+' }, true],
    ['an income', { fit_incomes: ['$75,000 to $99,999'] }, { income_range: '$75K to $100K' }, false],
    ['another income', { fit_incomes: ['$200,000 or more'] }, { income_range: 'Under $25,000' }, true],
    ['a homeowner', { fit_home: 'owner' }, { home_owner: 'Y' }, false],
    ['a renter', { fit_home: 'owner' }, { home_owner: 'Renter' }, true],
  ])('%s', (_, rules, facts, refused) => {
    for (const fit_unknown of ['take', 'refuse'] as const)
      expect(judge({ ...rules, fit_unknown }, facts)).toBe(refused);
  });

  test.each<[string, Partial<CampaignRules>, Partial<FitFacts>]>([
    ['no value', { fit_titles: ['nurse'] }, {}],
    ['a range of which a part is wanted', { fit_ages: ['35 to 44'] }, { age_range: '40-49' }],
    ['an open range above a wanted one', { fit_ages: ['45 to 54'] }, { age_range: '50+' }],
    ['a code that no one explains', { fit_incomes: ['$200,000 or more'] }, { income_range: 'K' }],
    ['a state elsewhere, a ZIP code not known', { fit_states: ['TX'], fit_zips: ['701'] }, { state: 'LA' }],
    ['a word for neither', { fit_home: 'renter' }, { home_owner: 'Lives with parents' }],
  ])('unknown: %s; the client chooses', (_, rules, facts) => {
    expect(judge({ ...rules, fit_unknown: 'take' }, facts)).toBe(false);
    expect(judge({ ...rules, fit_unknown: 'refuse' }, facts)).toBe(true);
  });

  test('what is known to be outside refuses, whatever else is unknown', () => {
    const rules = { fit_titles: ['nurse'], fit_states: ['TX'], fit_unknown: 'take' as const };
    expect(judge(rules, { state: 'LA' })).toBe(true);
  });

  test('asking for more people never refuses one who fit, and refusing the unknown never adds one', () => {
    const some = (names: readonly string[]) => fc.subarray([...names]);
    const maybe = (...values: string[]) => fc.constantFrom(undefined, null, ...values);
    const names = (choices: readonly { name: string }[]) => choices.map(({ name }) => name);
    const rules = fc.record({
      fit_seniorities: some(names(SENIORITIES)),
      fit_sizes: some(names(COMPANY_SIZES)),
      fit_ages: some(names(AGES)),
      fit_incomes: some(names(INCOMES)),
      fit_states: some(['TX', 'LA', 'CA']),
      fit_zips: some(['787', '70112']),
      fit_home: fc.constantFrom('any' as const, 'owner' as const, 'renter' as const),
    });
    const facts = fc.record({
      seniority: maybe('VP', 'Intern', 'Manager', 'odd'),
      company_size: maybe('51 to 200', '10000+', '7', 'K'),
      age_range: maybe('18-24', '30-39', '65+', '44'),
      income_range: maybe('Under $25,000', '$90K to $120K', '$250,000+', 'H'),
      home_owner: maybe('Y', 'Renter', '?'),
      state: fc.constantFrom(null, 'TX', 'NY'),
      zip: fc.constantFrom(null, '78701', '10001'),
    });
    fc.assert(
      fc.property(rules, rules, facts, (less, other, who) => {
        const keys = ['fit_seniorities', 'fit_sizes', 'fit_ages', 'fit_incomes'] as const;
        const more = {
          ...less,
          ...Object.fromEntries(
            keys.map((key) => [
              key,
              less[key].length === 0 ? [] : [...new Set([...less[key], ...other[key]])],
            ]),
          ),
        };
        const strict = judge({ ...less, fit_unknown: 'refuse' }, who);
        const loose = judge({ ...less, fit_unknown: 'take' }, who);
        if (!strict) {
          expect(loose).toBe(false);
          expect(judge({ ...more, fit_unknown: 'refuse' }, who)).toBe(false);
        }
        if (loose) expect(strict).toBe(true);
      }),
    );
  });
});
