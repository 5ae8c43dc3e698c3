import { CLICK_PARAMETER } from '../../../../contract/ads/ad-rules.ts';
import { Refusal } from '../../../../contract/errors.ts';
import { derive, hashToken } from '../../../platform/crypto.ts';
import { inScope } from '../../../platform/db/scope.ts';
import { createGather, Overfull } from '../../../platform/gather.ts';
import { newId } from '../../../platform/ids.ts';
import type { BidResponse } from '../../../platform/open-rtb.ts';
import type { Platform } from '../../../platform/platform.ts';
import { createRates, isBot } from '../../campaigns/visits/index.ts';
import type { AdAudiences } from '../ad-audiences/index.ts';
import { type AdCampaigns, type Bought, bidOf, imagePath, type Noticed } from '../ad-campaigns/index.ts';
import { type Asked, readBidRequest, type Slot } from './bid-request.policy.ts';
import {
  audiencesOf,
  type Bidding,
  inOf,
  isAimed,
  isCapped,
  isPlaced,
  keysOfViewer,
  LASTS_MS,
  placesOf,
} from './bidder.policy.ts';
import { viewerOf } from './house.service.ts';
import { bodyOf, clearingPrice, type Made, noticeIn, noticeTokens } from './notice.policy.ts';
import * as store from './store.ts';

/** How long campaigns are remembered, and how old they may be while they are read again. */
const KEPT_MS = 5_000;
const STALE_MS = 30_000;
/** An unknown key is asked for again after this long. */
const KEY_MS = 5_000;
const MOST_KEYS = 10_000;
/** What is kept of `tmax` for the way back, and what is assumed without it. */
const MARGIN_MS = 20;
const TMAX_MS = 120;
const LEAST_MS = 5;
/** How long bids are made from a lease. */
const LEASE_MS = 30_000;
/** How many of a campaign's highest bids a lease is for: more as long as it is used up quickly. */
const LEASE_BIDS = { first: 20, most: 2_000 };
const QUICKLY_MS = 10_000;
/** A campaign without anything left to spend is asked again after this long. */
const DRY_MS = 3_000;
/** Notices come after their time, at the latest; a lease is kept for them. */
const GRACE_MS = 5_000;
const CLICK_MS = 86_400_000;
/** The most campaigns that are looked at closely for one request. */
const MOST_CLOSE = 50;
/** How many campaigns that are open to everyone are looked at for one request. */
const ENOUGH = 3;
/** How long what was read may wait for its first budgets. */
const PREPARE_MS = 1_000;
/** For how many campaigns' budgets one request waits. */
const MOST_WAITS = 3;
const MOST_SEEN = 200_000;
/** Attempts with unknown keys a minute. */
const RATES = { address: 60, network: 600 };
const SIZES = { batch: 200, runs: 2, waiting: 5_000 };

/** A campaign as the HTTP bidder sees it. */
interface Candidate extends Omit<Bidding, 'creatives'> {
  agencyId: string;
  maxBidMicros: bigint;
  /** The most that the client pays for one impression, micro-dollars. */
  mostMicros: bigint;
  /** Dollars for 1,000. */
  price: number;
  leases: Lease[];
  bids: number;
  asking: Promise<void> | null;
  dryUntil: number;
}

interface Fitting {
  campaign: Candidate;
  creative: { id: string; width: number; height: number; path: string };
  /** What follows the address of its image in the ad. */
  imageEnd: string;
  host: string;
  isSecure: boolean;
}

/** Budget that this process bids from. */
interface Lease {
  id: string;
  left: bigint;
  begun: number;
  until: number;
  /** Impressions of it that are billed or lost. */
  done: Set<string>;
}

/** In which audiences a viewer is, and when they saw campaigns. */
interface Known {
  among: Set<string>;
  seen: Map<string, Date[]>;
}

interface Book {
  at: number;
  /** By size, the highest bids first. */
  bySize: Map<string, Fitting[]>;
  /** The same by size and state, without those that are for other places; made when it is first asked for. */
  byPlace: Map<string, Fitting[]>;
}

/** The time by which a request wants its answer: a timer only if there is something to wait for. */
interface Deadline {
  isOver: boolean;
  late(): Promise<null>;
  clear(): void;
}

function deadlineIn(ms: number): Deadline {
  const until = performance.now() + ms;
  let timer: NodeJS.Timeout | undefined;
  let late: Promise<null> | undefined;
  const deadline: Deadline = {
    isOver: false,
    late: () => {
      late ??= new Promise((done) => {
        timer = setTimeout(
          () => {
            deadline.isOver = true;
            done(null);
          },
          Math.max(0, until - performance.now()),
        );
      });
      return late;
    },
    clear: () => clearTimeout(timer),
  };
  return deadline;
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const html = (text: string): string => text.replace(/[&<>"]/g, (one) => escapes[one]!);

export type Bidder = ReturnType<typeof createBidder>;

/**
 * Our bidder for exchanges: answers OpenRTB 2.6 bid requests from memory. The money of its bids is promised beforehand, a
 * part of a campaign's budgets at a time, so an answer writes nothing. What a bid costs comes back with its billing
 * notice, whose address only we can sign (docs/decisions/0489-bidder.md).
 */
export function createBidder(
  { db, clock, config, log, metrics }: Platform,
  { adCampaigns, adAudiences }: { adCampaigns: AdCampaigns; adAudiences: AdAudiences },
) {
  const { spending, rows } = adCampaigns;
  const signKey = derive(config.appKey, 'ads.bid');
  const viewerKey = derive(config.appKey, 'ads.viewer');
  const rates = createRates(RATES);
  const requests = metrics.counter('platform_bid_requests_total', 'Bid requests, by answer', ['answer']);
  const notices = metrics.counter('platform_bid_notices_total', 'Billing notices, by outcome', ['outcome']);

  const keys = new Map<
    string,
    {
      found: Promise<{ id: string; root_id: string } | undefined>;
      exchange: { id: string; root_id: string } | undefined;
      until: number;
    }
  >();
  const books = new Map<string, { book: Book | null; reading: Promise<Book> | null }>();
  /** What outlives a reading of the campaigns: leases, by campaign. */
  const wallets = new Map<string, Pick<Candidate, 'leases' | 'bids' | 'asking' | 'dryUntil'>>();
  /** When viewers were bid for by this process, by viewer and campaign. */
  let seen = new Map<string, number[]>();

  /** The exchange of a key. @throws Refusal 404, 429 */
  async function exchangeOf(key: string, ip: string) {
    const now = performance.now();
    let known = keys.get(key);
    if (!known || known.until < now) {
      if (keys.size >= MOST_KEYS) keys.clear();
      const asked = {
        found: store.exchangeByKey(db.app, hashToken(key)),
        // One that was there a moment ago is believed until it is known otherwise.
        exchange: known?.exchange,
        until: now + KEY_MS,
      };
      keys.set(key, asked);
      asked.found.then(
        (found) => {
          asked.exchange = found;
        },
        () => keys.delete(key),
      );
      known = asked;
    }
    const exchange = known.exchange ?? (await known.found);
    if (exchange) return exchange;
    const retryAfter = rates.take({ key: '', ip, visitors: [] }, 1, clock.now().getTime());
    if (retryAfter > 0)
      throw new Refusal('too_many', 'Too many requests. Try again shortly.', { retryAfter });
    throw new Refusal('not_found', 'key: is not the key of an exchange');
  }

  /** Reads the campaigns that a root bids for. */
  const read = (rootId: string): Promise<Book> =>
    inScope(db.app, { rootId, isRead: true }, async (tx) => {
      const at = performance.now();
      const active = (await rows.active(tx, { platform: 'sandbox' })).filter((row) => row.root_id === rootId);
      const ids = active.map(({ id }) => id);
      const creatives = Map.groupBy(await rows.creatives(tx, ids, true), (one) => one.campaign_id);
      const aims = await adAudiences.aimsOf(tx, ids);
      const share = active[0] ? (await spending.ratesOf(tx, active[0])).share_bp : 0;
      const bySize = new Map<string, Fitting[]>();
      const book: Book = { at, bySize, byPlace: new Map() };
      // Equal bids take turns: each reading has them in another order.
      for (const row of active.map((one) => ({ one, n: Math.random() })).sort((a, b) => a.n - b.n)) {
        const { one } = row;
        const mostMicros = one.max_bid_micros / 1000n;
        const mediaMicros = bidOf(mostMicros, { share_bp: share, markup_bp: one.markup_bp, is_own: false });
        if (mediaMicros <= 0n) continue;
        const wallet = wallets.getOrInsertComputed(one.id, () => ({
          leases: [],
          bids: LEASE_BIDS.first,
          asking: null,
          dryUntil: 0,
        }));
        const campaign: Candidate = Object.assign(wallet, {
          id: one.id,
          agencyId: one.agency_id,
          maxBidMicros: one.max_bid_micros,
          mostMicros,
          mediaMicros,
          price: Number(mediaMicros) / 1000,
          places: placesOf(one),
          frequency:
            one.frequency_cap === null ? null : { times: one.frequency_cap, hours: one.frequency_hours },
          audiences: audiencesOf(aims.get(one.id) ?? []),
        });
        const sizes = new Set<string>();
        for (const creative of creatives.get(one.id) ?? []) {
          const size = `${creative.width}x${creative.height}`;
          if (sizes.has(size)) continue;
          sizes.add(size);
          bySize
            .getOrInsertComputed(size, () => [])
            .push({
              campaign,
              creative: {
                id: creative.id,
                width: creative.width,
                height: creative.height,
                path: imagePath(creative),
              },
              imageEnd: `" width="${creative.width}" height="${creative.height}" alt="${html(creative.alt_text)}" style="border:0"></a>`,
              host: new URL(creative.click_url).hostname,
              isSecure: creative.click_url.startsWith('https:'),
            });
        }
      }
      for (const list of bySize.values())
        list.sort((a, b) => Number(b.campaign.mediaMicros - a.campaign.mediaMicros));
      return book;
    });

  /** Whether a campaign has nothing to bid with, and that is not to be asked for yet. */
  const isDry = ({ dryUntil, leases, mostMicros }: Candidate, now: number): boolean =>
    now < dryUntil && !leases.some((one) => one.until > now && one.left >= mostMicros);

  /** Whether anyone may see a campaign, without being told apart from others. */
  const isForAll = ({ frequency, audiences }: Candidate): boolean =>
    !frequency && audiences.included.size + audiences.excluded.size === 0;

  /** The creatives of a size that may be for someone in a state, the highest bids first. */
  function candidatesOf(book: Book, size: string, state: string | null): readonly Fitting[] {
    const name = `${size} ${state ?? ''}`;
    const known = book.byPlace.get(name);
    if (known) return known;
    const all = book.bySize.get(size);
    if (!all) return [];
    const found = all.filter(({ campaign: { places } }) => {
      const isByState = places.zips.size === 0 && places.areas.length === 0 && places.states.size > 0;
      return !isByState || (state !== null && places.states.has(state));
    });
    book.byPlace.set(name, found);
    return found;
  }

  /** Takes budget for those that will be the first to bid where there were requests, before they have to. */
  async function prepare(rootId: string, before: Book, next: Book): Promise<void> {
    const began = performance.now();
    for (const name of before.byPlace.keys()) {
      const [size, state] = name.split(' ');
      const first = candidatesOf(next, size!, state || null).filter(({ campaign }) => isForAll(campaign));
      for (const { campaign } of first.slice(0, ENOUGH)) {
        if (performance.now() - began > PREPARE_MS) return;
        const now = clock.now().getTime();
        const lasts = campaign.leases.some(
          (one) => one.until > now + KEPT_MS && one.left >= campaign.mostMicros,
        );
        if (!lasts && now >= campaign.dryUntil) await refill(rootId, campaign);
      }
    }
  }

  /** The campaigns of a root: those of a moment ago, while they are read again. */
  function bookOf(rootId: string): Book | Promise<Book> {
    const kept = books.getOrInsertComputed(rootId, () => ({ book: null, reading: null }));
    const age = kept.book ? performance.now() - kept.book.at : Number.POSITIVE_INFINITY;
    if (age > KEPT_MS && !kept.reading) {
      kept.reading = read(rootId)
        .then(async (book) => {
          if (kept.book) await prepare(rootId, kept.book, book);
          kept.book = book;
          return book;
        })
        .finally(() => {
          kept.reading = null;
        });
      kept.reading.catch((error) => log.error({ err: error }, 'could not read what to bid for'));
    }
    return kept.book && age <= STALE_MS ? kept.book : kept.reading!;
  }

  /** Asks for a part of a campaign's budgets, once at a time. */
  function refill(rootId: string, campaign: Candidate): Promise<void> {
    campaign.asking ??= (async () => {
      const now = clock.now();
      const last = campaign.leases.at(-1);
      if (last && now.getTime() - last.begun < QUICKLY_MS)
        campaign.bids = Math.min(campaign.bids * 2, LEASE_BIDS.most);
      else if (last) campaign.bids = Math.max(LEASE_BIDS.first, campaign.bids / 2);
      const given = await inScope(db.app, { rootId }, (tx) =>
        spending.lease(tx, campaign.id, {
          micros: campaign.mostMicros * BigInt(Math.round(campaign.bids)),
          least: campaign.mostMicros,
          until: new Date(now.getTime() + LEASE_MS),
          lastsMs: LASTS_MS + GRACE_MS,
        }),
      );
      campaign.leases = campaign.leases.filter((one) => one.until + LASTS_MS + GRACE_MS > now.getTime());
      if (given)
        campaign.leases.push({
          id: given.id,
          left: given.micros,
          begun: now.getTime(),
          until: given.until.getTime(),
          done: new Set(),
        });
      else campaign.dryUntil = now.getTime() + DRY_MS;
    })()
      .catch((error) => {
        // Without budget there is no bid; the exchange need not hear of more.
        campaign.dryUntil = clock.now().getTime() + DRY_MS;
        log.error({ err: error, campaignId: campaign.id }, 'could not take budget for bids');
      })
      .finally(() => {
        campaign.asking = null;
      });
    return campaign.asking;
  }

  /** Takes the money of a bid out of a lease; null if there is none that has it. */
  function take(rootId: string, campaign: Candidate, now: number): Lease | null {
    const lease = campaign.leases.find((one) => one.until > now && one.left >= campaign.mostMicros);
    if (lease) lease.left -= campaign.mostMicros;
    // The next one is asked for before this one is used up.
    const isLow = !lease || lease.left < campaign.mostMicros * BigInt(Math.ceil(campaign.bids / 4));
    if (isLow && !campaign.asking && now >= campaign.dryUntil && (!lease || lease === campaign.leases.at(-1)))
      void refill(rootId, campaign);
    return lease ?? null;
  }

  /** In which audiences viewers are, and when they saw campaigns: for many requests together. */
  const lookUp = createGather(
    SIZES,
    async (
      asked: {
        rootId: string;
        audiences: string[];
        capped: string[];
        keys: ReturnType<typeof keysOfViewer>;
        viewer: Buffer;
      }[],
    ) => {
      const answers: Known[] = asked.map(() => ({
        among: new Set(),
        seen: new Map(),
      }));
      const byRoot = Map.groupBy(asked.keys(), (n) => asked[n]!.rootId);
      for (const [rootId, numbers] of byRoot)
        await inScope(db.app, { rootId, isRead: true }, async (tx) => {
          const all = numbers.map((n) => asked[n]!);
          const audiences = [...new Set(all.flatMap((one) => one.audiences))];
          const among = await adAudiences.among(
            tx,
            rootId,
            audiences,
            all.map((one) => one.keys),
          );
          const capped = [...new Set(all.flatMap((one) => one.capped))];
          const since = new Date(clock.now().getTime() - 30 * 86_400_000);
          const times =
            capped.length === 0
              ? new Map<string, Date[]>()
              : await spending.timesSeenBy(
                  tx,
                  rootId,
                  capped,
                  all.map((one) => one.viewer),
                  since,
                );
          for (const [at, n] of numbers.entries()) answers[n] = { among: among[at]!, seen: times };
        });
      return answers;
    },
  );

  const secondsOf = (name: string) => (seen.get(name) ?? []).map((at) => new Date(at));
  function remember(name: string, at: number): void {
    if (seen.size >= MOST_SEEN) seen = new Map();
    seen.getOrInsertComputed(name, () => []).push(at);
  }

  /** The creatives that fit a slot and a request as far as the request alone tells, the highest bids first. */
  function fittingIn(book: Book, slot: Slot, asked: Asked, now: number): Fitting[] {
    const { geo } = asked;
    const place = {
      state: geo.state,
      city: geo.city,
      zip: geo.zip,
      point: geo.lat === null || geo.lon === null ? null : { latitude: geo.lat, longitude: geo.lon },
    };
    const [[w, h] = [0, 0], ...others] = slot.sizes;
    let list = candidatesOf(book, `${w}x${h}`, geo.state);
    if (others.length > 0)
      list = [...list, ...others.flatMap(([x, y]) => candidatesOf(book, `${x}x${y}`, geo.state))].sort(
        (a, b) => Number(b.campaign.mediaMicros - a.campaign.mediaMicros),
      );
    const found: Fitting[] = [];
    let open = 0;
    for (const one of list) {
      const { campaign } = one;
      if (campaign.price < slot.floor) break;
      if (slot.isSecure && !one.isSecure) continue;
      if (asked.blocked.has(one.host) || asked.blockedSeats.has(campaign.agencyId)) continue;
      if (asked.allowedSeats && !asked.allowedSeats.has(campaign.agencyId)) continue;
      if (!isPlaced(campaign.places, place)) continue;
      const isOpen = isForAll(campaign);
      if (!isOpen && !asked.isRemembered) continue;
      // Others may bid instead of one whose budget is used up for now.
      if (isDry(campaign, now)) continue;
      found.push(one);
      // A few that are open to everyone are enough; those below could only be lower.
      if (isOpen && ++open >= ENOUGH) break;
      if (found.length >= MOST_CLOSE) break;
    }
    return found;
  }

  /** Bids for one slot. Null: there is nothing to bid, or not in time. */
  async function bid(
    {
      rootId,
      origin,
      asked,
      book,
      slot,
    }: { rootId: string; origin: string; asked: Asked; book: Book; slot: Slot },
    deadline: Deadline,
  ): Promise<BidResponse | null> {
    let fitting: readonly Fitting[] = fittingIn(book, slot, asked, clock.now().getTime());
    if (fitting.length === 0) return null;
    const who = asked.ip ?? asked.userId;
    const viewer = asked.isRemembered && who !== null ? viewerOf(viewerKey, who, asked.ua) : null;
    const viewerName = viewer?.toString('hex') ?? null;
    let at = clock.now();
    let made: { one: Fitting; lease: Lease; known: Known | null } | null = null;
    let waits = 0;
    // Whom the highest bids are for is looked up, down to one that is for everyone. Those below it could only be lower.
    while (!made && fitting.length > 0) {
      const open = fitting.findIndex(({ campaign }) => isForAll(campaign));
      const next = open < 0 ? fitting : fitting.slice(0, open + 1);
      fitting = fitting.slice(next.length);
      const audiences: string[] = [];
      const capped: string[] = [];
      for (const { campaign } of next) {
        audiences.push(...campaign.audiences.included, ...campaign.audiences.excluded);
        if (campaign.frequency) capped.push(campaign.id);
      }
      let known: Known | null = null;
      if (viewer && (audiences.length > 0 || capped.length > 0)) {
        known = await Promise.race([
          lookUp({ rootId, audiences, capped, keys: keysOfViewer(asked), viewer }),
          deadline.late(),
        ]);
        if (!known) return null;
      }
      at = clock.now();
      const now = at.getTime();
      const isFree = ({ campaign }: Fitting): boolean => {
        if (!isAimed(campaign.audiences, known?.among ?? null)) return false;
        if (!campaign.frequency) return true;
        if (!known || viewerName === null) return false;
        const name = `${viewerName} ${campaign.id}`;
        // What this process bid lately may not be billed yet; what is billed may be counted twice, which only shows less.
        const before = [
          ...(known.seen.get(name) ?? []),
          ...secondsOf(name).filter((one) => now - one.getTime() < LASTS_MS),
        ];
        return !isCapped(campaign.frequency, before, at);
      };
      for (const one of next) {
        if (!isFree(one)) continue;
        let lease = take(rootId, one.campaign, now);
        // No budget is here yet: it is asked for, which takes a few milliseconds.
        if (!lease && one.campaign.asking && waits++ < MOST_WAITS) {
          const outcome = await Promise.race([
            one.campaign.asking.then(() => 'here' as const),
            deadline.late(),
          ]);
          if (outcome === null) return null;
          lease = take(rootId, one.campaign, now);
        }
        if (!lease) continue;
        made = { one, lease, known };
        break;
      }
    }
    if (!made) return null;
    const now = at.getTime();
    const { campaign, creative, host, imageEnd } = made.one;
    if (campaign.frequency && viewerName !== null) remember(`${viewerName} ${campaign.id}`, now);
    const impressionId = newId(at);
    const body = bodyOf({
      rootId,
      impressionId,
      campaignId: campaign.id,
      creativeId: creative.id,
      leaseId: made.lease.id,
      mediaMicros: campaign.mediaMicros,
      mostMicros: campaign.mostMicros,
      at: now,
      expiresAt: now + LASTS_MS,
      place: asked.place,
      region: asked.geo.state,
      viewer: viewerName,
      audiences: inOf(campaign.audiences, made.known?.among ?? null),
    });
    const tokens = noticeTokens(signKey, body);
    return {
      id: asked.id,
      cur: 'USD',
      seatbid: [
        {
          seat: campaign.agencyId,
          bid: [
            {
              id: impressionId,
              impid: slot.id,
              price: campaign.price,
              nurl: `${origin}/a/v1/rtb/win?t=${tokens.win}&p=\${AUCTION_PRICE}`,
              burl: `${origin}/a/v1/rtb/bill?t=${tokens.bill}&p=\${AUCTION_PRICE}`,
              lurl: `${origin}/a/v1/rtb/loss?t=${tokens.loss}&r=\${AUCTION_LOSS}`,
              adm:
                `<a href="${html(origin)}/a/v1/rtb/click?t=${tokens.click}" target="_blank" rel="noopener sponsored">` +
                `<img src="${html(origin)}${creative.path}${imageEnd}`,
              adomain: [host],
              cid: campaign.id,
              crid: creative.id,
              w: creative.width,
              h: creative.height,
              exp: LASTS_MS / 1000,
              mtype: 1,
            },
          ],
        },
      ],
    };
  }

  /** Bills what notices say, together: by campaign, each in a transaction of its own. */
  const billTogether = createGather(
    SIZES,
    async (all: { made: Made; mediaMicros: bigint }[]): Promise<Noticed[]> => {
      const outcomes: Noticed[] = all.map(() => 'unknown');
      for (const [campaignId, numbers] of Map.groupBy(all.keys(), (n) => all[n]!.made.campaignId)) {
        const { rootId } = all[numbers[0]!]!.made;
        const bought: Bought[] = numbers.map((n) => {
          const { made, mediaMicros } = all[n]!;
          return {
            id: made.impressionId,
            mediaMicros,
            isViewable: false,
            isPromised: true,
            leaseId: made.leaseId,
            creativeId: made.creativeId,
            place: made.place,
            at: new Date(made.at),
            expiresAt: new Date(made.expiresAt),
            mostMicros: made.mostMicros,
            viewer: made.viewer === null ? null : Buffer.from(made.viewer, 'hex'),
            region: made.region,
            audiences: made.audiences,
          };
        });
        const told = await inScope(db.app, { rootId }, (tx) => spending.billBought(tx, campaignId, bought));
        for (const n of numbers) outcomes[n] = told.get(all[n]!.made.impressionId) ?? 'unknown';
      }
      return outcomes;
    },
  );

  const leaseOf = (made: Made): Lease | undefined =>
    wallets.get(made.campaignId)?.leases.find(({ id }) => id === made.leaseId);
  const madeIn = (kind: 'win' | 'bill' | 'loss' | 'click', token: unknown): Made => {
    const made = noticeIn(signKey, kind, token);
    if (!made) throw new Refusal('not_found', 't: is not a token of ours');
    return made;
  };

  return {
    /**
     * Forgets what is remembered, after a change in this process: the campaigns of one root, or everything. Leases stay.
     */
    forget(of?: { rootId: string }): void {
      if (of) return void books.delete(of.rootId);
      books.clear();
      keys.clear();
    },

    /**
     * Answers a bid request of an exchange; null is no bid. One bid at most, for the first slot that can be bid for.
     * @throws Refusal 400 naming the field, 404 if the key is not one, 429
     */
    async answer(
      key: string,
      body: unknown,
      from: { ip: string; origin: string },
    ): Promise<BidResponse | null> {
      const began = performance.now();
      const { root_id: rootId } = await exchangeOf(key, from.ip);
      const asked = readBidRequest(body);
      if (typeof asked === 'string') {
        requests.inc({ answer: asked });
        return null;
      }
      const deadline = deadlineIn(
        Math.max(LEAST_MS, (asked.tmax ?? TMAX_MS) - MARGIN_MS - (performance.now() - began)),
      );
      try {
        const kept = bookOf(rootId);
        const book = kept instanceof Promise ? await Promise.race([kept, deadline.late()]) : kept;
        if (!book) {
          requests.inc({ answer: 'late' });
          return null;
        }
        for (const slot of asked.slots) {
          const response = await bid({ rootId, origin: from.origin, asked, book, slot }, deadline);
          if (response) {
            requests.inc({ answer: 'bid' });
            return response;
          }
        }
        requests.inc({ answer: deadline.isOver ? 'late' : 'none' });
        return null;
      } catch (error) {
        if (!(error instanceof Overfull)) throw error;
        requests.inc({ answer: 'late' });
        return null;
      } finally {
        deadline.clear();
      }
    },

    /** Takes a win notice. It moves nothing: what is won is paid for once it is billed. @throws Refusal 404 */
    win: (token: unknown): void => void madeIn('win', token),

    /**
     * Takes a billing notice, once. @throws Refusal 400 if the price is none, or above what was bid; 404 if the token is
     * not ours; 410 if it comes too late, or the bid had lost
     */
    async bill(token: unknown, price: unknown): Promise<void> {
      const made = madeIn('bill', token);
      const media = clearingPrice(price);
      if (media === null)
        throw new Refusal('bad_request', 'p: must be a price in dollars for 1,000 impressions');
      if (media === 'audit') return;
      if (media > made.mediaMicros) throw new Refusal('bad_request', 'p: exceeds the bid');
      const outcome = await billTogether({ made, mediaMicros: media });
      notices.inc({ outcome });
      leaseOf(made)?.done.add(made.impressionId);
      if (outcome === 'unknown') throw new Refusal('not_found', 't: is not a token of ours');
      if (outcome === 'late' || outcome === 'lost') throw new Refusal('gone', 't: is too late');
    },

    /** Takes a loss notice, once: what the bid would have cost can be bid again. @throws Refusal 404 */
    loss(token: unknown): void {
      const made = madeIn('loss', token);
      const lease = leaseOf(made);
      // Of another process, or over: it ends by itself.
      if (!lease || lease.done.has(made.impressionId)) return;
      lease.done.add(made.impressionId);
      lease.left += made.mostMicros;
    },

    /** Where a click leads, with its id; counts it, once, if its impression was billed. @throws Refusal 404 */
    async click(token: unknown, userAgent: string): Promise<string> {
      const made = madeIn('click', token);
      const at = clock.now();
      const missing = () => new Refusal('not_found', 'This ad is no longer there.');
      if (at.getTime() > made.at + CLICK_MS) throw missing();
      return inScope(db.app, { rootId: made.rootId }, async (tx) => {
        const url = (await rows.clickUrls(tx, [made.creativeId])).get(made.creativeId);
        if (!url) throw missing();
        const target = new URL(url);
        if (isBot(userAgent)) return url;
        await spending.click(tx, [{ id: made.impressionId, at }]);
        target.searchParams.set(CLICK_PARAMETER, made.impressionId);
        return target.href;
      });
    },
  };
}
