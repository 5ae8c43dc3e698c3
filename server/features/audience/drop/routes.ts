import type { contract } from '../../../../contract/index.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import type { Drop } from './service.ts';

/** The calls of the feature. */
export const dropRoutes = (drop: Drop): Handlers<typeof contract.drop> => ({
  state: (ctx) => drop.state(ctx),
  batches: async (ctx) => ({ data: (await drop.state(ctx)).batches }),
  async setUp(ctx, given) {
    return { result: 'success', message: 'Saved.', data: await drop.setUp(ctx, given) };
  },
  async start(ctx) {
    await drop.start(ctx);
    return { result: 'success', message: 'The check has started.' };
  },
});
