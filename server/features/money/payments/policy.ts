import { refusalOf } from '../../../../contract/errors.ts';
import { usd } from '../../../../contract/primitives.ts';
import {
  type ChargeOutcome,
  GatewayError,
  type ListedRefund,
  MAX_CHARGE_CENTS,
  MIN_CHARGE_CENTS,
  type RefundOutcome,
} from '../../../platform/payments.ts';
import type { ChargeState } from './model.ts';

export const MICROS_PER_CENT = 10_000n;

/** A charge that the provider does not know one hour after it was sent will never take place (platform/payments.ts). */
export const FINAL_AFTER_MS = 3_600_000;
/** How long the provider keeps an idempotency key: sending again under it takes effect only once. */
export const KEY_LIVES_MS = 23 * 3_600_000;
/** When to ask for an unknown outcome, counted from sending; every hour after that. */
const ASK_AFTER_MS = [15_000, 60_000, 300_000, 900_000, FINAL_AFTER_MS];

/** When to ask next for something that was sent (or intended) at an instant. */
export function nextAsk(sentAt: Date, now: Date): Date {
  const age = now.getTime() - sentAt.getTime();
  const step = ASK_AFTER_MS.find((ms) => ms > age);
  return new Date(step === undefined ? now.getTime() + 3_600_000 : sentAt.getTime() + step);
}

/** Whole cents of an amount to charge. @throws Refusal 422 */
export function centsOf(micros: bigint, field = 'amount', min = MIN_CHARGE_CENTS): number {
  const refuse = (rule: string): never => {
    throw refusalOf(field, rule);
  };
  if (typeof micros !== 'bigint' || micros % MICROS_PER_CENT !== 0n) return refuse('must be whole cents');
  const cents = micros / MICROS_PER_CENT;
  if (cents < BigInt(min)) return refuse(`must be at least ${usd(BigInt(min) * 10_000n)}`);
  if (cents > BigInt(MAX_CHARGE_CENTS))
    return refuse(`must not exceed ${usd(BigInt(MAX_CHARGE_CENTS) * 10_000n)}`);
  return Number(cents);
}

export const microsOfCents = (cents: number): bigint => BigInt(cents) * MICROS_PER_CENT;

/** Whether an answer says that a charge came in as it was sent. */
export const isSameSale = (
  charge: { amount_cents: number; fee_cents: number },
  answer: Answer,
): answer is Extract<ChargeOutcome, { status: 'succeeded' }> =>
  answer.status === 'succeeded' &&
  answer.charge !== '' &&
  answer.amountCents === charge.amount_cents &&
  answer.applicationFeeCents === charge.fee_cents;

/** An outcome of a charge, or a note that the provider refused the request itself (nothing happened). */
export type Answer =
  | ChargeOutcome
  | { status: 'none' }
  | { status: 'refused'; code: string; message: string };

const refusals: Partial<Record<GatewayError['code'], string>> = {
  account_not_ready: 'The payment account for this charge cannot accept charges right now.',
  busy: 'The card network is busy. You were not charged. Try again in a minute.',
  unavailable: 'The card network cannot be reached. You were not charged. Try again in a minute.',
  not_found: 'The card is no longer on file. Enter it again.',
};

/**
 * What an error from the gateway means for a charge. Only on the very first attempt is it certain that nothing
 * happened; after that, an earlier attempt may have arrived.
 */
export function answerOfError(error: unknown, first: boolean): Answer {
  if (error instanceof GatewayError && first && error.code !== 'no_answer')
    return {
      status: 'refused',
      code: error.code,
      message: refusals[error.code] ?? 'The card could not be charged.',
    };
  return { status: 'unknown', why: error instanceof Error ? error.message : String(error) };
}

const OPEN: readonly ChargeState[] = ['intended', 'sent', 'unknown'];
export const isUnderWay = (state: ChargeState): boolean => OPEN.includes(state);
/** Whether the money came in, whatever became of it. */
export const isPaid = (state: ChargeState): boolean =>
  state === 'succeeded' || state === 'refunded' || state === 'disputed';

/** What an answer does to a charge; `keep`: only sets the time of the next request. */
export type Change =
  | { to: 'succeeded'; reference: string }
  | {
      to: 'declined' | 'canceled';
      reference: string | null;
      code: string;
      message: string;
      needsAuthentication: boolean;
    }
  /** A decline that was known: whether its holder can still complete it. */
  | { to: 'noted'; needsAuthentication: boolean; code: string; message: string }
  | { to: 'unknown' }
  | { to: 'again' }
  | { to: 'mismatch'; theirs: string }
  | { to: 'keep' };

/** The state machine of a charge. */
export function changeOf(
  charge: { state: ChargeState; amountCents: number; feeCents: number; sentAt: Date | null; createdAt: Date },
  answer: Answer,
  now: Date,
): Change {
  const { state } = charge;
  if (isPaid(state)) return { to: 'keep' };
  switch (answer.status) {
    case 'succeeded':
      if (answer.amountCents !== charge.amountCents || answer.applicationFeeCents !== charge.feeCents)
        return { to: 'mismatch', theirs: `${answer.amountCents} cents, fee ${answer.applicationFeeCents}` };
      return { to: 'succeeded', reference: answer.charge };
    case 'declined':
      if (!isUnderWay(state))
        return {
          to: 'noted',
          needsAuthentication: answer.needsAuthentication && answer.code !== 'canceled',
          code: answer.code,
          message: answer.message,
        };
      return {
        to: 'declined',
        reference: answer.charge ?? null,
        code: answer.code,
        message: answer.message,
        needsAuthentication: answer.needsAuthentication,
      };
    case 'refused':
      if (!isUnderWay(state)) return { to: 'keep' };
      return {
        to: 'declined',
        reference: null,
        code: answer.code,
        message: answer.message,
        needsAuthentication: false,
      };
    case 'none': {
      if (!isUnderWay(state)) return { to: 'keep' };
      const age = now.getTime() - (charge.sentAt ?? charge.createdAt).getTime();
      if (age < FINAL_AFTER_MS) return { to: 'again' };
      return {
        to: 'canceled',
        reference: null,
        code: 'never_arrived',
        message: 'The charge never reached the card network. You were not charged.',
        needsAuthentication: false,
      };
    }
    case 'unknown':
      return isUnderWay(state) ? { to: 'unknown' } : { to: 'keep' };
  }
}

/** The status of a dispute, from the provider's own words for it; null if no money has moved (an inquiry). */
export function disputeState(status: string): 'open' | 'won' | 'lost' | null {
  if (status === 'won' || status === 'lost') return status;
  return status === 'needs_response' || status === 'under_review' ? 'open' : null;
}

const OUTSIDE = 'outside:';
/** The key of a refund that was made at the provider: there is one for each of its ids, however often it is reported. */
export const outsideKey = (refund: string): string => `${OUTSIDE}${refund}`;
/** Whether a refund with this key was made at the provider. Keys that people send are UUIDs. */
export const isOutside = (key: string): boolean => key.startsWith(OUTSIDE);

/** Whether a refund may still change. */
export const refundIsOpen = (state: string): boolean => state !== 'succeeded' && state !== 'failed';
export type RefundAnswer = RefundOutcome | { status: 'none' };

/** Whether a refund at the provider is the one of a row: by its id there, or, while the row has none, by our key. */
export function isSame(
  row: {
    id: string;
    state: string;
    amount_cents: number;
    provider_reference: string | null;
    idempotency_key: string;
  },
  listed: Pick<ListedRefund, 'refund' | 'refundKey' | 'amountCents'>,
): boolean {
  if (row.provider_reference) return row.provider_reference === listed.refund;
  // The key alone proves nothing: the owner of a connected account may put any on a refund of their own.
  return row.id === listed.refundKey && row.amount_cents === listed.amountCents && row.state !== 'failed';
}

/** The current state of a listed refund, as an answer. */
export const answerOf = ({ status, refund, amountCents, code }: ListedRefund): RefundOutcome =>
  status === 'failed' ? { status, refund, code: code ?? 'failed' } : { status, refund, amountCents };
