import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { vendors } from '../../../integrations/index.ts';
import { fieldsOf, type Mapping } from '../../../integrations/mapping.ts';
import type { Result } from '../../../integrations/port.ts';
import { provesBadAddress, saysAddressFails } from './refused.policy.ts';

const hubspot = vendors.get('hubspot')!;
const LEAD = { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@people.example', phone: '+12025550123' };
const refused = (why: string): { result: Result } => ({
  result: { kind: 'final', why, fix: 'Check the email address.', status: 400 },
});
const REFUSED = refused('The service returned 400: Email address ada@people.example is invalid');
const proves = (
  mapping: Mapping,
  answer: { result: Result; isShared?: boolean } = REFUSED,
  settings: Record<string, string> = {},
  vendor = hubspot,
) => provesBadAddress(vendor, { fields: fieldsOf(vendor, mapping, LEAD), settings }, LEAD, answer);

describe('[BEY-30] what proves that an address does not work', () => {
  test('the lead’s own address, refused in the vendor’s own field', () => {
    expect(proves({})).toBe(true);
  });

  test('a text, another field of the lead, or a field of the client’s own proves nothing', () => {
    expect(proves({ email: 'text:nobody' })).toBe(false);
    expect(proves({ email: 'last_name' })).toBe(false);
    expect(proves({ email: '' })).toBe(false);
    expect(proves({ firstname: 'text:Email address is invalid' })).toBe(false);
    expect(proves({ phone: 'email' })).toBe(false);
    expect(proves({ own_email: 'email' })).toBe(false);
    expect(proves({ own_email: 'text:nobody' })).toBe(false);
  });

  test('whatever a client maps, a proof means that nothing but the lead was sent', () => {
    const key = fc.constantFrom(...hubspot.fields.map((one) => one.key), 'own_email', 'own');
    const source = fc.constantFrom('email', 'last_name', 'phone', '', 'text:nobody', 'text:email is invalid');
    fc.assert(
      fc.property(fc.dictionary(key, source), (mapping) => {
        const own = fieldsOf(hubspot, {}, LEAD);
        const sent = Object.entries(fieldsOf(hubspot, mapping, LEAD));
        if (proves(mapping)) expect(sent.every(([at, value]) => own[at] === value)).toBe(true);
      }),
    );
  });

  test('only a final answer about this lead counts, in the service’s own words', () => {
    expect(proves({}, { ...REFUSED, isShared: true })).toBe(false);
    expect(proves({}, { result: { kind: 'retry', why: 'Email is invalid', status: 500 } })).toBe(false);
    // What we suggest is not what the service said, and an address is not a word.
    expect(proves({}, refused('The phone number is invalid'))).toBe(false);
    expect(proves({}, refused('The name of a@mailbox.example is invalid'))).toBe(false);
    const list = { list: 'Email does not exist' };
    expect(proves({}, refused('Email does not exist: there is no such list'), list)).toBe(false);
    expect(saysAddressFails('Email address ••• is invalid')).toBe(true);
  });

  test('no service whose address or answer a client chooses', () => {
    const judging = [...vendors.values()].filter(({ judgesEmail }) => judgesEmail !== null);
    expect(judging.map(({ id }) => id)).toEqual([
      'agencyzoom',
      'gohighlevel',
      'gohighlevel-v1',
      'hubspot',
      'kartra',
      'sendgrid',
    ]);
    for (const vendor of vendors.values())
      if (!judging.includes(vendor)) expect(proves({}, REFUSED, {}, vendor)).toBe(false);
  });
});
