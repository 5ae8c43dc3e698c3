import { type AdGroup, type AdWithin, canGroup } from '../../../../contract/ads/ad-rules.ts';
import { US_STATES } from '../../../../contract/choices.ts';
import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import { dayIn } from '../ad-campaigns/index.ts';
import { type AdServing, viewerOf } from '../ad-serving/index.ts';
import { clickOf, countsOf, type Sums } from './policy.ts';
import * as store from './store.ts';

const SHOWN_DAYS = 30;
const MOST_DAYS = 400;

export type AdAttribution = ReturnType<typeof createAdAttribution>;

const NOTHING: Sums = {
  impressions: 0n,
  viewable: 0n,
  clicks: 0n,
  visits: 0n,
  leads: 0n,
  view_leads: 0n,
  spend: 0n,
  wholesale: 0n,
};

/** What a report is narrowed to. @throws Refusal 422 naming the field */
function withinOf(given: {
  by: AdGroup;
  within?: AdWithin | undefined;
  key?: string | undefined;
}): store.Within | undefined {
  const { by, within, key } = given;
  if (!within) {
    if (key !== undefined) throw refusalOf('within', 'is required with a key');
    return undefined;
  }
  if (key === undefined) throw refusalOf('key', 'is required');
  if (!canGroup(by, within)) throw refusalOf('by', `must be campaign, day, or hour within one ${within}`);
  return { group: within, key };
}

/** What a row is called. The rest, of which nothing is known, has no key. */
function nameOf(by: AdGroup, key: string, name: string): string {
  if (by === 'state') return key === '' ? 'Not known' : (US_STATES[key] ?? key);
  if (by === 'audience') return key === '' ? 'No audience' : name || 'Deleted audience';
  return name;
}

/** From an ad to a lead: which visits and leads an ad brought, and what each cost (docs/decisions/0401-ad-serving.md). */
export function createAdAttribution(
  platform: Platform,
  { adServing, tenants }: { adServing: AdServing; tenants: Tenants },
) {
  const { db, clock, events } = platform;

  events.on('visits.resolving', async (tx, { visits }) => {
    const arrivals = visits.flatMap((visit) => {
      const impressionId = clickOf(visit.url);
      return impressionId
        ? [
            {
              impressionId,
              siteId: visit.campaign_id,
              eventId: visit.event_id,
              visitorId: visit.gpc ? null : visit.visitor_id,
              at: visit.received_at,
            },
          ]
        : [];
    });
    if (arrivals.length > 0) await store.addVisits(tx, arrivals);
  });

  events.on('leads.accepted', async (tx, { leads, isTest }) => {
    if (isTest || leads.length === 0) return;
    await credit(
      tx,
      leads[0]!.owner.root_id,
      leads.map(({ id }) => id),
    );
  });

  /** Credits each lead to the last click before it, otherwise to the last ad that its person had in view. */
  async function credit(tx: Tx, rootId: string, leadIds: string[]): Promise<void> {
    const credited: Parameters<typeof store.addLeads>[1][number][] = [];
    for (const visit of await store.visitsOfLeads(tx, leadIds)) {
      const of = {
        siteId: visit.site_id,
        visitorId: visit.visitor_id,
        eventId: visit.event_id,
        at: visit.at,
      };
      const click = await store.lastClick(tx, of);
      const view =
        click || !visit.ip
          ? null
          : await store.lastView(tx, {
              rootId,
              companyId: visit.company_id,
              viewer: viewerOf(adServing.house.viewerKey, visit.ip, visit.user_agent ?? ''),
              at: visit.at,
            });
      const touch = click ?? view;
      if (touch)
        credited.push({ ...touch, lead_id: visit.lead_id, way: click ? 'click' : 'view', at: visit.at });
    }
    await store.addLeads(tx, credited);
  }

  /** The days of a report, in the time zone of the reader's company. @throws Refusal 422 */
  async function spanOf(
    tx: Tx,
    ctx: Ctx,
    given: { starts_on?: string | undefined; ends_on?: string | undefined },
  ) {
    const zone = (await tenants.company(tx, ctx.actor.companyId))?.time_zone ?? 'UTC';
    const last = Temporal.PlainDate.from(given.ends_on ?? dayIn(clock.now(), zone));
    const first = given.starts_on
      ? Temporal.PlainDate.from(given.starts_on)
      : last.subtract({ days: SHOWN_DAYS - 1 });
    const days = first.until(last, { largestUnit: 'day' }).days;
    if (days < 0) throw refusalOf('ends_on', 'must not be before the start date');
    if (days > MOST_DAYS)
      throw refusalOf('starts_on', `must not be more than ${MOST_DAYS} days before the last one`);
    const at = (day: Temporal.PlainDate) =>
      new Date(day.toZonedDateTime({ timeZone: zone }).epochMilliseconds);
    return {
      zone,
      starts_on: first.toString(),
      ends_on: last.toString(),
      from: at(first),
      before: at(last.add({ days: 1 })),
    };
  }
  const mustSee = async (tx: Tx, ids: readonly string[]): Promise<void> => {
    if ((await store.seenOf(tx, ids)) < new Set(ids).size)
      throw new Refusal('not_found', ownMessages.notFound);
  };

  return {
    /** Ads summed by campaign, creative, place, state, audience, day, or hour of the day. @throws Refusal 404, 422 */
    report: (
      ctx: Ctx,
      given: {
        by: AdGroup;
        within?: AdWithin | undefined;
        key?: string | undefined;
        campaign_id?: string | undefined;
        starts_on?: string | undefined;
        ends_on?: string | undefined;
      },
    ) =>
      inScope(db.app, ctx.scope, async (tx) => {
        const within = withinOf(given);
        if (given.campaign_id) await mustSee(tx, [given.campaign_id]);
        const span = await spanOf(tx, ctx, given);
        const isClient = ctx.actor.kind === 'client';
        const of = { ...span, campaignId: given.campaign_id, within };
        const rows = await store.report(tx, of, given.by, span.zone);
        // Summed by day, there are never too many.
        const all = given.by === 'day' ? rows : await store.report(tx, of, 'day', span.zone);
        const total = all.reduce<Sums>(
          (sum, row) =>
            Object.fromEntries(
              Object.keys(NOTHING).map((name) => [name, sum[name as keyof Sums] + row[name as keyof Sums]]),
            ) as unknown as Sums,
          NOTHING,
        );
        return {
          starts_on: span.starts_on,
          ends_on: span.ends_on,
          total: countsOf(total, isClient),
          data: rows.map(({ key, name, platform: by, ...row }) => ({
            key,
            name: nameOf(given.by, key, name),
            platform: by,
            ...countsOf(row, isClient),
          })),
        };
      }),

    /** What campaigns did, by day. @throws Refusal 404, 422 */
    stats: (
      ctx: Ctx,
      given: { campaign_ids: string[]; starts_on?: string | undefined; ends_on?: string | undefined },
    ) =>
      inScope(db.app, ctx.scope, async (tx) => {
        await mustSee(tx, given.campaign_ids);
        const { from, before, zone } = await spanOf(tx, ctx, given);
        const rows = await store.daysOf(tx, given.campaign_ids, from, before, zone);
        return rows.map(({ campaign_id, day, platform: by, ...row }) => ({
          campaign_id,
          day,
          platform: by,
          ...countsOf(row, ctx.actor.kind === 'client'),
        }));
      }),
  };
}
