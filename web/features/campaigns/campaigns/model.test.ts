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
  leadspeekID: '019a0000-0000-7000-8000-000000000001',
  leadspeek_api_id: 100001,
  leadspeekType: 'local',
  company_id: '019a0000-0000-7000-8000-000000000002',
  company_name: 'Northwind',
  agency_name: 'Acme',
  jobTitles: [],
  seniority: [],
  department: [],
  industry: [],
  companySize: [],
  advanceInformation: [],
  b2bInformation: [],
  locatorkeyword: '',
  keyword_preview: '',
  locationtarget: null,
  nationaltargeting: 'F',
  locatorstate: [],
  locatorcity: [],
  locatorzip: '',
  locatordesc: '',
  locatorrequire: '',
  campaignName: 'Spring',
  status: 'active',
  statusReason: null,
  urlCode: 'https://shop.example',
  urlCodeThankyou: null,
  siteHosts: ['pay.example', '*.shop.example'],
  ...RULES_SHOWN,
  LimitLead: null,
  startDate: null,
  endDate: '2026-12-31',
  companyGroupID: null,
  LimitLeadFreq: 'day',
  LimitLeadStart: null,
  LimitLeadEnd: null,
  enableMinimumLimitLeads: 'F',
  minimumLimitLeads: null,
  leadsAmountNotification: null,
  adminNotifyTo: [],
  reportType: 'none',
  reportFreq: 'day',
  reportSentTo: [],
  next_report_at: null,
  CostSet: '2.50',
  CostSetAdvanced: '0.00',
  CostSetB2b: '0.00',
  CostMaxLead: '0.00',
  CostMonth: '19.00',
  PlatformFee: '0.00',
  PaymentTerm: 'Prepaid',
  topupoptions: 'continual',
  leadsbuy: 50,
  planned_costs: [],
  margin_micros: 1_600_000,
  balance_micros: 0,
  leads_30d: 0,
  visits_30d: 0,
  pixel_check: null,
  pixel_checked_at: null,
  last_visit_at: null,
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

describe('[CAMP-05] the form of the set-up', () => {
  it('travels there and back unchanged', () => {
    const input = inputOf(valuesOf(campaign), true);
    expect(input).toMatchObject({
      CostSet: '2.50',
      CostMonth: '19.00',
      PaymentTerm: 'Prepaid',
      topupoptions: 'continual',
      leadsbuy: 50,
    });
    expect(inputOf(valuesOf(campaign), false)).toEqual({
      companyGroupID: '',
      LimitLeadFreq: 'day',
      LimitLeadStart: '',
      LimitLeadEnd: '',
      leadsAmountNotification: null,
      adminNotifyTo: [],
      reportType: 'none',
      reportSentTo: [],
      campaignName: 'Spring',
      urlCode: 'https://shop.example',
      urlCodeThankyou: '',
      siteHosts: ['pay.example', '*.shop.example'],
      advanceInformation: [],
      ...RULES_SHOWN,
      LimitLead: null,
      startDate: '',
      endDate: '2026-12-31',
    });
  });
  it('sends no price for who may not set one, nor an empty one', () => {
    expect(inputOf(valuesOf(campaign), false)).not.toHaveProperty('CostSet');
    for (const field of ['CostSet', 'PaymentTerm', 'leadsbuy', 'LimitLead', 'startDate'])
      expect(newInputOf(NEW_VALUES, true)).not.toHaveProperty(field);
    expect(newInputOf({ ...NEW_VALUES, LimitLead: 5 }, true)).toHaveProperty('LimitLead', 5);
  });
  it('tells a change of the set-up from a change of state', () => {
    expect(sameSetUp(campaign, { ...campaign, version: 7, status: 'paused' })).toBe(true);
    expect(sameSetUp(campaign, { ...campaign, LimitLead: 5 })).toBe(false);
  });
});

describe('[CAMP-15] the costs of the set-up', () => {
  it('tops up a prepaid campaign only', () => {
    const weekly = costsOf({ ...valuesOf(campaign), PaymentTerm: 'Weekly' });
    expect(weekly).toMatchObject({ PaymentTerm: 'Weekly', topupoptions: 'onetime' });
    expect(costsOf({ ...valuesOf(campaign), leadsbuy: '' })).toMatchObject({ leadsbuy: null });
  });
  it('sends what was changed, so that a planned change of the rest stays', () => {
    const same = changeOf({ ...valuesOf(campaign), CostSet: '2.5' }, campaign, true);
    expect(same).toEqual(inputOf(valuesOf(campaign), false));
    const other = { ...valuesOf(campaign), CostMonth: '20', effective_from: '2026-02-01' };
    expect(changeOf(other, campaign, true)).toEqual({
      ...same,
      CostMonth: '20',
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
    expect(statusWords({ status: 'paused', statusReason: 'balance_empty' })).toBe('Balance used up');
    expect(statusWords({ status: 'paused', statusReason: 'cap_client' })).toBe('Limit reached');
    expect(statusWords({ status: 'paused', statusReason: 'payment_failed' })).toBe('Payment failed');
    expect(statusWords({ status: 'paused', statusReason: 'agency_unpaid' })).toBe('Agency payment failed');
    expect(statusWords({ status: 'paused', statusReason: 'cancelled' })).toBe('Subscription ended');
    expect(statusWords({ status: 'paused', statusReason: 'billing_changed' })).toBe('Billing changed');
    expect(statusWords({ status: 'paused', statusReason: 'person' })).toBe('Paused');
    expect(statusWords({ status: 'active', statusReason: null })).toBe('Active');
  });
  it('offers what the state allows', () => {
    expect(actionsOf('active')).toEqual(['pause', 'archive', 'remove']);
    expect(actionsOf('paused')).toContain('activate');
    expect(actionsOf('archived')).toEqual(['restore', 'remove']);
    expect(actionsOf('removed')).toEqual([]);
  });
  it('believes a visit more than a check', () => {
    expect(pixelState({ pixel_check: 'blocked', last_visit_at: '2026-01-01T00:00:00Z' }).words).toBe('Found');
    expect(pixelState({ pixel_check: 'blocked', last_visit_at: null }).words).toBe('Blocked');
    expect(pixelState({ pixel_check: null, last_visit_at: null }).words).toBe('Not seen yet');
  });
  it('reckons how long a balance lasts', () => {
    expect(leadsLeft(10_000_000, microsTyped('2.50'))).toBe(4);
    expect(leadsLeft(2_499_999, 2_500_000)).toBe(0);
    expect(leadsLeft(0, 0)).toBeNull();
  });
});
