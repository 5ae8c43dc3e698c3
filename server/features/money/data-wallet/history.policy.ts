import type { TransferKind } from '../../../../contract/money/ledger.ts';

const TITLES: Partial<Record<TransferKind, string>> = {
  lead: 'Lead',
  wallet_top_up: 'Top-up',
  wallet_grant: 'Credit',
  wallet_charge: 'Charge',
  wallet_expiry: 'Unused balance expired',
  wallet_refund: 'Refund to card',
  lead_return: 'Lead refund',
  platform_fee: 'Platform fee',
  monthly_fee: 'Monthly fee',
  minimum_spend: 'Minimum spend',
  onboarding: 'Onboarding',
  dispute: 'Top-up disputed',
  dispute_reversal: 'Dispute won',
};

/** Returns the title of a history line, in words. */
export function titleOf(row: { kind: TransferKind; campaign: string | null }): string {
  const words = row.kind.replaceAll('_', ' ');
  const title = TITLES[row.kind] ?? words[0]!.toUpperCase() + words.slice(1);
  return row.campaign ? `${title}, ${row.campaign}` : title;
}
