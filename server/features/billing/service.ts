import { Refusal } from '../../../contract/errors.ts';
import type { Tx } from '../../platform/db/scope.ts';
import type { Ledger, Posting } from '../ledger/index.ts';
import { createAccounts, type Gateway } from './account.service.ts';
import * as store from './store.ts';

/** A lead as far as money is concerned. */
export interface LeadSale {
  id: string;
  rootId: string;
  agencyId: string;
  clientId: string;
  campaignId: string;
  priceMicros: bigint;
  costMicros: bigint;
}

export type Billing = ReturnType<typeof createBilling>;

/** Who pays what for a lead: retail from client to agency, wholesale from agency to root. */
export function createBilling(ledger: Ledger, gateway: Gateway) {
  const client = (of: { rootId: string; agencyId: string; clientId: string }) => ({
    root_id: of.rootId,
    agency_id: of.agencyId,
    company_id: of.clientId,
  });
  const agency = (of: { rootId: string; agencyId: string }) => ({
    root_id: of.rootId,
    agency_id: of.agencyId,
    company_id: of.agencyId,
  });
  const root = (of: { rootId: string }) => ({ root_id: of.rootId, agency_id: null, company_id: of.rootId });

  return {
    /** Cards, connected accounts and what companies are billed by. */
    accounts: createAccounts(gateway),

    leadCosts: store.leadCosts,

    /** Sets what the root asks of an agency for a lead from an instant on; what was before stays as it was. */
    setLeadCost: (
      tx: Tx,
      given: { rootId: string; agencyId: string; module: string; costMicros: bigint; from: Date },
    ) =>
      store.insertLeadCost(tx, {
        root_id: given.rootId,
        agency_id: given.agencyId,
        company_id: given.agencyId,
        module: given.module,
        valid_from: given.from,
        cost_micros: given.costMicros,
      }),

    /** Locks the prepaid accounts of campaigns and returns their balances, in the order asked. */
    lockPrepaid: (
      tx: Tx,
      campaigns: { id: string; rootId: string; agencyId: string; clientId: string }[],
      at: Date,
    ): Promise<bigint[]> =>
      ledger.lock(
        tx,
        campaigns.map((c) => ({ owner: client(c), kind: 'client_prepaid', campaignId: c.id })),
        at,
      ),

    /** Posts leads, both sides each. Returns the transfer ids in order (null: it costs nobody anything, or was posted before). */
    async sellLeads(tx: Tx, sales: LeadSale[], at: Date): Promise<(string | null)[]> {
      const paid = sales.filter((sale) => sale.priceMicros > 0n || sale.costMicros > 0n);
      const ids = await ledger.post(
        tx,
        paid.map(
          (sale): Posting => ({
            owner: client(sale),
            kind: 'lead',
            referenceId: sale.id,
            key: `lead:${sale.id}`,
            entries: [
              {
                account: { owner: client(sale), kind: 'client_prepaid', campaignId: sale.campaignId },
                amount: -sale.priceMicros,
              },
              { account: { owner: agency(sale), kind: 'agency_revenue' }, amount: sale.priceMicros },
              { account: { owner: agency(sale), kind: 'agency_payable' }, amount: -sale.costMicros },
              { account: { owner: root(sale), kind: 'root_revenue' }, amount: sale.costMicros },
            ],
          }),
        ),
        at,
      );
      const byLead = new Map(paid.map((sale, i) => [sale.id, ids[i] ?? null]));
      return sales.map((sale) => byLead.get(sale.id) ?? null);
    },

    /**
     * Records prepaid balance that the client paid the agency outside the system. False when the same had been recorded
     * under this key before.
     * @throws Refusal 409 when the key had been used for another amount
     */
    async topUp(
      tx: Tx,
      given: {
        rootId: string;
        agencyId: string;
        clientId: string;
        campaignId: string;
        amountMicros: bigint;
        key: string;
      },
      at: Date,
    ): Promise<boolean> {
      const key = `top_up:${given.campaignId}:${given.key}`;
      const [id] = await ledger.post(
        tx,
        [
          {
            owner: client(given),
            kind: 'top_up',
            referenceId: given.campaignId,
            key,
            entries: [
              {
                account: { owner: client(given), kind: 'client_prepaid', campaignId: given.campaignId },
                amount: given.amountMicros,
              },
              { account: { owner: agency(given), kind: 'card_clearing' }, amount: -given.amountMicros },
            ],
          },
        ],
        at,
      );
      if (id) return true;
      if ((await ledger.amountOf(tx, given.rootId, key)) === given.amountMicros) return false;
      throw new Refusal('conflict', 'idempotencyKey: has been used for another amount', {
        errors: { idempotencyKey: ['has been used for another amount'] },
      });
    },
    prepaidOf: ledger.prepaidOf,
  };
}
