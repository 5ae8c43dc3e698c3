import { describe, expect, test } from 'vitest';
import { countries, hintOf, phoneResult, tidied, typed, wireOf, withCountry } from './phone.ts';
import { ofWire } from './usePhone.ts';

const us = (number: string) => ({ country: 'US', number });

describe('[PROF-03] the phone-number result', () => {
  test('tells everything about a valid number', () => {
    expect(phoneResult(us('(201) 555-0123'))).toEqual({
      countryCode: 'US',
      isValid: true,
      phoneNumber: '(201) 555-0123',
      countryCallingCode: '1',
      nationalNumber: '2015550123',
      formatInternational: '+1 201 555 0123',
      formatNational: '(201) 555-0123',
      e164: '+12015550123',
      type: 'FIXED_LINE_OR_MOBILE',
      uri: 'tel:+12015550123',
    });
  });

  test('knows a mobile from a landline where the plan tells', () => {
    expect(phoneResult({ country: 'GB', number: '07400 123456' }).type).toBe('MOBILE');
    expect(phoneResult({ country: 'GB', number: '020 7946 0018' }).type).toBe('FIXED_LINE');
  });

  test.each([
    ['too short', us('555-01')],
    ['too long', us('201 555 0123 4567')],
    ['an area that does not exist', us('(001) 555-0123')],
    ['words', us('call me')],
    ['empty', us('')],
    ['no country', { country: '', number: '2015550123' }],
    ['a country that does not exist', { country: 'ZZ', number: '2015550123' }],
  ])('is not valid: %s', (_why, value) => {
    expect(phoneResult(value).isValid).toBe(false);
  });

  test('a country by itself has its calling code', () => {
    expect(phoneResult({ country: 'GB', number: '' })).toMatchObject({
      countryCode: 'GB',
      countryCallingCode: '44',
      phoneNumber: null,
      e164: null,
    });
  });
});

describe('[PROF-03] what people paste', () => {
  test.each([
    ['+44 20 7946 0018', 'GB', '020 7946 0018'],
    ['0044 20 7946 0018', 'GB', '020 7946 0018'],
    ['tel:+1-201-555-0123', 'US', '(201) 555-0123'],
    ['+1 (416) 555-0123', 'CA', '(416) 555-0123'],
    ['(+49) 30 123456', 'DE', '030 123456'],
    ['＋１ ２０１ ５５５ ０１２３', 'US', '(201) 555-0123'],
    ['+7 701 123 45 67', 'KZ', '8 (701) 123 4567'],
  ])('%s chooses %s', (text, country, number) => {
    expect(tidied(typed(us(''), text))).toEqual({ country, number });
  });

  test.each(['201.555.0123', '2015550123', '1 201 555 0123', '  (201)555-0123 '])(
    'without a country code, %s is of the chosen country',
    (text) => {
      expect(tidied(typed(us(''), text))).toEqual(us('(201) 555-0123'));
    },
  );

  test('keeps the chosen country while the code is still ambiguous, and what was typed', () => {
    expect(typed(us(''), '+1')).toEqual(us('+1'));
    expect(typed({ country: 'CA', number: '' }, '+1 4')).toEqual({ country: 'CA', number: '+1 4' });
  });

  test('choosing another country drops the first one’s code', () => {
    const value = typed(us(''), '+44 7400 123456');
    expect(withCountry(value, 'US')).toEqual(us('7400123456'));
    expect(withCountry(us('201'), 'GB')).toEqual({ country: 'GB', number: '201' });
    expect(withCountry(value, '')).toEqual({ country: '', number: '+44 7400 123456' });
  });

  test('an unfinished number is left as it was typed', () => {
    expect(tidied(us('201 55'))).toEqual(us('201 55'));
  });
});

describe('[PROF-03] hints', () => {
  test('a number without a country: Choose country', () => {
    expect(hintOf({ country: '', number: '201' })).toEqual({ country: 'Choose country' });
  });
  test('an invalid number: an example of the country', () => {
    expect(hintOf(us('201'))).toEqual({ number: 'Example: (201) 555-0123' });
    expect(hintOf({ country: 'GB', number: '1' })).toEqual({ number: 'Example: 07400 123456' });
  });
  test('nothing for a valid or empty one', () => {
    expect(hintOf(us('201 555 0123'))).toEqual({});
    expect(hintOf({ country: '', number: ' ' })).toEqual({});
  });
});

describe('[PROF-03] the parts that travel', () => {
  test('there and back', () => {
    const wire = { phone: '2015550123', phone_country: 'US', phone_calling: '+1' };
    expect(wireOf(us('+1 201 555 0123'))).toEqual(wire);
    expect(tidied(ofWire(wire))).toEqual(us('(201) 555-0123'));
    expect(wireOf(ofWire(wire))).toEqual(wire);
    expect(tidied(ofWire({ phone: '+12015550123', phone_country: '' }))).toEqual(us('(201) 555-0123'));
  });
  test('none for what is not valid, empty ones for an empty number', () => {
    expect(wireOf(us('201'))).toBeUndefined();
    expect(wireOf(us(''))).toEqual({ phone: '', phone_country: '', phone_calling: '' });
  });
});

test('[PROF-03] the countries are named and sorted', () => {
  const all = countries();
  expect(all.length).toBeGreaterThan(240);
  expect(all).toContainEqual({ code: 'US', name: 'United States', callingCode: '+1' });
  expect(all.map(({ name }) => name)).toEqual(
    all.map(({ name }) => name).toSorted((a, b) => a.localeCompare(b, 'en-US')),
  );
});
