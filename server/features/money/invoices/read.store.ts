import { type SelectQueryBuilder, sql } from 'kysely';
import type { Schema } from '../../../platform/db/schema.ts';
import type { Tx } from '../../../platform/db/scope.ts';

export interface InvoiceList {
  /** Only invoices that this company pays. */
  companyId?: string | undefined;
  /** Only those with a line of this campaign. */
  campaignId?: string | undefined;
  side?: 'retail' | 'wholesale' | undefined;
  status?: 'open' | 'paid' | 'uncollectible' | 'void' | 'failing' | undefined;
  from?: Date | undefined;
  before?: Date | undefined;
  search?: string | undefined;
  sort: 'number' | 'total' | 'finalised_at';
  order: 'asc' | 'desc';
  limit: number;
  offset: number;
}

const SORTS = { number: 'seq', total: 'total_micros', finalised_at: 'finalised_at' } as const;

/** A page of the invoices that the scope may see, with the count, total and amount due of all matches. */
export async function pageOfInvoices(tx: Tx, asked: InvoiceList) {
  const filter = <O>(query: SelectQueryBuilder<Schema, 'invoice', O>) => {
    let q = query;
    if (asked.companyId) q = q.where('company_id', '=', asked.companyId);
    if (asked.campaignId)
      q = q.where(
        'id',
        'in',
        tx.selectFrom('invoice_line').select('invoice_id').where('campaign_id', '=', asked.campaignId),
      );
    if (asked.side) q = q.where('side', '=', asked.side);
    if (asked.status === 'failing')
      q = q.where('status', '=', 'open').where('first_failed_at', 'is not', null);
    else if (asked.status) q = q.where('status', '=', asked.status);
    if (asked.from) q = q.where('finalised_at', '>=', asked.from);
    if (asked.before) q = q.where('finalised_at', '<', asked.before);
    if (asked.search) {
      const like = `%${asked.search.replace(/[\\%_]/g, '\\$&')}%`;
      q = q.where((eb) =>
        eb.or([eb('number', 'ilike', like), eb(sql<string>`payer->>'name'`, 'ilike', like)]),
      );
    }
    return q;
  };
  const rows = await filter(tx.selectFrom('invoice').selectAll() as never)
    .orderBy(SORTS[asked.sort], asked.order)
    .orderBy('id', asked.order)
    .limit(asked.limit)
    .offset(asked.offset)
    .execute();
  const sums = await filter(
    tx
      .selectFrom('invoice')
      .select([
        sql<bigint>`count(*)`.as('count'),
        sql<bigint>`coalesce(sum(total_micros), 0)::bigint`.as('total'),
        sql<bigint>`coalesce(sum(case when status = 'open' then total_micros - paid_micros - credited_micros end), 0)::bigint`.as(
          'due',
        ),
      ]) as never,
  ).executeTakeFirstOrThrow();
  return {
    rows: rows as unknown as import('./store.ts').InvoiceRow[],
    ...(sums as unknown as { count: bigint; total: bigint; due: bigint }),
  };
}

/** The lines of an invoice, with the names of their campaigns and how many events are under each. */
export async function linesOf(tx: Tx, invoiceId: string, transferId: string) {
  const { rows } = await sql<{
    line: number;
    kind: string;
    description: string;
    campaign_id: string | null;
    campaign_name: string | null;
    quantity: number;
    unit_micros: bigint;
    amount_micros: bigint;
    events: bigint;
  }>`
    select l.line, l.kind, l.description, l.campaign_id, c.name as campaign_name, l.quantity, l.unit_micros, l.amount_micros,
      (select count(*) from transfer_cover v where v.covered_by = ${transferId}::uuid and v.line = l.line) as events
    from invoice_line l left join campaign c on c.id = l.campaign_id where l.invoice_id = ${invoiceId}::uuid order by l.line`.execute(
    tx,
  );
  return rows;
}

/** The events under a line, newest first, with each one's amount on the invoice's side and, for a lead, the person. */
export async function eventsOf(
  tx: Tx,
  invoice: { transfer_id: string; side: 'retail' | 'wholesale'; company_id: string },
  line: number,
  after: string | null,
  limit: number,
) {
  const code = invoice.side === 'retail' ? 2 : 11;
  const { rows } = await sql<{
    id: string;
    kind: string;
    created_at: Date;
    lead_id: string | null;
    first_name: string | null;
    last_name: string | null;
    email: string | null;
    amount: bigint;
  }>`
    select t.id, t.kind, t.created_at, x.lead_id, x.first_name, x.last_name, x.email,
      (select -coalesce(sum(e.amount), 0) from entry e where e.transfer_id = t.id and e.company_id = ${invoice.company_id}::uuid
         and e.account_code = ${code}::smallint)::bigint as amount
    from transfer_cover v join transfer t on t.id = v.transfer_id
    left join lead_contact x on x.lead_id = t.reference_id and t.kind in ('lead', 'lead_return')
    where v.covered_by = ${invoice.transfer_id}::uuid and v.line = ${line}
      ${after ? sql`and v.transfer_id < ${after}::uuid` : sql``}
    order by v.transfer_id desc limit ${limit}`.execute(tx);
  return rows;
}

/** What payments of an invoice have passed on to the root, less what came back with refunds. */
export async function passedOn(tx: Tx, invoice: { id: string; agency_id: string }): Promise<bigint> {
  const { rows } = await sql<{ sum: bigint }>`
    select coalesce(sum(e.amount), 0)::bigint as sum from transfer t join entry e on e.transfer_id = t.id
    where t.reference_id = ${invoice.id}::uuid and t.kind in ('payment', 'refund')
      and e.company_id = ${invoice.agency_id}::uuid and e.account_code = 12`.execute(tx);
  return rows[0]!.sum;
}

export async function creditNotesOf(tx: Tx, invoiceId: string) {
  return tx
    .selectFrom('credit_note')
    .select(['id', 'number', 'amount_micros', 'reason', 'created_at'])
    .where('invoice_id', '=', invoiceId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}
