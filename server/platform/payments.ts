/**
 * The port to a card network (spec: product 1, 3 and 4). Two implementations keep one contract
 * (server/test/payment-gateway.contract.ts): providers/sandbox-cards and providers/stripe.
 *
 * Money is whole US cents. Ids are the provider's and opaque. Nothing here holds a card number.
 *
 * `account` names the connected account on whose books a call happens (an agency that charges its clients); without it
 * the call happens on the platform's own (the root that charges its agencies). A customer and a card belong to the place
 * where they were made and are not known elsewhere.
 *
 * What a call may end in:
 * - its answer;
 * - `unknown` (charge and refund): the question was sent and no answer came, so money may have moved. Ask with
 *   findCharge or findRefund, never take it for a failure;
 * - a thrown GatewayError: see its codes. But for `no_answer` nothing has happened.
 *
 * Every call that makes something carries an idempotency key: the same key with the same input has one effect and the
 * same answer, at least for 24 hours; with another input it throws `key_reused`.
 */
export interface PaymentGateway {
  readonly provider: 'sandbox' | 'stripe';
  /** `sandbox` and `test` move no money. */
  readonly mode: 'sandbox' | 'test' | 'live';
  /** What the browser's card form needs to name us to the provider; empty in the sandbox. */
  readonly publishableKey: string;

  /** Makes somebody who can be charged. Returns the id. */
  createCustomer(input: CustomerInput): Promise<string>;

  /** Begins to put a card on file. The browser enters the card with the secret; then finishCard. */
  startCard(input: { customer: string; idempotencyKey: string } & OnAccount): Promise<CardStart>;
  /** Where a startCard stands. `failed` is not the end: another card may be entered with the same secret. */
  finishCard(input: { setup: string } & OnAccount): Promise<CardSetup>;
  /** A card on file; undefined when it has been removed or never was. */
  getCard(input: { card: string } & OnAccount): Promise<Card | undefined>;
  /** Takes a card off file; a card that is not on file is no error. */
  removeCard(input: { card: string; idempotencyKey: string } & OnAccount): Promise<void>;

  /**
   * Charges a card on file without its holder being there. With `account` the charge is that account's own (it bears
   * fees and disputes) and `applicationFeeCents` of it come to the platform.
   * A decline under a key stays a decline under that key: a new try is a new key.
   */
  charge(request: ChargeRequest): Promise<ChargeOutcome>;
  /**
   * What has become of a charge whose answer was lost, as it is now, by its idempotency key. `none`: the provider knows
   * of no such charge *yet*; only after an hour has passed does that mean that it will never be.
   */
  findCharge(
    input: { customer: string; idempotencyKey: string; since: Date } & OnAccount,
  ): Promise<ChargeOutcome | { status: 'none' }>;
  /** Every charge made there since an instant, however it was made; for comparing it with what we know. */
  listCharges(input: { since: Date } & OnAccount): Promise<ListedCharge[]>;
  /**
   * Makes sure that a declined charge is not completed later (by its holder's authentication). Answers what the charge
   * is now: `succeeded` when the holder was faster.
   */
  cancelCharge(input: { charge: string; idempotencyKey: string } & OnAccount): Promise<ChargeOutcome>;

  /** Gives a charge back, in whole or in part; with an account its application fee in proportion, too. */
  refund(request: RefundRequest): Promise<RefundOutcome>;
  /** What has become of a refund, as it is now, by its idempotency key. */
  findRefund(
    input: { charge: string; idempotencyKey: string } & OnAccount,
  ): Promise<RefundOutcome | { status: 'none' }>;

  /** What was sent from there to its holder's bank since an instant, newest first. */
  listPayouts(input: { since: Date } & OnAccount): Promise<ListedPayout[]>;
  /** What a payout is made of. Throws `not_found` for one of another account. */
  payoutParts(input: { payout: string } & OnAccount): Promise<PayoutPart[]>;

  /** Makes a connected account that charges cards itself. Returns the id. */
  createAccount(input: AccountInput): Promise<string>;
  /** A page of the provider on which the account's owner fills in what is required. Used once, never logged or mailed. */
  accountLink(input: AccountLinkInput): Promise<{ url: string; expiresAt: Date }>;
  /** How an account stands; without an id, or when it is gone or has left us, status ''. */
  getAccount(id: string | undefined): Promise<AccountState>;

  /**
   * Verifies and reads a notice (webhook) of the provider: `rawBody` exactly as it came. Throws NoticeRefused.
   * Notices come more than once and in any order: keep the ids that were done, and take a notice as a hint to ask for
   * the thing it speaks of.
   */
  readNotice(rawBody: Buffer | string, headers: Record<string, string | string[] | undefined>): Notice;
}

interface OnAccount {
  account?: string | undefined;
}

export interface CustomerInput extends OnAccount {
  idempotencyKey: string;
  /** Our id of the company; comes back as metadata. */
  reference: string;
  name?: string;
  email?: string;
}

/** `clientSecret` goes to the browser of the card's holder and nowhere else. */
export interface CardStart {
  setup: string;
  clientSecret: string;
}

export type CardSetup =
  | { status: 'saved'; card: Card }
  /** Nothing entered yet, or the holder has still to authenticate. */
  | { status: 'pending' }
  | { status: 'failed'; code: string; message: string };

export interface Card {
  id: string;
  /** In lower case: visa, mastercard, amex ... */
  brand: string;
  last4: string;
  expMonth: number;
  expYear: number;
  /** The same for the same number, wherever it is on file. */
  fingerprint: string;
}

export interface ChargeRequest extends OnAccount {
  customer: string;
  card: string;
  /** From MIN_CHARGE_CENTS to MAX_CHARGE_CENTS. */
  amountCents: number;
  currency: 'usd';
  /** 1 to 255 printable characters: the id of the intent row. */
  idempotencyKey: string;
  description: string;
  /** Ids only, up to 10. */
  metadata?: Record<string, string>;
  /** The platform's part; only with `account`, from 0 to the amount. */
  applicationFeeCents?: number;
}

export type ChargeOutcome =
  | { status: 'succeeded'; charge: string; amountCents: number; applicationFeeCents: number }
  | {
      status: 'declined';
      /** The provider's id of the try, where it keeps one. */
      charge?: string;
      /** Stripe's decline code, else its error code: insufficient_funds, expired_card, authentication_required ... */
      code: string;
      /** May be shown to the card's holder. */
      message: string;
      /** The holder can complete this very charge in the browser with `clientSecret`; or cancelCharge ends it. */
      needsAuthentication: boolean;
      clientSecret?: string;
    }
  | { status: 'unknown'; why: string };

export interface ListedCharge {
  charge: string;
  /** The idempotency key under which we made it; undefined: it was not made by us. */
  chargeKey: string | undefined;
  customer: string | undefined;
  /** As it is now. */
  status: 'succeeded' | 'declined' | 'unknown';
  amountCents: number;
  /** What of it has been given back. */
  refundedCents: number;
  createdAt: Date;
}

export interface ListedPayout {
  payout: string;
  amountCents: number;
  /** pending: on its way; failed: the bank did not take it, and it is back on the account. */
  status: 'pending' | 'paid' | 'failed' | 'canceled';
  createdAt: Date;
  /** When it is, or was, to be at the bank. */
  arrivesAt: Date;
}

/** A movement on the account that a payout took along: what it brought is amount less fee. */
export interface PayoutPart {
  kind: 'charge' | 'refund' | 'other';
  /** Below zero: taken off. */
  amountCents: number;
  /** The provider's and the platform's part of it. */
  feeCents: number;
  /** The charge that it is about, where it is about one. */
  charge: string | undefined;
  /** In the provider's words, where it is neither a charge nor a refund. */
  description: string;
  at: Date;
}

export interface RefundRequest extends OnAccount {
  charge: string;
  /** Without it: all that is left. */
  amountCents?: number;
  idempotencyKey: string;
}

export type RefundOutcome =
  | { status: 'succeeded' | 'pending'; refund: string; amountCents: number }
  | { status: 'failed'; refund: string; code: string }
  | { status: 'unknown'; why: string };

export interface AccountInput {
  idempotencyKey: string;
  /** Our id of the company. */
  reference: string;
  email?: string;
  /** ISO 3166-1, two letters. */
  country?: string;
}

export interface AccountLinkInput {
  account: string;
  idempotencyKey: string;
  /** Where the provider sends somebody whose link is used or too old: make a new one there. */
  refreshUrl: string;
  /** Where the provider sends the owner afterward. Does not mean that all is done: ask getAccount. */
  returnUrl: string;
}

/** As in the spec (`status_acc`): none, form not finished, provider is verifying, can be used, refused for good. */
export type AccountStatus = '' | 'pending' | 'inverification' | 'completed' | 'failed';

/** Named as on the wire (spec product 3 and 4). */
export interface AccountState {
  status: AccountStatus;
  charges_enabled: boolean;
  payouts_enabled: boolean;
  /** What the owner has still to bring, in the provider's words (`external_account`, `tos_acceptance.date`). */
  account_requirements: string[];
}

export const noAccount: AccountState = {
  status: '',
  charges_enabled: false,
  payouts_enabled: false,
  account_requirements: [],
};

export type NoticeKind =
  | 'card.saved'
  | 'card.failed'
  | 'card.updated'
  | 'card.removed'
  | 'charge.processing'
  | 'charge.succeeded'
  | 'charge.failed'
  | 'charge.needs_authentication'
  | 'charge.canceled'
  | 'charge.refunded'
  | 'refund.changed'
  | 'dispute.opened'
  | 'dispute.closed'
  | 'account.updated'
  | 'account.disconnected'
  | 'payout.failed'
  /** Genuine, and of no interest: answer 200. */
  | 'other';

/** What a notice says, the same for each provider. Absent: the notice does not tell. */
export interface Notice {
  /** The same each time it is sent. */
  id: string;
  kind: NoticeKind;
  /** The provider's own name of it. */
  type: string;
  livemode: boolean;
  createdAt: Date;
  account?: string;
  customer?: string;
  setup?: string;
  card?: string;
  charge?: string;
  /** The idempotency key under which the charge was made. */
  chargeKey?: string;
  refund?: string;
  /** The idempotency key under which the refund was made. */
  refundKey?: string;
  /** `dueBy`: until when it can be answered, where the provider says (ISO 8601). */
  dispute?: { id: string; status: string; reason: string; amountCents: number; dueBy?: string | undefined };
  /** A payout that did not reach the bank; `reason` in the provider's own words. */
  payout?: { id: string; amountCents: number; reason?: string | undefined };
}

export type GatewayErrorCode =
  /** Refused by our own checks or by the provider; the same input will be refused again. */
  | 'invalid'
  /** The key was used before with another input. */
  | 'key_reused'
  | 'not_found'
  /** The connected account cannot (yet, or any more) do this. */
  | 'account_not_ready'
  /** Too many requests; try later. */
  | 'busy'
  /** The provider could not be reached; nothing was sent. */
  | 'unavailable'
  /** The provider refuses our keys. */
  | 'credentials'
  /** Sent, and no answer: repeat with the same key. Thrown by every call but charge and refund. */
  | 'no_answer';

/** Why a call did not happen. The message names no secret and no personal value; it is for logs, not for people. */
export class GatewayError extends Error {
  override name = 'GatewayError';
  readonly code: GatewayErrorCode;
  /** The input at fault, when one is. */
  readonly field: string | undefined;
  constructor(code: GatewayErrorCode, message: string, field?: string) {
    super(message);
    this.code = code;
    this.field = field;
  }
}

/**
 * A notice that is not to be believed. `forged`: no signature, or not by us known secrets; `stale`: signed over 300 s
 * ago (a replay); `future`: signed over 300 s ahead; `wrong_mode`: a test notice at a live installation or the other way
 * round; `unreadable`: well signed, but not a notice.
 */
export class NoticeRefused extends Error {
  override name = 'NoticeRefused';
  readonly code: 'forged' | 'stale' | 'future' | 'wrong_mode' | 'unreadable';
  constructor(code: NoticeRefused['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** The networks take nothing below half a dollar or from a million up. */
export const MIN_CHARGE_CENTS = 50;
export const MAX_CHARGE_CENTS = 99_999_999;
const NOTICE_TOLERANCE_SECONDS = 300;

/** Throws `invalid` unless it is a whole number of cents within the bounds. */
export function checkCents(field: string, cents: number, min: number, max: number): void {
  if (!Number.isSafeInteger(cents) || cents < min || cents > max)
    throw new GatewayError(
      'invalid',
      `${field} must be a whole number of cents from ${min} to ${max}`,
      field,
    );
}

/** Throws `invalid` unless the key can travel as a header. */
export function checkKey(key: string): void {
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw new GatewayError(
      'invalid',
      'idempotencyKey must be 1 to 255 printable characters',
      'idempotencyKey',
    );
}

/** Throws `invalid` naming the field at fault, before anything is sent. */
export function checkCharge(request: ChargeRequest): void {
  checkKey(request.idempotencyKey);
  checkCents('amountCents', request.amountCents, MIN_CHARGE_CENTS, MAX_CHARGE_CENTS);
  if (request.currency !== 'usd') throw new GatewayError('invalid', 'currency must be usd', 'currency');
  if (request.applicationFeeCents !== undefined) {
    if (!request.account)
      throw new GatewayError('invalid', 'applicationFeeCents requires an account', 'applicationFeeCents');
    checkCents('applicationFeeCents', request.applicationFeeCents, 0, request.amountCents);
  }
  if (request.description.length > 500)
    throw new GatewayError('invalid', 'description must not exceed 500 characters', 'description');
  const metadata = Object.entries(request.metadata ?? {});
  const fits = ([name, value]: [string, string]) =>
    /^[a-z_]{1,40}$/.test(name) && !name.endsWith('_key') && value.length <= 500;
  if (metadata.length > 10 || !metadata.every(fits))
    throw new GatewayError(
      'invalid',
      'metadata must have up to 10 values of up to 500 characters, with lowercase names that do not end in _key',
      'metadata',
    );
}

/** Throws `invalid` naming the field at fault, before anything is sent. */
export function checkRefund(request: RefundRequest): void {
  checkKey(request.idempotencyKey);
  if (request.amountCents !== undefined) checkCents('amountCents', request.amountCents, 1, MAX_CHARGE_CENTS);
}

/** Throws NoticeRefused unless a notice signed `at` (seconds since 1970) is young enough, and not from the future. */
export function checkAge(at: number, now: Date): void {
  const age = Math.floor(now.getTime() / 1000) - at;
  if (age > NOTICE_TOLERANCE_SECONDS) throw new NoticeRefused('stale', `Signed ${age} s ago`);
  if (-age > NOTICE_TOLERANCE_SECONDS) throw new NoticeRefused('future', `Signed ${-age} s in the future`);
}
