import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { exports } from './exports.ts';
import { startSpending } from './jobs.ts';
import { adMapRoutes } from './map.routes.ts';
import { adCampaignRoutes, creativePlain, creativeRoutes, mediaPlain, mediaRoutes } from './routes.ts';
import { type AdCampaigns, createAdCampaigns } from './service.ts';

export const feature = defineFeature({
  name: 'ads/ad-campaigns',
  about:
    'Ad campaigns (Simplifi ID): budgets that hold, what ads cost, and media, of which campaigns show creatives.',
  tables: [
    'ad_campaign',
    'ad_day',
    'ad_hour',
    'ad_impression',
    'ad_lease',
    'ad_outside_day',
    'ad_slice',
    'ad_terms',
    'creative',
  ],
  reads: ['campaign', 'company'],
  create: (platform, below: Parameters<typeof createAdCampaigns>[1]) => ({
    adCampaigns: createAdCampaigns(platform, below),
  }),
  http: ({ adCampaigns }: { adCampaigns: AdCampaigns }, { config }) => ({
    calls: [
      serve(contract.adCampaigns, adCampaignRoutes(adCampaigns)),
      serve(contract.creatives, creativeRoutes(adCampaigns)),
      serve(contract.adMaps, adMapRoutes(config)),
      serve(contract.media, mediaRoutes(adCampaigns)),
    ],
    plain: [...creativePlain(adCampaigns), ...mediaPlain(adCampaigns)],
  }),
  work: async ({ adCampaigns }: { adCampaigns: AdCampaigns }, platform) =>
    void (await startSpending(adCampaigns, platform)),
  exports,
});
