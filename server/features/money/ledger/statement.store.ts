import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../../platform/db/scope.ts';

/** A place in a statement, newest first: what comes after it is older. */
export interface Place {
  at: Date;
  id: string;
}

/** The filters of a statement; instants [from, before). */
export interface Narrow {
  companyId: string;
  codes: number[];
  from?: Date | undefined;
  before?: Date | undefined;
  kind?: string | undefined;
  campaignId?: string | undefined;
  clientId?: string | undefined;
  ids?: string[] | undefined;
}

/** A line: a transfer, and its change to the requested accounts. */
export interface LineRow {
  id: string;
  at: Date;
  amount: bigint;
}

const older = (column: RawBuilder<unknown>, after: Place | null, narrow: Narrow) => sql`
  (${column}) < (${after?.at ?? new Date('9999-12-31')}::timestamptz, ${after?.id ?? 'ffffffff-ffff-ffff-ffff-ffffffffffff'}::uuid)
  ${narrow.from ? sql`and created_at >= ${narrow.from}::timestamptz` : sql``}
  ${narrow.before ? sql`and created_at < ${narrow.before}::timestamptz` : sql``}`;

/**
 * The next lines, newest first. Without a filter, or for leads (which are most of the lines), this walks the entries of
 * each kind of account; with another filter, the transfers that match it.
 */
export async function nextLines(
  tx: Tx,
  narrow: Narrow,
  after: Place | null,
  most: number,
): Promise<LineRow[]> {
  const { companyId, codes, kind, campaignId, clientId, ids } = narrow;
  const along = !campaignId && !clientId && !ids && (kind === undefined || kind === 'lead');
  if (along) {
    const walks = codes.map(
      (code) => sql`(
      select e.transfer_id as id, e.created_at as at, sum(e.amount) as amount from entry e
      where e.company_id = ${companyId}::uuid and e.account_code = ${code}::smallint
        and ${older(sql`e.created_at, e.transfer_id`, after, narrow)}
        ${kind ? sql`and exists (select from transfer t where t.id = e.transfer_id and t.kind = ${kind})` : sql``}
      group by e.created_at, e.transfer_id order by e.created_at desc, e.transfer_id desc limit ${most})`,
    );
    const { rows } = await sql<LineRow>`
      select id, at, sum(amount)::bigint as amount from (${sql.join(walks, sql` union all `)}) walks
      group by id, at order by at desc, id desc limit ${most}`.execute(tx);
    return rows;
  }
  const { rows } = await sql<LineRow>`
    select t.id, t.created_at as at, s.amount from transfer t
    join lateral (select sum(e.amount)::bigint as amount from entry e where e.transfer_id = t.id
      and e.company_id = ${companyId}::uuid and e.account_code = any(${codes}::smallint[])) s on s.amount is not null
    where ${older(sql`t.created_at, t.id`, after, narrow)}
      ${kind ? sql`and t.kind = ${kind}` : sql``}
      ${campaignId ? sql`and t.campaign_id = ${campaignId}::uuid` : sql``}
      ${clientId ? sql`and t.company_id = ${clientId}::uuid` : sql``}
      ${ids ? sql`and t.id = any(${ids}::uuid[])` : sql``}
    order by t.created_at desc, t.id desc limit ${most}`.execute(tx);
  return rows;
}

/** The balance right after each of these lines. */
export async function balancesAfter(
  tx: Tx,
  companyId: string,
  codes: number[],
  lines: Place[],
): Promise<Map<string, bigint>> {
  const { rows } = await sql<{ id: string; balance: bigint }>`
    select l.id, balance_of(${companyId}::uuid, ${codes}::smallint[], l.at, l.id) as balance
    from unnest(${lines.map((l) => l.id)}::uuid[], ${lines.map((l) => l.at)}::timestamptz[]) l (id, at)`.execute(
    tx,
  );
  return new Map(rows.map((row) => [row.id, row.balance]));
}

/**
 * The details of transfers. They are found before anything is joined to them: a planner that assumes all companies are
 * equally busy would go through every transfer of the busiest one.
 */
export async function transfersById(tx: Tx, ids: string[]) {
  return tx
    .with(
      (cte) => cte('t').materialized(),
      (db) =>
        db
          .selectFrom('transfer')
          .select(['id', 'kind', 'company_id', 'reference_id', 'memo', 'campaign_id', 'created_at'])
          .where('id', 'in', ids),
    )
    .selectFrom('t')
    .innerJoin('company as k', 'k.id', 't.company_id')
    .leftJoin('campaign as c', 'c.id', 't.campaign_id')
    .selectAll('t')
    .select(['k.name as company_name', 'c.number', 'c.name as campaign_name'])
    .execute();
}

/** The entries of transfers that the scope may see, with the names of their owners. */
export async function entriesOf(tx: Tx, ids: string[]) {
  return tx
    .selectFrom('entry as e')
    .innerJoin('company as k', 'k.id', 'e.company_id')
    .select([
      'e.transfer_id',
      'e.line',
      'e.company_id',
      'e.account_code',
      'e.amount',
      'k.name as company_name',
    ])
    .where('e.transfer_id', 'in', ids)
    .orderBy('e.line')
    .execute();
}

/** Transfers that an id refers to: by their own id, or a lead's, an invoice's or a lot's. */
export async function transfersAbout(tx: Tx, rootId: string, id: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from transfer where id = ${id}::uuid
    union select id from transfer where root_id = ${rootId}::uuid and idempotency_key in (${`lead:${id}`}, ${`lead_return:${id}:retail`}, ${`lead_return:${id}:wholesale`})
    union select id from transfer where reference_id = ${id}::uuid and kind <> 'lead' limit 100`.execute(tx);
  return rows.map((row) => row.id);
}

/** The leads of transfers, with the person's name as long as it is kept. */
export async function leadsOf(tx: Tx, transferIds: string[], leadIds: string[]) {
  return tx
    .selectFrom('lead as l')
    .leftJoin('lead_contact as x', 'x.lead_id', 'l.id')
    .select(['l.id', 'l.transfer_id', 'x.first_name', 'x.last_name', 'x.email'])
    .where((eb) =>
      eb.or([
        ...(transferIds.length ? [eb('l.transfer_id', 'in', transferIds)] : []),
        ...(leadIds.length ? [eb('l.id', 'in', leadIds)] : []),
      ]),
    )
    .execute();
}

/** The newest events that a transfer collected, and how many there are. */
export async function coveredBy(tx: Tx, id: string, most: number) {
  // An invoice may collect both sides of an event, which still counts as one event.
  const base = tx.selectFrom('transfer_cover').where('covered_by', '=', id);
  const rows = await base
    .select('transfer_id')
    .distinct()
    .orderBy('transfer_id', 'desc')
    .limit(most)
    .execute();
  const { count } = await base
    .select((eb) => eb.fn.count<bigint>('transfer_id').distinct().as('count'))
    .executeTakeFirstOrThrow();
  return { ids: rows.map((row) => row.transfer_id), count: Number(count) };
}

/** The balance before each of these instants, in the order given. */
export async function balancesAt(
  tx: Tx,
  companyId: string,
  codes: number[],
  instants: Date[],
): Promise<bigint[]> {
  if (instants.length === 0) return [];
  const { rows } = await sql<{ balance: bigint }>`
    select balance_of(${companyId}::uuid, ${codes}::smallint[], i.at) as balance
    from unnest(${instants}::timestamptz[]) with ordinality i (at, place) order by place`.execute(tx);
  return rows.map((row) => row.balance);
}

/** A line of a month's statement: all leads of a campaign together, all its ads too, any other event on its own. */
export interface MonthRow {
  kind: string;
  company_name: string;
  campaign_name: string | null;
  number: string | null;
  memo: string | null;
  /** When it happened; of what is together, the last time. */
  at: Date;
  count: number;
  amount: bigint;
}

/**
 * The maximum number of lines in a month's statement: paper is for reading, and the full list is available as a file.
 */
export const MOST_MONTH_ROWS = 1000;

/**
 * What changed certain accounts of a company between two instants, in order, up to one more than a statement takes;
 * events without a change are left out.
 */
export async function monthRows(
  tx: Tx,
  of: { companyId: string; codes: number[]; from: Date; before: Date },
): Promise<MonthRow[]> {
  const { rows } = await sql<MonthRow>`
    with moved as (
      select e.transfer_id, sum(e.amount)::bigint as amount from entry e
      where e.company_id = ${of.companyId}::uuid and e.account_code = any(${of.codes}::smallint[])
        and e.created_at >= ${of.from}::timestamptz and e.created_at < ${of.before}::timestamptz
      group by e.transfer_id)
    select t.kind, max(k.name) as company_name, max(c.name) as campaign_name, max(c.number)::text as number,
      case when t.kind in ('lead', 'lead_return', 'ad_spend') then null else max(t.memo) end as memo,
      max(t.created_at) as at, count(*)::int as count, sum(m.amount)::bigint as amount
    from moved m
    join transfer t on t.id = m.transfer_id
    join company k on k.id = t.company_id
    left join campaign c on c.id = t.campaign_id
    group by t.kind, t.campaign_id, case when t.kind in ('lead', 'lead_return', 'ad_spend') then null else t.id end
    having sum(m.amount) <> 0
    order by at, t.kind, number limit ${MOST_MONTH_ROWS + 1}`.execute(tx);
  return rows;
}
