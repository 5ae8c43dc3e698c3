import { type Area, type GeoPoint, isInArea } from '../../../../contract/ads/area-rules.ts';
import { ipHex, uuidHex } from '../../../platform/identifiers.ts';
import type { Bid, BidRequest, BidResponse } from '../../../platform/open-rtb.ts';
import { ID_SOURCE } from '../../../providers/sandbox-exchange/index.ts';

/** A campaign as the bidder sees it. */
export interface Bidding {
  id: string;
  /** The most that may be bid for one impression's media, micro-dollars. */
  mediaMicros: bigint;
  places: Places;
  frequency: { times: number; hours: number } | null;
  /** Only viewers in one of these audiences, if there are any, and none in one of those. */
  audiences: Audiences;
  creatives: readonly { id: string; width: number; height: number; click_url: string }[];
}

/** The audiences that a campaign is aimed at, and those that it must not be shown to. */
export interface Audiences {
  included: ReadonlySet<string>;
  excluded: ReadonlySet<string>;
}

const HOUR_MS = 3_600_000;
/** How long an impression may be billed after its auction (OpenRTB implementation 7.2: about a minute on the web). */
export const LASTS_MS = 60_000;

/** Whether a viewer has seen a campaign as often as it allows. */
export const isCapped = (
  frequency: Bidding['frequency'],
  seen: readonly Date[] | undefined,
  at: Date,
): boolean =>
  frequency !== null &&
  (seen ?? []).filter((one) => at.getTime() - one.getTime() < frequency.hours * HOUR_MS).length >=
    frequency.times;

/** Where a campaign is shown. */
export interface Places {
  /** Each with its cities; without any, all of the state. */
  states: ReadonlyMap<string, ReadonlySet<string>>;
  zips: ReadonlySet<string>;
  areas: readonly Area[];
}

/** The places of a campaign, as the bidder looks them up. */
export const placesOf = (row: {
  states: readonly string[];
  cities: readonly string[];
  zips: readonly string[];
  areas: readonly Area[];
}): Places => ({
  states: new Map(
    row.states.map((state) => [
      state,
      new Set(row.cities.filter((city) => city.endsWith(`, ${state}`)).map((city) => city.slice(0, -4))),
    ]),
  ),
  zips: new Set(row.zips),
  areas: row.areas,
});

/** Where a viewer is, as far as it is known. */
export interface Place {
  state: string | null;
  city: string | null;
  zip: string | null;
  point: GeoPoint | null;
}

/** Whether a place is among those of a campaign. Where any are named, being in one of them is enough. */
export const isPlaced = ({ states, zips, areas }: Places, { state, city, zip, point }: Place): boolean => {
  if (states.size === 0 && zips.size === 0 && areas.length === 0) return true;
  const cities = state === null ? undefined : states.get(state);
  return (
    (cities !== undefined && (cities.size === 0 || (city !== null && cities.has(city)))) ||
    (zip !== null && zips.has(zip)) ||
    (point !== null && areas.some((area) => isInArea(area, point)))
  );
};

/** What a viewer is recognized by, of what an exchange tells of them. */
export function keysOfViewer(told: {
  eids: readonly { source: string; id: string }[];
  ifa: string | null;
  ip: string | null;
}): { kind: number; value: Buffer }[] {
  const email = told.eids.find(({ source, id }) => source === ID_SOURCE && /^[0-9a-f]{64}$/.test(id))?.id;
  const known = [
    [1, email],
    [5, told.ifa ? uuidHex(told.ifa) : null],
    [7, told.ip ? ipHex(told.ip) : null],
  ] as const;
  return known.flatMap(([kind, value]) => (value ? [{ kind, value: Buffer.from(value, 'hex') }] : []));
}

/** Where the viewer of a bid request is. */
export const placeOf = ({ device: { geo } }: BidRequest): Place => ({
  state: geo.region ?? null,
  city: geo.city ?? null,
  zip: geo.zip ?? null,
  point: geo.lat === undefined || geo.lon === undefined ? null : { latitude: geo.lat, longitude: geo.lon },
});

/** The id of no audience. */
const NO_ONE = '00000000-0000-0000-0000-000000000000';

/** What a campaign is aimed at, as the bidder looks it up. */
export const audiencesOf = (
  aims: readonly { id: string; isExcluded: boolean; isSmall: boolean }[],
): Audiences => ({
  // No one is in an audience that is too small, and a campaign that is aimed at it stays aimed.
  included: new Set(
    aims.flatMap(({ id, isExcluded, isSmall }) => (isExcluded ? [] : [isSmall ? NO_ONE : id])),
  ),
  excluded: new Set(aims.flatMap(({ id, isExcluded }) => (isExcluded ? [id] : []))),
});

/**
 * Whether a campaign may be shown to someone in these audiences; null: it may not be looked up in which ones they are, so
 * no campaign that asks is shown.
 */
export const isAimed = ({ included, excluded }: Audiences, among: ReadonlySet<string> | null): boolean => {
  if (included.size === 0 && excluded.size === 0) return true;
  if (!among) return false;
  return (included.size === 0 || !included.isDisjointFrom(among)) && excluded.isDisjointFrom(among);
};

/** Those of the audiences that a campaign is aimed at that a viewer is in. */
export const inOf = ({ included }: Audiences, among: ReadonlySet<string> | null): string[] =>
  among ? [...included.intersection(among)] : [];

/**
 * What we answer to a bid request: the campaign that can bid the most, with a creative of the size asked for; null is no
 * bid. `seen`: when its viewer saw each campaign; `among`: in which audiences they are; null where they may not be remembered.
 */
export function bidFor(
  request: BidRequest,
  campaigns: readonly Bidding[],
  seen: ((campaignId: string) => readonly Date[]) | null,
  among: ReadonlySet<string> | null,
  at: Date,
): { response: BidResponse; bid: Bid; campaignId: string; creativeId: string; mediaMicros: bigint } | null {
  const [imp] = request.imp;
  const { geo } = request.device;
  if (!imp || request.regs.coppa === 1 || geo.country !== 'USA' || !request.cur.includes('USD')) return null;
  const place = placeOf(request);
  const blocked = new Set(request.badv ?? []);
  let best: { campaign: Bidding; creative: Bidding['creatives'][number] } | undefined;
  for (const campaign of campaigns) {
    if (best && campaign.mediaMicros <= best.campaign.mediaMicros) continue;
    // A bid is for 1,000 impressions, so what is bid for one is a whole number of thousandths of a cent.
    if (Number(campaign.mediaMicros) / 1000 < imp.bidfloor || campaign.mediaMicros === 0n) continue;
    if (!isPlaced(campaign.places, place) || !isAimed(campaign.audiences, among)) continue;
    // Who may not be remembered cannot be counted, so a campaign with a cap does not bid for them.
    if (campaign.frequency && !seen) continue;
    if (isCapped(campaign.frequency, seen?.(campaign.id), at)) continue;
    const creative = campaign.creatives.find(
      (one) =>
        one.width === imp.banner.w &&
        one.height === imp.banner.h &&
        !(imp.secure && !one.click_url.startsWith('https:')) &&
        !blocked.has(new URL(one.click_url).hostname),
    );
    if (creative) best = { campaign, creative };
  }
  if (!best) return null;
  const { campaign, creative } = best;
  const bid: Bid = {
    id: `${request.id}-1`,
    impid: imp.id,
    price: Number(campaign.mediaMicros) / 1000,
    adomain: [new URL(creative.click_url).hostname],
    cid: campaign.id,
    crid: creative.id,
    w: creative.width,
    h: creative.height,
    exp: LASTS_MS / 1000,
    mtype: 1,
  };
  return {
    response: { id: request.id, cur: 'USD', seatbid: [{ seat: campaign.id, bid: [bid] }] },
    bid,
    campaignId: campaign.id,
    creativeId: creative.id,
    mediaMicros: campaign.mediaMicros,
  };
}
