import type { Bid, BidRequest, BidResponse } from '../../../platform/open-rtb.ts';

/** A campaign as the bidder sees it. */
export interface Bidding {
  id: string;
  /** The most that may be bid for one impression's media, micro-dollars. */
  mediaMicros: bigint;
  states: ReadonlySet<string>;
  zips: ReadonlySet<string>;
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

/** Whether a place is among those of a campaign. Where either is named, being in one of them is enough. */
export const isPlaced = (
  { states, zips }: Pick<Bidding, 'states' | 'zips'>,
  place: { state: string | null; zip: string | null },
): boolean =>
  (states.size === 0 && zips.size === 0) ||
  (place.state !== null && states.has(place.state)) ||
  (place.zip !== null && zips.has(place.zip));

/** What a campaign is aimed at, as the bidder looks it up. */
export const audiencesOf = (aims: readonly { id: string; isExcluded: boolean }[]): Audiences => ({
  included: new Set(aims.flatMap(({ id, isExcluded }) => (isExcluded ? [] : [id]))),
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
  const place = { state: geo.region ?? null, zip: geo.zip ?? null };
  const blocked = new Set(request.badv ?? []);
  let best: { campaign: Bidding; creative: Bidding['creatives'][number] } | undefined;
  for (const campaign of campaigns) {
    if (best && campaign.mediaMicros <= best.campaign.mediaMicros) continue;
    // A bid is for 1,000 impressions, so what is bid for one is a whole number of thousandths of a cent.
    if (Number(campaign.mediaMicros) / 1000 < imp.bidfloor || campaign.mediaMicros === 0n) continue;
    if (!isPlaced(campaign, place) || !isAimed(campaign.audiences, among)) continue;
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
