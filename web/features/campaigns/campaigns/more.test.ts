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
    expect(client).not.toHaveProperty('minimumLimitLeads');
    expect(client).toMatchObject({ reportType: 'none', leadsAmountNotification: null });
    expect(client).not.toHaveProperty('reportFreq');
    const values = {
      ...NEW_MORE,
      enableMinimumLimitLeads: true,
      minimumLimitLeads: 5,
      report: 'week',
    } as const;
    expect(moreInputOf(values, true)).toMatchObject({
      enableMinimumLimitLeads: 'T',
      minimumLimitLeads: 5,
      reportType: 'link',
      reportFreq: 'week',
    });
  });

  it('asks for what belongs together', () => {
    const all = { ...NEW_MORE, enableMinimumLimitLeads: true, LimitLeadStart: '2026-03-02' };
    expect(MORE_RULES.minimumLimitLeads('', all)).toBe('Enter the minimum limit');
    expect(MORE_RULES.LimitLeadEnd('2026-03-01', all)).toMatch(/on or after/);
    expect(MORE_RULES.LimitLeadEnd('2026-03-02', all)).toBeNull();
    expect(MORE_RULES.adminNotifyTo('', { ...all, leadsAmountNotification: 3 })).toMatch(/at least one/);
    expect(MORE_RULES.leadsAmountNotification(0)).toMatch(/whole number/);
  });
});
