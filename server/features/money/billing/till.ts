import type { Owner } from '../../../platform/db/owner.ts';
import type { Tx } from '../../../platform/db/scope.ts';
import type { EventHub } from '../../../platform/events.ts';
import type { AccountRef, Ledger, Posting } from '../ledger/index.ts';
import type { Spend, SpendingLimits } from '../spending-limits/index.ts';
import type { Wallet } from '../wallet/index.ts';
import * as store from './store.ts';

/** A campaign that leads are sold on. */
export interface TillCampaign {
  id: string;
  rootId: string;
  agencyId: string;
  clientId: string;
}

/** The money side of a lead: what the client pays, what the agency pays, what it cost the root. */
export interface LeadSale {
  id: string;
  /** A lead unless given; for ads, a batch of impressions (features/ads). */
  kind?: 'lead' | 'ad_spend';
  rootId: string;
  agencyId: string;
  clientId: string;
  campaignId: string;
  priceMicros: bigint;
  costMicros: bigint;
  supplierMicros?: bigint;
  /** How far the price is below the cost, beyond what the agency accepts: if so, the lead is not sold. */
  excessMicros?: bigint;
  /** The client owes it (payment terms Weekly and Monthly): its balance neither pays for it nor blocks it. */
  isOwed?: boolean;
  /** The agency owes its cost: its wallet neither pays for it nor limits it. */
  isPayable?: boolean;
}

/** Why a lead cannot be sold. */
export type SaleRefusal = 'below_cost' | 'balance_empty' | 'cap_campaign' | 'cap_client' | 'cap_wallet';

export type Till = Awaited<ReturnType<typeof openTill>>;

export const clientOf = (of: { rootId: string; agencyId: string; clientId: string }) => ({
  root_id: of.rootId,
  agency_id: of.agencyId,
  company_id: of.clientId,
});
export const agencyOf = (of: { rootId: string; agencyId: string }) => ({
  root_id: of.rootId,
  agency_id: of.agencyId,
  company_id: of.agencyId,
});
export const rootOf = (of: { rootId: string }): Owner => ({
  root_id: of.rootId,
  agency_id: null,
  company_id: of.rootId,
});

/**
 * Locks everything that can block the sale of leads of some campaigns (prepaid balances, the agencies' wallets, limits)
 * and keeps count while a batch is decided. Nothing is written until `settle`.
 */
export async function openTill(
  {
    ledger,
    wallet,
    spendingLimits,
    events,
  }: { ledger: Ledger; wallet: Wallet; spendingLimits: SpendingLimits; events: EventHub },
  tx: Tx,
  campaigns: TillCampaign[],
  at: Date,
) {
  const agencies = new Map(campaigns.map((c) => [c.agencyId, { rootId: c.rootId, agencyId: c.agencyId }]));
  const prepaid = (c: TillCampaign): AccountRef => ({
    owner: clientOf(c),
    kind: 'client_prepaid',
    campaignId: c.id,
  });
  // One call locks prepaid balances and wallets, always in the same order, then limits, and reads their contents.
  const ids = await ledger.accounts(
    tx,
    campaigns.map(prepaid),
    at,
    [...agencies.values()].map(wallet.account),
  );
  const subjects = new Set(campaigns.flatMap((c) => [c.id, c.clientId, c.agencyId]));
  const walletIds = ids.slice(campaigns.length);
  const held = await store.lockTill(
    tx,
    ids.filter((id) => id !== null),
    walletIds.filter((id) => id !== null),
    [...subjects],
  );
  ledger.hold(tx, held.balances.keys());
  const balances = new Map(campaigns.map((c, i) => [c.id, held.balances.get(ids[i]!) ?? 0n]));
  const wallets = await wallet.books(
    tx,
    [...agencies.values()].flatMap((of, i) => {
      const accountId = walletIds[i];
      return accountId ? [{ of, accountId }] : [];
    }),
    at,
    false,
    held.lots,
  );
  const limits = await spendingLimits.open(
    tx,
    campaigns.map((c) => ({ ...c, campaignId: c.id })),
    at,
    held.caps,
  );
  const sold: { sale: LeadSale; spend: Spend; parts: { lotId: string; amount: bigint }[] | null }[] = [];

  const spendOf = (sale: Omit<LeadSale, 'id'>): Spend => {
    const book = wallets.get(sale.agencyId);
    const pays =
      !sale.isPayable && sale.costMicros > 0n && book !== undefined && book.available >= sale.costMicros;
    return {
      campaignId: sale.campaignId,
      clientId: sale.clientId,
      agencyId: sale.agencyId,
      priceMicros: sale.priceMicros,
      walletMicros: pays ? sale.costMicros : 0n,
    };
  };

  return {
    /** The prepaid balance of a campaign, less what has been sold here. */
    balance: (campaignId: string): bigint => balances.get(campaignId) ?? 0n,

    /** What prevents a sale. */
    refusal(sale: Omit<LeadSale, 'id'>): SaleRefusal | null {
      if ((sale.excessMicros ?? 0n) > 0n) return 'below_cost';
      if (!sale.isOwed && (balances.get(sale.campaignId) ?? 0n) < sale.priceMicros) return 'balance_empty';
      return limits.refusal(spendOf(sale));
    },

    /** Sells a lead unconditionally; call `refusal` first. */
    take(sale: LeadSale): void {
      const spend = spendOf(sale);
      limits.take(sale.rootId, spend);
      if (!sale.isOwed)
        balances.set(sale.campaignId, (balances.get(sale.campaignId) ?? 0n) - sale.priceMicros);
      const parts = spend.walletMicros > 0n ? wallets.get(sale.agencyId)!.draw(spend.walletMicros) : null;
      sold.push({ sale, spend, parts });
    },

    /**
     * Posts what was sold, both sides of each lead in one transfer. Returns the transfer by lead (null: it costs no one
     * anything, or was already posted).
     */
    async settle(): Promise<Map<string, string | null>> {
      const paid = sold.filter(
        ({ sale }) => sale.priceMicros > 0n || sale.costMicros > 0n || sale.supplierMicros,
      );
      const ids = await ledger.post(
        tx,
        paid.map(({ sale, parts }): Posting => {
          const agency = agencyOf(sale);
          const root = rootOf(sale);
          const supplier = sale.supplierMicros ?? 0n;
          return {
            owner: clientOf(sale),
            kind: sale.kind ?? 'lead',
            referenceId: sale.id,
            campaignId: sale.campaignId,
            key: `${sale.kind ?? 'lead'}:${sale.id}`,
            entries: [
              {
                account: {
                  owner: clientOf(sale),
                  kind: sale.isOwed ? 'client_unbilled' : 'client_prepaid',
                  campaignId: sale.campaignId,
                },
                amount: -sale.priceMicros,
              },
              { account: { owner: agency, kind: 'agency_revenue' }, amount: sale.priceMicros },
              // Wholesale is collected once: from the wallet when it covers the lead, else it is owed.
              ...(parts
                ? parts.map(({ lotId, amount }) => ({
                    account: { owner: agency, kind: 'agency_wallet' as const },
                    amount: -amount,
                    lotId,
                  }))
                : [
                    { account: { owner: agency, kind: 'agency_payable' as const }, amount: -sale.costMicros },
                  ]),
              { account: { owner: root, kind: 'root_revenue' }, amount: sale.costMicros },
              { account: { owner: root, kind: 'root_cost' }, amount: -supplier },
              { account: { owner: root, kind: 'supplier_due' }, amount: supplier },
            ],
          };
        }),
        at,
        limits.counted(),
      );
      // Limits count each lead once, no matter how often it is sold.
      for (const [i, { sale, spend }] of paid.entries())
        if (!ids[i]) await limits.takeBack(sale.rootId, spend);
      await limits.tell();
      const drawn = new Map(
        sold.flatMap(({ sale, parts }) => (parts ? [[sale.agencyId, sale.rootId] as const] : [])),
      );
      for (const rootId of new Set(drawn.values())) {
        const own = [...drawn.keys()].filter((agencyId) => drawn.get(agencyId) === rootId);
        await wallet.drawn(
          tx,
          rootId,
          own.map((agencyId) => ({ agencyId, available: wallets.get(agencyId)!.available })),
        );
      }
      await tellPrepaid(tx, events, sold, balances);
      const byLead = new Map<string, string | null>(sold.map(({ sale }) => [sale.id, null]));
      paid.forEach(({ sale }, i) => {
        byLead.set(sale.id, ids[i] ?? null);
      });
      sold.length = 0;
      return byLead;
    },
  };
}

/** Reports what is left of the prepaid balances that sales have drawn from, for each root. */
async function tellPrepaid(
  tx: Tx,
  events: EventHub,
  sold: { sale: LeadSale }[],
  balances: ReadonlyMap<string, bigint>,
): Promise<void> {
  const roots = new Map<string, Map<string, { campaignId: string; before: bigint; left: bigint }>>();
  for (const { sale } of sold) {
    if (sale.priceMicros === 0n) continue;
    const drawn = roots.getOrInsertComputed(sale.rootId, () => new Map());
    const left = balances.get(sale.campaignId) ?? 0n;
    const one = drawn.getOrInsertComputed(sale.campaignId, (campaignId) => ({
      campaignId,
      before: left,
      left,
    }));
    one.before += sale.priceMicros;
  }
  for (const [rootId, drawn] of roots)
    await events.emit(tx, 'prepaid.drawn', { rootId, campaigns: [...drawn.values()] });
}
