import { US_STATES } from '../../../contract/choices.ts';
import type { BidRequest, BidResponse } from '../../platform/open-rtb.ts';
import { placeIn } from '../../platform/places.ts';

/** Sizes, each with the share of requests (percent) up to it. */
const SIZES: readonly [w: number, h: number, upTo: number][] = [
  [300, 250, 40],
  [728, 90, 60],
  [320, 50, 80],
  [160, 600, 88],
  [300, 600, 96],
  [970, 250, 100],
];
const SITES = [
  'sandbox-news.example',
  'sandbox-weather.example',
  'sandbox-recipes.example',
  'sandbox-sports.example',
];
const STATES = Object.keys(US_STATES).slice(0, 51);
const AGENT =
  'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36';
const VIEWERS = 4_000;
/** How often a viewer is one of the people that the exchange was given. */
const KNOWN_SHARE = 0.3;
/** Who says that a hash is that of a viewer's email address (OpenRTB 2.6, user.eids). */
export const ID_SOURCE = 'sandbox-ids.example';

/** Someone who surfs on the simulated sites: what exchanges tell of people. */
export interface Persona {
  emailSha256?: string;
  deviceId?: string;
  ip?: string;
}

/** What happens to an ad that won, as the exchange would tell. */
export interface Outcome {
  won: boolean;
  isRendered: boolean;
  isViewable: boolean;
  isClicked: boolean;
  /** How the billing notice arrives: once, twice, more than a minute late, or never. */
  notice: 'once' | 'twice' | 'late' | 'lost';
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32 over a hash of the text). */
export function randomOf(seed: string): () => number {
  let state = 2_166_136_261;
  for (const character of seed) state = Math.imul(state ^ character.charCodeAt(0), 16_777_619);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * An exchange that is simulated: it draws bid requests (sizes, places, viewers, floors) and competitors from a seeded
 * model. Nobody sees an ad of it, and its sites say so in their names. Some of its viewers are `people`.
 */
export function createSandboxExchange(seed: string, people: readonly Persona[] = []) {
  const random = randomOf(seed);
  // A row of its own, so that what is drawn of all else is as it would be without.
  const whereabouts = randomOf(`${seed} places`);
  const among = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!;
  let serial = 0;

  return {
    /** The next request of a visitor. */
    request(): BidRequest {
      const at = random() * 100;
      const [w, h] = SIZES.find(([, , upTo]) => at < upTo)!;
      const domain = among(SITES);
      const region = among(STATES);
      const which = people.length > 0 && random() < KNOWN_SHARE ? Math.floor(random() * people.length) : null;
      const persona = which === null ? null : people[which]!;
      return {
        id: `${seed}-${++serial}`,
        at: 1,
        tmax: 120,
        cur: ['USD'],
        imp: [{ id: '1', banner: { w, h }, bidfloor: Math.round(random() * 150) / 100, secure: 1 }],
        site: { domain, page: `https://${domain}/` },
        device: {
          ua: AGENT,
          geo: {
            country: 'USA',
            region,
            ...placeIn(region, whereabouts),
            zip: String(10_000 + Math.floor(random() * 89_999)),
          },
          ...(persona?.ip ? { ip: persona.ip } : {}),
          ...(persona?.deviceId ? { ifa: persona.deviceId } : {}),
        },
        user: {
          id: persona ? `known-${which}` : `viewer-${Math.floor(random() * VIEWERS)}`,
          ...(persona?.emailSha256
            ? { eids: [{ source: ID_SOURCE, uids: [{ id: persona.emailSha256, atype: 3 as const }] }] }
            : {}),
        },
        regs: { coppa: random() < 0.01 ? 1 : 0 },
      };
    },

    /** A first-price auction of a bid against a drawn competitor, and what follows if it wins. */
    settle(request: BidRequest, response: BidResponse): Outcome {
      const bid = response.seatbid[0]!.bid[0]!;
      const competitor = 0.5 + 3.5 * random() ** 2;
      const won = bid.price >= request.imp[0]!.bidfloor && bid.price > competitor;
      const isRendered = won && random() < 0.92;
      const isViewable = isRendered && random() < 0.65;
      const fate = random();
      return {
        won,
        isRendered,
        isViewable,
        isClicked: isViewable && random() < 0.004,
        notice: fate < 0.96 ? 'once' : fate < 0.975 ? 'twice' : fate < 0.985 ? 'late' : 'lost',
      };
    },
  };
}

export type SandboxExchange = ReturnType<typeof createSandboxExchange>;
