import { app, type Samples } from '../../../test/samples.ts';

export const samples: Samples = {
  'GET /api/ads/report': {
    named: true,
    request: async (t) => ({
      url: `/api/ads/report?leadspeekID=${(await app.make.adCampaign(t.client, { name: t.canary })).id}`,
    }),
  },
  'GET /api/leadspeek/simplifi/stats': {
    named: true,
    request: async (t) => ({
      url: `/api/leadspeek/simplifi/stats?campaign_ids=${(await app.make.adCampaign(t.client, { name: t.canary })).id}`,
    }),
  },
};
