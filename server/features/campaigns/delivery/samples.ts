import { fresh, freshConnection, type Samples } from '../../../test/samples.ts';

export const samples: Samples = {
  'GET /api/integrations/custom/:leadspeekID': {
    named: true,
    request: (t) => ({ url: `/api/integrations/custom/${t.campaign.id}` }),
  },
  'POST /api/integrations/custom': {
    named: true,
    request: async (t) => ({
      url: '/api/integrations/custom',
      body: { leadspeekID: (await fresh(t)).campaign.id, url: 'https://hooks.example.com/x' },
    }),
  },
  'PUT /api/integrations/custom/:id': {
    named: true,
    request: async (t) => ({
      url: `/api/integrations/custom/${(await fresh(t)).webhookId}`,
      body: { state: 'disabled' },
    }),
  },
  'DELETE /api/integrations/custom/:id': {
    named: true,
    request: async (t) => ({ url: `/api/integrations/custom/${(await fresh(t)).webhookId}` }),
  },
  'POST /api/integrations/custom/:id/test': {
    named: true,
    request: async (t) => ({ url: `/api/integrations/custom/${(await fresh(t)).webhookId}/test`, body: {} }),
  },
  'GET /api/integrations/custom/:id/payload': {
    named: true,
    request: (t) => ({ url: `/api/integrations/custom/${t.webhookId}/payload` }),
  },
  'PUT /api/integrations/custom/:id/payload': {
    named: true,
    request: async (t) => ({
      url: `/api/integrations/custom/${(await fresh(t)).webhookId}/payload`,
      body: { format: 'flat' },
    }),
  },
  'POST /api/integrations/custom/:id/payload/preview': {
    named: true,
    request: (t) => ({
      url: `/api/integrations/custom/${t.webhookId}/payload/preview`,
      body: { format: 'form' },
    }),
  },
  'GET /api/integrations/custom/:id/deliveries': {
    named: true,
    request: (t) => ({ url: `/api/integrations/custom/${t.webhookId}/deliveries` }),
  },
  'POST /api/integrations/custom/:id/replay': {
    named: true,
    request: (t) => ({ url: `/api/integrations/custom/${t.webhookId}/replay`, body: {} }),
  },
  'POST /api/integrations/destinations': {
    named: true,
    request: async (t) => ({
      url: '/api/integrations/destinations',
      body: { leadspeekID: (await fresh(t)).campaign.id, connectionID: t.connectionId },
    }),
  },
  'PUT /api/integrations/destinations/:id': {
    named: true,
    request: async (t) => ({
      url: `/api/integrations/destinations/${(await freshConnection(t)).destinationId}`,
      body: { settings: {}, mapping: { city: 'state' } },
    }),
  },
  'PUT /api/integrations/destinations/:id/rules': {
    named: true,
    request: async (t) => ({
      url: `/api/integrations/destinations/${(await fresh(t)).webhookId}/rules`,
      body: { rules: { conditions: [{ field: 'state', op: 'is_one_of', value: 'TX, OK' }] } },
    }),
  },
  'POST /api/integrations/destinations/:id/rules/try': {
    named: true,
    request: (t) => ({
      url: `/api/integrations/destinations/${t.webhookId}/rules/try`,
      body: { rules: { conditions: [{ field: 'state', op: 'is', value: 'TX' }] } },
    }),
  },
  'POST /api/integrations/destinations/preview': {
    named: true,
    request: (t) => ({
      url: '/api/integrations/destinations/preview',
      body: { leadspeekID: t.campaign.id, connectionID: t.connectionId, mapping: {} },
    }),
  },
  'GET /api/integrations/undelivered': {
    named: true,
    request: (t) => ({ url: `/api/integrations/undelivered?companyID=${t.client.id}` }),
  },
  'POST /api/leadspeek/spreadsheet': {
    named: true,
    request: (t) => ({
      url: '/api/leadspeek/spreadsheet',
      body: { leadspeekID: t.campaign.id, connectionID: t.connectionId },
    }),
    passes: [422],
  },
  'GET /api/leadspeek/spreadsheet/check': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/spreadsheet/check?leadspeekID=${t.campaign.id}` }),
    passes: [404],
  },
  'GET /api/leadspeek/spreadsheet/history': {
    named: true,
    request: (t) => ({ url: `/api/leadspeek/spreadsheet/history?leadspeekID=${t.campaign.id}` }),
  },
  'POST /api/leadspeek/spreadsheet/reset': {
    named: true,
    request: (t) => ({ url: '/api/leadspeek/spreadsheet/reset', body: { leadspeekID: t.campaign.id } }),
    passes: [404],
  },
  'PUT /api/leadspeek/spreadsheet/share': {
    named: true,
    request: (t) => ({
      url: '/api/leadspeek/spreadsheet/share',
      body: { leadspeekID: t.campaign.id, emails: [] },
    }),
    passes: [404],
  },
  'POST /api/leadspeek/client/resendgooglelink': {
    named: true,
    request: (t) => ({ url: '/api/leadspeek/client/resendgooglelink', body: { leadspeekID: t.campaign.id } }),
    passes: [404],
  },
  'GET /api/integrations/deliveries': {
    named: true,
    request: (t) => ({ url: `/api/integrations/deliveries?companyID=${t.client.id}` }),
  },
  'GET /api/integrations/deliveries/:id': {
    named: true,
    request: (t) => ({ url: `/api/integrations/deliveries/${t.deliveryId}` }),
  },
  'POST /api/integrations/deliveries/:id/erase': {
    named: true,
    request: (t) => ({ url: `/api/integrations/deliveries/${t.deliveryId}/erase`, body: {} }),
    passes: [409],
  },
  'GET /api/integrations/destinations': {
    named: true,
    request: (t) => ({ url: `/api/integrations/destinations?companyID=${t.client.id}` }),
  },
  'POST /api/integrations/deliveries/resend': {
    named: true,
    request: (t) => ({
      url: '/api/integrations/deliveries/resend',
      body: { companyID: t.client.id, cause: 'nothing failed so' },
    }),
  },
};
