import type { Owner } from './db/owner.ts';
import type { Tx } from './db/scope.ts';

/** Events that a lower-level feature emits for higher-level ones. */
export interface Events {
  /** A change was written to the user log, in whatever scope it was made. */
  'log.written': { action: string; objectId: string; owner: Owner; at: Date };
  /** A Data Wallet has been noticed to run low (root's scope). */
  'wallet.low': { owner: Owner & { agency_id: string } };
  /** An automatic top-up of a Data Wallet failed (root's scope). */
  'wallet.top_up_failed': { owner: Owner & { agency_id: string } };
  /** A keyword count is done, or failed (root's scope). */
  'count.finished': { countId: string; owner: Owner & { agency_id: string } };
  /** The card provider has reported the state of an agency's account. */
  'account.changed': { owner: Owner & { agency_id: string }; status: string; chargesEnabled: boolean };
  /** A campaign has started running, for the first time or again; in the scope of whatever started it. */
  'campaign.started': { rootId: string; campaignId: string };
  /**
   * A campaign, which the transaction has locked, is about to be removed; a Refusal prevents it. In the scope of the
   * user who removes it.
   */
  'campaign.removing': { campaignId: string; owner: Owner };
  /**
   * A root's lead prices have changed: for one agency, or the minimum for all (null), from an instant on. In the root's
   * scope.
   */
  'wholesale.changed': { rootId: string; agencyId: string | null; from: Date };
  /**
   * The minimum spend that a root requires of its agencies has changed, or which of them have their own plan (root's
   * scope).
   */
  'minspend.changed': { rootId: string };
  /** A spending limit was set, raised, or removed. */
  'caps.changed': { rootId: string };
  /**
   * Money was drawn from wallets, whose balances the transaction has locked; `available` is what can still be drawn.
   */
  'wallet.drawn': { rootId: string; wallets: { agencyId: string; available: bigint }[] };
  /** The cardholder has disputed a charge (root's scope); `dueBy`: the deadline for a response, ISO 8601. */
  'charge.disputed': {
    owner: Owner & { agency_id: string };
    chargeId: string;
    amountMicros: bigint;
    reason: string;
    dueBy: string | null;
  };
  /** Money was paid immediately (a top-up by card) and has its receipt (root's scope); `owner` paid it. */
  'receipt.issued': { invoiceId: string; owner: Owner & { agency_id: string } };
  /** An invoice has been issued (root's scope); `owner` pays it. Receipts have their own event. */
  'invoice.issued': {
    invoiceId: string;
    owner: Owner & { agency_id: string };
    side: 'retail' | 'wholesale';
    kind: string;
  };
  /**
   * The amount due on an invoice has changed because of a credit note or because it was written off (root's scope);
   * `owner` pays it.
   */
  'invoice.changed': { invoiceId: string; owner: Owner & { agency_id: string } };
  /**
   * Leads were paid from prepaid balances, which the transaction has locked: `before` and `left` of each. Emitted once
   * per batch, for each root.
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
  /**
   * Unused balance of such a purchase went back to the card; if negative, the refund failed or the dispute was won, and
   * the amount was put back. What was spent is not included: its sale holds, and the client owes it.
   */
  'prepaid.refunded': {
    owner: Owner & { agency_id: string };
    campaignId: string;
    term: 'One Time' | 'Prepaid';
    cause: 'refund' | 'dispute';
    amountMicros: bigint;
    /** The transfer posted now, and the one that the purchase posted. */
    transferId: string;
    topUpId: string;
    chargeId: string;
  };
  /** An import has brought intent signals (in the root's scope). */
  'signals.added': { rootId: string };
  /** People in a graph have been merged into one, or split again; all rows concerned (in the root's scope). */
  'people.merged': { rootId: string; personIds: string[] };
  /** The target of a Search ID campaign has changed, or has been set for the first time. */
  'campaign.target_changed': { rootId: string; campaignId: string };
  /** What a campaign's leads are scored by has changed. */
  'campaign.scores_changed': { rootId: string; campaignId: string };
  /**
   * People behind leads are on the site again (root's scope). `hasReturned`: on its own visit, half an hour or more
   * after they were last seen. Ids only; emitted once per batch, all of one root.
   */
  'leads.seen': {
    leads: {
      id: string;
      campaignId: string;
      owner: Owner & { agency_id: string };
      at: Date;
      hasReturned: boolean;
    }[];
  };
  /** Known customers are on a client's site (root's scope). Ids only; emitted once per batch, all of one root. */
  'customers.seen': { visits: { id: string; owner: Owner & { agency_id: string }; at: Date }[] };
  /** Leads were accepted. Ids only; emitted once per batch, all of one root. Tests are not counted. */
  'leads.accepted': {
    leads: {
      id: string;
      campaignId: string;
      owner: Owner & { agency_id: string };
      /** Their data is still being completed: do not send them before this time, or before leads.completed. */
      waitsUntil?: Date | undefined;
    }[];
    isTest: boolean;
  };
  /**
   * What a client paid for a lead was refunded, as a credit (root's scope; the lead's campaign is locked). `by`: the user
   * who did it; null if it happened by itself.
   */
  'lead.refunded': { leadId: string; creditId: string; by: string | null };
  /** An ad campaign, what it shows, or whom it is aimed at has changed; null: no campaign in particular. */
  'ads.changed': { rootId: string; campaignId: string | null };
  /** Visits are about to become leads (root's scope); their transaction has reserved them. */
  'visits.resolving': {
    rootId: string;
    visits: readonly {
      campaign_id: string;
      event_id: string;
      visitor_id: string | null;
      received_at: Date;
      url: string | null;
      gpc: boolean;
    }[];
  };
  /** A connection works again, so what waited for it can go on (in the scope of whoever mended it). */
  'connection.restored': { rootId: string; connectionId: string };
  /** A connection is about to be removed: nothing may be delivered through it any more. */
  'connection.removed': { connectionId: string };
  /** The data of leads is as complete as it can be: they no longer wait. */
  'leads.completed': { rootId: string; leadIds: string[] };
}

type Listener<K extends keyof Events> = (tx: Tx, event: Events[K]) => Promise<void>;

/**
 * Carries events upward. Listeners run inside the transaction that caused the event: what they write and the jobs they
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
