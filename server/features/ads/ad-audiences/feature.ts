import { contract } from '../../../../contract/index.ts';
import { defineFeature, serve } from '../../../platform/feature.ts';
import { exports } from './exports.ts';
import { startAudiences } from './jobs.ts';
import { audiencePlain, audienceRoutes } from './routes.ts';
import { type AdAudiences, createAdAudiences } from './service.ts';

export const feature = defineFeature({
  name: 'ads/ad-audiences',
  about:
    'Audiences: uploaded lists, leads, and keyword counts that ads are aimed at, without whoever is excluded.',
  tables: ['ad_campaign_audience', 'audience', 'audience_error', 'audience_key', 'audience_member'],
  reads: [
    'ad_campaign',
    'campaign',
    'company',
    'identity_key',
    'lead',
    'person',
    'person_merge',
    'return_request',
  ],
  create: (platform, below: Parameters<typeof createAdAudiences>[1]) => ({
    adAudiences: createAdAudiences(platform, below),
  }),
  http: ({ adAudiences }: { adAudiences: AdAudiences }) => ({
    calls: [serve(contract.audiences, audienceRoutes(adAudiences))],
    plain: audiencePlain(adAudiences),
  }),
  work: async ({ adAudiences }: { adAudiences: AdAudiences }, platform) =>
    void (await startAudiences(adAudiences, platform)),
  exports,
});
