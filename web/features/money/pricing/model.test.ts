import { describe, expect, it } from 'vitest';
import { changedCosts, costFaults, costTabs, minimumWords, plannedLines } from './model.ts';

const answered = { local: {}, locator: {}, enhance: {}, b2b: {} };
const modules = (tabs: { module: string }[]) => tabs.map(({ module }) => module);

describe('[AGCY-17] the set-cost modal', () => {
  it('has local in LeadsPeek only, enhance and b2b only with a name and a url', () => {
    const named = { enhance: { name: 'Enhance ID', url: 'enhance-id' }, b2b: { name: 'B2B ID', url: '' } };
    expect(modules(costTabs('LeadsPeek', named, answered))).toEqual(['local', 'locator', 'enhance']);
    expect(modules(costTabs('LeadsPeek', {}, answered))).toEqual(['local', 'locator']);
    expect(costTabs('LeadsPeek', { local: { name: 'Visitors', url: 'visitors' } }, answered)[0]).toEqual({
      module: 'local',
      name: 'Visitors',
    });
  });
  it('has Simplifi only where its fees are answered', () => {
    expect(costTabs('Simplifi', {}, answered)).toEqual([]);
    expect(modules(costTabs('Simplifi', {}, { ...answered, simplifi: {} }))).toEqual(['simplifi']);
  });
  it('sends what was changed and nothing else', () => {
    const before = { local: { Weekly: { LeadspeekPlatformFee: '0', LeadspeekCostperlead: '1.50' } } };
    expect(
      changedCosts(before, { local: { Weekly: { LeadspeekPlatformFee: '', LeadspeekCostperlead: '1.5' } } }),
    ).toBeUndefined();
    expect(
      changedCosts(before, { local: { Weekly: { LeadspeekPlatformFee: '0', LeadspeekCostperlead: '2' } } }),
    ).toEqual({ local: { Weekly: { LeadspeekCostperlead: '2' } } });
  });
  it('names the minimum as the specification does, and what is wrong by its place', () => {
    expect(minimumWords('0.10')).toBe('*Cost Per Lead Minimum $0.10');
    expect(minimumWords('0')).toBeUndefined();
    expect(
      costFaults({
        b2b: { Weekly: { B2bPlatformFee: '1.005', B2bMinCostMonth: '1', B2bCostperlead: '0.005' } },
      }),
    ).toEqual({ 'b2b.Weekly.B2bPlatformFee': 'Use whole cents' });
  });
  it('says what is planned', () => {
    expect(
      plannedLines(
        {
          locator: {
            OneTime: { LocatorPlatformFee: '0', LocatorMinCostMonth: '9.00', LocatorCostperlead: '1.25' },
          },
        },
        () => 'Search ID',
      ),
    ).toEqual([
      'Search ID, One Time: one-time setup fee $0.00, monthly platform fee $9.00, cost per lead $1.25',
    ]);
  });
});
