import ipaddr from 'ipaddr.js';
import { refusalOf } from '../../../../contract/errors.ts';

/** The largest networks that can be trusted: 1,024 addresses, or one customer's IPv6 range. */
const LARGEST = { ipv4: 22, ipv6: 48 };

/**
 * Returns an address or network as it is stored: '203.0.113.7' is '203.0.113.7/32', and '203.0.113.7/24' is
 * '203.0.113.0/24'.
 * @throws Refusal 422 if it is neither, or too large
 */
export function readNetwork(text: string): string {
  const [host = '', length, ...more] = text.split('/');
  if (
    !ipaddr.isValid(host) ||
    host.includes('%') ||
    more.length > 0 ||
    (ipaddr.IPv4.isValid(host) && !ipaddr.IPv4.isValidFourPartDecimal(host))
  )
    throw refusalOf('network', 'must be an address or network such as 203.0.113.7 or 203.0.113.0/24');
  const given = ipaddr.parse(host);
  const address = ipaddr.process(host);
  const most = address.kind() === 'ipv4' ? 32 : 128;
  // ::ffff:203.0.113.0/120 is 203.0.113.0/24.
  const mapped = given.kind() === address.kind() ? 0 : 96;
  if (length !== undefined && !/^\d{1,3}$/.test(length))
    throw refusalOf('network', 'must include its prefix length after the slash, such as 203.0.113.0/24');
  const bits = length === undefined ? most : Number(length) - mapped;
  if (bits > most || bits < LARGEST[address.kind()])
    throw refusalOf(
      'network',
      `must have a prefix length of ${LARGEST[address.kind()]} to ${most}. Larger networks include too many strangers`,
    );
  const kind = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${kind.networkAddressFromCIDR(`${address.toString()}/${bits}`).toString()}/${bits}`;
}
