import type { contract } from '../../../../contract/index.ts';
import { ownMessages } from '../../../../contract/messages.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import type { Caps } from './service.ts';

/** The calls of the feature. */
export function capsRoutes(caps: Caps): Handlers<typeof contract.caps> {
  return {
    list: async (ctx, { companyID }) => ({ data: await caps.list(ctx, companyID) }),
    set: async (ctx, input) => ({
      result: 'success' as const,
      message: ownMessages.capSet,
      data: await caps.set(ctx, input),
    }),
  };
}
