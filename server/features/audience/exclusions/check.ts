import type { Tx } from '../../../platform/db/scope.ts';
import { aliasKey, domainsOf, KIND, phoneHash } from './policy.ts';
import * as store from './store.ts';

/** Everything by which a person could be on a list. */
export interface Identity {
  /** The companies and the campaign whose lists apply: root, agency, client, campaign. */
  owners: string[];
  sha256: Buffer[];
  md5: Buffer[];
  /** Hashes that no list contains: an address known only by these cannot be compared with lists of addresses. */
  sha1?: Buffer[];
  phones: string[];
  emails: string[];
  /** Of a company without a person; those of people are in their addresses. */
  domains?: string[];
  /** A hash that a visit brought: it excludes the person it belongs to, and proves nothing when it is on no list. */
  seen?: { kind: number; value: Buffer } | null;
}

export type Verdict = 'clear' | 'excluded' | 'cannot_compare';

/** Whether any list applies to what these companies and campaigns have, in any scope of the root. */
export const anyInForce = async (tx: Tx, owners: string[]): Promise<boolean> =>
  (await store.inForce(tx, owners)).size > 0;

/**
 * The keys by which identities could be on the lists in force, each once, who asks for each, and who cannot be compared
 * with all of them.
 */
async function lookUps(tx: Tx, identities: readonly Identity[]) {
  const keys: { owner: string; kind: number; value: Buffer }[] = [];
  const askers: number[][] = [];
  const blind = new Set<number>();
  const forces = await store.inForce(tx, [...new Set(identities.flatMap((one) => one.owners))]);
  // A batch repeats the same people and owners many times, so each key is looked up once.
  const known = new Map<string, number>();
  const ask = (of: number, owner: string, kind: number, value: Buffer) => {
    const id = `${owner}${kind}${value.toString('latin1')}`;
    let at = known.get(id);
    if (at === undefined) {
      at = keys.push({ owner, kind, value }) - 1;
      askers.push([]);
      known.set(id, at);
    }
    askers[at]!.push(of);
  };
  identities.forEach((one, of) => {
    for (const owner of one.owners) {
      const force = forces.get(owner);
      if (!force) continue;
      if (force.emails > 0n) {
        if (force.emails > force.md5_only) for (const value of one.sha256) ask(of, owner, KIND.sha256, value);
        if (force.emails > force.sha256_only) for (const value of one.md5) ask(of, owner, KIND.md5, value);
        if (force.aliases > 0n)
          for (const email of one.emails) {
            const key = aliasKey(email);
            if (key) ask(of, owner, key.kind, key.value);
          }
        if (one.seen && one.seen.kind !== 2) ask(of, owner, one.seen.kind, one.seen.value);
        if (isBlind(one, force)) blind.add(of);
      }
      if (force.phones > 0n) {
        for (const phone of one.phones) ask(of, owner, KIND.phone, Buffer.from(phone));
      }
      if (force.phone_hashes > 0n)
        for (const phone of one.phones) ask(of, owner, KIND.phoneHash, phoneHash(phone));
      if (force.domains > 0n) {
        for (const domain of [...one.emails, ...(one.domains ?? [])].flatMap(domainsOf))
          ask(of, owner, KIND.domain, Buffer.from(domain));
      }
    }
  });
  return { keys, askers, blind };
}

/**
 * Checks identities against every list that applies, in one look-up, in any scope of the root. An identity known only
 * by one hash, where an applicable list has rows known only by the other, cannot be compared and counts as refused
 * (domain, The life of a lead).
 */
export async function check(tx: Tx, identities: readonly Identity[]): Promise<Verdict[]> {
  const { keys, askers, blind } = await lookUps(tx, identities);
  const verdicts = identities.map((_, of): Verdict => (blind.has(of) ? 'cannot_compare' : 'clear'));
  for (const at of await store.hits(tx, keys)) for (const of of askers[at]!) verdicts[of] = 'excluded';
  return verdicts;
}

/** Since when identities have been on a list in force that applies, in any scope of the root; null: on none. */
export async function since(tx: Tx, identities: readonly Identity[]): Promise<(Date | null)[]> {
  const { keys, askers } = await lookUps(tx, identities);
  const first = identities.map((): Date | null => null);
  for (const [at, date] of await store.hitsSince(tx, keys))
    for (const of of askers[at]!) {
      const known = first[of];
      if (!known || date < known) first[of] = date;
    }
  return first;
}

/** A known customer, as the client's own list has them. */
export interface Customer {
  listId: string;
  label: string;
}

/**
 * Which identities are on a list of customers of these owners, in one look-up: what the list that had them first calls
 * them. In a scope that sees the lists.
 */
export async function customersOf(
  tx: Tx,
  identities: readonly Identity[],
): Promise<(Customer | undefined)[]> {
  const found: (Customer | undefined)[] = identities.map(() => undefined);
  const forces = await store.customersInForce(tx, [...new Set(identities.flatMap((one) => one.owners))]);
  if (forces.size === 0) return found;
  const keys: { owner: string; kind: number; value: Buffer }[] = [];
  const askers: number[] = [];
  identities.forEach((one, of) => {
    for (const owner of one.owners) {
      const force = forces.get(owner);
      if (!force) continue;
      const ask = (kind: number, value: Buffer) => {
        keys.push({ owner, kind, value });
        askers.push(of);
      };
      for (const value of one.sha256) ask(KIND.sha256, value);
      for (const value of one.md5) ask(KIND.md5, value);
      for (const phone of one.phones) ask(KIND.phone, Buffer.from(phone));
      if (force.aliases > 0)
        for (const key of one.emails.flatMap((email) => aliasKey(email) ?? [])) ask(key.kind, key.value);
    }
  });
  for (const { at, listId, label } of await store.customerHits(tx, keys))
    found[askers[at]!] ??= { listId, label };
  return found;
}

/** Whether one of a person's addresses is known by a hash that some row of the owner's lists lacks. */
function isBlind({ sha256, md5, sha1 = [] }: Identity, force: store.InForce): boolean {
  return (
    (force.md5_only > 0n && sha256.length > md5.length) ||
    (force.sha256_only > 0n && md5.length > sha256.length) ||
    sha1.length > Math.max(sha256.length, md5.length)
  );
}
