import { expect, test } from 'vitest';
import { leadOf } from './lead.policy.ts';
import { testLead } from './policy.ts';

const AT = new Date('2026-03-02T15:00:00Z');

test('[BEY-27] every service can be told whether a number is on a do-not-call list, when that was checked, and by what', () => {
  const lead = testLead('0195a1f0-0000-7000-8000-000000000001', { number: 1001, name: 'Shop' }, AT);
  const person = { ...lead.person, phone2: '+12025550199' };
  expect(leadOf({ ...lead, person })).toMatchObject({
    phone_dnc: 'no',
    phone_dnc_checked_at: '2026-03-02T15:00:00.000Z',
    phone_dnc_source: 'import',
    // Nobody said so of the second number.
    phone2_dnc: 'unknown',
  });
  const marked = { ...person, phone_dnc: true, phone2: null };
  const { phone_dnc, phone2_dnc } = leadOf({ ...lead, person: marked });
  expect([phone_dnc, phone2_dnc]).toEqual(['yes', undefined]);
});
