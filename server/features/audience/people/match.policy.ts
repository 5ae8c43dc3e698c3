import { KIND, type Kind } from './model.ts';

/** A person that one key of a visit leads to. */
export interface Found {
  kind: Kind;
  /** The person; if people are merged, the one who represents them all. */
  personId: string;
  /** The row of the graph that has the key, if it is another one. */
  rowId?: string;
  source: string;
  seenAt: Date;
  /** How many people share the key, counted up to MOST_PEOPLE. */
  people: number;
}

/** One step of the reasoning; see contract/campaigns/leads.ts, Evidence. */
export interface Reason extends Found {
  confidence: number;
}

/** A person whom keys of a visit lead to: how surely, 1 to 99, and by which keys, the strongest first. */
export interface Ranked {
  personId: string;
  confidence: number;
  reasons: Reason[];
}

/** The person chosen for a visit. */
export interface Choice extends Ranked {
  kind: Kind;
  /** The row of the graph whose key decided. */
  rowId: string;
  /** The other people whom some key led to, the likeliest first. */
  others: Ranked[];
}

/** An office or a mobile network, not a household: such an address identifies no one. */
const MOST_PEOPLE_OF_AN_IP = 5;

/**
 * What a key is worth when one person has it. An email hash is as good as the address itself, except for mistyped and
 * shared ones; a visitor id was linked to such a hash once, on a browser that others may use; a device id and a phone
 * number change hands; an address belongs to a household or an office, and a person identified by it alone uses a
 * browser that is linked to no one. The figures are checked against a made-up population whose truth is known
 * (calibration.test.ts).
 */
const BASE: Record<Kind, number> = {
  [KIND.sha256]: 98,
  [KIND.sha1]: 98,
  [KIND.md5]: 98,
  [KIND.visitor]: 85,
  [KIND.device]: 80,
  [KIND.phone]: 75,
  [KIND.ip]: 22,
};

/**
 * What a key that led an intent signal to a person is worth; 0 is a person's id in its source, which is theirs alone.
 */
export const KEY_WORTH: Readonly<Record<number, number>> = { ...BASE, 0: 98 };

const MONTH = 30 * 24 * 60 * 60 * 1000;
/** A browser changes hands slowly: it loses a point a month, but never falls below this. */
const LEAST_OF_A_VISITOR = 60;
/** Addresses are reassigned: they lose this much a month, but never fall below the minimum. */
const PER_MONTH_OF_AN_IP = 2;
const LEAST_OF_AN_IP = 2;
/**
 * Of two people with one key, the one seen last is likelier, so each additional person costs this much, but the worth
 * never falls below an equal share.
 */
export const PER_SHARER = 25;
/** An agreeing key removes this fraction of its own worth from the remaining doubt. */
const AGREEMENT = 0.5;
/** The penalty for a key that leads only to others: a strong key weighs more than an address, which a family shares. */
const DISAGREEMENT = { strong: 10, ip: 3 };

/** What one key is worth (0 to 98) at the time of the visit. */
export function keyConfidence(found: Found, at: Date): number {
  const base = BASE[found.kind];
  const months = Math.max(0, Math.floor((at.getTime() - found.seenAt.getTime()) / MONTH));
  if (found.kind === KIND.ip)
    return Math.round(Math.max(LEAST_OF_AN_IP, base - PER_MONTH_OF_AN_IP * months) / found.people);
  const aged = found.kind === KIND.visitor ? Math.max(LEAST_OF_A_VISITOR, base - months) : base;
  return Math.max(Math.round(aged / found.people), aged - PER_SHARER * (found.people - 1));
}

/** Sorts one row's key before another's of the same kind: seen later, then known longer (lower id). */
const later = (a: Found, b: Found): number =>
  b.seenAt.getTime() - a.seenAt.getTime() || (rowOf(a) < rowOf(b) ? -1 : rowOf(a) > rowOf(b) ? 1 : 0);
const rowOf = ({ rowId, personId }: Found): string => rowId ?? personId;

/**
 * Chooses the person whom a visit's keys lead to: by the strongest kind of key; within it the one seen last, then the
 * one known longest (lower id). Agreeing keys raise the confidence, to at most 99; keys that lead only to others lower
 * it. Null when no key leads to anyone.
 */
export function choose(found: readonly Found[], at: Date): Choice | null {
  const sorted = found
    .filter((one) => one.kind !== KIND.ip || one.people <= MOST_PEOPLE_OF_AN_IP)
    .sort((a, b) => a.kind - b.kind || later(a, b));
  // For merged people who share a key it counts once, with the data of the one seen last.
  const spoken = new Set<string>();
  const usable = sorted.filter(({ kind, personId }) => {
    const key = `${kind} ${personId}`;
    return !spoken.has(key) && spoken.add(key);
  });
  const best = usable[0];
  if (!best) return null;
  const byPerson = Map.groupBy(usable, (one) => one.personId);
  const kinds = new Set(usable.map((one) => one.kind));
  const rank = (personId: string): Ranked => {
    const reasons = byPerson.get(personId)!.map((one) => ({ ...one, confidence: keyConfidence(one, at) }));
    let confidence = reasons[0]!.confidence;
    for (const { confidence: other } of reasons.slice(1))
      confidence += (100 - confidence) * (other / 100) * AGREEMENT;
    const agreeing = new Set(reasons.map((one) => one.kind));
    for (const kind of kinds) {
      if (!agreeing.has(kind)) confidence -= kind === KIND.ip ? DISAGREEMENT.ip : DISAGREEMENT.strong;
    }
    return { personId, confidence: Math.max(1, Math.min(99, Math.round(confidence))), reasons };
  };
  return {
    ...rank(best.personId),
    kind: best.kind,
    rowId: rowOf(best),
    others: [...byPerson.keys()]
      .filter((id) => id !== best.personId)
      .map(rank)
      .sort((a, b) => b.confidence - a.confidence),
  };
}
