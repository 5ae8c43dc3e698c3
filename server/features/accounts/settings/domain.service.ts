import { z } from 'zod';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { derive, mac } from '../../../platform/crypto.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import { AskFirst, inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Dns, DnsAnswer } from '../../../platform/dns.ts';
import { defineJob } from '../../../platform/jobs.ts';
import type { LimitRule, Limits } from '../../../platform/limits.ts';
import type { Platform } from '../../../platform/platform.ts';
import { printable } from '../../../platform/printable.ts';
import type { Audit } from '../audit/index.ts';
import type { Tenants } from '../tenants/index.ts';
import {
  addressOf,
  afterLook,
  type Found,
  GRACE,
  isWithin,
  ownershipOf,
  ownershipRecord,
  readDomain,
  subdomainFault,
} from './domain.policy.ts';
import * as store from './domain.store.ts';
import { ownerOf, type Target } from './target.ts';

/** Checks every claim that is due. */
export const domainsJob = defineJob('settings.domains', z.object({}), { retryLimit: 3 });

/** Minimum time between checks that a user requests. */
const BETWEEN_LOOKS = 10_000;
const BATCH = 50;
/** Maximum number of characters kept of a record that was found. */
const MOST_FOUND = 300;
const HOUR_MS = 3_600_000;
/** How long an agency's former subdomain is kept from others, and how many of them. */
const RESERVED = 90 * 86_400_000;
const MOST_RESERVED = 10;
/** Limit on the domains that one company enters. */
const ENTERED: LimitRule = { name: 'domain.entered', max: 20, base: 60, cap: 900, window: 3600 };

/** What a check of a claim's records found. */
interface Seen {
  ownership: Found;
  texts: string[];
  address: Found;
  addresses: string[];
}

export type Domains = ReturnType<typeof createDomains>;

/**
 * Subdomains and custom domains: entering, verifying, serving, and releasing them
 * (docs/decisions/0017-custom-domains.md).
 */
export function createDomains(
  { db, clock, config, jobs }: Platform,
  { tenants, audit, limits, dns }: { tenants: Tenants; audit: Audit; limits: Limits; dns: Dns },
) {
  const key = derive(config.appKey, 'domain.claim');
  const { domainTarget } = config;
  /** Requests that have been counted as entering a domain. */
  const counted = new WeakSet<Ctx>();
  /** Always the same for a given company and domain, so that entering it again does not require a different record. */
  const tokenOf = (companyId: string, host: string): string =>
    mac(key, `${companyId} ${host}`).toString('hex').slice(0, 40);

  /** Returns the current state of the subdomain and custom domain. */
  async function state(tx: Tx, company: Target) {
    const domains = await store.domainsOf(tx, company.id);
    const claims = await store.claimsOf(tx, company.id);
    const base = company.kind === 'agency' ? await tenants.rootHost(company.root_id, tx) : null;
    const subdomain = domains.find((domain) => domain.kind === 'subdomain')?.host ?? '';
    const custom = domains.find((domain) => domain.kind === 'custom')?.host ?? null;
    // A domain that is still being entered takes precedence over the one in use because it needs action.
    const claim = claims.find((one) => one.status === 'waiting') ?? claims[0];
    const record = claim && ownershipRecord(claim.host, claim.token);
    const isApex = claim?.host.split('.').length === 2 && domainTarget.addresses.length > 0;
    return {
      company_id: company.id,
      subdomain: base && subdomain ? subdomain.slice(0, -base.length - 1) : '',
      subdomain_suffix: base ? `.${base}` : '',
      domain: custom,
      claim:
        claim && record
          ? {
              domain: claim.host,
              status: claim.status,
              records: [
                { type: 'TXT' as const, ...record, status: claim.ownership, found: claim.ownership_found },
                {
                  type: isApex ? ('A' as const) : ('CNAME' as const),
                  name: claim.host,
                  value: isApex ? domainTarget.addresses.join(', ') : domainTarget.host,
                  status: claim.address,
                  found: claim.address_found,
                },
              ],
              taken: (await store.hostState(tx, claim.host, company.id)).taken,
              checked_at: claim.checked_at?.toISOString() ?? null,
              next_check_at: claim.next_check_at.toISOString(),
              verified_at: claim.verified_at?.toISOString() ?? null,
              failing_since: claim.failing_since?.toISOString() ?? null,
              serves_until: claim.failing_since
                ? new Date(claim.failing_since.getTime() + GRACE).toISOString()
                : null,
            }
          : null,
      status: claim?.status ?? (custom ? ('verified' as const) : ('none' as const)),
    };
  }

  function agencyOnly(company: Target, field: string): void {
    if (company.kind !== 'agency') throw refusalOf(field, 'can only be set for an agency');
  }

  async function target(): Promise<{ host: string; addresses: DnsAnswer }> {
    if (domainTarget.addresses.length > 0) return domainTarget;
    return { host: domainTarget.host, addresses: await dns.addresses(domainTarget.host) };
  }

  /** Makes a verified domain the company's main host. Returns false if another company got it first. */
  async function serve(tx: Tx, owner: Owner, host: string, at: Date): Promise<boolean> {
    const served = await store.domainsOf(tx, owner.company_id);
    if (served.some((domain) => domain.host === host && domain.is_primary)) return true;
    if ((await store.hostState(tx, host, owner.company_id)).taken) return false;
    await store.removeDomains(tx, owner.company_id, 'custom');
    await store.setPrimary(tx, owner.company_id, null);
    if (
      !(await store.addDomain(tx, {
        ...owner,
        host,
        kind: 'custom',
        is_primary: true,
        verified_at: at,
        created_at: at,
      }))
    ) {
      await store.setPrimary(tx, owner.company_id, 'subdomain');
      return false;
    }
    await store.removeClaims(tx, owner.company_id, { except: host });
    return true;
  }

  async function stopServing(tx: Tx, companyId: string): Promise<void> {
    await store.removeDomains(tx, companyId, 'custom');
    await store.setPrimary(tx, companyId, 'subdomain');
  }

  /**
   * Checks the records of one claim and acts on the result. `by`: the user who requested it; omitted if the check was
   * due.
   */
  async function look(claim: store.Claim, by?: Ctx): Promise<void> {
    const { name, value } = ownershipRecord(claim.host, claim.token);
    const [texts, cname, addresses, wanted] = await Promise.all([
      dns.txt(name),
      dns.cname(claim.host),
      dns.addresses(claim.host),
      target(),
    ]);
    const seen = {
      ownership: ownershipOf(texts, value),
      texts: texts ?? [],
      address: addressOf({ cname, addresses }, wanted),
      addresses: [...(cname ?? []), ...(addresses ?? [])],
    };
    await follow(claim, seen, by);
  }

  /** Acts on the result of a check. */
  async function follow(
    claim: Pick<store.Claim, 'root_id' | 'company_id' | 'host'>,
    { ownership, texts, address, addresses }: Seen,
    by?: Ctx,
  ): Promise<void> {
    const now = clock.now();
    await inScope(db.app, { rootId: claim.root_id }, async (tx) => {
      const held = await store.lockClaim(tx, claim.company_id, claim.host);
      if (!held) return;
      const owner = { root_id: held.root_id, agency_id: held.agency_id, company_id: held.company_id };
      const record = (action: string, description: string): Promise<void> => {
        const entry = { action, objectKind: 'company', objectId: held.company_id, description };
        return by ? audit.record(tx, by, { ...entry, owner }) : audit.recordSystem(tx, now, owner, entry);
      };
      const next = afterLook(held, ownership, address, now);
      if (next.drop) {
        await store.removeClaims(tx, held.company_id, { waiting: true });
        await record('domain.drop', `The domain ${held.host} was never verified and was removed`);
        return;
      }
      let { status } = next;
      if (next.serve === true && !(await serve(tx, owner, held.host, now))) status = 'waiting';
      if (
        next.serve === false &&
        (await store.domainsOf(tx, held.company_id)).some((d) => d.host === held.host)
      ) {
        await stopServing(tx, held.company_id);
        await record(
          'domain.withdraw',
          `The domain ${held.host} is no longer served because its records are gone`,
        );
      } else if (by || status !== held.status) {
        await record(`domain.${status}`, `The domain ${held.host} is ${status}`);
      }
      await store.updateClaim(tx, held.company_id, held.host, {
        status,
        ownership,
        ownership_found: texts.slice(0, 10).map((text) => printable(text, MOST_FOUND)),
        address,
        address_found: addresses.slice(0, 10).map((one) => printable(one, MOST_FOUND)),
        checks: held.checks + 1,
        checked_at: now,
        next_check_at:
          status === 'waiting' && next.status === 'verified' ? new Date(now.getTime() + HOUR_MS) : next.next,
        verified_at: status === 'verified' ? (held.verified_at ?? now) : held.verified_at,
        failing_since: next.failing_since,
      });
    });
    tenants.forgetHosts();
  }

  return {
    state,

    /**
     * Gives an agency a different host under its root's domain; the previous one stops working at once, and is kept from
     * others for 90 days.
     * @param logged false if it is part of a change that writes its own row in the user log
     */
    async saveSubdomain(tx: Tx, ctx: Ctx, company: Target, given: string, logged = true): Promise<void> {
      agencyOnly(company, 'subdomain');
      const label = given.trim().toLowerCase();
      const fault = subdomainFault(label);
      if (fault) throw refusalOf('subdomain', fault);
      const base = await tenants.rootHost(company.root_id, tx);
      const host = `${label}.${base}`;
      if (!base || host.length > 253) throw refusalOf('subdomain', 'is too long for its parent domain');
      const domains = await store.domainsOf(tx, company.id);
      const before = domains.find((domain) => domain.kind === 'subdomain');
      if (before?.host === host) return;
      const now = clock.now();
      // Links and sign-ins at the previous address must not end up at another company.
      await store.reserveSubdomain(tx, company.id, new Date(now.getTime() + RESERVED));
      await store.freeFormer(tx, company.id, host, MOST_RESERVED);
      const added = await store.addDomain(tx, {
        ...ownerOf(company),
        host,
        kind: 'subdomain',
        is_primary: !domains.some((domain) => domain.kind === 'custom' && domain.is_primary),
        verified_at: now,
        created_at: now,
      });
      if (!added) throw refusalOf('subdomain', 'is already taken');
      if (!logged) return;
      await audit.record(tx, ctx, {
        action: 'domain.subdomain',
        objectKind: 'company',
        objectId: company.id,
        description: `Changed the subdomain of ${company.name} from ${before?.host ?? 'none'} to ${host}`,
        owner: ownerOf(company),
      });
    },

    /**
     * Enters the agency's own domain, which must then be verified; if empty, removes the custom domain.
     * @param logged as for saveSubdomain
     */
    async saveDomain(
      tx: Tx,
      ctx: Ctx,
      company: Target,
      given: string,
      logged = true,
    ): Promise<'entered' | 'removed'> {
      agencyOnly(company, 'domain');
      const now = clock.now();
      const record = async (description: string): Promise<void> => {
        if (!logged) return;
        await audit.record(tx, ctx, {
          action: 'domain.custom',
          objectKind: 'company',
          objectId: company.id,
          description,
          owner: ownerOf(company),
        });
      };
      if (given.trim() === '') {
        const domains = await store.domainsOf(tx, company.id);
        if (domains.length > 0 && domains.every((domain) => domain.kind === 'custom'))
          throw refusalOf('domain', 'is the only address. Choose a subdomain first');
        await store.removeClaims(tx, company.id);
        await stopServing(tx, company.id);
        await record(`Removed the custom domain of ${company.name}`);
        return 'removed';
      }
      const read = readDomain(given);
      if ('fault' in read) throw refusalOf('domain', read.fault);
      const { host } = read;
      const { taken, roots } = await store.hostState(tx, host, company.id);
      if (roots || isWithin(host, config.rootDomain) || isWithin(host, domainTarget.host))
        throw refusalOf('domain', "is part of the platform's own domain. Set a subdomain instead");
      if (taken) throw refusalOf('domain', 'is already in use');
      // Each domain entered triggers DNS queries. Counted outside the transaction: code that holds one connection must
      // not wait for another.
      if (!counted.has(ctx))
        throw new AskFirst('domain', async () => {
          await limits.take(ENTERED, company.id);
          counted.add(ctx);
        });
      await store.removeClaims(tx, company.id, { waiting: true, except: host });
      await store.addClaim(tx, {
        ...ownerOf(company),
        host,
        token: tokenOf(company.id, host),
        created_at: now,
        next_check_at: now,
      });
      await jobs.send(tx, domainsJob, [{}]);
      await record(`Entered the domain ${host} for ${company.name}`);
      return 'entered';
    },

    /**
     * Enters a domain as if checks had found these results, without querying any name server. For tests and the demo.
     * Returns the record that proves ownership.
     */
    async place(
      owner: Owner,
      host: string,
      looks: readonly Seen[],
    ): Promise<{ name: string; value: string }> {
      const at = clock.now();
      const token = tokenOf(owner.company_id, host);
      await inScope(db.app, { rootId: owner.root_id }, (tx) =>
        store.addClaim(tx, { ...owner, host, token, created_at: at, next_check_at: at }),
      );
      for (const seen of looks) await follow({ ...owner, host }, seen);
      return ownershipRecord(host, token);
    },

    /**
     * Checks the records now.
     * @throws Refusal 409 if no domain has been entered, 429 if they were just checked
     */
    async check(ctx: Ctx, company: Target): Promise<void> {
      const claim = await inScope(db.app, ctx.scope, async (tx) => {
        const claims = await store.claimsOf(tx, company.id);
        const wanted = claims.find((c) => c.status === 'waiting') ?? claims[0];
        // Locked so that only one of many simultaneous requests runs the check.
        const one = wanted && (await store.lockClaim(tx, company.id, wanted.host));
        if (!one) throw new Refusal('conflict', 'Enter a domain first.');
        const wait = one.checked_at ? BETWEEN_LOOKS - (clock.now().getTime() - one.checked_at.getTime()) : 0;
        if (wait > 0) {
          throw new Refusal('too_many', 'The records were just checked. Wait a moment and try again.', {
            retryAfter: Math.ceil(wait / 1000),
          });
        }
        await store.updateClaim(tx, company.id, one.host, { checked_at: clock.now() });
        return one;
      });
      await look(claim, ctx);
    },

    /** Checks every claim of every root that is due, and frees former subdomains. Safe to run twice: each claim is locked while it changes. */
    lookAtDue: (): Promise<void> =>
      tenants.eachRoot(async (rootId) => {
        const due = await inScope(db.app, { rootId }, async (tx) => {
          await store.freeOver(tx, clock.now());
          return store.dueClaims(tx, clock.now(), BATCH);
        });
        const failures: unknown[] = [];
        const lookApart = (claim: store.Claim): Promise<void> =>
          look(claim).catch(async (error: unknown) => {
            failures.push(error);
            // It must not stay the first that is due.
            const next_check_at = new Date(clock.now().getTime() + HOUR_MS);
            await inScope(db.app, { rootId }, (tx) =>
              store.updateClaim(tx, claim.company_id, claim.host, { next_check_at }),
            );
          });
        for (let at = 0; at < due.length; at += 8) await Promise.all(due.slice(at, at + 8).map(lookApart));
        if (failures.length > 0) throw failures[0];
      }),
  };
}

/** The message to show the user after a change. */
export const domainMessage = {
  entered: ownMessages.domainSaved,
  removed: ownMessages.domainRemoved,
} as const;
