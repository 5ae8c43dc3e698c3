import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import { microsOf, usd } from '../../../../contract/primitives.ts';
import type { Ctx } from '../../../platform/ctx.ts';
import { inScope, type Tx } from '../../../platform/db/scope.ts';
import { newId } from '../../../platform/ids.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Purpose } from '../payments/index.ts';
import { type createIssue, issuerOf } from './issue.service.ts';
import type { InvoiceParts } from './parts.ts';
import { numberOf, statusOf } from './policy.ts';
import { correctionOf, dueOf, feeOf, ownerOf, type Settle, taxOfCredit } from './settle.service.ts';
import * as store from './store.ts';
import { words } from './words.ts';

/** The purposes of charges for invoices of each side. */
export const PAID_FOR: Record<store.Side, Purpose[]> = {
  retail: ['invoice'],
  wholesale: ['wholesale', 'minimum_spend', 'onboarding'],
};

const refuse = (field: string, rule: string): never => {
  throw refusalOf(field, rule, 'conflict');
};

/** Correcting invoices: credit notes, and writing off what will never be paid. Both are up to the issuer. */
export function createCredit(
  { db, clock }: Platform,
  {
    ledger,
    audit,
    charges,
    settle,
    includeTax,
    taxes,
  }: Pick<InvoiceParts, 'ledger' | 'audit' | 'charges' | 'taxes'> & {
    settle: Settle;
    includeTax: ReturnType<typeof createIssue>['includeTax'];
  },
) {
  const inRoot = <T>(ctx: Ctx, work: (tx: Tx) => Promise<T>): Promise<T> =>
    inScope(db.app, { rootId: ctx.actor.rootId }, work);

  /**
   * Returns an invoice that the user's own company issued, as seen in the reader's scope.
   * @throws Refusal 404, 409
   */
  async function issued(ctx: Ctx, id: string): Promise<void> {
    const row = await inScope(db.app, ctx.scope, (tx) => store.invoiceById(tx, id));
    if (!row) throw new Refusal('not_found', ownMessages.notFound);
    if (row.issuer_id !== ctx.actor.companyId) throw new Refusal('conflict', words.invoiceOfOthers);
  }

  interface Note {
    amountMicros: bigint;
    reason: string;
    key: string;
    userId: string | null;
    /** The transfer that moved the money, if it is not the note's own. */
    transferId?: string;
  }

  /** Writes the credit note of a locked invoice, posts it, and deducts it from what is due. */
  async function write(tx: Tx, row: store.InvoiceRow, note: Note, at: Date): Promise<store.InvoiceRow> {
    const owner = ownerOf(row);
    const id = newId(at);
    const seq = await store.nextNumber(tx, issuerOf(owner, row.side), 'credit_note');
    const number = numberOf('credit_note', seq);
    const transferId =
      note.transferId ??
      (
        await ledger.post(
          tx,
          [
            {
              owner,
              kind: 'credit_note',
              referenceId: row.id,
              memo: `${number} for ${row.number}`,
              key: `credit_note:${row.id}:${note.key}`,
              entries: correctionOf(row, note.amountMicros, 'revenue'),
            },
          ],
          at,
        )
      )[0]!;
    await store.insertCreditNote(tx, {
      id,
      ...owner,
      issuer_id: row.issuer_id,
      invoice_id: row.id,
      number,
      seq,
      amount_micros: note.amountMicros,
      reason: note.reason,
      idempotency_key: note.key,
      transfer_id: transferId,
      user_id: note.userId,
      created_at: at,
    });
    await taxes.credited(tx, { document: row, creditNoteId: id, amountMicros: note.amountMicros }, at);
    const now = await settle.save(tx, row, { credited_micros: row.credited_micros + note.amountMicros }, at);
    // A charge can't carry a platform fee larger than the charge itself.
    if (now.paid_micros === 0n && feeOf(now) > now.total_micros - now.credited_micros)
      await settle.releaseFee(tx, now, at);
    await settle.changed(tx, now);
    return now;
  }

  const told = (
    tx: Tx,
    ctx: Ctx,
    row: store.InvoiceRow,
    action: string,
    description: string,
  ): Promise<void> =>
    audit.record(tx, ctx, {
      action,
      objectKind: 'invoice',
      objectId: row.id,
      description,
      owner: ownerOf(row),
    });

  /** Returns the charge that paid an invoice and can refund this much. */
  async function payingCharge(tx: Tx, row: store.InvoiceRow) {
    for (const purpose of PAID_FOR[row.side]) {
      const found = await charges.of(tx, row.company_id, purpose, row.id);
      const paid = found.find((charge) => charge.state === 'succeeded');
      if (paid) return paid;
    }
    return null;
  }

  return {
    /**
     * Corrects an invoice with a credit note: reduces what is due on an open invoice; refunds the card that paid a paid
     * one. Takes effect only once per key.
     * @throws Refusal 404, 409 if the caller did not issue it, the amount is more than is due or was paid, or no card
     * paid it
     */
    async credit(
      ctx: Ctx,
      given: { id: string; amount: string; reason: string; idempotency_key: string },
    ): Promise<void> {
      await issued(ctx, given.id);
      const amountMicros = microsOf(given.amount);
      if (amountMicros <= 0n)
        throw new Refusal('invalid', 'amount: must be greater than 0', {
          errors: { amount: ['must be above 0'] },
        });
      const note: Note = {
        amountMicros,
        reason: given.reason,
        key: given.idempotency_key,
        userId: ctx.actor.userId,
      };
      const done = async (tx: Tx, row: store.InvoiceRow): Promise<void> => {
        await write(tx, row, note, clock.now());
        await told(
          tx,
          ctx,
          row,
          'invoice.credit',
          `Credited ${usd(amountMicros)} on invoice ${row.number}: ${given.reason}`,
        );
      };
      const charge = await inRoot(ctx, async (tx) => {
        const row = await settle.locked(tx, given.id);
        const before = await store.creditNoteByKey(tx, row.id, note.key);
        if (before) {
          if (before.amount_micros !== amountMicros)
            refuse('idempotency_key', 'has already been used for a different amount');
          return null;
        }
        if (row.kind === 'receipt') throw new Refusal('conflict', words.receiptCredit);
        if (row.status === 'open') {
          for (const purpose of PAID_FOR[row.side])
            if (await charges.underWay(tx, row.company_id, purpose, row.id))
              throw new Refusal('conflict', ownMessages.paymentUnderWay);
          if (amountMicros > dueOf(row)) refuse('amount', `is more than the amount due, ${usd(dueOf(row))}`);
          await done(tx, row);
          return null;
        }
        if (row.status !== 'paid') refuse('id', 'this invoice has no amount due and no payments');
        if (amountMicros > row.paid_micros)
          refuse('amount', `is more than the amount paid, ${usd(row.paid_micros)}`);
        const paid = await payingCharge(tx, row);
        if (!paid) throw new Refusal('conflict', words.creditNotByCard);
        return paid;
      });
      if (!charge) return;
      // Takes the payment off the books through its purpose's handler, then credits the same amount: both happen or
      // neither does.
      await charges.refund({
        rootId: ctx.actor.rootId,
        chargeId: charge.id,
        amountMicros,
        key: `credit:${given.id}:${note.key}`,
        reason: given.reason,
        note: async (tx) => done(tx, await settle.locked(tx, given.id)),
      });
    },

    /**
     * Writes off what is still due on an open invoice. The wholesale part that it would have covered becomes the
     * agency's to pay.
     * @throws Refusal 404, 409 if the caller did not issue it, it is not open, or a charge for it is in progress
     */
    async writeOff(ctx: Ctx, given: { id: string; reason: string }): Promise<void> {
      await issued(ctx, given.id);
      await inRoot(ctx, async (tx) => {
        const row = await settle.locked(tx, given.id);
        if (row.status === 'uncollectible') return;
        if (row.status !== 'open') throw new Refusal('conflict', words.invoiceNotOpen);
        for (const purpose of PAID_FOR[row.side])
          if (await charges.underWay(tx, row.company_id, purpose, row.id))
            throw new Refusal('conflict', ownMessages.paymentUnderWay);
        const at = clock.now();
        const due = dueOf(row);
        await ledger.post(
          tx,
          [
            {
              owner: ownerOf(row),
              kind: 'write_off',
              referenceId: row.id,
              memo: row.number,
              // It may be written off again after money has moved (revive).
              key: `write_off:${row.id}:${newId(at)}`,
              entries: correctionOf(row, due, 'written_off'),
            },
          ],
          at,
        );
        const now = await store.updateInvoice(tx, row.id, {
          status: 'uncollectible',
          next_attempt_at: null,
          closed_at: at,
        });
        if (row.paid_micros === 0n) await settle.releaseFee(tx, now, at);
        await settle.changed(tx, now);
        await told(
          tx,
          ctx,
          row,
          'invoice.write_off',
          `Wrote off ${usd(due)} of invoice ${row.number}: ${given.reason}`,
        );
      });
    },

    /**
     * Writes the credit note of a top-up that went back to the card: deducts it from its receipt and, if an earlier refund
     * had failed, from that one's receipt as well, never more than they still say. Posts nothing, since the refund has its own transfer. Returns null if there is
     * no receipt or the same key was used before; otherwise the first note's id.
     */
    async creditReceipt(
      tx: Tx,
      given: {
        transferId: string;
        refundTransferId: string;
        amountMicros: bigint;
        reason: string;
        key: string;
        userId: string | null;
      },
      at: Date,
    ): Promise<string | null> {
      let left = given.amountMicros;
      let first: string | null = null;
      for (const receipt of await store.receiptsOf(tx, given.transferId)) {
        const row = await settle.locked(tx, receipt);
        if (await store.creditNoteByKey(tx, row.id, given.key)) return null;
        let amount = left;
        if (row.paid_micros < left) amount = row.paid_micros;
        if (amount === 0n) continue;
        left -= amount;
        const after = {
          ...row,
          paid_micros: row.paid_micros - amount,
          credited_micros: row.credited_micros + amount,
        };
        const { paid_micros, credited_micros } = after;
        await store.updateInvoice(tx, row.id, { paid_micros, credited_micros, status: statusOf(after) });
        const seq = await store.nextNumber(tx, issuerOf(ownerOf(row), 'retail'), 'credit_note');
        const id = newId(at);
        await store.insertCreditNote(tx, {
          id,
          ...ownerOf(row),
          issuer_id: row.issuer_id,
          invoice_id: row.id,
          number: numberOf('credit_note', seq),
          seq,
          amount_micros: amount,
          reason: given.reason,
          idempotency_key: given.key,
          transfer_id: given.refundTransferId,
          user_id: given.userId,
          created_at: at,
        });
        await taxes.credited(tx, { document: row, creditNoteId: id, amountMicros: amount }, at);
        await includeTax(
          tx,
          {
            owner: ownerOf(row),
            receiptId: row.id,
            memo: numberOf('credit_note', seq),
            key: `receipt_tax:${id}`,
          },
          -taxOfCredit(row, amount),
          at,
        );
        first ??= id;
      }
      return first;
    },
  };
}
