import { type Insertable, type SelectQueryBuilder, sql } from 'kysely';
import { leadTexts } from '../../../../contract/audience/person-texts.ts';
import type { LeadDelivery } from '../../../../contract/campaigns/destinations.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Scope, Tx } from '../../../platform/db/scope.ts';
import { detailsOf, type ScoredLead } from './score.policy.ts';

/** The texts of a lead are columns of the same names. */
const TEXTS = leadTexts.map(({ name }) => name);

type LeadInsert = Insertable<Schema['lead']>;
type ContactInsert = Insertable<Schema['lead_contact']>;

/**
 * Keeps that leads have changed, for programs that keep a copy. Once in a transaction, and last: locked in one order, so
 * that two of them cannot wait for each other.
 */
export async function changedLeads(tx: Tx, ids: readonly string[], at: Date): Promise<void> {
  if (ids.length === 0) return;
  await sql`/* kept: changed_leads */
    update lead_change u set changed_at = greatest(u.changed_at, ${at}::timestamptz)
    from (select lead_id from lead_change where lead_id = any(${ids}::uuid[]) order by lead_id for no key update) found
    where u.lead_id = found.lead_id`.execute(tx);
}

/** The leads of people of campaigns. */
export async function leadsOfPeople(
  tx: Tx,
  pairs: readonly { campaign_id: string; person_id: string }[],
): Promise<string[]> {
  if (pairs.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    select l.id from unnest(${pairs.map((p) => p.campaign_id)}::uuid[], ${pairs.map((p) => p.person_id)}::uuid[])
      p (campaign_id, person_id)
    join lead l using (campaign_id, person_id)`.execute(tx);
  return rows.map((row) => row.id);
}

/** Keeps when people behind leads came back. */
export async function addReturns(
  tx: Tx,
  leads: readonly { id: string; campaignId: string; owner: Owner & { agency_id: string }; at: Date }[],
): Promise<void> {
  if (leads.length === 0) return;
  await tx
    .insertInto('lead_return')
    .values(
      leads.map(({ id, campaignId, owner, at }) => ({ lead_id: id, campaign_id: campaignId, ...owner, at })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The columns of a lead's score. */
export const scoreColumns = ({ score, facts, seenAt }: ScoredLead) => ({
  score: score?.score ?? -1,
  score_details: JSON.stringify(detailsOf({ score, facts })),
  seen_at: seenAt,
  score_due_at: score?.dueAt ?? null,
});

/** Inserts leads with their contacts in two statements, regardless of how many there are. */
export async function insertLeads(tx: Tx, leads: LeadInsert[], contacts: ContactInsert[]): Promise<void> {
  await sql`
    insert into lead (id, root_id, agency_id, company_id, campaign_id, person_id, visit_day, visit_event_id, match_kind, confidence,
      evidence, price_micros, cost_micros, transfer_id, created_at, score, score_details, seen_at, score_due_at, company_domain)
    select * from unnest(${leads.map((l) => l.id)}::uuid[], ${leads.map((l) => l.root_id)}::uuid[], ${leads.map((l) => l.agency_id)}::uuid[],
      ${leads.map((l) => l.company_id)}::uuid[], ${leads.map((l) => l.campaign_id)}::uuid[], ${leads.map((l) => l.person_id ?? null)}::uuid[],
      ${leads.map((l) => l.visit_day ?? null)}::date[], ${leads.map((l) => l.visit_event_id ?? null)}::uuid[],
      ${leads.map((l) => l.match_kind)}::smallint[], ${leads.map((l) => l.confidence)}::smallint[], ${leads.map((l) => l.evidence)}::jsonb[],
      ${leads.map((l) => l.price_micros.toString())}::bigint[], ${leads.map((l) => l.cost_micros.toString())}::bigint[],
      ${leads.map((l) => l.transfer_id ?? null)}::uuid[], ${leads.map((l) => l.created_at)}::timestamptz[],
      ${leads.map((l) => l.score ?? -1)}::smallint[], ${leads.map((l) => l.score_details ?? null)}::jsonb[],
      ${leads.map((l) => l.seen_at ?? null)}::timestamptz[], ${leads.map((l) => l.score_due_at ?? null)}::timestamptz[],
      ${leads.map((l) => l.company_domain ?? null)}::text[])`.execute(tx);
  const c = contacts;
  await sql`
    insert into lead_contact (lead_id, root_id, agency_id, company_id, campaign_id, created_at, email, phone, phone2,
      phone_dnc, phone2_dnc, phones_withheld, page_url, referrer, ip, ${sql.join(TEXTS.map((name) => sql.ref(name)))})
    select * from unnest(${c.map((r) => r.lead_id)}::uuid[], ${c.map((r) => r.root_id)}::uuid[], ${c.map((r) => r.agency_id)}::uuid[],
      ${c.map((r) => r.company_id)}::uuid[], ${c.map((r) => r.campaign_id)}::uuid[], ${c.map((r) => r.created_at)}::timestamptz[],
      ${c.map((r) => r.email ?? null)}::text[],
      ${c.map((r) => r.phone ?? null)}::text[], ${c.map((r) => r.phone2 ?? null)}::text[],
      ${c.map((r) => r.phone_dnc ?? false)}::boolean[], ${c.map((r) => r.phone2_dnc ?? false)}::boolean[], ${c.map((r) => r.phones_withheld ?? 0)}::smallint[],
      ${c.map((r) => r.page_url ?? null)}::text[], ${c.map((r) => r.referrer ?? null)}::text[], ${c.map((r) => r.ip ?? null)}::inet[],
      ${sql.join(TEXTS.map((name) => sql`${c.map((r) => r[name] ?? null)}::text[]`))})`.execute(tx);
}

/** Inserts a test lead: without a person, and free of charge. */
export async function insertTestLead(
  tx: Tx,
  lead: Pick<LeadInsert, 'id' | 'root_id' | 'agency_id' | 'company_id' | 'campaign_id' | 'created_at'>,
  contact: Partial<ContactInsert>,
): Promise<void> {
  await tx
    .insertInto('lead')
    .values({
      ...lead,
      match_kind: 1,
      confidence: 100,
      price_micros: 0n,
      cost_micros: 0n,
      evidence: '{}',
      is_test: true,
    })
    .execute();
  const { id: lead_id, ...rest } = lead;
  await tx
    .insertInto('lead_contact')
    .values({ ...contact, ...rest, lead_id })
    .execute();
}

/** When the last test lead of a campaign was made, if after an instant. */
export async function lastTestAt(tx: Tx, campaignId: string, since: Date): Promise<Date | null> {
  const row = await tx
    .selectFrom('lead')
    .select('created_at')
    .where('campaign_id', '=', campaignId)
    .where('created_at', '>', since)
    .where('is_test', '=', true)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.created_at ?? null;
}

/** The number of webhooks that a lead is being delivered to. */
export async function deliveriesCount(tx: Tx, leadId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('delivery')
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .where('lead_id', '=', leadId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The last lead that each of these people became of each campaign of each client, and when they were last seen. */
export async function lastLeads(tx: Tx, pairs: { companyId: string; personId: string }[]) {
  if (pairs.length === 0) return [];
  const { rows } = await sql<{
    company_id: string;
    person_id: string;
    campaign_id: string;
    at: Date;
    lead_id: string;
    seen_at: Date | null;
  }>`
    select distinct on (l.company_id, l.person_id, l.campaign_id) l.company_id, l.person_id, l.campaign_id,
      l.created_at as at, l.id as lead_id, l.seen_at
    from unnest(${pairs.map((p) => p.companyId)}::uuid[], ${pairs.map((p) => p.personId)}::uuid[]) p (company_id, person_id)
    join lead l on l.company_id = p.company_id and l.person_id = p.person_id
    where not l.is_test
    order by l.company_id, l.person_id, l.campaign_id, l.created_at desc`.execute(tx);
  return rows;
}

/** When each of these companies last became a lead of each campaign of each client. */
export async function lastCompanies(tx: Tx, pairs: { companyId: string; domain: string }[]) {
  if (pairs.length === 0) return [];
  const { rows } = await sql<{ company_id: string; domain: string; campaign_id: string; at: Date }>`
    select l.company_id, l.company_domain as domain, l.campaign_id, max(l.created_at) as at
    from (select distinct * from unnest(${pairs.map((p) => p.companyId)}::uuid[], ${pairs.map((p) => p.domain)}::text[])
      p (company_id, domain)) p
    join lead l on l.company_id = p.company_id and l.company_domain = p.domain
    group by 1, 2, 3`.execute(tx);
  return rows;
}

/** Several workers take one batch each, so more is looked up than one of them takes. */
const WORKERS = 4;

/** The addresses of a root's oldest visits that are not resolved, of campaigns that companies become leads of. */
export async function addressesToLookUp(tx: Tx, rootId: string, most: number): Promise<string[]> {
  const { rows } = await sql<{ ip: string }>`/* kept: addresses_to_look_up */
    select distinct host(v.ip) as ip from (
      select ip, campaign_id from visit where root_id = ${rootId} and resolved_at is null and not gpc
      order by received_at limit ${most * WORKERS}) v
    join campaign c on c.id = v.campaign_id and c.company_leads
    where v.ip is not null`.execute(tx);
  return rows.map((row) => row.ip);
}

/** Which of these campaigns companies become leads of. */
export async function withCompanies(tx: Tx, campaignIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from campaign where id = any(${[...new Set(campaignIds)]}::uuid[]) and company_leads`.execute(
    tx,
  );
  return new Set(rows.map((row) => row.id));
}

/** Which of these people have reached the goal of the campaign that they were recognized for. */
export async function conversions(tx: Tx, pairs: { campaignId: string; personId: string }[]) {
  if (pairs.length === 0) return [];
  const { rows } = await sql<{ campaign_id: string; person_id: string }>`
    select c.campaign_id, c.person_id
    from unnest(${pairs.map((p) => p.campaignId)}::uuid[], ${pairs.map((p) => p.personId)}::uuid[]) p (campaign_id, person_id)
    join campaign_conversion c using (campaign_id, person_id)`.execute(tx);
  return rows;
}

/** How far back viewed pages count, and how many views of a browser are looked at. */
const PAGES_DAYS = 30;
const MOST_VIEWS = 1000;

/**
 * How many pages of the campaign's site the browsers behind these visits had viewed by then, in 30 days; pages that
 * differ only in their query or fragment are one. Without a browser's id, 0. By `ref`.
 */
export async function pagesViewed(
  tx: Tx,
  visits: { ref: number; day: string; eventId: string }[],
): Promise<Map<number, number>> {
  if (visits.length === 0) return new Map();
  const { rows } = await sql<{ ref: number; pages: number }>`
    select w.ref, seen.pages
    from unnest(${visits.map((v) => v.ref)}::int[], ${visits.map((v) => v.day)}::date[], ${visits.map((v) => v.eventId)}::uuid[])
      w (ref, day, event_id)
    join visit own on own.day = w.day and own.event_id = w.event_id
    cross join lateral (
      select count(distinct split_part(split_part(url, '#', 1), '?', 1))::int as pages from (
        -- Bounded before it is filtered: anyone can send what they like in the name of a browser.
        select v.url, v.campaign_id, v.received_at from visit v
        where v.visitor_id = own.visitor_id and v.event = 'view' and v.day between own.day - ${PAGES_DAYS}::int and own.day + 1
        limit ${MOST_VIEWS}) views
      where campaign_id = own.campaign_id and received_at <= own.received_at) seen`.execute(tx);
  return new Map(rows.map((row) => [row.ref, row.pages]));
}

/** Records who has reached a campaign's goal; the first time is kept. */
export async function addConversions(
  tx: Tx,
  rows: Insertable<Schema['campaign_conversion']>[],
): Promise<void> {
  if (rows.length === 0) return;
  await tx
    .insertInto('campaign_conversion')
    .values(rows)
    .onConflict((c) => c.doNothing())
    .execute();
}

/** The filters of a lead list. Days are resolved to instants by the caller. */
export interface LeadList {
  campaignId?: string | undefined;
  companyId?: string | undefined;
  /** Only campaigns of this module. */
  module?: Schema['campaign']['module'] | undefined;
  from?: Date | undefined;
  before?: Date | undefined;
  search?: string | undefined;
  /** Only leads with at least this score. */
  minScore?: number | undefined;
  /** Only leads that have a score, of at most this. */
  maxScore?: number | undefined;
  /** Only leads that were recognized by a key of this kind. */
  matchKind?: number | undefined;
  /** Only people, or only companies without a person. */
  kind?: 'person' | 'company' | undefined;
  /** Only leads that are credited to an ad: to such a one, shown within a time. */
  ad?:
    | {
        campaignId: string | undefined;
        creativeId: string | undefined;
        place: string | undefined;
        way: 'click' | 'view' | undefined;
        from: Date | undefined;
        before: Date | undefined;
      }
    | undefined;
  /** Only leads that changed at or after this instant; only for the next leads of a list, which then come by it. */
  changedSince?: Date | undefined;
  sort: 'created_at' | 'last_name' | 'email' | 'score';
  order: 'asc' | 'desc';
}

/** The maximum number of hits that a search returns: the newest ones. */
const MOST_HITS = 1000;
/** Up to this many leads are fetched and sorted, far into a list and near its start; more are read in index order. */
const MOST_SORTED = { far: 20_000, near: 2000 };

/** What is determined about a list before its leads are looked up; null if not asked for. */
interface Narrowed {
  /** The campaigns that the list covers. */
  campaigns: string[] | null;
  /** The hits of its search. */
  ids: string[] | null;
}

async function narrowed(tx: Tx, asked: LeadList): Promise<Narrowed> {
  const { campaignId, companyId, module, from, before } = asked;
  let campaigns = campaignId ? [campaignId] : null;
  if (module) {
    let query = tx.selectFrom('campaign').select('id').where('module', '=', module);
    if (campaignId) query = query.where('id', '=', campaignId);
    if (companyId) query = query.where('company_id', '=', companyId);
    campaigns = (await query.execute()).map((row) => row.id);
  }
  const words = (asked.search ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return { campaigns, ids: null };
  const pattern = `%${words.map((word) => word.replace(/[\\%_]/g, '\\$&')).join('%')}%`;
  const { rows } = await sql<{ id: string }>`
    select search_leads(${pattern}, ${companyId ?? null}::uuid, ${campaigns}::uuid[], ${from ?? null}::timestamptz,
      ${before ?? null}::timestamptz, ${MOST_HITS}) as id`.execute(tx);
  return { campaigns, ids: rows.map((row) => row.id) };
}

/** The client's scope that a campaign belongs to; undefined if the scope does not see it. */
export async function scopeOfCampaign(tx: Tx, id: string): Promise<Scope | undefined> {
  return tx
    .selectFrom('campaign')
    .select(['root_id as rootId', 'agency_id as agencyId', 'company_id as companyId'])
    .where('id', '=', id)
    .executeTakeFirst();
}

const isEmpty = ({ campaigns, ids }: Narrowed): boolean => campaigns?.length === 0 || ids?.length === 0;

/** Whether a list is sorted by what only `lead_contact` has. */
const isByName = ({ sort }: LeadList): boolean => sort === 'last_name' || sort === 'email';

/** The leads of a list, from the one table that holds the sort column: `lead`, or `lead_contact` for names. */
function filtered(tx: Tx, asked: LeadList, { campaigns, ids }: Narrowed, byName: boolean) {
  let q = byName
    ? tx.selectFrom('lead_contact as l').select('l.lead_id as id')
    : (tx.selectFrom('lead as l').select('l.id') as unknown as SelectQueryBuilder<
        { l: Schema['lead_contact'] },
        'l',
        { id: string }
      >);
  if (campaigns?.length === 1) q = q.where('l.campaign_id', '=', campaigns[0]!);
  else if (campaigns) q = q.where('l.campaign_id', '=', sql<string>`any(${campaigns}::uuid[])`);
  if (asked.companyId) q = q.where('l.company_id', '=', asked.companyId);
  if (asked.from) q = q.where('l.created_at', '>=', asked.from);
  if (asked.before) q = q.where('l.created_at', '<', asked.before);
  if (asked.minScore !== undefined)
    q = q.where(
      byName
        ? sql<boolean>`exists (select from lead s where s.id = l.lead_id and s.score >= ${asked.minScore})`
        : sql<boolean>`l.score >= ${asked.minScore}`,
    );
  if (asked.maxScore !== undefined)
    q = q.where(
      byName
        ? sql<boolean>`exists (select from lead s where s.id = l.lead_id and s.score between 0 and ${asked.maxScore})`
        : sql<boolean>`l.score between 0 and ${asked.maxScore}`,
    );
  if (asked.matchKind !== undefined)
    q = q.where(
      byName
        ? sql<boolean>`exists (select from lead s where s.id = l.lead_id and s.match_kind = ${asked.matchKind})`
        : sql<boolean>`l.match_kind = ${asked.matchKind}`,
    );
  if (asked.kind) {
    const is = asked.kind === 'company' ? sql`is not null` : sql`is null`;
    q = q.where(
      byName
        ? sql<boolean>`exists (select from lead s where s.id = l.lead_id and s.company_domain ${is})`
        : sql<boolean>`l.company_domain ${is}`,
    );
  }
  if (asked.ad) {
    const { campaignId, creativeId, place, way, from, before } = asked.ad;
    const conditions = [
      ...(asked.companyId ? [sql`company_id = ${asked.companyId}::uuid`] : []),
      ...(campaignId ? [sql`campaign_id = ${campaignId}::uuid`] : []),
      ...(creativeId ? [sql`creative_id = ${creativeId}::uuid`] : []),
      ...(place ? [sql`place = ${place}`] : []),
      ...(way ? [sql`way = ${way}`] : []),
      ...(from ? [sql`shown_at >= ${from}::timestamptz`] : []),
      ...(before ? [sql`shown_at < ${before}::timestamptz`] : []),
    ];
    q = q.where(
      sql<boolean>`${sql.ref(byName ? 'l.lead_id' : 'l.id')} in (select lead_id from ad_lead where ${sql.join([sql`true`, ...conditions], sql` and `)})`,
    );
  }
  if (ids) q = q.where(sql.ref(byName ? 'l.lead_id' : 'l.id'), '=', sql<string>`any(${ids}::uuid[])`);
  return q;
}

const ORDERS = {
  created_at: ['l.created_at', 'l.id'],
  score: ['l.score', 'l.created_at', 'l.id'],
  last_name: ['l.last_name', 'l.first_name', 'l.lead_id'],
  email: ['l.email', 'l.lead_id'],
} as const;

/**
 * Returns a page of leads and the total number of leads. The page is found in one table by its index, then filled in:
 * if joined first, the whole list would be joined just to show 25 rows of it.
 */
export async function pageOfLeads(tx: Tx, asked: LeadList, limit: number, offset: number) {
  const found = await narrowed(tx, asked);
  if (isEmpty(found)) return { rows: [], total: 0 };
  const byName = isByName(asked);
  const counted = await filtered(tx, asked, found, false)
    .clearSelect()
    .select((eb) => eb.fn.countAll<bigint>().as('total'))
    .executeTakeFirstOrThrow();
  const total = Number(counted.total);
  const size = Math.min(limit, total - offset);
  if (size <= 0) return { rows: [], total };

  let page = filtered(tx, asked, found, byName);
  // In an index by name, the leads of a few days are scattered all over: if there are few of them, they are fetched by
  // day instead.
  const most = MOST_SORTED[offset > total / 10 ? 'far' : 'near'];
  if (byName && !found.ids && (asked.from || asked.before) && total <= most)
    page = tx
      .selectFrom('lead_contact as l')
      .select('l.lead_id as id')
      .where('l.lead_id', '=', sql<string>`any(array(${filtered(tx, asked, found, false)}))`);
  // Past the middle of a list by date, it is faster to start from the other end.
  const isFromEnd = !byName && offset > total / 2;
  const order = isFromEnd === (asked.order === 'asc') ? 'desc' : 'asc';
  for (const column of ORDERS[asked.sort]) page = page.orderBy(sql.ref(column), order);
  const shown = await page
    .limit(size)
    .offset(isFromEnd ? total - offset - size : offset)
    .execute();
  const ids = shown.map((row) => row.id);
  return { rows: await leadsByIds(tx, isFromEnd ? ids.toReversed() : ids), total };
}

/** The ids of a list in its order, up to `most`. */
export async function idsOfExport(tx: Tx, asked: LeadList, most: number): Promise<string[]> {
  const found = await narrowed(tx, asked);
  if (isEmpty(found)) return [];
  let query = filtered(tx, asked, found, isByName(asked));
  for (const column of ORDERS[asked.sort]) query = query.orderBy(sql.ref(column), asked.order);
  return (await query.limit(most).execute()).map((row) => row.id);
}

/** A position in a list of leads by date. */
export interface Place {
  at: Date;
  id: string;
}

/** With the companies and the campaign whose lists apply to the lead there. */
export interface OwnedPlace extends Place {
  root_id: string;
  agency_id: string;
  company_id: string;
  campaign_id: string;
}

/**
 * The positions of the next leads by date, in the requested direction, after the lead at this position. Of leads that
 * changed since an instant, the date is that of their last change, and the oldest come first.
 */
export async function nextLeads(
  tx: Tx,
  asked: LeadList,
  after: Place | null,
  limit: number,
): Promise<OwnedPlace[]> {
  const known = await narrowed(tx, asked);
  if (isEmpty(known)) return [];
  if (asked.changedSince) return nextChanged(tx, asked, known, asked.changedSince, after, limit);
  let query = filtered(tx, asked, known, false).select([
    'l.created_at as at',
    'l.root_id',
    'l.agency_id',
    'l.company_id',
    'l.campaign_id',
  ]);
  const beyond = asked.order === 'asc' ? sql`>` : sql`<`;
  if (after)
    query = query.where(sql<boolean>`(l.created_at, l.id) ${beyond} (${after.at}, ${after.id}::uuid)`);
  return query
    .orderBy(sql.ref('l.created_at'), asked.order)
    .orderBy(sql.ref('l.id'), asked.order)
    .limit(limit)
    .execute();
}

async function nextChanged(
  tx: Tx,
  asked: LeadList,
  known: Narrowed,
  since: Date,
  after: Place | null,
  limit: number,
): Promise<OwnedPlace[]> {
  const leads = filtered(tx, asked, known, false) as unknown as SelectQueryBuilder<
    Schema & { l: Schema['lead'] },
    'l',
    { id: string }
  >;
  let query = leads
    .innerJoin('lead_change as u', 'u.lead_id', 'l.id')
    .select(['u.changed_at as at', 'l.root_id', 'l.agency_id', 'l.company_id', 'l.campaign_id'])
    .where('u.changed_at', '>=', since);
  // Compared here as well, so that an index leaves out the changes of others before their leads are read.
  if (asked.companyId) query = query.where('u.company_id', '=', asked.companyId);
  if (known.campaigns)
    query = query.where('u.campaign_id', '=', sql<string>`any(${known.campaigns}::uuid[])`);
  if (after) query = query.where(sql<boolean>`(u.changed_at, u.lead_id) > (${after.at}, ${after.id}::uuid)`);
  return query.orderBy('u.changed_at').orderBy('u.lead_id').limit(limit).execute();
}

/** The next rows of an export by date, in the requested direction, after the row with this instant and id. */
export async function nextOfExport(tx: Tx, asked: LeadList, after: Place | null, limit: number) {
  const found = await nextLeads(tx, asked, after, limit);
  return leadsByIds(
    tx,
    found.map((row) => row.id),
  );
}

const details = (tx: Tx) =>
  tx
    .selectFrom('lead as l')
    .innerJoin('lead_contact as x', 'x.lead_id', 'l.id')
    .innerJoin('lead_change as u', 'u.lead_id', 'l.id')
    .innerJoin('campaign as c', 'c.id', 'l.campaign_id')
    .innerJoin('company as k', 'k.id', 'l.company_id')
    .leftJoin('campaign_conversion as g', (join) =>
      join.onRef('g.campaign_id', '=', 'l.campaign_id').onRef('g.person_id', '=', 'l.person_id'),
    );

/** A phone number of a lead, unless its client gets no phone numbers (company.phones_off). */
const PHONE = <T extends 'phone' | 'phone2'>(column: T) =>
  sql<string | null>`case when k.phones_off then null else ${sql.ref(`x.${column}`)} end`.as(column);

const listColumns = [
  'l.id',
  'l.company_id',
  'l.campaign_id',
  'c.number',
  'c.name as campaign_name',
  'c.module',
  'k.name as client_name',
  ...TEXTS.map((name) => `x.${name}` as const),
  'x.email',
  PHONE('phone'),
  PHONE('phone2'),
  sql<boolean>`x.phone_dnc and not k.phones_off`.as('phone_dnc'),
  sql<boolean>`x.phone2_dnc and not k.phones_off`.as('phone2_dnc'),
  sql<number>`case when k.phones_off then 0 else x.phones_withheld end`.as('phones_withheld'),
  'x.page_url',
  'x.referrer',
  'l.match_kind',
  'l.company_domain',
  'l.confidence',
  sql<number | null>`nullif(l.score, -1)`.as('score'),
  'l.score_details',
  'l.price_micros',
  'l.is_test',
  'l.created_at',
  'u.changed_at',
  'g.converted_at',
] as const;

interface Numbers {
  phone: string | null;
  phone2: string | null;
  phone_dnc: boolean;
  phone2_dnc: boolean;
}

interface PhoneCheck {
  marked_at: Date | null;
  scrubbed_at: Date | null;
  source: string | null;
}
const UNCHECKED: PhoneCheck = { marked_at: null, scrubbed_at: null, source: null };

/**
 * Leads with the do-not-call marks of their numbers as they are now, and since when, even if a mark came after the
 * sale; a number that was delivered as marked stays marked, without a date once its mark has been withdrawn. And when
 * and by what each number was last compared with do-not-call lists; null: nobody said.
 */
async function withMarks<T extends Numbers>(tx: Tx, rows: T[]) {
  const phones = rows.flatMap(({ phone, phone2 }) => [phone, phone2].filter((one) => one !== null));
  const checks = new Map<string, PhoneCheck>();
  if (phones.length > 0) {
    const found = await sql<PhoneCheck & { phone: string }>`/* kept: phone_checks */
      select phone, marked_at, scrubbed_at, source from phone_checks(${phones}::text[])`.execute(tx);
    for (const { phone, ...check } of found.rows) checks.set(phone, check);
  }
  const of = (phone: string | null): PhoneCheck => (phone && checks.get(phone)) || UNCHECKED;
  return rows.map((row) => {
    const [one, two] = [of(row.phone), of(row.phone2)];
    return {
      ...row,
      phone_dnc: row.phone_dnc || one.marked_at !== null,
      phone2_dnc: row.phone2_dnc || two.marked_at !== null,
      phone_dnc_at: one.marked_at,
      phone2_dnc_at: two.marked_at,
      phone_scrubbed_at: one.scrubbed_at,
      phone_scrub_source: one.source,
      phone2_scrubbed_at: two.scrubbed_at,
      phone2_scrub_source: two.source,
    };
  });
}

/** A lead with everything about it. */
export async function leadById(tx: Tx, id: string) {
  const row = await details(tx)
    .select(listColumns)
    .select(['l.evidence', sql<string | null>`host(x.ip)`.as('ip')])
    .where('l.id', '=', id)
    .executeTakeFirst();
  return row && (await withMarks(tx, [row]))[0];
}

/** What a lead's journey is looked up by; undefined where the scope does not see the lead, or its person was erased. */
export const leadOfJourney = (tx: Tx, id: string) =>
  tx
    .selectFrom('lead as l')
    .innerJoin('lead_contact as x', 'x.lead_id', 'l.id')
    .select(['l.id', 'l.root_id', 'l.campaign_id', 'l.person_id'])
    .where('l.id', '=', id)
    .executeTakeFirst();

/** Leads with their contacts and campaigns, in the order of the ids; ids that the scope may not see are left out. */
export async function leadsByIds(tx: Tx, ids: string[]) {
  if (ids.length === 0) return [];
  const rows = await details(tx)
    .modifyFront(sql`/* kept: leads_by_ids */`)
    .select(listColumns)
    .where('l.id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute();
  const byId = new Map((await withMarks(tx, rows)).map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** The owners of these leads and what they show of a person: the input for checking exclusion lists. */
export async function identitiesOf(tx: Tx, leadIds: string[]) {
  if (leadIds.length === 0) return [];
  return tx
    .selectFrom('lead as l')
    .innerJoin('lead_contact as x', 'x.lead_id', 'l.id')
    .modifyFront(sql`/* kept: lead_identities */`)
    .select(['l.id', 'l.agency_id', 'l.company_id', 'l.campaign_id', 'l.person_id', 'l.company_domain'])
    .select(['x.email', 'x.phone', 'x.phone2'])
    .where('l.id', '=', sql<string>`any(${leadIds}::uuid[])`)
    .execute();
}

/** The leads of a campaign in [from, before) except tests, oldest first, up to `most`, and how many there are. */
export async function leadsBetween(
  tx: Tx,
  campaignId: string,
  span: { from: Date; before: Date },
  most: number,
) {
  const found = tx
    .selectFrom('lead as l')
    .where('l.campaign_id', '=', campaignId)
    .where('l.created_at', '>=', span.from)
    .where('l.created_at', '<', span.before)
    .where('l.is_test', '=', false);
  const { count } = await found
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .executeTakeFirstOrThrow();
  const ids = await found.select('l.id').orderBy('l.created_at').orderBy('l.id').limit(most).execute();
  const rows = await leadsByIds(
    tx,
    ids.map((row) => row.id),
  );
  return { rows, count: Number(count) };
}

/** How many test leads a company has made since an instant. */
export async function testsSince(tx: Tx, companyId: string, since: Date): Promise<number> {
  const { count } = await tx
    .selectFrom('lead')
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .where('company_id', '=', companyId)
    .where('created_at', '>', since)
    .where('is_test', '=', true)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Whether a campaign has leads since an instant, other than tests. */
export async function anySince(tx: Tx, campaignId: string, since: Date): Promise<boolean> {
  const row = await tx
    .selectFrom('lead')
    .select('id')
    .where('campaign_id', '=', campaignId)
    .where('created_at', '>=', since)
    .where('is_test', '=', false)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The worst delivery state of each lead. */
export async function deliveryStates(tx: Tx, leadIds: string[]): Promise<Map<string, LeadDelivery>> {
  if (leadIds.length === 0) return new Map();
  const { rows } = await sql<{ lead_id: string; state: LeadDelivery }>`/* kept: delivery_states */
    select lead_id, case when bool_or(state = 'failed') then 'failed' when bool_or(state in ('pending', 'unknown')) then 'pending'
             when bool_or(state = 'delivered') then 'delivered' else 'skipped' end as state
    from delivery where lead_id = any(${leadIds}::uuid[]) group by lead_id`.execute(tx);
  return new Map(rows.map((row) => [row.lead_id, row.state]));
}

/** The deliveries of a lead with the last response to each. */
export async function deliveriesOf(tx: Tx, leadId: string) {
  return tx
    .selectFrom('delivery as d')
    .innerJoin('integration as i', 'i.id', 'd.integration_id')
    .leftJoin('delivery_attempt as a', (join) =>
      join.onRef('a.delivery_id', '=', 'd.id').onRef('a.number', '=', 'd.attempts'),
    )
    .select([
      'd.id',
      sql<string>`coalesce(i.url, i.name)`.as('url'),
      'd.state',
      'd.attempts',
      'a.status as last_status',
    ])
    .where('d.lead_id', '=', leadId)
    .orderBy('d.created_at')
    .execute();
}

/** The newest leads of a campaign that are not tests. */
export async function newestOf(
  tx: Tx,
  campaignId: string,
  limit: number,
): Promise<{ id: string; created_at: Date }[]> {
  return tx
    .selectFrom('lead')
    .select(['id', 'created_at'])
    .where('campaign_id', '=', campaignId)
    .where('is_test', '=', false)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}
