import { Resolver } from 'node:dns/promises';

/** What a name server says: what it holds, or null when it did not answer (which is no news about the record). */
export type DnsAnswer = string[] | null;

/** Looks names up. Never throws. */
export interface Dns {
  /** The TXT records of a name, each joined to one text. */
  txt(name: string): Promise<DnsAnswer>;
  /** Where a CNAME leads, in lower case, without the trailing dot. */
  cname(name: string): Promise<DnsAnswer>;
  /** IPv4 and IPv6 addresses, CNAMEs followed. */
  addresses(name: string): Promise<DnsAnswer>;
}

/** The name exists not, or has no record of the kind: an answer. Everything else is none. */
const nothing = new Set(['ENODATA', 'ENOTFOUND', 'NOTFOUND', 'NODATA']);

/** Asks the given name servers ('192.0.2.1' or '127.0.0.1:5353'), else those of the system. */
export function createDns(servers: string[] = []): Dns {
  const ask = async (look: (resolver: Resolver) => Promise<string[]>): Promise<DnsAnswer> => {
    // One resolver a question: a name server that has been slow once is not avoided for ever.
    const resolver = new Resolver({ timeout: 2_500, tries: 2 });
    if (servers.length > 0) resolver.setServers(servers);
    try {
      return await look(resolver);
    } catch (error) {
      return nothing.has((error as { code?: string }).code ?? '') ? [] : null;
    }
  };
  return {
    txt: (name) => ask(async (resolver) => (await resolver.resolveTxt(name)).map((parts) => parts.join(''))),
    cname: (name) =>
      ask(async (resolver) =>
        (await resolver.resolveCname(name)).map((one) => one.toLowerCase().replace(/\.$/, '')),
      ),
    async addresses(name) {
      const [four, six] = await Promise.all([ask((r) => r.resolve4(name)), ask((r) => r.resolve6(name))]);
      return four === null && six === null ? null : [...(four ?? []), ...(six ?? [])];
    },
  };
}
