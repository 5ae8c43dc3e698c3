import { z } from 'zod';

/** The maximum number of sites per campaign in addition to its own. */
export const MAX_SITE_HOSTS = 50;

/** Whether a text is a valid host name: labels of letters, digits and hyphens. */
const isName = (host: string): boolean =>
  host.length <= 253 &&
  host
    .split('.')
    .every((label) => label.length <= 63 && /^[a-z0-9_][a-z0-9_-]*$/.test(label) && !label.endsWith('-'));

/**
 * The host of a web address in lowercase, without port and trailing dot, international names as `xn--`; null if it has
 * no host.
 */
export function hostOf(address: string): string | null {
  if (!/^https?:\/\//i.test(address)) return null;
  return URL.parse(address)?.hostname.replace(/\.$/, '') || null;
}

/**
 * Normalizes a host as users enter it (`shop.example.com`, a whole address, or `*.example.com` for a domain with all
 * its subdomains) to its stored form; null if it is not a host. A wildcard needs a domain of two labels.
 */
export function siteHostOf(text: string): string | null {
  const given = text.trim().slice(0, 2048);
  const isWild = given.startsWith('*.');
  const rest = isWild ? given.slice(2) : given;
  const host = hostOf(rest.includes('://') ? rest : `http://${rest}`);
  if (!host || !isName(host) || (isWild && !host.includes('.'))) return null;
  return isWild ? `*.${host}` : host;
}

/** Hosts as a list, or as text separated by commas, spaces or line breaks; without duplicates. */
export const SiteHosts = z
  .union([z.array(z.string().max(2048)).max(1000), z.string().max(100_000)])
  .transform((given) =>
    (typeof given === 'string' ? given.split(/[\s,]+/) : given).map((one) => one.trim()).filter(Boolean),
  )
  .transform((all, check) => {
    const hosts = new Set<string>();
    for (const text of all) {
      const host = siteHostOf(text);
      if (!host) {
        check.addIssue({
          code: 'custom',
          message: `has ${text.slice(0, 60)}, which is not a host such as shop.example.com or *.example.com`,
        });
        return z.NEVER;
      }
      hosts.add(host);
    }
    if (hosts.size > MAX_SITE_HOSTS) {
      check.addIssue({ code: 'custom', message: `must not have more than ${MAX_SITE_HOSTS} hosts` });
      return z.NEVER;
    }
    return [...hosts];
  });

const bare = (host: string): string => host.replace(/^www\./, '');

/** The sites whose pages may send visits for a campaign. */
export interface Sites {
  /** Hosts without `www.`, since both forms are the same site. */
  hosts: ReadonlySet<string>;
  /** Domains that also stand for all their subdomains. */
  domains: readonly string[];
}

/** The sites of a campaign: the site itself, its thank-you page, and the other hosts that it names. */
export function sitesOf(given: {
  siteUrl: string;
  thankYouUrl: string | null;
  others: readonly string[];
}): Sites {
  const own = [hostOf(given.siteUrl), given.thankYouUrl ? hostOf(given.thankYouUrl) : null];
  const exact = given.others.filter((one) => !one.startsWith('*.'));
  return {
    hosts: new Set([...own, ...exact].flatMap((host) => (host ? [bare(host)] : []))),
    domains: given.others.flatMap((one) => (one.startsWith('*.') ? [one.slice(2)] : [])),
  };
}

/** Whether a host, as returned by `hostOf`, is one of a campaign's sites. Ports and `www.` make no difference. */
export const isSite = (sites: Sites, host: string): boolean =>
  sites.hosts.has(bare(host)) ||
  sites.domains.some((domain) => host === domain || host.endsWith(`.${domain}`));
