import { expect, test } from 'vitest';
import { revertLanding, switchLanding } from './routing-switch.ts';

const agency = {
  company_kind: 'agency',
  user_type: 'administrator',
  role_id: 'r1',
  profile_setup_completed: 'T',
  account_status: 'completed',
  local_url: 'site-id',
  locator_url: 'search-id',
} as const;
const client = { company_kind: 'client', profile_setup_completed: 'T', local_url: 'site-id' } as const;

test.each([
  [
    'an owner, who needs no role',
    { ...agency, user_type: 'userdownline', role_id: null },
    '/site-id/dashboard',
  ],
  ['an agency’s administrator without a role', { ...agency, role_id: null }, '/user/profile-setup'],
  ['an administrator with an empty role', { ...agency, role_id: '' }, '/user/profile-setup'],
  ['an incomplete profile', { ...agency, profile_setup_completed: 'F' }, '/user/profile-setup'],
  ['a client with an incomplete profile', { ...client, profile_setup_completed: 'F' }, '/user/profile-setup'],
  ['a client, who has no role to set', { ...client, role_id: null }, '/site-id/dashboard'],
  ['a complete profile and Site ID', agency, '/site-id/dashboard'],
  ['Search ID alone', { ...agency, local_url: '' }, '/search-id/dashboard'],
  ['a name that needs escaping', { ...agency, local_url: 'a b' }, '/a%20b/dashboard'],
  ['neither module', { ...agency, local_url: null, locator_url: null }, '/configuration/general-setting'],
  [
    'a payment account that is not completed',
    { ...agency, account_status: 'pending' },
    '/configuration/general-setting',
  ],
  ['no payment account at all', { ...agency, account_status: '' }, '/configuration/general-setting'],
  ['the profile goes first', { ...agency, account_status: '', role_id: null }, '/user/profile-setup'],
  ['a client’s account is the agency’s matter', { ...client, account_status: '' }, '/site-id/dashboard'],
  [
    'what is not known holds nobody up',
    { company_kind: 'agency', local_url: 'site-id' },
    '/site-id/dashboard',
  ],
] as const)('[ROUT-11] after switching user: %s', (_, facts, page) => {
  expect(switchLanding(facts)).toBe(page);
});

test('[NAV-03] after returning: the list that the view began from', () => {
  expect(revertLanding({ system_user: true })).toBe('/configuration/agency-list');
  expect(revertLanding({ system_user: false })).toBe('/configuration/client-management');
});
