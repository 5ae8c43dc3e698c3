import { placeOf } from './signup.policy.ts';

/** How many events a minute one browser, address (IPv6: /64), network (/24 or /48) and site key may send. */
export interface VisitLimits {
  visitor: number;
  address: number;
  network: number;
  key: number;
}

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
const MINUTE_MS = 60_000;

const kinds = ['address', 'network', 'visitor', 'key'] as const;
type Kind = (typeof kinds)[number];

interface Bucket {
  left: number;
  at: number;
}

/**
 * Counts events by sender. Each sender may send its minute's worth at once and regains it evenly, so that an office
 * that starts work at nine is not rejected, but a program that never stops is. A body is accepted as a whole or not at
 * all, and what one limit rejects does not count toward any other: a sender over its address limit does not use up a
 * site key.
 */
export function createRates(limits: VisitLimits) {
  // Two generations of each: active senders move to the young one, and when that is full, the whole old one is dropped.
  const buckets = Object.fromEntries(
    kinds.map((kind) => [kind, { young: new Map(), old: new Map() }]),
  ) as Record<Kind, Record<'young' | 'old', Map<string, Bucket>>>;

  /** Returns what a sender has left now. */
  function bucketOf(kind: Kind, name: string, now: number): Bucket {
    const both = buckets[kind];
    let bucket = both.young.get(name);
    if (!bucket) {
      if (both.young.size >= MOST_REMEMBERED / 2) {
        both.old = both.young;
        both.young = new Map();
      }
      bucket = both.old.get(name) ?? { left: limits[kind], at: now };
      both.old.delete(name);
      both.young.set(name, bucket);
    }
    const back = (Math.max(0, now - bucket.at) / MINUTE_MS) * limits[kind];
    bucket.left = Math.min(limits[kind], bucket.left + back);
    bucket.at = now;
    return bucket;
  }

  return {
    /**
     * Counts `events` for their sender. Returns 0 if it may send them, otherwise the number of seconds until it may.
     */
    take({ key, ip, visitors }: Sender, events: number, now: number): number {
      const { address, network } = placeOf(ip);
      const senders: [Kind, string][] = [];
      if (address) senders.push(['address', address]);
      if (network) senders.push(['network', network]);
      for (const visitor of visitors) senders.push(['visitor', `${key} ${visitor}`]);
      senders.push(['key', key]);
      const taken: Bucket[] = [];
      for (const [kind, name] of senders) {
        const bucket = bucketOf(kind, name, now);
        if (bucket.left < events) {
          for (const one of taken) one.left += events;
          return Math.max(1, Math.ceil(((events - bucket.left) / limits[kind]) * 60));
        }
        bucket.left -= events;
        taken.push(bucket);
      }
      return 0;
    },
    /** How many of each kind are remembered. */
    remembered: () =>
      Object.fromEntries(kinds.map((kind) => [kind, buckets[kind].young.size + buckets[kind].old.size])),
  };
}
