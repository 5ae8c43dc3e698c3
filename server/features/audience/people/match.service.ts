import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { type Alternative, type Evidence, MATCH_KINDS } from '../../../../contract/campaigns/leads.ts';
import type { Inside } from '../../../../contract/wire.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import * as graph from './graph.store.ts';
import { choose, type Found, type Reason } from './match.policy.ts';
import { CONTENT, type Key, KIND, type Kind } from './model.ts';
import { ipKey, uuidKey } from './row.policy.ts';

/** What a visit reveals about its visitor. `ref` is the caller's number for it. */
export interface Clue {
  ref: number;
  hashKind?: 1 | 2 | 3;
  hash?: Buffer;
  visitorId?: string;
  ip?: string;
  /** The client whose site it was: what a site teaches is available only to its own client. */
  companyId?: string;
  at: Date;
}

/** The person recognized, by which kind of key (contract/campaigns/leads.ts MATCH_KINDS), how surely (1 to 99), and why. */
export interface Match {
  personId: string;
  /** The row of the graph whose key decided: what a visit teaches is stored for this row. */
  rowId?: string;
  kind: Kind;
  confidence: number;
  /** Every key that led to this person, strongest first. */
  evidence: Inside<z.input<typeof Evidence>>[];
  /** How many other people the visit's keys led to, and the likeliest of them. */
  alternatives: number;
  others: Inside<z.input<typeof Alternative>>[];
}

/** For how many of the other people the reasons they might have been the visitor are kept. */
export const MOST_OTHERS = 5;

/** Where a person was seen: their browser and address at the time an email hash identified them. */
export interface Link {
  personId: string;
  visitorId?: string | null | undefined;
  ip?: string | null | undefined;
  /** The client on whose site it was; undefined: it is known to the whole root. */
  companyId?: string;
  at: Date;
}

/** A person of the graph with everything an exclusion list may identify them by. Hashes are raw bytes, phones E.164. */
export type KnownPerson = graph.PersonRow & {
  /** The ids of all rows of the graph that are this person: one, unless people were merged. */
  members: string[];
  sha256: Buffer[];
  sha1: Buffer[];
  md5: Buffer[];
  phones: string[];
  emails: string[];
};

/** Recognizes the visitors of a batch of one root's visits, in one query. Visits without a match are left out. */
export async function match(tx: Tx, rootId: string, batch: readonly Clue[]): Promise<Map<number, Match>> {
  const probes = batch.flatMap((clue, visit) => keysOf(clue).map((key) => ({ visit, ...key })));
  const matches = new Map<number, Match>();
  if (probes.length === 0) return matches;
  const found = new Map<number, Found[]>();
  const hits = await graph.findPeople(tx, rootId, probes);
  const sharers = new Map<string, Set<string>>();
  for (const { visit, kind, top_id } of hits) {
    const key = `${visit} ${kind}`;
    sharers.set(key, (sharers.get(key) ?? new Set()).add(top_id));
  }
  for (const hit of hits) {
    const list = found.get(hit.visit) ?? [];
    found.set(hit.visit, list);
    list.push({
      kind: hit.kind as Kind,
      personId: hit.top_id,
      rowId: hit.person_id,
      source: hit.source,
      seenAt: hit.seen_at,
      people: sharers.get(`${hit.visit} ${hit.kind}`)!.size,
    });
  }
  for (const [visit, candidates] of found) {
    const { ref, at } = batch[visit]!;
    const choice = choose(candidates, at);
    if (!choice) continue;
    matches.set(ref, {
      personId: choice.personId,
      rowId: choice.rowId,
      kind: choice.kind,
      confidence: choice.confidence,
      evidence: choice.reasons.map(evidenceOf),
      alternatives: choice.others.length,
      others: choice.others
        .slice(0, MOST_OTHERS)
        .map(({ confidence, reasons }) => ({ confidence, keys: reasons.map(evidenceOf) })),
    });
  }
  return matches;
}

/** Returns who has each of these keys, by the keys' positions: for merged people, the one who represents them, once. */
export async function sharers(
  tx: Tx,
  rootId: string,
  keys: readonly { kind: number; value: Buffer }[],
): Promise<{ personId: string; source: string; seenAt: Date }[][]> {
  const found: Map<string, { personId: string; source: string; seenAt: Date }>[] = keys.map(() => new Map());
  if (keys.length === 0) return [];
  const probes = keys.map((key, visit) => ({ ...key, visit }));
  for (const hit of await graph.findPeople(tx, rootId, probes)) {
    const known = found[hit.visit]!.get(hit.top_id);
    if (!known || known.seenAt < hit.seen_at)
      found[hit.visit]!.set(hit.top_id, { personId: hit.top_id, source: hit.source, seenAt: hit.seen_at });
  }
  return found.map((people) => [...people.values()]);
}

const evidenceOf = (reason: Reason): Inside<z.input<typeof Evidence>> => ({
  key: MATCH_KINDS[reason.kind],
  source: reason.source,
  seen_at: reason.seenAt.toISOString(),
  people: reason.people,
  confidence: reason.confidence,
});

function keysOf(clue: Clue): { kind: Kind; value: Buffer }[] {
  const keys: { kind: Kind; value: Buffer }[] = [];
  if (clue.hash && clue.hashKind) keys.push({ kind: clue.hashKind, value: clue.hash });
  const seen = seenKeys(clue.visitorId, clue.ip);
  keys.push(...seen);
  if (clue.companyId) keys.push(...seen.map((key) => ownKey(key, clue.companyId!)));
  return keys;
}

/** The keys by which a visitor with this address may be known: to everyone, and from the sites of one client. */
export const addressKeys = (ip: string, companyId: string): { kind: Kind; value: Buffer }[] =>
  seenKeys(null, ip).flatMap((key) => [key, ownKey(key, companyId)]);

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

/**
 * Returns a key as seen only by one client's sites. Anyone can tell a site who they are, so what that teaches must not
 * be believed anywhere else (docs/security.md, Forged visits). Longer than any id or address, so none can be made to
 * look like it.
 */
export const ownKey = ({ kind, value }: { kind: Kind; value: Buffer }, companyId: string) => ({
  kind,
  value: createHash('sha256').update(`${companyId} ${kind} `).update(value).digest().subarray(0, 24),
});

/** Remembers the visitor ids and addresses of people whom an email hash has just identified. */
export async function learn(tx: Tx, rootId: string, links: readonly Link[]): Promise<void> {
  const newest = new Map<string, graph.Learned>();
  for (const { personId, visitorId, ip, companyId, at } of links) {
    for (const seen of seenKeys(visitorId, ip)) {
      const { kind, value } = companyId ? ownKey(seen, companyId) : seen;
      const id = `${personId} ${kind} ${value.toString('hex')}`;
      const known = newest.get(id);
      if (!known || known.at < at) newest.set(id, { personId, kind, value, at });
    }
  }
  if (newest.size > 0) await graph.rememberKeys(tx, rootId, [...newest.values()], 'visit');
}

/**
 * Returns the people with these ids, by id; unknown ids are left out. For merged people, each id is returned with
 * everything known about any of them, so that what excludes one excludes them all; `id` is the one who represents them,
 * whose content comes first.
 */
export async function people(
  tx: Tx,
  rootId: string,
  ids: readonly string[],
): Promise<Map<string, KnownPerson>> {
  const known = new Map<string, KnownPerson>();
  if (ids.length === 0) return known;
  // A person of many merged rows may have tens of thousands of keys.
  const keysKnown = new Map<string, Set<string>>();
  for (const { wanted_id, top_id, ...row } of await graph.peopleByIds(tx, rootId, ids)) {
    const person: KnownPerson = known.get(wanted_id) ?? {
      ...row,
      id: top_id,
      members: [],
      sha256: [],
      sha1: [],
      md5: [],
      phones: [],
      emails: [],
    };
    known.set(wanted_id, person);
    person.members.push(row.id);
    for (const column of CONTENT) person[column] ??= row[column];
    if (row.email && !person.emails.includes(row.email)) person.emails.push(row.email);
    const had = keysKnown.get(wanted_id) ?? new Set();
    keysKnown.set(wanted_id, had);
    for (const key of row.keys) {
      const name = key.toString('latin1');
      if (had.has(name)) continue;
      had.add(name);
      const value = key.subarray(1);
      if (key[0] === KIND.sha256) person.sha256.push(value);
      else if (key[0] === KIND.sha1) person.sha1.push(value);
      else if (key[0] === KIND.md5) person.md5.push(value);
      else if (key[0] === KIND.phone) person.phones.push(value.toString());
    }
  }
  return known;
}

/**
 * What is known about these people beyond how to reach them, without reading the people again. Of merged people, what
 * the one who represents them lacks is filled in from the others.
 */
export async function profilesAmong(
  tx: Tx,
  rootId: string,
  known: ReadonlyMap<string, KnownPerson>,
): Promise<Map<string, Partial<graph.Profile>>> {
  if (known.size === 0) return new Map();
  const rows = await graph.profileRows(tx, rootId, [
    ...new Set([...known.values()].flatMap((one) => one.members)),
  ]);
  return new Map(
    [...known].map(([id, { members, job_title, company_name }]) => {
      const profile: Partial<graph.Profile> = { job_title, company_name };
      for (const member of members)
        for (const [key, value] of Object.entries(rows.get(member) ?? {}))
          profile[key as keyof graph.Profile] ??= value;
      return [id, profile];
    }),
  );
}
