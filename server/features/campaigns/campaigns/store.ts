import { type Insertable, sql, type Updateable } from 'kysely';
import { type CampaignRules, campaignRules } from '../../../../contract/campaigns/campaign-rules.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Db, Tx } from '../../../platform/db/scope.ts';

type ClientOwner = Owner & { agency_id: string };

export async function insertCampaign(tx: Tx, row: Insertable<Schema['campaign']>): Promise<void> {
  await tx.insertInto('campaign').values(row).execute();
}

/** Changes a campaign and increments its version; with `version`, only if it is still that one. False if it was not. */
export async function updateCampaign(
  tx: Tx,
  id: string,
  set: Updateable<Schema['campaign']>,
  version?: number,
): Promise<boolean> {
  const done = await tx
    .updateTable('campaign')
    .set({ ...set, version: sql<number>`version + 1` })
    .where('id', '=', id)
    .$if(version !== undefined, (q) => q.where('version', '=', version!))
    .executeTakeFirst();
  return done.numUpdatedRows > 0n;
}

/** A campaign that the scope may see and that is not removed; `lock` prevents others from changing it in the meantime. */
export async function campaignById(tx: Tx, id: string, lock = false) {
  const query = tx.selectFrom('campaign').selectAll().where('id', '=', id).where('state', '<>', 'removed');
  return (lock ? query.forNoKeyUpdate() : query).executeTakeFirst();
}

/**
 * Campaigns of any state, always locked in the same order, their clients first: whether a person is already a lead of
 * the client is checked across all of its campaigns.
 */
export async function lockCampaigns(tx: Tx, ids: string[]) {
  await sql`
    select pg_advisory_xact_lock(hashtextextended(company_id::text, 1)) from
      (select distinct company_id from campaign where id = any(${ids}::uuid[]) order by company_id) clients`.execute(
    tx,
  );
  return tx
    .selectFrom('campaign')
    .selectAll()
    .where('id', 'in', ids)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}

/** The rules of campaigns of any state, by campaign. */
export async function rulesOf(tx: Tx, ids: readonly string[]): Promise<Map<string, CampaignRules>> {
  if (ids.length === 0) return new Map();
  const rows = await tx
    .selectFrom('campaign')
    .select(['id', ...campaignRules.map(([name]) => name)])
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute();
  return new Map(rows.map(({ id, ...rules }) => [id, rules as CampaignRules]));
}

/** Campaigns of a root that were stopped by a limit. */
export async function cappedCampaigns(tx: Tx, rootId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('campaign')
    .select('id')
    .where('root_id', '=', rootId)
    .where('state', '=', 'paused')
    .where('state_reason', 'like', 'cap\\_%')
    .execute();
  return rows.map((row) => row.id);
}

/** Campaigns of a root, or of one of its agencies, that run or are held because their price is below their cost. */
export async function marginCampaigns(
  tx: Tx,
  of: { rootId: string; agencyId: string | null },
): Promise<string[]> {
  const { agencyId } = of;
  const rows = await tx
    .selectFrom('campaign')
    .select('id')
    .where('root_id', '=', of.rootId)
    .$if(agencyId !== null, (query) => query.where('agency_id', '=', agencyId!))
    .where((eb) =>
      eb.or([
        eb('state', '=', 'active'),
        eb.and([eb('state', '=', 'paused'), eb('state_reason', '=', 'below_cost')]),
      ]),
    )
    .execute();
  return rows.map((row) => row.id);
}

/** For campaigns stopped by a failed payment: whether the client's own failed, and whether its agency's did. */
export async function failuresOf(tx: Tx, ids: string[]) {
  if (ids.length === 0) return new Map<string, { own: boolean; agencys: boolean }>();
  const { rows } = await sql<{ id: string; own: boolean; agencys: boolean }>`
    select c.id, coalesce(collection_bar(null, c.company_id) = 'payment_failed', false) as own,
      coalesce(collection_bar(c.agency_id, null) = 'payment_failed', false) as agencys
    from campaign c where c.id = any(${ids}::uuid[])`.execute(tx);
  return new Map(rows.map((row) => [row.id, row]));
}

/** What stops every campaign of a company. */
export type Bar = 'company_removed' | 'cancelled' | 'payment_failed';

/**
 * Why no campaign of a client may run, or of an entire agency (no client); null if nothing prevents it (migration
 * 0230). If read after the campaign is locked, it stays valid until the transaction ends: code that blocks campaigns
 * locks them after that.
 */
export async function barOf(tx: Tx, agencyId: string | null, clientId: string | null): Promise<Bar | null> {
  const { rows } = await sql<{ bar: Bar | null }>`
    select collection_bar(${agencyId}, ${clientId}) as bar`.execute(tx);
  return rows[0]!.bar;
}

/** Campaigns of an agency, or of one client of it, that run or are paused; with a reason only those paused for it. */
export async function campaignsOf(
  tx: Tx,
  of: { agencyId: string; clientId?: string | undefined },
  reason?: string,
): Promise<string[]> {
  const rows = await tx
    .selectFrom('campaign')
    .select('id')
    .where('agency_id', '=', of.agencyId)
    .$if(of.clientId !== undefined, (q) => q.where('company_id', '=', of.clientId!))
    .$if(reason === undefined, (q) => q.where('state', 'in', ['active', 'paused']))
    .$if(reason !== undefined, (q) => q.where('state', '=', 'paused').where('state_reason', '=', reason!))
    .execute();
  return rows.map((row) => row.id);
}

/** The parameters of a list of campaigns. */
export interface CampaignList {
  id?: string | undefined;
  companyId?: string | undefined;
  modules?: ('local' | 'locator' | 'enhance' | 'b2b')[] | undefined;
  /** Only those in this group. */
  groupId?: string | undefined;
  status?: 'active' | 'paused' | 'archived' | undefined;
  search?: string | undefined;
  sort: 'campaign_name' | 'company_name' | 'status' | 'created_at' | 'leads_30d' | 'campaign_number';
  order: 'asc' | 'desc';
  limit: number;
  offset: number;
  /** From when on visits and leads are counted, and the present. */
  since: Date;
  now: Date;
}

const SORTS = {
  campaign_name: 'c.name',
  company_name: 'k.name',
  status: 'c.state',
  created_at: 'c.created_at',
  campaign_number: 'c.number',
} as const;

/** The campaigns that a list shows. */
function listed(
  tx: Tx,
  asked: Omit<CampaignList, 'sort' | 'order' | 'limit' | 'offset' | 'since' | 'now'> & {
    /** Archived ones, too, if no status is asked for. */
    withArchived?: boolean;
  },
) {
  let q = tx
    .selectFrom('campaign as c')
    .innerJoin('company as k', 'k.id', 'c.company_id')
    .where('c.state', '<>', 'removed');
  if (asked.id) q = q.where('c.id', '=', asked.id);
  if (asked.companyId) q = q.where('c.company_id', '=', asked.companyId);
  if (asked.modules) q = q.where('c.module', 'in', asked.modules);
  // Ad campaigns have a list of their own.
  else if (!asked.id) q = q.where('c.module', '<>', 'simplifi');
  if (asked.groupId)
    q = q.where((eb) =>
      eb(
        'c.id',
        'in',
        tx.selectFrom('company_group_campaign').select('campaign_id').where('group_id', '=', asked.groupId!),
      ),
    );
  if (asked.status) q = q.where('c.state', '=', asked.status);
  else if (!asked.id && !asked.withArchived) q = q.where('c.state', '<>', 'archived');
  if (asked.search) {
    const like = `%${asked.search.replace(/[\\%_]/g, '\\$&')}%`;
    q = q.where((eb) =>
      eb.or([
        eb('c.name', 'ilike', like),
        eb('k.name', 'ilike', like),
        eb('c.site_url', 'ilike', like),
        eb(sql<string>`c.number::text`, 'like', like),
      ]),
    );
  }
  return q;
}

/** A page of campaigns with their names, last 30 days and prepaid balance, and how many there are in all. */
export async function pageOfCampaigns(tx: Tx, asked: CampaignList) {
  const from = listed(tx, asked).select('c.id');
  const ordered =
    asked.sort === 'leads_30d'
      ? from
          .leftJoin(
            tx
              .selectFrom('campaign_hour as h')
              .select(['h.campaign_id', sql<bigint>`sum(h.leads)`.as('leads')])
              .where('h.hour', '>=', asked.since)
              .groupBy('h.campaign_id')
              .as('h'),
            'h.campaign_id',
            'c.id',
          )
          .orderBy(sql`coalesce(h.leads, 0)`, asked.order)
      : from.orderBy(sql.ref(SORTS[asked.sort]), asked.order);
  const found = await ordered.orderBy('c.id', asked.order).limit(asked.limit).offset(asked.offset).execute();
  const { total } = await from
    .clearSelect()
    .select((eb) => eb.fn.countAll<bigint>().as('total'))
    .executeTakeFirstOrThrow();
  const ids = found.map((row) => row.id);
  const byId = new Map((await campaignsByIds(tx, ids, asked.since, asked.now)).map((row) => [row.id, row]));
  return { rows: ids.flatMap((id) => byId.get(id) ?? []), total: Number(total) };
}

/** A position in a list of campaigns, the newest first. */
export interface Place {
  at: Date;
  id: string;
}

/**
 * The next campaigns after a position, the newest first. `changedSince`: those that changed at or after it, by their last
 * change, the oldest first.
 */
export async function nextCampaigns(
  tx: Tx,
  {
    changedSince,
    ...asked
  }: Pick<CampaignList, 'companyId' | 'modules' | 'status' | 'search'> & {
    changedSince?: Date | undefined;
  },
  after: Place | null,
  limit: number,
) {
  let query = listed(tx, { ...asked, withArchived: true });
  if (changedSince) {
    query = query.where('c.updated_at', '>=', changedSince);
    if (after) query = query.where(sql<boolean>`(c.updated_at, c.id) > (${after.at}, ${after.id}::uuid)`);
    return query.selectAll('c').orderBy('c.updated_at').orderBy('c.id').limit(limit).execute();
  }
  if (after) query = query.where(sql<boolean>`(c.created_at, c.id) < (${after.at}, ${after.id}::uuid)`);
  return query.selectAll('c').orderBy('c.created_at', 'desc').orderBy('c.id', 'desc').limit(limit).execute();
}

/** Campaigns with their names, what happened since an instant, since when their sites are silent, and their balance. */
async function campaignsByIds(tx: Tx, ids: string[], since: Date, now: Date) {
  if (ids.length === 0) return [];
  return (
    tx
      .selectFrom('campaign as c')
      .innerJoin('company as k', 'k.id', 'c.company_id')
      // A client may not see its agency's row; the host's name stands in for it then.
      .leftJoin('company as a', 'a.id', 'c.agency_id')
      .leftJoinLateral(
        (eb) =>
          eb
            .selectFrom('campaign_hour as h')
            .select([
              sql<bigint>`coalesce(sum(h.leads), 0)::bigint`.as('leads'),
              sql<bigint>`coalesce(sum(h.visits), 0)::bigint`.as('visits'),
              sql<Date | null>`max(h.hour) filter (where h.visits > 0)`.as('last_hour'),
            ])
            .whereRef('h.campaign_id', '=', 'c.id')
            .where('h.hour', '>=', since)
            .as('h'),
        (join) => join.onTrue(),
      )
      .leftJoin('account as p', (join) =>
        join.onRef('p.campaign_id', '=', 'c.id').on('p.kind', '=', 'client_prepaid'),
      )
      .leftJoin('account_balance as b', 'b.account_id', 'p.id')
      .selectAll('c')
      .select([
        'k.name as company_name',
        'a.name as agency_name',
        'h.leads as leads_30d',
        'h.visits as visits_30d',
        'h.last_hour',
        sql<Date | null>`pixel_silence(c.id, ${now})`.as('silent_since'),
        'b.balance',
      ])
      .where('c.id', '=', sql<string>`any(${ids}::uuid[])`)
      .execute()
  );
}

/** The newest campaign of a module for a client, otherwise for its agency. */
export async function lastCampaign(tx: Tx, agencyId: string, companyId: string, module: string) {
  return tx
    .selectFrom('campaign')
    .select(['id', 'company_id'])
    .where('agency_id', '=', agencyId)
    .where('module', '=', module as 'local')
    .orderBy(sql`company_id = ${companyId}`, 'desc')
    .orderBy('created_at', 'desc')
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** What happened on a campaign in an hour, to be added to the existing counts. One row per campaign and hour. */
export interface HourRow extends ClientOwner {
  campaign_id: string;
  hour: Date;
  visits: number;
  matched: number;
  leads: number;
  spend: bigint;
  cost: bigint;
}

export async function addHours(tx: Tx, rows: HourRow[]): Promise<void> {
  await sql`
    insert into campaign_hour (campaign_id, hour, root_id, agency_id, company_id, visits, matched, leads, spend_micros, cost_micros)
    select * from unnest(
      ${rows.map((r) => r.campaign_id)}::uuid[], ${rows.map((r) => r.hour)}::timestamptz[], ${rows.map((r) => r.root_id)}::uuid[],
      ${rows.map((r) => r.agency_id)}::uuid[], ${rows.map((r) => r.company_id)}::uuid[], ${rows.map((r) => r.visits)}::bigint[],
      ${rows.map((r) => r.matched)}::bigint[], ${rows.map((r) => r.leads)}::bigint[], ${rows.map((r) => r.spend.toString())}::bigint[],
      ${rows.map((r) => r.cost.toString())}::bigint[])
    order by 1, 2
    on conflict (campaign_id, hour) do update set
      visits = campaign_hour.visits + excluded.visits, matched = campaign_hour.matched + excluded.matched,
      leads = campaign_hour.leads + excluded.leads, spend_micros = campaign_hour.spend_micros + excluded.spend_micros,
      cost_micros = campaign_hour.cost_micros + excluded.cost_micros`.execute(tx);
}

/** Refusals by reason, to be added to the existing counts. */
export interface RefusalRow extends ClientOwner {
  campaign_id: string;
  hour: Date;
  reason: string;
  count: number;
  at: Date;
}

export async function addRefusals(tx: Tx, rows: RefusalRow[]): Promise<void> {
  await sql`
    insert into campaign_refusal (campaign_id, hour, reason, root_id, agency_id, company_id, count, last_at)
    select * from unnest(
      ${rows.map((r) => r.campaign_id)}::uuid[], ${rows.map((r) => r.hour)}::timestamptz[], ${rows.map((r) => r.reason)}::text[],
      ${rows.map((r) => r.root_id)}::uuid[], ${rows.map((r) => r.agency_id)}::uuid[], ${rows.map((r) => r.company_id)}::uuid[],
      ${rows.map((r) => r.count)}::bigint[], ${rows.map((r) => r.at)}::timestamptz[])
    order by 1, 2, 3
    on conflict (campaign_id, hour, reason) do update set
      count = campaign_refusal.count + excluded.count, last_at = greatest(campaign_refusal.last_at, excluded.last_at)`.execute(
    tx,
  );
}

/** Refusals of a campaign since an instant, summed by reason. */
export async function refusalsOf(tx: Tx, campaignId: string, since: Date) {
  return tx
    .selectFrom('campaign_refusal')
    .select(['reason', sql<bigint>`sum(count)::bigint`.as('count'), sql<Date>`max(last_at)`.as('last_at')])
    .where('campaign_id', '=', campaignId)
    .where('hour', '>=', since)
    .groupBy('reason')
    .having(sql<boolean>`sum(count) > 0`)
    .orderBy('count', 'desc')
    .execute();
}

/**
 * Leads that each campaign has accepted since its own instant, for its limit; counted no further than the limit itself.
 */
export async function leadsSince(
  tx: Tx,
  asked: { campaignId: string; since: Date; most: number }[],
): Promise<Map<string, number>> {
  if (asked.length === 0) return new Map();
  const { rows } = await sql<{ campaign_id: string; leads: bigint }>`
    select d.id as campaign_id,
      (select count(*) from (select from lead l where l.campaign_id = d.id and l.created_at >= d.since and not l.is_test
                             limit d.most) counted) as leads
    from unnest(${asked.map((d) => d.campaignId)}::uuid[], ${asked.map((d) => d.since)}::timestamptz[],
                ${asked.map((d) => d.most)}::int[]) d (id, since, most)`.execute(tx);
  return new Map(rows.map((row) => [row.campaign_id, Number(row.leads)]));
}

/** The time zones of companies; those that were removed are left out. */
export async function timeZones(tx: Tx, companyIds: string[]): Promise<Map<string, string>> {
  const rows = await tx
    .selectFrom('company')
    .select(['id', 'time_zone'])
    .where('id', 'in', companyIds)
    .where('removed_at', 'is', null)
    .execute();
  return new Map(rows.map((row) => [row.id, row.time_zone]));
}

/** When the campaign's site was last visited. */
export async function lastVisitAt(tx: Tx, campaignId: string, since: Date): Promise<Date | null> {
  const row = await tx
    .selectFrom('visit')
    .select('received_at')
    .where('campaign_id', '=', campaignId)
    .where('received_at', '>=', since)
    .where('day', '>=', since.toISOString().slice(0, 10))
    .orderBy('received_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.received_at ?? null;
}

/** The campaign of a site key, queried before any scope is known. */
export interface Site {
  campaign_id: string;
  root_id: string;
  agency_id: string;
  company_id: string;
  state: string;
  site_url: string;
  thank_you_url: string | null;
  site_hosts: string[];
}

/** Hosts that are not sites of a campaign but sent visits since a given day, the most visits first. */
export async function foreignHosts(tx: Tx, campaignId: string, since: Date) {
  return tx
    .selectFrom('campaign_foreign_host')
    .select(['host', sql<bigint>`sum(count)`.as('count'), sql<Date>`max(last_at)`.as('last_at')])
    .where('campaign_id', '=', campaignId)
    .where('day', '>=', since.toISOString().slice(0, 10))
    .groupBy('host')
    .orderBy(sql`sum(count)`, 'desc')
    .orderBy('host')
    .limit(20)
    .execute();
}

/** Sites in the order of their keys, after one of them. */
export async function sitesAfter(
  db: Db,
  key: string,
  most: number,
): Promise<(Site & { site_key: string })[]> {
  return (await sql<Site & { site_key: string }>`select * from sites_after(${key}, ${most})`.execute(db))
    .rows;
}

export async function siteByKey(db: Db, key: string): Promise<Site | undefined> {
  return (await sql<Site>`select * from site_by_key(${key})`.execute(db)).rows[0];
}
