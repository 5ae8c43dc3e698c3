import { queryOptions } from '@tanstack/react-query';
import type { Client } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';

/** A group of campaigns; the one without an id is 'View All'. */
export type CampaignGroup = Awaited<ReturnType<Client['groups']['getCompanyGroup']>>['data'][number];

/** The groups of the user's own company, 'View All' first. */
export const groupsQuery = queryOptions({
  queryKey: ['campaign-groups'],
  queryFn: async ({ signal }) => (await api.groups.getCompanyGroup({}, { signal })).data,
  staleTime: 60_000,
});
