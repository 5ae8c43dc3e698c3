import { Resolver } from 'node:dns/promises';

/** A name server's answer: the records it has, or null if it did not respond (which says nothing about the record). */
export type DnsAnswer = string[] | null;

/** Looks up names. Never throws. */
export interface Dns {
  /** Returns the TXT records of a name, each joined into one text. */
  txt(name: string): Promise<DnsAnswer>;
  /** Returns the target of a CNAME, in lower case, without the trailing dot. */
  cname(name: string): Promise<DnsAnswer>;
  /** Returns IPv4 and IPv6 addresses, following CNAMEs. */
  addresses(name: string): Promise<DnsAnswer>;
}

/** The name does not exist, or has no record of the type, which is an answer. Any other error is not. */
const nothing = new Set(['ENODATA', 'ENOTFOUND', 'NOTFOUND', 'NODATA']);

/** Queries the given name servers ('192.0.2.1' or '127.0.0.1:5353'), or those of the system. */
export function createDns(servers: string[] = []): Dns {
  const ask = async (look: (resolver: Resolver) => Promise<string[]>): Promise<DnsAnswer> => {
    // One resolver per query: a name server that was slow once is not avoided forever.
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
