import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../../platform/db/scope.ts';
import { BILLED, RETAIL, SUPPLIER, WHOLESALE } from './statement.policy.ts';

/** What sales are summed by. */
export type SalesGroup = 'all' | 'month' | 'product' | 'term' | 'campaign' | 'client' | 'agency';

/** Sales of a root or an agency, within [from, before). */
export interface SalesAsked {
  /** The company whose sales they are: a root, an agency, or a client. */
  companyId: string;
  campaignId?: string | undefined;
  module?: string | undefined;
  from: Date;
  before: Date;
  /** Whose months are meant. */
  timeZone: string;
  by: SalesGroup;
  /** Whether each group is also separated by month. */
  byMonth?: boolean | undefined;
}

/** Prices and costs are above zero. The root's margin is cost less supplier cost, an agency's is price less cost. */
export interface Sales {
  key: string;
  /** YYYY-MM; '' unless months were asked for. */
  month: string;
  leads: bigint;
  price: bigint;
  cost: bigint;
  supplier: bigint;
}

const amount = (codes: number[]): RawBuilder<unknown> =>
  sql`coalesce(sum(e.amount) filter (where e.account_code = any(${codes}::smallint[])), 0)::bigint`;

/** The sums of transfers, as `x`; transfers as `t`. */
const sums = sql`
  select ${amount(RETAIL)} as retail, ${amount(WHOLESALE)} as wholesale, ${amount(SUPPLIER)} as supplier
  from entry e where e.transfer_id = t.id`;

/** Each side of a lead is refunded for itself: it was not sold once the platform has taken it back. */
const leads = sql`
  (count(*) filter (where t.kind = 'lead') - count(*) filter (where t.kind = 'lead_return' and x.wholesale <> 0))`;

/** The payment term of a sale (`t`, of campaign `c`): the campaign's at that moment. */
export const TERM = sql`coalesce((
  select p.term from retail_cost p where p.campaign_id = c.id and p.valid_from <= t.created_at
  order by p.valid_from desc, p.serial desc limit 1), '')`;

const KEYS: Record<SalesGroup, RawBuilder<unknown>> = {
  all: sql`''`,
  month: sql`a.month`,
  product: sql`c.module`,
  term: sql`a.term`,
  campaign: sql`c.id::text`,
  client: sql`c.company_id::text`,
  agency: sql`c.agency_id::text`,
};

/**
 * Sums of leads, refunded leads, and campaign fees by group. Whole days of the past come from sale_day as far as it has
 * them, all others from the ledger. One statement: a day is read from either, whatever is posted meanwhile.
 */
export async function salesBy(tx: Tx, asked: SalesAsked): Promise<Sales[]> {
  const { from, before, by, timeZone } = asked;
  const months = by === 'month' || asked.byMonth === true;
  const monthOf = (at: RawBuilder<unknown>) =>
    months ? sql`to_char(${at} at time zone ${timeZone}, 'YYYY-MM')` : sql`''`;
  const termOf = by === 'term' ? TERM : sql`''`;
  const { rows } = await sql<Sales>`
    with c as materialized (
      select id, root_id, agency_id, company_id, module from campaign
      where ${asked.companyId}::uuid in (root_id, agency_id, company_id)
        ${asked.campaignId ? sql`and id = ${asked.campaignId}::uuid` : sql``}
        ${asked.module ? sql`and module = ${asked.module}` : sql``}),
    days as materialized (
      select d.day, d.since, d.until, d.is_whole and exists (
        select from sale_day_mark m where m.root_id = scope_root() and m.day = d.day) as is_summed
      from (
        select g::date as day, greatest(g at time zone 'UTC', ${from}::timestamptz) as since,
          least((g + interval '1 day') at time zone 'UTC', ${before}::timestamptz) as until,
          g at time zone 'UTC' >= ${from}::timestamptz and (g + interval '1 day') at time zone 'UTC' <= ${before}::timestamptz
            -- A day of two months has no sums of each.
            and ${monthOf(sql`(g at time zone 'UTC')`)}
              = ${monthOf(sql`((g + interval '1 day') at time zone 'UTC' - interval '1 microsecond')`)} as is_whole
        from generate_series(date_trunc('day', ${from}::timestamptz at time zone 'UTC'),
          ${before}::timestamptz at time zone 'UTC', interval '1 day') g) d
      where d.since < d.until),
    -- Days that follow each other are read as one range.
    gaps as materialized (
      select min(since) as since, max(until) as until from (
        select day, since, until, is_summed, count(*) filter (where is_summed) over (order by day) as before from days) d
      where not is_summed group by before),
    a as (
      select s.campaign_id as id, ${months ? sql`${monthOf(sql`d.since`)}` : sql`''`} as month,
        ${by === 'term' ? sql`s.term` : sql`''`} as term, sum(s.leads) as leads, sum(s.price_micros) as price,
        sum(s.cost_micros) as cost, sum(s.supplier_micros) as supplier
      from days d join sale_day s on s.day = d.day and s.root_id = scope_root()
      where d.is_summed and s.campaign_id in (select id from c) group by 1, 2, 3
      union all
      select c.id, ${monthOf(sql`t.created_at`)}, ${termOf}, ${leads},
        -sum(x.retail), -sum(x.wholesale), -sum(x.supplier)
      from c cross join gaps g
      -- A range for each: otherwise all events of all time may be read and added up, before most of them are left out.
      cross join lateral (
        select t.id, t.kind, t.created_at from transfer t
        where t.campaign_id = c.id and t.kind = any(${BILLED}) and t.created_at >= g.since and t.created_at < g.until offset 0) t
      cross join lateral (${sums}) x
      group by 1, 2, 3)
    select ${KEYS[by]} as key, ${months ? sql`a.month` : sql`''`} as month, sum(a.leads)::bigint as leads,
      sum(a.price)::bigint as price, sum(a.cost)::bigint as cost, sum(a.supplier)::bigint as supplier
    from a join c on c.id = a.id group by 1, 2 order by 1, 2`.execute(tx);
  return rows;
}

/** Names of companies and campaigns by id, with the company that a campaign or client belongs to. */
export async function namesOf(
  tx: Tx,
  kind: 'campaign' | 'company',
  ids: readonly string[],
): Promise<Map<string, { name: string; of: string | null }>> {
  const { rows } =
    kind === 'campaign'
      ? await sql<{ id: string; name: string; of: string | null }>`
          select c.id, '#' || c.number || ' ' || c.name as name, k.name as of
          from campaign c join company k on k.id = c.company_id where c.id = any(${ids}::uuid[])`.execute(tx)
      : await sql<{ id: string; name: string; of: string | null }>`
          select k.id, k.name, a.name as of from company k
          left join company a on a.id = k.agency_id and a.id <> k.id where k.id = any(${ids}::uuid[])`.execute(
          tx,
        );
  return new Map(rows.map(({ id, name, of }) => [id, { name, of }]));
}

/** The first day (UTC) of a root's events that is not in sale_day, before a day; null if there is none. */
export async function firstMissingDay(tx: Tx, rootId: string, before: string): Promise<string | null> {
  const { rows } = await sql<{ day: string | null }>`
    select min(g::date) as day from generate_series(
      (select date_trunc('day', min(created_at) at time zone 'UTC')
       from (select created_at from transfer where root_id = ${rootId}::uuid order by id limit 1000) t),
      ${before}::date - interval '1 day', interval '1 day') g
    where not exists (select from sale_day_mark m where m.root_id = ${rootId}::uuid and m.day = g::date)`.execute(
    tx,
  );
  return rows[0]!.day;
}

/**
 * Sums the days of a root within [from, before) that are not summed, up to a day before the database's clock; returns
 * how many. All of them in the transaction, or none: whoever is interrupted begins these days again.
 */
export async function addSaleDays(tx: Tx, rootId: string, from: string, before: string): Promise<number> {
  // Whoever posts into the past waits for this, and then unmarks the day (entries_balance).
  await sql`select pg_advisory_xact_lock(hashtext('ledger_snapshot'))`.execute(tx);
  const missing = sql`
    select g::date as day from generate_series(${from}::date, least(${before}::date,
      date_trunc('day', (now() - interval '1 day') at time zone 'UTC')::date) - interval '1 day', interval '1 day') g
    where not exists (select from sale_day_mark m where m.root_id = ${rootId}::uuid and m.day = g::date)`;
  await sql`delete from sale_day where root_id = ${rootId}::uuid and day in (${missing})`.execute(tx);
  await sql`
    with days as materialized (${missing}),
    sold as materialized (
      select c.id, c.agency_id, (t.created_at at time zone 'UTC')::date as day, ${TERM} as term, ${leads} as leads,
        -sum(x.retail) as price, -sum(x.wholesale) as cost, -sum(x.supplier) as supplier
      from campaign c
      join transfer t on t.campaign_id = c.id and t.kind = any(${BILLED})
        and t.created_at >= (select min(day)::timestamp at time zone 'UTC' from days)
        and t.created_at < (select (max(day) + 1)::timestamp at time zone 'UTC' from days)
      cross join lateral (${sums}) x
      where c.root_id = ${rootId}::uuid and (t.created_at at time zone 'UTC')::date in (select day from days)
      group by 1, 2, 3, 4)
    insert into sale_day (company_id, day, campaign_id, term, root_id, agency_id, leads, price_micros, cost_micros, supplier_micros)
    select agency_id, day, id, term, ${rootId}::uuid, agency_id, leads, price, cost, 0 from sold
    union all
    select ${rootId}::uuid, day, id, term, ${rootId}::uuid, null, 0, 0, 0, supplier from sold where supplier <> 0`.execute(
    tx,
  );
  const { numAffectedRows } = await sql`
    insert into sale_day_mark (root_id, day) select ${rootId}::uuid, day from (${missing}) d`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

/** Forgets the sums of a root, so that all of them are made again. */
export async function forgetSaleDays(tx: Tx, rootId: string): Promise<void> {
  await tx.deleteFrom('sale_day_mark').where('root_id', '=', rootId).execute();
  await tx.deleteFrom('sale_day').where('root_id', '=', rootId).execute();
}

/** The codes of the accounts that each part of a root's result is the balance of. */
export type ResultCodes = Record<'revenue' | 'cost' | 'fee' | 'other', number[]>;

/** The parts of a root's result over all events before each of some instants, in their order. */
export async function resultsAt(
  tx: Tx,
  rootId: string,
  codes: ResultCodes,
  instants: readonly Date[],
): Promise<Record<keyof ResultCodes, bigint>[]> {
  const part = (of: number[]) => sql`balance_of(${rootId}::uuid, ${of}::smallint[], i.at)`;
  const { rows } = await sql<Record<keyof ResultCodes, bigint>>`
    select ${part(codes.revenue)} as revenue, ${part(codes.cost)} as cost, ${part(codes.fee)} as fee,
      ${part(codes.other)} as other
    from unnest(${instants.map((at) => at.toISOString())}::timestamptz[]) with ordinality i (at, n) order by i.n`.execute(
    tx,
  );
  return rows;
}
