import type { contract } from '../../../../contract/index.ts';
import type { Handlers } from '../../../platform/http/routes.ts';
import type { BackgroundJobs } from './service.ts';

/** The calls of the feature. */
export function backgroundJobsRoutes(
  backgroundJobs: BackgroundJobs,
): Handlers<typeof contract.backgroundJobs> {
  return {
    stoppedJobs: (ctx, input) => backgroundJobs.list(ctx, input),
    tryAgain: (ctx, input) => backgroundJobs.tryAgain(ctx, input.id),
  };
}
