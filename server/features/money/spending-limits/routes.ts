import type { contract } from '../../../../contract/index.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import type { SpendingLimits } from './service.ts';

/** The calls of the feature. */
export function spendingLimitsRoutes(
  spendingLimits: SpendingLimits,
): Handlers<typeof contract.spendingLimits> {
  return {
    list: async (ctx, { company_id }) => ({ data: await spendingLimits.list(ctx, company_id) }),
    set: async (ctx, input) => ({
      result: 'success' as const,
      message: ownMessages.capSet,
      data: await spendingLimits.set(ctx, input),
    }),
  };
}
