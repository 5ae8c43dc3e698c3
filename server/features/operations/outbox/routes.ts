import type { contract } from '../../../../contract/index.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import type { Outbox } from './service.ts';

/** The calls of the feature. */
export function outboxRoutes(outbox: Outbox): Handlers<typeof contract.outbox> {
  return {
    list: (ctx, input) => outbox.list(ctx, input),
    get: (ctx, { id }) => outbox.get(ctx, id),
  };
}
