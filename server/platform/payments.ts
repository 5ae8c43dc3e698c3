/**
 * The port to a card network (spec: product 1, 3 and 4). Two implementations follow one contract
 * (server/test/payment-gateway.contract.ts): providers/sandbox-cards and providers/stripe.
 *
 * Money is whole US cents. Ids are the provider's and opaque. Nothing here holds a card number.
 *
 * `account` names the connected account on whose books a call happens (an agency that charges its clients); without it,
 * the call happens on the platform's own books (the root that charges its agencies). A customer and a card belong to
 * the place where they were created and are not known elsewhere.
 *
 * Possible outcomes of a call:
 * - its answer;
 * - `unknown` (charge and refund): the request was sent and no answer came, so money may have moved. Check with
 *   findCharge or findRefund; never treat it as a failure;
 * - a thrown GatewayError: see its codes. Except for `no_answer`, nothing has happened.
 *
 * Every call that creates something carries an idempotency key: the same key with the same input has one effect and
 * returns the same answer for at least 24 hours; with different input it throws `key_reused`.
 */
export interface PaymentGateway {
  readonly provider: 'sandbox' | 'stripe';
  /** `sandbox` and `test` move no money. */
  readonly mode: 'sandbox' | 'test' | 'live';
  /** What the browser's card form needs to identify us to the provider; empty in the sandbox. */
  readonly publishableKey: string;

  /** Creates a customer who can be charged. Returns the id. */
  createCustomer(input: CustomerInput): Promise<string>;

  /** Starts putting a card on file. The browser enters the card using the secret; then call finishCard. */
  startCard(input: { customer: string; idempotencyKey: string } & OnAccount): Promise<CardStart>;
  /** The state of a startCard. `failed` is not final: another card may be entered with the same secret. */
  finishCard(input: { setup: string } & OnAccount): Promise<CardSetup>;
  /** A card on file; undefined if it was removed or never existed. */
  getCard(input: { card: string } & OnAccount): Promise<Card | undefined>;
  /** Removes a card from file; a card that is not on file is not an error. */
  removeCard(input: { card: string; idempotencyKey: string } & OnAccount): Promise<void>;

  /**
   * Charges a card on file without its holder being present. With `account`, the charge is that account's own (it bears
   * fees and disputes) and `applicationFeeCents` of it goes to the platform. A decline under a key stays a decline
   * under that key: a new attempt needs a new key.
   */
  charge(request: ChargeRequest): Promise<ChargeOutcome>;
  /**
   * The current state of a charge whose answer was lost, by its idempotency key. `none`: the provider does not know of
   * such a charge *yet*; only after an hour does that mean it will never exist.
   */
  findCharge(
    input: { customer: string; idempotencyKey: string; since: Date } & OnAccount,
  ): Promise<ChargeOutcome | { status: 'none' }>;
  /** Every charge made there since a given time, however it was made; for comparing with our records. */
  listCharges(input: { since: Date } & OnAccount): Promise<ListedCharge[]>;
  /**
   * Makes sure that a declined charge is not completed later (by its holder's authentication). Returns the charge's
   * current outcome: `succeeded` if the holder was faster.
   */
  cancelCharge(input: { charge: string; idempotencyKey: string } & OnAccount): Promise<ChargeOutcome>;

  /** Refunds a charge, in full or in part; with an account, its application fee in proportion, too. */
  refund(request: RefundRequest): Promise<RefundOutcome>;
  /** The current state of a refund, by its idempotency key. */
  findRefund(
    input: { charge: string; idempotencyKey: string } & OnAccount,
  ): Promise<RefundOutcome | { status: 'none' }>;
  /** Every refund of a charge, however it was made, oldest first. */
  listRefunds(input: { charge: string } & OnAccount): Promise<ListedRefund[]>;

  /** The payouts sent from there to its holder's bank since a given time, newest first. */
  listPayouts(input: { since: Date } & OnAccount): Promise<ListedPayout[]>;
  /** What a payout consists of. Throws `not_found` if it belongs to another account. */
  payoutParts(input: { payout: string } & OnAccount): Promise<PayoutPart[]>;

  /** Creates a connected account that charges cards itself. Returns the id. */
  createAccount(input: AccountInput): Promise<string>;
  /** A page at the provider where the account's owner fills in what is required. Used once, never logged or emailed. */
  accountLink(input: AccountLinkInput): Promise<{ url: string; expiresAt: Date }>;
  /** The status of an account; '' without an id, or if the account is gone or has disconnected from us. */
  getAccount(id: string | undefined): Promise<AccountState>;

  /**
   * Verifies and reads a notice (webhook) from the provider: `rawBody` exactly as received. Throws NoticeRefused.
   * Notices arrive more than once and in any order: keep the ids of those already handled, and treat a notice as a hint
   * to fetch the object it refers to.
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

/** `clientSecret` goes to the cardholder's browser and nowhere else. */
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
  /** In lowercase: visa, mastercard, amex ... */
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
      /** The provider's id of the attempt, if it keeps one. */
      charge?: string;
      /**
       * Stripe's decline code, or its error code if there is none: insufficient_funds, expired_card,
       * authentication_required ...
       */
      code: string;
      /** May be shown to the cardholder. */
      message: string;
      /**
       * The holder can complete this very charge in the browser with `clientSecret`; otherwise cancelCharge ends it.
       */
      needsAuthentication: boolean;
      clientSecret?: string;
    }
  | { status: 'unknown'; why: string };

export interface ListedCharge {
  charge: string;
  /** The idempotency key under which we made it; undefined: it was not made by us. */
  chargeKey: string | undefined;
  customer: string | undefined;
  /** The current status. */
  status: 'succeeded' | 'declined' | 'unknown';
  amountCents: number;
  /** How much of it has been refunded. */
  refundedCents: number;
  createdAt: Date;
}

export interface ListedRefund {
  refund: string;
  /**
   * The idempotency key under which we made it; undefined: it was not made by us. The owner of a connected account can
   * put any key on a refund of their own.
   */
  refundKey: string | undefined;
  amountCents: number;
  /** Why it failed, in the provider's words; absent unless it failed. */
  code?: string;
  /** The current status. */
  status: 'succeeded' | 'pending' | 'failed';
  createdAt: Date;
}

export interface ListedPayout {
  payout: string;
  amountCents: number;
  /** pending: on its way; failed: the bank did not accept it, and the money is back on the account. */
  status: 'pending' | 'paid' | 'failed' | 'canceled';
  createdAt: Date;
  /** When it is due at the bank, or arrived there. */
  arrivesAt: Date;
}

/** An account transaction included in a payout: its net is the amount less the fee. */
export interface PayoutPart {
  kind: 'charge' | 'refund' | 'other';
  /** Negative if money was taken off. */
  amountCents: number;
  /** The provider's and the platform's part of it. */
  feeCents: number;
  /** The charge it relates to, if any. */
  charge: string | undefined;
  /** In the provider's words, where it is neither a charge nor a refund. */
  description: string;
  at: Date;
}

export interface RefundRequest extends OnAccount {
  charge: string;
  /** If absent, everything that is left. */
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
  /** Where the provider sends a user whose link is used or expired: create a new one there. */
  refreshUrl: string;
  /** Where the provider sends the owner afterward. Does not mean that all is done: ask getAccount. */
  returnUrl: string;
}

/** As in the spec (`account_status`): none, form not finished, provider is verifying, can be used, refused for good. */
export type AccountStatus = '' | 'pending' | 'inverification' | 'completed' | 'failed';

/** Named as on the wire (spec product 3 and 4). */
export interface AccountState {
  status: AccountStatus;
  charges_enabled: boolean;
  payouts_enabled: boolean;
  /** What the owner still has to provide, in the provider's words (`external_account`, `tos_acceptance.date`). */
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

/** What a notice says, in the same form for each provider. An absent field means the notice does not say. */
export interface Notice {
  /** The same each time the notice is sent. */
  id: string;
  kind: NoticeKind;
  /** The provider's own name for it. */
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
  /** `dueBy`: the deadline for a response, if the provider gives one (ISO 8601). */
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

/** Why a call did not happen. The message contains no secrets or personal values; it is for logs, not for users. */
export class GatewayError extends Error {
  override name = 'GatewayError';
  readonly code: GatewayErrorCode;
  /** The invalid input, if there is one. */
  readonly field: string | undefined;
  constructor(code: GatewayErrorCode, message: string, field?: string) {
    super(message);
    this.code = code;
    this.field = field;
  }
}

/**
 * A notice that cannot be trusted. `forged`: no signature, or not signed with a secret we know; `stale`: signed over
 * 300 s ago (a replay); `future`: signed over 300 s ahead; `wrong_mode`: a test notice at a live installation or vice
 * versa; `unreadable`: correctly signed, but not a notice.
 */
export class NoticeRefused extends Error {
  override name = 'NoticeRefused';
  readonly code: 'forged' | 'stale' | 'future' | 'wrong_mode' | 'unreadable';
  constructor(code: NoticeRefused['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** The networks accept nothing below half a dollar or from a million dollars up. */
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

/** Throws `invalid` unless the key can be sent as a header. */
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

/** Throws NoticeRefused if a notice signed `at` (seconds since 1970) is too old or from the future. */
export function checkAge(at: number, now: Date): void {
  const age = Math.floor(now.getTime() / 1000) - at;
  if (age > NOTICE_TOLERANCE_SECONDS) throw new NoticeRefused('stale', `Signed ${age} s ago`);
  if (-age > NOTICE_TOLERANCE_SECONDS) throw new NoticeRefused('future', `Signed ${-age} s in the future`);
}
