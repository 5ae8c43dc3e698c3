import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { EventHub } from '../../../platform/events.ts';
import type { Jobs } from '../../../platform/jobs.ts';
import type { Settings } from '../../accounts/settings/index.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Billing } from '../billing/index.ts';
import { dueOf, feeOf, type InvoiceRow, type Invoices, ownerOf as payerOf } from '../invoices/index.ts';
import type { AccountRef, Ledger, Posting } from '../ledger/index.ts';
import type { Charges, Purpose, PurposeHandler } from '../payments/index.ts';
import * as policy from './policy.ts';
import { followJob, giveBackJob, mailJob, tellJob } from './queue.ts';
import * as store from './store.ts';

type PayerOwner = { root_id: string; agency_id: string; company_id: string };
type Entries = Posting['entries'];
/** The invoices' own key for what the agency owes again, so that the invoice line says what it is. */
const releaseKey = (refundId: string): string => `wholesale_unpaid:refund:${refundId}`;
const letGoKey = (invoiceId: string): string => `wholesale_unpaid:${invoiceId}`;

export type Books = ReturnType<typeof createBooks>;

/**
 * What charges of invoices do to the ledger (docs/money.md: payment, refund, dispute), to the invoice and to its payer.
 * Locks are always taken in this order: charge, invoice, the payer's billing. Campaigns follow in their own job.
 */
export function createBooks(
  { events, jobs, clock }: { events: EventHub; jobs: Jobs; clock: Clock },
  parts: {
    ledger: Ledger;
    tenants: Tenants;
    billing: Billing;
    invoices: Invoices;
    charges: Charges;
    settings: Settings;
  },
) {
  const { ledger, tenants, billing, invoices, charges, settings } = parts;

  /**
   * What a payment of X with the fee F moves: the client's debt to the agency, and out of it the agency's debt to its
   * root. A refund has the opposite signs.
   */
  function entriesOf(invoice: InvoiceRow, amount: bigint, fee: bigint): Entries {
    const payer = payerOf(invoice);
    const agency = { ...payer, company_id: payer.agency_id };
    const root = { root_id: payer.root_id, agency_id: null, company_id: payer.root_id };
    const entry = (owner: AccountRef['owner'], kind: AccountRef['kind'], change: bigint) => ({
      account: { owner, kind },
      amount: change,
    });
    const all =
      invoice.side === 'wholesale'
        ? [entry(agency, 'agency_invoiced', amount), entry(root, 'card_clearing', -amount)]
        : [
            entry(payer, 'client_receivable', amount),
            entry(agency, 'card_clearing', -amount),
            entry(agency, 'agency_invoiced', fee),
            entry(root, 'card_clearing', -fee),
          ];
    return all.filter((one) => one.amount !== 0n);
  }

  const post = (
    tx: Tx,
    invoice: InvoiceRow,
    given: Pick<Posting, 'kind' | 'key' | 'entries'> & { memo?: string },
    at: Date,
  ) => ledger.post(tx, [{ owner: payerOf(invoice), referenceId: invoice.id, ...given }], at);

  /** Posts the opposite of what was posted under a key. Returns how much less the payer owes. */
  async function reverse(
    tx: Tx,
    invoice: InvoiceRow,
    of: string,
    given: { kind: 'payment' | 'dispute_reversal' | 'adjustment'; key: string; memo?: string },
    at: Date,
  ): Promise<bigint> {
    const before = await ledger.posted(tx, invoice.root_id, of);
    if (!before) throw new Error(`${of} was never posted`);
    const payer = payerOf(invoice);
    const entries = before.entries.map(({ companyId, kind, amount }) => ({
      account: {
        owner:
          companyId === payer.root_id
            ? { root_id: payer.root_id, agency_id: null, company_id: payer.root_id }
            : { ...payer, company_id: companyId },
        kind,
      },
      amount: -amount,
    }));
    await post(tx, invoice, { ...given, entries }, at);
    const owed = invoice.side === 'retail' ? 'client_receivable' : 'agency_invoiced';
    return entries
      .filter(({ account }) => account.kind === owed && account.owner.company_id === payer.company_id)
      .reduce((sum, { amount }) => sum + amount, 0n);
  }

  /**
   * Sets or clears a company's failed payment, depending on what it still has to pay; its campaigns follow. Exact even
   * when others pay or fail at the same time: its billing is locked before what it owes is read.
   */
  async function reckon(tx: Tx, payer: PayerOwner, at: Date): Promise<void> {
    const before = await store.lockBilling(tx, payer.company_id);
    const failing = await store.isFailing(tx, payer.company_id);
    const values = failing
      ? ({ payment_status: 'failed', access_module: 'paymentfailed' } as const)
      : ({ payment_status: '', access_module: '' } as const);
    if (
      (before?.payment_status ?? '') !== values.payment_status ||
      (before?.access_module ?? '') !== values.access_module
    )
      await billing.accounts.setTerms(tx, payer, { ...values, updated_at: at });
    await jobs.send(tx, followJob, [{ rootId: payer.root_id, companyId: payer.company_id }]);
  }
  events.on('invoice.changed', async (tx, { invoiceId, owner }) => {
    const invoice = await invoices.locked(tx, invoiceId);
    const at = clock.now();
    // Amounts that are no longer due, or too small for a card, are not charged anymore.
    if (dueOf(invoice) < policy.LEAST) {
      if (invoice.next_attempt_at) await invoices.setCollection(tx, invoiceId, { next_attempt_at: null });
      await letGo(tx, { ...invoice, next_attempt_at: null }, at);
    }
    await reckon(tx, owner, at);
  });

  /**
   * Handles a charge that failed or could not even be attempted: when to retry it, who is notified, what the payer can
   * still do. What had no more attempts, as after a dispute, gets none from a user's own: it stays as it is.
   */
  async function fail(tx: Tx, invoice: InvoiceRow, why: string, at: Date, isFinal = false): Promise<void> {
    const zone = (await tenants.pastCard(tx, invoice.company_id))?.time_zone ?? 'UTC';
    const first = invoice.first_failed_at ?? at;
    const isOver = invoice.first_failed_at !== null && invoice.next_attempt_at === null;
    const attempts = invoice.attempts + 1;
    const now = await invoices.setCollection(tx, invoice.id, {
      attempts,
      first_failed_at: first,
      next_attempt_at:
        isFinal || isOver
          ? null
          : policy.nextAttempt(first, at, zone, await settings.retryDays(tx, invoice.root_id)),
      last_failure: why.slice(0, 500),
    });
    if (!now.next_attempt_at) await letGo(tx, now, at);
    await reckon(tx, payerOf(invoice), at);
    await jobs.send(tx, tellJob, [
      {
        rootId: invoice.root_id,
        invoiceId: invoice.id,
        attempts,
        isFirst: invoice.first_failed_at === null,
      },
    ]);
  }

  /**
   * Counts a payment that has been posted; returns how much of it was no longer due. `rest`: what happens to what is
   * still due: 'charge' what one charge could not hold; 'keep' it as it was; 'forget' that it failed.
   */
  async function take(
    tx: Tx,
    before: InvoiceRow,
    amount: bigint,
    rest: 'charge' | 'keep' | 'forget',
    at: Date,
  ): Promise<bigint> {
    const wasGivenUp = before.status === 'uncollectible';
    const invoice = await invoices.revive(tx, before, at);
    const due = dueOf(invoice);
    const taken = policy.least(amount, due);
    const left = due - taken;
    if (taken > 0n) {
      await invoices.paid(tx, invoice.id, taken, at);
      // A dispute that was won, or a refund that failed, is not a payment that calls for a receipt.
      if (taken === due && rest === 'charge')
        await jobs.send(tx, mailJob, [{ what: 'paid', rootId: invoice.root_id, invoiceId: invoice.id }]);
    }
    await invoices.setCollection(tx, invoice.id, {
      attempts: invoice.attempts + 1,
      ...(left < policy.LEAST || rest === 'forget' || wasGivenUp
        ? { next_attempt_at: null, first_failed_at: null, last_failure: null }
        : rest === 'charge'
          ? { next_attempt_at: at }
          : {}),
    });
    await reckon(tx, payerOf(invoice), at);
    return amount - taken;
  }

  /** Counts a payment as reversed: the invoice is open again, and nothing of it is charged automatically. */
  async function takeBack(tx: Tx, invoice: InvoiceRow, amount: bigint, at: Date): Promise<InvoiceRow> {
    const back = policy.least(amount, invoice.paid_micros);
    if (back > 0n) {
      await invoices.revive(tx, invoice, at);
      await invoices.unpaid(tx, invoice.id, back, at);
    }
    return invoices.setCollection(tx, invoice.id, {
      next_attempt_at: null,
      first_failed_at: null,
      last_failure: null,
    });
  }

  /** An overpayment that could not be refunded either is deducted from the payer's next invoice. */
  async function owe(tx: Tx, invoice: InvoiceRow, refundId: string, over: bigint, at: Date): Promise<void> {
    const owner = payerOf(invoice);
    const [settled, open] =
      invoice.side === 'retail'
        ? (['client_receivable', 'client_unbilled'] as const)
        : (['agency_invoiced', 'agency_payable'] as const);
    await post(
      tx,
      invoice,
      {
        kind: 'adjustment',
        key: `refund_failed:${refundId}:over`,
        memo: `From ${invoice.number}, could not be refunded to the card`,
        entries: [
          { account: { owner, kind: settled }, amount: -over },
          { account: { owner, kind: open }, amount: over },
        ],
      },
      at,
    );
  }

  /**
   * A charge that was written earlier may carry a fee that the agency now has to pay itself (the invoice was given up,
   * or credited): what the root gets of it through the card is not also charged on a wholesale invoice.
   */
  async function balanceFee(tx: Tx, invoice: InvoiceRow, chargeId: string, at: Date): Promise<void> {
    if (invoice.side !== 'retail' || !invoice.fee_released_at) return;
    const reserved = await store.reservedOf(tx, invoice);
    if (reserved >= 0n) return;
    const agency = { ...payerOf(invoice), company_id: invoice.agency_id };
    await post(
      tx,
      invoice,
      {
        kind: 'adjustment',
        key: `fee_paid:${chargeId}`,
        memo: `Platform costs of ${invoice.number}, paid by card after all`,
        entries: [
          { account: { owner: agency, kind: 'agency_invoiced' }, amount: reserved },
          { account: { owner: agency, kind: 'agency_payable' }, amount: -reserved },
        ],
      },
      at,
    );
  }

  /** What of its wholesale a retail invoice still holds, the agency owes again, on its next wholesale invoice. */
  async function release(
    tx: Tx,
    invoice: InvoiceRow,
    why: { key: string; memo: string },
    at: Date,
  ): Promise<void> {
    if (invoice.side !== 'retail') return;
    const reserved = await store.reservedOf(tx, invoice);
    if (reserved <= 0n) return;
    const agency = { ...payerOf(invoice), company_id: invoice.agency_id };
    await post(
      tx,
      invoice,
      {
        kind: 'adjustment',
        ...why,
        entries: [
          { account: { owner: agency, kind: 'agency_invoiced' }, amount: reserved },
          { account: { owner: agency, kind: 'agency_payable' }, amount: -reserved },
        ],
      },
      at,
    );
    await invoices.setCollection(tx, invoice.id, { fee_released_at: at });
  }

  /**
   * An invoice that is not charged by itself anymore may never be paid by card, or only outside: its wholesale does not
   * wait for that. Whatever charge of it still comes carries none (feeLeft, balanceFee).
   */
  async function letGo(tx: Tx, invoice: InvoiceRow, at: Date): Promise<void> {
    if (invoice.status !== 'open' || invoice.next_attempt_at || feeOf(invoice) === 0n) return;
    await release(
      tx,
      invoice,
      { key: letGoKey(invoice.id), memo: `Platform costs for ${invoice.number}, not paid by card` },
      at,
    );
    await invoices.setCollection(tx, invoice.id, { fee_released_at: at });
  }

  /**
   * Books that the provider has taken money of a charge from the party that was paid (disputed, or refunded there),
   * whatever has become of it here: first what was paid beyond the amount due, then up to `most` of what paid the invoice;
   * the rest is a loss. The fee stays with the root. Returns the invoice, open for what is due again.
   */
  async function lose(
    tx: Tx,
    invoice: InvoiceRow,
    given: { kind: 'refund' | 'dispute'; key: string; amount: bigint; most: bigint },
    at: Date,
  ): Promise<InvoiceRow> {
    const { kind, key, amount } = given;
    const over = policy.least(amount, await store.overOf(tx, invoice));
    const back = policy.least(policy.least(amount - over, given.most), invoice.paid_micros);
    const [owed, clearing] = entriesOf(invoice, amount, 0n).map(({ account }) => account) as [
      AccountRef,
      AccountRef,
    ];
    const entries = [
      { account: owed, amount: -over - back },
      { account: clearing, amount },
      { account: { ...clearing, kind: 'written_off' as const }, amount: over + back - amount },
    ].filter((entry) => entry.amount !== 0n);
    await post(tx, invoice, { kind, key, entries }, at);
    const open = await takeBack(tx, invoice, back, at);
    // What the root received of it stays collected, whatever happens to the invoice.
    return feeOf(open) > 0n && (await store.reservedOf(tx, open)) <= 0n
      ? invoices.setCollection(tx, open.id, { fee_released_at: at })
      : open;
  }

  const handler: PurposeHandler = {
    async succeeded(tx, charge, at) {
      const invoice = await invoices.locked(tx, charge.referenceId);
      const entries = entriesOf(invoice, charge.amountMicros, charge.feeMicros);
      await post(tx, invoice, { kind: 'payment', key: `payment:${charge.id}`, entries }, at);
      const over = await take(tx, invoice, charge.amountMicros, 'charge', at);
      await balanceFee(tx, invoice, charge.id, at);
      // Paid twice (a cardholder confirmed an older charge), or credited in the meantime: what was not due is refunded.
      if (over > 0n)
        await jobs.send(tx, giveBackJob, [
          {
            rootId: invoice.root_id,
            chargeId: charge.id,
            micros: over.toString(),
            key: `${policy.OVER}${charge.id}`,
          },
        ]);
    },
    async declined(tx, charge, at) {
      const invoice = await invoices.locked(tx, charge.referenceId);
      if (dueOf(invoice) === 0n) return;
      await fail(tx, invoice, charge.declineMessage || 'The card was declined.', at);
    },
    async refunded(tx, charge, refund, at) {
      const invoice = await invoices.locked(tx, charge.referenceId);
      // It was refunded at the provider since the job looked (giveBack): it will look again.
      if (refund.key.startsWith(policy.OVER) && (await store.overOf(tx, invoice)) < refund.amountMicros)
        throw new Refusal('conflict', ownMessages.notRefundable);
      const before = charge.refundedMicros - refund.amountMicros;
      if (refund.isOutside) {
        const amount = refund.amountMicros;
        await lose(tx, invoice, { kind: 'refund', key: `refund:${refund.id}`, amount, most: amount }, at);
        return reckon(tx, payerOf(invoice), at);
      }
      const fee =
        policy.feeShare(charge.feeMicros, charge.refundedMicros, charge.amountMicros) -
        policy.feeShare(charge.feeMicros, before, charge.amountMicros);
      const entries = entriesOf(invoice, -refund.amountMicros, -fee);
      await post(tx, invoice, { kind: 'refund', key: `refund:${refund.id}`, entries }, at);
      // The provider returns an application fee with a refund, in proportion.
      const memo = `Platform costs of ${invoice.number}, returned with a refund`;
      await release(tx, invoice, { key: releaseKey(refund.id), memo }, at);
      if (refund.key.startsWith(policy.OVER)) return;
      await takeBack(tx, invoice, refund.amountMicros, at);
      await reckon(tx, payerOf(invoice), at);
    },
    async refundFailed(tx, charge, refund, at) {
      const invoice = await invoices.locked(tx, charge.referenceId);
      const back = await reverse(
        tx,
        invoice,
        `refund:${refund.id}`,
        { kind: 'payment', key: `refund_failed:${refund.id}`, memo: 'A refund failed' },
        at,
      );
      if (await ledger.posted(tx, invoice.root_id, releaseKey(refund.id)))
        await reverse(
          tx,
          invoice,
          releaseKey(refund.id),
          { kind: 'adjustment', key: `refund_failed:${refund.id}:fee`, memo: 'A refund failed' },
          at,
        );
      const over = refund.key.startsWith(policy.OVER) ? back : await take(tx, invoice, back, 'keep', at);
      if (over > 0n) await owe(tx, invoice, refund.id, over, at);
    },
    async disputed(tx, charge, dispute, at) {
      const invoice = await invoices.locked(tx, charge.referenceId);
      // The provider takes the full amount, whether or not it was already refunded.
      const most = charge.amountMicros - charge.refundedMicros;
      const given = { key: `dispute:${dispute.id}`, amount: dispute.amountMicros, most };
      const open = await lose(tx, invoice, { kind: 'dispute', ...given }, at);
      if (dueOf(open) > 0n) await fail(tx, open, 'The cardholder disputed the payment.', at, true);
    },
    async disputeWon(tx, charge, dispute, at) {
      const invoice = await invoices.locked(tx, charge.referenceId);
      const back = await reverse(
        tx,
        invoice,
        `dispute:${dispute.id}`,
        { kind: 'dispute_reversal', key: `dispute_won:${dispute.id}` },
        at,
      );
      const over = await take(tx, invoice, back, 'forget', at);
      // Part of this charge may have been refunded before, through its own refund.
      if (over > 0n)
        await jobs.send(tx, giveBackJob, [
          {
            rootId: invoice.root_id,
            chargeId: charge.id,
            micros: over.toString(),
            key: `${policy.OVER}${dispute.id}`,
          },
        ]);
    },
  };
  for (const purpose of ['invoice', 'wholesale', 'minimum_spend', 'onboarding'] satisfies Purpose[])
    charges.onSettled(purpose, handler);

  return {
    reckon,
    fail,
    letGo,

    /** How much of what was paid too much on an invoice is still here, up to an amount. */
    async overLeft(tx: Tx, invoiceId: string, micros: bigint): Promise<bigint> {
      const over = policy.least(await store.overOf(tx, await invoices.locked(tx, invoiceId)), micros);
      return over > 0n ? over : 0n;
    },

    /** Whether the wholesale part of an invoice is the agency's own to pay because no attempt will collect it. */
    isLetGo: async (tx: Tx, invoice: InvoiceRow): Promise<boolean> =>
      (await ledger.posted(tx, invoice.root_id, letGoKey(invoice.id))) !== null,

    /** The part of an invoice's charge that goes on to the root (application fee), micro-dollars. */
    async feeLeft(tx: Tx, invoice: InvoiceRow): Promise<bigint> {
      if (feeOf(invoice) === 0n) return 0n;
      const reserved = await store.reservedOf(tx, invoice);
      return reserved > 0n ? reserved : 0n;
    },
  };
}
