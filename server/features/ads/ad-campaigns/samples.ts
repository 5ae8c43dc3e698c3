import { app, next, type Samples, type Target } from '../../../test/samples.ts';

/** An ad campaign of the target's client. */
const campaignOf = (t: Target) => app.make.adCampaign(t.client, { name: `${t.canary} ${next()}` });
const fields = (t: Target) => ({
  campaignName: `${t.canary} ${next()}`,
  maxBid: '5.00',
  dailyBudget: '10.00',
  monthlyBudget: '200.00',
});

/** An image in the library of the target's client. */
const mediaOf = (t: Target) => app.make.media(t.client, { name: `${t.canary} ${next()}` });

export const samples: Samples = {
  'GET /api/ads/map': { named: false, request: () => ({ url: '/api/ads/map' }) },
  'GET /api/ads/map/places': { named: false, request: () => ({ url: '/api/ads/map/places?search=aus' }) },
  'GET /api/media': { named: true, request: (t) => ({ url: `/api/media?companyID=${t.client.id}` }) },
  'GET /api/media/user/:id': {
    named: true,
    request: async (t) => ({ url: `/api/media/user/${(await app.make.user(t.client)).id}` }),
  },
  'GET /api/media/campaign/:id': {
    named: true,
    request: async (t) => ({ url: `/api/media/campaign/${(await campaignOf(t)).id}` }),
  },
  'PUT /api/media/:id': {
    named: true,
    request: async (t) => ({ url: `/api/media/${await mediaOf(t)}`, body: { name: t.canary } }),
  },
  'POST /api/media/generate-download-token/:ids': {
    named: true,
    request: async (t) => ({ url: `/api/media/generate-download-token/${await mediaOf(t)}`, body: {} }),
  },
  'GET /api/media/file': {
    named: true,
    request: async (t) => ({ url: `/api/media/file?ids=${await mediaOf(t)}` }),
  },
  'POST /api/media': {
    named: true,
    request: (t) => {
      const at = 'matrixboundary';
      const parts = Object.entries({ companyID: t.client.id, name: t.canary }).map(
        ([name, value]) => `--${at}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      );
      return {
        url: '/api/media',
        payload: `${parts.join('')}--${at}--\r\n`,
        headers: { 'content-type': `multipart/form-data; boundary=${at}` },
      };
    },
    // There is no image in it.
    passes: [422],
  },
  'POST /api/leadspeek/simplifi': {
    named: true,
    request: (t) => ({
      url: '/api/leadspeek/simplifi',
      body: { ...fields(t), companyID: t.client.id, channel: 'house' },
    }),
    // Only clients of the master's system have the product, and only in its trial.
    passes: [403],
  },
  'PUT /api/leadspeek/simplifi/:leadspeekID': {
    named: true,
    request: async (t) => ({
      url: `/api/leadspeek/simplifi/${(await campaignOf(t)).id}`,
      body: { dailyBudget: '11.00' },
    }),
  },
  'GET /api/leadspeek/simplifi': { named: false, request: () => ({ url: '/api/leadspeek/simplifi' }) },
  'GET /api/leadspeek/simplifi/details/:leadspeekID': {
    named: true,
    request: async (t) => ({ url: `/api/leadspeek/simplifi/details/${(await campaignOf(t)).id}` }),
  },
  'GET /api/leadspeek/simplifi/remaining-budget/:leadspeekID': {
    named: true,
    request: async (t) => ({ url: `/api/leadspeek/simplifi/remaining-budget/${(await campaignOf(t)).id}` }),
  },
  'POST /api/leadspeek/simplifi/check-budget-increase': {
    named: true,
    request: async (t) => ({
      url: '/api/leadspeek/simplifi/check-budget-increase',
      body: { leadspeekID: (await campaignOf(t)).id, dailyBudget: '20.00' },
    }),
  },
  'PUT /api/leadspeek/simplifi/costmodule': {
    named: true,
    request: async (t) => ({
      url: '/api/leadspeek/simplifi/costmodule',
      body: { leadspeekID: (await campaignOf(t)).id, agencyMarkup: '20' },
    }),
  },
  'GET /api/leadspeek/simplifi/minvaluesimplifi': {
    named: false,
    request: () => ({ url: '/api/leadspeek/simplifi/minvaluesimplifi' }),
  },
  'PUT /api/leadspeek/simplifi/minvaluesimplifi': {
    named: false,
    request: () => ({ url: '/api/leadspeek/simplifi/minvaluesimplifi', body: { minBid: '0' } }),
  },
  'POST /api/leadspeek/simplifi/charge-campaign-by-remaining-days': {
    named: true,
    request: async (t) => ({
      url: '/api/leadspeek/simplifi/charge-campaign-by-remaining-days',
      body: { leadspeekID: (await campaignOf(t)).id, amount: '1.00', idempotencyKey: `sample-${next()}` },
    }),
    passes: [409],
  },
  'GET /api/ads/creatives': {
    named: true,
    request: async (t) => ({ url: `/api/ads/creatives?leadspeekID=${(await campaignOf(t)).id}` }),
  },
  'PUT /api/ads/creatives/:id': {
    named: true,
    request: async (t) => ({
      url: `/api/ads/creatives/${(await campaignOf(t)).creativeId}`,
      body: { name: t.canary },
    }),
  },
  'POST /api/ads/creatives': {
    named: true,
    request: async (t) => {
      const at = 'matrixboundary';
      const fields = {
        leadspeekID: (await campaignOf(t)).id,
        name: t.canary,
        alt_text: 'An ad',
        click_url: 'https://shop.example.com/',
      };
      const parts = Object.entries(fields).map(
        ([name, value]) => `--${at}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      );
      return {
        url: '/api/ads/creatives',
        payload: `${parts.join('')}--${at}--\r\n`,
        headers: { 'content-type': `multipart/form-data; boundary=${at}` },
      };
    },
    // There is no image in it.
    passes: [422],
  },
};
