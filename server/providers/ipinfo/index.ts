import { z } from 'zod';
import type { CompanyNetworks, Network } from '../../platform/company-network.ts';
import { jsonOf, type Outbound, OutboundError } from '../../platform/outbound.ts';

/** Visits wait for it, so it is short. */
const TIMEOUT_MS = 3_000;
const MOST_BYTES = 64_000;
const AT_ONCE = 8;
/** Answers are kept in memory only, so that a visitor's pages are one question, and no address outlives its visit. */
const KEPT = 20_000;
const KEPT_MS = 3_600_000;
/** So many failures in a row, and it is not asked for a while: the visits of all clients wait for the answers. */
const MOST_FAILURES = 5;
const PAUSE_MS = 60_000;
/** What has no answer after this long is no company's, however the vendor answers. */
const LONGEST_MS = 10_000;
/** Networks of providers and of data centers say nothing about who uses them. */
const COMPANIES = new Set(['business', 'education', 'government']);

const Found = z.object({
  country: z.string().length(2).optional(),
  company: z
    .object({ name: z.string().min(1), domain: z.string().min(1), type: z.string().optional() })
    .optional(),
});

/** IPinfo's address lookup with company data (GET /{address}/json) at `base`. */
export function createIpinfo(parts: {
  outbound: Outbound;
  base: string;
  token: string;
  now: () => Date;
}): CompanyNetworks {
  const { outbound, base, token, now } = parts;
  const known = new Map<string, { network: Network | null; until: number }>();
  let failures = 0;
  let pausedUntil = 0;

  /** Undefined: it could not be asked, and may be asked again. */
  async function ask(address: string): Promise<Network | null | undefined> {
    try {
      const { status, body } = await outbound.fetch(`${base}/${encodeURIComponent(address)}/json`, {
        method: 'GET',
        headers: { accept: 'application/json', authorization: `Bearer ${token}` },
        timeoutMs: TIMEOUT_MS,
        maxBytes: MOST_BYTES,
      });
      if (status === 404) return null;
      if (status !== 200) return undefined;
      const { country, company } = Found.parse(jsonOf(body));
      if (!company || (company.type && !COMPANIES.has(company.type))) return null;
      return {
        name: company.name.slice(0, 200).toWellFormed(),
        domain: company.domain.toLowerCase().slice(0, 200).toWellFormed(),
        country: country?.toUpperCase() ?? null,
        source: 'IPinfo',
      };
    } catch (error) {
      if (error instanceof OutboundError || error instanceof SyntaxError || error instanceof z.ZodError)
        return undefined;
      throw error;
    }
  }

  return {
    async lookUp(addresses) {
      const at = now().getTime();
      const found = new Map<string, Network | null>();
      const open: string[] = [];
      for (const address of new Set(addresses)) {
        const one = known.get(address);
        if (one && one.until > at) found.set(address, one.network);
        else open.push(address);
      }
      const next = open.values();
      const began = performance.now();
      const work = async (): Promise<void> => {
        for (const address of next) {
          const mayAsk = pausedUntil <= at && performance.now() - began < LONGEST_MS;
          const network = mayAsk ? await ask(address) : undefined;
          found.set(address, network ?? null);
          if (network === undefined) {
            if (mayAsk && ++failures >= MOST_FAILURES) pausedUntil = at + PAUSE_MS;
            continue;
          }
          failures = 0;
          known.delete(address);
          known.set(address, { network, until: at + KEPT_MS });
          if (known.size > KEPT) known.delete(known.keys().next().value!);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      return found;
    },
  };
}
