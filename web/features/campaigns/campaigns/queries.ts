import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { useMay, useSetup, useUser } from '../../../api/user.ts';
import type { Campaign } from './model.ts';

/** The query for one campaign. */
export const campaignQuery = (id: string) =>
  queryOptions({
    queryKey: ['campaign', id],
    queryFn: ({ signal }) => api.campaigns.get({ campaign_id: id }, { signal }),
  });

/** Whether the signed-in user may add campaigns; an agency can disable this for a client (campaigns_closed). */
export function useMayAdd(): boolean {
  const may = useMay('campaign.create');
  const { company_kind } = useUser();
  const { campaigns_closed: isClosed } = useSetup();
  return may && !(company_kind === 'client' && isClosed);
}

/**
 * Updates the cache after a campaign has changed: the new campaign, if it is known, and every list that may contain it.
 */
export function useCampaignChanged(): (id: string, campaign?: Campaign) => void {
  const cache = useQueryClient();
  return (id, campaign) => {
    if (campaign) cache.setQueryData(['campaign', id], campaign);
    else void cache.invalidateQueries({ queryKey: ['campaign', id] });
    void cache.invalidateQueries({ queryKey: ['campaigns'] });
    void cache.invalidateQueries({ queryKey: ['dashboard'] });
  };
}

/** The leave guard's message for a campaign's form, and the search parameters whose change leaves the form. */
export const LOST = 'Your changes to this campaign will be lost.';
export const LEAVING = ['campaign', 'tab', 'new'] as const;

/** The call that changes a campaign of the given product (spec calls 7). */
export const updateOf = ({ module }: Pick<Campaign, 'module'>) =>
  module === 'locator' ? api.campaigns.updateLocator : api.campaigns.update;

/** Sets a campaign's daily limit and leaves everything else as it is. */
export const saveDailyLimit = (
  { campaign_id, module, version }: Pick<Campaign, 'campaign_id' | 'module' | 'version'>,
  limit: number,
) => updateOf({ module })({ campaign_id, version, daily_cap: limit, limit_every: 'day' });
