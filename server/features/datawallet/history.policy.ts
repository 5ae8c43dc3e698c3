import type { TransferKind } from '../../../contract/ledger.ts';
import { dollarsOf } from '../../../contract/primitives.ts';

const TITLES: Partial<Record<TransferKind, string>> = {
  wallet_top_up: 'Top-up',
  wallet_grant: 'Credit',
  wallet_charge: 'Charge',
  wallet_expiry: 'Unused balance expired',
  wallet_refund: 'Refund to the card',
  lead_return: 'Lead given back',
  platform_fee: 'Platform fee',
  monthly_fee: 'Monthly fee',
  minimum_spend: 'Minimum spend',
  onboarding: 'Onboarding',
  dispute: 'Top-up disputed',
  dispute_reversal: 'Dispute won',
};

/** What a line of the history is, in words. */
export function titleOf(row: { kind: TransferKind; campaign: string | null; leads: number | null }): string {
  if (row.leads !== null)
    return `${row.leads} ${row.leads === 1 ? 'lead' : 'leads'}, ${row.campaign ?? 'campaign'}`;
  const title = TITLES[row.kind] ?? row.kind.replaceAll('_', ' ');
  return row.campaign ? `${title}, ${row.campaign}` : title;
}

/**
 * The balance at the end of each day of a month up to today, and what was topped up on it.
 * @param rows newest first; @param before the balance before the month
 */
export function daysOf(
  rows: { created_at: Date; amountMicros: bigint; transaction_type: string }[],
  month: string,
  timeZone: string,
  before: bigint,
  now: Date,
): { day: string; balance: string; topup: string }[] {
  const dayOf = (at: Date): string =>
    Temporal.Instant.fromEpochMilliseconds(at.getTime())
      .toZonedDateTimeISO(timeZone)
      .toPlainDate()
      .toString();
  const changes = new Map<string, { change: bigint; topup: bigint }>();
  for (const row of rows) {
    const day = dayOf(row.created_at);
    const sum = changes.get(day) ?? { change: 0n, topup: 0n };
    sum.change += row.amountMicros;
    if (row.transaction_type === 'topup') sum.topup += row.amountMicros;
    changes.set(day, sum);
  }
  const first = Temporal.PlainYearMonth.from(month);
  const today = dayOf(now);
  const days = [];
  let balance = before;
  for (let n = 1; n <= first.daysInMonth; n++) {
    const day = first.toPlainDate({ day: n }).toString();
    if (day > today) break;
    const { change = 0n, topup = 0n } = changes.get(day) ?? {};
    balance += change;
    days.push({ day, balance: dollarsOf(balance), topup: dollarsOf(topup) });
  }
  return days;
}
