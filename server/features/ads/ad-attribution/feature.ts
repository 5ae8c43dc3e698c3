import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { exports } from './exports.ts';
import { adReportRoutes } from './routes.ts';
import { type AdAttribution, createAdAttribution } from './service.ts';

export const feature = defineFeature({
  name: 'ads/ad-attribution',
  about: 'From an ad to a lead: the visits and leads that ads bring, and reports of what each cost.',
  tables: ['ad_lead', 'ad_visit'],
  reads: ['ad_campaign', 'ad_hour', 'ad_impression', 'audience', 'campaign', 'creative', 'lead', 'visit'],
  writes: ['ad_hour', 'ad_slice'],
  create: (platform, below: Parameters<typeof createAdAttribution>[1]) => ({
    adAttribution: createAdAttribution(platform, below),
  }),
  http: ({ adAttribution }: { adAttribution: AdAttribution }) => ({
    calls: [serve(contract.adReports, adReportRoutes(adAttribution))],
  }),
  exports,
});
