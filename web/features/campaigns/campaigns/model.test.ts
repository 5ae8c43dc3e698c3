import { describe, expect, it } from 'vitest';
import { NEW_RULES, rulesShown } from '../../../../contract/campaigns/campaign-rules.ts';
import { microsTyped } from '../../../../contract/dollars.ts';
import {
  actionsOf,
  amountFault,
  amountOf,
  type Campaign,
  changeOf,
  costsOf,
  inputOf,
  leadsLeft,
  marginOf,
  NEW_VALUES,
  newInputOf,
  pixelState,
  sameSetUp,
  siteFault,
  siteOf,
  statusWords,
  valuesOf,
} from './model.ts';

const RULES_SHOWN = rulesShown({
  ...NEW_RULES,
  address_required: true,
  reidentify: '3_months',
  min_confidence: 60,
});

const campaign: Campaign = {
  campaign_id: '019a0000-0000-7000-8000-000000000001',
  campaign_number: 100001,
  module: 'local',
  company_id: '019a0000-0000-7000-8000-000000000002',
  company_name: 'Northwind',
  agency_name: 'Acme',
  job_titles: [],
  seniority: [],
  department: [],
  industry: [],
  company_size: [],
  advance_information: [],
  b2b_information: [],
  keywords: '',
  keyword_preview: '',
  location: null,
  is_national: 'F',
  states: [],
  cities: [],
  zips: '',
  description: '',
  requirements: '',
  campaign_name: 'Spring',
  status: 'active',
  state_reason: null,
  site_url: 'https://shop.example',
  thank_you_url: null,
  site_hosts: ['pay.example', '*.shop.example'],
  ...RULES_SHOWN,
  daily_cap: null,
  starts_on: null,
  ends_on: '2026-12-31',
  group_id: null,
  limit_every: 'day',
  limit_starts_on: null,
  limit_ends_on: null,
  has_minimum_limit: 'F',
  minimum_limit: null,
  notify_every: null,
  notify_to: [],
  report_type: 'none',
  report_every: 'day',
  report_to: [],
  next_report_at: null,
  lead_price: '2.50',
  lead_price_advanced: '0.00',
  lead_price_b2b: '0.00',
  lead_price_company: '0.00',
  lead_price_max: '0.00',
  monthly_fee: '19.00',
  platform_fee: '0.00',
  term: 'Prepaid',
  topup: 'continual',
  leads_buy: 50,
  planned_costs: [],
  margin_micros: 1_600_000,
  balance_micros: 0,
  leads_30d: 0,
  visits_30d: 0,
  pixel_check: null,
  pixel_checked_at: null,
  last_visit_at: null,
  silent_since: null,
  version: 1,
  created_at: '2026-01-01T00:00:00Z',
};

describe('what people paste', () => {
  it.each([
    ['shop.example', 'https://shop.example'],
    [' http://shop.example/a ', 'http://shop.example/a'],
    ['shop.example:8080/x', 'https://shop.example:8080/x'],
    ['', ''],
  ])('reads the address %j as %j', (text, site) => expect(siteOf(text)).toBe(site));

  it.each(['', 'https://', 'ftp://shop.example', 'javascript:alert(1)', 'two words', 'https://shop'])(
    'takes %j for no site',
    (text) => expect(siteFault(text)).toMatch(/^Enter /),
  );
  it.each([
    'shop.example',
    'http://shop.localhost:8080/',
    'https://münchen.example/ä',
    'http://localhost:3000',
  ])('takes %j for a site', (text) => expect(siteFault(text)).toBeNull());

  it.each([
    ['$1,250.50', '1250.50'],
    [' 2.5 ', '2.5'],
    ['.5', '0.5'],
    ['12.', '12'],
    ['3 USD', '3'],
    ['2,50', '2,50'],
    ['1.250,50', '1.250,50'],
  ])('reads the amount %j as %j', (text, amount) => expect(amountOf(text)).toBe(amount));

  it('refuses what is no amount, and too many places', () => {
    expect(amountFault('2,50', 6)).toMatch(/US dollars/);
    expect(amountFault('-1', 6)).toMatch(/US dollars/);
    expect(amountFault('', 2)).toMatch(/Enter an amount/);
    expect(amountFault('1.005', 2)).toBe('Use up to 2 decimal places');
    expect(amountFault('1.005', 6)).toBeNull();
  });
});

describe('[CAMP-05] the form of the setup', () => {
  it('travels there and back unchanged', () => {
    const input = inputOf(valuesOf(campaign), true);
    expect(input).toMatchObject({
      lead_price: '2.50',
      monthly_fee: '19.00',
      term: 'Prepaid',
      topup: 'continual',
      leads_buy: 50,
    });
    expect(inputOf(valuesOf(campaign), false)).toEqual({
      group_id: '',
      limit_every: 'day',
      limit_starts_on: '',
      limit_ends_on: '',
      notify_every: null,
      notify_to: [],
      report_type: 'none',
      report_to: [],
      campaign_name: 'Spring',
      site_url: 'https://shop.example',
      thank_you_url: '',
      site_hosts: ['pay.example', '*.shop.example'],
      advance_information: [],
      ...RULES_SHOWN,
      daily_cap: null,
      starts_on: '',
      ends_on: '2026-12-31',
    });
  });
  it('sends no price for who may not set one, nor an empty one', () => {
    expect(inputOf(valuesOf(campaign), false)).not.toHaveProperty('lead_price');
    for (const field of ['lead_price', 'term', 'leads_buy', 'daily_cap', 'starts_on'])
      expect(newInputOf(NEW_VALUES, true)).not.toHaveProperty(field);
    expect(newInputOf({ ...NEW_VALUES, daily_cap: 5 }, true)).toHaveProperty('daily_cap', 5);
  });
  it('tells a change of the setup from a change of state', () => {
    expect(sameSetUp(campaign, { ...campaign, version: 7, status: 'paused' })).toBe(true);
    expect(sameSetUp(campaign, { ...campaign, daily_cap: 5 })).toBe(false);
  });
});

describe('[CAMP-15] the costs of the setup', () => {
  it('tops up a prepaid campaign only', () => {
    const weekly = costsOf({ ...valuesOf(campaign), term: 'Weekly' });
    expect(weekly).toMatchObject({ term: 'Weekly', topup: 'onetime' });
    expect(costsOf({ ...valuesOf(campaign), leads_buy: '' })).toMatchObject({ leads_buy: null });
  });
  it('sends what was changed, so that a planned change of the rest stays', () => {
    const same = changeOf({ ...valuesOf(campaign), lead_price: '2.5' }, campaign, true);
    expect(same).toEqual(inputOf(valuesOf(campaign), false));
    const other = { ...valuesOf(campaign), monthly_fee: '20', effective_from: '2026-02-01' };
    expect(changeOf(other, campaign, true)).toEqual({
      ...same,
      monthly_fee: '20',
      effective_from: '2026-02-01',
    });
    expect(changeOf(other, campaign, false)).toEqual(same);
  });
  it('reckons what is left to the agency', () => {
    expect(marginOf('2.50', '0.90')).toBe(1_600_000);
    expect(marginOf('0.50', '0.90')).toBe(-400_000);
    expect(marginOf('', '0.90')).toBeUndefined();
    expect(marginOf('2.50', undefined)).toBeUndefined();
  });
});

describe('[CAMP-07] words for a state', () => {
  it('says why a campaign stands still', () => {
    expect(statusWords({ status: 'paused', state_reason: 'balance_empty' })).toBe('Balance used up');
    expect(statusWords({ status: 'paused', state_reason: 'cap_client' })).toBe('Limit reached');
    expect(statusWords({ status: 'paused', state_reason: 'payment_failed' })).toBe('Payment failed');
    expect(statusWords({ status: 'paused', state_reason: 'agency_unpaid' })).toBe('Agency payment failed');
    expect(statusWords({ status: 'paused', state_reason: 'cancelled' })).toBe('Subscription ended');
    expect(statusWords({ status: 'paused', state_reason: 'billing_changed' })).toBe('Billing changed');
    expect(statusWords({ status: 'paused', state_reason: 'person' })).toBe('Paused');
    expect(statusWords({ status: 'active', state_reason: null })).toBe('Active');
  });
  it('offers what the state allows', () => {
    expect(actionsOf('active')).toEqual(['pause', 'archive', 'remove']);
    expect(actionsOf('paused')).toContain('activate');
    expect(actionsOf('archived')).toEqual(['restore', 'remove']);
    expect(actionsOf('removed')).toEqual([]);
  });
  it('believes a visit more than a check', () => {
    const now = new Date('2026-01-05T12:00:00Z');
    const words = (
      pixel_check: 'blocked' | null,
      last_visit_at: string | null,
      silent_since: string | null = null,
    ) => pixelState({ pixel_check, last_visit_at, silent_since }, now).words;
    expect(words('blocked', '2026-01-01T00:00:00Z')).toBe('Found');
    expect(words('blocked', null)).toBe('Blocked');
    expect(words(null, null)).toBe('Not seen yet');
    expect(words(null, '2026-01-01T11:00:00Z', '2026-01-01T12:00:00Z')).toBe('Silent since Jan 1');
    expect(words(null, null, '2025-12-01T12:00:00Z')).toBe('Silent since Dec 1, 2025');
  });
  it('reckons how long a balance lasts', () => {
    expect(leadsLeft(10_000_000, microsTyped('2.50'))).toBe(4);
    expect(leadsLeft(2_499_999, 2_500_000)).toBe(0);
    expect(leadsLeft(0, 0)).toBeNull();
  });
});
