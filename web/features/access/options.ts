import { queryOptions } from '@tanstack/react-query';
import type { Client } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';

/** What the host's pages before the login offer (spec calls 7). */
export type AccessOptions = Awaited<ReturnType<Client['access']['accessOptions']>>;

/** How they are fetched and cached. */
export const accessOptionsQuery = queryOptions({
  queryKey: ['access-options'],
  queryFn: ({ signal }) => api.access.accessOptions(undefined, { signal }),
  staleTime: 60_000,
});
