import { describe, expect, test } from 'vitest';
import { messages, ownMessages } from '../messages.ts';
import {
  accountConnected,
  accountWarning,
  betaShown,
  hidesOperatingMenus,
  mayContinueAgency,
} from './setup-rules.ts';

const good = {
  setup_complete: 'T',
  access: '',
  agency_access: '',
  payment_failed: false,
  account_status: 'completed',
  package_id: 'standard',
  gateway: 'sandbox',
  card_set: true,
  onboarding_on: false,
} as const;
type Check = Parameters<typeof hidesOperatingMenus>[0];
type Who = Parameters<typeof hidesOperatingMenus>[1];
const check = (change: Partial<Check> = {}): Check => ({ ...good, ...change });
const agency: Who = {
  company_kind: 'agency',
  user_type: 'userdownline',
  in_view_mode: false,
  manual_bill: 'F',
  profile_setup_completed: 'T',
};
const client: Who = { ...agency, company_kind: 'client', user_type: 'client' };

describe('[ROUT-12] the payment account counts as connected (spec product 4, Client setup)', () => {
  // account_status, gateway, package, manual billing, connected
  test.each([
    ['completed', 'stripe', 'standard', false, true],
    ['completed', 'sandbox', 'standard', true, true],
    ['completed', 'none', 'standard', false, true],
    ['completed', 'stripe', '', false, false],
    ['', 'none', 'standard', false, true],
    ['', 'none', '', false, false],
    ['', 'stripe', 'standard', false, false],
    ['', 'stripe', 'standard', true, true],
    ['', 'sandbox', 'standard', true, true],
    ['', 'stripe', '', true, false],
    ['failed', 'stripe', 'standard', true, true],
    ['failed', 'stripe', 'standard', false, false],
    ['failed', 'stripe', '', true, false],
    ['failed', 'none', 'standard', true, false],
    ['pending', 'stripe', 'standard', true, false],
    ['inverification', 'stripe', 'standard', true, false],
    ['pending', 'none', 'standard', false, false],
  ] as const)(
    "'%s' with gateway %s, package '%s' and manual billing %s: %s",
    (accountStatus, gateway, package_id, manual, connected) => {
      expect(accountConnected({ account_status: accountStatus, gateway, package_id }, manual)).toBe(
        connected,
      );
    },
  );
});

describe('[ROUT-13] an agency may go on', () => {
  test.each([
    ['T', false, true, true],
    ['T', true, false, true],
    ['T', false, false, false],
    ['F', true, true, false],
  ] as const)(
    'setup_complete %s, onboarding %s, card %s: %s',
    (setupComplete, onboarding, card_set, goes) => {
      expect(
        mayContinueAgency(check({ setup_complete: setupComplete, onboarding_on: onboarding, card_set })),
      ).toBe(goes);
    },
  );
});

describe('[ROUT-13] the menus of the daily work', () => {
  test.each<[string, Check, Who, boolean]>([
    ['all is well', check(), agency, false],
    ['an agency without a card', check({ card_set: false }), agency, true],
    ['no gateway, no card', check({ card_set: false, gateway: 'none' }), agency, false],
    ['an agency without an account', check({ account_status: '' }), agency, true],
    ['the same, billed by hand', check({ account_status: '' }), { ...agency, manual_bill: 'T' }, false],
    ['a failed payment', check({ payment_failed: true }), agency, true],
    ["the agency's access lost", check({ agency_access: 'paymentfailed' }), agency, true],
    ['its clients are spared', check({ agency_access: 'paymentfailed' }), client, false],
    ["the client's access lost", check({ access: 'paymentfailed' }), client, true],
    ["the agency's account unfinished", check({ account_status: 'pending' }), client, true],
    ['a client with its set-up undone', check({ setup_complete: 'F' }), client, true],
    ['a client all set', check(), client, false],
    ['view mode', check({ card_set: false }), { ...agency, in_view_mode: true }, false],
    ['the people of a root', check({ account_status: '' }), { ...agency, company_kind: 'root' }, false],
  ])('%s', (_, given, who, hidden) => {
    expect(hidesOperatingMenus(given, who)).toBe(hidden);
  });
});

describe('the warning that stays', () => {
  test.each<[string, Check, Who, string | null]>([
    ['all is well', check(), agency, null],
    ['an unfinished profile', check(), { ...client, profile_setup_completed: 'F' }, messages.completeProfile],
    ['an agency without a card', check({ card_set: false }), agency, messages.completePayment],
    ['an agency without an account', check({ account_status: '' }), agency, messages.completePayment],
    ['pending', check({ account_status: 'pending' }), client, ownMessages.agencyAccountUnfinished],
    [
      'inverification',
      check({ account_status: 'inverification' }),
      client,
      ownMessages.agencyAccountUnfinished,
    ],
    ['no account', check({ account_status: '' }), client, ownMessages.agencyAccountUnfinished],
    ['failed', check({ account_status: 'failed' }), client, ownMessages.agencyAccountAway],
    ['a client without a card', check({ setup_complete: 'F' }), client, messages.completePayment],
    ['view mode', check({ card_set: false }), { ...agency, in_view_mode: true }, null],
  ])('%s', (_, given, who, text) => {
    expect(accountWarning(given, who)).toBe(text);
  });

  test('the texts of the spec', () => {
    expect(messages.completePayment).toBe(
      'Complete your payment setup first to fully use the system. (Go to Profile -> Payment Setup)',
    );
    expect(messages.completeProfile).toBe(
      'Please complete your profile to fully use the system. (Go to Profile)',
    );
  });
});

test.each([
  [true, false, false, false],
  [true, true, false, true],
  [true, false, true, true],
  [false, true, true, false],
])('[BETA-01] is_beta %s, for all %s, beta user %s: shown %s', (is_beta, forAll, betaUser, shown) => {
  const feature = {
    id: 2,
    name: 'B2B ID',
    slug: 'b2b_module',
    is_beta,
    for_all: forAll,
  } as const;
  expect(betaShown({ beta_features: [feature], beta_user: betaUser }, 'b2b_module')).toBe(shown);
  expect(betaShown({ beta_features: [feature], beta_user: betaUser }, 'data_wallet')).toBe(false);
});
