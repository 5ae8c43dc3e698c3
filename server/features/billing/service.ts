import { Refusal } from '../../../contract/errors.ts';
import { ownMessages } from '../../../contract/messages.ts';
import type { Tx } from '../../platform/db/scope.ts';
import type { EventHub } from '../../platform/events.ts';
import type { Caps } from '../caps/index.ts';
import type { Costs } from '../costs/index.ts';
import type { Ledger } from '../ledger/index.ts';
import type { Payments } from '../payments/index.ts';
import type { Wallet } from '../wallet/index.ts';
import { createAccounts } from './account.service.ts';
import { agencyOf, clientOf, type LeadSale, openTill, rootOf, type TillCampaign } from './till.ts';

export type Billing = ReturnType<typeof createBilling>;

/** Who pays what for a lead: retail from client to agency, wholesale from agency to root, supplier cost by the root. */
export function createBilling(deps: {
  ledger: Ledger;
  wallet: Wallet;
  caps: Caps;
  costs: Costs;
  payments: Payments;
  events: EventHub;
}) {
  const { ledger, wallet } = deps;
  const till = (tx: Tx, campaigns: TillCampaign[], at: Date) => openTill(deps, tx, campaigns, at);

  return {
    /** Cards, connected accounts and what companies are billed by. */
    accounts: createAccounts(deps.payments, deps.events),

    /** What a lead of each campaign costs client and agency at an instant, by the campaign's module and payment term. */
    leadCosts: deps.costs.prices,
    supplierCost: deps.costs.suppliers.costAt,

    /**
     * How leads of campaigns are sold at an instant: what client and agency are charged, and whether the client owes it
     * (Weekly, Monthly) or its balance pays. An agency that bills its clients outside sells to them for nothing here. One
     * query for all.
     */
    async selling(tx: Tx, campaigns: readonly { id: string; agency_id: string; module: string }[], at: Date) {
      const costOf = await deps.costs.prices(tx, campaigns, at);
      const excess = await deps.costs.excessOf(
        tx,
        campaigns.map((one) => one.id),
        at,
      );
      return (id: string) => {
        const { term, priceMicros, costMicros, isManual } = costOf(id);
        return {
          priceMicros: isManual ? 0n : priceMicros,
          costMicros,
          excessMicros: excess.get(id) ?? 0n,
          isOwed: term === 'Weekly' || term === 'Monthly',
        };
      };
    },

    /** Sets what the root asks of an agency for a lead from an instant on; what was before stays as it was. */
    setLeadCost: deps.costs.setLeadCost,

    /** Sets what a lead of a module costs the root from an instant on. */
    setSupplierCost: deps.costs.suppliers.insert,

    /** Locks what selling leads of campaigns needs, and keeps count (till.ts). */
    openTill: till,

    /**
     * Sells leads that have been decided on, both sides each. Returns the transfer ids in order (null: it costs nobody
     * anything, or was posted before).
     * @throws Refusal 409 when a hard limit would be passed; (23514) when a balance does not cover it
     */
    async sellLeads(tx: Tx, sales: LeadSale[], at: Date): Promise<(string | null)[]> {
      const campaigns = new Map(sales.map((sale) => [sale.campaignId, { ...sale, id: sale.campaignId }]));
      const open = await till(tx, [...campaigns.values()], at);
      for (const sale of sales) {
        const refused = open.refusal(sale);
        if (refused && refused !== 'balance_empty') {
          const text = {
            below_cost: ownMessages.belowCost,
            cap_campaign: ownMessages.capCampaign,
            cap_client: ownMessages.capClient,
            cap_wallet: ownMessages.capWallet,
          }[refused];
          throw new Refusal('conflict', text, { errors: { amount: [text] } });
        }
        open.take(sale);
      }
      const byLead = await open.settle();
      return sales.map((sale) => byLead.get(sale.id) ?? null);
    },

    /**
     * Takes the sale of a lead back: every side gets its own, a wallet into the lot that paid. Null when it was taken back
     * before, or was never paid. A limit's count of the day stays.
     */
    async returnLead(
      tx: Tx,
      of: { id: string; rootId: string; agencyId: string; clientId: string; campaignId: string },
      at: Date,
    ): Promise<string | null> {
      const agencyWallet = { rootId: of.rootId, agencyId: of.agencyId };
      const prepaid = { owner: clientOf(of), kind: 'client_prepaid' as const, campaignId: of.campaignId };
      await ledger.lock(tx, [prepaid], at, [wallet.account(agencyWallet)]);
      const sale = await ledger.posted(tx, of.rootId, `lead:${of.id}`);
      if (!sale) return null;
      const byWallet = sale.entries.some((entry) => entry.lotId);
      if (byWallet) await wallet.expire(tx, agencyWallet, at);
      const [id] = await ledger.post(
        tx,
        [
          {
            owner: clientOf(of),
            kind: 'lead_return',
            referenceId: of.id,
            campaignId: of.campaignId,
            key: `lead_return:${of.id}`,
            entries: sale.entries.map((entry) => ({
              account: {
                owner:
                  entry.companyId === of.clientId
                    ? clientOf(of)
                    : entry.companyId === of.agencyId
                      ? agencyOf(of)
                      : rootOf(of),
                kind: entry.kind,
                ...(entry.companyId === of.clientId ? { campaignId: of.campaignId } : {}),
              },
              amount: -entry.amount,
              ...(entry.lotId ? { lotId: entry.lotId } : {}),
            })),
          },
        ],
        at,
      );
      // A lot that ended meanwhile takes what came back with it.
      if (id && byWallet) await wallet.expire(tx, agencyWallet, at, true);
      return id ?? null;
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
            owner: clientOf(given),
            kind: 'top_up',
            referenceId: given.campaignId,
            campaignId: given.campaignId,
            key,
            entries: [
              {
                account: { owner: clientOf(given), kind: 'client_prepaid', campaignId: given.campaignId },
                amount: given.amountMicros,
              },
              { account: { owner: agencyOf(given), kind: 'card_clearing' }, amount: -given.amountMicros },
            ],
          },
        ],
        at,
      );
      if (id) return true;
      const before = await ledger.posted(tx, given.rootId, key);
      if (before?.entries.some((entry) => entry.amount === given.amountMicros)) return false;
      throw new Refusal('conflict', 'idempotencyKey: has been used for another amount', {
        errors: { idempotencyKey: ['has been used for another amount'] },
      });
    },
    prepaidOf: ledger.prepaidOf,
  };
}
