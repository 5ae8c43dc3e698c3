import type Stripe from 'stripe';
import { type AccountState, type AccountStatus, noAccount } from '../../platform/payments.ts';

type Known = Pick<
  Stripe.Account,
  'charges_enabled' | 'payouts_enabled' | 'details_submitted' | 'requirements'
>;

/** Stripe is reviewing it; the owner can only wait. */
const underReview = new Set(['requirements.pending_verification', 'under_review', 'listed', 'other']);

/** Maps Stripe's account to the spec's terms (PAY-01). */
export function accountState(account: Known): AccountState {
  const { requirements } = account;
  return {
    ...noAccount,
    status: statusOf(account),
    charges_enabled: account.charges_enabled ?? false,
    payouts_enabled: account.payouts_enabled ?? false,
    account_requirements: [
      ...new Set([...(requirements?.past_due ?? []), ...(requirements?.currently_due ?? [])]),
    ],
  };
}

function statusOf({
  charges_enabled,
  payouts_enabled,
  details_submitted,
  requirements,
}: Known): AccountStatus {
  const reason = requirements?.disabled_reason ?? '';
  if (reason.startsWith('rejected.') || reason === 'platform_paused') return 'failed';
  if (!details_submitted) return 'pending';
  if (charges_enabled && payouts_enabled) return 'completed';
  // Something is requested from the owner: as long as it is missing, waiting would not help.
  if (requirements?.past_due?.length || requirements?.currently_due?.length) return 'pending';
  if (underReview.has(reason) || requirements?.pending_verification?.length) return 'inverification';
  return 'pending';
}
