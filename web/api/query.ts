import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './errors.ts';

/** The cache of every answer; tries twice more where waiting may help. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      // Offline, a query should fail with words and a Retry rather than wait without end.
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
