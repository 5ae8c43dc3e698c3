import ipaddr from 'ipaddr.js';
import type { HELD_REASONS } from '../../../../contract/campaigns/held.ts';

export type HeldReason = (typeof HELD_REASONS)[number];

/**
 * How many people may sign up before a review is needed: from one browser, address (IPv6: /64), and network (/24 or
 * /48) within 24 hours with one client, and on one campaign within an hour and within 24.
 */
export interface SignUpLimits {
  browser: number;
  address: number;
  network: number;
  hour: number;
  day: number;
}

/** Across all clients of a root, an address or network may sign up this many times more people. */
const WHOLE_ROOT = 4;
/** About how many earlier sign-ups a batch may examine of all its browsers, and of all its networks. */
const EXAMINED = 50_000;
/** The most that is examined of one network: more than honest ones have. */
const EXAMINED_NETWORK = 1000;
/** A campaign that usually has more sign-ups than its limits allow may have this many times its usual number. */
const SURGE = 5;

/**
 * A visit that identifies its visitor, or that reached a goal. `hash` null: a goal, attributed to the person the
 * browser is known for.
 */
export interface SignUp {
  ref: number;
  campaignId: string;
  companyId: string;
  hash: string | null;
  address: string | null;
  network: string | null;
  visitorId: string | null;
  /** An event that normally follows a page view, from a browser that has viewed no page. */
  lacksView: boolean;
}

/** A sign-up from the last 24 hours. */
export type Earlier = Pick<SignUp, 'companyId' | 'address' | 'network' | 'visitorId'> & {
  hash: string;
  held: boolean;
};

/**
 * The number of new people among a campaign's sign-ups: in this hour, in 24 hours, and on average per hour and per day
 * of the last week.
 */
export interface Standing {
  hour: number;
  day: number;
  usualHour: number;
  usualDay: number;
  /** People who have already signed up within 24 hours. */
  known: ReadonlySet<string>;
}

/**
 * How many earlier sign-ups are examined of each browser and network of a batch: a multiple of their limits, and always
 * enough to exceed them, but fewer of each if there are many, so that no batch costs more than another.
 */
export function examined(
  limits: SignUpLimits,
  { browsers, networks }: { browsers: number; networks: number },
): { browser: number; network: number } {
  const each = (count: number, least: number, most: number): number =>
    Math.max(least, Math.min(most, Math.floor(EXAMINED / Math.max(1, count))));
  return {
    browser: each(browsers, limits.browser + 1, Math.max(20, 4 * limits.browser)),
    // Some people sign up on several campaigns, or in several browsers.
    network: each(networks, 2 * WHOLE_ROOT * limits.network + 1, EXAMINED_NETWORK),
  };
}

/** The browsers and networks with as many sign-ups as are examined, or more, as `judge` calls them. */
export function fullAmong(
  earlier: readonly Earlier[],
  most: { browser: number; network: number },
): Set<string> {
  const counts = new Map<string, number>();
  const add = (key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const one of earlier) {
    if (one.visitorId) add(browserKey(one.companyId, one.visitorId));
    if (one.network) add(networkKey(one.network));
  }
  return new Set(
    [...counts].flatMap(([key, count]) =>
      count >= (key.startsWith('b ') ? most.browser : most.network) ? [key] : [],
    ),
  );
}

const browserKey = (companyId: string, visitorId: string): string => `b ${companyId} ${visitorId}`;
const networkKey = (network: string): string => `n ${network}`;

/** Returns the address and the network that a visit counts toward; null if it has none. */
export function placeOf(ip: string | null): { address: string | null; network: string | null } {
  if (!ip || !ipaddr.isValid(ip)) return { address: null, network: null };
  const given = ipaddr.process(ip);
  if (given.kind() === 'ipv4') {
    const [a, b, c] = given.toByteArray();
    return { address: given.toString(), network: `${a}.${b}.${c}.0/24` };
  }
  const cut = (bytes: number): string =>
    new ipaddr.IPv6([...given.toByteArray().slice(0, bytes), ...new Array(16 - bytes).fill(0)]).toString();
  return { address: `${cut(8)}/64`, network: `${cut(6)}/48` };
}

/**
 * Returns which sign-ups of a batch are held, and why; the others may become leads. People who passed before pass
 * again. If a limit is exceeded, all new people of its browser, address, network, or campaign are held, including those
 * below the limit: no sign-up in a burst is known to be genuine. Held sign-ups keep counting for the browser, address,
 * and network, so that a burst is not followed by a trickle. They do not count for the campaign, or one address could
 * have everyone's sign-ups held. `full`: browsers and networks with more sign-ups than are examined. No new people pass
 * there; otherwise a few people's sign-ups, sent again and again, could push all others out of view.
 */
export function judge(
  batch: readonly SignUp[],
  earlier: readonly Earlier[],
  standingOf: (campaignId: string) => Standing,
  limits: SignUpLimits,
  full: ReadonlySet<string> = new Set(),
): Map<number, HeldReason> {
  const groupsOf = (
    one: Omit<Earlier, 'hash' | 'held'>,
  ): [key: string, limit: number, reason: HeldReason][] => [
    ...(one.visitorId
      ? [
          [browserKey(one.companyId, one.visitorId), limits.browser, 'browser'] as [
            string,
            number,
            HeldReason,
          ],
        ]
      : []),
    ...(one.address
      ? ([
          [`a ${one.companyId} ${one.address}`, limits.address, 'address'],
          [`a ${one.address}`, limits.address * WHOLE_ROOT, 'address'],
        ] as [string, number, HeldReason][])
      : []),
    ...(one.network
      ? ([
          [`n ${one.companyId} ${one.network}`, limits.network, 'network'],
          [networkKey(one.network), limits.network * WHOLE_ROOT, 'network'],
        ] as [string, number, HeldReason][])
      : []),
  ];
  const groups = new Map<string, { all: Set<string>; passed: Set<string> }>();
  const count = (one: Omit<Earlier, 'hash' | 'held'>, hash: string, hasPassed: boolean): void => {
    for (const [key] of groupsOf(one)) {
      const group = groups.get(key) ?? { all: new Set(), passed: new Set() };
      groups.set(key, group);
      group.all.add(hash);
      if (hasPassed) group.passed.add(hash);
    }
  };
  for (const one of earlier) count(one, one.hash, !one.held);
  for (const one of batch) if (one.hash) count(one, one.hash, false);

  const held = new Map<number, HeldReason>();
  const newcomers = new Map<string, Map<number, string>>();
  for (const one of batch) {
    const { ref, hash, campaignId } = one;
    if (one.lacksView) held.set(ref, 'no_view');
    else if (hash) {
      const over = groupsOf(one).find(([key, limit]) => {
        const { all, passed } = groups.get(key)!;
        return (all.size > limit || full.has(key)) && !passed.has(hash);
      });
      if (over) held.set(ref, over[2]);
      else if (!standingOf(campaignId).known.has(hash))
        newcomers.set(campaignId, (newcomers.get(campaignId) ?? new Map()).set(ref, hash));
    }
  }
  for (const [campaignId, people] of newcomers) {
    const { hour, day, usualHour, usualDay } = standingOf(campaignId);
    const more = new Set(people.values()).size;
    if (
      hour + more > Math.max(limits.hour, SURGE * usualHour) ||
      day + more > Math.max(limits.day, SURGE * usualDay)
    )
      for (const ref of people.keys()) held.set(ref, 'burst');
  }
  return held;
}
