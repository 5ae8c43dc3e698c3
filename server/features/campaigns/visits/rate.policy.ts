import { placeOf } from './signup.policy.ts';

/** The senders that are counted: a browser, an address (IPv6: /64), a network (/24 or /48) and a site key. */
const kinds = ['address', 'network', 'visitor', 'key'] as const;
type Kind = (typeof kinds)[number];
/** How much each may send within a window; one that is left out is not counted. */
export type VisitLimits = Partial<Record<Kind, number>>;

/** The sender of a body, for counting. `visitors`: the browsers that it names. */
export interface Sender {
  key: string;
  ip: string;
  visitors: Iterable<string>;
}

/**
 * Maximum number of senders remembered of each kind; beyond that, those that have sent nothing for a while are
 * forgotten.
 */
export const MOST_REMEMBERED = 20_000;
export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

interface Bucket {
  left: number;
  at: number;
}

/**
 * Counts what senders send: events a minute, or bytes a day. Each may send a window's worth at once and regains it
 * evenly, so that an office
 * that starts work at nine is not rejected, but a program that never stops is. A body is accepted as a whole or not at
 * all, and what one limit rejects does not count toward any other: a sender over its address limit does not use up a
 * site key.
 */
export function createRates(limits: VisitLimits, windowMs = MINUTE_MS) {
  // Two generations of each: active senders move to the young one, and when that is full, the whole old one is dropped.
  const buckets = Object.fromEntries(
    kinds.map((kind) => [kind, { young: new Map(), old: new Map() }]),
  ) as Record<Kind, Record<'young' | 'old', Map<string, Bucket>>>;

  /** Returns what a sender has left now. */
  function bucketOf(kind: Kind, name: string, limit: number, now: number): Bucket {
    const both = buckets[kind];
    let bucket = both.young.get(name);
    if (!bucket) {
      if (both.young.size >= MOST_REMEMBERED / 2) {
        both.old = both.young;
        both.young = new Map();
      }
      bucket = both.old.get(name) ?? { left: limit, at: now };
      both.old.delete(name);
      both.young.set(name, bucket);
    }
    const back = (Math.max(0, now - bucket.at) / windowMs) * limit;
    bucket.left = Math.min(limit, bucket.left + back);
    bucket.at = now;
    return bucket;
  }

  return {
    /**
     * Counts this much for its sender. Returns 0 if it may send it, otherwise the number of seconds until it may.
     */
    take({ key, ip, visitors }: Sender, much: number, now: number): number {
      const { address, network } = placeOf(ip);
      const senders: [Kind, string][] = [];
      if (address) senders.push(['address', address]);
      if (network) senders.push(['network', network]);
      for (const visitor of visitors) senders.push(['visitor', `${key} ${visitor}`]);
      senders.push(['key', key]);
      const taken: Bucket[] = [];
      for (const [kind, name] of senders) {
        const limit = limits[kind];
        if (limit === undefined) continue;
        const bucket = bucketOf(kind, name, limit, now);
        if (bucket.left < much) {
          for (const one of taken) one.left += much;
          return Math.max(1, Math.ceil(((much - bucket.left) / limit) * (windowMs / 1000)));
        }
        bucket.left -= much;
        taken.push(bucket);
      }
      return 0;
    },
    /** How many of each kind are remembered. */
    remembered: () =>
      Object.fromEntries(kinds.map((kind) => [kind, buckets[kind].young.size + buckets[kind].old.size])),
  };
}
