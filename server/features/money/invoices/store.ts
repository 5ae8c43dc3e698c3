import { type Insertable, sql, type Updateable } from 'kysely';
import type { Owner } from '../../../platform/db/owner.ts';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import { type Cycle, NO_EVENTS, spareCredits } from './policy.ts';

export type InvoiceRow = NonNullable<Awaited<ReturnType<typeof invoiceById>>>;
/** Who is billed. */
export type Payer = Owner & { agency_id: string };
export type Side = 'retail' | 'wholesale';

/** The arrears account of each side: client_unbilled, agency_payable (features/money/ledger/accounts.ts). */
const ARREARS: Record<Side, number> = { retail: 2, wholesale: 11 };

/** Serializes all changes to the invoices of an agency, whether it pays or issues them. */
export async function lockAgency(tx: Tx, agencyId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${agencyId}, 51))`.execute(tx);
}

/** Which events are meant: those with these ids, or all before an instant (of a cycle; null: any). */
export type Events = { transferIds: string[] } | { before: Date; cycle: Cycle | null };

/** The cycle of an event: by the payment term of its campaign at that time; monthly without a campaign. */
const CYCLE = sql<Cycle>`case when (
  select r.term from retail_cost r where r.campaign_id = t.campaign_id and r.valid_from <= t.created_at
  order by r.valid_from desc, r.serial desc limit 1) = 'Weekly' then 'Weekly' else 'Monthly' end`;

/** The earliest point at which there may be events that are not on an invoice yet. */
const sinceMark = (companyId: string, side: Side) => sql`and e.created_at >= coalesce(
  (select clear_to from billing_mark where company_id = ${companyId}::uuid and side = ${side}), '-infinity')`;

/**
 * Whether an event is only money that went back to a card or could not: no sale, so the invoice that collects it charges
 * no tax on it (decision 505). The tax on spent prepaid balance is on its receipt. What was spent of a wallet had none.
 */
const isMoney = (side: Side) =>
  side === 'retail'
    ? sql<boolean>`(t.kind in ('prepaid_refund', 'dispute', 'dispute_reversal') or t.idempotency_key like 'refund\\_failed:%:over')`
    : sql<boolean>`(t.idempotency_key like 'refund\\_failed:%:over')`;

const uncovered = (companyId: string, side: Side) => sql`
  from entry e join transfer t on t.id = e.transfer_id join account a on a.id = e.account_id
  where e.company_id = ${companyId}::uuid and e.account_code = ${ARREARS[side]}::smallint and t.kind <> all (${NO_EVENTS}::text[])
    and not exists (select from transfer_cover c where c.transfer_id = e.transfer_id and c.side = ${side})`;

/** An event that is not on an invoice yet, with its amount on a side (micro-dollars; below zero: refunded). */
export interface EventRow {
  id: string;
  kind: string;
  memo: string | null;
  is_release: boolean;
  /** No sale (isMoney). */
  is_money: boolean;
  campaign_id: string | null;
  /** The campaign of the account it was posted to. */
  account_campaign: string | null;
  amount: bigint;
}

/**
 * The events that are meant. Of a cycle, they include the credits of the other cycle that its own charges do not use up:
 * otherwise, whoever is charged in one cycle alone would never see a credit of the other one again.
 */
export async function openEvents(tx: Tx, companyId: string, side: Side, events: Events): Promise<EventRow[]> {
  const which =
    'transferIds' in events
      ? sql`and t.id = any(${events.transferIds}::uuid[])`
      : sql`${sinceMark(companyId, side)} and e.created_at < ${events.before}::timestamptz`;
  const cycle = 'transferIds' in events ? null : events.cycle;
  const { rows } = await sql<EventRow & { is_own: boolean; rest: bigint }>`
    with open as materialized (
      select t.id, t.kind, t.memo, t.idempotency_key like 'wholesale\\_unpaid:%' as is_release,
        ${isMoney(side)} as is_money, t.campaign_id,
        a.campaign_id as account_campaign, -e.amount as amount, ${cycle ? sql`${CYCLE} = ${cycle}` : sql`true`} as is_own
      ${uncovered(companyId, side)} ${which}
    ), other as (select coalesce(sum(amount), 0)::bigint as rest from open where not is_own)
    select open.*, other.rest from open, other where is_own or (amount < 0 and rest < 0) order by id`.execute(
    tx,
  );
  const credits = rows.filter((row) => !row.is_own).map((row) => ({ row, unit: row.amount, count: 1 }));
  const spare = new Set(spareCredits(rows[0]?.rest ?? 0n, credits).map(({ group }) => group.row));
  return rows
    .filter((row) => row.is_own || spare.has(row))
    .map(({ is_own: _own, rest: _rest, ...event }) => event);
}

/**
 * The same, summed for display only: by cycle, kind, campaign and amount. `travels`: wholesale amounts that are
 * collected with retail invoices are left out, which are those of clients with a card on this account.
 */
export async function openGroups(
  tx: Tx,
  companyId: string,
  side: Side,
  travels: { provider: 'stripe' | 'sandbox'; account: string } | null,
) {
  const { rows } = await sql<Omit<EventRow, 'id' | 'account_campaign'> & { cycle: Cycle; count: bigint }>`
    select ${CYCLE} as cycle, t.kind, t.memo, t.idempotency_key like 'wholesale\\_unpaid:%' as is_release,
      ${isMoney(side)} as is_money, t.campaign_id,
      -e.amount as amount, count(*) as count
    ${uncovered(companyId, side)} ${sinceMark(companyId, side)}
    ${
      travels
        ? sql`and not exists (select from entry o where o.transfer_id = t.id and o.account_code = ${ARREARS.retail}::smallint
            and not exists (select from transfer_cover c where c.transfer_id = t.id and c.side = 'retail')
            and exists (select from payment_card p where p.company_id = o.company_id and p.removed_at is null
              and p.customer <> '' and p.provider = ${travels.provider} and p.account = ${travels.account}))`
        : sql``
    } group by 1, 2, 3, 4, 5, 6, 7`.execute(tx);
  return rows;
}

/**
 * Records the earliest point at which a party may have events that are not on an invoice yet: its oldest such event,
 * but no later than an instant (a day or more in the past, since postings in progress may count as earlier than now).
 */
export async function moveMark(
  tx: Tx,
  owner: { root_id: string; agency_id: string; company_id: string },
  side: Side,
  atMost: Date,
): Promise<void> {
  await sql`
    insert into billing_mark (company_id, side, root_id, agency_id, clear_to)
    select ${owner.company_id}::uuid, ${side}, ${owner.root_id}::uuid, ${owner.agency_id}::uuid,
      least(${atMost}::timestamptz, (select min(e.created_at) ${uncovered(owner.company_id, side)} ${sinceMark(owner.company_id, side)}))
    on conflict (company_id, side) do update set clear_to = greatest(billing_mark.clear_to, excluded.clear_to)`.execute(
    tx,
  );
}

/** What an agency owes its root for these events and has not been invoiced yet, by event. */
export async function wholesaleOf(tx: Tx, agencyId: string, transferIds: string[]) {
  const { rows } = await sql<{ id: string; amount: bigint }>`
    select x.id, -sum(e.amount)::bigint as amount from unnest(${transferIds}::uuid[]) x (id)
    join entry e on e.transfer_id = x.id and e.company_id = ${agencyId}::uuid and e.account_code = 11
    where not exists (select from transfer_cover c where c.transfer_id = x.id and c.side = 'wholesale')
    group by x.id`.execute(tx);
  return rows;
}

/** Campaigns by id, with the name of their client. */
export async function campaignNames(tx: Tx, ids: string[]) {
  if (ids.length === 0) return new Map<string, { name: string; company_name: string }>();
  const rows = await tx
    .selectFrom('campaign as c')
    .innerJoin('company as k', 'k.id', 'c.company_id')
    .select(['c.id', 'c.name', 'k.name as company_name'])
    .where('c.id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** The next number of an issuer's series; the holder blocks others until the transaction ends. */
export async function nextNumber(tx: Tx, owner: Owner, document: 'invoice' | 'credit_note'): Promise<number> {
  const row = await tx
    .insertInto('invoice_series')
    .values({ ...owner, issuer_id: owner.company_id, document, last: 1 })
    .onConflict((c) =>
      c.columns(['issuer_id', 'document']).doUpdateSet({ last: sql<number>`invoice_series.last + 1` }),
    )
    .returning('last')
    .executeTakeFirstOrThrow();
  return row.last;
}

/** The invoice for a payer's side and period, if there is one. */
export async function ofPeriod(tx: Tx, companyId: string, side: Side, periodKey: string) {
  return tx
    .selectFrom('invoice')
    .select(['id', 'number', 'total_micros'])
    .where('company_id', '=', companyId)
    .where('side', '=', side)
    .where('period_key', '=', periodKey)
    .executeTakeFirst();
}

export async function insertInvoice(
  tx: Tx,
  row: Insertable<Schema['invoice']>,
  lines: Omit<Insertable<Schema['invoice_line']>, 'invoice_id' | 'root_id' | 'agency_id' | 'company_id'>[],
): Promise<void> {
  await tx.insertInto('invoice').values(row).execute();
  const { id, root_id, agency_id, company_id } = row;
  await sql`
    insert into invoice_line (invoice_id, line, root_id, agency_id, company_id, kind, campaign_id, description, quantity, unit_micros, amount_micros)
    select ${id}::uuid, line, ${root_id}::uuid, ${agency_id}::uuid, ${company_id}::uuid, kind, campaign, description, quantity, unit, amount
    from unnest(${lines.map((l) => l.line)}::integer[], ${lines.map((l) => l.kind)}::text[], ${lines.map((l) => l.campaign_id ?? null)}::uuid[],
      ${lines.map((l) => l.description)}::text[], ${lines.map((l) => l.quantity)}::integer[],
      ${lines.map((l) => l.unit_micros.toString())}::bigint[], ${lines.map((l) => l.amount_micros.toString())}::bigint[])
      l (line, kind, campaign, description, quantity, unit, amount)`.execute(tx);
}

/** An invoice that the scope may see; `lock` keeps others from changing it in the meantime. */
export async function invoiceById(tx: Tx, id: string, lock = false) {
  const query = tx.selectFrom('invoice').selectAll().where('id', '=', id);
  return (lock ? query.forNoKeyUpdate() : query).executeTakeFirst();
}

/** Changes how an invoice is collected; nothing else about it can be changed. */
export async function updateInvoice(
  tx: Tx,
  id: string,
  set: Pick<
    Updateable<Schema['invoice']>,
    | 'status'
    | 'paid_micros'
    | 'credited_micros'
    | 'next_attempt_at'
    | 'paid_at'
    | 'closed_at'
    | 'fee_released_at'
  >,
): Promise<InvoiceRow> {
  return tx.updateTable('invoice').set(set).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

/** The time zone of the scope's root, which also its clients may know: periods end by its days. */
export async function rootZone(tx: Tx): Promise<string> {
  const { rows } = await sql<{ zone: string }>`select root_zone() as zone`.execute(tx);
  return rows[0]?.zone ?? 'UTC';
}

export async function hasLine(tx: Tx, invoiceId: string, line: number): Promise<boolean> {
  const row = await tx
    .selectFrom('invoice_line')
    .select('line')
    .where('invoice_id', '=', invoiceId)
    .where('line', '=', line)
    .executeTakeFirst();
  return row !== undefined;
}

export async function insertCreditNote(tx: Tx, row: Insertable<Schema['credit_note']>): Promise<void> {
  await tx.insertInto('credit_note').values(row).execute();
}

export async function creditNoteByKey(tx: Tx, invoiceId: string, key: string) {
  return tx
    .selectFrom('credit_note')
    .select(['id', 'amount_micros'])
    .where('invoice_id', '=', invoiceId)
    .where('idempotency_key', '=', key)
    .executeTakeFirst();
}

/**
 * The receipts of a top-up's transfer, oldest first: its own, and those for refunds of it that ended up failing and for
 * disputes that were won.
 */
export async function receiptsOf(tx: Tx, transferId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select i.id from invoice i where i.kind = 'receipt' and i.transfer_id in (
      select ${transferId}::uuid union all select t.id from transfer t where t.kind in ('prepaid_refund', 'dispute_reversal')
        and t.reference_id = (select o.reference_id from transfer o where o.id = ${transferId}::uuid))
    order by i.seq`.execute(tx);
  return rows.map((row) => row.id);
}

/** How much was credited on the receipts of a top-up for what a transfer has put back, micro-dollars. */
export async function creditedFor(tx: Tx, topUpId: string, backId: string): Promise<bigint> {
  const { rows } = await sql<{ sum: bigint }>`
    select coalesce(sum(n.amount_micros), 0)::bigint as sum from transfer b
    join transfer o on o.root_id = b.root_id and o.idempotency_key = regexp_replace(b.idempotency_key, ':back$', '')
    join credit_note n on n.invoice_id = any(${await receiptsOf(tx, topUpId)}::uuid[]) and n.idempotency_key = o.id::text
    where b.id = ${backId}::uuid`.execute(tx);
  return rows[0]!.sum;
}

/** Changes how an invoice is collected; what was paid is set by settling. */
export const setCollection = (
  tx: Tx,
  id: string,
  values: Pick<
    Updateable<Schema['invoice']>,
    'attempts' | 'first_failed_at' | 'next_attempt_at' | 'last_failure' | 'fee_released_at'
  >,
): Promise<InvoiceRow> =>
  tx.updateTable('invoice').set(values).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
