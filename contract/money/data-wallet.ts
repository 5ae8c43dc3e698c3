import { z } from 'zod';
import { call } from '../base.ts';
import { Done, Flag, given, Id, Instant } from '../primitives.ts';
import type { Inside } from '../wire.ts';

/** The amounts offered in addition to a custom amount, US dollars (spec calls 9). */
export const WALLET_PRESETS = [0, 250, 500, 1000] as const;
/** The minimum custom amount, US dollars. */
export const CUSTOM_MINIMUM = 2500;
/** The minimum card charge, US dollars; the only amount allowed below it is 0, which charges nothing. */
const CARD_MINIMUM = 0.5;

/** The minimum amount that may be entered, US dollars: 2500 in custom mode, otherwise 0 (spec calls 4). */
export const minimumOf = (custom: boolean): number => (custom ? CUSTOM_MINIMUM : 0);

/** The minimum that an amount falls short of, US dollars; null if it meets all of them. */
export function missedMinimum(amountMicros: bigint, custom: boolean): number | null {
  const minimum = minimumOf(custom);
  if (amountMicros < BigInt(minimum) * 1_000_000n) return minimum;
  return amountMicros > 0n && amountMicros < BigInt(CARD_MINIMUM * 1_000_000) ? CARD_MINIMUM : null;
}

/** US dollars in whole cents, without a sign or separators: '250' or '250.50'; at most the maximum of one charge. */
export const WalletAmount = z
  .string()
  .regex(
    /^\d{1,6}(\.\d{1,2})?$/,
    'must be an amount in US dollars such as 250.00, with up to 2 decimal places',
  );

/** US dollars with two to six decimal places, with a minus sign if negative: '-12.50'. */
const Signed = z.string().regex(/^-?\d+\.\d{2,6}$/);

/** A month, YYYY-MM; empty or 'all' means all months. */
export const WalletMonth = z.union([
  z.literal(''),
  z.literal('all').transform(() => '' as const),
  z.string().regex(/^(19|[2-9]\d)\d{2}-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-03, or empty'),
]);

export const WalletTransaction = z.object({
  id: Id,
  title: z.string(),
  created_at: Instant,
  expired_at: z.string().describe('For a top-up, the last day it can be used, YYYY-MM-DD; otherwise empty'),
  amount: Signed,
  balance: Signed.describe('Balance after the change'),
  transaction_type: z.enum(['topup', 'charge', 'other']),
});
export type WalletTransaction = Inside<z.output<typeof WalletTransaction>>;

/** The state of the automatic top-up. */
export const AUTO_STATES = ['idle', 'armed', 'due', 'charging', 'waiting', 'stopped'] as const;

const Ceiling = z
  .union([z.literal('').transform(() => null), z.null(), given(WalletAmount)])
  .describe('US dollars; empty: no maximum');

export const AutoTopUp = z.object({
  status: z
    .enum(AUTO_STATES)
    .describe(
      'idle: off, or waiting for the next manual top-up; armed: on; due, charging: in progress; waiting: will be retried at next_try; stopped: needs attention',
    ),
  threshold_amount: Signed.describe('Balance that triggers a top-up: 10% of the amount'),
  next_try: Instant.nullable(),
  reason: z.string(),
  ceiling_day: z.string().nullable(),
  ceiling_month: z.string().nullable(),
  spent_day: Signed.describe('Topped up automatically today, in the agency’s time zone'),
  spent_month: Signed,
  attempts: z
    .array(
      z.object({
        id: Id,
        created_at: Instant,
        amount: Signed,
        automatic: z.boolean(),
        status: z.enum(['charging', 'succeeded', 'declined', 'refused']),
        reason: z.string(),
      }),
    )
    .describe('Top-ups by card that were tried or refused, newest first, up to 20'),
});

/** Why top-ups are not enabled, in the order in which the reasons are checked. */
export const WALLET_NEEDS = ['system', 'beta', 'agreement', 'card'] as const;

export const DataWallet = z.object({
  custom_amount: Flag,
  amount: Signed.describe('The selected amount, US dollars'),
  balance_amount: Signed.describe('Available balance'),
  total_amount: Signed.describe('Total topped up or credited to date'),
  last_balance_amount: Signed.describe('Balance before the latest transaction'),
  stop_continual: Flag,
  transaction_history: z
    .array(WalletTransaction)
    .describe('Newest first, up to 500, one line per event, as on the statement'),
  history_more: z
    .boolean()
    .describe('Whether there are older transactions; the download includes all of them'),
  is_enable_topup_prepaid_direct_payment: Flag,
  missing: z.enum(WALLET_NEEDS).nullable().describe('Why top-ups are not enabled; null: they are'),
  card: z.string().nullable().describe("The card on file, such as 'visa 4242'"),
  time_zone: z.string(),
  auto_topup: AutoTopUp,
  days: z
    .array(z.object({ day: z.string(), balance: Signed, topup: Signed }))
    .describe(
      'Balance at the end of each day of the month, and the top-ups of that day; empty without a month',
    ),
});
export type DataWallet = Inside<z.output<typeof DataWallet>>;

const Of = z.object({ company_id: Id.describe('Your own agency') });
const Month = z.object({ date: WalletMonth.optional().describe('Defaults to the agency’s current month') });
const Settings = z.object({
  company_id: Id,
  amount: given(WalletAmount),
  custom_amount: Flag,
  stop_continual: Flag,
});

const area = '/configuration/agencies/prepaid';
const tags = ['Data Wallet'];

export const dataWallet = {
  getPrepaidDirectPayment: call
    .route({ method: 'GET', path: `${area}/direct-payment/{company_id}`, tags, summary: 'The Data Wallet' })
    .meta({ access: 'wallet.read' })
    .input(Of.extend(Month.shape))
    .output(DataWallet),
  getTransactionHistoryDirectPayment: call
    .route({
      method: 'GET',
      path: `${area}/transaction-history-direct-payment/{company_id}`,
      tags,
      summary: 'Lists the transactions of a month, newest first',
    })
    .meta({ access: 'wallet.read' })
    .input(Of.extend(Month.shape))
    .output(DataWallet.pick({ transaction_history: true, history_more: true, days: true })),
  stopContinualTopupDirectPayment: call
    .route({
      method: 'POST',
      path: `${area}/stop-continual-topup-direct-payment`,
      tags,
      summary: 'Stops or starts the automatic top-up',
    })
    .meta({ access: 'wallet.write', notInView: true })
    .input(z.object({ company_id: Id, stop_continual: Flag.describe('The new setting. T stops the top-up') }))
    .output(Done.extend({ stop_continual: Flag })),
  savePrepaidDirectPayment: call
    .route({
      method: 'POST',
      path: `${area}/save-direct-payment`,
      tags,
      summary: 'Saves the Data Wallet settings; charges nothing',
    })
    .meta({ access: 'wallet.write', notInView: true, fresh: true })
    .input(
      Settings.extend({
        ceiling_day: Ceiling.optional().describe('Maximum topped up automatically per day'),
        ceiling_month: Ceiling.optional(),
      }),
    )
    .output(Done),
  chargePrepaidDirectPayment: call
    .route({
      method: 'POST',
      path: `${area}/charge-direct-payment`,
      tags,
      summary: 'Tops up the Data Wallet from the card on file and saves its settings',
      description:
        'A declined card is not an API error: `result` is `failed`, or `authenticate` if the cardholder can still confirm `charge_id` with their bank (payment/charge/{id}/authentication, then check). `error`: no response was received, so the outcome is not known yet; the balance updates once it is.',
    })
    .meta({ access: 'wallet.write', notInView: true, fresh: true })
    .input(
      Settings.extend({
        ip_user: z.string().max(64).optional().describe('Ignored; the address of the request is recorded'),
        timezone: z.string().max(64).optional(),
        payment_type: z.enum(['credit_card']).default('credit_card'),
        idempotencyKey: z
          .string()
          .min(8)
          .max(100)
          .optional()
          .describe(
            'One per click: the same key charges once. If omitted, the same request within a minute counts as the same click',
          ),
      }),
    )
    .output(
      z.object({
        result: z.enum(['success', 'failed', 'authenticate', 'error']),
        message: z.string(),
        charge_id: Id.optional().describe("With 'authenticate'"),
      }),
    ),
};
