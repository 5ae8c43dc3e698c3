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
  phone: '2025550123',
  phone_country: 'US',
  subdomain_name: 'acme',
  external_id: '',
  plan_id: '',
  white_labelling: 'F',
  api_mode: 'T',
  campaigns_closed: 'F',
  version: 7,
  selected_terms: [
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
  ['company_name', '', 'Company Name is required'],
  ['company_name', 'x'.repeat(255), undefined],
  ['company_name', 'x'.repeat(256), 'Company Name must not exceed 255 characters.'],
  ['company_name', '🙂'.repeat(255), undefined],
  ['full_name', ' ', 'Full Name is required'],
  ['company_name', '🙂'.repeat(256), 'Company Name must not exceed 255 characters.'],
  ['company_name', '<b>Acme</b> \u202Eשלום', undefined],
  ['full_name', 'x'.repeat(255), undefined],
  ['full_name', 'x'.repeat(256), 'Full Name must not exceed 255 characters.'],
  ['email', '', 'Email is required'],
  ['email', 'anna', 'Please enter a valid email'],
  ['email', `${'x'.repeat(61)}@mail.com`, undefined],
  ['email', `${'x'.repeat(62)}@mail.com`, 'Email must not exceed 70 characters.'],
  ['phone', { country: 'US', number: '' }, 'Please enter valid phone number'],
  ['subdomain_name', '', 'is required'],
  ['phone', { country: 'US', number: '(202) 555-0123' }, undefined],
  ['subdomain_name', 'a', undefined],
  ['subdomain_name', 'ab-', 'must not start or end with a hyphen'],
  ['subdomain_name', 'a-b-1', undefined],
  ['subdomain_name', 'a_b', 'must have only letters, digits, and hyphens'],
  ['subdomain_name', '-ab', 'must not start or end with a hyphen'],
  ['subdomain_name', 'x'.repeat(63), undefined],
  ['subdomain_name', 'x'.repeat(64), 'must not exceed 63 characters'],
  ['selected_terms', [], 'Please select payment term'],
])('[AGCY-18] %s %j: %s', (field, value, fault) =>
  expect(faultsOf({ ...good, [field]: value }, 'agency', true)[field]).toBe(fault),
);

test('a new agency has no payment terms to tick, and a client no subdomain', () => {
  expect(faultsOf({ ...good, selected_terms: [] }, 'agency', false)).toEqual({});
  expect(faultsOf({ ...good, subdomain_name: '' }, 'client', true)).toEqual({});
});

test('[AGCY-05] a change carries every field under its name, the version, and only what the person may set', async () => {
  const values = {
    ...good,
    company_name: ' New ',
    selected_terms: ['Prepaid'],
    selected_modules: ['locator'],
  };
  const sent = await changeToWire(values, row, { apiMode: true, plan: true, owner: true, host: true });
  expect(sent).toEqual({
    user_type: 'userdownline',
    company_name: 'New',
    full_name: 'Anna',
    email: 'anna@x.test',
    phone: '2025550123',
    phone_country: 'US',
    phone_calling: '+1',
    id: 'owner',
    action: 'downline',
    version: 7,
    subdomain_name: 'acme',
    white_labelling: 'F',
    beta_user: 'F',
    api_mode: 'T',
    plan_id: '',
    selected_terms: [
      { term: 'Weekly', status: false },
      { term: 'Prepaid', status: true },
    ],
    selected_modules: [
      { type: 'local', status: false },
      { type: 'locator', status: true },
    ],
  });
  const less = await changeToWire(values, row, { apiMode: false, plan: false, owner: true, host: false });
  expect('api_mode' in less || 'plan_id' in less || 'subdomain_name' in less).toBe(false);
  const bySales = await changeToWire(values, row, { apiMode: false, plan: false, owner: false, host: false });
  expect('api_mode' in bySales || 'beta_user' in bySales || 'white_labelling' in bySales).toBe(false);
  expect(bySales).toMatchObject({ company_name: 'New' });
  expect(takenAway(row, values)).toEqual(['local']);
});

test('[AGCY-06] a new agency carries its hosts and organization, a new client neither host', async () => {
  const agency = await newToWire({ ...good, domain: ' p.example.com ' }, 'agency');
  expect(agency).toMatchObject({
    subdomain_name: 'acme',
    domain: 'p.example.com',
    user_type: 'userdownline',
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
      developer_agreed: agreed,
      has_api_key: key,
    }).color,
  ).toBe(color),
);
