import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { useMay, useSetup, useUser } from '../../api/user.ts';
import { type Campaign, changeOf, valuesOf } from './model.ts';

/** How one campaign is fetched and cached. */
export const campaignQuery = (id: string) =>
  queryOptions({
    queryKey: ['campaign', id],
    queryFn: ({ signal }) => api.campaigns.get({ leadspeekID: id }, { signal }),
  });

/** Whether the signed-in person may add campaigns: a client may have been kept from it by its agency (disabledaddcampaign). */
export function useMayAdd(): boolean {
  const may = useMay('campaign.create');
  const { company_kind } = useUser();
  const { client_add_campaign_disabled: isClosed } = useSetup();
  return may && !(company_kind === 'client' && isClosed);
}

/** Tells the cache that a campaign has changed: the new one if it is known, and every list that may hold it. */
export function useCampaignChanged(): (id: string, campaign?: Campaign) => void {
  const cache = useQueryClient();
  return (id, campaign) => {
    if (campaign) cache.setQueryData(['campaign', id], campaign);
    else void cache.invalidateQueries({ queryKey: ['campaign', id] });
    void cache.invalidateQueries({ queryKey: ['campaigns'] });
    void cache.invalidateQueries({ queryKey: ['dashboard'] });
  };
}

/** What the leave guard of a campaign's form says, and the search parameters whose change leaves it. */
export const LOST = 'Your changes to this campaign will be lost.';
export const LEAVING = ['campaign', 'tab', 'new'] as const;

/** The call that changes a campaign of its product (spec calls 7). */
export const updateOf = ({ leadspeekType }: Pick<Campaign, 'leadspeekType'>) =>
  leadspeekType === 'locator' ? api.campaigns.updateLocator : api.campaigns.update;

/** Gives a campaign a daily limit, and leaves the rest of it as it is. */
export const saveDailyLimit = (campaign: Campaign, limit: number) =>
  updateOf(campaign)({
    ...changeOf({ ...valuesOf(campaign), LimitLead: String(limit), LimitLeadFreq: 'day' }, campaign, false),
    leadspeekID: campaign.leadspeekID,
    version: campaign.version,
  });
