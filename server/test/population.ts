/**
 * A synthetic population with known ground truth: households and offices behind shared addresses, families sharing a
 * computer, browsers that change hands, mailboxes and phones shared by several people, addresses that are reassigned.
 * It yields what a graph has learned, and visits whose visitor is known. Everything is drawn from a seed.
 */

/** A visit, and who made it (the index of a person). */
export interface TrueVisit {
  who: number;
  /** Days after the first day of the population. */
  day: number;
  email?: string;
  browser: string;
  ip: string;
}

export interface Population {
  /** Everyone's email address; people may share one. */
  emails: string[];
  visits: TrueVisit[];
  /** When learning ends and recognition begins. */
  splitDay: number;
}

/** Numbers in [0, 1) from a seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const DAYS = 420;
const SPLIT = 330;
/** How often a visit identifies its visitor, before and after the split. */
const SAYS_WHO = 0.35;

interface Browser {
  id: string;
  /** Its visitor id changes after this many days: cookies are cleared or expire. */
  clearedEvery: number;
  /** The people who use it, the owner first; a second user has it `share` of the time. */
  users: number[];
  share: number;
  /** From this day on, it belongs to a different person who never used it before. */
  handedOn?: { day: number; to: number };
  /** Where it is most of the time: an address that changes every `every` days. */
  place: { kind: 'home' | 'office' | 'mobile'; id: number; every: number };
}

/** Generates a population of approximately this many people. */
export function makePopulation(people: number, seed: number): Population {
  const random = randomOf(seed);
  const chance = (part: number): boolean => random() < part;
  const among = (n: number): number => Math.floor(random() * n);
  const emails: string[] = [];
  const browsers: Browser[] = [];
  const id = (n: number): string =>
    `0190b000-${(n >>> 16).toString(16).padStart(4, '0')}-7000-8000-${(n & 0xffff).toString(16).padStart(12, '0')}`;
  const newBrowser = (users: number[], share: number, place: Browser['place']): Browser => {
    const browser: Browser = {
      id: id(browsers.length + 1),
      clearedEvery: chance(0.5) ? 20 + among(200) : DAYS,
      users,
      share,
      place,
    };
    // Sold, given to a child, or to a new colleague: one in fourteen over the whole period.
    if (chance(0.07)) browser.handedOn = { day: among(DAYS), to: among(people) };
    browsers.push(browser);
    return browser;
  };
  for (let home = 0; emails.length < people; home++) {
    const members: number[] = [];
    const size = 1 + among(4);
    for (let i = 0; i < size && emails.length < people; i++) {
      const n = emails.length;
      members.push(n);
      // A mailbox shared by a couple or family: one person in twelve shares the previous person's.
      emails.push(i > 0 && chance(0.08) ? emails[n - 1]! : `p${n}@people.example`);
    }
    const place = { kind: 'home' as const, id: home, every: 25 + among(120) };
    // A phone or laptop that others in the household use now and then.
    for (const who of members) {
      const others = members.filter((other) => other !== who);
      newBrowser(
        [who, ...others],
        chance(0.6) ? 0.04 + random() * 0.16 : 0,
        chance(0.25) ? { kind: 'mobile', id: who, every: 2 } : place,
      );
    }
    // The shared living-room computer.
    if (members.length > 1 && chance(0.5)) newBrowser(members, 0.2 + random() * 0.2, place);
    for (const who of members)
      if (chance(0.4))
        newBrowser([who], 0, { kind: 'office', id: among(Math.max(1, people >> 5)), every: 300 });
  }
  const visits: TrueVisit[] = [];
  for (const browser of browsers) {
    const many = 2 + among(7);
    for (let i = 0; i < many; i++) {
      const day = random() * DAYS;
      const { handedOn, users, share, place } = browser;
      const isOther = users.length > 1 && chance(share);
      const who =
        handedOn && day >= handedOn.day
          ? handedOn.to
          : isOther
            ? users[1 + among(users.length - 1)]!
            : users[0]!;
      visits.push({
        who,
        day,
        browser: `${browser.id.slice(0, 24)}${Math.floor(day / browser.clearedEvery)
          .toString(16)
          .padStart(4, '0')}${browser.id.slice(28)}`,
        ip: addressOf(place, day),
        // One in a hundred is entered for someone else, such as a customer or colleague.
        ...(chance(SAYS_WHO) ? { email: chance(0.012) ? emails[among(people)]! : emails[who]! } : {}),
      });
    }
  }
  visits.sort((a, b) => a.day - b.day);
  return { emails, visits, splitDay: SPLIT };
}

/** The address of a place on a given day: those of homes and phones are reassigned over time. */
function addressOf({ kind, id, every }: Browser['place'], day: number): string {
  if (kind === 'office') return ipOf(0x5000_0000 + id);
  const lease = Math.floor(day / every);
  let n = (id * 2_654_435_761 + lease * 40_503) >>> 0;
  n ^= n >>> 13;
  // Homes share a pool of addresses half again as large as the number of homes; phones share a small one.
  return kind === 'home' ? ipOf(0x4000_0000 + (n % 30_000)) : ipOf(0x6000_0000 + (n % 400));
}

const ipOf = (n: number): string => [n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255].join('.');
