import { type RawBuilder, sql } from 'kysely';
import type { AdGroup, AdPlatform, AdWithin } from '../../../../contract/ads/ad-rules.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { Sums } from './policy.ts';

/** A visit whose address names the click that brought it. */
export interface Arrival {
  impressionId: string;
  siteId: string;
  eventId: string;
  visitorId: string | null;
  at: Date;
}

const hourOf = (column: string) =>
  sql`date_trunc('hour', ${sql.ref(column)} at time zone 'UTC') at time zone 'UTC'`;

/**
 * Keeps the first visit of each click, and counts it. Only a click that we counted counts, on a site of the same client,
 * within the days that its campaign gives a click.
 */
export async function addVisits(tx: Tx, arrivals: readonly Arrival[]): Promise<void> {
  await sql`
    with n as (
      select distinct on (n.impression_id) i.root_id, i.agency_id, i.company_id, i.campaign_id, i.creative_id, i.place, i.clicked_at,
        i.at as shown_at, i.region, i.audiences, n.*
      from unnest(${arrivals.map((a) => a.impressionId)}::uuid[], ${arrivals.map((a) => a.siteId)}::uuid[],
        ${arrivals.map((a) => a.eventId)}::uuid[], ${arrivals.map((a) => a.visitorId)}::uuid[], ${arrivals.map((a) => a.at)}::timestamptz[])
        n (impression_id, site_id, event_id, visitor_id, at)
      join ad_impression i on i.id = n.impression_id and i.clicked_at is not null
      join campaign s on s.id = n.site_id and s.company_id = i.company_id
      join ad_campaign a on a.campaign_id = i.campaign_id and n.at < i.clicked_at + make_interval(days => a.click_days)
      order by n.impression_id, n.at),
    added as (
      insert into ad_visit (impression_id, root_id, agency_id, company_id, campaign_id, creative_id, place, site_id, event_id, visitor_id,
        clicked_at, at)
      select impression_id, root_id, agency_id, company_id, campaign_id, creative_id, place, site_id, event_id, visitor_id, clicked_at, at
      from n on conflict do nothing returning impression_id),
    hours as (
      insert into ad_hour (campaign_id, hour, creative_id, place, root_id, agency_id, company_id, visits)
      select campaign_id, ${hourOf('shown_at')}, creative_id, place, root_id, agency_id, company_id, count(*)
      from n join added using (impression_id) group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4
      on conflict (campaign_id, hour, creative_id, place) do update set visits = ad_hour.visits + excluded.visits)
    insert into ad_slice (campaign_id, hour, kind, key, root_id, agency_id, company_id, visits)
    select campaign_id, ${hourOf('shown_at')}, s.kind, s.key, root_id, agency_id, company_id, count(*)
    from n join added using (impression_id) cross join lateral ad_slices_of(n.region, n.audiences) s
    group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4
    on conflict (campaign_id, hour, kind, key) do update set visits = ad_slice.visits + excluded.visits`.execute(
    tx,
  );
}

/** The visits behind leads of a root. */
export async function visitsOfLeads(tx: Tx, leadIds: readonly string[]) {
  const { rows } = await sql<{
    lead_id: string;
    company_id: string;
    site_id: string;
    event_id: string;
    visitor_id: string | null;
    ip: string | null;
    user_agent: string | null;
    at: Date;
  }>`/* kept: visits_of_leads */
    select l.id as lead_id, l.company_id, l.campaign_id as site_id, v.event_id, v.visitor_id, host(v.ip) as ip, v.user_agent,
      v.received_at as at
    from lead l join visit v on v.day = l.visit_day and v.event_id = l.visit_event_id
    where l.id = any(${[...leadIds]}::uuid[]) and not l.is_test`.execute(tx);
  return rows;
}

/** What an ad did for someone. */
export interface Touch {
  impression_id: string;
  campaign_id: string;
  creative_id: string;
  place: string;
  touched_at: Date;
}

/** The last click that brought a visitor to a site, within the days of its campaign; null if none did. */
export async function lastClick(
  tx: Tx,
  of: { siteId: string; visitorId: string | null; eventId: string; at: Date },
): Promise<Touch | null> {
  const { rows } = await sql<Touch>`
    select v.impression_id, v.campaign_id, v.creative_id, v.place, v.clicked_at as touched_at
    from ad_visit v join ad_campaign a on a.campaign_id = v.campaign_id
    where v.site_id = ${of.siteId}::uuid and v.at <= ${of.at} and v.clicked_at > ${of.at}::timestamptz - make_interval(days => a.click_days)
      and (v.event_id = ${of.eventId}::uuid ${of.visitorId ? sql`or v.visitor_id = ${of.visitorId}::uuid` : sql``})
    order by v.at desc limit 1`.execute(tx);
  return rows[0] ?? null;
}

/** The last ad of a client that someone had in view, within the hours of its campaign; null if there was none. */
export async function lastView(
  tx: Tx,
  of: { rootId: string; companyId: string; viewer: Buffer; at: Date },
): Promise<Touch | null> {
  const { rows } = await sql<Touch>`
    select i.id as impression_id, i.campaign_id, i.creative_id, i.place, i.viewable_at as touched_at
    from ad_impression i join ad_campaign a on a.campaign_id = i.campaign_id
    where i.root_id = ${of.rootId}::uuid and i.viewer = ${of.viewer} and i.company_id = ${of.companyId}::uuid and i.state = 'billed'
      -- What the sandbox shows, it shows to no one.
      and a.platform <> 'sandbox'
      and i.viewable_at <= ${of.at} and i.viewable_at > ${of.at}::timestamptz - make_interval(hours => a.view_hours)
    order by i.at desc limit 1`.execute(tx);
  return rows[0] ?? null;
}

/** Credits leads to ads, each once, and counts them with the impressions that brought them. */
export async function addLeads(
  tx: Tx,
  rows: readonly (Touch & { lead_id: string; way: 'click' | 'view'; at: Date })[],
): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    with n as (
      select n.*, i.root_id, i.agency_id, i.company_id, i.campaign_id, i.creative_id, i.place, i.at as shown_at, i.region, i.audiences
      from unnest(${rows.map((r) => r.lead_id)}::uuid[], ${rows.map((r) => r.impression_id)}::uuid[], ${rows.map((r) => r.way)}::text[],
        ${rows.map((r) => r.touched_at)}::timestamptz[], ${rows.map((r) => r.at)}::timestamptz[])
        n (lead_id, impression_id, way, touched_at, at)
      join ad_impression i on i.id = n.impression_id),
    added as (
      insert into ad_lead (lead_id, root_id, agency_id, company_id, campaign_id, creative_id, impression_id, place, way, touched_at, shown_at, at)
      select lead_id, root_id, agency_id, company_id, campaign_id, creative_id, impression_id, place, way, touched_at, shown_at, at from n
      on conflict do nothing returning lead_id),
    hours as (
      insert into ad_hour (campaign_id, hour, creative_id, place, root_id, agency_id, company_id, leads, view_leads)
      select campaign_id, ${hourOf('shown_at')}, creative_id, place, root_id, agency_id, company_id,
        count(*) filter (where way = 'click'), count(*) filter (where way = 'view')
      from n join added using (lead_id) group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4
      on conflict (campaign_id, hour, creative_id, place) do update set leads = ad_hour.leads + excluded.leads,
        view_leads = ad_hour.view_leads + excluded.view_leads)
    insert into ad_slice (campaign_id, hour, kind, key, root_id, agency_id, company_id, leads, view_leads)
    select campaign_id, ${hourOf('shown_at')}, s.kind, s.key, root_id, agency_id, company_id,
      count(*) filter (where way = 'click'), count(*) filter (where way = 'view')
    from n join added using (lead_id) cross join lateral ad_slices_of(n.region, n.audiences) s
    group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4
    on conflict (campaign_id, hour, kind, key) do update set leads = ad_slice.leads + excluded.leads,
      view_leads = ad_slice.view_leads + excluded.view_leads`.execute(tx);
}

const sums = sql`sum(h.impressions)::bigint as impressions, sum(h.viewable)::bigint as viewable, sum(h.clicks)::bigint as clicks,
  sum(h.visits)::bigint as visits, sum(h.leads)::bigint as leads, sum(h.view_leads)::bigint as view_leads,
  sum(h.spend_micros)::bigint as spend, sum(h.wholesale_micros)::bigint as wholesale`;

export interface ReportRow extends Sums {
  key: string;
  name: string;
  platform: AdPlatform | null;
}

/** What a report is narrowed to: one creative, site, state, or audience. */
export interface Within {
  group: AdWithin;
  key: string;
}

/**
 * Ads of the scope in [from, before), summed by what is asked; days and hours in the time zone. States and audiences have
 * sums of their own, which creatives and sites are not in.
 */
export async function report(
  tx: Tx,
  of: { from: Date; before: Date; campaignId?: string | undefined; within?: Within | undefined },
  by: AdGroup,
  zone: string,
): Promise<ReportRow[]> {
  const local = sql`h.hour at time zone ${zone}`;
  const { within } = of;
  const kind = [by, within?.group].find((one) => one === 'state' || one === 'audience');
  type Column = RawBuilder<unknown>;
  const groups: Record<AdGroup, [key: Column, name: Column, platform: Column]> = {
    campaign: [sql`h.campaign_id::text`, sql`max(c.name)`, sql`max(a.platform)`],
    creative: [
      sql`h.creative_id::text`,
      sql`(select x.name || ' (' || x.width || 'x' || x.height || ')' from creative x where x.id = h.creative_id)`,
      sql`max(a.platform)`,
    ],
    place: [sql`h.place`, sql`h.place`, sql`max(a.platform)`],
    state: [sql`h.key`, sql`h.key`, sql`null`],
    audience: [
      sql`h.key`,
      sql`coalesce((select u.name from audience u where u.id = nullif(h.key, '')::uuid), '')`,
      sql`null`,
    ],
    day: [sql`to_char(${local}, 'YYYY-MM-DD')`, sql`to_char(${local}, 'YYYY-MM-DD')`, sql`null`],
    hour: [sql`to_char(${local}, 'HH24')`, sql`to_char(${local}, 'HH24:00')`, sql`null`],
  };
  const narrowed: Record<AdWithin, Column> = {
    creative: sql`h.creative_id::text`,
    place: sql`h.place`,
    state: sql`h.key`,
    audience: sql`h.key`,
  };
  const [key, name, platform] = groups[by];
  const isTime = by === 'day' || by === 'hour';
  const own: Partial<Record<AdGroup, Column>> = { creative: sql`, h.creative_id`, audience: sql`, h.key` };
  const { rows } = await sql<ReportRow>`
    select * from (
      select ${key} as key, ${isTime || by === 'place' || by === 'state' ? sql`max(${name})` : name} as name, ${platform} as platform, ${sums}
      from ${kind ? sql`ad_slice` : sql`ad_hour`} h join ad_campaign a on a.campaign_id = h.campaign_id
      join campaign c on c.id = h.campaign_id
      where h.hour >= ${of.from} and h.hour < ${of.before}
        ${kind ? sql`and h.kind = ${kind}` : sql``}
        ${of.campaignId ? sql`and h.campaign_id = ${of.campaignId}::uuid` : sql``}
        ${within ? sql`and ${narrowed[within.group]} = ${within.key}` : sql``}
      group by 1${own[by] ?? sql``}) r
    order by ${isTime ? sql`key` : sql`spend desc, impressions desc, key`} limit 1000`.execute(tx);
  return rows;
}

/** The same by campaign and day, for some campaigns. */
export async function daysOf(tx: Tx, campaignIds: readonly string[], from: Date, before: Date, zone: string) {
  const { rows } = await sql<Sums & { campaign_id: string; day: string; platform: AdPlatform }>`
    select h.campaign_id, to_char(h.hour at time zone ${zone}, 'YYYY-MM-DD') as day, max(a.platform) as platform, ${sums}
    from ad_hour h join ad_campaign a on a.campaign_id = h.campaign_id
    where h.campaign_id = any(${[...campaignIds]}::uuid[]) and h.hour >= ${from} and h.hour < ${before}
    group by 1, 2 order by 2, 1`.execute(tx);
  return rows;
}

/** Which of these ad campaigns the scope may see. */
export async function seenOf(tx: Tx, ids: readonly string[]): Promise<number> {
  const { count } = await tx
    .selectFrom('ad_campaign')
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .where('campaign_id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .executeTakeFirstOrThrow();
  return Number(count);
}
