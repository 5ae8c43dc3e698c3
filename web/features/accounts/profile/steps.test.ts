import { describe, expect, test } from 'vitest';
import type { SessionUser } from '../../../../contract/accounts/users.ts';
import { ApiError } from '../../../api/errors.ts';
import { loadPhones, phoneFault } from '../../../ui/usePhone.ts';
import { reach, stepAt } from '../../../ui/wizard.ts';
import {
  companyOf,
  companyRules,
  companyStart,
  companyWire,
  detailsOf,
  detailsRules,
  detailsWire,
  emailFault,
  inFormWords,
  isComplete,
  pictureFault,
} from './model.ts';
import { finishPath, finishWords, stepsOf } from './steps.ts';

const phones = await loadPhones();

const filled = {
  id: '1',
  grade: 'agency.owner',
  company_kind: 'agency',
  name: 'Ann Agency',
  email: 'ann@agency.example',
  phone: '2015550123',
  phone_country: 'US',
  phone_calling: '+1',
  address: '1 Main St',
  city: 'Hoboken',
  zip: '07030',
  country_code: 'US',
  state_code: 'NJ',
  company_name: 'Agency',
  company_email: 'office@agency.example',
  company_phone: '+12015550123',
  company_address: '1 Main St',
  company_city: 'Hoboken',
  company_zip: '07030',
  company_country_code: 'US',
  company_state_code: 'NJ',
} as SessionUser;
const person = (more: Partial<SessionUser>): SessionUser => ({ ...filled, ...more });
const check = {
  gateway: 'sandbox',
  card_set: false,
  account_status: '',
  onboarding_on: false,
  onboarding_waiting: false,
} as const;
const keys = (user: SessionUser, withCard = true, gateway: 'sandbox' | 'stripe' | 'none' = 'sandbox') =>
  stepsOf(user, { ...check, gateway: gateway }, false, withCard).map(({ key }) => key);

test('[PROF-01] what is known of a company’s owner is not asked for again', () => {
  const bare = person({
    company_email: '',
    company_phone: '',
    company_address: '',
    company_city: '',
    company_zip: '',
    company_country_code: '',
    company_state_code: '',
  });
  expect(companyStart(bare)).toEqual({
    ...companyOf(filled),
    email: filled.email,
    phone: detailsOf(filled).phone,
  });
  expect(isComplete(companyStart(bare), companyRules(true))).toBe(true);
  // The company's own values stay; an address is never mixed from two sources.
  const own = person({ company_email: 'bills@agency.example', company_city: 'Newark', company_address: '' });
  expect(companyStart(own)).toEqual(companyOf(own));
});

describe('[PROF-01] the steps suit who it is', () => {
  test.each([
    ['agency.owner', 'agency', ['details', 'company', 'agreement', 'card', 'account']],
    ['agency.administrator', 'agency', ['details', 'agreement', 'card', 'account']],
    ['client.owner', 'client', ['details', 'company', 'agreement', 'card']],
    ['client.administrator', 'client', ['details', 'agreement']],
    ['root.owner', 'root', ['details', 'company']],
    ['root.administrator', 'root', ['details']],
  ] as const)('%s', (grade, company_kind, expected) => {
    expect(keys(person({ grade, company_kind }))).toEqual(expected);
  });

  test('profile-setup-v1 has no card step; without a card provider there is neither card nor account', () => {
    expect(keys(filled, false)).toEqual(['details', 'company', 'agreement', 'account']);
    expect(keys(filled, true, 'none')).toEqual(['details', 'company', 'agreement']);
  });

  test('[PAY-08] an agency with an onboarding charge has a step for it, which the work waits at', () => {
    const asked = { ...check, onboarding_on: true, onboarding_waiting: true, card_set: true };
    const steps = stepsOf(filled, asked, true, true);
    expect(steps.map(({ key }) => key)).toEqual([
      'details',
      'company',
      'agreement',
      'card',
      'onboarding',
      'account',
    ]);
    expect(steps[stepAt(steps)]!.key).toBe('onboarding');
    const paid = stepsOf(filled, { ...asked, onboarding_waiting: false }, true, true);
    expect(paid.find(({ key }) => key === 'onboarding')?.isDone).toBe(true);
    expect(stepsOf(filled, asked, true, false).map(({ key }) => key)).not.toContain('onboarding');
  });

  test('what the server holds decides where the work goes on', () => {
    const at = (user: SessionUser, isAgreed: boolean, card_set: boolean) => {
      const steps = stepsOf(user, { ...check, card_set }, isAgreed, true);
      return steps[stepAt(steps)]!.key;
    };
    expect(at(person({ phone: '' }), true, true)).toBe('details');
    expect(at(person({ company_zip: '' }), true, true)).toBe('company');
    expect(at(filled, false, true)).toBe('agreement');
    expect(at(filled, true, false)).toBe('card');
    expect(at(filled, true, true)).toBe('account');
  });

  test('the account may wait: the last step is within reach without it', () => {
    const steps = stepsOf(filled, { ...check, card_set: true }, true, true);
    expect(reach(steps)).toBe(steps.length - 1);
    expect(steps.at(-1)).toMatchObject({ key: 'account', isDone: false });
  });

  test('a card may wait where an onboarding charge will ask for it, or the agency bills outside the system', () => {
    const card = (user: SessionUser, onboardingOn: boolean) => {
      const steps = stepsOf(user, { ...check, onboarding_on: onboardingOn }, true, true);
      return Boolean(steps.find(({ key }) => key === 'card')!.isOptional);
    };
    const client = person({ grade: 'client.owner', company_kind: 'client', manual_bill: 'F' });
    expect([card(filled, false), card(filled, true)]).toEqual([false, true]);
    expect([card(client, true), card({ ...client, manual_bill: 'T' }, false)]).toEqual([false, true]);
  });

  test('the final button', () => {
    const ends = (user: SessionUser) => [finishWords(user), finishPath(user)];
    expect(ends(person({ company_kind: 'client', grade: 'client.owner' }))).toEqual([
      'Go To Dashboard',
      '/dashboard',
    ]);
    for (const company_kind of ['agency', 'root'] as const)
      expect(ends(person({ company_kind, grade: `${company_kind}.owner` }))).toEqual([
        'Go To General Settings',
        '/configuration/general-setting',
      ]);
    // Users without general settings are not sent to a page that does not exist for them.
    const reader = person({
      grade: 'agency.administrator',
      module_permissions: (['Ads Design', 'Campaign', 'LeadsPeek', 'Settings'] as const).map(
        (module_name) => ({
          module_name,
          enable_permission: 'F' as const,
          create_permission: 'F' as const,
          update_permission: 'F' as const,
          delete_permission: 'F' as const,
        }),
      ),
    });
    expect(ends(reader)).toEqual(['Go To Dashboard', '/dashboard']);
  });
});

describe('[PROF-02] [PROF-03] a step’s values', () => {
  test('travel in the names of the call', () => {
    expect(detailsWire({ ...detailsOf(filled), email: ' Ann@Agency.Example ' }, phones)).toEqual({
      name: 'Ann Agency',
      email: 'ann@agency.example',
      phone: '2015550123',
      phone_country: 'US',
      phone_calling: '+1',
      address: '1 Main St',
      city: 'Hoboken',
      zip: '07030',
      country_code: 'US',
      state_code: 'NJ',
    });
    const company = companyWire({ ...detailsOf(filled), name: 'Agency' }, phones);
    expect(company).toMatchObject({ company_name: 'Agency', company_phone: '+12015550123' });
  });

  test('a phone that is missing or wrong says so in the spec’s words', () => {
    expect(phoneFault({ country: 'US', number: '201' }, true)).toBe('Please enter valid phone number');
    expect(phoneFault({ country: '', number: '2015550123' }, true)).toBe('Please enter valid phone number');
    expect(phoneFault({ country: 'US', number: ' ' }, true)).toBe('Please enter valid phone number');
    expect(phoneFault({ country: 'US', number: ' ' })).toBeNull();
    expect(phoneFault({ country: 'US', number: '2015550123' }, true)).toBeNull();
  });

  test('another email address needs the password, and only then does it travel', () => {
    const rules = detailsRules('ann@agency.example');
    const values = { ...detailsOf(filled), email: 'new@agency.example' };
    expect(rules.current_password('', values)).toBe('Enter your password');
    expect(rules.current_password('secret', values)).toBeNull();
    expect(rules.current_password('', { ...values, email: ' ANN@agency.example ' })).toBeNull();
    expect(detailsWire({ ...values, current_password: 'secret' }, phones).current_password).toBe('secret');
    expect(detailsWire(values, phones)).not.toHaveProperty('current_password');
  });

  test('names of 255 characters pass, of 256 do not', () => {
    const rules = detailsRules('ann@agency.example');
    expect(rules.name('x'.repeat(255))).toBeNull();
    expect(rules.name('x'.repeat(256))).toBe('Full Name must not exceed 255 characters.');
  });

  test.each([
    ['', 'Enter an email address'],
    ['nobody', 'Enter a valid email address'],
    [`${'x'.repeat(60)}@example.com`, 'Use 70 characters or fewer'],
    ['a@b.example', null],
  ])('the address %j', (text, fault) => {
    expect(emailFault(text, true)).toBe(fault);
  });

  test('a step is complete only with everything it asks for', () => {
    expect(isComplete(detailsOf(filled), detailsRules('ann@agency.example'))).toBe(true);
    expect(isComplete(detailsOf(person({ city: '' })), detailsRules('ann@agency.example'))).toBe(true);
    expect(isComplete(detailsOf(person({ name: ' ' })), detailsRules('ann@agency.example'))).toBe(false);
    expect(isComplete(companyOf(filled), companyRules(true))).toBe(true);
    expect(isComplete(companyOf(person({ company_city: '' })), companyRules(true))).toBe(false);
    expect(isComplete(companyOf(person({ company_city: '' })), companyRules(false))).toBe(true);
  });

  test('messages of the server land under the form’s fields', () => {
    const error = new ApiError(422, 'No', {
      errors: { company_state_code: ['is unknown'], phone: ['x'], company_name: ['y'] },
    });
    expect((inFormWords(error) as ApiError).errors).toEqual({
      state: ['is unknown'],
      phone: ['x'],
      name: ['y'],
    });
  });
});

describe('[PROF-02] a picture is looked at before it is sent', () => {
  test.each([
    ['image/svg+xml', 100, /PNG, JPEG, or WebP/],
    ['', 100, /PNG, JPEG, or WebP/],
    ['image/png', 0, /empty/],
    ['image/png', 30 * 1024 * 1024, /30\.0 MB.*up to 2 MB/],
  ])('%s of %d bytes is refused', (type, size, words) => {
    expect(pictureFault({ type, size })).toMatch(words);
  });
  test('a PNG of 2 MB is taken', () => {
    expect(pictureFault({ type: 'image/png', size: 2 * 1024 * 1024 })).toBeNull();
  });
});
