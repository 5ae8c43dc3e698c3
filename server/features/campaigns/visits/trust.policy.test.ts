import { describe, expect, test } from 'vitest';
import { readNetwork } from './trust.policy.ts';

describe('[BEY-30] addresses and networks that can be trusted', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7/32'],
    ['203.0.113.7/24', '203.0.113.0/24'],
    ['203.0.113.7/22', '203.0.112.0/22'],
    ['::ffff:203.0.113.7', '203.0.113.7/32'],
    ['::ffff:203.0.113.0/120', '203.0.113.0/24'],
    ['2001:db8:1:2::5', '2001:db8:1:2::5/128'],
    ['2001:db8:1:2::/64', '2001:db8:1:2::/64'],
    ['2001:DB8:1::/48', '2001:db8:1::/48'],
  ])('reads %s as %s', (text, network) => expect(readNetwork(text)).toBe(network));

  test.each([
    '0.0.0.0/0',
    '10.0.0.0/8',
    '203.0.113.0/21',
    '::/0',
    '::ffff:0.0.0.0/96',
    '2001:db8::/47',
    '203.0.113.0/33',
    '203.0.113.0/',
    '203.0.113.0/-1',
    '203.0.113.0/24/24',
    '203.0.113',
    '0x7f.1',
    'fe80::1%eth0',
    'office',
    '',
  ])('refuses %j by name', (text) => expect(() => readNetwork(text)).toThrow(/^network: must /));
});
