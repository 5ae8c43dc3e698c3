import type { contract } from '../../../../contract/index.ts';
import { messages, ownMessages } from '../../../../contract/messages.ts';
import { microsOf } from '../../../../contract/primitives.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import type { Payments } from '../payments/index.ts';
import type { Dunning } from './service.ts';

/** The calls of the feature. */
export function dunningRoutes(
  dunning: Dunning,
  { gateway }: Pick<Payments, 'gateway'>,
): Handlers<typeof contract.dunning> {
  const done = (message: string) => ({ result: 'success' as const, message });
  return {
    async pay(ctx, { id, idempotency_key: idempotencyKey }) {
      const { outcome, needed } = await dunning.pay(ctx, id, idempotencyKey);
      // A charge that its cardholder can no longer confirm has failed.
      const result = {
        paid: 'success' as const,
        failed: 'failed' as const,
        moot: 'failed' as const,
        unknown: 'unknown' as const,
        authenticate: needed ? ('authenticate' as const) : ('failed' as const),
      }[outcome.status];
      return {
        result,
        message: outcome.status === 'paid' ? ownMessages.invoicePaid : outcome.message,
        client_secret: needed?.clientSecret ?? '',
        publishable_key: gateway.publishableKey,
        stripe_account: needed?.account ?? '',
        gateway: gateway.provider,
        ...(outcome.status === 'authenticate' ? { charge_id: outcome.charge.id } : {}),
      };
    },
    async settle(ctx, { user_id }) {
      const why = await dunning.settle(ctx, user_id);
      return {
        data:
          why === null
            ? { result: 'success' as const, message: messages.settlementDone }
            : { result: 'failed' as const, message: why || messages.settlementFailed },
      };
    },
    async manualBill(ctx, { company_id, manual_bill: manualBill }) {
      await dunning.terms.setManual(ctx, company_id, manualBill === 'T');
      return { ...done(messages.manualBillSaved), manual_bill: manualBill };
    },
    async cancel(ctx, { company_id }) {
      await dunning.terms.cancel(ctx, company_id);
      return done(ownMessages.cancelled);
    },
    async packages(ctx) {
      const { packages, terms, feeFrom } = await dunning.terms.packages(ctx);
      return {
        data: packages.map(({ amount, feeNow, ...one }) => ({
          ...one,
          monthly_micros: Number(microsOf(amount)),
          fee_now_micros: Number(feeNow),
        })),
        package_id: terms?.package_id ?? '',
        package_since: terms?.package_since?.toISOString() ?? null,
        cancelled_at: terms?.cancelled_at?.toISOString() ?? null,
        fee_from: feeFrom,
      };
    },
    async setPackage(ctx, { company_id, package_id }) {
      await dunning.terms.choose(ctx, company_id, package_id);
      return done(ownMessages.packageChosen);
    },
  };
}
