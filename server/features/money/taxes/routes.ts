import type { contract } from '../../../../contract/index.ts';
import { messages } from '../../../../contract/messages.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import type { Taxes } from './service.ts';

/** The endpoints of the feature. */
export function taxesRoutes(taxes: Taxes): Handlers<typeof contract.taxes> {
  const done = { result: 'success' as const, message: messages.updated };
  return {
    rates: (ctx) => taxes.rates(ctx),
    setRate: async (ctx, input) => ({ ...done, data: await taxes.setRate(ctx, input) }),
    async removeRate(ctx, { id }) {
      await taxes.removeRate(ctx, id);
      return done;
    },
    async setCalculator(ctx, { calculator }) {
      await taxes.setCalculator(ctx, calculator);
      return done;
    },
    payers: (ctx, input) => taxes.payers(ctx, input),
    async setPayer(ctx, input) {
      await taxes.setPayer(ctx, input);
      return done;
    },
  };
}
