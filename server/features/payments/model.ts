import type { Owner } from '../../platform/db/owner.ts';
import type { Tx } from '../../platform/db/scope.ts';

/** What money is charged for. One handler each is registered at the wiring (Charges.onSettled). */
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
 * Where a charge stands. `intended`: written, not sent. `sent`: on its way. `unknown`: the answer was lost; it is asked
 * for until it is known. `canceled`: it never came to be. `refunded`: all of it was given back. `disputed`: its holder
 * took it back, or tries to.
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
  /** What is paid for (wallet: the agency's id; an invoice's id ...). One charge for it is under way at a time. */
  referenceId: string;
  /** Whole cents only, from 0.50 to 999,999.99 USD. */
  amountMicros: bigint;
  /** Same key, same charge: at most one, whatever is asked how often. Unique for owner and purpose. */
  key: string;
  /** For the holder's statement; nothing personal. */
  description: string;
  /** What of a client's charge goes on to the root (application fee). Whole cents. */
  feeMicros?: bigint;
  /** Ids and small values that the purpose's handler wants back. Nothing personal. */
  details?: Record<string, string>;
  /** Who asks, where a person does. */
  userId?: string | null;
  ip?: string | null;
  /**
   * Runs in the transaction of a new intent, once its row is there: what it throws undoes the intent. For what must hold
   * at that moment, whoever else is charging the same thing; and for the audit row of who asked.
   */
  check?: (tx: Tx) => Promise<void>;
}

/** A charge as purposes see it. */
export interface Charge {
  id: string;
  owner: Owner & { agency_id: string };
  purpose: Purpose;
  referenceId: string;
  state: ChargeState;
  key: string;
  amountMicros: bigint;
  feeMicros: bigint;
  /** What of it was given back, or is about to be. */
  refundedMicros: bigint;
  /** The connected account on whose books it is; '': the root's own. */
  account: string;
  details: Record<string, string>;
  description: string;
  /** Why it was declined: Stripe's code, or one of ours (no_card, account_not_ready, unavailable, never_arrived). */
  declineCode: string | null;
  /** May be shown to the card's holder. */
  declineMessage: string | null;
  /** Declined, but its holder can still complete it in the browser (`authentication`). */
  needsAuthentication: boolean;
  /** The card that was charged, as people know it. */
  brand: string;
  last4: string;
  userId: string | null;
  createdAt: Date;
  settledAt: Date | null;
}

export interface RefundOf {
  id: string;
  amountMicros: bigint;
  key: string;
  reason: string;
}
export interface DisputeOf {
  id: string;
  amountMicros: bigint;
  reason: string;
}

/**
 * What a purpose does with news of its charges: posts to the ledger, inside the transaction that changes the charge, so
 * that both are or neither is. Each is called at most once per charge (refund, dispute), in any process; `declined` may be
 * followed by `succeeded` when the holder authenticates. `at` is now by the clock.
 */
export interface PurposeHandler {
  succeeded(tx: Tx, charge: Charge, at: Date): Promise<void>;
  /** Declined, or canceled: nothing was charged. */
  declined(tx: Tx, charge: Charge, at: Date): Promise<void>;
  /**
   * A refund is about to be asked for: takes it off the books (a Refusal thrown here stops it), so that nobody spends it
   * meanwhile. `outside`: it was made at the provider, so it must be booked as far as it can.
   */
  refunded(tx: Tx, charge: Charge, refund: RefundOf, at: Date, outside?: boolean): Promise<void>;
  /** The refund did not happen after all: puts it back. */
  refundFailed(tx: Tx, charge: Charge, refund: RefundOf, at: Date): Promise<void>;
  disputed(tx: Tx, charge: Charge, dispute: DisputeOf, at: Date): Promise<void>;
  disputeWon(tx: Tx, charge: Charge, dispute: DisputeOf, at: Date): Promise<void>;
}

/** What became of a charge by the time of the answer. `unknown`: it is asked for until it is known, then settled. */
export type ChargeResult =
  | { status: 'succeeded'; charge: Charge }
  | { status: 'declined'; charge: Charge; code: string; message: string; needsAuthentication: boolean }
  | { status: 'unknown'; charge: Charge };

/** What other features do with charges (implemented by createCharges in charge.service.ts). */
export interface Charges {
  /** Registers what a purpose does with its charges; at the wiring, once each. */
  onSettled(purpose: Purpose, handler: PurposeHandler): void;
  /**
   * Charges the owner's card and waits for the answer. Never inside a transaction. Asked again with the same key it
   * answers what has become of the charge, and charges nothing more.
   * @throws Refusal 422 for an amount (not whole cents, below 0.50, too high), 409 without a card on file or with an
   * account that cannot charge, while another charge for the same thing is under way, or when the key was used for
   * something else
   */
  charge(ask: ChargeAsk): Promise<ChargeResult>;
  /**
   * Writes the intent inside the caller's transaction (in scope of the root or of the owner); a job sends it after the
   * commit. For what no person waits for (automatic top-ups). Null when the same key or another charge for the same
   * thing is under way already, or there is no card that could be charged.
   * @throws Refusal 422 for an amount
   */
  intend(tx: Tx, ask: ChargeAsk): Promise<string | null>;
  /** The charge of a key, if there is one. */
  byKey(tx: Tx, companyId: string, purpose: Purpose, key: string): Promise<Charge | null>;
  /** The newest charges for something, newest first. */
  of(tx: Tx, companyId: string, purpose: Purpose, referenceId: string, limit?: number): Promise<Charge[]>;
  /** The charge for something that is under way (intended, sent or unknown), if there is one. */
  underWay(tx: Tx, companyId: string, purpose: Purpose, referenceId: string): Promise<Charge | null>;
  /**
   * Gives a charge back, in whole or in part. Same key, same refund.
   * @throws Refusal 404, 409 when it is more than is left, 422 for an amount
   */
  refund(given: {
    rootId: string;
    chargeId: string;
    amountMicros?: bigint;
    key: string;
    reason: string;
    /** Runs once, in the transaction that takes it off the books, after the purpose's handler. */
    note?: (tx: Tx) => Promise<void>;
  }): Promise<{ status: 'succeeded' | 'pending' | 'failed' | 'unknown'; id: string; amountMicros: bigint }>;
  /** Asks the provider what has become of a charge, and settles it. @throws Refusal 404 */
  ask(rootId: string, chargeId: string): Promise<ChargeResult>;
}
