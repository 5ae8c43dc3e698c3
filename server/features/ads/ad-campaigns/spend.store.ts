import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/scope.ts';
import type { Rates, Told } from './policy.ts';

/** An impression that is promised to a campaign. */
export interface Held {
  id: string;
  campaign_id: string;
  creative_id: string;
  zone_id: string | null;
  place: string;
  day: string;
  at: Date;
  expires_at: Date;
  held_micros: bigint;
  media_micros: bigint;
  viewer: Buffer | null;
  region: string | null;
  audiences: readonly string[];
}

/** What identifies a row of `ad_slice`, of impressions `i`: their hour (UTC), and each state and audience they count for. */
const SLICE = sql`campaign_id, date_trunc('hour', at at time zone 'UTC') at time zone 'UTC' as hour, s.kind, s.key, root_id, agency_id,
  company_id`;
const slices = (of: string) => sql`${sql.ref(of)} i cross join lateral ad_slices_of(i.region, i.audiences) s`;

/** What an impression turned out to cost. */
export interface Billed {
  id: string;
  campaignId: string;
  price: bigint;
  wholesale: bigint;
  media: bigint;
  at: Date;
  isViewable: boolean;
  /** Whether it costs no more than was promised, also if the price is higher. */
  isPromised?: boolean;
}

/**
 * Promises impressions to campaigns, which the transaction has locked, and takes their prices out of what is left of the
 * budgets.
 */
export async function insertHeld(tx: Tx, rows: readonly Held[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    with n as (
      select h.*, a.root_id, a.agency_id, a.company_id
      from unnest(${rows.map((r) => r.id)}::uuid[], ${rows.map((r) => r.campaign_id)}::uuid[], ${rows.map((r) => r.creative_id)}::uuid[],
        ${rows.map((r) => r.zone_id)}::uuid[], ${rows.map((r) => r.place)}::text[], ${rows.map((r) => r.day)}::date[],
        ${rows.map((r) => r.at)}::timestamptz[], ${rows.map((r) => r.expires_at)}::timestamptz[],
        ${rows.map((r) => r.held_micros.toString())}::bigint[], ${rows.map((r) => (r.viewer ? `\\x${r.viewer.toString('hex')}` : null))}::bytea[],
        ${rows.map((r) => r.media_micros.toString())}::bigint[], ${rows.map((r) => r.region)}::text[],
        ${rows.map((r) => `{${r.audiences.join(',')}}`)}::text[])
        h (id, campaign_id, creative_id, zone_id, place, day, at, expires_at, held, viewer, media, region, audiences)
      join ad_campaign a using (campaign_id)),
    added as (
      insert into ad_impression (id, root_id, agency_id, company_id, campaign_id, creative_id, zone_id, place, state, day, at, expires_at,
        held_micros, viewer, media_micros, region, audiences)
      select id, root_id, agency_id, company_id, campaign_id, creative_id, zone_id, place, 'held', day, at, expires_at, held, viewer, media,
        region, audiences::uuid[]
      from n),
    days as (
      insert into ad_day (campaign_id, day, root_id, agency_id, company_id, held_micros)
      select campaign_id, day, root_id, agency_id, company_id, sum(held) from n group by 1, 2, 3, 4, 5
      on conflict (campaign_id, day) do update set held_micros = ad_day.held_micros + excluded.held_micros)
    update ad_campaign a set held_micros = a.held_micros + t.held
    from (select campaign_id, sum(held) as held from n group by 1) t where a.campaign_id = t.campaign_id`.execute(
    tx,
  );
}

/** What is known of impressions. */
export async function impressionsOf(tx: Tx, ids: readonly string[]) {
  if (ids.length === 0) return [];
  return tx
    .selectFrom('ad_impression')
    .select([
      'id',
      'campaign_id',
      'creative_id',
      'place',
      'state',
      'expires_at',
      'held_micros',
      'at',
      'zone_id',
    ])
    .select(['viewable_at', 'clicked_at', 'billed_at', 'media_micros'])
    .modifyFront(sql`/* kept: ads_impressions */`)
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .execute();
}

/** What prices of impressions of campaigns are made of, by the campaign's id. */
export async function ratesIn(tx: Tx, ids: readonly string[]): Promise<Map<string, Rates>> {
  const { rows } = await sql<Rates & { id: string }>`/* kept: ads_rates */
    select a.campaign_id as id, a.markup_bp, a.platform = 'house' as is_own, coalesce(t.share_bp, 0) as share_bp
    from ad_campaign a join campaign c on c.id = a.campaign_id and c.state <> 'removed' left join ad_terms t on t.root_id = a.root_id
    where a.campaign_id = any(${[...ids]}::uuid[])`.execute(tx);
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Locks campaigns, and bills promised impressions of theirs whose time is not over, and for which as much was promised;
 * returns those that it did. One statement, since others wait for the locks. It reads budgets once it has them: what it
 * changes, PostgreSQL reads again if it has changed meanwhile.
 */
export async function bill(tx: Tx, rows: readonly Billed[]): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  const done = await sql<{ id: string }>`/* kept: ads_bill */
    with locked as (
      select campaign_id from ad_campaign where campaign_id = any(${[...new Set(rows.map((r) => r.campaignId))]}::uuid[])
      order by campaign_id for no key update),
    n as (
      select n.* from unnest(${rows.map((r) => r.id)}::uuid[], ${rows.map((r) => r.campaignId)}::uuid[],
        ${rows.map((r) => r.price.toString())}::bigint[], ${rows.map((r) => r.wholesale.toString())}::bigint[],
        ${rows.map((r) => r.media.toString())}::bigint[], ${rows.map((r) => r.at)}::timestamptz[],
        ${rows.map((r) => r.isViewable)}::boolean[], ${rows.map((r) => r.isPromised ?? false)}::boolean[])
        n (id, campaign_id, price, wholesale, media, at, viewable, promised)
      join locked using (campaign_id)),
    done as (
      update ad_impression i set state = 'billed', price_micros = least(n.price, i.held_micros), wholesale_micros = n.wholesale, media_micros = n.media,
        billed_at = n.at, viewable_at = case when n.viewable then n.at end, is_posted = least(n.price, i.held_micros) = 0 and n.wholesale = 0
      from n where i.id = n.id and i.campaign_id = n.campaign_id and i.state = 'held' and i.expires_at >= n.at
        and (n.promised or i.held_micros >= n.price)
      returning i.*),
    days as (
      update ad_day d set held_micros = d.held_micros - t.held, spent_micros = d.spent_micros + t.price
      from (select campaign_id, day, sum(held_micros) as held, sum(price_micros) as price from done group by 1, 2) t
      where d.campaign_id = t.campaign_id and d.day = t.day),
    total as (
      update ad_campaign a set held_micros = a.held_micros - t.held, spent_micros = a.spent_micros + t.price,
        unposted_micros = a.unposted_micros + t.price
      from (select campaign_id, sum(held_micros) as held, sum(price_micros) as price from done group by 1) t
      where a.campaign_id = t.campaign_id),
    hours as (
      insert into ad_hour (campaign_id, hour, creative_id, place, root_id, agency_id, company_id, impressions, viewable,
        spend_micros, wholesale_micros, media_micros)
      select campaign_id, date_trunc('hour', at at time zone 'UTC') at time zone 'UTC', creative_id, place, root_id, agency_id, company_id,
        count(*), count(viewable_at), sum(price_micros), sum(wholesale_micros), sum(media_micros)
      from done group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4
      on conflict (campaign_id, hour, creative_id, place) do update set impressions = ad_hour.impressions + excluded.impressions,
        viewable = ad_hour.viewable + excluded.viewable, spend_micros = ad_hour.spend_micros + excluded.spend_micros,
        wholesale_micros = ad_hour.wholesale_micros + excluded.wholesale_micros, media_micros = ad_hour.media_micros + excluded.media_micros),
    slices as (
      insert into ad_slice (campaign_id, hour, kind, key, root_id, agency_id, company_id, impressions, viewable, spend_micros,
        wholesale_micros)
      select ${SLICE}, count(*), count(viewable_at), sum(price_micros), sum(wholesale_micros)
      from ${slices('done')} group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4
      on conflict (campaign_id, hour, kind, key) do update set impressions = ad_slice.impressions + excluded.impressions,
        viewable = ad_slice.viewable + excluded.viewable, spend_micros = ad_slice.spend_micros + excluded.spend_micros,
        wholesale_micros = ad_slice.wholesale_micros + excluded.wholesale_micros)
    select id from done`.execute(tx);
  return new Set(done.rows.map(({ id }) => id));
}

/** Gives back what was promised to impressions of a campaign, which the transaction has locked. Returns how many. */
export async function release(
  tx: Tx,
  campaignId: string,
  ids: readonly string[],
  state: 'lost' | 'expired',
): Promise<number> {
  if (ids.length === 0) return 0;
  const { rows } = await sql<{ n: bigint }>`
    with done as (
      update ad_impression i set state = ${state}
      where i.id = any(${[...ids]}::uuid[]) and i.campaign_id = ${campaignId}::uuid and i.state = 'held' returning i.day, i.held_micros),
    days as (
      update ad_day d set held_micros = d.held_micros - t.held
      from (select day, sum(held_micros) as held from done group by 1) t
      where d.campaign_id = ${campaignId}::uuid and d.day = t.day),
    total as (
      update ad_campaign a set held_micros = a.held_micros - t.held
      from (select sum(held_micros) as held from done having count(*) > 0) t where a.campaign_id = ${campaignId}::uuid)
    select count(*) as n from done`.execute(tx);
  return Number(rows[0]!.n);
}

/** Promised impressions whose time is over, by campaign, a number at a time; `except`: not of these. */
export async function expiredOf(tx: Tx, rootId: string, now: Date, most: number, except: readonly string[]) {
  const rows = await tx
    .selectFrom('ad_impression')
    .select(['id', 'campaign_id'])
    .where('root_id', '=', rootId)
    .where('state', '=', 'held')
    .where('expires_at', '<', now)
    .where('campaign_id', '<>', sql<string>`all(${[...except]}::uuid[])`)
    .orderBy('expires_at')
    .limit(most)
    .execute();
  return Map.groupBy(rows, (row) => row.campaign_id);
}

/** Campaigns with spend that is not in the ledger yet. */
export async function unpostedIn(tx: Tx, rootId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('ad_campaign')
    .select('campaign_id')
    .where('root_id', '=', rootId)
    .where('unposted_micros', '>', 0n)
    .orderBy('campaign_id')
    .execute();
  return rows.map((row) => row.campaign_id);
}

/** Running campaigns of a root that are shown by ourselves. */
export const runningHere = (tx: Tx, rootId: string) =>
  tx
    .selectFrom('ad_campaign as a')
    .innerJoin('campaign as c', 'c.id', 'a.campaign_id')
    .select(['c.id', 'a.company_id', 'a.max_bid_micros'])
    .where('a.root_id', '=', rootId)
    .where('a.platform', 'in', ['house', 'sandbox'])
    .where('c.state', '=', 'active')
    .orderBy('c.id')
    .execute();

/** Billed impressions of a campaign that are not in the ledger yet, oldest first. */
export const unpostedOf = (tx: Tx, campaignId: string, most: number) =>
  tx
    .selectFrom('ad_impression')
    .select(['id', 'price_micros', 'wholesale_micros', 'media_micros'])
    .where('campaign_id', '=', campaignId)
    .where('state', '=', 'billed')
    .where('is_posted', '=', false)
    .orderBy('billed_at')
    .orderBy('id')
    .limit(most)
    .execute();

/** Marks impressions of a campaign, which the transaction has locked, as posted. */
export async function markPosted(tx: Tx, campaignId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    with done as (
      update ad_impression set is_posted = true
      where id = any(${[...ids]}::uuid[]) and campaign_id = ${campaignId}::uuid and not is_posted returning price_micros)
    update ad_campaign a set unposted_micros = a.unposted_micros - t.price
    from (select coalesce(sum(price_micros), 0) as price from done) t where a.campaign_id = ${campaignId}::uuid`.execute(
    tx,
  );
}

/** Takes back billed impressions that could not be paid for: they stay shown, and cost no one anything. */
export async function waive(tx: Tx, campaignId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    with old as (
      select * from ad_impression where id = any(${[...ids]}::uuid[]) and campaign_id = ${campaignId}::uuid and state = 'billed' and not is_posted),
    done as (
      update ad_impression i set is_posted = true, price_micros = 0, wholesale_micros = 0, media_micros = 0
      from old where i.id = old.id returning i.id),
    days as (
      update ad_day d set spent_micros = d.spent_micros - t.price
      from (select day, sum(price_micros) as price from old group by 1) t where d.campaign_id = ${campaignId}::uuid and d.day = t.day),
    hours as (
      update ad_hour h set spend_micros = h.spend_micros - t.price, wholesale_micros = h.wholesale_micros - t.wholesale,
        media_micros = h.media_micros - t.media
      from (select date_trunc('hour', at at time zone 'UTC') at time zone 'UTC' as hour, creative_id, place,
              sum(price_micros) as price, sum(wholesale_micros) as wholesale, sum(media_micros) as media from old group by 1, 2, 3) t
      where h.campaign_id = ${campaignId}::uuid and h.hour = t.hour and h.creative_id = t.creative_id and h.place = t.place),
    slices as (
      update ad_slice h set spend_micros = h.spend_micros - t.price, wholesale_micros = h.wholesale_micros - t.wholesale
      from (select hour, kind, key, sum(price_micros) as price, sum(wholesale_micros) as wholesale
            from (select ${SLICE}, price_micros, wholesale_micros from ${slices('old')}) o group by 1, 2, 3) t
      where h.campaign_id = ${campaignId}::uuid and h.hour = t.hour and h.kind = t.kind and h.key = t.key)
    update ad_campaign a set spent_micros = a.spent_micros - t.price, unposted_micros = a.unposted_micros - t.price
    from (select coalesce(sum(price_micros), 0) as price from old) t where a.campaign_id = ${campaignId}::uuid`.execute(
    tx,
  );
}

/** How often each viewer has been promised or shown a campaign since an instant. */
export async function timesSeen(
  tx: Tx,
  rootId: string,
  campaignIds: readonly string[],
  viewer: Buffer,
  since: Date,
): Promise<Map<string, Date[]>> {
  const rows = await tx
    .selectFrom('ad_impression')
    .select(['campaign_id', 'at'])
    .where('root_id', '=', rootId)
    .where('viewer', '=', viewer)
    .where('at', '>=', since)
    .where('state', 'in', ['held', 'billed'])
    .where('campaign_id', '=', sql<string>`any(${[...campaignIds]}::uuid[])`)
    .limit(5_000)
    .execute();
  const seen = new Map<string, Date[]>();
  for (const { campaign_id, at } of rows) seen.getOrInsertComputed(campaign_id, () => []).push(at);
  return seen;
}

/** When viewers were promised or shown campaigns since an instant: by viewer (hex) and campaign. */
export async function timesSeenBy(
  tx: Tx,
  rootId: string,
  campaignIds: readonly string[],
  viewers: readonly Buffer[],
  since: Date,
): Promise<Map<string, Date[]>> {
  const { rows } = await sql<{ viewer: Buffer; campaign_id: string; at: Date }>`
    select viewer, campaign_id, at from ad_impression
    where root_id = ${rootId}::uuid and viewer = any(${viewers.map((one) => `\\x${one.toString('hex')}`)}::bytea[])
      and at >= ${since} and state in ('held', 'billed') and campaign_id = any(${[...campaignIds]}::uuid[])
    limit 50000`.execute(tx);
  const seen = new Map<string, Date[]>();
  for (const { viewer, campaign_id, at } of rows)
    seen.getOrInsertComputed(`${viewer.toString('hex')} ${campaign_id}`, () => []).push(at);
  return seen;
}

/** A part of a campaign's budgets that bids are taken from without asking again. */
export interface Lease {
  id: string;
  day: string;
  at: Date;
  expires_at: Date;
  left_micros: bigint;
}

/** Promises a part of the budgets of a campaign, which the transaction has locked, to bids that will be made. */
export async function insertLease(tx: Tx, campaignId: string, lease: Lease): Promise<void> {
  await sql`
    with n as (
      insert into ad_lease (id, root_id, agency_id, company_id, campaign_id, day, at, expires_at, left_micros)
      select ${lease.id}::uuid, root_id, agency_id, company_id, campaign_id, ${lease.day}::date, ${lease.at}::timestamptz,
        ${lease.expires_at}::timestamptz, ${lease.left_micros.toString()}::bigint
      from ad_campaign where campaign_id = ${campaignId}::uuid
      returning *),
    days as (
      insert into ad_day (campaign_id, day, root_id, agency_id, company_id, held_micros)
      select campaign_id, day, root_id, agency_id, company_id, left_micros from n
      on conflict (campaign_id, day) do update set held_micros = ad_day.held_micros + excluded.held_micros)
    update ad_campaign a set held_micros = a.held_micros + n.left_micros from n where a.campaign_id = n.campaign_id`.execute(
    tx,
  );
}

/** What is left of leases of a campaign. */
export async function leasesOf(
  tx: Tx,
  campaignId: string,
  ids: readonly string[],
): Promise<Map<string, Lease>> {
  const rows = await tx
    .selectFrom('ad_lease')
    .select(['id', 'day', 'at', 'expires_at', 'left_micros'])
    .where('campaign_id', '=', campaignId)
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Turns parts of leases of a campaign, which the transaction has locked, into promised impressions: what is promised in
 * all stays the same.
 */
export async function insertFromLeases(
  tx: Tx,
  campaignId: string,
  rows: readonly (Held & { lease_id: string })[],
): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    with n as (
      select h.*, a.root_id, a.agency_id, a.company_id
      from unnest(${rows.map((r) => r.id)}::uuid[], ${rows.map((r) => r.lease_id)}::uuid[], ${rows.map((r) => r.creative_id)}::uuid[],
        ${rows.map((r) => r.place)}::text[], ${rows.map((r) => r.day)}::date[], ${rows.map((r) => r.at)}::timestamptz[],
        ${rows.map((r) => r.expires_at)}::timestamptz[], ${rows.map((r) => r.held_micros.toString())}::bigint[],
        ${rows.map((r) => (r.viewer ? `\\x${r.viewer.toString('hex')}` : null))}::bytea[], ${rows.map((r) => r.region)}::text[],
        ${rows.map((r) => `{${r.audiences.join(',')}}`)}::text[])
        h (id, lease_id, creative_id, place, day, at, expires_at, held, viewer, region, audiences)
      join ad_campaign a on a.campaign_id = ${campaignId}::uuid),
    added as (
      insert into ad_impression (id, root_id, agency_id, company_id, campaign_id, creative_id, place, state, day, at, expires_at,
        held_micros, viewer, region, audiences)
      select id, root_id, agency_id, company_id, ${campaignId}::uuid, creative_id, place, 'held', day, at, expires_at, held, viewer, region,
        audiences::uuid[]
      from n)
    update ad_lease l set left_micros = l.left_micros - t.held
    from (select lease_id, sum(held) as held from n group by 1) t where l.id = t.lease_id`.execute(tx);
}

/** Leases whose time is over, by campaign, a number at a time; `except`: not of these. */
export async function overLeases(tx: Tx, rootId: string, now: Date, most: number, except: readonly string[]) {
  const rows = await tx
    .selectFrom('ad_lease')
    .select(['id', 'campaign_id'])
    .where('root_id', '=', rootId)
    .where('expires_at', '<', now)
    .where('campaign_id', '<>', sql<string>`all(${[...except]}::uuid[])`)
    .orderBy('expires_at')
    .limit(most)
    .execute();
  return Map.groupBy(rows, (row) => row.campaign_id);
}

/** Gives back what is left of leases of a campaign, which the transaction has locked. */
export async function endLeases(tx: Tx, campaignId: string, ids: readonly string[]): Promise<void> {
  await sql`
    with gone as (
      delete from ad_lease where id = any(${[...ids]}::uuid[]) and campaign_id = ${campaignId}::uuid returning day, left_micros),
    days as (
      update ad_day d set held_micros = d.held_micros - t.rest
      from (select day, sum(left_micros) as rest from gone group by 1) t
      where d.campaign_id = ${campaignId}::uuid and d.day = t.day)
    update ad_campaign a set held_micros = a.held_micros - t.rest
    from (select sum(left_micros) as rest from gone having count(*) > 0) t where a.campaign_id = ${campaignId}::uuid`.execute(
    tx,
  );
}

/**
 * Records that ads of billed impressions were clicked, each once; returns those that were not before. Their hour is that
 * of the impression, so that rates are of the same impressions. Of several, the transaction has locked the campaign.
 */
export async function click(
  tx: Tx,
  clicks: readonly { id: string; at: Date }[],
): Promise<ReadonlySet<string>> {
  if (clicks.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`/* kept: ads_click */
    with n as (
      select id, min(at) as at from unnest(${clicks.map(({ id }) => id)}::uuid[], ${clicks.map(({ at }) => at)}::timestamptz[]) n (id, at)
      group by id),
    done as (
      update ad_impression i set clicked_at = n.at from n
      where i.id = n.id and i.state = 'billed' and i.clicked_at is null returning i.*),
    hours as (
      insert into ad_hour (campaign_id, hour, creative_id, place, root_id, agency_id, company_id, clicks)
      select campaign_id, date_trunc('hour', at at time zone 'UTC') at time zone 'UTC', creative_id, place, root_id, agency_id, company_id,
        count(*)
      from done group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4
      on conflict (campaign_id, hour, creative_id, place) do update set clicks = ad_hour.clicks + excluded.clicks),
    slices as (
      insert into ad_slice (campaign_id, hour, kind, key, root_id, agency_id, company_id, clicks)
      select ${SLICE}, count(*) from ${slices('done')} group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4
      on conflict (campaign_id, hour, kind, key) do update set clicks = ad_slice.clicks + excluded.clicks)
    select id from done`.execute(tx);
  return new Set(rows.map(({ id }) => id));
}

/** Impressions from before an instant; those that are promised expire first, and those that are billed are posted. */
const oldImpressions = (rootId: string, before: Date, most: number) => sql<{ id: string }>`
  select id from ad_impression where root_id = ${rootId}::uuid and at < ${before} and state <> 'held'
    and (state <> 'billed' or is_posted) limit ${most}`;

/** How many there are, counted up to `most`. */
export const countImpressions = async (tx: Tx, rootId: string, before: Date, most: number): Promise<number> =>
  (await oldImpressions(rootId, before, most).execute(tx)).rows.length;

/** Deletes up to `most` of them; returns how many. */
export async function forgetImpressions(tx: Tx, rootId: string, before: Date, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ad_impression where id in (${oldImpressions(rootId, before, most)})`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

/** What an outside platform was told of a campaign, by day, apart from what it was told last. */
export async function toldDays(tx: Tx, campaignId: string, from: string): Promise<Map<string, Told>> {
  const { rows } = await sql<Told & { day: string }>`
    select day, told_daily_micros as daily_micros, told_monthly_micros as monthly_micros, told_total_micros as total_micros,
      told_markup_bp as markup_bp, told_share_bp as share_bp
    from ad_day where campaign_id = ${campaignId}::uuid and day >= ${from}::date and told_daily_micros is not null`.execute(
    tx,
  );
  return new Map(rows.map(({ day, ...told }) => [day, told]));
}

/**
 * What outside platforms may still report of campaigns, in what their clients pay: what is left of the daily budgets that
 * they were told of the days `from` to `to`. Of one campaign, or of a client's others.
 */
export async function unreported(
  tx: Tx,
  of: { campaignId: string } | { companyId: string; except: string },
  from: string,
  to: string,
): Promise<bigint> {
  const which =
    'campaignId' in of
      ? sql`a.campaign_id = ${of.campaignId}::uuid`
      : sql`c.company_id = ${of.companyId}::uuid and a.campaign_id <> ${of.except}::uuid`;
  const { rows } = await sql<{ micros: bigint }>`
    select coalesce(sum(greatest(0, told.micros - coalesce(d.held_micros + d.spent_micros, 0))), 0)::bigint as micros
    from ad_campaign a
    join campaign c on c.id = a.campaign_id and c.state <> 'removed'
    cross join generate_series(${from}::date, ${to}::date, interval '1 day') g (day)
    left join ad_day d on d.campaign_id = a.campaign_id and d.day = g.day::date
    cross join lateral (
      select greatest(d.told_daily_micros, case when a.told_on <= g.day::date then a.told_daily_micros end, 0) as micros) told
    where a.platform = 'simplifi' and ${which}`.execute(tx);
  return rows[0]!.micros;
}

/** What was promised to a client's other campaigns, or billed and not posted yet. */
export async function unbookedOf(tx: Tx, of: { companyId: string; except: string }): Promise<bigint> {
  const { rows } = await sql<{ micros: bigint }>`/* kept: ads_unbooked */
    select coalesce(sum(a.held_micros + a.unposted_micros), 0)::bigint as micros
    from campaign c join ad_campaign a on a.campaign_id = c.id
    where c.company_id = ${of.companyId}::uuid and c.id <> ${of.except}::uuid`.execute(tx);
  return rows[0]!.micros;
}

/** How many of a client's campaigns at outside platforms run on a day. */
export async function runningOutside(tx: Tx, companyId: string, day: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ad_campaign a join campaign c on c.id = a.campaign_id
    where c.company_id = ${companyId}::uuid and a.platform = 'simplifi' and c.state = 'active'
      and (c.starts_on is null or c.starts_on <= ${day}::date) and (c.ends_on is null or c.ends_on >= ${day}::date)`.execute(
    tx,
  );
  return rows[0]!.count;
}

/** Until the transaction ends, no one else is promised or told of what a client's limits leave. */
export const holdLimits = (tx: Tx, companyId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${companyId}, 497))`.execute(tx);

/** Keeps what an outside platform was told of a campaign, which the transaction has locked, on a day. */
export async function keepTold(tx: Tx, campaignId: string, day: string, told: Told): Promise<void> {
  await sql`
    insert into ad_day (campaign_id, day, root_id, agency_id, company_id, told_daily_micros, told_monthly_micros, told_total_micros,
      told_markup_bp, told_share_bp)
    select campaign_id, ${day}::date, root_id, agency_id, company_id, ${told.daily_micros.toString()}::bigint,
      ${told.monthly_micros.toString()}::bigint, ${told.total_micros?.toString() ?? null}::bigint, ${told.markup_bp}::integer,
      ${told.share_bp}::integer
    from ad_campaign where campaign_id = ${campaignId}::uuid
    on conflict (campaign_id, day) do update set told_daily_micros = excluded.told_daily_micros,
      told_monthly_micros = excluded.told_monthly_micros, told_total_micros = excluded.told_total_micros,
      told_markup_bp = excluded.told_markup_bp, told_share_bp = excluded.told_share_bp`.execute(tx);
}

/** What has been charged for the days that an outside platform reports. */
export const outsideDays = (tx: Tx, campaignId: string, from: string) =>
  tx
    .selectFrom('ad_outside_day')
    .select(['creative_id', 'day', 'impressions', 'clicks', 'media_micros'])
    .where('campaign_id', '=', campaignId)
    .where('day', '>=', from)
    .execute();

/** What is new on a day of an outside platform. */
export interface OutsideDay {
  creativeId: string;
  day: string;
  /** The beginning of the day in the client's zone. */
  hour: Date;
  impressions: bigint;
  clicks: bigint;
  media: bigint;
  wholesale: bigint;
  price: bigint;
}

/** Adds what is new on days of an outside platform to a campaign, which the transaction has locked. */
export async function addOutside(
  tx: Tx,
  campaignId: string,
  place: string,
  rows: readonly OutsideDay[],
): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    with n as (
      select a.campaign_id, a.root_id, a.agency_id, a.company_id, n.*
      from unnest(${rows.map((r) => r.creativeId)}::uuid[], ${rows.map((r) => r.day)}::date[], ${rows.map((r) => r.hour)}::timestamptz[],
        ${rows.map((r) => r.impressions.toString())}::bigint[], ${rows.map((r) => r.clicks.toString())}::bigint[],
        ${rows.map((r) => r.media.toString())}::bigint[], ${rows.map((r) => r.wholesale.toString())}::bigint[],
        ${rows.map((r) => r.price.toString())}::bigint[]) n (creative_id, day, hour, impressions, clicks, media, wholesale, price)
      join ad_campaign a on a.campaign_id = ${campaignId}::uuid),
    reported as (
      insert into ad_outside_day (campaign_id, creative_id, day, root_id, agency_id, company_id, impressions, clicks, media_micros, price_micros)
      select campaign_id, creative_id, day, root_id, agency_id, company_id, impressions, clicks, media, price from n
      on conflict (campaign_id, creative_id, day) do update set impressions = ad_outside_day.impressions + excluded.impressions,
        clicks = ad_outside_day.clicks + excluded.clicks, media_micros = ad_outside_day.media_micros + excluded.media_micros,
        price_micros = ad_outside_day.price_micros + excluded.price_micros),
    days as (
      insert into ad_day (campaign_id, day, root_id, agency_id, company_id, spent_micros)
      select campaign_id, day, root_id, agency_id, company_id, sum(price) from n group by 1, 2, 3, 4, 5
      on conflict (campaign_id, day) do update set spent_micros = ad_day.spent_micros + excluded.spent_micros),
    hours as (
      insert into ad_hour (campaign_id, hour, creative_id, place, root_id, agency_id, company_id, impressions, clicks, spend_micros,
        wholesale_micros, media_micros)
      select campaign_id, hour, creative_id, ${place}, root_id, agency_id, company_id, sum(impressions), sum(clicks), sum(price),
        sum(wholesale), sum(media) from n group by 1, 2, 3, 4, 5, 6, 7
      on conflict (campaign_id, hour, creative_id, place) do update set impressions = ad_hour.impressions + excluded.impressions,
        clicks = ad_hour.clicks + excluded.clicks, spend_micros = ad_hour.spend_micros + excluded.spend_micros,
        wholesale_micros = ad_hour.wholesale_micros + excluded.wholesale_micros,
        media_micros = ad_hour.media_micros + excluded.media_micros),
    -- Neither states nor audiences are reported from outside.
    slices as (
      insert into ad_slice (campaign_id, hour, kind, key, root_id, agency_id, company_id, impressions, clicks, spend_micros,
        wholesale_micros)
      select campaign_id, hour, s.kind, s.key, root_id, agency_id, company_id, sum(impressions), sum(clicks), sum(price), sum(wholesale)
      from n cross join ad_slices_of(null, '{}') s group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4
      on conflict (campaign_id, hour, kind, key) do update set impressions = ad_slice.impressions + excluded.impressions,
        clicks = ad_slice.clicks + excluded.clicks, spend_micros = ad_slice.spend_micros + excluded.spend_micros,
        wholesale_micros = ad_slice.wholesale_micros + excluded.wholesale_micros)
    update ad_campaign a set spent_micros = a.spent_micros + t.price from (select sum(price) as price from n) t
    where a.campaign_id = ${campaignId}::uuid`.execute(tx);
}
