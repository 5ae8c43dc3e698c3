import { app, next, type Samples, type Target } from '../../../test/samples.ts';

/** A zone of the target's client. */
const zoneOf = (t: Target) => app.make.adZone(t.client, { name: `${t.canary} ${next()}` });

export const samples: Samples = {
  'GET /api/ads/zones': { named: false, request: () => ({ url: '/api/ads/zones' }) },
  'POST /api/ads/zones': {
    named: true,
    request: (t) => ({
      url: '/api/ads/zones',
      body: { companyID: t.client.id, name: t.canary, hosts: ['news.example.com'], size: '300x250' },
    }),
  },
  'PUT /api/ads/zones/:id': {
    named: true,
    request: async (t) => ({ url: `/api/ads/zones/${(await zoneOf(t)).id}`, body: { name: t.canary } }),
  },
  'DELETE /api/ads/zones/:id': {
    named: true,
    request: async (t) => ({ url: `/api/ads/zones/${(await zoneOf(t)).id}` }),
  },
  'GET /api/ads/exchanges': { named: false, request: () => ({ url: '/api/ads/exchanges' }) },
  'POST /api/ads/exchanges': {
    named: false,
    request: (t) => ({ url: '/api/ads/exchanges', body: { name: t.canary } }),
  },
  'DELETE /api/ads/exchanges/:id': {
    named: true,
    rootOnly: true,
    request: async (t) => ({
      url: `/api/ads/exchanges/${(await app.make.adExchange({ ...t.client, id: t.client.root_id, agency_id: null })).id}`,
    }),
  },
  'POST /a/v1/rtb/bid/:key': {
    named: false,
    request: () => ({ url: '/a/v1/rtb/bid/nosuchkey', body: {} }),
    passes: [404],
  },
  'GET /a/v1/rtb/win': { named: false, request: () => ({ url: '/a/v1/rtb/win?t=x' }), passes: [404] },
  'GET /a/v1/rtb/bill': { named: false, request: () => ({ url: '/a/v1/rtb/bill?t=x&p=1' }), passes: [404] },
  'GET /a/v1/rtb/loss': { named: false, request: () => ({ url: '/a/v1/rtb/loss?t=x' }), passes: [404] },
  'GET /a/v1/rtb/click': { named: false, request: () => ({ url: '/a/v1/rtb/click?t=x' }), passes: [404] },
  'POST /a/v1/serve': {
    named: false,
    request: () => ({ url: '/a/v1/serve', body: { z: 'nosuchzone12' } }),
    passes: [404],
  },
  'POST /a/v1/view': {
    named: false,
    request: () => ({ url: '/a/v1/view', body: { t: 'x' } }),
    passes: [404],
  },
  'GET /a/v1/c/:token': { named: false, request: () => ({ url: '/a/v1/c/x' }), passes: [404] },
  'GET /a/v1/i/:file': { named: false, request: () => ({ url: '/a/v1/i/x.png' }), passes: [404] },
  'GET /a/v1/tag.js': { named: false, request: () => ({ url: '/a/v1/tag.js' }), passes: [404] },
};
