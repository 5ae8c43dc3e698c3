import { sql } from 'kysely';
import type { Module } from '../../../../contract/accounts/setup.ts';
import type { Tx } from '../../../platform/db/scope.ts';

/** The dashboard's query parameters: instants [from, before) and the narrowing. */
export interface Span {
  from: Date;
  before: Date;
  zone: string;
  companyId?: string | undefined;
  campaignId?: string | undefined;
  module?: string | undefined;
}

const narrowing = (span: Span) => sql`
  h.hour >= ${span.from} and h.hour < ${span.before}
  and (${span.companyId ?? null}::uuid is null or h.company_id = ${span.companyId ?? null}::uuid)
  and (${span.campaignId ?? null}::uuid is null or h.campaign_id = ${span.campaignId ?? null}::uuid)
  ${span.module ? sql`and h.campaign_id in (select c.id from campaign c where c.module = ${span.module})` : sql``}`;

const sums = sql`coalesce(sum(h.visits), 0)::bigint as visits, coalesce(sum(h.matched), 0)::bigint as matched,
  coalesce(sum(h.leads), 0)::bigint as leads, coalesce(sum(h.spend_micros), 0)::bigint as spend`;

interface Sums {
  visits: bigint;
  matched: bigint;
  leads: bigint;
  spend: bigint;
}

export async function totals(tx: Tx, span: Span): Promise<Sums> {
  return (await sql<Sums>`select ${sums} from campaign_hour h where ${narrowing(span)}`.execute(tx)).rows[0]!;
}

/** Whether an hour belongs to a campaign that searches for people and has no visits. */
const IS_SEARCH = sql`h.campaign_id in (select c.id from campaign c where c.module <> 'local')`;

/** Returns the same, with what keywords found listed separately: people, and the leads among them. */
export async function totalsApart(
  tx: Tx,
  span: Span,
): Promise<Sums & { found: bigint; found_leads: bigint }> {
  const { rows } = await sql<Sums & { found: bigint; found_leads: bigint }>`
    select ${sums}, coalesce(sum(h.matched) filter (where ${IS_SEARCH}), 0)::bigint as found,
      coalesce(sum(h.leads) filter (where ${IS_SEARCH}), 0)::bigint as found_leads
    from campaign_hour h where ${narrowing(span)}`.execute(tx);
  return rows[0]!;
}

/** Whether the scope sees a campaign, in any state: the figures of removed ones stay. */
export async function isVisible(tx: Tx, campaignId: string): Promise<boolean> {
  const found = await tx.selectFrom('campaign').select('id').where('id', '=', campaignId).executeTakeFirst();
  return found !== undefined;
}

/** Sums by calendar day in the span's time zone. */
export async function days(tx: Tx, span: Span) {
  return (
    await sql<Sums & { day: string }>`select (h.hour at time zone ${span.zone})::date as day, ${sums}
      from campaign_hour h where ${narrowing(span)} group by 1 order by 1`.execute(tx)
  ).rows;
}

/** Sums by hour. */
export async function hours(tx: Tx, span: Span) {
  return (
    await sql<Sums & { hour: Date }>`select h.hour, ${sums}
      from campaign_hour h where ${narrowing(span)} group by 1 order by 1`.execute(tx)
  ).rows;
}

/** Sums by campaign, most leads first. */
export async function campaigns(tx: Tx, span: Span, most: number) {
  return (
    await sql<
      Sums & {
        id: string;
        number: bigint;
        name: string;
        state: string;
        company_name: string;
        module: Module;
        balance: bigint | null;
      }
    >`
      select c.id, c.number, c.name, c.state, c.module, k.name as company_name, b.balance, s.visits, s.matched, s.leads, s.spend
      from (select h.campaign_id, ${sums} from campaign_hour h where ${narrowing(span)} group by 1 order by leads desc, visits desc limit ${most}) s
      join campaign c on c.id = s.campaign_id
      join company k on k.id = c.company_id
      left join account a on a.campaign_id = c.id and a.kind = 'client_prepaid'
      left join account_balance b on b.account_id = a.id
      order by s.leads desc, s.visits desc, c.id`.execute(tx)
  ).rows;
}

/** Returns why events and visits, or people found by keywords, did not become leads. */
export async function refusals(tx: Tx, span: Span) {
  return (
    await sql<{
      reason: string;
      of: 'visits' | 'people';
      count: bigint;
    }>`select h.reason, case when ${IS_SEARCH} then 'people' else 'visits' end as of, sum(h.count)::bigint as count
      from campaign_refusal h where ${narrowing(span)} group by 1, 2
      having sum(h.count) > 0 order by 3 desc`.execute(tx)
  ).rows;
}

/** What a list of clients is sorted by. */
export type ClientSort = 'company_name' | 'active' | 'leads_30d' | 'spend_30d' | 'balance';

const ACTIVE = sql`select c.company_id, count(*) filter (where c.state = 'active') as active,
  count(*) filter (where c.state in ('active', 'paused')) as campaigns from campaign c`;
const PREPAID = sql`select a.company_id, sum(b.balance)::bigint as balance
  from account a join account_balance b on b.account_id = a.id where a.kind = 'client_prepaid'`;
const sinceOf = (since: Date) => sql`select h.company_id, sum(h.leads)::bigint as leads,
  sum(h.spend_micros)::bigint as spend from campaign_hour h where h.hour >= ${since}`;

/**
 * Returns a page of clients with their campaigns, figures since an instant and prepaid balance. The page is found
 * first, using only the sort column; the figures are calculated only for clients on it.
 */
export async function clients(
  tx: Tx,
  asked: {
    search: string;
    sort: ClientSort;
    order: 'asc' | 'desc';
    limit: number;
    offset: number;
    since: Date;
  },
) {
  const { sort } = asked;
  const like = `%${asked.search.replace(/[\\%_]/g, '\\$&')}%`;
  // Joined here, too: a client sees its own row, but no agency's, so it has no clients.
  const from = sql`from company k join company g on g.id = k.agency_id where k.kind = 'client' and k.removed_at is null and k.name ilike ${like}`;
  const figure =
    sort === 'company_name'
      ? null
      : sort === 'active'
        ? sql`select f.active from (${ACTIVE} where c.company_id = k.id group by 1) f`
        : sort === 'balance'
          ? sql`select f.balance from (${PREPAID} and a.company_id = k.id group by 1) f`
          : sql`select ${sql.ref(sort === 'leads_30d' ? 'f.leads' : 'f.spend')} from (${sinceOf(asked.since)} and h.company_id = k.id group by 1) f`;
  const way = asked.order === 'desc' ? sql`desc` : sql`asc`;
  const found = await sql<{ id: string }>`
    select k.id ${from} order by ${figure ? sql`coalesce((${figure}), 0)` : sql`lower(k.name)`} ${way}, k.id ${way}
    limit ${asked.limit} offset ${asked.offset}`.execute(tx);
  const { rows: counted } = await sql<{ total: bigint }>`select count(*) as total ${from}`.execute(tx);
  const ids = found.rows.map((row) => row.id);
  const { rows } = await sql<{
    id: string;
    company_name: string;
    agency_name: string;
    active: bigint;
    campaigns: bigint;
    leads: bigint;
    spend: bigint;
    balance: bigint;
  }>`
    select k.id, k.name as company_name, g.name as agency_name, coalesce(n.active, 0) as active,
      coalesce(n.campaigns, 0) as campaigns, coalesce(s.leads, 0) as leads, coalesce(s.spend, 0) as spend,
      coalesce(p.balance, 0) as balance
    from unnest(${ids}::uuid[]) with ordinality o (id, at)
    join company k on k.id = o.id
    join company g on g.id = k.agency_id
    left join (${ACTIVE} where c.company_id = any(${ids}::uuid[]) group by 1) n on n.company_id = k.id
    left join (${sinceOf(asked.since)} and h.company_id = any(${ids}::uuid[]) group by 1) s on s.company_id = k.id
    left join (${PREPAID} and a.company_id = any(${ids}::uuid[]) group by 1) p on p.company_id = k.id
    order by o.at`.execute(tx);
  return { rows, total: Number(counted[0]!.total) };
}

/** Returns the start of the first hour in which anything happened; null if nothing has. */
export async function firstHour(tx: Tx, span: Span): Promise<Date | null> {
  const { rows } = await sql<{
    first: Date | null;
  }>`select min(h.hour) as first from campaign_hour h where ${narrowing(span)}`.execute(tx);
  return rows[0]?.first ?? null;
}
