import { type RawBuilder, sql } from 'kysely';
import type { MarginGroup } from '../../../../contract/money/ledger.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import { TERM } from './sales.store.ts';
import { BILLED, RETAIL, ROOT, SUPPLIER, WHOLESALE } from './statement.policy.ts';
import type { Place } from './statement.store.ts';

/** Which sales are summed; instants [from, before). */
export interface SalesOf {
  /** Any company of the user's own system: a root, an agency or a client. */
  companyId: string;
  campaignId?: string | undefined;
  module?: string | undefined;
  /** The payment term at which they were sold. */
  term?: string | undefined;
  from: Date;
  before: Date;
}

export interface MarginRow {
  key: string;
  name: string;
  company_name: string | null;
  leads: bigint;
  price: bigint;
  cost: bigint;
  supplier: bigint;
  /** The root's margin. */
  root_margin: bigint;
}

/** The requested campaigns, as `c`: their transfers are found by an index that starts with the campaign. */
const campaigns = (of: SalesOf) => sql`
  select id, root_id, agency_id, company_id, module, number, name from campaign
  where ${of.companyId}::uuid in (root_id, agency_id, company_id)
    ${of.campaignId ? sql`and id = ${of.campaignId}::uuid` : sql``}
    ${of.module ? sql`and module = ${of.module}` : sql``}`;

const sales = (of: SalesOf) => sql`
  t.campaign_id = c.id and t.kind = any(${BILLED}) and t.created_at >= ${of.from}::timestamptz
    and t.created_at < ${of.before}::timestamptz
    ${of.term ? sql`and ${TERM} = ${of.term}` : sql``}`;

const sum = (codes: number[]): RawBuilder<unknown> =>
  sql`coalesce(sum(e.amount) filter (where e.account_code = any(${codes}::smallint[])), 0)::bigint`;

/**
 * Sums of sales by month (of the time zone), client, campaign, product or agency; months in order, the others by name.
 * Prices and costs are above zero.
 */
export async function margins(tx: Tx, of: SalesOf, by: MarginGroup, timeZone: string): Promise<MarginRow[]> {
  const group: Record<
    MarginGroup,
    [key: RawBuilder<unknown>, name: RawBuilder<unknown>, whose: RawBuilder<unknown>]
  > = {
    month: [sql`to_char(s.created_at at time zone ${timeZone}, 'YYYY-MM')`, sql`''`, sql`null`],
    product: [sql`s.module`, sql`''`, sql`null`],
    campaign: [sql`s.id::text`, sql`max('#' || s.number || ' ' || s.name)`, sql`max(k.name)`],
    client: [sql`s.company_id::text`, sql`max(k.name)`, sql`null`],
    agency: [sql`s.agency_id::text`, sql`max(a.name)`, sql`null`],
  };
  const [key, name, whose] = group[by];
  const { rows } = await sql<MarginRow>`
    with c as (${campaigns(of)}),
    s as (
      select c.*, t.created_at, t.kind, x.* from c
      join transfer t on ${sales(of)}
      cross join lateral (
        select ${sum(RETAIL)} as retail, ${sum(WHOLESALE)} as wholesale, ${sum(SUPPLIER)} as supplier, ${sum(ROOT)} as root
        from entry e where e.transfer_id = t.id) x)
    select ${key} as key, ${name} as name, ${whose} as company_name,
      -- Each side of a lead is refunded for itself: it was not sold once the platform has taken it back.
      count(*) filter (where s.kind = 'lead') - count(*) filter (where s.kind = 'lead_return' and s.wholesale <> 0) as leads,
      -sum(s.retail)::bigint as price, -sum(s.wholesale)::bigint as cost, -sum(s.supplier)::bigint as supplier,
      sum(s.root)::bigint as root_margin
    from s
    join company k on k.id = s.company_id
    left join company a on a.id = s.agency_id
    group by 1 order by ${by === 'month' || by === 'product' ? sql`1` : sql`lower(${name}), 1`}`.execute(tx);
  return rows;
}

/** The next of those sales, newest first. */
export async function saleIds(
  tx: Tx,
  of: SalesOf,
  after: Place | null,
  most: number,
): Promise<{ id: string; at: Date }[]> {
  const { rows } = await sql<{ id: string; at: Date }>`
    with c as (${campaigns(of)})
    select t.id, t.created_at as at from c join transfer t on ${sales(of)}
      ${after ? sql`and (t.created_at, t.id) < (${after.at}::timestamptz, ${after.id}::uuid)` : sql``}
    order by t.created_at desc, t.id desc limit ${most}`.execute(tx);
  return rows;
}
