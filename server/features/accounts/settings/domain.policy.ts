import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import type { DnsAnswer } from '../../../platform/dns.ts';

/** Names under a root's domain that tenants can't use: services have them, or people trust them. */
const RESERVED = new Set(
  (
    'abuse account admin administrator api app assets autoconfig autodiscover billing blog cdn cpanel crm dashboard demo dev dns docs ' +
    'email ftp help host hostmaster imap info localhost login mail mta-sts mx noc ns ns1 ns2 ns3 pop pop3 postmaster ' +
    'receiver root secure security shop smtp sso ssl staging static status support sysadmin system test webmail webmaster wpad www'
  ).split(' '),
);

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Pauses between checks for records that are not there yet; the last one repeats. */
const PAUSES = [1, 2, 5, 10, 15, 30, 60].map((minutes) => minutes * MINUTE);
/** A claim whose records never appeared is dropped after this. */
export const WAITING_FOR = 14 * DAY;
/** A domain whose records are gone is still served for this long, so that a DNS mistake takes no one offline. */
export const GRACE = 3 * DAY;

/**
 * Returns what is wrong with a subdomain (spec product 5), in words, or undefined if it is fine.
 * @param label lowercased
 */
export function subdomainFault(label: string): string | undefined {
  if (label === '') return 'is required';
  if (!/^[a-z0-9-]+$/.test(label)) return 'must have only letters, digits, and hyphens';
  if (label.length > 63) return 'must not exceed 63 characters';
  if (label.startsWith('-') || label.endsWith('-')) return 'must not start or end with a hyphen';
  // It would be displayed as different letters than it is made of.
  if (label.slice(2, 4) === '--') return 'must not have hyphens in the third and fourth positions';
  if (RESERVED.has(label)) return 'is reserved. Choose another one';
  return undefined;
}

/**
 * Converts a domain as people type it to the form the DNS uses (lower case, punycode, no trailing dot), or returns what
 * is wrong with it, in words. Does not check whether it belongs to the platform or to someone else.
 */
export function readDomain(text: string): { host: string } | { fault: string } {
  const typed = text.trim();
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(typed) || /[/?#@\s\\]/.test(typed))
    return { fault: 'must be only the name, such as portal.example.com, without http:// or a path' };
  if (typed.includes('*')) return { fault: 'must be a single name, not a wildcard' };
  const bare = typed.replace(/[.\u3002\uff0e\uff61]$/, '');
  if (isIP(bare) || isIP(bare.replace(/^\[|\]$/g, ''))) return { fault: 'must be a name, not an IP address' };
  if (bare.includes(':')) return { fault: 'must not include a port' };
  const host = domainToASCII(bare).toLowerCase();
  const labels = host.split('.');
  // If domainToASCII recognizes an IP address in another notation (0x7f.1, 2130706433), it returns it as a plain IP
  // address.
  if (isIP(host)) return { fault: 'must be a name, not an IP address' };
  if (
    !host ||
    host.length > 253 ||
    labels.some((label) => !/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label))
  )
    return { fault: 'is not a domain name' };
  if (labels.length < 2) return { fault: 'must be a full domain name, such as portal.example.com' };
  if (
    /^(localhost|local|internal|invalid|example|onion|arpa|home|lan)$/.test(labels.at(-1)!) ||
    /^\d+$/.test(labels.at(-1)!)
  )
    return { fault: 'cannot be reached from the internet' };
  return { host };
}

/** Whether a host is the domain or lies within it. */
export const isWithin = (host: string, domain: string): boolean =>
  host === domain || host.endsWith(`.${domain}`);

/** The name and value of the record that proves ownership. */
export const ownershipRecord = (host: string, token: string) => ({
  name: `_verify.${host}`,
  value: `verify=${token}`,
});

export type Found = 'found' | 'missing' | 'wrong' | 'unanswered';

/** Returns the state of the ownership record. */
export function ownershipOf(answer: DnsAnswer, value: string): Found {
  if (answer === null) return 'unanswered';
  if (answer.some((text) => text.trim() === value)) return 'found';
  return answer.some((text) => text.trim().startsWith('verify=')) ? 'wrong' : 'missing';
}

/**
 * Returns the state of the address record, which must be a CNAME to the target or addresses that all belong to the
 * target.
 */
export function addressOf(
  seen: { cname: DnsAnswer; addresses: DnsAnswer },
  target: { host: string; addresses: DnsAnswer },
): Found {
  if (seen.cname?.includes(target.host)) return 'found';
  if (seen.addresses === null || target.addresses === null) return 'unanswered';
  if (seen.addresses.length === 0) return seen.cname && seen.cname.length > 0 ? 'wrong' : 'missing';
  return seen.addresses.every((address) => target.addresses!.includes(address)) ? 'found' : 'wrong';
}

export type ClaimStatus = 'waiting' | 'verified' | 'failing';
export interface ClaimState {
  status: ClaimStatus;
  checks: number;
  created_at: Date;
  failing_since: Date | null;
}

/**
 * Returns what to do after checking the records. `drop`: delete the claim; `serve`: whether the domain is served (null:
 * unchanged).
 */
export function afterLook(
  claim: ClaimState,
  ownership: Found,
  address: Found,
  now: Date,
): { status: ClaimStatus; failing_since: Date | null; next: Date; drop: boolean; serve: boolean | null } {
  const at = (pause: number): Date => new Date(now.getTime() + pause);
  const base = { failing_since: claim.failing_since, drop: false, serve: null };
  if (ownership === 'found' && address === 'found')
    return { ...base, status: 'verified', failing_since: null, next: at(DAY), serve: true };
  if (claim.status === 'waiting') {
    const drop = now.getTime() - claim.created_at.getTime() > WAITING_FOR;
    return { ...base, status: 'waiting', next: at(PAUSES[Math.min(claim.checks, PAUSES.length - 1)]!), drop };
  }
  // If the name servers do not respond, we know nothing about the records.
  if (ownership === 'unanswered' || address === 'unanswered')
    return { ...base, status: claim.status, next: at(HOUR) };
  const since = claim.failing_since ?? now;
  const isOver = now.getTime() - since.getTime() >= GRACE;
  return {
    ...base,
    status: 'failing',
    failing_since: since,
    next: at(isOver ? DAY : HOUR),
    serve: isOver ? false : null,
  };
}
