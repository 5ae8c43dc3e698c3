import { describe, expect, it } from 'vitest';
import { ApiError } from '../../api/errors.ts';
import { NEW_VALUES } from './model.ts';
import { contentsOf, firstWrongStep, STEP_FIELDS } from './setup.model.ts';

const TARGET_FIELDS = [
  'locationtarget',
  'locatorcity',
  'locatordesc',
  'locatorkeyword',
  'locatorstate',
  'locatorzip',
];

describe('[CAMP-11] building a campaign', () => {
  it('checks every field of the form in one step', () => {
    const checked = Object.values(STEP_FIELDS).flat();
    expect(new Set(checked).size).toBe(checked.length);
    const unchecked = Object.keys(NEW_VALUES).filter((field) => !(checked as string[]).includes(field));
    // Switches cannot be wrong, a draft's costs hold from now on, and what Search ID looks for is set on its own page.
    expect(unchecked.sort()).toEqual(
      [
        'effective_from',
        'enableMinimumLimitLeads',
        'homeaddressenabled',
        'leadspeekType',
        'phoneenabled',
        'requireemailaddress',
        ...TARGET_FIELDS,
      ].sort(),
    );
  });

  it('goes back to the first step whose field the server refused', () => {
    const refused = (field: string) =>
      firstWrongStep(Object.assign(Object.create(ApiError.prototype), { errors: { [field]: ['is wrong'] } }));
    expect([refused('CostSet'), refused('adminNotifyTo.1'), refused('urlCode'), refused('other')]).toEqual([
      'review',
      'told',
      'site',
      undefined,
    ]);
  });

  it('says what of a lead is always there', () => {
    const sure = contentsOf({ ...NEW_VALUES, phoneenabled: true, urlCode: 'shop.example' }).filter(
      (one) => one.isSure,
    );
    expect(sure.map(({ field }) => field)).toEqual(['E-mail', 'Phone', 'Page', 'Matched by']);
    expect(sure[2]?.example).toBe('https://shop.example');
  });
});
