import type { contract } from '../../../../contract/index.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import type { Background } from './service.ts';

/** The calls of the feature. */
export function backgroundRoutes(background: Background): Handlers<typeof contract.background> {
  return {
    stoppedJobs: (ctx, input) => background.list(ctx, input),
    tryAgain: (ctx, input) => background.tryAgain(ctx, input.id),
  };
}
