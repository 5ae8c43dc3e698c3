import type { contract } from '../../../../contract/index.ts';
import { prepaidMessages } from '../../../../contract/money/prepaid-messages.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import type { Prepaid } from './service.ts';

/** The routes of the feature. */
export function prepaidRoutes(prepaid: Prepaid): Handlers<typeof contract.prepaid> {
  return {
    estimate: (ctx, { campaign_id, leads_buy }) => prepaid.estimate(ctx, campaign_id, leads_buy),
    topUp: (ctx, { campaign_id, leads_buy, amount, idempotency_key: idempotencyKey }) =>
      prepaid.topUp(ctx, campaign_id, { leads: leads_buy, amount, key: idempotencyKey }),
    current: (ctx, { campaign_id }) => prepaid.current(ctx, campaign_id),
    async stopContinual(ctx, { campaign_id, stop_continual }) {
      const topup = await prepaid.setContinual(ctx, campaign_id, stop_continual === 'T');
      const message = topup === 'onetime' ? prepaidMessages.notContinual : prepaidMessages.continual;
      return { result: 'success', message, topup };
    },
    remaining: (ctx, { campaign_id }) => prepaid.remaining(ctx, campaign_id),
    refund: (ctx, { campaign_id, amount, idempotency_key: idempotencyKey }) =>
      prepaid.refund(ctx, campaign_id, { amount, key: idempotencyKey }),
  };
}
