import type { Area } from '../../contract/ads/area-rules.ts';

/** A creative as a platform is told of it. */
export interface AdOrderCreative {
  id: string;
  externalId: string | null;
  name: string;
  width: number;
  height: number;
  type: string;
  altText: string;
  clickUrl: string;
  isActive: boolean;
  file: () => Promise<Buffer>;
}

/** A postal address in the United States: state as its code, ZIP as five digits. */
export interface AdAddress {
  address: string;
  city: string;
  state: string;
  zip: string;
}

/** An audience as a platform is told of it. */
export interface AdAudience {
  id: string;
  externalId: string | null;
  name: string;
  addresses: readonly AdAddress[];
}

/** An ad campaign as a platform is told of it. Amounts are what its media may cost, micro-dollars. */
export interface AdOrder {
  id: string;
  externalId: string | null;
  name: string;
  isRunning: boolean;
  startsOn: string | null;
  endsOn: string | null;
  /** Today in the campaign's time zone. */
  today: string;
  /** For 1,000 impressions. */
  bidMicros: bigint;
  dailyMicros: bigint;
  monthlyMicros: bigint;
  totalMicros: bigint | null;
  goal: { type: 'cpc' | 'cpa' | 'ctr'; micros: bigint } | null;
  frequency: { times: number; hours: number } | null;
  clickDays: number;
  viewHours: number;
  zips: readonly string[];
  /** Codes of states; in one with cities (such as 'Austin, TX'), only those count. */
  states: readonly string[];
  cities: readonly string[];
  /** Instead of all other places. */
  areas: readonly Area[];
  /** Also those that are no longer shown: their ads there are stopped, and what they did is reported. */
  creatives: readonly AdOrderCreative[];
  /** The audiences that it is aimed at, or away from, as the platform calls them. */
  audiences: readonly { externalId: string; isExcluded: boolean }[];
}

/** What a platform calls a campaign and its creatives (by our ids). */
export interface AdPlaced {
  externalId: string;
  creatives: ReadonlyMap<string, string>;
}

/** What a platform says of a creative on a day, so far. */
export interface AdDayReport {
  day: string;
  /** Ours. */
  creativeId: string;
  impressions: number;
  clicks: number;
  mediaMicros: bigint;
}

/**
 * Shows ads (a demand-side platform): the sandbox exchange, our own house ad server, Simpli.fi. One suite holds for all
 * of them (features/ads/ad-serving/platforms.test.ts).
 */
export interface AdPlatform {
  /** Has the platform show a campaign as it is now, or stop it. The same order again changes nothing. */
  put(order: AdOrder): Promise<AdPlaced>;
  /** Has the platform stop a campaign, by what it calls it, and changes nothing else. One that is not there is stopped. */
  stop(externalId: string): Promise<void>;
  /** Gives the platform an audience as it is now, in the place of what it had; returns what it calls it. */
  putAudience(audience: AdAudience): Promise<string>;
  /** Deletes an audience there. One that is not there is deleted. */
  removeAudience(externalId: string): Promise<void>;
  /**
   * What it did on days of a campaign's time zone, so far; both days included. All or nothing: half an answer throws.
   */
  report(
    order: Pick<AdOrder, 'id' | 'externalId' | 'creatives'>,
    from: string,
    to: string,
  ): Promise<AdDayReport[]>;
  /** The same platform, which is asked nothing more once `mayAsk` says no. An answer comes within 15 seconds, or never. */
  while(mayAsk: () => boolean): AdPlatform;
}

/** The platform refuses an order, or could not be asked; `retry`: it may take it later. */
export class AdPlatformError extends Error {
  override name = 'AdPlatformError';
  readonly retry: boolean;
  constructor(message: string, retry: boolean) {
    super(message);
    this.retry = retry;
  }
}
