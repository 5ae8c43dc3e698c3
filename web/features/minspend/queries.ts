import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

/** The root's plans of minimum spend, by name. */
export const plansQuery = queryOptions({
  queryKey: ['minspend', 'plans'],
  queryFn: async ({ signal }) => (await api.costs.plans(undefined, { signal })).data,
});

export type Plan = Awaited<ReturnType<typeof api.costs.plans>>['data'][number];

/** How an agency stands with its minimum spend; asked once at the start, and by whoever wants it anew. */
export const progressQuery = (companyId: string) =>
  queryOptions({
    queryKey: ['minspend', 'progress', companyId],
    queryFn: ({ signal }) => api.minspend.progress({ company_id: companyId }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
