import { describe, expect, it } from 'vitest';
import { addressesFault, addressesOf, MORE_RULES, moreInputOf, NEW_MORE } from './more.ts';

describe('[CAMP-06] limits, notifications and reports on the form', () => {
  it('reads addresses as people paste them, each once', () => {
    expect(addressesOf(' One@a.example, two@a.example;\n\none@a.example ')).toEqual([
      'one@a.example',
      'two@a.example',
    ]);
  });

  it.each([
    ['', true, 'Enter at least one email address'],
    ['', false, null],
    ['nobody', false, '“nobody” is not a valid email address'],
    ['a@b.example\nb@b.example', true, null],
    [Array.from({ length: 11 }, (_, i) => `a${i}@b.example`).join('\n'), true, 'Enter up to 10 addresses'],
  ])('judges %j, needed: %s', (text, isNeeded, fault) => expect(addressesFault(text, isNeeded)).toBe(fault));

  it('sends the least limit only for who may set it, and how often only with a report', () => {
    const client = moreInputOf(NEW_MORE, false);
    expect(client).not.toHaveProperty('minimum_limit');
    expect(client).toMatchObject({ report_type: 'none', notify_every: null });
    expect(client).not.toHaveProperty('report_every');
    const values = {
      ...NEW_MORE,
      has_minimum_limit: true,
      minimum_limit: 5,
      report: 'week',
    } as const;
    expect(moreInputOf(values, true)).toMatchObject({
      has_minimum_limit: 'T',
      minimum_limit: 5,
      report_type: 'link',
      report_every: 'week',
    });
  });

  it('asks for what belongs together', () => {
    const all = { ...NEW_MORE, has_minimum_limit: true, limit_starts_on: '2026-03-02' };
    expect(MORE_RULES.minimum_limit('', all)).toBe('Enter the minimum limit');
    expect(MORE_RULES.limit_ends_on('2026-03-01', all)).toMatch(/on or after/);
    expect(MORE_RULES.limit_ends_on('2026-03-02', all)).toBeNull();
    expect(MORE_RULES.notify_to('', { ...all, notify_every: 3 })).toMatch(/at least one/);
    expect(MORE_RULES.notify_every(0)).toMatch(/whole number/);
  });
});
