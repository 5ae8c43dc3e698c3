import type { contract } from '../../../../contract/index.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import type { Payments } from '../payments/index.ts';
import type { OnboardingCharges } from './service.ts';

/** The routes of the feature. */
export function onboardingChargeRoutes(
  onboarding: OnboardingCharges,
  { core, gateway }: Pick<Payments, 'core' | 'gateway'>,
): Handlers<typeof contract.onboardingCharge> {
  return {
    async charge(ctx, { coupon_code }) {
      const outcome = await onboarding.begin(ctx, coupon_code);
      const needed =
        outcome.status === 'authenticate'
          ? await core.authentication(ctx.actor.rootId, outcome.chargeId)
          : null;
      // A charge that the cardholder can no longer confirm has failed.
      const result = {
        paid: 'success' as const,
        nothing: 'success' as const,
        failed: 'failed' as const,
        unknown: 'unknown' as const,
        authenticate: needed ? ('authenticate' as const) : ('failed' as const),
      }[outcome.status];
      return {
        result,
        message:
          outcome.status === 'paid'
            ? ownMessages.onboardPaid
            : outcome.status === 'nothing'
              ? ownMessages.onboardFree
              : outcome.message,
        client_secret: needed?.clientSecret ?? '',
        publishable_key: gateway.publishableKey,
        stripe_account: needed?.account ?? '',
        gateway: gateway.provider,
        invoice_id: outcome.invoiceId,
        charge_id: outcome.status === 'authenticate' ? outcome.chargeId : null,
      };
    },
  };
}
