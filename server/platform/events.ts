import type { Owner } from './db/owner.ts';
import type { Tx } from './db/scope.ts';

/** News that a lower feature has for higher ones. */
export interface Events {
  /** The card provider has said how an agency's account stands. */
  'account.changed': { owner: Owner & { agency_id: string }; status: string; chargesEnabled: boolean };
  /** A campaign has begun to run, for the first time or again; in whatever scope did it. */
  'campaign.started': { rootId: string; campaignId: string };
  /** A campaign, which the transaction has locked, is about to be removed; a Refusal keeps it. In the scope of who does it. */
  'campaign.removing': { campaignId: string; owner: Owner };
  /** What a root asks for leads has changed: of one agency, or the least of all (null), from an instant on. In the root's scope. */
  'wholesale.changed': { rootId: string; agencyId: string | null; from: Date };
  /** What a root asks agencies to spend at least has changed, or which of them has a plan of its own (root's scope). */
  'minspend.changed': { rootId: string };
  /** A limit on spending was set, raised or lifted. */
  'caps.changed': { rootId: string };
  /** Money was drawn from wallets, whose balances the transaction holds; `available` is what can still be drawn. */
  'wallet.drawn': { rootId: string; wallets: { agencyId: string; available: bigint }[] };
  /** A charge is disputed by the card's holder (root's scope); `dueBy`: until when it can be answered, ISO 8601. */
  'charge.disputed': {
    owner: Owner & { agency_id: string };
    chargeId: string;
    amountMicros: bigint;
    reason: string;
    dueBy: string | null;
  };
  /** Money came in at once (a top-up by card) and has its receipt (root's scope); `owner` paid it. */
  'receipt.issued': { invoiceId: string; owner: Owner & { agency_id: string } };
  /** An invoice has been issued (root's scope); `owner` pays it. A receipt has news of its own. */
  'invoice.issued': {
    invoiceId: string;
    owner: Owner & { agency_id: string };
    side: 'retail' | 'wholesale';
    kind: string;
  };
  /** A credit note or giving it up has changed what is due of an invoice (root's scope); `owner` pays it. */
  'invoice.changed': { invoiceId: string; owner: Owner & { agency_id: string } };
  /**
   * Leads were paid out of prepaid balances, which the transaction holds: `before` and `left` of each. Told once per batch,
   * for each root.
   */
  'prepaid.drawn': { rootId: string; campaigns: { campaignId: string; before: bigint; left: bigint }[] };
  /** A client's card has bought balance for a campaign: `leads` at `priceMicros`, posted as `transferId`. */
  'prepaid.topped_up': {
    owner: Owner & { agency_id: string };
    campaignId: string;
    term: 'One Time' | 'Prepaid';
    amountMicros: bigint;
    transferId: string;
    leads: number;
    priceMicros: bigint;
    chargeId: string;
  };
  /** Some of such a purchase was given back to the card; below zero: it could not be, and was put back. */
  'prepaid.refunded': {
    owner: Owner & { agency_id: string };
    campaignId: string;
    term: 'One Time' | 'Prepaid';
    amountMicros: bigint;
    /** What was posted now, and what the purchase had posted. */
    transferId: string;
    topUpId: string;
    chargeId: string;
  };
  /** An import has brought intent signals (in the root's scope). */
  'signals.added': { rootId: string };
  /** People of a graph have become one, or several again; all rows that this concerns (in the root's scope). */
  'people.merged': { rootId: string; personIds: string[] };
  /** What a Search ID campaign looks for has changed, or has been set for the first time. */
  'campaign.target_changed': { rootId: string; campaignId: string };
  /** Leads were accepted. Ids only; told once per batch, all of one root. Tests count for nothing. */
  'leads.accepted': {
    leads: {
      id: string;
      campaignId: string;
      owner: Owner & { agency_id: string };
      /** Their data is still being completed: not to be sent before this, or before leads.completed. */
      waitsUntil?: Date | undefined;
    }[];
    isTest: boolean;
  };
  /** The data of leads is complete, as far as it can be: they wait no more. */
  'leads.completed': { rootId: string; leadIds: string[] };
}

type Listener<K extends keyof Events> = (tx: Tx, event: Events[K]) => Promise<void>;

/**
 * Carries news upwards. Listeners run inside the transaction that caused the event: what they write and the jobs they
 * enqueue exist if and only if the cause does (docs/decisions/0004-events-in-the-transaction.md).
 */
export class EventHub {
  readonly #listeners = new Map<keyof Events, Listener<never>[]>();

  on<K extends keyof Events>(name: K, listener: Listener<K>): void {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener as Listener<never>]);
  }

  async emit<K extends keyof Events>(tx: Tx, name: K, event: Events[K]): Promise<void> {
    for (const listener of this.#listeners.get(name) ?? []) await (listener as Listener<K>)(tx, event);
  }
}
