import {
  type AdDayReport,
  type AdOrder,
  type AdPlatform,
  AdPlatformError,
} from '../../../platform/ad-platform.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { AdAudiences, Aim } from '../ad-audiences/index.ts';
import { type AdCampaigns, type AdRow, bidOf, dayIn, REPORT_DAYS, type Told } from '../ad-campaigns/index.ts';

const DAY_MS = 86_400_000;
/** How long someone may tell the platform of a campaign, and how long before that they begin no more. */
const TELLING_MS = 600_000;
const MARGIN_MS = 60_000;
const HUNDRED_PERCENT = 10_000n;
/** Budgets are told in whole cents. */
const LEAST_DAILY = 10_000n;
const WAITS =
  'Its balance, or a spending limit, may be used up once the ads of yesterday and today are billed.';

const daysBefore = (at: Date, days: number): Date => new Date(at.getTime() - days * DAY_MS);

/** What a campaign that was stopped may spend. */
const nothing = (told: Told): Told => ({
  ...told,
  daily_micros: 0n,
  monthly_micros: 0n,
  total_micros: 0n,
});

/**
 * Why a campaign may not run at an outside platform because of its audiences: one that is missing there would have it
 * shown to more people than it is meant for.
 */
function aimFault(aims: readonly Aim[]): string | null {
  // Away from no one is where a campaign is anyway.
  const lacking = aims.find(({ externalId, addresses, isExcluded }) =>
    addresses === 0 ? !isExcluded : externalId === null,
  );
  if (!lacking) return null;
  if (lacking.isSmall && !lacking.isExcluded)
    return `The audience ${lacking.name} has too few people for ads to be aimed at them.`;
  return lacking.addresses === 0
    ? `The audience ${lacking.name} has no postal addresses, which are what Simpli.fi takes.`
    : `The audience ${lacking.name} could not be handed over${lacking.placeError ? `: ${lacking.placeError}` : ' yet.'}`;
}

/** Tells an outside platform of campaigns, and charges what it reports. */
export function createSync(
  { db, clock, log }: Platform,
  {
    adCampaigns,
    adAudiences,
    outside,
  }: {
    adCampaigns: AdCampaigns;
    adAudiences: AdAudiences;
    outside: AdPlatform | null;
  },
) {
  const { spending, rows } = adCampaigns;

  /** What a platform is told of a campaign, in what the client pays. */
  async function toldOf(tx: Tx, row: AdRow): Promise<Told> {
    return {
      daily_micros: await spending.dailyFor(tx, row),
      monthly_micros: row.monthly_micros,
      total_micros: row.total_micros,
      markup_bp: row.markup_bp,
      share_bp: (await spending.ratesOf(tx, row)).share_bp,
    };
  }

  /** A campaign as a platform is told of it: what its media may cost, so that the client pays its budgets. */
  async function orderOf(tx: Tx, row: AdRow, aims: readonly Aim[], told: Told): Promise<AdOrder> {
    const today = dayIn(clock.now(), row.time_zone);
    const media = (price: bigint): bigint =>
      (price * HUNDRED_PERCENT * HUNDRED_PERCENT) /
      ((HUNDRED_PERCENT + BigInt(told.share_bp)) * (HUNDRED_PERCENT + BigInt(told.markup_bp)));
    const dailyMicros = media(told.daily_micros);
    return {
      id: row.id,
      externalId: row.external_id,
      name: row.name,
      isRunning:
        spending.runs(row, today) &&
        aimFault(aims) === null &&
        dailyMicros >= LEAST_DAILY &&
        (await spending.roomNow(tx, row)).now > 0n,
      audiences: aims.flatMap(({ externalId, isExcluded }) =>
        externalId === null ? [] : [{ externalId, isExcluded }],
      ),
      startsOn: row.starts_on,
      endsOn: row.ends_on,
      today,
      bidMicros: bidOf(row.max_bid_micros, { ...told, is_own: false }),
      dailyMicros,
      monthlyMicros: media(told.monthly_micros),
      totalMicros: told.total_micros === null ? null : media(told.total_micros),
      goal:
        row.goal_type && row.goal_micros !== null ? { type: row.goal_type, micros: row.goal_micros } : null,
      frequency: row.frequency_cap === null ? null : { times: row.frequency_cap, hours: row.frequency_hours },
      clickDays: row.click_days,
      viewHours: row.view_hours,
      zips: row.zips,
      states: row.states,
      cities: row.cities,
      areas: row.areas,
      creatives: (await rows.outsideCreatives(tx, row.id, daysBefore(clock.now(), REPORT_DAYS))).map(
        (one) => ({
          id: one.id,
          externalId: one.external_id,
          name: one.name,
          width: one.width,
          height: one.height,
          type: one.type,
          altText: one.alt_text,
          clickUrl: one.click_url,
          isActive: one.state === 'active',
          file: () =>
            inScope(db.app, { rootId: row.root_id }, async (at) => (await rows.file(at, one.id))!.bytes),
        }),
      ),
    };
  }

  /** Does its work for one of many: a fault of one keeps nothing from the others. */
  async function alone(of: { campaignId: string } | { audienceId: string }, work: () => Promise<void>) {
    await work().catch((error: unknown) => log.error({ err: error, ...of }, 'an ad platform was not told'));
  }

  type Audience = Awaited<ReturnType<AdAudiences['outside']['all']>>[number];
  async function placeAudience(rootId: string, row: Audience, platform: AdPlatform): Promise<void> {
    const { addresses, hash } = await adAudiences.outside.addresses(rootId, row.id);
    if (row.external_id && row.placed_hash?.equals(hash)) return;
    const { id, name, external_id: externalId } = row;
    // An empty one is emptied there, but not made.
    if (addresses.length === 0 && !externalId) return;
    const set = await platform.putAudience({ id, name, externalId, addresses }).then(
      (placed) => ({ external_id: placed, placed_hash: hash, place_error: null }),
      (error: unknown) => {
        if (!(error instanceof AdPlatformError)) throw error;
        log.warn({ audienceId: id, error: error.message }, 'ad platform');
        return { place_error: error.message };
      },
    );
    await inScope(db.app, { rootId }, (tx) => adAudiences.outside.set(tx, id, set));
  }

  /** Gives the platform the audiences that its campaigns use, or those that one of them does, as far as they changed. */
  async function placeAudiences(rootId: string, platform: AdPlatform, campaignId?: string): Promise<void> {
    const { all, aims } = await inScope(db.app, { rootId }, async (tx) => ({
      all: await adAudiences.outside.all(tx, rootId),
      aims: campaignId === undefined ? null : await adAudiences.aimsOf(tx, [campaignId]),
    }));
    const only = aims && new Set([...aims.values()].flat().map(({ id }) => id));
    for (const row of all)
      if (row.is_used && row.state === 'ready' && (!only || only.has(row.id)))
        await alone({ audienceId: row.id }, () => placeAudience(rootId, row, platform));
  }

  /** Deletes there what no campaign uses any more: after the campaigns, because it refuses while they do. */
  async function removeAudiences(rootId: string, platform: AdPlatform): Promise<void> {
    const all = await inScope(db.app, { rootId }, (tx) => adAudiences.outside.all(tx, rootId));
    for (const { id, external_id, is_used } of all) {
      if (external_id === null || is_used) continue;
      try {
        await platform.removeAudience(external_id);
      } catch (error) {
        if (!(error instanceof AdPlatformError)) throw error;
        log.warn({ audienceId: id, error: error.message }, 'ad platform');
        continue;
      }
      await inScope(db.app, { rootId }, (tx) =>
        adAudiences.outside.set(tx, id, { external_id: null, placed_hash: null, place_error: null }),
      );
    }
  }

  /** Ends the telling of a campaign, unless its time is over and someone else tells of it. Returns whether it did. */
  async function endTelling(tx: Tx, id: string, until: Date): Promise<boolean> {
    const row = await rows.lock(tx, id);
    if (row?.telling_until?.getTime() !== until.getTime()) return false;
    await rows.set(tx, id, { telling_until: null });
    return true;
  }

  /**
   * Tells the platform of one campaign and reads what it did. The network is asked outside of any transaction. While
   * someone does, no one else: what was read before would be told after what has changed since. Their turn comes within a
   * minute.
   */
  async function syncOne(rootId: string, id: string, outsideOf: AdPlatform): Promise<void> {
    const begun = clock.now();
    const until = new Date(begun.getTime() + TELLING_MS);
    const platform = outsideOf.while(() => clock.now().getTime() < until.getTime() - MARGIN_MS);
    const found = await inScope(db.app, { rootId }, async (tx) => {
      const row = await rows.byId(tx, id, true);
      if (row?.platform !== 'simplifi' || row.root_id !== rootId) return null;
      const isNew = row.external_id === null && row.ran_until === null && row.state !== 'active';
      if (isNew || (row.telling_until && row.telling_until > begun)) return null;
      await rows.set(tx, id, { telling_until: until });
      const aims = (await adAudiences.aimsOf(tx, [id])).get(id) ?? [];
      const told = await toldOf(tx, row);
      const order = await orderOf(tx, row, aims, told);
      // Before it is told, since its answer may be lost: no one removes a campaign that may run there.
      if (order.isRunning) {
        await rows.set(tx, id, { ran_until: begun });
        await spending.tell(tx, id, told, order.today, false);
      }
      const waits = spending.runs(row, order.today) && order.dailyMicros < LEAST_DAILY;
      return { row, order, told, fault: aimFault(aims) ?? (waits ? WAITS : null) };
    });
    if (!found) return;
    try {
      await tell(rootId, id, platform, { ...found, begun, until });
    } catch (error) {
      await inScope(db.app, { rootId }, (tx) => endTelling(tx, id, until));
      throw error;
    }
  }

  /** Tells of a campaign what was found, and charges what is reported. */
  async function tell(
    rootId: string,
    id: string,
    platform: AdPlatform,
    found: { row: AdRow; order: AdOrder; told: Told; fault: string | null; begun: Date; until: Date },
  ): Promise<void> {
    const { row, order, begun } = found;
    let { externalId, creatives } = order;
    let failure: string | null = null;
    const succeeds = async (work: () => Promise<void>): Promise<boolean> => {
      try {
        await work();
        return true;
      } catch (thrown) {
        if (!(thrown instanceof AdPlatformError)) throw thrown;
        failure ??= thrown.message;
        log.warn({ campaignId: id, error: thrown.message }, 'ad platform');
        return false;
      }
    };
    let isTold = await succeeds(async () => {
      const placed = await platform.put(order);
      ({ externalId } = placed);
      creatives = order.creatives.map((one) => ({
        ...one,
        externalId: placed.creatives.get(one.id) ?? one.externalId,
      }));
      await inScope(db.app, { rootId }, async (tx) => {
        await rows.set(tx, id, { external_id: externalId });
        for (const [n, one] of creatives.entries())
          if (one.externalId !== null && one.externalId !== order.creatives[n]!.externalId)
            await rows.placeCreative(tx, one.id, one.externalId);
      });
    });
    const known = externalId;
    // Whatever it refuses to change, what should not run does not, and what it has done is charged.
    if (!isTold && !order.isRunning && known !== null) isTold = await succeeds(() => platform.stop(known));
    let reports: AdDayReport[] = [];
    const isRead =
      known !== null &&
      (await succeeds(async () => {
        const from = dayIn(daysBefore(begun, REPORT_DAYS), row.time_zone);
        reports = await platform.report({ id, externalId: known, creatives }, from, order.today);
      }));
    await inScope(db.app, { rootId }, async (tx) => {
      if (!(await endTelling(tx, id, found.until))) return;
      if (isTold && order.isRunning) await spending.tell(tx, id, found.told, order.today, true);
      else if (isTold && row.told_on !== null)
        await spending.tell(tx, id, nothing(found.told), order.today, true);
      await spending.chargeReported(tx, id, 'simpli.fi', reports);
      const sync_error = failure ?? found.fault;
      await rows.set(tx, id, { sync_error, ...(isTold && isRead ? { synced_at: begun } : {}) });
    });
  }

  return {
    /** Brings one campaign and the platform in step, unless it is shown elsewhere. */
    async one(rootId: string, campaignId: string): Promise<void> {
      if (!outside) return;
      await placeAudiences(rootId, outside, campaignId);
      await syncOne(rootId, campaignId, outside);
    },

    /** Brings all campaigns of a root and the platform in step. Returns how many there are. */
    async run(rootId: string): Promise<number> {
      if (!outside) return 0;
      // Before the campaigns, so that none is shown to more people than it is meant for.
      await placeAudiences(rootId, outside);
      const all = await inScope(db.app, { rootId }, (tx) => rows.outside(tx, rootId));
      for (const { id } of all) await alone({ campaignId: id }, () => syncOne(rootId, id, outside));
      await removeAudiences(rootId, outside);
      return all.length;
    },
  };
}
