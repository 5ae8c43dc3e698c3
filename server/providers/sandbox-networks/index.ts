import { readFileSync } from 'node:fs';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import type { CompanyNetworks, Network } from '../../platform/company-network.ts';

const File = z.array(
  z.object({ range: z.cidrv4().or(z.cidrv6()), name: z.string(), domain: z.string(), country: z.string() }),
);

/**
 * Made-up companies on addresses that belong to no one (for documentation and tests), so that the demo has some and
 * real traffic never does. Their names say that they are a sandbox's.
 */
export function createSandboxNetworks(): CompanyNetworks {
  const rows = File.parse(JSON.parse(readFileSync(new URL('./networks.json', import.meta.url), 'utf8')));
  const networks = rows.map(({ range, ...network }) => ({
    range: ipaddr.parseCIDR(range),
    network: { ...network, source: 'Sandbox' },
  }));
  const of = (text: string): Network | null => {
    if (!ipaddr.isValid(text)) return null;
    const address = ipaddr.process(text);
    const found = networks.find(
      ({ range }) => range[0].kind() === address.kind() && address.match(range as [ipaddr.IPv4, number]),
    );
    return found?.network ?? null;
  };
  return { lookUp: async (addresses) => new Map(addresses.map((address) => [address, of(address)])) };
}
