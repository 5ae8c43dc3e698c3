import { type Insertable, sql } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import { type AccountKind, kindOfCode } from './accounts.ts';

/** Accounts of these companies with a kind (and campaign; null if none). */
export async function findAccounts(
  tx: Tx,
  companyIds: string[],
  kinds: AccountKind[],
  campaignIds: (string | null)[],
) {
  const named = campaignIds.filter((id) => id !== null);
  return tx
    .selectFrom('account')
    .selectAll()
    .where('company_id', 'in', companyIds)
    .where('kind', 'in', kinds)
    .where((eb) =>
      eb.or([
        ...(named.length < campaignIds.length ? [eb('campaign_id', 'is', null)] : []),
        ...(named.length ? [eb('campaign_id', 'in', named)] : []),
      ]),
    )
    .execute();
}

/** Creates accounts that do not exist yet. */
export async function addAccounts(tx: Tx, rows: Insertable<Schema['account']>[]): Promise<void> {
  await tx
    .insertInto('account')
    .values(rows)
    .onConflict((c) => c.columns(['company_id', 'kind', 'campaign_id']).doNothing())
    .execute();
}

export async function addBalances(tx: Tx, rows: Insertable<Schema['account_balance']>[]): Promise<void> {
  await tx
    .insertInto('account_balance')
    .values(rows)
    .onConflict((c) => c.column('account_id').doNothing())
    .execute();
}

/** Balances of these accounts, with their rows always locked in the same order. */
export async function lockBalances(tx: Tx, accountIds: string[]): Promise<Map<string, bigint>> {
  const rows = await tx
    .selectFrom('account_balance')
    .select(['account_id', 'balance'])
    .where('account_id', 'in', accountIds)
    .orderBy('account_id')
    .forUpdate()
    .execute();
  return new Map(rows.map((row) => [row.account_id, row.balance]));
}

/** The amount spent on a day, as counted toward limits. */
export type SpendRow = Insertable<Schema['spend_day']> & { micros: bigint };

/**
 * Posts transfers that are new by their key, with their entries, updates the balances and lots that they change, and
 * counts what was spent: one round trip, whether for one event or fifty (post_transfers in the database). Returns the
 * ids of the new ones. Throws check_violation (23514) if a balance or a lot would fall below zero.
 */
export async function insertTransfers(
  tx: Tx,
  t: Insertable<Schema['transfer']>[],
  e: (Insertable<Schema['entry']> & { refuses: boolean })[],
  s: SpendRow[],
): Promise<Set<string>> {
  const balances = new Map<string, bigint>();
  const lots = new Map<string, bigint>();
  for (const { account_id, lot_id, amount, refuses } of e) {
    if (refuses) balances.set(account_id, (balances.get(account_id) ?? 0n) + amount);
    if (lot_id) lots.set(lot_id, (lots.get(lot_id) ?? 0n) + amount);
  }
  const { rows } = await sql<{ added: string[] }>`/* kept: post_transfers */
    select post_transfers(
      ${t.map((r) => r.id)}, ${t.map((r) => r.root_id)}, ${t.map((r) => r.agency_id ?? null)}, ${t.map((r) => r.company_id)},
      ${t.map((r) => r.kind)}, ${t.map((r) => r.reference_id ?? null)}, ${t.map((r) => r.campaign_id ?? null)},
      ${t.map((r) => r.memo ?? null)}, ${t.map((r) => r.idempotency_key)}, ${t.map((r) => r.created_at)},
      ${e.map((r) => r.transfer_id)}, ${e.map((r) => r.line)}, ${e.map((r) => r.root_id)}, ${e.map((r) => r.agency_id ?? null)},
      ${e.map((r) => r.company_id)}, ${e.map((r) => r.account_id)}, ${e.map((r) => r.account_code)}, ${e.map((r) => r.lot_id ?? null)},
      ${e.map((r) => r.amount.toString())}, ${e.map((r) => r.created_at)},
      ${[...balances.keys()]}, ${[...balances.values()].map(String)}, ${[...lots.keys()]}, ${[...lots.values()].map(String)},
      ${s.map((r) => r.subject)}, ${s.map((r) => r.subject_id)}, ${s.map((r) => r.day)}, ${s.map((r) => r.root_id)},
      ${s.map((r) => r.agency_id)}, ${s.map((r) => r.company_id)}, ${s.map((r) => r.micros.toString())})::text[] as added`.execute(
    tx,
  );
  return new Set(rows[0]!.added);
}

/** Returns what was posted under a key. */
export async function posted(tx: Tx, rootId: string, key: string) {
  const rows = await tx
    .selectFrom('transfer as t')
    .innerJoin('entry as e', 'e.transfer_id', 't.id')
    .select([
      't.id',
      't.kind',
      't.created_at',
      'e.company_id',
      'e.account_code',
      'e.account_id',
      'e.amount',
      'e.lot_id',
    ])
    .where('t.root_id', '=', rootId)
    .where('t.idempotency_key', '=', key)
    .orderBy('e.line')
    .execute();
  const first = rows[0];
  if (!first) return null;
  return {
    id: first.id,
    kind: first.kind,
    at: first.created_at,
    entries: rows.map((row) => ({
      kind: kindOfCode(row.account_code) as AccountKind,
      companyId: row.company_id,
      accountId: row.account_id,
      amount: row.amount,
      lotId: row.lot_id,
    })),
  };
}

/** The prepaid balance of each campaign. */
export async function prepaidOf(tx: Tx, campaignIds: string[]): Promise<Map<string, bigint>> {
  const rows = await tx
    .selectFrom('account as a')
    .innerJoin('account_balance as b', 'b.account_id', 'a.id')
    .select(['a.campaign_id', 'b.balance'])
    .where('a.campaign_id', 'in', campaignIds)
    .where('a.kind', '=', 'client_prepaid')
    .execute();
  return new Map(rows.map((row) => [row.campaign_id!, row.balance]));
}

/**
 * The balance of a company's accounts with certain codes before an instant, or up to and including one of its
 * transfers.
 */
export async function balanceOf(
  tx: Tx,
  companyId: string,
  codes: number[],
  instant: Date,
  including: string | null = null,
): Promise<bigint> {
  const { rows } = await sql<{ balance: bigint }>`
    select balance_of(${companyId}::uuid, ${codes}::smallint[], ${instant}::timestamptz, ${including}::uuid) as balance`.execute(
    tx,
  );
  return rows[0]!.balance;
}

/**
 * The point from which a root may be missing snapshots: its newest one, else its first event; null if there are no
 * events.
 */
export async function snapshotsUpto(tx: Tx, rootId: string): Promise<Date | null> {
  const { rows } = await sql<{ upto: Date | null }>`
    select coalesce((select max(upto) from account_snapshot where root_id = ${rootId}::uuid),
      (select min(created_at) from (select created_at from transfer where root_id = ${rootId}::uuid order by id limit 1000) t)) as upto`.execute(
    tx,
  );
  return rows[0]!.upto;
}

/** Adds the snapshots that are missing before an instant, and up to a day before the database's clock. */
export async function addSnapshots(tx: Tx, rootId: string, before: Date): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtext('ledger_snapshot'))`.execute(tx);
  const { rows } = await sql<{ added: bigint }>`
    with parties as (
      select distinct a.company_id, a.root_id, a.agency_id, account_code(a.kind) as code from account a where a.root_id = ${rootId}::uuid),
    last as (
      select p.*, coalesce(s.upto, '-infinity') as since, coalesce(s.balance, 0) as balance from parties p
      left join lateral (select upto, balance from account_snapshot s where s.company_id = p.company_id
                         and s.account_code = p.code order by upto desc limit 1) s on true),
    -- A subquery a party, so that each reads its own range of the index and never the whole table.
    days as (
      select l.company_id, l.root_id, l.agency_id, l.code, l.balance, d.upto, d.change from last l cross join lateral (
        select (date_trunc('day', e.created_at at time zone 'UTC') + interval '1 day') at time zone 'UTC' as upto, sum(e.amount) as change
        from entry e where e.company_id = l.company_id and e.account_code = l.code and e.created_at >= l.since
          and e.created_at < (date_trunc('day', least(${before}::timestamptz, now() - interval '1 day') at time zone 'UTC') at time zone 'UTC')
        group by 1) d),
    added as (
      insert into account_snapshot (company_id, account_code, upto, root_id, agency_id, balance)
      select company_id, code, upto, root_id, agency_id, (balance + sum(change) over (partition by company_id, code order by upto))::bigint
      from days returning 1)
    select count(*) as added from added`.execute(tx);
  return Number(rows[0]!.added);
}

/** Marks transfers as collected. */
export async function addCovers(tx: Tx, rows: Insertable<Schema['transfer_cover']>[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into transfer_cover (transfer_id, side, covered_by, line, root_id, agency_id, company_id)
    select * from unnest(
      ${rows.map((r) => r.transfer_id)}::uuid[], ${rows.map((r) => r.side)}::text[], ${rows.map((r) => r.covered_by)}::uuid[],
      ${rows.map((r) => r.line ?? null)}::integer[], ${rows.map((r) => r.root_id)}::uuid[],
      ${rows.map((r) => r.agency_id ?? null)}::uuid[], ${rows.map((r) => r.company_id)}::uuid[])`.execute(tx);
}
