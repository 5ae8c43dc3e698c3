import { describe, expect, test } from 'vitest';
import { AUDIENCE_SOURCES, whyNotIn } from '../../../../contract/ads/audience-rules.ts';
import { sha256 } from '../../../test/factories.ts';
import { columnsOf, MEMBER, readRow, readValue } from './row.policy.ts';

describe('[SIMP-03] rows of an uploaded list', () => {
  test.each([
    ['email', ' "Ann@Example.COM" ', { kind: MEMBER.sha256, value: sha256('ann@example.com') }],
    ['email', 'A'.repeat(64), { kind: MEMBER.sha256, value: 'a'.repeat(64) }],
    ['email', 'b'.repeat(32), { kind: MEMBER.md5, value: 'b'.repeat(32) }],
    ['email', 'ann@', 'is not an email address, or the SHA-256 or MD5 hash of one'],
    ['email', 'c'.repeat(40), 'is not an email address, or the SHA-256 or MD5 hash of one'],
    ['email', `${'x'.repeat(400)}@example.com`, 'is longer than 320 characters'],
    ['device', '38400000-8CF0-11BD-B23E-10B96E40000D', { value: '384000008cf011bdb23e10b96e40000d' }],
    ['device', '00000000-0000-0000-0000-000000000000', 'is not a mobile device ID (IDFA or GAID)'],
    ['ip', '66.1.2.3', { value: '00000000000000000000ffff42010203' }],
    ['ip', '10.0.0.1', 'is not an IP address of a single connection'],
    ['ip', '66.1.2', 'is not an IP address of a single connection'],
  ] as const)('%s: %s', (kind, text, expected) => {
    const read = readValue(text, kind);
    if (typeof expected === 'string') expect(read).toBe(expected);
    else expect(read).toMatchObject(expected);
  });

  test('postal addresses are read by their columns, and refused with the part that is wrong', () => {
    const columns = columnsOf(['Name', 'Street', 'City', 'State', 'Postal Code'], 'address');
    const read = (street: string, city: string, state: string, zip: string) =>
      readRow(['Ann', street, city, state, zip], columns, 'address');
    const first = read('12 Main  Street', 'New Orleans', 'louisiana', '70116-1234');
    expect(first.members).toMatchObject([
      { kind: MEMBER.address, address: '12 Main Street', city: 'New Orleans', state: 'LA', zip: '70116' },
    ]);
    expect(read('12 MAIN street', 'New Orleans', 'LA', '70116').members[0]!.value).toBe(
      first.members[0]!.value,
    );
    expect(read('', 'New Orleans', 'LA', '70116').fault!.reason).toBe('has no street address');
    expect(read('12 Main St', 'Toronto', 'ON', '70116').fault!.reason).toMatch(/state that is not one/);
    expect(read('12 Main St', 'New Orleans', 'LA', '7011').fault!.reason).toMatch(/not five digits/);
    expect(() => columnsOf(['address', 'city'], 'address')).toThrow(
      'The first line must name the columns address, city, state, and zip. It has no state, zip.',
    );
  });

  test('without a line that names columns, each row is one value', () => {
    expect(columnsOf(['ann@example.com'], 'email')).toBeNull();
    expect(readRow(['ann@example.com', 'ignored'], null, 'email').members).toHaveLength(1);
    expect(readRow([' '], null, 'email').fault!.reason).toBe('contains no value');
  });
});

test('[SIMP-03] Google and Meta take the client’s own customers only, and the reason is said', () => {
  const customers = { source: 'upload', kind: 'email', origin: 'customers' } as const;
  for (const place of ['google', 'meta'] as const) {
    expect(whyNotIn(place, customers)).toBeNull();
    expect(whyNotIn(place, { ...customers, origin: 'other' })).toMatch(/forbids lists that were bought/);
    for (const source of AUDIENCE_SOURCES.filter((one) => one !== 'upload'))
      expect(whyNotIn(place, { source, kind: null, origin: null })).toMatch(/gave you their details/);
    expect(whyNotIn(place, { ...customers, kind: 'ip' })).toMatch(/does not take IP addresses/);
    expect(whyNotIn(place, { ...customers, kind: 'address' })).toMatch(/only with names/);
  }
  expect(whyNotIn('simplifi', { ...customers, kind: 'device' })).toMatch(/postal addresses/);
});
