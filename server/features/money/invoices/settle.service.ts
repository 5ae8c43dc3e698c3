import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { EventHub } from '../../../platform/events.ts';
import { newId } from '../../../platform/ids.ts';
import type { Ledger, Posting } from '../ledger/index.ts';
import { agencyOf, rootOf } from './issue.service.ts';
import { releaseKey, statusOf, wholeCents } from './policy.ts';
import type { Payer } from './store.ts';
import * as store from './store.ts';

export type InvoiceRow = store.InvoiceRow;

export const ownerOf = ({ root_id, agency_id, company_id }: store.InvoiceRow): Payer => ({
  root_id,
  agency_id,
  company_id,
});
/** What is still to be paid on an invoice. */
export const dueOf = (
  row: Pick<InvoiceRow, 'total_micros' | 'paid_micros' | 'credited_micros' | 'status'>,
): bigint => (row.status === 'open' ? row.total_micros - row.paid_micros - row.credited_micros : 0n);
/** The part of a charge for an open invoice that goes to the root (application fee). */
export const feeOf = (row: Pick<InvoiceRow, 'fee_micros' | 'fee_released_at'>): bigint =>
  row.fee_released_at ? 0n : row.fee_micros;

/**
 * The tax in the next credit on an invoice. The tax portions of all its credits add up to exactly the invoice's tax.
 */
export function taxOfCredit(
  row: Pick<InvoiceRow, 'tax_micros' | 'total_micros' | 'credited_micros'>,
  amount: bigint,
): bigint {
  if (row.tax_micros === 0n) return 0n;
  const upTo = (credited: bigint): bigint => wholeCents((row.tax_micros * credited) / row.total_micros);
  return upTo(row.credited_micros + amount) - upTo(row.credited_micros);
}

/** The entries of a correction: less is owed, booked against revenue or as a loss. */
export function correctionOf(
  row: InvoiceRow,
  amount: bigint,
  against: 'revenue' | 'written_off',
): Posting['entries'] {
  const owner = ownerOf(row);
  const issuer = row.side === 'retail' ? agencyOf(owner) : rootOf(owner);
  const revenue = row.side === 'retail' ? ('agency_revenue' as const) : ('root_revenue' as const);
  const tax = against === 'revenue' ? taxOfCredit(row, amount) : 0n;
  return [
    { account: { owner, kind: row.side === 'retail' ? 'client_receivable' : 'agency_invoiced' }, amount },
    {
      account: { owner: issuer, kind: against === 'revenue' ? revenue : 'written_off' },
      amount: tax - amount,
    },
    { account: { owner: issuer, kind: 'tax_due' }, amount: -tax },
  ];
}

export type Settle = ReturnType<typeof createSettle>;

/** How invoices are settled: what is paid, credited and written off. Payments are posted by the collection feature. */
export function createSettle({ ledger, events }: { ledger: Ledger; events: EventHub }) {
  /**
   * Returns an invoice, locked.
   * @throws Refusal 404
   */
  async function locked(tx: Tx, id: string): Promise<InvoiceRow> {
    const row = await store.invoiceById(tx, id, true);
    if (!row) throw new Refusal('not_found', ownMessages.notFound);
    return row;
  }

  /**
   * Saves how much is paid and credited, and the resulting status. The paid date is when the last payment came in: a
   * credit note that closes the invoice does not change it.
   */
  async function save(
    tx: Tx,
    row: InvoiceRow,
    change: { paid_micros?: bigint; credited_micros?: bigint },
    at: Date,
  ): Promise<InvoiceRow> {
    const after = { ...row, ...change };
    const status = statusOf(after);
    return store.updateInvoice(tx, row.id, {
      ...change,
      status,
      ...(status === 'open' ? { closed_at: null } : { next_attempt_at: null, closed_at: at }),
      ...(after.paid_micros > row.paid_micros ? { paid_at: at } : {}),
      ...(after.paid_micros === 0n ? { paid_at: null } : {}),
    });
  }

  /** Notifies others that the amount due has changed. */
  const changed = (tx: Tx, row: InvoiceRow): Promise<void> =>
    events.emit(tx, 'invoice.changed', { invoiceId: row.id, owner: ownerOf(row) });

  /**
   * Hands the wholesale part of a retail invoice back to its agency to pay on its next wholesale invoice, because the
   * retail invoice was written off, was paid without the card, or is now worth less than that part. Happens only once;
   * does nothing if there is no such part.
   */
  async function releaseFee(tx: Tx, row: InvoiceRow, at: Date): Promise<void> {
    if (row.fee_micros === 0n || row.fee_released_at) return;
    const agency = agencyOf(ownerOf(row));
    await ledger.post(
      tx,
      [
        {
          owner: agency,
          kind: 'adjustment',
          referenceId: row.id,
          memo: `Platform costs for ${row.number}, not paid by card`,
          key: releaseKey(row.id),
          entries: [
            { account: { owner: agency, kind: 'agency_invoiced' }, amount: row.fee_micros },
            { account: { owner: agency, kind: 'agency_payable' }, amount: -row.fee_micros },
          ],
        },
      ],
      at,
    );
    await store.updateInvoice(tx, row.id, { fee_released_at: at });
  }

  return {
    locked,
    changed,

    /**
     * Reverses the write-off of a locked invoice before money moves on it: money that comes in after all pays it, and
     * money that is refunded becomes due together with the written-off rest. It is not charged automatically. Any other
     * invoice stays as it is.
     */
    async revive(tx: Tx, row: InvoiceRow, at: Date): Promise<InvoiceRow> {
      if (row.status !== 'uncollectible') return row;
      const rest = row.total_micros - row.paid_micros - row.credited_micros;
      await ledger.post(
        tx,
        [
          {
            owner: ownerOf(row),
            kind: 'write_off',
            referenceId: row.id,
            memo: `${row.number}, write-off reversed`,
            key: `write_off:${row.id}:back:${newId(at)}`,
            entries: correctionOf(row, -rest, 'written_off'),
          },
        ],
        at,
      );
      return store.updateInvoice(tx, row.id, { status: 'open', closed_at: null });
    },
    releaseFee,
    save,

    /**
     * Records a payment on an invoice.
     * @throws Refusal 404, 409 if it is more than is due
     */
    async paid(tx: Tx, id: string, amountMicros: bigint, at: Date): Promise<InvoiceRow> {
      const row = await locked(tx, id);
      if (row.paid_micros + row.credited_micros + amountMicros > row.total_micros)
        throw new Refusal('conflict', 'amount: is more than the amount due', {
          errors: { amount: ['is more than the amount due'] },
        });
      return save(tx, row, { paid_micros: row.paid_micros + amountMicros }, at);
    },

    /** Records that a payment was reversed (a refund or dispute): the amount is due again until it is credited. */
    async unpaid(tx: Tx, id: string, amountMicros: bigint, at: Date): Promise<InvoiceRow> {
      const row = await locked(tx, id);
      return save(tx, row, { paid_micros: row.paid_micros - amountMicros }, at);
    },
  };
}
