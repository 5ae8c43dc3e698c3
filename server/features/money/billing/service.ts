import { Refusal, refusalOf } from '../../../../contract/errors.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { EventHub } from '../../../platform/events.ts';
import type { AccountKind, Ledger } from '../ledger/index.ts';
import type { Payments } from '../payments/index.ts';
import type { Pricing } from '../pricing/index.ts';
import type { SpendingLimits } from '../spending-limits/index.ts';
import type { Wallet } from '../wallet/index.ts';
import { createAccounts } from './account.service.ts';
import { agencyOf, clientOf, type LeadSale, openTill, rootOf, type TillCampaign } from './till.ts';

export type Billing = ReturnType<typeof createBilling>;

/**
 * Who pays what for a lead: the client pays the agency retail, the agency pays the root wholesale, and the root pays
 * the supplier cost.
 */
export function createBilling(deps: {
  ledger: Ledger;
  wallet: Wallet;
  spendingLimits: SpendingLimits;
  pricing: Pricing;
  payments: Payments;
  events: EventHub;
}) {
  const { ledger, wallet } = deps;
  /**
   * Checks that what was already posted under a key had the same amount.
   * @throws Refusal 409 if it had another
   */
  async function mustBeSame(tx: Tx, rootId: string, key: string, amount: bigint): Promise<void> {
    const before = await ledger.posted(tx, rootId, key);
    if (!before?.entries.some((entry) => entry.amount === amount))
      throw refusalOf('idempotency_key', 'has already been used for a different amount', 'conflict');
  }
  const till = (tx: Tx, campaigns: TillCampaign[], at: Date) => openTill(deps, tx, campaigns, at);

  const campaignsOf = (sales: LeadSale[]): TillCampaign[] => [
    ...new Map(sales.map((sale) => [sale.campaignId, { ...sale, id: sale.campaignId }])).values(),
  ];

  /**
   * Sells leads that have been decided on, both sides of each. Returns the transfer ids in order (null: it costs no one
   * anything, or was already posted).
   * @throws Refusal 409 if a hard limit would be exceeded; (23514) if a balance does not cover it
   */
  async function sellLeads(tx: Tx, sales: LeadSale[], at: Date): Promise<(string | null)[]> {
    const open = await till(tx, campaignsOf(sales), at);
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
  }

  return {
    /** Cards, connected accounts and companies' billing terms. */
    accounts: createAccounts(deps.payments, deps.events),

    /** What a lead of each campaign costs client and agency at an instant, by the campaign's module and payment term. */
    leadCosts: deps.pricing.prices,
    supplierCost: deps.pricing.suppliers.costAt,

    /**
     * How leads of campaigns are sold at an instant: what the client and the agency are charged, and whether the client
     * owes it (Weekly, Monthly) or its balance pays. An agency that bills its clients outside the system sells to them
     * for nothing here. One query for all.
     */
    async selling(tx: Tx, campaigns: readonly { id: string; agency_id: string; module: string }[], at: Date) {
      const costOf = await deps.pricing.prices(tx, campaigns, at);
      const excess = await deps.pricing.excessOf(
        tx,
        campaigns.map((one) => one.id),
        at,
      );
      return (id: string) => {
        const { term, priceMicros, costMicros, isManual, company } = costOf(id);
        return {
          priceMicros: isManual ? 0n : priceMicros,
          costMicros,
          excessMicros: excess.get(id) ?? 0n,
          isOwed: term === 'Weekly' || term === 'Monthly',
          company: { ...company, priceMicros: isManual ? 0n : company.priceMicros },
        };
      };
    },

    /** Sets what the root charges an agency for a lead from an instant on; earlier prices stay as they were. */
    setLeadCost: deps.pricing.setLeadCost,

    /** Sets what a lead of a module costs the root from an instant on. */
    setSupplierCost: deps.pricing.suppliers.insert,

    /** Locks what is needed to sell leads of campaigns, and keeps count (till.ts). */
    openTill: till,

    sellLeads,

    /**
     * Refunds one side of a lead's sale, at the initiative of the party that was paid: retail refunds the client its
     * price; wholesale refunds the agency its cost (a wallet into the lots that paid) and the root what it owes its
     * supplier. Null if that side was already refunded, or cost nothing; `paidBy`: the account that gets the refund. A
     * limit's count for the day stays.
     */
    async returnLead(
      tx: Tx,
      of: { id: string; rootId: string; agencyId: string; clientId: string; campaignId: string },
      side: 'retail' | 'wholesale',
      at: Date,
    ): Promise<{ id: string; amountMicros: bigint; paidBy: AccountKind } | null> {
      const agencyWallet = { rootId: of.rootId, agencyId: of.agencyId };
      const prepaid = { owner: clientOf(of), kind: 'client_prepaid' as const, campaignId: of.campaignId };
      await ledger.lock(tx, [prepaid], at, [wallet.account(agencyWallet)]);
      const sale = await ledger.posted(tx, of.rootId, `lead:${of.id}`);
      const entries = (sale?.entries ?? []).filter(
        (entry) =>
          (side === 'retail') === (entry.companyId === of.clientId || entry.kind === 'agency_revenue'),
      );
      const paid = entries.filter(
        ({ companyId, kind }) => kind !== 'agency_revenue' && companyId !== of.rootId,
      );
      const amountMicros = -paid.reduce((sum, entry) => sum + entry.amount, 0n);
      if (amountMicros <= 0n) return null;
      const byWallet = entries.some((entry) => entry.lotId);
      if (byWallet) await wallet.expire(tx, agencyWallet, at);
      const [id] = await ledger.post(
        tx,
        [
          {
            owner: clientOf(of),
            kind: 'lead_return',
            referenceId: of.id,
            campaignId: of.campaignId,
            key: `lead_return:${of.id}:${side}`,
            entries: entries.map((entry) => ({
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
      // If a lot has expired in the meantime, what was returned to it expires, too.
      if (id && byWallet) await wallet.expire(tx, agencyWallet, at, true);
      return id ? { id, amountMicros, paidBy: paid[0]!.kind } : null;
    },

    /**
     * Gives a client's campaign credit out of its agency's revenue: into the prepaid balance, or off what it owes. Null
     * if it was already given under the same key.
     * @throws Refusal 409 if the key was used for another amount
     */
    async grant(
      tx: Tx,
      given: {
        rootId: string;
        agencyId: string;
        clientId: string;
        campaignId: string;
        isOwed: boolean;
        amountMicros: bigint;
        memo: string;
        key: string;
      },
      at: Date,
    ): Promise<string | null> {
      const key = `client_grant:${given.campaignId}:${given.key}`;
      const [id] = await ledger.post(
        tx,
        [
          {
            owner: clientOf(given),
            kind: 'client_grant',
            referenceId: given.campaignId,
            campaignId: given.campaignId,
            memo: given.memo,
            key,
            entries: [
              {
                account: {
                  owner: clientOf(given),
                  kind: given.isOwed ? 'client_unbilled' : 'client_prepaid',
                  campaignId: given.campaignId,
                },
                amount: given.amountMicros,
              },
              { account: { owner: agencyOf(given), kind: 'agency_revenue' }, amount: -given.amountMicros },
            ],
          },
        ],
        at,
      );
      if (id) return id;
      await mustBeSame(tx, given.rootId, key, given.amountMicros);
      return null;
    },

    /**
     * Records prepaid balance that the client paid the agency outside the system. False if the same was already
     * recorded under this key.
     * @throws Refusal 409 if the key was used for another amount
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
      await mustBeSame(tx, given.rootId, key, given.amountMicros);
      return false;
    },
    prepaidOf: ledger.prepaidOf,
  };
}
