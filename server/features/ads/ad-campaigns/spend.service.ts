import { isDeepStrictEqual } from 'node:util';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Campaigns } from '../../campaigns/campaigns/index.ts';
import type { Billing, LeadSale } from '../../money/billing/index.ts';
import { periodOf } from '../../money/data-wallet/index.ts';
import type { LeftOfLimit, SpendingLimits } from '../../money/spending-limits/index.ts';
import {
  costsOf,
  dayIn,
  least,
  mostOf,
  pacedTo,
  type Rates,
  REPORT_DAYS,
  roomOf,
  type Told,
  type Used,
} from './policy.ts';
import * as spent from './spend.store.ts';
import * as store from './store.ts';

/** An impression that a campaign wants; `mostMicros`: the most that its client would pay for it. */
export interface Wanted {
  id: string;
  creativeId: string;
  zoneId?: string | null;
  place: string;
  mostMicros: bigint;
  /** What its media costs, where that is known beforehand (house ads). */
  mediaMicros?: bigint;
  /** How long it may still be billed. */
  lastsMs: number;
  viewer: Buffer | null;
  /** The code of the state that the viewer is in, if it is known. */
  region?: string | null;
  /** Those of the audiences that the campaign is aimed at that the viewer is in. */
  audiences?: readonly string[];
}

/** What is billed for an impression: what its media cost. */
export interface Notice {
  id: string;
  mediaMicros: bigint;
  isViewable: boolean;
  /**
   * Whether the media cost no more than its promise was made for. Then the promise is also the most that is charged:
   * whoever raises a markup or a share does not make free what was already shown.
   */
  isPromised?: boolean;
}

/** A bid that was made from a lease, as its notice tells of it. */
export interface Bought extends Notice {
  leaseId: string;
  creativeId: string;
  place: string;
  at: Date;
  expiresAt: Date;
  mostMicros: bigint;
  viewer: Buffer | null;
  region: string | null;
  audiences: readonly string[];
}

/** What an outside platform reports for a day and a creative, so far. */
export interface Reported {
  day: string;
  creativeId: string;
  impressions: number;
  clicks: number;
  mediaMicros: bigint;
}

/** What became of a notice; `above`: it asks for more than was bid. */
export type Noticed = 'billed' | 'repeated' | 'late' | 'lost' | 'above' | 'unknown';

const DAY_MS = 86_400_000;
const MOST_EXPIRED = 2_000;
const MOST_POSTED = 20_000;

/** Of days on which an outside platform was told nothing. */
const NO_BUDGETS = { daily_micros: 0n, monthly_micros: 0n, total_micros: 0n };

/** A price of 1,000 impressions is that many of one. */
const THOUSAND = 1000n;

/** The day so many days before another, YYYY-MM-DD. */
const daysBefore = (day: string, days: number): string =>
  Temporal.PlainDate.from(day).subtract({ days }).toString();

export type Spending = ReturnType<typeof createSpending>;

/**
 * What ad campaigns spend: promised before an ad is shown, billed when it was, then posted to the ledger. A promise is
 * taken out of every budget under the lock of the campaign's row, so no number of workers spends more than its day,
 * month, flight, balance, or limits allow. Runs in the root's scope.
 */
export function createSpending(
  { db, clock, log }: Platform,
  {
    billing,
    campaigns,
    spendingLimits,
  }: { billing: Billing; campaigns: Campaigns; spendingLimits: SpendingLimits },
) {
  /** Does the work of one of many campaigns: a fault of one, kept in `failed`, keeps nothing from the others. */
  async function alone(
    rootId: string,
    campaignId: string,
    work: (tx: Tx) => Promise<unknown>,
    failed: string[] = [],
  ): Promise<void> {
    try {
      await inScope(db.app, { rootId }, work);
    } catch (error) {
      failed.push(campaignId);
      log.error({ err: error, campaignId }, 'the spend of an ad campaign could not be settled');
    }
  }

  /** The rates of a campaign now. */
  const ratesOf = async (tx: Tx, row: store.AdRow): Promise<Rates> => ({
    share_bp: (await store.termsOf(tx, row.root_id))?.share_bp ?? 0,
    markup_bp: row.markup_bp,
    is_own: row.platform === 'house',
  });

  /** What a campaign, which the transaction has locked, has used of its budgets on a day. */
  async function usedOf(tx: Tx, row: store.AdRow, day: string): Promise<Used> {
    const balance = (await billing.prepaidOf(tx, [row.id])).get(row.id) ?? 0n;
    const manual = await billing.accounts.billsManually(tx, row.agency_id);
    return {
      ...(await store.usedOn(tx, row.id, day)),
      total: row.held_micros + row.spent_micros,
      // Where the agency bills its clients itself, there is no balance to keep to.
      funds: manual ? row.monthly_micros : balance - row.held_micros - row.unposted_micros,
    };
  }

  /** What an outside platform was told of a campaign last; null: nothing yet. */
  const lastTold = (row: store.AdRow): Told | null =>
    row.told_on === null
      ? null
      : {
          daily_micros: row.told_daily_micros!,
          monthly_micros: row.told_monthly_micros!,
          total_micros: row.told_total_micros,
          markup_bp: row.told_markup_bp!,
          share_bp: row.told_share_bp!,
        };

  /**
   * What an outside platform was told of a campaign on days, which is what it spends by, and what its reports are charged
   * by, however late they come. Of several things on one day, the most.
   */
  async function toldOn(tx: Tx, row: store.AdRow, days: readonly string[]): Promise<(day: string) => Told> {
    const kept = await spent.toldDays(tx, row.id, [...days].sort()[0]!);
    const last = lastTold(row);
    const nothing = { ...NO_BUDGETS, markup_bp: row.markup_bp, share_bp: (await ratesOf(tx, row)).share_bp };
    return (day) => {
      const before = kept.get(day);
      const since = last && row.told_on! <= day ? last : undefined;
      return before && since ? mostOf(before, since) : (before ?? since ?? nothing);
    };
  }

  /**
   * How much of a campaign's balance may be spent though it is not booked: what was promised or not posted yet, and, at an
   * outside platform, what is left of the budgets that it was told of days whose reports may still come. Until the
   * transaction ends, no one promises more of it: what is about to be refunded must not be promised.
   */
  async function unbooked(tx: Tx, campaignId: string): Promise<bigint> {
    const row = await store.adCampaignById(tx, campaignId, true);
    if (!row) return 0n;
    const all = row.held_micros + row.unposted_micros;
    const now = clock.now();
    const since = new Date(now.getTime() - REPORT_DAYS * DAY_MS);
    const mayHaveRun = row.state === 'active' || row.campaign_updated_at > since;
    if (row.platform !== 'simplifi' || row.told_on === null || !mayHaveRun) return all;
    const today = dayIn(now, row.time_zone);
    return all + (await spent.unreported(tx, { campaignId }, daysBefore(today, REPORT_DAYS - 1), today));
  }

  /**
   * What a client's other campaigns may still use up of its limits: what was promised or not posted yet, and what outside
   * platforms may still report, of the day and, of a month's limit, of the day before. Until the transaction ends, no one
   * else is promised or told of what these limits leave, so it locks the rows of no more campaigns.
   */
  async function keptForOthers(
    tx: Tx,
    row: store.AdRow,
    today: string,
  ): Promise<Record<LeftOfLimit['period'], bigint>> {
    await spent.holdLimits(tx, row.company_id);
    const others = { companyId: row.company_id, except: row.id };
    const yesterday = daysBefore(today, 1);
    const day = (await spent.unbookedOf(tx, others)) + (await spent.unreported(tx, others, today, today));
    return { day, month: day + (await spent.unreported(tx, others, yesterday, yesterday)) };
  }

  /**
   * What the limits of a campaign, which the transaction has locked, and its client leave for more than what was promised,
   * is not posted yet, or may still be reported. Null: nothing limits it.
   */
  async function leftByLimits(tx: Tx, row: store.AdRow, at: Date): Promise<bigint | null> {
    const left = () => spendingLimits.left(tx, { clientId: row.company_id, campaignId: row.id }, at);
    const limits = await left();
    // What the agency bills by itself counts toward no limit.
    if (limits.length === 0 || (await billing.accounts.billsManually(tx, row.agency_id))) return null;
    const others = limits.some(({ subject }) => subject === 'client')
      ? await keptForOthers(tx, row, dayIn(at, row.time_zone))
      : { day: 0n, month: 0n };
    // Asked again: what was posted meanwhile is counted twice, and not left out.
    return least(
      (await left()).map(
        ({ subject, period, micros }) =>
          micros - row.held_micros - row.unposted_micros - (subject === 'client' ? others[period] : 0n),
      ),
    );
  }

  /** What may be promised to a campaign, which the transaction has locked. */
  async function promisable(tx: Tx, row: store.AdRow, at: Date): Promise<bigint> {
    const { now } = await roomNow(tx, row, at);
    if (now === 0n) return now;
    const left = await leftByLimits(tx, row, at);
    return left === null ? now : least([now, left]);
  }

  /** What a campaign can still spend of its budgets now, with what pacing holds back for the rest of the day. */
  async function roomNow(tx: Tx, row: store.AdRow, at = clock.now()) {
    const day = dayIn(at, row.time_zone);
    const used = await usedOf(tx, row, day);
    const room = roomOf(row, used);
    const paced = pacedTo(row.daily_micros, at, periodOf(at, row.time_zone, 'day')) - used.day;
    const now = least([paced, room.all]);
    return { ...room, day: room.day, now: runs(row, day) && now > 0n ? now : 0n };
  }

  /**
   * Running campaigns of a root that a limit leaves nothing for, shown by ourselves. Something else of their client may
   * have used it up.
   */
  async function stoppedByLimits(tx: Tx, rootId: string): Promise<string[]> {
    const running = await spent.runningHere(tx, rootId);
    if (running.length === 0) return [];
    const limits = await spendingLimits.hardLimits(tx, [
      ...new Set(running.flatMap((one) => [one.id, one.company_id])),
    ]);
    const limited = new Set(limits.map(({ subject_id }) => subject_id));
    const found: string[] = [];
    for (const { id, company_id, max_bid_micros } of running) {
      if (!limited.has(id) && !limited.has(company_id)) continue;
      const left = await spendingLimits.left(tx, { clientId: company_id, campaignId: id }, clock.now());
      if (left.some(({ micros }) => micros < max_bid_micros / THOUSAND)) found.push(id);
    }
    return found;
  }

  /** Whether a campaign runs on a day. */
  const runs = (row: store.AdRow, day: string): boolean =>
    row.state === 'active' &&
    (row.starts_on === null || row.starts_on <= day) &&
    (row.ends_on === null || day <= row.ends_on);

  const ownerOf = (row: store.AdRow) => ({
    rootId: row.root_id,
    agencyId: row.agency_id,
    clientId: row.company_id,
  });
  /** What a campaign has spent, still nothing, to be added up and posted as one event. */
  const emptySale = (row: store.AdRow, at: Date): LeadSale & { supplierMicros: bigint } => ({
    id: newId(at),
    kind: 'ad_spend',
    ...ownerOf(row),
    campaignId: row.id,
    priceMicros: 0n,
    costMicros: 0n,
    supplierMicros: 0n,
  });

  return {
    ratesOf,
    usedOf,
    unbooked,
    runs,
    roomNow,

    /**
     * Keeps what an outside platform is told of a campaign from a day on, and what it was told on the days before. Until it
     * has answered (`isSure`), it may go by either.
     */
    async tell(tx: Tx, campaignId: string, told: Told, day: string, isSure: boolean): Promise<void> {
      const row = await store.adCampaignById(tx, campaignId, true);
      if (!row) return;
      const last = lastTold(row);
      const next = isSure || !last ? told : mostOf(last, told);
      if (last && isDeepStrictEqual(last, next)) return;
      if (last) {
        const days = Array.from({ length: REPORT_DAYS + 1 }, (_, n) => daysBefore(day, n));
        const kept = await spent.toldDays(tx, row.id, days.at(-1)!);
        for (const one of days) {
          if (one < row.told_on!) break;
          const before = kept.get(one);
          await spent.keepTold(tx, row.id, one, before ? mostOf(before, last) : last);
        }
      }
      await store.updateAdCampaign(tx, row.id, {
        told_on: day,
        told_daily_micros: next.daily_micros,
        told_monthly_micros: next.monthly_micros,
        told_total_micros: next.total_micros,
        told_markup_bp: next.markup_bp,
        told_share_bp: next.share_bp,
      });
    },

    /**
     * The daily budget that an outside platform may be told of a campaign, in what the client pays: no more than its
     * balance covers and the limits of the campaign and its client leave, after what may still be reported of yesterday.
     * The client's campaigns share what its limits leave. A day's limit is not kept back for yesterday: what comes in of it
     * is one day's at most. Until the transaction ends, no other campaign of the client is told of.
     */
    async dailyFor(tx: Tx, row: store.AdRow): Promise<bigint> {
      await spent.holdLimits(tx, row.company_id);
      const now = clock.now();
      const leftOf = () => spendingLimits.left(tx, { clientId: row.company_id, campaignId: row.id }, now);
      const today = dayIn(now, row.time_zone);
      const yesterday = daysBefore(today, 1);
      const { day: used, funds } = await usedOf(tx, row, today);
      // What the agency bills by itself keeps to no balance and counts toward no limit.
      if (await billing.accounts.billsManually(tx, row.agency_id)) return row.daily_micros;
      const before = await spent.unreported(tx, { campaignId: row.id }, yesterday, yesterday);
      const covers: bigint[] = [];
      if ((await leftOf()).length > 0) {
        const others = await keptForOthers(tx, row, today);
        const count = BigInt(Math.max(1, await spent.runningOutside(tx, row.company_id, today)));
        // Asked again: what has come in meanwhile is counted twice, and not left out.
        for (const { subject, period, micros } of await leftOf()) {
          const own = period === 'day' ? 0n : before;
          if (subject === 'campaign') covers.push(micros - own);
          else covers.push(micros - own - others[period], micros / count);
        }
      }
      const cover = least([funds - before, ...covers]);
      return least([row.daily_micros, used + (cover > 0n ? cover : 0n)]);
    },

    /**
     * Promises impressions to a campaign, in their order, as far as its budgets, its limits, and pacing allow. Returns the ids of
     * those that it gets. `at`: the time of the auction.
     */
    async hold(
      tx: Tx,
      campaignId: string,
      wanted: readonly Wanted[],
      at = clock.now(),
    ): Promise<Set<string>> {
      const row = await store.adCampaignById(tx, campaignId, true);
      if (!row) return new Set();
      let now = await promisable(tx, row, at);
      const day = dayIn(at, row.time_zone);
      const rows: spent.Held[] = [];
      for (const one of wanted) {
        if (one.mostMicros > now) continue;
        now -= one.mostMicros;
        rows.push({
          id: one.id,
          campaign_id: row.id,
          creative_id: one.creativeId,
          zone_id: one.zoneId ?? null,
          place: one.place,
          day,
          at,
          expires_at: new Date(at.getTime() + one.lastsMs),
          held_micros: one.mostMicros,
          media_micros: one.mediaMicros ?? 0n,
          viewer: one.viewer,
          region: one.region ?? null,
          audiences: one.audiences ?? [],
        });
      }
      await spent.insertHeld(tx, rows);
      return new Set(rows.map(({ id }) => id));
    },

    /**
     * Bills impressions of campaigns of one root, each once, whoever says so how often. What comes after its time costs
     * nothing, and neither does what asks for more than was bid.
     */
    async bill(
      tx: Tx,
      notices: readonly (Notice & { campaignId: string })[],
      at = clock.now(),
    ): Promise<Map<string, Noticed>> {
      const rates = await spent.ratesIn(tx, [...new Set(notices.map(({ campaignId }) => campaignId))]);
      const due = new Map<string, spent.Billed>();
      for (const { id, campaignId, mediaMicros, ...more } of notices) {
        const own = rates.get(campaignId);
        if (own && !due.has(id)) due.set(id, { id, campaignId, ...costsOf(mediaMicros, own), at, ...more });
      }
      const done = await spent.bill(tx, [...due.values()]);
      const outcomes = new Map<string, Noticed>(notices.map(({ id }) => [id, 'unknown']));
      for (const id of done) outcomes.set(id, 'billed');
      // Most notices come once and in time: why one was not billed is only asked for those that were not.
      for (const one of await spent.impressionsOf(
        tx,
        [...due.keys()].filter((id) => !done.has(id)),
      )) {
        if (one.campaign_id !== due.get(one.id)!.campaignId) continue;
        const { state } = one;
        const isLate = state === 'expired' || (state === 'held' && one.expires_at < at);
        outcomes.set(
          one.id,
          state === 'billed' ? 'repeated' : state === 'lost' ? 'lost' : isLate ? 'late' : 'above',
        );
      }
      return outcomes;
    },

    /**
     * Promises a part of a campaign's budgets to bids that this process will make until `until`, and that may be billed
     * until `lastsMs` later: as much as is wanted, as far as budgets, limits, and pacing allow. Null if that is less than
     * `least`, or the campaign does not run.
     */
    async lease(
      tx: Tx,
      campaignId: string,
      wanted: { micros: bigint; least: bigint; until: Date; lastsMs: number },
      at = clock.now(),
    ): Promise<{ id: string; micros: bigint; until: Date } | null> {
      const row = await store.adCampaignById(tx, campaignId, true);
      if (!row) return null;
      const micros = least([wanted.micros, await promisable(tx, row, at)]);
      if (micros < wanted.least) return null;
      // A bid counts on the day that it is made, so no lease goes beyond it.
      const { ends } = periodOf(at, row.time_zone, 'day');
      const until = new Date(Math.min(wanted.until.getTime(), ends.getTime()));
      const id = newId(at);
      await spent.insertLease(tx, campaignId, {
        id,
        day: dayIn(at, row.time_zone),
        at,
        expires_at: new Date(until.getTime() + wanted.lastsMs),
        left_micros: micros,
      });
      return { id, micros, until };
    },

    /**
     * Bills bids of one campaign that were made from leases, each once. What its lease no longer covers was given back
     * after a loss notice, so it is lost.
     */
    async billBought(
      tx: Tx,
      campaignId: string,
      bought: readonly Bought[],
      at = clock.now(),
    ): Promise<Map<string, Noticed>> {
      const row = await store.adCampaignById(tx, campaignId, true);
      if (!row) return new Map(bought.map(({ id }) => [id, 'unknown']));
      const known = new Set(
        (
          await spent.impressionsOf(
            tx,
            bought.map(({ id }) => id),
          )
        ).map(({ id }) => id),
      );
      const leases = await spent.leasesOf(tx, campaignId, [...new Set(bought.map(({ leaseId }) => leaseId))]);
      const refused = new Map<string, Noticed>();
      const rows: Parameters<typeof spent.insertFromLeases>[2][number][] = [];
      for (const one of bought) {
        if (known.has(one.id)) continue;
        const lease = leases.get(one.leaseId);
        // Nothing is written for what cannot be billed, so that its lease gives it back.
        const outcome: Noticed | null =
          one.expiresAt < at || !lease ? 'late' : lease.left_micros < one.mostMicros ? 'lost' : null;
        if (outcome) {
          refused.set(one.id, outcome);
          continue;
        }
        known.add(one.id);
        lease!.left_micros -= one.mostMicros;
        rows.push({
          id: one.id,
          lease_id: lease!.id,
          campaign_id: campaignId,
          creative_id: one.creativeId,
          zone_id: null,
          place: one.place,
          day: lease!.day,
          at: one.at,
          expires_at: one.expiresAt,
          held_micros: one.mostMicros,
          media_micros: 0n,
          viewer: one.viewer,
          region: one.region,
          audiences: one.audiences,
        });
      }
      await spent.insertFromLeases(tx, campaignId, rows);
      const outcomes = await this.bill(
        tx,
        bought.filter(({ id }) => known.has(id)).map((one) => ({ ...one, campaignId })),
        at,
      );
      for (const [id, outcome] of refused) if (!outcomes.has(id)) outcomes.set(id, outcome);
      return outcomes;
    },

    /** Gives back what is left of the leases of a root whose time is over. */
    async endLeases(rootId: string): Promise<void> {
      const now = clock.now();
      const failed: string[] = [];
      for (;;) {
        const over = await inScope(db.app, { rootId }, (tx) =>
          spent.overLeases(tx, rootId, now, MOST_EXPIRED, failed),
        );
        for (const [campaignId, rows] of over)
          await alone(
            rootId,
            campaignId,
            async (tx) => {
              await store.adCampaignById(tx, campaignId, true);
              await spent.endLeases(
                tx,
                campaignId,
                rows.map(({ id }) => id),
              );
            },
            failed,
          );
        if (over.size === 0) return;
      }
    },

    /** Gives back what was promised to impressions that another bidder won. */
    async lose(tx: Tx, campaignId: string, ids: readonly string[]): Promise<void> {
      await store.adCampaignById(tx, campaignId, true);
      await spent.release(tx, campaignId, ids, 'lost');
    },

    /** Gives back what was promised to impressions of a root whose notice never came. Returns how many. */
    async expire(rootId: string): Promise<number> {
      let all = 0;
      const now = clock.now();
      const failed: string[] = [];
      for (;;) {
        const expired = await inScope(db.app, { rootId }, (tx) =>
          spent.expiredOf(tx, rootId, now, MOST_EXPIRED, failed),
        );
        for (const [campaignId, rows] of expired)
          await alone(
            rootId,
            campaignId,
            async (tx) => {
              await store.adCampaignById(tx, campaignId, true);
              all += await spent.release(
                tx,
                campaignId,
                rows.map(({ id }) => id),
                'expired',
              );
            },
            failed,
          );
        if (expired.size === 0) return all;
      }
    },

    /**
     * Posts what a campaign was billed since the last time: one event for all of it. What its balance does not cover is
     * waived. It was shown within the limits of its time, so it is sold whatever they are by now, and what the agency's
     * Data Wallet may no longer pay is owed. A limit that leaves nothing for the next impression stops the campaign.
     */
    async post(tx: Tx, campaignId: string, at = clock.now()): Promise<string | null> {
      const [campaign] = await campaigns.lock(tx, [campaignId]);
      const row = await store.adCampaignById(tx, campaignId, true);
      if (!campaign || !row) return null;
      const due = await spent.unpostedOf(tx, campaignId, MOST_POSTED);
      if (due.length === 0 && campaign.state !== 'active') return null;
      const till = await billing.openTill(tx, [{ id: campaignId, ...ownerOf(row) }], at);
      const manual = await billing.accounts.billsManually(tx, row.agency_id);
      const sale = emptySale(row, at);
      const owed = { ...emptySale(row, at), isPayable: true };
      const balance = till.balance(campaignId);
      let refused: ReturnType<typeof till.refusal> = null;
      let count = 0;
      for (const one of due) {
        const supplier = row.platform === 'house' ? 0n : one.media_micros;
        const asked = {
          ...sale,
          priceMicros: sale.priceMicros + (manual ? 0n : one.price_micros),
          costMicros: sale.costMicros + one.wholesale_micros,
          supplierMicros: sale.supplierMicros + supplier,
        };
        if (balance < asked.priceMicros) {
          refused = 'balance_empty';
          break;
        }
        const ofWallet = one.wholesale_micros > 0n ? till.refusal({ ...asked, priceMicros: 0n }) : null;
        refused = ofWallet ?? refused;
        if (ofWallet) {
          sale.priceMicros = asked.priceMicros;
          owed.costMicros += one.wholesale_micros;
          owed.supplierMicros += supplier;
        } else Object.assign(sale, asked);
        count++;
      }
      // What the balance has is not asked for here: only what comes after it waits for a top-up.
      const next = sale.priceMicros + (manual ? 0n : row.max_bid_micros / THOUSAND);
      refused = till.refusal({ ...sale, priceMicros: next, costMicros: 0n, isOwed: true }) ?? refused;
      for (const one of [sale, owed])
        if (one.priceMicros > 0n || one.costMicros > 0n || one.supplierMicros > 0n) till.take(one);
      const posted = await till.settle();
      const ids = due.map(({ id }) => id);
      await spent.markPosted(tx, campaignId, ids.slice(0, count));
      await spent.waive(tx, campaignId, ids.slice(count));
      if (refused && campaign.state === 'active') await campaigns.stop(tx, campaign, refused, at);
      return posted.get(sale.id) ?? posted.get(owed.id) ?? null;
    },

    /**
     * Charges what is new in the reports of an outside platform, each part once, by what it was told of each day. What it
     * spent beyond that is not charged to anyone below the root, which owes it. Of the rest, the agency owes its part also
     * if the balance does not cover what the client would pay. Returns what clients were charged.
     */
    async chargeReported(
      tx: Tx,
      campaignId: string,
      place: string,
      reports: readonly Reported[],
      at = clock.now(),
    ): Promise<bigint> {
      const [campaign] = await campaigns.lock(tx, [campaignId]);
      const row = await store.adCampaignById(tx, campaignId, true);
      if (!campaign || !row || reports.length === 0) return 0n;
      const told = await toldOn(
        tx,
        row,
        reports.map(({ day }) => day),
      );
      const keyOf = (one: { creative_id: string; day: string }) => `${one.creative_id} ${one.day}`;
      const from = reports.map(({ day }) => day).sort()[0]!;
      const known = new Map((await spent.outsideDays(tx, campaignId, from)).map((one) => [keyOf(one), one]));
      const till = await billing.openTill(tx, [{ id: campaignId, ...ownerOf(row) }], at);
      const manual = await billing.accounts.billsManually(tx, row.agency_id);
      const sale = emptySale(row, at);
      const owed = { ...emptySale(row, at), isPayable: true };
      const rows: spent.OutsideDay[] = [];
      let refused: ReturnType<typeof till.refusal> = null;
      let all = 0n;
      const charged = new Map<string, bigint>();
      const usedOn = new Map<string, Used>();
      for (const one of reports.toSorted((a, b) => (a.day < b.day ? -1 : 1))) {
        const before = known.get(keyOf({ creative_id: one.creativeId, day: one.day }));
        // A report that shrinks is a correction, or half an answer: nothing is given back by itself.
        const more = (now: bigint, then = 0n): bigint => (now > then ? now - then : 0n);
        const media = more(one.mediaMicros, before?.media_micros);
        const impressions = more(BigInt(one.impressions), before?.impressions);
        const clicks = more(BigInt(one.clicks), before?.clicks);
        if (media === 0n && impressions === 0n && clicks === 0n) continue;
        const terms = told(one.day);
        const costs = costsOf(media, { ...terms, is_own: false });
        const used = usedOn.get(one.day) ?? (await usedOf(tx, row, one.day));
        usedOn.set(one.day, used);
        const today = charged.get(one.day) ?? 0n;
        const month = [...charged].reduce(
          (sum, [day, price]) => (day.slice(0, 7) === one.day.slice(0, 7) ? sum + price : sum),
          0n,
        );
        const room = roomOf(terms, {
          day: used.day + today,
          month: used.month + month,
          total: used.total + all,
          funds: used.funds - all,
        });
        const covered = least([costs.price, room.day, room.month, room.total ?? costs.price]);
        const price = manual ? covered : least([covered, room.funds]);
        const wholesale = costs.price > 0n ? (costs.wholesale * covered) / costs.price : 0n;
        const asked = {
          ...sale,
          priceMicros: sale.priceMicros + (manual ? 0n : price),
          costMicros: sale.costMicros + wholesale,
          supplierMicros: sale.supplierMicros + media,
        };
        // Limits stop the campaign. They do not reach back: what they left when the platform was told has been spent.
        const ofClient = price > 0n ? till.refusal({ ...asked, costMicros: 0n }) : null;
        const ofWallet = wholesale > 0n ? till.refusal({ ...asked, priceMicros: 0n }) : null;
        if (price < covered) refused = 'balance_empty';
        refused = ofClient ?? ofWallet ?? refused;
        if (ofWallet) {
          sale.priceMicros = asked.priceMicros;
          owed.costMicros += wholesale;
          owed.supplierMicros += media;
        } else Object.assign(sale, asked);
        all += price;
        charged.set(one.day, today + price);
        const hour = periodOf(new Date(`${one.day}T12:00:00Z`), row.time_zone, 'day').from;
        rows.push({
          creativeId: one.creativeId,
          day: one.day,
          hour,
          impressions,
          clicks,
          media,
          wholesale,
          price,
        });
      }
      // Also what no one below is charged for: the platform wants it from the root.
      for (const one of [sale, owed])
        if (one.priceMicros > 0n || one.costMicros > 0n || one.supplierMicros > 0n) till.take(one);
      await till.settle();
      await spent.addOutside(tx, campaignId, place, rows);
      if (refused && campaign.state === 'active') await campaigns.stop(tx, campaign, refused, at);
      return all;
    },

    /** Posts what all campaigns of a root were billed, and stops those that limits leave nothing for. Returns how many. */
    async postAll(rootId: string): Promise<number> {
      const ids = await inScope(
        db.app,
        { rootId },
        async (tx) =>
          new Set([...(await spent.unpostedIn(tx, rootId)), ...(await stoppedByLimits(tx, rootId))]),
      );
      for (const id of ids) await alone(rootId, id, (tx) => this.post(tx, id));
      return ids.size;
    },

    impressions: spent.impressionsOf,
    timesSeen: spent.timesSeen,
    timesSeenBy: spent.timesSeenBy,
    click: spent.click,
  };
}
