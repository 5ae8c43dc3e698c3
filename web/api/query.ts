import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './errors.ts';

/** The cache of every response; retries up to twice if waiting may help. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      // When offline, a query should fail with a message and a Retry button rather than wait forever.
      networkMode: 'always',
      retry: (count, error) =>
        count < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
      retryDelay: (count, error) =>
        error instanceof ApiError && error.retryAfter
          ? Math.min(error.retryAfter, 10) * 1000
          : 500 * 2 ** count,
    },
    mutations: { networkMode: 'always' },
  },
});
