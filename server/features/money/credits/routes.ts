import { usd } from '../../../../contract/dollars.ts';
import type { contract } from '../../../../contract/index.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import { page } from '../../../platform/page.ts';
import type { Credits } from './service.ts';

/** The calls of the feature. */
export function creditsRoutes(credits: Credits): Handlers<typeof contract.credits> {
  return {
    ofLead: (ctx, { id }) => credits.ofLead(ctx, id),
    async refundLead(ctx, { id, reason, note }) {
      const amount = await credits.refundLead(ctx, id, { reason, note });
      return {
        result: 'success',
        message: `${usd(amount)} was refunded.`,
        amount_micros: Number(amount),
      };
    },
    async grant(ctx, { company_id, campaign_id, amount, reason, note, idempotency_key: idempotencyKey }) {
      await credits.grant(ctx, {
        companyId: company_id,
        campaignId: campaign_id,
        amount,
        reason,
        note,
        key: idempotencyKey,
      });
      return { result: 'success', message: 'The credit was granted.' };
    },
    async list(ctx, input) {
      const { rows, total } = await credits.list(
        ctx,
        input.company_id,
        input.per_page,
        (input.page - 1) * input.per_page,
      );
      return page(rows, total, input);
    },
  };
}
