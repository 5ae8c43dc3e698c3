import { describe, expect, test } from 'vitest';
import { NEW_RULES } from '../../../../contract/campaigns/campaign-rules.ts';
import {
  type Candidate,
  dayIn,
  leadPhones,
  reachesGoal,
  refusal,
  type Standing,
  windowStart,
} from './policy.ts';

const now = new Date('2026-03-10T15:00:00Z');
const candidate: Candidate = {
  campaignId: 'c',
  companyId: 'k',
  personId: 'p',
  confidence: 98,
  excluded: 'clear',
  email: 'a@b.c',
  phone: '+15045550100',
  address: '1 Main',
};
const standing: Standing = {
  state: 'active',
  rules: NEW_RULES,
  fit: null,
  leastBilled: 0,
  startsOn: null,
  endsOn: null,
  leadLimit: null,
  leadsCounted: 0,
  priceMicros: 2_000_000n,
  balanceMicros: 2_000_000n,
};
const never = { sameCampaign: undefined, otherCampaign: undefined };
const ask = (
  c: Partial<Candidate> = {},
  s: Partial<Standing> = {},
  last: Partial<{ sameCampaign: Date; otherCampaign: Date }> = {},
) => refusal({ ...candidate, ...c }, { ...standing, ...s }, { ...never, ...last }, now, '2026-03-10');

test('[BEY-27] a number on a do-not-call list is delivered only where the campaign asks, and the other one moves up', () => {
  const person = { phone: '+15046218927', phone2: '+15048451427' };
  const marked = new Set(['+15046218927']);
  expect(leadPhones(person, marked, false)).toEqual({
    phone: '+15048451427',
    phone2: null,
    phone_dnc: false,
    phone2_dnc: false,
    phones_withheld: 1,
  });
  expect(leadPhones(person, marked, true)).toEqual({
    ...person,
    phone_dnc: true,
    phone2_dnc: false,
    phones_withheld: 0,
  });
  expect(leadPhones({ phone: null, phone2: null }, marked, false)).toMatchObject({
    phone: null,
    phones_withheld: 0,
  });
});

describe('[CAMP-05] the rules of a lead', () => {
  test('let a good one through', () => expect(ask()).toBeNull());

  test.each([
    ['excluded', { excluded: 'excluded' }, {}],
    ['cannot_compare', { excluded: 'cannot_compare' }, {}],
    ['email_missing', { email: null }, {}],
    ['phone_missing', { phone: null }, { rules: { ...NEW_RULES, phone_required: true } }],
    ['address_missing', { address: null }, { rules: { ...NEW_RULES, address_required: true } }],
    ['low_confidence', { confidence: 49 }, {}],
    ['below_threshold', { confidence: 59 }, { leastBilled: 60 }],
    ['outside_dates', {}, { startsOn: '2026-03-11' }],
    ['outside_dates', {}, { endsOn: '2026-03-09' }],
    ['inactive', {}, { state: 'paused' }],
    ['daily_cap', {}, { leadLimit: 3, leadsCounted: 3 }],
    ['balance_empty', {}, { balanceMicros: 1_999_999n }],
  ] as const)('refuse: %s', (reason, c, s) => expect(ask(c, s)).toBe(reason));

  test('hold at their edges', () => {
    expect(ask({ email: null }, { rules: { ...NEW_RULES, email_required: false } })).toBeNull();
    expect(ask({ confidence: 50 })).toBeNull();
    expect(ask({}, { startsOn: '2026-03-10', endsOn: '2026-03-10' })).toBeNull();
    expect(ask({}, { leadLimit: 3, leadsCounted: 2 })).toBeNull();
    expect(ask({}, { priceMicros: 0n, balanceMicros: 0n })).toBeNull();
  });

  test('the first reason wins; what says something about the person comes last', () => {
    const all = { excluded: 'excluded', email: null, confidence: 0 } as const;
    expect(ask(all, { state: 'paused' })).toBe('email_missing');
    expect(ask({ confidence: 0 }, { state: 'paused' }, { sameCampaign: now })).toBe('low_confidence');
    expect(ask({}, { state: 'paused' }, { sameCampaign: now, otherCampaign: now })).toBe('seen_recently');
    expect(ask({}, { state: 'paused', endsOn: '2026-01-01' }, { otherCampaign: now })).toBe('duplicate');
    for (const excluded of ['excluded', 'cannot_compare'] as const) {
      expect(ask({ excluded, confidence: 0 })).toBe('low_confidence');
      expect(ask({ excluded }, { state: 'paused' })).toBe('inactive');
      expect(ask({ excluded }, { balanceMicros: 0n })).toBe('balance_empty');
      expect(ask({ excluded })).toBe(excluded);
    }
  });

  test('[BEY-31] with a filter that leaves people out, it is not said whether a list or the filter kept someone out', () => {
    const filter = { canRefuse: true, count: () => ({ fits: 0, unknown: 0, asked: 1 }) };
    const facts = { state: null, zip: null } as never;
    for (const isOut of [true, false]) {
      const fit = { ...filter, refuses: () => isOut };
      for (const excluded of ['excluded', 'cannot_compare'] as const)
        expect(ask({ excluded, facts }, { fit })).toBe('misfit');
      expect(ask({ facts }, { fit })).toBe(isOut ? 'misfit' : null);
    }
    // One that only scores keeps no one out, and hides nothing.
    const scoring = { ...filter, canRefuse: false, refuses: () => false };
    expect(ask({ excluded: 'excluded', facts }, { fit: scoring })).toBe('excluded');
  });

  test('re-identification windows, over month ends and leap days', () => {
    expect(ask({}, {}, { sameCampaign: new Date('1999-01-01') })).toBe('seen_recently');
    expect(
      ask(
        {},
        { rules: { ...NEW_RULES, reidentify: '1_week' } },
        { sameCampaign: new Date('2026-03-03T15:00:00Z') },
      ),
    ).toBeNull();
    expect(
      ask(
        {},
        { rules: { ...NEW_RULES, reidentify: '1_week' } },
        { sameCampaign: new Date('2026-03-03T15:00:01Z') },
      ),
    ).toBe('seen_recently');
    expect(windowStart('never', now)).toBeNull();
    expect(windowStart('1_month', new Date('2026-03-31T12:00:00Z'))).toEqual(
      new Date('2026-02-28T12:00:00Z'),
    );
    expect(windowStart('12_months', new Date('2024-02-29T00:00:00Z'))).toEqual(
      new Date('2023-02-28T00:00:00Z'),
    );
  });

  test("a day is the client's", () => {
    expect(dayIn(new Date('2026-03-10T04:59:00Z'), 'America/Chicago')).toBe('2026-03-09');
    expect(dayIn(new Date('2026-03-10T04:59:00Z'), 'Asia/Tokyo')).toBe('2026-03-10');
  });
});

describe('[CAMP-01] the thank-you page', () => {
  const view = (url: string | null) => ({ event: 'view', url });
  test.each([
    ['https://shop.example.com/thanks', true],
    ['http://www.shop.example.com/thanks/?order=7#top', true],
    ['https://SHOP.example.com/thanks', true],
    ['https://shop.example.com/thanks-not', false],
    ['https://shop.example.com/Thanks', false],
    ['https://shop.example.com.evil.test/thanks', false],
    ['https://other.example.com/thanks', false],
    ['https://shop.example.com/?next=/thanks', false],
    ['no address', false],
    [null, false],
  ])('is reached by %s: %s', (url, is) => {
    expect(reachesGoal(view(url), 'https://shop.example.com/thanks')).toBe(is);
  });
  test('with a query of its own it needs that, in any order', () => {
    const goal = 'https://shop.example.com/?page=thanks&ok=1';
    expect(reachesGoal(view('https://shop.example.com/?a=b&ok=1&page=thanks'), goal)).toBe(true);
    expect(reachesGoal(view('https://shop.example.com/?page=thanks'), goal)).toBe(false);
  });
  test('is not needed where the page itself says thanks; none is reached where none is named', () => {
    expect(reachesGoal({ event: 'thanks', url: null }, null)).toBe(true);
    expect(reachesGoal(view('https://shop.example.com/'), null)).toBe(false);
    expect(reachesGoal(view('https://shop.example.com/'), 'no address')).toBe(false);
  });
});
