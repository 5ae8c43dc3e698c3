import { Refusal } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { INVOICE_KINDS } from '../../../../contract/money/invoices.ts';
import type { Owner } from '../../../platform/db/owner.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { EventHub } from '../../../platform/events.ts';
import { newId } from '../../../platform/ids.ts';
import type { Tax, TaxPort } from '../../../platform/tax.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Billing } from '../billing/index.ts';
import type { Ledger, Posting } from '../ledger/index.ts';
import * as policy from './policy.ts';
import type { Payer } from './store.ts';
import * as store from './store.ts';

/** What to bill, and to whom. */
export interface Bill {
  /** The payer: a client (retail; its agency issues) or an agency (wholesale; its root issues). */
  owner: Payer;
  side: store.Side;
  kind: (typeof INVOICE_KINDS)[number];
  term: 'Weekly' | 'Monthly' | 'One Time' | 'Prepaid' | null;
  /** Issued only once per payer, side and key; at most 100 characters. */
  periodKey: string;
  from: Date | null;
  to: Date | null;
  events: store.Events;
}

export const agencyOf = (owner: Payer): Payer => ({ ...owner, company_id: owner.agency_id });
export const rootOf = (owner: Owner): Owner => ({
  root_id: owner.root_id,
  agency_id: null,
  company_id: owner.root_id,
});
export const issuerOf = (owner: Payer, side: store.Side): Owner =>
  side === 'retail' ? agencyOf(owner) : rootOf(owner);

/** Issues invoices: number, lines, ledger and covers in the caller's transaction (decision 0051). */
export function createIssue({
  ledger,
  tenants,
  billing,
  taxes,
  events,
}: {
  taxes: TaxPort;
  ledger: Ledger;
  tenants: Tenants;
  billing: Billing;
  events: EventHub;
}) {
  /** Returns the issuer and payer as they are now; companies that were removed may still owe something. */
  async function parties(tx: Tx, owner: Payer, issuer: Owner, tax: Tax) {
    const from = await tenants.pastCard(tx, issuer.company_id);
    const to = await tenants.pastCard(tx, owner.company_id);
    if (!from || !to) throw new Refusal('not_found', ownMessages.notFound);
    const party = (card: typeof from, taxId: string): string => {
      const found = policy.partyOf(card);
      return JSON.stringify(taxId ? { ...found, address: [...found.address, `Tax ID ${taxId}`] } : found);
    };
    return { issuer: party(from, tax.issuerTaxId), payer: party(to, tax.payerTaxId) };
  }

  /** Returns the account whose tax registrations apply to what an issuer sells. */
  const sellerOf = (tx: Tx, owner: Payer, side: store.Side): Promise<string> =>
    side === 'retail' ? billing.accounts.seller(tx, owner.agency_id) : Promise.resolve('');

  /**
   * The wholesale cost of these events that is collected with a retail invoice as its fee: zero if the client's card
   * can't be charged, or if it is more than the invoice. Taxed events are not included: a fee has no document to state
   * its tax on, while a wholesale invoice does.
   */
  async function reservable(tx: Tx, client: Payer, ids: string[], total: bigint) {
    const nothing = { fee: 0n, sum: 0n, ids: [] as string[] };
    if (ids.length === 0 || !(await billing.accounts.chargeable(tx, client))) return nothing;
    const agency = agencyOf(client);
    const { root_id: rootId, company_id: payerId } = agency;
    if (await taxes.isTaxed(tx, { rootId, issuerId: rootId, payerId, account: '' })) return nothing;
    const owed = await store.wholesaleOf(tx, agency.company_id, ids);
    const sum = owed.reduce((all, event) => all + event.amount, 0n);
    const fee = policy.wholeCents(sum);
    return fee <= 0n || fee > total ? nothing : { fee, sum, ids: owed.map((event) => event.id) };
  }

  /**
   * Sets aside the tax included in money that came in (above zero) or was refunded (below zero): the issuer must pass
   * it on and may not keep it.
   */
  async function includeTax(
    tx: Tx,
    given: { owner: Payer; receiptId: string; memo: string; key: string },
    micros: bigint,
    at: Date,
  ): Promise<void> {
    if (micros === 0n) return;
    const issuer = agencyOf(given.owner);
    await ledger.post(
      tx,
      [
        {
          owner: issuer,
          kind: 'adjustment',
          referenceId: given.receiptId,
          memo: `Tax on ${given.memo}`,
          key: given.key,
          entries: [
            { account: { owner: issuer, kind: 'agency_revenue' }, amount: -micros },
            { account: { owner: issuer, kind: 'tax_due' }, amount: micros },
          ],
        },
      ],
      at,
    );
  }

  return {
    includeTax,

    /**
     * Bills events that are not on an invoice yet, in the scope of the root: takes the next number, writes the invoice
     * and its lines, posts the transfer, lists what it collects, and emits 'invoice.issued'. Returns null if there is
     * nothing to bill (below 0.50, not above zero, or this period was billed before).
     */
    async bill(
      tx: Tx,
      given: Bill,
      at: Date,
    ): Promise<{ id: string; number: string; totalMicros: bigint } | null> {
      const { owner, side } = given;
      await store.lockAgency(tx, owner.agency_id);
      if (await store.ofPeriod(tx, owner.company_id, side, given.periodKey)) return null;
      const open = await store.openEvents(tx, owner.company_id, side, given.events);
      const sum = open.reduce((all, event) => all + event.amount, 0n);
      const subtotal = policy.wholeCents(sum);
      if (subtotal < policy.LEAST) return null;
      const id = newId(at);
      const tax = await taxes.taxOf(tx, {
        documentId: id,
        rootId: owner.root_id,
        issuerId: issuerOf(owner, side).company_id,
        payerId: owner.company_id,
        account: await sellerOf(tx, owner, side),
        amountMicros: policy.taxableOf(open.map(({ amount, is_money: isMoney }) => ({ amount, isMoney }))),
        included: false,
      });
      const total = subtotal + tax.micros;

      const groups = new Map<string, policy.Group & { ids: string[] }>();
      for (const event of open) {
        const group = {
          kind: policy.lineKindOf(event.kind, event.is_release),
          campaignId: event.campaign_id,
          memo: event.memo,
          unit: event.amount,
        };
        const key = policy.groupKey(group);
        const known = groups.get(key);
        if (known) {
          known.count++;
          known.ids.push(event.id);
        } else groups.set(key, { ...group, count: 1, ids: [event.id] });
      }
      const names = await store.campaignNames(tx, [
        ...new Set(open.flatMap((event) => event.campaign_id ?? [])),
      ]);
      const lines = policy.linesOf([...groups.values()], (id) => {
        const campaign = names.get(id);
        if (!campaign) return '';
        return side === 'retail' ? campaign.name : `${campaign.name} (${campaign.company_name})`;
      });
      const rounding = policy.roundingOf(sum);

      const agency = agencyOf(owner);
      const root = rootOf(owner);
      const issuer = issuerOf(owner, side);
      const rest = sum - subtotal;
      const reserved =
        side === 'retail'
          ? await reservable(
              tx,
              owner,
              open.map((event) => event.id),
              subtotal,
            )
          : { fee: 0n, sum: 0n, ids: [] };
      const entries: Posting['entries'] = [];
      if (side === 'retail') {
        const byCampaign = new Map<string | null, bigint>();
        for (const event of open)
          byCampaign.set(
            event.account_campaign,
            (byCampaign.get(event.account_campaign) ?? 0n) + event.amount,
          );
        for (const [campaignId, amount] of byCampaign)
          entries.push({
            account: { owner, kind: 'client_unbilled', ...(campaignId ? { campaignId } : {}) },
            amount,
          });
        entries.push(
          { account: { owner, kind: 'client_receivable' }, amount: -total },
          { account: { owner: agency, kind: 'agency_revenue' }, amount: -rest },
          { account: { owner: agency, kind: 'tax_due' }, amount: tax.micros },
          { account: { owner: agency, kind: 'agency_payable' }, amount: reserved.sum },
          { account: { owner: agency, kind: 'agency_invoiced' }, amount: -reserved.fee },
          { account: { owner: root, kind: 'root_revenue' }, amount: reserved.fee - reserved.sum },
        );
      } else
        entries.push(
          { account: { owner: agency, kind: 'agency_payable' }, amount: sum },
          { account: { owner: agency, kind: 'agency_invoiced' }, amount: -total },
          { account: { owner: root, kind: 'root_revenue' }, amount: -rest },
          { account: { owner: root, kind: 'tax_due' }, amount: tax.micros },
        );

      const named = await parties(tx, owner, issuer, tax);
      const seq = await store.nextNumber(tx, issuer, 'invoice');
      const number = policy.numberOf('invoice', seq);
      const [transferId] = await ledger.post(
        tx,
        [
          {
            owner,
            kind: 'invoice',
            referenceId: id,
            memo: number,
            key: `invoice:${owner.company_id}:${side}:${given.periodKey}`,
            entries,
          },
        ],
        at,
      );
      if (!transferId) throw new Error(`The transfer for ${given.periodKey} exists without its invoice`);
      await store.insertInvoice(
        tx,
        {
          id,
          ...owner,
          issuer_id: issuer.company_id,
          side,
          kind: given.kind,
          term: given.term,
          period_key: given.periodKey,
          period_from: given.from,
          period_to: given.to,
          number,
          seq,
          subtotal_micros: subtotal,
          tax_name: tax.name,
          tax_micros: tax.micros,
          total_micros: total,
          fee_micros: reserved.fee,
          ...named,
          transfer_id: transferId,
          finalised_at: at,
          due_at: at,
          status: 'open',
        },
        [...lines.map(({ line }) => line), ...(rounding ? [rounding] : [])].map((line, i) => ({
          ...line,
          line: i + 1,
        })),
      );
      await ledger.cover(tx, [
        ...lines.flatMap(({ group }, i) =>
          group.ids.map((event) => ({
            transfer_id: event,
            side,
            covered_by: transferId,
            line: i + 1,
            ...owner,
          })),
        ),
        ...reserved.ids.map((event) => ({
          transfer_id: event,
          side: 'wholesale' as const,
          covered_by: transferId,
          ...agency,
        })),
      ]);
      await events.emit(tx, 'invoice.issued', { invoiceId: id, owner, side, kind: given.kind });
      return { id, number, totalMicros: total };
    },

    /**
     * Writes the receipt for money that has already come in (a top-up by card): an invoice that is paid from the start,
     * whose transfer is the payment's own. Returns null if it already has one.
     */
    async receipt(
      tx: Tx,
      given: {
        owner: Payer;
        transferId: string;
        campaignId: string | null;
        description: string;
        amountMicros: bigint;
        term: 'One Time' | 'Prepaid';
      },
      at: Date,
    ): Promise<{ id: string; number: string } | null> {
      const { owner, amountMicros: total } = given;
      await store.lockAgency(tx, owner.agency_id);
      const period_key = `receipt:${given.transferId}`;
      if (await store.ofPeriod(tx, owner.company_id, 'retail', period_key)) return null;
      const issuer = agencyOf(owner);
      const id = newId(at);
      const tax = await taxes.taxOf(tx, {
        documentId: id,
        rootId: owner.root_id,
        issuerId: issuer.company_id,
        payerId: owner.company_id,
        account: await sellerOf(tx, owner, 'retail'),
        amountMicros: total,
        included: true,
      });
      const subtotal = total - tax.micros;
      const named = await parties(tx, owner, issuer, tax);
      const seq = await store.nextNumber(tx, issuer, 'invoice');
      const number = policy.numberOf('invoice', seq);
      await store.insertInvoice(
        tx,
        {
          id,
          ...owner,
          issuer_id: issuer.company_id,
          side: 'retail',
          kind: 'receipt',
          term: given.term,
          period_key,
          number,
          seq,
          subtotal_micros: subtotal,
          tax_name: tax.name,
          tax_micros: tax.micros,
          total_micros: total,
          ...named,
          transfer_id: given.transferId,
          finalised_at: at,
          due_at: at,
          status: 'paid',
          paid_micros: total,
          paid_at: at,
          closed_at: at,
        },
        [
          {
            line: 1,
            kind: 'top_up',
            campaign_id: given.campaignId,
            description: given.description,
            quantity: 1,
            unit_micros: subtotal,
            amount_micros: subtotal,
          },
        ],
      );
      await includeTax(tx, { owner, receiptId: id, memo: number, key: `receipt_tax:${id}` }, tax.micros, at);
      await events.emit(tx, 'receipt.issued', { invoiceId: id, owner });
      return { id, number };
    },
  };
}
