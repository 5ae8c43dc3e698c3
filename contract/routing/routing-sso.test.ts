import { describe, expect, test } from 'vitest';
import { type SsoFacts, ssoLanding } from './routing-sso.ts';

const agency: SsoFacts = {
  user_type: 'userdownline',
  system_user: false,
  local_url: 'visitor-id',
  profile_setup_completed: 'T',
  charges_enabled: true,
  payouts_enabled: true,
};
const SETUP = '/user/profile-setup';
const SETTING = '/configuration/general-setting';
const LOCAL = '/visitor-id/dashboard';

describe('[AUTH-13] where a single sign-on leads', () => {
  test.each<[string, Partial<SsoFacts>, string]>([
    ['profile setup is not done', { profile_setup_completed: 'F' }, SETUP],
    ['of a client, either', { user_type: 'client', profile_setup_completed: 'F' }, SETUP],
    [
      'of a system user, either',
      { user_type: 'user', system_user: true, profile_setup_completed: 'F' },
      SETUP,
    ],
    ['a client', { user_type: 'client' }, LOCAL],
    ['a client whose agency has no account', { user_type: 'client', charges_enabled: false }, LOCAL],
    [
      'a sales system user',
      { user_type: 'sales', system_user: true },
      '/configuration/sales-connect-account',
    ],
    ['a system user', { user_type: 'user', system_user: true }, '/configuration/agency-list'],
    [
      'a system administrator without an account',
      { user_type: 'administrator', system_user: true, charges_enabled: false },
      '/configuration/agency-list',
    ],
    ['charges are off', { charges_enabled: false }, SETTING],
    ['payouts are off', { payouts_enabled: false }, SETTING],
    ['both are off', { charges_enabled: false, payouts_enabled: false }, SETTING],
    ['anybody else', {}, LOCAL],
    ["an agency's sales person", { user_type: 'sales' }, LOCAL],
    ['a module name that needs encoding', { local_url: 'a b/c' }, '/a%20b%2Fc/dashboard'],
    ['no module', { local_url: '' }, '/dashboard'],
  ])('%s', (_, facts, path) => {
    expect(ssoLanding({ ...agency, ...facts })).toBe(path);
  });

  test('facts that are not known yet decide nothing', () => {
    expect(ssoLanding({ user_type: 'userdownline', system_user: false, local_url: 'visitor-id' })).toBe(
      LOCAL,
    );
  });
});
