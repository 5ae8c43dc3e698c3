import type { Owner } from '../../../platform/db/owner.ts';
import type { Tx } from '../../../platform/db/scope.ts';

/** What money is charged for. Each has one handler, registered at the wiring (Charges.onSettled). */
export const PURPOSES = [
  'wallet_top_up',
  'prepaid_top_up',
  'invoice',
  'onboarding',
  'minimum_spend',
  'wholesale',
] as const;
export type Purpose = (typeof PURPOSES)[number];

/**
 * The state of a charge. `intended`: written, not sent. `sent`: on its way. `unknown`: the response was lost; the
 * provider is asked until the outcome is known. `canceled`: it never took place. `refunded`: fully refunded.
 * `disputed`: the cardholder took it back, or is trying to.
 */
export const CHARGE_STATES = [
  'intended',
  'sent',
  'unknown',
  'succeeded',
  'declined',
  'canceled',
  'refunded',
  'disputed',
] as const;
export type ChargeState = (typeof CHARGE_STATES)[number];

/** What is to be charged. */
export interface ChargeAsk {
  /** Whose card: an agency's, on the root's account with the provider; a client's, on its agency's connected account. */
  owner: Owner & { agency_id: string };
  purpose: Purpose;
  /**
   * What is paid for (wallet: the agency's id; an invoice's id ...). Only one charge for it can be in progress at a
   * time.
   */
  referenceId: string;
  /** Whole cents only, from 0.50 to 999,999.99 USD. */
  amountMicros: bigint;
  /**
   * The same key means the same charge: there is only one, no matter how often it is requested. Unique per owner and
   * purpose.
   */
  key: string;
  /** For the cardholder's statement; nothing personal. */
  description: string;
  /** The part of a client's charge that goes to the root (application fee). Whole cents. */
  feeMicros?: bigint;
  /** Ids and small values that the purpose's handler wants back. Nothing personal. */
  details?: Record<string, string>;
  /** The requesting user, if there is one. */
  userId?: string | null;
  ip?: string | null;
  /**
   * Runs in the transaction of a new intent, once its row exists: if it throws, the intent is undone. For conditions
   * that must hold at that moment, whoever else is charging the same thing; and for the audit row of who requested it.
   */
  check?: (tx: Tx) => Promise<void>;
}

/** A charge as seen by purposes. */
export interface Charge {
  id: string;
  owner: Owner & { agency_id: string };
  purpose: Purpose;
  referenceId: string;
  state: ChargeState;
  key: string;
  amountMicros: bigint;
  feeMicros: bigint;
  /** How much of it was refunded, or is about to be. */
  refundedMicros: bigint;
  /** The connected account that it is booked on; '' for the root's own. */
  account: string;
  details: Record<string, string>;
  description: string;
  /** Why it was declined: Stripe's code, or one of ours (no_card, account_not_ready, unavailable, never_arrived). */
  declineCode: string | null;
  /** May be shown to the cardholder. */
  declineMessage: string | null;
  /** Declined, but the cardholder can still complete it in the browser (`authentication`). */
  needsAuthentication: boolean;
  /** The card that was charged, as people know it. */
  brand: string;
  last4: string;
  userId: string | null;
  createdAt: Date;
  settledAt: Date | null;
}

/** Which charges are meant: those of a company, of an agency and its clients, or of a company for one thing. */
export type Whose =
  | { companyId: string }
  | { agencyId: string }
  | { companyId: string; purpose: Purpose; referenceId: string };

export interface RefundOf {
  id: string;
  amountMicros: bigint;
  key: string;
  reason: string;
  /** It was made at the provider and not by us: the money has left, so it must be booked as far as possible. */
  isOutside: boolean;
}
export interface DisputeOf {
  id: string;
  amountMicros: bigint;
  reason: string;
}

/**
 * What a purpose does with news about its charges: it posts to the ledger inside the transaction that changes the
 * charge, so that either both happen or neither does. Each is called no more than once per charge (refund, dispute), in
 * any process; `declined` may be followed by `succeeded` if the cardholder authenticates. `at` is the current time by
 * the clock.
 */
export interface PurposeHandler {
  succeeded(tx: Tx, charge: Charge, at: Date): Promise<void>;
  /** Declined, or canceled: nothing was charged. */
  declined(tx: Tx, charge: Charge, at: Date): Promise<void>;
  /**
   * A refund is about to be requested: takes it off the books (throwing a Refusal here stops it), so that no one spends
   * the money in the meantime; or one that was made at the provider has been found (`isOutside`).
   */
  refunded(tx: Tx, charge: Charge, refund: RefundOf, at: Date): Promise<void>;
  /** The refund did not happen after all: reverses it. */
  refundFailed(tx: Tx, charge: Charge, refund: RefundOf, at: Date): Promise<void>;
  disputed(tx: Tx, charge: Charge, dispute: DisputeOf, at: Date): Promise<void>;
  disputeWon(tx: Tx, charge: Charge, dispute: DisputeOf, at: Date): Promise<void>;
}

/**
 * The outcome of a charge at the time of the response. `unknown`: the provider is asked until it is known, then the
 * charge is settled.
 */
export type ChargeResult =
  | { status: 'succeeded'; charge: Charge }
  | { status: 'declined'; charge: Charge; code: string; message: string; needsAuthentication: boolean }
  | { status: 'unknown'; charge: Charge };

/** What other features do with charges (implemented by createCharges in charge.service.ts). */
export interface Charges {
  /** Registers what a purpose does with its charges; at the wiring, once each. */
  onSettled(purpose: Purpose, handler: PurposeHandler): void;
  /**
   * Charges the owner's card and waits for the answer. Never inside a transaction. If called again with the same key,
   * returns the outcome of that charge and charges nothing more.
   * @throws Refusal 422 for an amount (not whole cents, below 0.50, too high), 409 without a card on file or with an
   * account that can't charge, while another charge for the same thing is in progress, or if the key was used for
   * something else
   */
  charge(ask: ChargeAsk): Promise<ChargeResult>;
  /**
   * Writes the intent inside the caller's transaction (in scope of the root or of the owner); a job sends it after the
   * commit. For charges that no user is waiting for (automatic top-ups). Returns null if the same key or another charge
   * for the same thing is already in progress, or there is no card that could be charged.
   * @throws Refusal 422 for an amount
   */
  intend(tx: Tx, ask: ChargeAsk): Promise<string | null>;
  /** The charge of a key, if there is one. */
  byKey(tx: Tx, companyId: string, purpose: Purpose, key: string): Promise<Charge | null>;
  byId(tx: Tx, id: string): Promise<Charge | null>;
  /** The newest charges for something, newest first. */
  of(tx: Tx, companyId: string, purpose: Purpose, referenceId: string, limit?: number): Promise<Charge[]>;
  /**
   * For a transaction that removes a company, or a thing that is paid for: makes sure that no money can come in or go
   * back for it anymore. Declined charges that their cardholders could still confirm are canceled before (AskFirst).
   * @param name what is removed, in words
   * @throws Refusal 409 while the outcome of a charge or refund is not known
   */
  mustRest(tx: Tx, of: Whose, name: string): Promise<void>;
  /**
   * Cancels a company's declined charges that their cardholders could still confirm, never inside a transaction. Those
   * that the provider does not answer about stay as they are.
   */
  endConfirmable(rootId: string, companyId: string): Promise<void>;
  /**
   * Refunds money, once the transaction has committed, that came in for something that is not there anymore. If it
   * cannot be refunded, it is on the page "Payments to check".
   */
  giveBack(tx: Tx, given: { charge: Charge; amountMicros: bigint; key: string }): Promise<void>;
  /** The charge for something that is in progress (intended, sent or unknown), if there is one. */
  underWay(tx: Tx, companyId: string, purpose: Purpose, referenceId: string): Promise<Charge | null>;
  /**
   * Refunds a charge in full or in part. The same key means the same refund.
   * @throws Refusal 404, 409 if it is more than is left, 422 for an amount
   */
  refund(given: {
    rootId: string;
    chargeId: string;
    amountMicros?: bigint;
    key: string;
    reason: string;
    /** Runs once, after the purpose's handler, in the transaction that takes the refund off the books. */
    note?: (tx: Tx) => Promise<void>;
  }): Promise<{ status: 'succeeded' | 'pending' | 'failed' | 'unknown'; id: string; amountMicros: bigint }>;
  /**
   * Asks the provider for the outcome of a charge, and settles it.
   * @throws Refusal 404
   */
  ask(rootId: string, chargeId: string): Promise<ChargeResult>;
}
