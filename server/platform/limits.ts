import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Refusal } from '../../contract/errors.ts';
import { ownMessages } from '../../contract/messages.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import { derive, mac } from './crypto.ts';
import type { Database } from './db/connect.ts';
import { deleteTries, forgetTries, giveBackTry, type Pacing, takeTry } from './db/limit-store.ts';
import type { Db, Tx } from './db/scope.ts';

/**
 * A limit: after `max` attempts, a pause of `base` seconds that doubles with each further attempt up to `cap`;
 * forgotten after `window`.
 */
export interface LimitRule extends Pacing {
  name: string;
}

/** The network an address belongs to: the address itself, or its /64 for IPv6, since a single line gets that many. */
export function networkOf(ip: string): string {
  // Most are, and this is asked for every visit and every ad.
  if (isIPv4(ip)) return ip;
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  return address.kind() === 'ipv4'
    ? address.toString()
    : (address as ipaddr.IPv6).parts.slice(0, 4).join(':');
}

/** The neighborhood of a network, which often has a single owner: an IPv4 /24 or an IPv6 /48. */
export function rangeOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  return address.kind() === 'ipv4'
    ? (address as ipaddr.IPv4).octets.slice(0, 3).join('.')
    : (address as ipaddr.IPv6).parts.slice(0, 3).join(':');
}

export type Limits = ReturnType<typeof createLimits>;

/**
 * Rate limits counted in the database: they hold across processes and restarts, and in a parallel burst, because an
 * attempt is counted before it is made.
 */
export function createLimits({ db, clock, config }: { db: Database; clock: Clock; config: Config }) {
  const key = derive(config.appKey, 'limits');
  const keyOf = (rule: LimitRule, subject: string): Buffer => mac(key, `${rule.name}\n${subject}`);
  const take = async (rule: LimitRule, subject: string, on: Db | Tx = db.app): Promise<number> => {
    const now = clock.now();
    const taken = await takeTry(on, keyOf(rule, subject), now, rule);
    if ('tries' in taken) return taken.tries;
    const retryAfter = Math.max(1, Math.ceil((taken.until.getTime() - now.getTime()) / 1000));
    throw new Refusal('too_many', ownMessages.tooManyTries(retryAfter), { retryAfter });
  };
  const giveBack = (rule: LimitRule, subject: string, on: Db | Tx = db.app): Promise<void> =>
    giveBackTry(on, keyOf(rule, subject), rule.max);
  return {
    /**
     * Counts an attempt and returns the current count; `on`: with the transaction that makes it, if that commits. Throws
     * 429 with Retry-After while the subject is paused.
     */
    take,
    /** Counts an attempt under several rules; if any of them is paused, it counts under none. */
    async takeAll(counted: [LimitRule, string][], on?: Tx): Promise<number[]> {
      const tries: number[] = [];
      for (const [rule, subject] of counted) {
        try {
          tries.push(await take(rule, subject, on));
        } catch (error) {
          for (const one of counted.slice(0, tries.length)) await giveBack(...one, on);
          throw error;
        }
      }
      return tries;
    },
    /** Uncounts an attempt that succeeded. */
    giveBack,
    async giveBackAll(counted: [LimitRule, string][]): Promise<void> {
      for (const one of counted) await giveBack(...one);
    },
    /** Forgets all attempts of a subject. */
    clear: (rule: LimitRule, subject: string): Promise<void> => forgetTries(db.app, [keyOf(rule, subject)]),
    /** Drops what is older than a day. */
    sweep: (): Promise<void> => deleteTries(db.app, new Date(clock.now().getTime() - 2 * 86_400_000)),
  };
}
