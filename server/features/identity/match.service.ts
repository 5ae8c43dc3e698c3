import type { z } from 'zod';
import { type Evidence, MATCH_KINDS } from '../../../contract/leads.ts';
import type { Tx } from '../../platform/db/scope.ts';
import * as graph from './graph.store.ts';
import { choose, type Found } from './match.policy.ts';
import { type Key, KIND, type Kind } from './model.ts';
import { ipKey, uuidKey } from './row.policy.ts';

/** What a visit says of its visitor. `ref` is the caller's number for it. */
export interface Clue {
  ref: number;
  hashKind?: 1 | 2 | 3;
  hash?: Buffer;
  visitorId?: string;
  ip?: string;
  at: Date;
}

/** The person recognised, by which kind of key (contract/leads.ts MATCH_KINDS), how surely (1 to 99), and why. */
export interface Match {
  personId: string;
  kind: Kind;
  confidence: number;
  /** Every key that led to this person, strongest first. */
  evidence: z.infer<typeof Evidence>[];
  /** How many other people the visit's keys led to. */
  alternatives: number;
}

/** Where a person was seen: what their browser and address were when an e-mail hash told who they are. */
export interface Link {
  personId: string;
  visitorId?: string | null | undefined;
  ip?: string | null | undefined;
  at: Date;
}

/** A person of the graph with everything an exclusion list may know them by. Hashes are raw bytes, phones E.164. */
export type KnownPerson = graph.PersonRow & {
  sha256: Buffer[];
  sha1: Buffer[];
  md5: Buffer[];
  phones: string[];
  emails: string[];
};

/** Recognises the visitors of a batch of one root's visits, in one query. Visits nobody is found for are left out. */
export async function match(tx: Tx, rootId: string, batch: readonly Clue[]): Promise<Map<number, Match>> {
  const probes = batch.flatMap((clue, visit) => keysOf(clue).map((key) => ({ visit, ...key })));
  const matches = new Map<number, Match>();
  if (probes.length === 0) return matches;
  const found = new Map<number, Found[]>();
  for (const hit of await graph.findPeople(tx, rootId, probes)) {
    const list = found.get(hit.visit) ?? [];
    found.set(hit.visit, list);
    list.push({
      kind: hit.kind as Kind,
      personId: hit.person_id,
      source: hit.source,
      seenAt: hit.seen_at,
      people: hit.people,
    });
  }
  for (const [visit, candidates] of found) {
    const { ref, at } = batch[visit]!;
    const choice = choose(candidates, at);
    if (!choice) continue;
    matches.set(ref, {
      personId: choice.personId,
      kind: choice.kind,
      confidence: choice.confidence,
      evidence: choice.reasons.map((reason) => ({
        key: MATCH_KINDS[reason.kind],
        source: reason.source,
        seen_at: reason.seenAt.toISOString(),
        people: reason.people,
        confidence: reason.confidence,
      })),
      alternatives: choice.alternatives,
    });
  }
  return matches;
}

function keysOf(clue: Clue): { kind: Kind; value: Buffer }[] {
  const keys: { kind: Kind; value: Buffer }[] = [];
  if (clue.hash && clue.hashKind) keys.push({ kind: clue.hashKind, value: clue.hash });
  keys.push(...seenKeys(clue.visitorId, clue.ip));
  return keys;
}

function seenKeys(
  visitorId: string | null | undefined,
  ip: string | null | undefined,
): { kind: Kind; value: Buffer }[] {
  const found: (Key | null)[] = [
    visitorId ? uuidKey(KIND.visitor, visitorId) : null,
    ip ? ipKey(ip.replace(/\/\d+$/, '')) : null,
  ];
  return found.flatMap((key) => (key ? [{ kind: key.kind, value: Buffer.from(key.value, 'hex') }] : []));
}

/** Remembers the visitor ids and addresses of people whom an e-mail hash has just shown. */
export async function learn(tx: Tx, rootId: string, links: readonly Link[]): Promise<void> {
  const newest = new Map<string, graph.Learned>();
  for (const { personId, visitorId, ip, at } of links) {
    for (const { kind, value } of seenKeys(visitorId, ip)) {
      const id = `${personId} ${kind} ${value.toString('hex')}`;
      const known = newest.get(id);
      if (!known || known.at < at) newest.set(id, { personId, kind, value, at });
    }
  }
  if (newest.size > 0) await graph.rememberKeys(tx, rootId, [...newest.values()], 'visit');
}

/** The people of these ids, by id; ids of nobody are left out. */
export async function people(
  tx: Tx,
  rootId: string,
  ids: readonly string[],
): Promise<Map<string, KnownPerson>> {
  const known = new Map<string, KnownPerson>();
  if (ids.length === 0) return known;
  for (const row of await graph.peopleByIds(tx, rootId, ids)) {
    const person: KnownPerson = {
      ...row,
      sha256: [],
      sha1: [],
      md5: [],
      phones: [],
      emails: row.email ? [row.email] : [],
    };
    for (const key of row.keys) {
      const value = key.subarray(1);
      if (key[0] === KIND.sha256) person.sha256.push(value);
      else if (key[0] === KIND.sha1) person.sha1.push(value);
      else if (key[0] === KIND.md5) person.md5.push(value);
      else if (key[0] === KIND.phone) person.phones.push(value.toString());
    }
    known.set(row.id, person);
  }
  return known;
}
