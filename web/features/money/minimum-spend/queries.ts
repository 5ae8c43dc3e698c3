import { queryOptions } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';

/** The root's minimum spend plans, by name. */
export const plansQuery = queryOptions({
  queryKey: ['minspend', 'plans'],
  queryFn: async ({ signal }) => (await api.pricing.plans(undefined, { signal })).data,
});

export type Plan = Awaited<ReturnType<typeof api.pricing.plans>>['data'][number];

/**
 * An agency's progress toward its minimum spend; fetched once at startup, and again wherever a current value is needed.
 */
export const progressQuery = (companyId: string) =>
  queryOptions({
    queryKey: ['minspend', 'progress', companyId],
    queryFn: ({ signal }) => api.minimumSpend.progress({ company_id: companyId }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
