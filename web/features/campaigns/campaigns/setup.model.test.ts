import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../api/errors.ts';
import { NEW_VALUES } from './model.ts';
import {
  contentsOf,
  countOf,
  estimateOf,
  firstWrongStep,
  mostOf,
  peopleWords,
  STEP_FIELDS,
  STEPS,
} from './setup.model.ts';

describe('[CAMP-11] building a campaign', () => {
  it('checks every field of the form in one step', () => {
    const checked = Object.values(STEP_FIELDS).flat();
    expect(new Set(checked).size).toBe(checked.length);
    const unchecked = Object.keys(NEW_VALUES).filter((field) => !(checked as string[]).includes(field));
    // A switch and a choice cannot be invalid, and a draft's costs take effect at once.
    expect(unchecked.sort()).toEqual(['effective_from', 'has_minimum_limit', 'report_type']);
  });

  it('goes back to the first step whose field the server refused', () => {
    const refused = (field: string) =>
      firstWrongStep(Object.assign(Object.create(ApiError.prototype), { errors: { [field]: ['is wrong'] } }));
    expect(
      ['lead_price_b2b', 'notify_to.1', 'site_url', 'zips', 'seniority', 'b2b_information', 'other'].map(
        refused,
      ),
    ).toEqual(['price', 'leads', 'campaign', 'audience', 'audience', 'leads', undefined]);
  });

  it('says what of a lead is always there', () => {
    const sure = contentsOf({ ...NEW_VALUES, phone_required: true, site_url: 'shop.example' }).filter(
      (one) => one.isSure,
    );
    expect(sure.map(({ field }) => field)).toEqual(['Email', 'Phone', 'Page', 'Matched by']);
    expect(sure[2]?.example).toBe('https://shop.example');
  });

  it('[CAMP-03] [CAMP-04] names the chosen data fields and the signals of a search', () => {
    const found = contentsOf({
      ...NEW_VALUES,
      module: 'b2b',
      keywords: 'crm software',
      b2b_information: [103, 107],
    });
    expect(found.map(({ field }) => field)).toEqual([
      'Name',
      'Email',
      'Phone',
      'Address',
      'Company and job',
      'Seniority',
      'Industry',
      'Signals',
      'Matched by',
    ]);
    expect(found[7]?.example).toContain('crm software');
  });

  it('[CAMP-02] [CAMP-03] [CAMP-04] has the same four steps for every product', () => {
    expect(STEPS).toEqual(['campaign', 'audience', 'leads', 'price']);
  });

  it('counts what the form looks for, with the audience of B2B ID only', () => {
    const values = { ...NEW_VALUES, keywords: 'crm', seniority: ['Owner'], phone_required: true };
    expect(countOf({ ...values, module: 'b2b' }, 'c')).toMatchObject({
      company_id: 'c',
      module: 'b2b',
      seniority: ['Owner'],
      phone_required: 'T',
      tell: 'F',
    });
    expect(countOf({ ...values, module: 'enhance' }, undefined)).not.toHaveProperty('seniority');
  });

  it.each([
    [
      { deliverable: 161, limit: null, every: 'day' },
      { now: 161, aDay: 23, backlogDays: 0, isLimited: false, costNow: 402.5, costADay: 57.5, suggested: 46 },
    ],
    [
      { deliverable: 161, limit: 46, every: 'day' },
      { now: 46, aDay: 23, backlogDays: 5, isLimited: true, costNow: 115, suggested: 46 },
    ],
    [
      { deliverable: 70, limit: 4, every: 'day' },
      { now: 4, aDay: 4, backlogDays: Number.POSITIVE_INFINITY, isLimited: true, costADay: 10 },
    ],
    [
      { deliverable: 70, limit: 60, every: 'week' },
      { now: 60, aDay: 60 / 7, isLimited: true },
    ],
    [
      { deliverable: 0, limit: 5, every: 'day' },
      { now: 0, aDay: 0, backlogDays: 0, isLimited: false, costNow: 0, suggested: null },
    ],
  ] as const)('[CAMP-11] estimates leads and costs, at once and then a day: %j', (given, expected) => {
    const made = estimateOf({ ...given, price: 2_500_000 });
    const dollars = { costNow: made.costNow / 1e6, costADay: Math.round(made.costADay / 1e4) / 100 };
    expect({ ...made, ...dollars }).toMatchObject(expected);
  });

  it('reckons with as many as there can be where few are not told: they may all be charged', () => {
    expect([0, 20, 160].map((count) => [peopleWords(count), mostOf(count)])).toEqual([
      ['Fewer than 20', 19],
      ['20', 20],
      ['160', 160],
    ]);
    const made = estimateOf({ deliverable: mostOf(0), limit: null, every: 'day', price: 2_000_000 });
    expect(made).toMatchObject({ now: 19, costNow: 38_000_000, suggested: null });
  });
});
