import { queryOptions } from '@tanstack/react-query';
import type { Client } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';

/** What the host's pages before the login offer (spec calls 7). */
export type AccessOptions = Awaited<ReturnType<Client['access']['accessOptions']>>;

/** The own second factor. */
export const factorQuery = (userId: string) =>
  queryOptions({
    queryKey: ['two-factor', userId],
    queryFn: ({ signal }) => api.access.twoFactor({ userId }, { signal }),
  });

/** How many recovery codes are left. */
export const recoveryQuery = queryOptions({
  queryKey: ['recovery-codes'],
  queryFn: ({ signal }) => api.access.recoveryCodes(undefined, { signal }),
});

/** What the host's pages offer, as it is fetched and cached. */
export const accessOptionsQuery = queryOptions({
  queryKey: ['access-options'],
  queryFn: ({ signal }) => api.access.accessOptions(undefined, { signal }),
  staleTime: 60_000,
});
