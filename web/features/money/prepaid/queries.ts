import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { useCampaignChanged } from '../../campaigns/campaigns/queries.ts';
import { isUnderWay } from './model.ts';

export const currentQuery = (campaignId: string) =>
  queryOptions({
    queryKey: ['prepaid', campaignId, 'current'],
    queryFn: ({ signal }) => api.prepaid.current({ campaign_id: campaignId }, { signal }),
    refetchInterval: (query) => (query.state.data && isUnderWay(query.state.data) ? 3000 : false),
  });

/** `balance` is the campaign's balance, so that this is fetched again when it changes. */
export const remainingQuery = (campaignId: string, balance: number) =>
  queryOptions({
    queryKey: ['prepaid', campaignId, 'remaining', balance],
    queryFn: ({ signal }) => api.prepaid.remaining({ campaign_id: campaignId }, { signal }),
  });

export const estimateQuery = (campaignId: string, leadsBuy: number) =>
  queryOptions({
    queryKey: ['prepaid', campaignId, 'estimate', leadsBuy],
    queryFn: ({ signal }) =>
      api.prepaid.estimate({ campaign_id: campaignId, leads_buy: leadsBuy }, { signal }),
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
