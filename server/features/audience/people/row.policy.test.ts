import fc from 'fast-check';
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { describe, expect, test } from 'vitest';
import { canIdentify } from '../../../../contract/audience/import-rules.ts';
import { normalEmail, normalPhone } from '../../../platform/contacts.ts';
import { countryOf } from '../../../platform/countries.ts';
import {
  columnNames,
  fieldOf,
  headerFault,
  ignoredColumns,
  planColumns,
  unknownColumn,
} from './columns.policy.ts';
import { emailKeys, employeesOf, hashKey, ipKey, readPerson, readProfile, uuidKey } from './row.policy.ts';
import { readSignal, signalPlan } from './signal.policy.ts';

// The address and its hashes as printed by `printf %s test@example.com | sha256sum` and so on.
const SHA256 = '973dfe463ec85785f5f95af5ba3906eedb2d931c24e69824a89ea65dba4e813b';
const SHA1 = '567159d622ffbb50b11b0efd307be358624a26ee';
const MD5 = '55502f40dc8b7c769880b10874abc9d0';
const KEYS = [
  { kind: 1, value: SHA256 },
  { kind: 2, value: SHA1 },
  { kind: 3, value: MD5 },
];

describe('columns', () => {
  test.each([
    ['FIRST_NAME', 'first_name'],
    ['Last Name', 'last_name'],
    ['PERSONAL_EMAILS', 'email'],
    ['Email', 'email'],
    ['SHA256_PERSONAL_EMAIL', 'email_sha256'],
    ['HemSha256', 'email_sha256'],
    ['hem-md5', 'email_md5'],
    ['MOBILE_PHONE', 'phone'],
    ['phone1', 'phone'],
    ['DIRECT_NUMBER', 'phone2'],
    ['PERSONAL_ADDRESS', 'address'],
    ['PERSONAL_ZIP', 'zip'],
    ['COMPANY_NAME', 'company_name'],
    ['web', 'website'],
    ['JOB_TITLE', 'job_title'],
    ['IPAddress', 'ip'],
    ['MAID', 'device_id'],
    ['UUID', 'external_id'],
    ['AGE_RANGE', 'age_range'],
    ['GENDER', 'gender'],
    ['MARRIED', 'marital_status'],
    ['CHILDREN', 'children'],
    ['HOMEOWNER', 'home_owner'],
    ['INCOME_RANGE', 'income_range'],
    ['NET_WORTH', 'net_worth_range'],
    ['Credit_Range', 'credit_range'],
    ['Occupation_Detail', 'occupation'],
    ['Veteran_HH', 'veteran'],
    ['HEADLINE', 'headline'],
    ['SENIORITY_LEVEL', 'seniority'],
    ['DEPARTMENT', 'department'],
    ['COMPANY_DOMAIN', 'company_domain'],
    ['Industry', 'industry'],
    ['COMPANY_EMPLOYEE_COUNT', 'company_size'],
    ['COMPANY_REVENUE', 'company_revenue'],
    ['COMPANY_PHONE', 'company_phone'],
    ['BUSINESS_EMAIL', 'business_email'],
    ['LINKEDIN_URL', 'linkedin'],
    ['COMPANY_NAICS', 'naics'],
    ['COMPANY_SIC', 'sic'],
    ['MOBILE_PHONE_DNC', 'phone_dnc'],
    ['DNC', 'phone_dnc'],
    ['Skiptrace DNC', 'phone_dnc'],
    ['Do Not Call', 'phone_dnc'],
    ['DNC_SCRUB_DATE', 'phone_dnc_date'],
    ['Phone DNC Checked At', 'phone_dnc_date'],
    ['constructor', 'ignore'],
  ])('[IDEN-01] %s means %s', (name, field) => {
    expect(fieldOf(name)).toBe(field);
  });

  test('nameless columns and those of the same name can be told apart, and mapped', () => {
    const header = ['email', '', 'email', ' Phone '];
    expect(columnNames(header)).toEqual(['email', 'column 2', 'email (2)', 'Phone']);
    expect(planColumns(header, { 'column 2': 'city', 'email (2)': 'ignore' })).toEqual([
      'email',
      'city',
      'ignore',
      'phone',
    ]);
    expect(unknownColumn(header, { 'column 2': 'city' })).toBeNull();
    expect(unknownColumn(header, { column: 'city' })).toBe('column');
  });

  test('a file can identify by email, hash, phone, id, or name with address', () => {
    expect(canIdentify(['email_md5'])).toBe(true);
    expect(canIdentify(['phone2', 'ignore'])).toBe(true);
    expect(canIdentify(['last_name', 'address'])).toBe(true);
    expect(canIdentify(['first_name', 'last_name', 'city', 'ip'])).toBe(false);
  });

  test('[IDEN-01] countries by code and name', () => {
    for (const text of ['GB', 'uk', ' United Kingdom ', 'England', 'GBR']) expect(countryOf(text)).toBe('GB');
    expect([countryOf('USA'), countryOf('U.S.A.'), countryOf("Côte d'Ivoire")]).toEqual(['US', 'US', 'CI']);
    for (const text of ['', 'XX', 'Narnia', 'constructor']) expect(countryOf(text)).toBeNull();
  });

  test.each([
    ['PERSONAL_ZIP4', 'Only the 5-digit ZIP code is kept'],
    ['COMPANY_LINKEDIN_URL', 'Company profiles are not kept'],
    ['SKIPTRACE_ETHNIC_CODE', 'Sensitive data is not kept'],
    ['JOB_TITLE_LAST_UPDATED', 'Update dates are not kept'],
    ['Lieblingsfarbe', 'Column name not recognized'],
    ['', 'The column has no name'],
  ])('[IDEN-01] %j is not used, and says why', (name, reason) => {
    expect(ignoredColumns([name, 'email'], ['ignore', 'ignore'])).toEqual([
      { column: name || 'column 1', reason },
      { column: 'email', reason: 'Set to be ignored' },
    ]);
  });

  test('[IDEN-01] of a vendor file with 67 columns 45 are used, and each of the others says why not', () => {
    const header = VENDOR_COLUMNS.split(' ');
    expect(header).toHaveLength(67);
    const plan = planColumns(header, {});
    const ignored = ignoredColumns(header, plan);
    expect([plan.filter((field) => field !== 'ignore').length, ignored.length]).toEqual([45, 22]);
    expect(ignored.filter(({ reason }) => reason === 'Column name not recognized')).toEqual([]);
  });

  test('a first line that looks like data is none of names', () => {
    expect(headerFault(['name', 'email'])).toBeNull();
    expect(headerFault(['James', 'jbutt@gmail.com'])).toMatch(/looks like data/);
    expect(headerFault([MD5])).toMatch(/looks like data/);
    expect(headerFault(['504-621-8927'])).toMatch(/looks like data/);
    expect(headerFault(['e\0m\0'])).toMatch(/NUL/);
    expect(headerFault(['a\rb'])).toMatch(/CR only/);
    expect(headerFault([' ', ''])).toMatch(/empty/);
  });
});

describe('keys', () => {
  test('[IDEN-01] the three hashes are of the trimmed, unquoted, lowercase address', () => {
    expect(emailKeys(normalEmail(' "Test@Example.COM" ')!)).toEqual(KEYS);
  });

  test.each([
    '',
    'a',
    'a@b',
    'a b@c.de',
    '@c.de',
    'a@.de',
    'a@c..de',
    'a@@c.de',
    'a,b@c.de',
    `${'a'.repeat(65)}@c.de`,
  ])('%j is no address', (text) => expect(normalEmail(text)).toBeNull());

  test('[IDEN-01] the length of a hash tells its kind', () => {
    expect([SHA256, SHA1.toUpperCase(), `"${MD5}"`].map(hashKey)).toEqual(KEYS);
    for (const text of ['', 'abc', `${MD5}0`, MD5.replace('5', 'g')]) expect(hashKey(text)).toBeNull();
  });

  test('[IDEN-01] phones become E.164, of the United States unless they say otherwise', () => {
    for (const text of [
      '504-621-8927',
      '(504) 621-8927',
      '1 504 621 8927',
      '+1.504.621.8927',
      '5046218927',
      ' 504-621-8927 ext. 12',
    ]) {
      expect(normalPhone(text)).toBe('+15046218927');
    }
    expect(normalPhone('+44 20 7946 0958')).toBe('+442079460958');
    for (const text of ['020 7946 0958', '20 7946 0958', '44 20 7946 0958', '0044 20 7946 0958'])
      expect(normalPhone(text, 'GB')).toBe('+442079460958');
    expect(normalPhone('+1 504 621 8927', 'GB')).toBe('+15046218927');
    expect(normalPhone('504 621 8927', 'GB')).toBeNull();
    expect([normalPhone('020 7946 0958', null), normalPhone('+44 20 7946 0958', null)]).toEqual([
      null,
      '+442079460958',
    ]);
    for (const text of ['', '123', '911', '000-000-0000', '555-555-5555', 'none'])
      expect(normalPhone(text)).toBeNull();
  });

  test('the short way for North American numbers finds what the library finds', () => {
    const digits = (count: number) =>
      fc
        .array(fc.integer({ min: 0, max: 9 }), { minLength: count, maxLength: count })
        .map((all) => all.join(''));
    fc.assert(
      fc.property(
        digits(3),
        digits(3),
        digits(4),
        digits(4),
        fc.constantFrom('', ' ', '-', '.'),
        (area, exchange, line, other, gap) => {
          for (const last of [line, other]) {
            const text = [area, exchange, last].join(gap);
            const known = parsePhoneNumberFromString(text, 'US');
            expect(normalPhone(text)).toBe(known?.isValid() ? known.number : null);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('addresses have one form, and those of many machines are none', () => {
    expect(ipKey('8.8.8.8')).toEqual({ kind: 7, value: '00000000000000000000ffff08080808' });
    expect(ipKey('::ffff:8.8.8.8')).toEqual(ipKey('8.8.8.8'));
    expect(ipKey('2600:1700:0:0::1')).toEqual({ kind: 7, value: '26001700000000000000000000000001' });
    for (const text of [
      '127.0.0.1',
      '10.1.2.3',
      '192.168.1.1',
      '100.64.0.1',
      '::1',
      'fe80::1',
      'fd00::1',
      '0.0.0.0',
      '1.2.3',
      'x',
      '1',
      '300.1.1.1',
    ]) {
      expect(ipKey(text)).toBeNull();
    }
  });

  test('the id of those who opted out is nobody', () => {
    expect(uuidKey(5, 'AEBE52E7-03EE-455A-B3C4-E57283966239')).toEqual({
      kind: 5,
      value: 'aebe52e703ee455ab3c4e57283966239',
    });
    expect(uuidKey(5, '00000000-0000-0000-0000-000000000000')).toBeNull();
    expect(uuidKey(5, 'abc')).toBeNull();
  });
});

describe('a row', () => {
  test('[IDEN-01] plain and hashed addresses are the same person', () => {
    const plain = readPerson({ email: ['Test@example.com'] });
    const hashed = readPerson({ email_sha256: [SHA256.toUpperCase()] });
    expect(plain).toMatchObject({ content: { email: 'test@example.com' }, keys: KEYS });
    expect(hashed).toMatchObject({ content: {}, keys: [KEYS[0]] });
    expect('ref' in plain && 'ref' in hashed && plain.ref === hashed.ref).toBe(true);
  });

  test('lists of a vendor all become keys, the first is shown', () => {
    const read = readPerson({
      email: ['a@x.example, b@x.example', `"c@x.example";${MD5}`],
      phone: ['504-621-8927,504-845-1427'],
      phone2: ['(504) 621-8927'],
      ip: ['8.8.8.8, 10.0.0.1'],
      full_name: ['Ada King Lovelace'],
    });
    expect(read).toMatchObject({
      content: {
        email: 'a@x.example',
        phone: '+15046218927',
        phone2: '+15048451427',
        first_name: 'Ada',
        last_name: 'King Lovelace',
      },
    });
    const kinds = 'keys' in read ? read.keys.map((key) => key.kind) : [];
    expect(kinds.sort()).toEqual([1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 6, 6, 7]);
  });

  test('what is not valid is left out where something else tells who it is', () => {
    expect(
      readPerson({ email: ['no address'], phone: ['504-621-8927'], first_name: [' A\n B\t'] }),
    ).toMatchObject({
      content: { phone: '+15046218927', first_name: 'A B' },
      keys: [{ kind: 6 }],
    });
    expect(
      readPerson({ phone: ['12'], first_name: ['A'], address: ['1 Main'], zip: ['07062'] }),
    ).toMatchObject({
      content: { first_name: 'A', address: '1 Main', zip: '07062' },
      keys: [],
    });
  });

  test('bad rows say which field and why', () => {
    expect(readPerson({ email: ['nobody'] })).toEqual({
      field: 'email',
      reason: 'is not a valid email address',
      value: 'nobody',
    });
    expect(readPerson({ email_md5: ['12'] })).toMatchObject({
      field: 'email_md5',
      reason: expect.stringContaining('hash'),
    });
    expect(readPerson({ phone: ['12'] })).toMatchObject({
      field: 'phone',
      reason: 'is not a valid phone number (read as a number in US)',
    });
    expect(readPerson({ first_name: ['A'], ip: ['8.8.8.8'] })).toMatchObject({
      field: null,
      reason: expect.stringContaining('nothing'),
    });
    expect(readPerson({ email: ['a@x.example'], city: ['a\0b'] })).toMatchObject({
      field: 'city',
      reason: 'contains a NUL byte',
    });
    expect(readPerson({ email: ['a@x.example'], city: ['x'.repeat(1001)] })).toMatchObject({
      field: 'city',
      reason: 'is longer than 1000 characters',
    });
  });

  test('an id of the source is stronger than an address, and nothing else is the same', () => {
    const refs = [
      { external_id: ['7'], email: ['a@x.example'] },
      { email: ['a@x.example'] },
      { email_md5: [MD5] },
      { phone: ['504-621-8927'] },
      { first_name: ['A'], address: ['1 Main'] },
      { first_name: ['A'], address: ['1 Main'], zip: ['1'] },
    ].map((cells) => (readPerson(cells) as { ref: string }).ref);
    expect(new Set(refs).size).toBe(refs.length);
    expect(readPerson({ external_id: ['7'], email: ['b@x.example'] })).toMatchObject({ ref: refs[0] });
  });

  test('[BEY-31] what stands for a missing id makes no two people the same', () => {
    const { ref } = readPerson({ email: ['a@x.example'] }) as { ref: string };
    for (const id of [
      'NULL',
      'null',
      'N/A',
      'none',
      '0',
      '-',
      'Unknown',
      ' nan ',
      '\\N',
      `${'0'.repeat(8)}-0000`,
    ])
      expect(readPerson({ external_id: [id], email: ['a@x.example'] })).toMatchObject({
        ref,
        left: [{ field: 'external_id', reason: 'is a placeholder, not an ID', value: id.trim(), count: 1 }],
      });
    expect(readPerson({ external_id: ['NULL'] })).toMatchObject({
      reason: expect.stringContaining('nothing'),
    });
    for (const id of ['10', 'a-0', 'nullable'])
      expect(readPerson({ external_id: [id], email: ['a@x.example'] })).not.toHaveProperty('left');
    const plan = signalPlan(['external_id', 'keyword', 'seen_at']);
    const now = Date.parse('2026-03-10T15:00:00Z');
    expect(readSignal(['NULL', 'shoes', '2026-03-10'], plan, now)).toMatchObject({
      reason: expect.stringContaining('nothing'),
    });
    expect(readSignal(['7', 'shoes', '2026-03-10'], plan, now)).toMatchObject({ kind: 0 });
  });

  test('[BEY-31] a row has no more addresses and numbers than a person can have', () => {
    const emails = Array.from({ length: 134 }, (_, i) => `p${i}@x.example`);
    expect(readPerson({ email: [emails.slice(1).join(';')] })).toMatchObject({
      keys: expect.objectContaining({ length: 399 }),
    });
    const tooMany = {
      field: null,
      reason: 'would give one person more than 400 email hashes and phone numbers',
      value: null,
    };
    expect(readPerson({ email: [emails.join(';')] })).toEqual(tooMany);
    const phones = Array.from({ length: 401 }, (_, i) => `504621${String(2000 + i)}`);
    expect(readPerson({ phone: [phones.join(';')] })).toEqual(tooMany);
  });
});

describe('[CONF-04] profiles', () => {
  test('a row says what its cells say; what is not valid, or not said, is left out', () => {
    expect(readProfile({ email: ['a@b.example'], job_title: ['Baker'] })).toBeUndefined();
    expect(
      readProfile({
        age_range: ['  35-44 '],
        gender: [' '],
        seniority: ['C\u0007suite'],
        company_phone: ['12, 504-621-8927'],
        business_email: ['nobody, Ann@Work.Example'],
      }),
    ).toEqual({
      age_range: '35-44',
      seniority: 'C suite',
      company_phone: '+15046218927',
      business_email: 'ann@work.example',
    });
  });

  test('a business address recognizes, and stands in for a missing one; a domain for a missing website', () => {
    const one = readPerson({ business_email: ['ann@work.example'], company_domain: ['work.example'] });
    expect(one).toMatchObject({
      content: { email: 'ann@work.example', website: 'work.example' },
      keys: emailKeys('ann@work.example'),
    });
    const two = readPerson({ business_email: ['ann@work.example'], email: ['ann@home.example'] });
    expect(two).toMatchObject({ content: { email: 'ann@home.example' } });
    expect((two as { keys: unknown[] }).keys).toHaveLength(6);
    expect(canIdentify(['business_email'])).toBe(true);
    expect(readPerson({ business_email: ['nobody'] })).toMatchObject({ field: 'business_email' });
  });

  test.each([
    ['51 to 200', 51],
    ['10,000+', 10_000],
    ['250', 250],
    ['1K-5K', 1000],
    ['self-employed', null],
    ['99999999999', null],
    [undefined, null],
  ])('%s is at least %s people', (size, least) => {
    expect(employeesOf(size)).toBe(least);
  });
});

/** The columns of identity resolution files from several vendors (people, their work and skip tracing). */
const VENDOR_COLUMNS =
  'UUID FIRST_NAME LAST_NAME PERSONAL_ADDRESS PERSONAL_CITY PERSONAL_STATE PERSONAL_ZIP PERSONAL_ZIP4 AGE_RANGE CHILDREN GENDER ' +
  'HOMEOWNER MARRIED NET_WORTH INCOME_RANGE DIRECT_NUMBER DIRECT_NUMBER_DNC MOBILE_PHONE MOBILE_PHONE_DNC PERSONAL_PHONE ' +
  'PERSONAL_PHONE_DNC PERSONAL_EMAILS PERSONAL_VERIFIED_EMAILS DEEP_VERIFIED_EMAILS BUSINESS_EMAIL BUSINESS_VERIFIED_EMAILS ' +
  'SHA256_PERSONAL_EMAIL SHA256_BUSINESS_EMAIL JOB_TITLE HEADLINE DEPARTMENT SENIORITY_LEVEL COMPANY_NAME COMPANY_DOMAIN ' +
  'COMPANY_PHONE COMPANY_SIC COMPANY_NAICS COMPANY_REVENUE COMPANY_EMPLOYEE_COUNT LINKEDIN_URL JOB_TITLE_LAST_UPDATED ' +
  'COMPANY_LAST_UPDATED COMPANY_DESCRIPTION COMPANY_LINKEDIN_URL COMPANY_ADDRESS COMPANY_CITY COMPANY_STATE COMPANY_ZIP ' +
  'COMPANY_INDUSTRY SOCIAL_CONNECTIONS SKILLS INTERESTS SKIPTRACE_MATCH_SCORE SKIPTRACE_NAME SKIPTRACE_ADDRESS SKIPTRACE_CITY ' +
  'SKIPTRACE_STATE SKIPTRACE_ZIP SKIPTRACE_LANDLINE_NUMBERS SKIPTRACE_WIRELESS_NUMBERS SKIPTRACE_CREDIT_RATING SKIPTRACE_DNC ' +
  'SKIPTRACE_EXACT_AGE SKIPTRACE_ETHNIC_CODE SKIPTRACE_IP SKIPTRACE_B2B_ADDRESS SKIPTRACE_B2B_PHONE';
