import { type Insertable, sql } from 'kysely';
import type { Schema } from '../../platform/db/schema.ts';
import type { Tx } from '../../platform/db/scope.ts';

/** Accounts of these companies with a kind (and campaign). */
export async function findAccounts(tx: Tx, companyIds: string[], kinds: string[]) {
  return tx
    .selectFrom('account')
    .selectAll()
    .where('company_id', 'in', companyIds)
    .where('kind', 'in', kinds)
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

/** Balances of these accounts, their rows locked in one order for everybody. */
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

/** Adds to balances. Throws check_violation (23514) when one would fall below zero. */
export async function changeBalances(tx: Tx, changes: { id: string; by: bigint }[]): Promise<void> {
  await sql`
    update account_balance b set balance = b.balance + c.by
    from unnest(${changes.map((c) => c.id)}::uuid[], ${changes.map((c) => c.by.toString())}::bigint[]) c (id, by)
    where b.account_id = c.id`.execute(tx);
}

/** Inserts transfers that are new by their key and returns the ids of those. */
export async function insertTransfers(tx: Tx, rows: Insertable<Schema['transfer']>[]): Promise<Set<string>> {
  const { rows: added } = await sql<{ id: string }>`
    insert into transfer (id, root_id, agency_id, company_id, kind, reference_id, idempotency_key, created_at)
    select * from unnest(
      ${rows.map((r) => r.id)}::uuid[], ${rows.map((r) => r.root_id)}::uuid[], ${rows.map((r) => r.agency_id ?? null)}::uuid[],
      ${rows.map((r) => r.company_id)}::uuid[], ${rows.map((r) => r.kind)}::text[], ${rows.map((r) => r.reference_id ?? null)}::uuid[],
      ${rows.map((r) => r.idempotency_key)}::text[], ${rows.map((r) => r.created_at)}::timestamptz[])
    on conflict (root_id, idempotency_key) do nothing returning id`.execute(tx);
  return new Set(added.map((row) => row.id));
}

/** The greatest amount that the transfer of a key moved, micro-dollars; undefined where there is none. */
export async function amountOf(tx: Tx, rootId: string, key: string): Promise<bigint | undefined> {
  const row = await tx
    .selectFrom('transfer as t')
    .innerJoin('entry as e', 'e.transfer_id', 't.id')
    .select('e.amount')
    .where('t.root_id', '=', rootId)
    .where('t.idempotency_key', '=', key)
    .orderBy('e.amount', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.amount;
}

/** Inserts the entries of whole transfers in one statement (their sums are checked per statement). */
export async function insertEntries(tx: Tx, rows: Insertable<Schema['entry']>[]): Promise<void> {
  await sql`
    insert into entry (transfer_id, line, root_id, agency_id, company_id, account_id, amount, created_at)
    select * from unnest(
      ${rows.map((r) => r.transfer_id)}::uuid[], ${rows.map((r) => r.line)}::smallint[], ${rows.map((r) => r.root_id)}::uuid[],
      ${rows.map((r) => r.agency_id ?? null)}::uuid[], ${rows.map((r) => r.company_id)}::uuid[], ${rows.map((r) => r.account_id)}::uuid[],
      ${rows.map((r) => r.amount.toString())}::bigint[], ${rows.map((r) => r.created_at)}::timestamptz[])`.execute(
    tx,
  );
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
