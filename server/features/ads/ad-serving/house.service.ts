import { CLICK_PARAMETER } from '../../../../contract/ads/ad-rules.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { derive, mac } from '../../../platform/crypto.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { createGather } from '../../../platform/gather.ts';
import { countryOf } from '../../../platform/geo.ts';
import { newId } from '../../../platform/ids.ts';
import { type LimitRule, type Limits, networkOf, rangeOf } from '../../../platform/limits.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { People } from '../../audience/people/index.ts';
import { createRates, isBot } from '../../campaigns/visits/index.ts';
import type { AdAudiences } from '../ad-audiences/index.ts';
import { type AdCampaigns, type AdRow, costsOf, imagePath, type Noticed } from '../ad-campaigns/index.ts';
import { type Audiences, audiencesOf, inOf, isAimed, isCapped } from './bidder.policy.ts';
import * as store from './store.ts';
import { type Due, type Pass, passFor, passIn, viewIn, viewPassFor } from './token.policy.ts';

/** How long after it was given an ad may still come into view. */
const LASTS_MS = 10 * 60_000;
/** How long a page may stay open before its ad is clicked. */
const PASS_MS = 86_400_000;
/** Views and clicks that are taken together. */
const SIZES = { batch: 200, runs: 2, waiting: 5_000 };
const KEPT_MS = 5_000;
const MOST_KEPT = 10_000;
/** How many campaigns are tried for one request. */
const MOST_TRIED = 10;
const DAY_MS = 86_400_000;
/** Requests for ads, views, and clicks a minute. A page has a few zones, an office many pages. */
const RATES = { address: 120, network: 1_200, key: 12_000 };
/** Images a minute: also those of ads on other sites, which exchanges sold. A browser keeps an image once it has it. */
const IMAGE_RATES = { address: 600, network: 6_000 };
/**
 * How many ads of one campaign an address and its neighborhood get within a day. A program can forge everything that a
 * browser says, so this, and no token, is what bounds its share of a budget.
 */
const perDay = (name: string, max: number): LimitRule => ({
  name,
  max,
  base: 3_600,
  cap: 86_400,
  window: 86_400,
});
const PER_NETWORK = perDay('ads.network', 60);
const PER_RANGE = perDay('ads.range', 600);
/** What no one may be told apart by in these countries: everything outside the United States. */
const REMEMBERED = 'US';

/** Who asks. */
export interface Asker {
  ip: string;
  userAgent: string;
  /** The host of the page, as the browser says. */
  host: string | null;
  gpc: boolean;
}

/** An ad as a page gets it. */
export interface HouseAd {
  /** Path of the image, and of the click. */
  i: string;
  c: string;
  a: string;
  w: number;
  h: number;
  /** For the notice that it was in view. */
  t: string;
}

/** That an ad was in view, or clicked. `isCounted`: by a person, as far as can be told. */
interface Notice {
  pass: Pass;
  at: Date;
  host: string | null;
  isClick: boolean;
  isCounted: boolean;
}

/** What a notice is of; of a click also where it leads. */
interface Found extends Due {
  place: string;
  url: string | undefined;
}

/** What became of a notice; of a click also where it leads. */
interface Taken {
  outcome: Noticed;
  url?: string | undefined;
}

export type House = ReturnType<typeof createHouse>;

/** Undoes the transaction of an impression that a campaign cannot pay. */
class NoRoom extends Error {}

const isHost = (hosts: readonly string[], host: string): boolean =>
  hosts.some((one) =>
    one.startsWith('*.') ? host === one.slice(2) || host.endsWith(one.slice(1)) : host === one,
  );

/** A viewer, as a campaign may count and credit them: a keyed hash of address and browser. */
export const viewerOf = (key: Buffer, ip: string, userAgent: string): Buffer =>
  mac(key, `${networkOf(ip)} ${userAgent}`).subarray(0, 16);

/**
 * The house ad server: shows campaigns in zones on the agency's and its clients' own sites. Its requests are public, and
 * what they can spend is a campaign's own budget and no more. An impression costs something once it was in view.
 */
export function createHouse(
  platform: Platform,
  {
    adCampaigns,
    adAudiences,
    people,
    limits,
  }: { adCampaigns: AdCampaigns; adAudiences: AdAudiences; people: People; limits: Limits },
) {
  const { db, clock, config } = platform;
  const { spending, rows } = adCampaigns;
  const signKey = derive(config.appKey, 'ads.pass');
  const viewerKey = derive(config.appKey, 'ads.viewer');
  const rates = createRates(RATES);
  const imageRates = createRates(IMAGE_RATES);
  const zones = new Map<string, { zone: Promise<store.ZoneOfKey | undefined>; until: number }>();
  const lists = new Map<string, { list: Promise<Shown[]>; until: number }>();
  /** Campaigns whose budgets are used up for now, and until when that is believed. */
  const full = new Map<string, number>();

  type Shown = AdRow & {
    shown: Awaited<ReturnType<typeof rows.creatives>>;
    share_bp: number;
    audiences: Audiences;
  };

  /** Remembers for a few seconds: what a zone shows is asked for by every page view. */
  function kept<T>(
    map: Map<string, { until: number } & Record<string, unknown>>,
    name: string,
    key: string,
    ask: () => Promise<T>,
  ): Promise<T> {
    const now = performance.now();
    const known = map.get(key);
    if (known && known.until > now) return known[name] as Promise<T>;
    const value = ask();
    if (map.size >= MOST_KEPT) map.clear();
    map.set(key, { [name]: value, until: now + KEPT_MS });
    value.catch(() => map.delete(key));
    return value;
  }
  const zoneOf = (key: string) => kept(zones as never, 'zone', key, () => store.zoneByKey(db.app, key));

  /** The campaigns that a zone may show: all of its agency's clients, or its client's own. */
  const shownIn = (zone: store.ZoneOfKey): Promise<Shown[]> =>
    kept(lists as never, 'list', `${zone.root_id} ${zone.company_id} ${zone.width}x${zone.height}`, () =>
      inScope(db.app, { rootId: zone.root_id }, async (tx) => {
        const active = await rows.active(tx, {
          platform: 'house',
          ...(zone.company_id === zone.agency_id
            ? { agencyId: zone.agency_id }
            : { companyId: zone.company_id }),
        });
        const creatives = await rows.creatives(
          tx,
          active.map(({ id }) => id),
          true,
        );
        const fitting = creatives.filter(
          ({ width, height }) => width === zone.width && height === zone.height,
        );
        const aims = await adAudiences.aimsOf(
          tx,
          active.map(({ id }) => id),
        );
        const share = active[0] ? (await spending.ratesOf(tx, active[0])).share_bp : 0;
        return (
          active
            .map((row) => ({
              ...row,
              share_bp: share,
              audiences: audiencesOf(aims.get(row.id) ?? []),
              shown: fitting.filter(({ campaign_id }) => campaign_id === row.id),
            }))
            // Nobody knows where a visitor is to the ZIP code, so campaigns with places are for exchanges.
            .filter(
              (row) =>
                row.shown.length > 0 &&
                row.states.length === 0 &&
                row.zips.length === 0 &&
                row.areas.length === 0,
            )
        );
      }),
    );

  /** @throws Refusal 429 if someone asks too often */
  function take(key: string, ip: string, from = rates): void {
    const retryAfter = from.take({ key, ip, visitors: [] }, 1, clock.now().getTime());
    if (retryAfter > 0)
      throw new Refusal('too_many', 'Too many requests. Try again shortly.', { retryAfter });
  }

  /** What an ad of a campaign counts against. */
  const countsOf = (campaignId: string, ip: string): [LimitRule, string][] => [
    [PER_NETWORK, `${campaignId} ${networkOf(ip)}`],
    [PER_RANGE, `${campaignId} ${rangeOf(ip)}`],
  ];
  /** Counts an ad. False: this network has had as many as it gets in a day. */
  async function count(tx: Tx, counts: [LimitRule, string][]): Promise<boolean> {
    try {
      await limits.takeAll(counts, tx);
      return true;
    } catch (error) {
      if (error instanceof Refusal && error.code === 'too_many') return false;
      throw error;
    }
  }

  /**
   * Gives an impression to a campaign, if whoever asks has not had as many as they get and its budgets allow. In a
   * transaction of its own: one that has locked a campaign must not wait for another, because others ask in another order.
   */
  async function give(
    zone: store.ZoneOfKey,
    row: Shown,
    ip: string,
    wanted: Parameters<typeof spending.hold>[2][number],
  ): Promise<boolean> {
    try {
      return await inScope(db.app, { rootId: zone.root_id }, async (tx) => {
        if (!(await count(tx, countsOf(row.id, ip)))) return false;
        if (!(await spending.hold(tx, row.id, [wanted], clock.now())).has(wanted.id)) throw new NoRoom();
        return true;
      });
    } catch (error) {
      if (!(error instanceof NoRoom)) throw error;
      if (full.size >= MOST_KEPT) full.clear();
      full.set(row.id, performance.now() + KEPT_MS);
      return false;
    }
  }

  /** What notices are of; those of other places than their tokens name, and of none, are not found. */
  const lookUp = createGather(SIZES, async (all: Notice[]): Promise<(Found | null)[]> => {
    const found: (Found | null)[] = all.map(() => null);
    const idOf = (n: number): string => all[n]!.pass.impressionId;
    const roots = await store.rootsOfImpressions(db.app, [
      ...new Set(all.map((one) => one.pass.impressionId)),
    ]);
    for (const [rootId, of] of Map.groupBy(all.keys(), (n) => roots.get(idOf(n)))) {
      if (!rootId) continue;
      await inScope(db.app, { rootId, isRead: true }, async (tx) => {
        const rowsOf = await spending.impressions(tx, [...new Set(of.map(idOf))]);
        const impressions = new Map(rowsOf.map((one) => [one.id, one]));
        const clicked = new Set(of.filter((n) => all[n]!.isClick).map(idOf));
        const creatives = rowsOf.filter(({ id }) => clicked.has(id)).map(({ creative_id }) => creative_id);
        const urls = await rows.clickUrls(tx, [...new Set(creatives)]);
        for (const n of of) {
          const one = impressions.get(idOf(n));
          // The token names the place that it was given to, and so does the impression: one for another place is none.
          if (!one?.zone_id || !all[n]!.pass.isOf(one.zone_id, one.place)) continue;
          found[n] = {
            impressionId: one.id,
            rootId,
            campaignId: one.campaign_id,
            place: one.place,
            mediaMicros: one.media_micros,
            url: all[n]!.isClick ? urls.get(one.creative_id) : undefined,
          };
        }
      });
    }
    return found;
  });

  /** Bills views and clicks together: those of a root in one transaction. `clickedAt`: when its ad was clicked, if it was. */
  const billTogether = createGather(
    SIZES,
    async (all: { due: Due; clickedAt: Date | null }[]): Promise<Noticed[]> => {
      const outcomes: Noticed[] = all.map(() => 'unknown');
      for (const [rootId, of] of Map.groupBy(all.keys(), (n) => all[n]!.due.rootId)) {
        const told = await inScope(db.app, { rootId }, async (tx) => {
          // Whoever clicks has seen the ad, so it is billed if it was not.
          const billed = await spending.bill(
            tx,
            of.map((n) => {
              const { impressionId, campaignId, mediaMicros } = all[n]!.due;
              return { id: impressionId, campaignId, mediaMicros, isViewable: true, isPromised: true };
            }),
          );
          await spending.click(
            tx,
            of.flatMap((n) => {
              const { due, clickedAt } = all[n]!;
              return clickedAt ? [{ id: due.impressionId, at: clickedAt }] : [];
            }),
          );
          return billed;
        });
        for (const n of of) outcomes[n] = told.get(all[n]!.due.impressionId) ?? 'unknown';
      }
      return outcomes;
    },
  );

  /** Takes a view or a click. */
  async function taken(notice: Notice): Promise<Taken> {
    const found = await lookUp(notice);
    if (!found) return { outcome: 'unknown' };
    const { url, place } = found;
    const isDue = notice.isCounted && (notice.isClick ? url !== undefined : place === notice.host);
    const clickedAt = notice.isClick ? notice.at : null;
    return { url, outcome: isDue ? await billTogether({ due: found, clickedAt }) : 'unknown' };
  }

  return {
    viewerKey,
    /**
     * Forgets what is remembered, after a change in this process: which campaigns one root shows, and that the budgets of
     * the changed one are used up; or everything.
     */
    forget(of?: { rootId: string; campaignId: string | null }): void {
      if (of) {
        for (const key of lists.keys()) if (key.startsWith(of.rootId)) lists.delete(key);
        if (of.campaignId) full.delete(of.campaignId);
        return;
      }
      zones.clear();
      lists.clear();
      full.clear();
    },

    /** Gives a zone an ad; null if there is none for it. @throws Refusal 403, 404, 429 */
    async serve(key: string, from: Asker): Promise<HouseAd | null> {
      take(key, from.ip);
      const zone = await zoneOf(key);
      if (!zone) throw new Refusal('not_found', 'z: is not a zone');
      if (!from.host || !isHost(zone.hosts, from.host))
        throw new Refusal('forbidden', 'This zone is for another site.');
      if (isBot(from.userAgent)) return null;
      const list = await shownIn(zone);
      if (list.length === 0) return null;
      const { host } = from;
      const isRemembered = !from.gpc && (countryOf(from.ip) ?? REMEMBERED) === REMEMBERED;
      const viewer = isRemembered ? viewerOf(viewerKey, from.ip, from.userAgent) : null;
      const at = clock.now();
      // The rarest order is a fair one: whoever asks twice does not see the same campaign first.
      const order = list
        .map((row) => ({ row, at: Math.random() }))
        .sort((a, b) => a.at - b.at)
        .map(({ row }) => row);
      const media = zone.cpm_micros / 1000n;
      /** Those that may be shown to whoever asks, in that order, with the audiences that they are in. */
      const fitting = await inScope(db.app, { rootId: zone.root_id }, async (tx) => {
        const since = new Date(at.getTime() - 30 * DAY_MS);
        const times = viewer
          ? await spending.timesSeen(
              tx,
              zone.root_id,
              order.filter(({ frequency_cap }) => frequency_cap !== null).map(({ id }) => id),
              viewer,
              since,
            )
          : new Map<string, Date[]>();
        /**
         * The audiences of each client that whoever asks is in, by the address, which is all that is known of them. Asked
         * once for all: an agency may have thousands of clients.
         */
        const aimed = isRemembered
          ? order.filter(({ audiences }) => audiences.included.size + audiences.excluded.size > 0)
          : [];
        const companyIds = [...new Set(aimed.map(({ company_id }) => company_id))];
        const found = await adAudiences.among(
          tx,
          zone.root_id,
          [...new Set(aimed.flatMap(({ audiences }) => [...audiences.included, ...audiences.excluded]))],
          companyIds.map((companyId) => people.addressKeys(from.ip, companyId)),
        );
        const amongOf = new Map(companyIds.map((companyId, n) => [companyId, found[n]!]));
        const fit: { row: Shown; price: bigint; among: Set<string> | null }[] = [];
        for (const row of order) {
          if (fit.length >= MOST_TRIED) break;
          if ((full.get(row.id) ?? 0) > performance.now()) continue;
          const frequency =
            row.frequency_cap === null ? null : { times: row.frequency_cap, hours: row.frequency_hours };
          if (frequency && !viewer) continue;
          if (isCapped(frequency, times.get(row.id), at)) continue;
          const { price } = costsOf(media, {
            share_bp: row.share_bp,
            markup_bp: row.markup_bp,
            is_own: true,
          });
          if (price * 1000n > row.max_bid_micros) continue;
          const { included, excluded } = row.audiences;
          const among = included.size + excluded.size === 0 ? null : (amongOf.get(row.company_id) ?? null);
          if (isAimed(row.audiences, among)) fit.push({ row, price, among });
        }
        return fit;
      });
      for (const { row, price, among } of fitting) {
        const creative = row.shown[Math.floor(Math.random() * row.shown.length)]!;
        const id = newId(at);
        const isGiven = await give(zone, row, from.ip, {
          id,
          creativeId: creative.id,
          zoneId: zone.id,
          place: host,
          mostMicros: price,
          mediaMicros: media,
          lastsMs: LASTS_MS,
          viewer,
          audiences: inOf(row.audiences, among),
        });
        if (!isGiven) continue;
        const of = { impressionId: id, host, expiresAt: new Date(at.getTime() + PASS_MS) };
        const due = { rootId: zone.root_id, campaignId: row.id, mediaMicros: media };
        return {
          i: imagePath(creative),
          c: `/a/v1/c/${passFor(signKey, { ...of, zoneId: zone.id })}`,
          a: creative.alt_text,
          w: creative.width,
          h: creative.height,
          t: viewPassFor(signKey, { ...of, ...due }),
        };
      }
      return null;
    },

    /**
     * Takes the notice that an ad was in view: it is billed, once. @throws Refusal 404 if the token is not ours, or was
     * given to another site; 410 if its time is over; 429
     */
    async view(token: unknown, from: Asker): Promise<void> {
      take(`view ${from.ip}`, from.ip);
      const at = clock.now();
      const isCounted = !isBot(from.userAgent);
      const due = isCounted ? viewIn(signKey, token, from.host, at) : null;
      // Pages that got their ad from the version before still have one pass for view and click.
      const pass = isCounted && !due ? passIn(signKey, token, at) : null;
      const outcome = due
        ? await billTogether({ due, clickedAt: null })
        : pass
          ? (await taken({ pass, at, host: from.host, isClick: false, isCounted })).outcome
          : 'unknown';
      if (outcome === 'unknown') throw new Refusal('not_found', 't: is not a token of this site');
      if (outcome !== 'billed' && outcome !== 'repeated') throw new Refusal('gone', 't: is too late');
    },

    /**
     * Where a click leads, with its id, and counts it, once. Whoever clicks has seen the ad, so it is billed if it was
     * not. @throws Refusal 404, 429
     */
    async click(token: unknown, from: Asker): Promise<string> {
      take(`click ${from.ip}`, from.ip);
      const at = clock.now();
      const pass = passIn(signKey, token, at);
      const isCounted = !isBot(from.userAgent);
      const missing = () => new Refusal('not_found', 'This ad is no longer there.');
      if (!pass) throw missing();
      const { url } = await taken({ pass, at, host: from.host, isClick: true, isCounted });
      if (!url) throw missing();
      if (!isCounted) return url;
      const target = new URL(url);
      target.searchParams.set(CLICK_PARAMETER, pass.impressionId);
      return target.href;
    },

    /** The image of a creative. @throws Refusal 429 */
    async file(id: string, ip: string) {
      take('', ip, imageRates);
      return store.creativeFile(db.app, id);
    },
  };
}
