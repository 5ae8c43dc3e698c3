import { anyDesign } from '../../../test/factories.ts';
import { app, next, type Samples, type Target } from '../../../test/samples.ts';

/** A banner of the target's client. */
const bannerOf = (t: Target) => app.make.banner(t.client, { name: `${t.canary} ${next()}` });

export const samples: Samples = {
  'GET /api/ads/banners': { named: false, request: () => ({ url: '/api/ads/banners' }) },
  'GET /api/ads/banners/:id': {
    named: true,
    request: async (t) => ({ url: `/api/ads/banners/${await bannerOf(t)}` }),
  },
  'POST /api/ads/banners': {
    named: true,
    request: (t) => ({
      url: '/api/ads/banners',
      body: { companyID: t.client.id, name: t.canary, alt_text: '', click_url: '', design: anyDesign() },
    }),
  },
  'PUT /api/ads/banners/:id': {
    named: true,
    request: async (t) => ({ url: `/api/ads/banners/${await bannerOf(t)}`, body: { name: t.canary } }),
  },
  'DELETE /api/ads/banners/:id': {
    named: true,
    request: async (t) => ({ url: `/api/ads/banners/${await bannerOf(t)}` }),
  },
};
