import { queryOptions } from '@tanstack/react-query';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';

/** The options of the host's pages before the login (spec calls 7). */
export type AccessOptions = Awaited<ReturnType<Client['auth']['accessOptions']>>;

/** The user's own second factor. */
export const factorQuery = (userId: string) =>
  queryOptions({
    queryKey: ['two-factor', userId],
    queryFn: ({ signal }) => api.auth.twoFactor({ user_id: userId }, { signal }),
  });

/** How many recovery codes are left. */
export const recoveryQuery = queryOptions({
  queryKey: ['recovery-codes'],
  queryFn: ({ signal }) => api.auth.recoveryCodes(undefined, { signal }),
});

/** The query for the options of the host's pages. */
export const accessOptionsQuery = queryOptions({
  queryKey: ['access-options'],
  queryFn: ({ signal }) => api.auth.accessOptions(undefined, { signal }),
  staleTime: 60_000,
});
