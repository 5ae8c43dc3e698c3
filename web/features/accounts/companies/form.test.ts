import { expect, test } from 'vitest';
import { apiIcon } from '../../../../contract/accounts/company-rules.ts';
import { ApiError } from '../../../api/errors.ts';
import type { CompanyItem } from './companies.ts';
import { changeToWire, EMPTY, failureWords, faultsOf, newToWire, takenAway, valuesOf } from './form.ts';

const row = {
  id: 'owner',
  company_id: 'acme',
  kind: 'agency',
  company_name: 'Acme',
  name: 'Anna',
  email: 'anna@x.test',
  phonenum: '2025550123',
  phone_country_code: 'US',
  orisubdomain: 'acme',
  external_organizationid: '',
  plan_minspend_id: '',
  is_whitelabeling: 'F',
  api_mode: 'T',
  disabledaddcampaign: 'F',
  version: 7,
  selected_payment_term: [
    { term: 'Weekly', status: true },
    { term: 'Prepaid', status: false },
  ],
  selected_modules: [
    { type: 'local', status: true },
    { type: 'locator', status: false },
  ],
} as unknown as CompanyItem;
const good = { ...EMPTY, ...valuesOf(row) };

test.each([
  ['ClientCompanyName', '', 'Company Name is required'],
  ['ClientCompanyName', 'x'.repeat(255), undefined],
  ['ClientCompanyName', 'x'.repeat(256), 'Company Name must not exceed 255 characters.'],
  ['ClientCompanyName', '🙂'.repeat(255), undefined],
  ['ClientFullName', ' ', 'Full Name is required'],
  ['ClientCompanyName', '🙂'.repeat(256), 'Company Name must not exceed 255 characters.'],
  ['ClientCompanyName', '<b>Acme</b> \u202Eשלום', undefined],
  ['ClientFullName', 'x'.repeat(255), undefined],
  ['ClientFullName', 'x'.repeat(256), 'Full Name must not exceed 255 characters.'],
  ['ClientEmail', '', 'Email is required'],
  ['ClientEmail', 'anna', 'Please enter a valid email'],
  ['ClientEmail', `${'x'.repeat(61)}@mail.com`, undefined],
  ['ClientEmail', `${'x'.repeat(62)}@mail.com`, 'Email must not exceed 70 characters.'],
  ['ClientPhone', { country: 'US', number: '' }, 'Please enter valid phone number'],
  ['DownlineSubDomain', '', 'is required'],
  ['ClientPhone', { country: 'US', number: '(202) 555-0123' }, undefined],
  ['DownlineSubDomain', 'a', undefined],
  ['DownlineSubDomain', 'ab-', 'must not start or end with a hyphen'],
  ['DownlineSubDomain', 'a-b-1', undefined],
  ['DownlineSubDomain', 'a_b', 'must have only letters, digits, and hyphens'],
  ['DownlineSubDomain', '-ab', 'must not start or end with a hyphen'],
  ['DownlineSubDomain', 'x'.repeat(63), undefined],
  ['DownlineSubDomain', 'x'.repeat(64), 'must not exceed 63 characters'],
  ['selectedterms', [], 'Please select payment term'],
])('[AGCY-18] %s %j: %s', (field, value, fault) =>
  expect(faultsOf({ ...good, [field]: value }, 'agency', true)[field]).toBe(fault),
);

test('a new agency has no payment terms to tick, and a client no subdomain', () => {
  expect(faultsOf({ ...good, selectedterms: [] }, 'agency', false)).toEqual({});
  expect(faultsOf({ ...good, DownlineSubDomain: '' }, 'client', true)).toEqual({});
});

test('[AGCY-05] a change carries every field under its name, the version, and only what the person may set', async () => {
  const values = {
    ...good,
    ClientCompanyName: ' New ',
    selectedterms: ['Prepaid'],
    selectedmodules: ['locator'],
  };
  const sent = await changeToWire(values, row, { apiMode: true, plan: true, owner: true, host: true });
  expect(sent).toEqual({
    userType: 'userdownline',
    ClientCompanyName: 'New',
    ClientFullName: 'Anna',
    ClientEmail: 'anna@x.test',
    ClientPhone: '2025550123',
    ClientPhoneCountryCode: 'US',
    ClientPhoneCountryCallingCode: '+1',
    ClientID: 'owner',
    action: 'downline',
    version: 7,
    DownlineSubDomain: 'acme',
    ClientWhiteLabeling: 'F',
    betaUser: 'F',
    ApiMode: 'T',
    planMinSpendId: '',
    selectedterms: [
      { term: 'Weekly', status: false },
      { term: 'Prepaid', status: true },
    ],
    selectedmodules: [
      { type: 'local', status: false },
      { type: 'locator', status: true },
    ],
  });
  const less = await changeToWire(values, row, { apiMode: false, plan: false, owner: true, host: false });
  expect('ApiMode' in less || 'planMinSpendId' in less || 'DownlineSubDomain' in less).toBe(false);
  const bySales = await changeToWire(values, row, { apiMode: false, plan: false, owner: false, host: false });
  expect('ApiMode' in bySales || 'betaUser' in bySales).toBe(false);
  expect(bySales).toMatchObject({ ClientCompanyName: 'New', ClientWhiteLabeling: 'F' });
  expect(takenAway(row, values)).toEqual(['local']);
});

test('[AGCY-06] a new agency carries its hosts and organization, a new client neither host', async () => {
  const agency = await newToWire({ ...good, DownlineDomain: ' p.example.com ' }, 'agency');
  expect(agency).toMatchObject({
    DownlineSubDomain: 'acme',
    DownlineDomain: 'p.example.com',
    userType: 'userdownline',
  });
  const client = await newToWire(good, 'client');
  expect(Object.keys(client).filter((key) => /Domain/.test(key))).toEqual([]);
});

test.each([
  [new ApiError(422, 'Another account uses this email address.'), 'Another account uses this email address.'],
  [new ApiError(409, 'Told'), 'Told'],
  [new ApiError(500, 'Boom'), 'Server might be busy please try again later'],
  [new ApiError(503, 'Away'), 'Server might be busy please try again later'],
  [new ApiError(0, 'No response'), 'Server might be busy please try again later'],
])('[AGCY-14] %o is told as %j', (error, words) => expect(failureWords(error)).toBe(words));

test.each([
  ['T', 'F', false, 'orange'],
  ['T', 'F', true, 'orange'],
  ['T', 'T', true, 'green'],
  ['T', 'T', false, 'blue'],
  ['F', 'T', true, 'orange'],
  ['F', 'F', true, 'orange'],
  ['F', 'T', false, 'gray'],
  ['F', 'F', false, 'gray'],
] as const)('[AGCY-10] mode %s, agreement %s, key %s: %s', (api_mode, agreed, key, color) =>
  expect(
    apiIcon({
      api_mode,
      is_marketing_services_agreement_developer: agreed,
      is_user_generate_api: key,
    }).color,
  ).toBe(color),
);
