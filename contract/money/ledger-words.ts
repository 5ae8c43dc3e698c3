import type { TransferKind } from './ledger.ts';

const KINDS: Record<TransferKind, string> = {
  lead: 'Lead',
  lead_return: 'Refunded lead',
  ad_spend: 'Ads',
  top_up: 'Recorded balance',
  prepaid_top_up: 'Card top-up',
  prepaid_refund: 'Prepaid refund',
  prepaid_move: 'Balance transfer',
  wallet_top_up: 'Wallet top-up',
  wallet_grant: 'Wallet credit',
  wallet_charge: 'Wallet charge',
  wallet_expiry: 'Expired wallet balance',
  wallet_refund: 'Wallet refund',
  client_grant: 'Credit',
  invoice: 'Invoice',
  credit_note: 'Credit note',
  payment: 'Payment',
  refund: 'Refund',
  dispute: 'Dispute',
  dispute_reversal: 'Dispute won',
  platform_fee: 'Platform fee',
  monthly_fee: 'Monthly fee',
  minimum_spend: 'Minimum spend',
  onboarding: 'Onboarding',
  developer_fee: 'Developer API fee',
  coupon: 'Coupon',
  supplier_cost: 'Supplier cost',
  provider_fee: 'Card fee',
  write_off: 'Write-off',
  adjustment: 'Adjustment',
};

/** The description of a statement line, on screens and in files. */
export const kindWords = (kind: TransferKind): string => KINDS[kind];
