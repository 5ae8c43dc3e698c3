import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import type { Tenants } from '../../accounts/tenants/index.ts';
import type { Enrichment } from '../../audience/enrichment/index.ts';
import { exports } from './exports.ts';
import { createGroups, groupsRoutes } from './groups.service.ts';
import { startCampaigns } from './jobs.ts';
import { campaignMoreRoutes, campaignsRoutes } from './routes.ts';
import { type Campaigns, createCampaigns } from './service.ts';

export const feature = defineFeature({
  name: 'campaigns/campaigns',
  about: 'Campaigns of every product: what they look for, their rules, limits, state, and groups.',
  tables: [
    'campaign',
    'campaign_hour',
    'campaign_keyword',
    'campaign_place',
    'campaign_refusal',
    'campaign_report',
    'campaign_report_sent',
    'campaign_target',
    'company_group',
    'company_group_campaign',
    'mail_refusal',
  ],
  reads: ['account', 'account_balance', 'campaign_foreign_host', 'company', 'lead', 'visit'],
  create(
    platform,
    below: Omit<Parameters<typeof createCampaigns>[1], 'groups' | 'information'> &
      Parameters<typeof createGroups>[1] & { enrichment: Enrichment },
  ) {
    const groups = createGroups(platform, below);
    return {
      groups,
      campaigns: createCampaigns(platform, { ...below, groups, information: below.enrichment }),
    };
  },
  http: ({ campaigns, groups }: { campaigns: Campaigns; groups: ReturnType<typeof createGroups> }) => ({
    calls: [
      serve(contract.campaigns, campaignsRoutes(campaigns)),
      serve(contract.campaignMore, campaignMoreRoutes(campaigns)),
      serve(contract.groups, groupsRoutes(groups)),
    ],
  }),
  work: async ({ campaigns, tenants }: { campaigns: Campaigns; tenants: Tenants }, platform) =>
    void (await startCampaigns(campaigns, tenants, platform)),
  exports,
});
