import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/scope.ts';
import { dueOf, type InvoiceRow } from '../invoices/index.ts';
import { LEAST } from './policy.ts';

const owed = sql<bigint>`total_micros - paid_micros - credited_micros`;

/** What a company has to pay, oldest first. */
export const openOf = (tx: Tx, companyId: string): Promise<InvoiceRow[]> =>
  tx
    .selectFrom('invoice')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('status', '=', 'open')
    .where(owed, '>=', LEAST)
    .orderBy('finalised_at')
    .orderBy('seq')
    .execute();

/**
 * The part of its agency's debt to the root that an invoice still holds, to be passed on with a charge of it;
 * micro-dollars.
 */
export async function reservedOf(tx: Tx, invoice: InvoiceRow): Promise<bigint> {
  const { rows } = await sql<{ sum: bigint }>`
    select coalesce(-sum(e.amount), 0)::bigint as sum from transfer t join entry e on e.transfer_id = t.id
    where t.reference_id = ${invoice.id} and t.kind <> 'lead'
      and e.company_id = ${invoice.agency_id} and e.account_code = 12`.execute(tx);
  return rows[0]!.sum;
}

/** How much more was paid on an invoice than was due and has not gone back yet, micro-dollars. */
export async function overOf(tx: Tx, invoice: InvoiceRow): Promise<bigint> {
  const code = invoice.side === 'retail' ? 3 : 12;
  const { rows } = await sql<{ sum: bigint }>`
    select coalesce(sum(e.amount), 0)::bigint as sum from transfer t join entry e on e.transfer_id = t.id
    where t.reference_id = ${invoice.id} and t.kind <> 'lead'
      and e.company_id = ${invoice.company_id} and e.account_code = ${code}::smallint`.execute(tx);
  return rows[0]!.sum + dueOf(invoice);
}

/** Whether a charge has failed for something that a company still has to pay. */
export async function isFailing(tx: Tx, companyId: string): Promise<boolean> {
  const invoices = tx
    .selectFrom('invoice')
    .select(sql`1`.as('one'))
    .where('company_id', '=', companyId)
    .where('status', '=', 'open')
    .where('first_failed_at', 'is not', null)
    .where(owed, '>=', LEAST);
  const renewals = tx
    .selectFrom('prepaid_auto')
    .select(sql`1`.as('one'))
    .where('company_id', '=', companyId)
    .where('is_failing', '=', true);
  return (await invoices.unionAll(renewals).limit(1).executeTakeFirst()) !== undefined;
}

/** Invoices of a root whose next charge is due. */
export async function toCharge(tx: Tx, rootId: string, now: Date, most: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('invoice')
    .select('id')
    .where('root_id', '=', rootId)
    .where('next_attempt_at', '<=', now)
    .orderBy('next_attempt_at')
    .orderBy('id')
    .limit(most)
    .execute();
  return rows.map((row) => row.id);
}

/** Retail invoices of a root that are not charged by themselves anymore and still hold wholesale of their agency. */
export async function holding(tx: Tx, rootId: string, most: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('invoice')
    .select('id')
    .where('root_id', '=', rootId)
    .where('side', '=', 'retail')
    .where('status', '=', 'open')
    .where('first_failed_at', 'is not', null)
    .where('next_attempt_at', 'is', null)
    .where('fee_micros', '>', 0n)
    .where('fee_released_at', 'is', null)
    .orderBy('id')
    .limit(most)
    .execute();
  return rows.map((row) => row.id);
}

/** How a company is billed, locked; undefined: nothing is set. */
export const lockBilling = (tx: Tx, companyId: string) =>
  tx
    .selectFrom('company_billing')
    .selectAll()
    .where('company_id', '=', companyId)
    .forUpdate()
    .executeTakeFirst();

/**
 * A page of an agency's clients with arrears that have not been billed, by id; including removed clients, since their
 * debts remain.
 */
export async function unbilledClients(
  tx: Tx,
  agencyId: string,
  after: string | null,
  most: number,
): Promise<string[]> {
  // `offset 0`: clients are looked at in their order until there are enough, and not all of them for each page.
  const { rows } = await sql<{ id: string }>`
    select c.id from (
      select id from company where agency_id = ${agencyId} and kind = 'client' and (${after}::uuid is null or id > ${after})
      order by id offset 0
    ) c
    where balance_of(c.id, array[2]::smallint[], 'infinity') <> 0
    order by c.id limit ${most}`.execute(tx);
  return rows.map((row) => row.id);
}

/** Agencies of a root (or one of them) with the package that they have had since before an instant. */
export const packagesBefore = (tx: Tx, rootId: string, began: Date, agencyId?: string) =>
  tx
    .selectFrom('company_billing as b')
    .innerJoin('company as c', 'c.id', 'b.company_id')
    .select(['b.company_id', 'b.package_id'])
    .where('b.root_id', '=', rootId)
    .$if(agencyId !== undefined, (q) => q.where('b.company_id', '=', agencyId!))
    .where('b.package_id', '<>', '')
    .where('b.cancelled_at', 'is', null)
    .where('c.kind', '=', 'agency')
    .where('c.removed_at', 'is', null)
    .where((eb) => eb.or([eb('b.package_since', 'is', null), eb('b.package_since', '<=', began)]))
    .orderBy('b.company_id')
    .execute();

/** The packages that an agency has had since an instant, oldest first; '': none. */
export const packagesSince = (tx: Tx, agencyId: string, from: Date) =>
  tx
    .selectFrom('package_choice')
    .select(['package_id', 'chosen_at'])
    .where('company_id', '=', agencyId)
    .where(
      'chosen_at',
      '>=',
      sql<Date>`coalesce((select max(b.chosen_at) from package_choice b
        where b.company_id = ${agencyId} and b.chosen_at <= ${from}), '-infinity')`,
    )
    .orderBy('chosen_at')
    .orderBy('serial')
    .execute();
