import ipaddr from 'ipaddr.js';
import { Refusal } from '../../contract/errors.ts';
import { ownMessages } from '../../contract/messages.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import { derive, mac } from './crypto.ts';
import type { Database } from './db/connect.ts';
import { deleteTries, forgetTries, giveBackTry, type Pacing, takeTry } from './db/limit-store.ts';

/** A limit: after `max` tries a pause of `base` seconds, doubled with each further try up to `cap`; forgotten after `window`. */
export interface LimitRule extends Pacing {
  name: string;
}

/** The network an address belongs to: itself, for IPv6 its /64, since a single line gets that many. */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  return address.kind() === 'ipv4'
    ? address.toString()
    : (address as ipaddr.IPv6).parts.slice(0, 4).join(':');
}

/** The neighborhood of a network: what one owner often has, an IPv4 /24 or an IPv6 /48. */
export function rangeOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  return address.kind() === 'ipv4'
    ? (address as ipaddr.IPv4).octets.slice(0, 3).join('.')
    : (address as ipaddr.IPv6).parts.slice(0, 3).join(':');
}

export type Limits = ReturnType<typeof createLimits>;

/**
 * Limits on tries, counted in the database: they hold over several processes and a restart, and in a parallel burst,
 * because a try is counted before it is made.
 */
export function createLimits({ db, clock, config }: { db: Database; clock: Clock; config: Config }) {
  const key = derive(config.appKey, 'limits');
  const keyOf = (rule: LimitRule, subject: string): Buffer => mac(key, `${rule.name}\n${subject}`);
  const take = async (rule: LimitRule, subject: string): Promise<number> => {
    const now = clock.now();
    const taken = await takeTry(db.app, keyOf(rule, subject), now, rule);
    if ('tries' in taken) return taken.tries;
    const retryAfter = Math.max(1, Math.ceil((taken.until.getTime() - now.getTime()) / 1000));
    throw new Refusal('too_many', ownMessages.tooManyTries(retryAfter), { retryAfter });
  };
  const giveBack = (rule: LimitRule, subject: string): Promise<void> =>
    giveBackTry(db.app, keyOf(rule, subject), rule.max);
  return {
    /** Counts a try and answers how many there are now. Throws 429 with Retry-After while the subject is paused. */
    take,
    /** Counts a try under several rules; where one of them is paused, it counts under none. */
    async takeAll(counted: [LimitRule, string][]): Promise<number[]> {
      const tries: number[] = [];
      for (const [rule, subject] of counted) {
        try {
          tries.push(await take(rule, subject));
        } catch (error) {
          for (const one of counted.slice(0, tries.length)) await giveBack(...one);
          throw error;
        }
      }
      return tries;
    },
    /** Takes a try back that turned out well. */
    giveBack,
    async giveBackAll(counted: [LimitRule, string][]): Promise<void> {
      for (const one of counted) await giveBack(...one);
    },
    /** Forgets all tries of a subject. */
    clear: (rule: LimitRule, subject: string): Promise<void> => forgetTries(db.app, [keyOf(rule, subject)]),
    /** Drops what is older than a day. */
    sweep: (): Promise<void> => deleteTries(db.app, new Date(clock.now().getTime() - 2 * 86_400_000)),
  };
}
