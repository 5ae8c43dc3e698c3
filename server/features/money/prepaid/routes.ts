import type { contract } from '../../../../contract/index.ts';
import { prepaidMessages } from '../../../../contract/money/prepaid-messages.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import type { Prepaid } from './service.ts';

/** The routes of the feature. */
export function prepaidRoutes(prepaid: Prepaid): Handlers<typeof contract.prepaid> {
  return {
    estimate: (ctx, { leadspeekID, leadsbuy }) => prepaid.estimate(ctx, leadspeekID, leadsbuy),
    topUp: (ctx, { leadspeekID, leadsbuy, amount, idempotencyKey }) =>
      prepaid.topUp(ctx, leadspeekID, { leads: leadsbuy, amount, key: idempotencyKey }),
    current: (ctx, { leadspeekID }) => prepaid.current(ctx, leadspeekID),
    async stopContinual(ctx, { leadspeekID, stop_continual }) {
      const topupoptions = await prepaid.setContinual(ctx, leadspeekID, stop_continual === 'T');
      const message = topupoptions === 'onetime' ? prepaidMessages.notContinual : prepaidMessages.continual;
      return { result: 'success', message, topupoptions };
    },
    remaining: (ctx, { leadspeekID }) => prepaid.remaining(ctx, leadspeekID),
    refund: (ctx, { leadspeekID, amount, idempotencyKey }) =>
      prepaid.refund(ctx, leadspeekID, { amount, key: idempotencyKey }),
  };
}
