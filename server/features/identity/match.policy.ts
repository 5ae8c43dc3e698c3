import { KIND, type Kind } from './model.ts';

/** A person that one key of a visit leads to. */
export interface Found {
  kind: Kind;
  personId: string;
  source: string;
  seenAt: Date;
  /** How many people share the key, counted up to MOST_PEOPLE. */
  people: number;
}

/** One step of the reasoning; see contract/leads.ts, Evidence. */
export interface Reason extends Found {
  confidence: number;
}

/** The person chosen for a visit. */
export interface Choice {
  personId: string;
  kind: Kind;
  /** 0 to 99. */
  confidence: number;
  /** Every key that led to the chosen person, strongest first. */
  reasons: Reason[];
  /** How many other people some key led to. */
  alternatives: number;
}

/** An office or a mobile network, not a household: such an address names nobody. */
const MOST_PEOPLE_OF_AN_IP = 5;

/**
 * What a key is worth when one person has it. An e-mail hash is the address itself, but for mistyped and shared ones; a
 * visitor id was tied to such a hash once, on a browser that others may use; a device id and a phone number change
 * hands; an address is a household's or an office's.
 */
const BASE: Record<Kind, number> = {
  [KIND.sha256]: 98,
  [KIND.sha1]: 98,
  [KIND.md5]: 98,
  [KIND.visitor]: 85,
  [KIND.device]: 80,
  [KIND.phone]: 75,
  [KIND.ip]: 45,
};

/** What a key is worth that led an intent signal to a person; 0 is a person's id in its source, which is theirs alone. */
export const KEY_WORTH: Readonly<Record<number, number>> = { ...BASE, 0: 98 };

const MONTH = 30 * 24 * 60 * 60 * 1000;
/** A browser changes hands slowly: a point a month, and never below this. */
const LEAST_OF_A_VISITOR = 60;
/** Of two people with one key the one seen last is likelier, so each more costs this much, and never more than the share. */
export const PER_SHARER = 12;
/** An agreeing key removes this part of its own worth from the doubt that is left. */
const AGREEMENT = 0.5;
/** A key that leads to others only: a strong one weighs more than an address, which a family shares. */
const DISAGREEMENT = { strong: 10, ip: 3 };

/** What one key is worth (0 to 98) at the time of the visit. */
export function keyConfidence(found: Found, at: Date): number {
  const base = BASE[found.kind];
  if (found.kind === KIND.ip) return Math.round(base / found.people);
  const months = Math.max(0, Math.floor((at.getTime() - found.seenAt.getTime()) / MONTH));
  const aged = found.kind === KIND.visitor ? Math.max(LEAST_OF_A_VISITOR, base - months) : base;
  return Math.max(Math.round(aged / found.people), aged - PER_SHARER * (found.people - 1));
}

/**
 * Chooses the person that a visit's keys lead to: by the strongest kind of key; within it the one seen last, then the
 * one known longest (lower id). Agreeing keys raise the confidence, to at most 99; keys that lead to others only lower
 * it. Null when no key leads to anybody.
 */
export function choose(found: readonly Found[], at: Date): Choice | null {
  const usable = found
    .filter((one) => one.kind !== KIND.ip || one.people <= MOST_PEOPLE_OF_AN_IP)
    .sort(
      (a, b) =>
        a.kind - b.kind ||
        b.seenAt.getTime() - a.seenAt.getTime() ||
        (a.personId < b.personId ? -1 : a.personId > b.personId ? 1 : 0),
    );
  const best = usable[0];
  if (!best) return null;
  const reasons = usable
    .filter((one) => one.personId === best.personId)
    .map((one) => ({ ...one, confidence: keyConfidence(one, at) }));
  let confidence = reasons[0]!.confidence;
  for (const { confidence: other } of reasons.slice(1))
    confidence += (100 - confidence) * (other / 100) * AGREEMENT;
  const agreeing = new Set(reasons.map((one) => one.kind));
  for (const kind of new Set(usable.map((one) => one.kind))) {
    if (!agreeing.has(kind)) confidence -= kind === KIND.ip ? DISAGREEMENT.ip : DISAGREEMENT.strong;
  }
  return {
    personId: best.personId,
    kind: best.kind,
    confidence: Math.max(1, Math.min(99, Math.round(confidence))),
    reasons,
    alternatives: new Set(usable.map((one) => one.personId)).size - 1,
  };
}
