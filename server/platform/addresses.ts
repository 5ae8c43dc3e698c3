import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

const globalIpv6 = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];
const nat64 = ipaddr.parseCIDR('64:ff9b::/96') as [ipaddr.IPv6, number];

/** Public addresses that are nevertheless served by the machine's own cloud host (Azure's metadata and DNS service). */
const hostServices = new Set(['168.63.129.16']);

/**
 * Whether an IP address (text) belongs to the public internet: not loopback, private, link-local, shared (CGNAT),
 * multicast, documentation, reserved, or the like. IPv4 addresses inside IPv6 ones (mapped, NAT64, 6to4) are judged by
 * the IPv4 address they lead to; every other tunnel is refused. Text that is not an address is not public.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text) || text.includes('%')) return false;
  const address = unwrap(ipaddr.parse(text));
  if (address.range() !== 'unicast') return false;
  // The library calls every unassigned IPv6 block 'unicast', IPv4-compatible ones (::7f00:1) included.
  if (address.kind() === 'ipv6') return (address as ipaddr.IPv6).match(globalIpv6);
  return !hostServices.has(address.toString());
}

function unwrap(address: Address): Address {
  if (address.kind() === 'ipv4') return address;
  const v6 = address as ipaddr.IPv6;
  if (v6.isIPv4MappedAddress()) return v6.toIPv4Address();
  const bytes = v6.toByteArray();
  if (v6.match(nat64)) return new ipaddr.IPv4(bytes.slice(12));
  if (v6.range() === '6to4') return new ipaddr.IPv4(bytes.slice(2, 6));
  return v6;
}
