import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { useCampaignChanged } from '../../campaigns/campaigns/queries.ts';
import { isUnderWay } from './model.ts';

export const currentQuery = (leadspeekID: string) =>
  queryOptions({
    queryKey: ['prepaid', leadspeekID, 'current'],
    queryFn: ({ signal }) => api.prepaid.current({ leadspeekID }, { signal }),
    refetchInterval: (query) => (query.state.data && isUnderWay(query.state.data) ? 3000 : false),
  });

/** `balance` is the campaign's balance, so that this is fetched again when it changes. */
export const remainingQuery = (leadspeekID: string, balance: number) =>
  queryOptions({
    queryKey: ['prepaid', leadspeekID, 'remaining', balance],
    queryFn: ({ signal }) => api.prepaid.remaining({ leadspeekID }, { signal }),
  });

export const estimateQuery = (leadspeekID: string, leadsbuy: number) =>
  queryOptions({
    queryKey: ['prepaid', leadspeekID, 'estimate', leadsbuy],
    queryFn: ({ signal }) => api.prepaid.estimate({ leadspeekID, leadsbuy }, { signal }),
    retry: false,
    gcTime: 0,
  });

/** Updates the cache after a campaign's balance has changed. */
export function usePrepaidChanged(): (id: string) => void {
  const cache = useQueryClient();
  const changed = useCampaignChanged();
  return (id) => {
    void cache.invalidateQueries({ queryKey: ['prepaid', id] });
    changed(id);
  };
}
