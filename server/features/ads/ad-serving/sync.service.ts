import {
  type AdDayReport,
  type AdOrder,
  type AdPlatform,
  AdPlatformError,
} from '../../../platform/ad-platform.ts';
import { inScope } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import { type AdCampaigns, type AdRow, bidOf, dayIn } from '../ad-campaigns/index.ts';

/** How many days back reports are read again: platforms correct the last days. */
const REPORT_DAYS = 3;
const DAY_MS = 86_400_000;
const HUNDRED_PERCENT = 10_000n;

/** Tells an outside platform of campaigns, and charges what it reports. */
export function createSync(
  { db, clock, log }: Platform,
  { adCampaigns, outside }: { adCampaigns: AdCampaigns; outside: AdPlatform | null },
) {
  const { spending, rows } = adCampaigns;

  /** A campaign as a platform is told of it: what its media may cost, so that the client pays its budgets. */
  const orderOf = (rootId: string, row: AdRow): Promise<AdOrder> =>
    inScope(db.app, { rootId }, async (tx) => {
      const rates = await spending.ratesOf(tx, row);
      const today = dayIn(clock.now(), row.time_zone);
      const media = (price: bigint): bigint =>
        (price * HUNDRED_PERCENT * HUNDRED_PERCENT) /
        ((HUNDRED_PERCENT + BigInt(rates.share_bp)) * (HUNDRED_PERCENT + BigInt(rates.markup_bp)));
      return {
        id: row.id,
        externalId: row.external_id,
        name: row.name,
        isRunning: spending.runs(row, today) && (await spending.roomNow(tx, row)).now > 0n,
        startsOn: row.starts_on,
        endsOn: row.ends_on,
        today,
        bidMicros: bidOf(row.max_bid_micros, rates),
        dailyMicros: media(row.daily_micros),
        monthlyMicros: media(row.monthly_micros),
        totalMicros: row.total_micros === null ? null : media(row.total_micros),
        goal:
          row.goal_type && row.goal_micros !== null ? { type: row.goal_type, micros: row.goal_micros } : null,
        frequency:
          row.frequency_cap === null ? null : { times: row.frequency_cap, hours: row.frequency_hours },
        clickDays: row.click_days,
        viewHours: row.view_hours,
        zips: row.zips,
        creatives: (await rows.creatives(tx, [row.id])).map((one) => ({
          id: one.id,
          externalId: one.external_id,
          name: one.name,
          width: one.width,
          height: one.height,
          type: one.type,
          altText: one.alt_text,
          clickUrl: one.click_url,
          isActive: one.state === 'active',
          file: () => inScope(db.app, { rootId }, async (at) => (await rows.file(at, one.id))!.bytes),
        })),
      };
    });

  /** Tells the platform of one campaign and reads what it did. The network is asked outside of any transaction. */
  async function syncOne(rootId: string, row: AdRow, platform: AdPlatform): Promise<void> {
    const order = await orderOf(rootId, row);
    const begun = clock.now();
    let error: string | null = null;
    let reports: AdDayReport[] = [];
    try {
      const placed = await platform.put(order);
      await inScope(db.app, { rootId }, async (tx) => {
        await rows.set(tx, row.id, { external_id: placed.externalId });
        for (const [id, externalId] of placed.creatives)
          await rows.setCreative(tx, id, { external_id: externalId });
      });
      const from = dayIn(new Date(begun.getTime() - REPORT_DAYS * DAY_MS), row.time_zone);
      const creatives = order.creatives.map((one) => ({
        ...one,
        externalId: placed.creatives.get(one.id) ?? one.externalId,
      }));
      reports = await platform.report(
        { id: row.id, externalId: placed.externalId, creatives },
        from,
        order.today,
      );
    } catch (thrown) {
      if (!(thrown instanceof AdPlatformError)) throw thrown;
      error = thrown.message;
      log.warn({ campaignId: row.id, error }, 'ad platform');
    }
    await inScope(db.app, { rootId }, async (tx) => {
      await spending.chargeReported(tx, row.id, 'simpli.fi', reports);
      await rows.set(tx, row.id, { sync_error: error, ...(error ? {} : { synced_at: begun }) });
    });
  }

  return {
    orderOf,
    /** Brings all campaigns of a root and the platform in step. Returns how many there are. */
    async run(rootId: string): Promise<number> {
      if (!outside) return 0;
      const all = await inScope(db.app, { rootId }, (tx) => rows.outside(tx, rootId));
      for (const row of all) {
        const isNew = row.external_id === null && row.state !== 'active';
        if (!isNew && row.root_id === rootId) await syncOne(rootId, row, outside);
      }
      return all.length;
    },
  };
}
